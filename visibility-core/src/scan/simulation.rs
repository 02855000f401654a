//! A site as it would be after a fix: the recorded responses, edited, judged by the same rules.
//!
//! No promise of a report is added up from weights: a document that appears can make further checks
//! apply, and a rule of a server can change many answers.

use std::collections::BTreeMap;

use bytes::Bytes;
use url::Url;

use crate::fetch::{
    BodyEnd, FetchError, FetchResult, Headers, Probe, Resource, Response, TlsSession,
};
use crate::rubric::fix::{Build, Edit, FileMode, Fix, ReplacedText, ServerRule, Task};
use crate::scan::facts::{alternate, platform};
use crate::scan::plan::{self, Planned};
use crate::scan::snapshot::{DocumentState, SiteSnapshot};

/// Milliseconds to the first byte of a page that answers fast enough.
const FAST_MS: u32 = 400;
/// Days that a new certificate is valid.
const CERTIFICATE_DAYS: i64 = 90;
/// Waves of a scan that depend on answers.
const WAVES: usize = 3;

/// The site after these fixes, their placeholders filled with examples.
pub(super) fn after(site: &SiteSnapshot, fixes: &[&Fix]) -> SiteSnapshot {
    // What the platform cannot do is not there afterwards.
    let edits = platform::possible(site, &filled(fixes));
    let mut world =
        SimulatedSite { before: site, documents: BTreeMap::new(), built: BTreeMap::new() };
    let mut next = site.clone();
    // What was requested because of an answer is requested again, if the answers still call for it:
    // the fix may need that part of the budget for another document.
    next.remove(is_called_for);
    for edit in &edits {
        apply(edit, &mut world, &mut next);
    }
    send_what_is_new(&world, &mut next);
    next
}

/// Whether a probe was sent because of what an answer said. The files and hosts that edits change are
/// kept.
fn is_called_for(resource: &Resource) -> bool {
    plan::is_conditional(resource)
        && !matches!(resource, Resource::FinalRobotsTxt | Resource::OtherHost)
}

/// The edits with every placeholder filled.
fn filled(fixes: &[&Fix]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for fix in fixes {
        let fill =
            |text: &str| fix.inputs.iter().fold(text.to_owned(), |text, input| input.filled(&text));
        edits.extend(fix.edits.iter().cloned().map(|edit| edit.with_texts(fill)));
    }
    edits
}

/// The media type that a rule gives a file of Markdown.
const MARKDOWN: &str = "text/markdown; charset=utf-8";

const NOT_SENT: FetchError = FetchError::NotRecorded;

/// What the site answers beside what was recorded.
struct SimulatedSite<'a> {
    before: &'a SiteSnapshot,
    /// Documents by address: media type and content.
    documents: BTreeMap<Url, (String, String)>,
    /// What was built, by address.
    built: BTreeMap<Url, Build>,
}

impl SimulatedSite<'_> {
    /// Whether a conditional probe was sent before, and no edit puts something new at its address.
    fn is_unchanged(&self, probe: &Probe) -> bool {
        let is_new = self.documents.contains_key(&probe.url) || self.built.contains_key(&probe.url);
        let before = self.before.exchange(&probe.resource).filter(|_| !is_new);
        before.is_some_and(|before| {
            let was_sent = !matches!(before.result, Err(FetchError::Skipped { .. }));
            was_sent && is_called_for(&probe.resource) && before.probe.url == probe.url
        })
    }

    /// The answer to a probe that the scan of the site did not send.
    fn fetch_result(&self, probe: &Probe) -> FetchResult {
        if let Some((media_type, content)) = self.documents.get(&probe.url) {
            return Ok(document(&probe.url, media_type, content));
        }
        if let Some(build) = self.built.get(&probe.url) {
            return Ok(build_answer(*build, &probe.url));
        }
        if let Some(known) = self.before.exchanges().find(|other| {
            let was_sent = !matches!(other.result, Err(FetchError::Skipped { .. }));
            was_sent
                && is_same_page(&other.probe.url, &probe.url)
                && other.probe.accept == probe.accept
                && other.probe.user_agent == probe.user_agent
        }) {
            return known.result.clone().map(|known| Response { url: probe.url.clone(), ..known });
        }
        if let (Resource::HomeAsAgent(_), Some(home)) = (&probe.resource, self.before.home()) {
            // robots.txt kept the probe back: nothing yet shows that the agent would be refused.
            return Ok(Response { url: probe.url.clone(), ..home.clone() });
        }
        if matches!(probe.resource, Resource::LlmsTxtLink(_)) {
            // Pages that the home page links to, which are there for all that is known.
            return Err(NOT_SENT);
        }
        // A path that was not requested answers as one that does not exist.
        match self.before.response(&Resource::MissingPath) {
            Some(missing) => Ok(Response { url: probe.url.clone(), ..missing.clone() }),
            None => Err(NOT_SENT),
        }
    }
}

/// Whether two addresses are the same but for their scheme: a site that gets a certificate serves the
/// same pages.
fn is_same_page(left: &Url, right: &Url) -> bool {
    left.host_str() == right.host_str()
        && left.path() == right.path()
        && left.query() == right.query()
        && (left.scheme() == right.scheme() || (left.port(), right.port()) == (None, None))
}

/// Sends the probes that the edits make necessary, wave by wave, as a scan would.
fn send_what_is_new(world: &SimulatedSite<'_>, site: &mut SiteSnapshot) {
    let request = site.request().clone();
    for _ in 0..WAVES {
        let waves = [
            plan::final_robots(&request, site),
            plan::second(&request, site),
            plan::third(&request, site),
            plan::fourth(&request, site),
        ];
        let mut is_new = false;
        for planned in waves.into_iter().flatten() {
            let Planned::Send(probe) = planned else { continue };
            let known = site.exchange(&probe.resource).filter(|known| {
                let was_sent = !matches!(known.result, Err(FetchError::Skipped { .. }));
                was_sent && known.probe.url == probe.url
            });
            if known.is_some() {
                continue;
            }
            if world.is_unchanged(&probe) {
                site.restore(world.before, &probe.resource);
            } else {
                let answer = world.fetch_result(&probe);
                site.record(probe, answer);
            }
            is_new = true;
        }
        if !is_new {
            break;
        }
    }
}

fn apply(edit: &Edit, world: &mut SimulatedSite<'_>, site: &mut SiteSnapshot) {
    match edit {
        Edit::Document { path, media_type, content } => {
            let Ok(url) = site.origin().join(path) else { return };
            replace_responses(site, &url, &document(&url, media_type, content));
            world.documents.insert(url, (media_type.clone(), content.clone()));
        }
        Edit::Robots { mode, content, replaces } => {
            robots(site, *mode, content, replaces.as_ref());
        }
        Edit::Head { mode, content, replaces } => edit_home(site, |response| {
            edit_body(response, |body| html_head(body, *mode, content, replaces.as_ref()));
        }),
        Edit::HtmlElement { content } => {
            edit_home(site, |response| edit_body(response, |body| html_element(body, content)));
        }
        Edit::Main { content } => {
            edit_home(site, |response| edit_body(response, |body| html_main(body, content)));
        }
        Edit::Header { mode, name, value } => edit_home(site, |response| {
            response.headers = header(&response.headers, *mode, name, value);
        }),
        Edit::Server { rule } => server(site, rule, world),
        Edit::Firewall { .. } => let_everyone_in(site),
        Edit::Build { what, url } => {
            if let Ok(url) = Url::parse(url) {
                replace_responses(site, &url, &build_answer(*what, &url));
                world.built.insert(url, *what);
            }
        }
        Edit::Code { task } => code(site, *task),
    }
}

/// Replaces the answers to all requests for an address.
fn replace_responses(site: &mut SiteSnapshot, url: &Url, response: &Response) {
    let asked: Vec<Probe> = site
        .exchanges()
        .filter(|exchange| exchange.probe.url == *url)
        .map(|exchange| exchange.probe.clone())
        .collect();
    for probe in asked {
        site.record(probe, Ok(response.clone()));
    }
}

/// The response to a request for a document, with the fields that the files of a fix give it.
fn document(url: &Url, media_type: &str, content: &str) -> Response {
    let mut headers = Headers::default();
    headers.append("content-type", media_type);
    headers.append("access-control-allow-origin", "*");
    Response { headers, body: Bytes::copy_from_slice(content.as_bytes()), ..empty(url, 200) }
}

fn build_answer(build: Build, url: &Url) -> Response {
    match build {
        Build::ApiDescription => document(
            url,
            "application/json",
            r#"{"openapi":"3.1.0","info":{"title":"API","version":"1"},"paths":{"/":{"get":{}}}}"#,
        ),
        Build::McpServer | Build::A2aAgent | Build::UcpService | Build::AuthorizationServer => {
            empty(url, 405)
        }
    }
}

fn empty(url: &Url, status: u16) -> Response {
    Response {
        url: url.clone(),
        status,
        version: "HTTP/1.1".to_owned(),
        headers: Headers::default(),
        body: Bytes::new(),
        body_end: BodyEnd::Complete,
        wire_bytes: 0,
        hops: Vec::new(),
        ttfb_ms: FAST_MS,
        total_ms: FAST_MS,
        retries: 0,
        tls: None,
    }
}

fn robots(site: &mut SiteSnapshot, mode: FileMode, content: &str, replaces: Option<&ReplacedText>) {
    let resource = site.robots_resource();
    let Some(exchange) = site.exchange(&resource) else { return };
    let probe = exchange.probe.clone();
    let before = exchange.result.as_ref().ok().filter(|response| response.is_success());
    let mut body = match (mode, before) {
        (FileMode::Append | FileMode::Replace, Some(response)) => response.body.to_vec(),
        _ => Vec::new(),
    };
    let is_replaced = replaces.is_some_and(|old| old.replace(&mut body, content));
    if !is_replaced {
        body.extend_from_slice(content.as_bytes());
    }
    let body = Bytes::from(body);
    let response = match (mode, before) {
        (FileMode::Append | FileMode::Replace, Some(response)) => {
            Response { body, ..response.clone() }
        }
        _ => Response { body, ..document(&probe.url, "text/plain; charset=utf-8", "") },
    };
    site.record(probe, Ok(response));
}

/// Edits the home page under every name that it was requested in, where it was served.
fn edit_home(site: &mut SiteSnapshot, edit: impl Fn(&mut Response)) {
    edit_pages(
        site,
        |resource| {
            matches!(
                resource,
                Resource::Home
                    | Resource::HttpHome
                    | Resource::HomeAsBrowser
                    | Resource::HomeAsAgent(_)
            )
        },
        edit,
    );
}

/// Edits the responses for these resources, as far as they are pages of the site.
fn edit_pages(
    site: &mut SiteSnapshot,
    is_edited: impl Fn(&Resource) -> bool,
    edit: impl Fn(&mut Response),
) {
    let edited: Vec<(Probe, Response)> = site
        .exchanges()
        .filter(|exchange| is_edited(&exchange.probe.resource))
        .filter_map(|exchange| {
            let response = exchange.result.as_ref().ok()?;
            let served = response.is_success() && site.challenge(response).is_none();
            served.then(|| (exchange.probe.clone(), response.clone()))
        })
        .map(|(probe, mut response)| {
            edit(&mut response);
            (probe, response)
        })
        .collect();
    for (probe, response) in edited {
        site.record(probe, Ok(response));
    }
}

fn edit_body(response: &mut Response, edit: impl FnOnce(&mut Vec<u8>)) {
    let mut body = Vec::from(std::mem::take(&mut response.body));
    edit(&mut body);
    response.body = Bytes::from(body);
}

/// The address of the first place where an ASCII text begins, in any case.
fn find(body: &[u8], text: &str) -> Option<usize> {
    body.windows(text.len()).position(|window| window.eq_ignore_ascii_case(text.as_bytes()))
}

fn insert(body: &mut Vec<u8>, at: usize, text: &str) {
    body.splice(at..at, text.bytes());
}

fn html_head(body: &mut Vec<u8>, mode: FileMode, content: &str, replaces: Option<&ReplacedText>) {
    if replaces.is_some_and(|old| old.replace(body, content)) {
        return;
    }
    if mode == FileMode::Replace {
        for kind in content.lines().filter_map(HeadElementKind::from_line) {
            kind.remove(body);
        }
    }
    let at = find(body, "</head").or_else(|| find(body, "<body")).unwrap_or_default();
    insert(body, at, content);
}

/// What an element of the head is, so that another of its kind can take its place.
struct HeadElementKind<'a> {
    element: &'a str,
    attribute: &'a str,
}

impl<'a> HeadElementKind<'a> {
    /// `<title>` has no attribute; `<meta name="robots" ...>` and the like have one that tells them
    /// apart.
    fn from_line(line: &'a str) -> Option<Self> {
        let rest = line.trim().strip_prefix('<')?;
        let end = rest.find([' ', '>'])?;
        let (element, rest) = rest.split_at(end);
        let attribute = rest.trim_start();
        let end = attribute.match_indices('"').nth(1).map(|(at, _)| at + 1);
        let attribute = end.and_then(|end| attribute.get(..end)).unwrap_or_default();
        Some(Self { element, attribute: if element == "title" { "" } else { attribute } })
    }

    fn remove(&self, body: &mut Vec<u8>) {
        let start = format!("<{}", self.element);
        let mut from = 0;
        while let Some(rest) = body.get(from..) {
            let Some(at) = find(rest, &start).map(|at| from + at) else { break };
            let tail = body.get(at..).unwrap_or_default();
            let Some(length) = tail.iter().position(|byte| *byte == b'>').map(|end| end + 1) else {
                break;
            };
            let tag = String::from_utf8_lossy(tail.get(..length).unwrap_or_default());
            let plain = tag.replace('\'', "\"");
            if plain.contains(self.attribute) {
                let close = format!("</{}>", self.element);
                let closed = (self.element == "title").then(|| find(tail, &close)).flatten();
                let end = closed.map_or(length, |at| at + close.len());
                body.drain(at..at + end);
            } else {
                from = at + length;
            }
        }
    }
}

fn html_element(body: &mut Vec<u8>, content: &str) {
    let tag = find(body, "<html").and_then(|at| {
        let length = body.get(at..)?.iter().position(|byte| *byte == b'>')?;
        Some(at..=at + length)
    });
    match tag {
        Some(range) => {
            body.splice(range, content.bytes());
        }
        None => insert(body, 0, content),
    }
}

fn html_main(body: &mut Vec<u8>, content: &str) {
    let start = ["<main", "<body"].into_iter().find_map(|tag| {
        let at = find(body, tag)?;
        Some(at + body.get(at..)?.iter().position(|byte| *byte == b'>')? + 1)
    });
    let at = start.unwrap_or(body.len());
    insert(body, at, content);
}

fn header(headers: &Headers, mode: FileMode, name: &str, value: &str) -> Headers {
    let kept = headers
        .iter()
        .filter(|(known, _)| mode == FileMode::Append || !known.eq_ignore_ascii_case(name));
    let mut headers: Headers = kept.map(|(name, value)| (name, value.to_owned())).collect();
    if !value.is_empty() {
        headers.append(name, value);
    }
    headers
}

fn server(site: &mut SiteSnapshot, rule: &ServerRule, world: &SimulatedSite<'_>) {
    match rule {
        ServerRule::NotFound => not_found(site),
        ServerRule::Redirects { canonical, .. } => redirects(site, canonical),
        ServerRule::Certificate { .. } => certificate(site),
        ServerRule::Markdown { .. } => markdown(site, world),
        ServerRule::Compression => edit_home(site, |response| {
            response.headers =
                header(&response.headers, FileMode::Replace, "content-encoding", "gzip");
        }),
        // A cache helps the readers after the first; what the page takes by itself is another task.
        ServerRule::Caching => {}
    }
}

/// Documents and well-known paths that are not there answer 404.
fn not_found(site: &mut SiteSnapshot) {
    let missing: Vec<Probe> = site
        .exchanges()
        .filter(|exchange| {
            let probe = &exchange.probe;
            let path = probe.url.path();
            let is_file = path.rsplit('/').next().is_some_and(|name| name.contains('.'))
                || path.starts_with("/.well-known/");
            let is_document = probe.resource == Resource::MissingWellKnown
                || matches!(site.document(&probe.resource), DocumentState::SoftMissing(_));
            is_file && is_document
        })
        .map(|exchange| exchange.probe.clone())
        .collect();
    for probe in missing {
        let response = empty(&probe.url, 404);
        site.record(probe, Ok(response));
    }
}

/// Plain HTTP and other names lead to one host.
fn redirects(site: &mut SiteSnapshot, canonical: &str) {
    let target = format!("https://{canonical}/");
    let other = site
        .exchange(&Resource::OtherHost)
        .filter(|exchange| exchange.probe.url.host_str() != Some(canonical));
    let mut answers: Vec<(Probe, Response)> = [site.exchange(&Resource::HttpHome), other]
        .into_iter()
        .flatten()
        .map(|exchange| {
            let mut response = empty(&exchange.probe.url, 301);
            response.headers.append("location", target.clone());
            (exchange.probe.clone(), response)
        })
        .collect();
    if let Some(exchange) = site.exchange(&Resource::Home)
        && let Ok(home) = &exchange.result
    {
        let hops = home
            .hops
            .iter()
            .filter(|hop| hop.url.host_str() != Some(canonical))
            .take(1)
            .cloned()
            .map(|hop| crate::fetch::Hop { status: 301, ..hop });
        let home = Response { hops: hops.collect(), ..home.clone() };
        answers.push((exchange.probe.clone(), home));
    }
    for (probe, response) in answers {
        site.record(probe, Ok(response));
    }
}

/// The page that plain HTTP serves is served over HTTPS, too.
fn certificate(site: &mut SiteSnapshot) {
    let not_after = site.taken_at().timestamp() + CERTIFICATE_DAYS * 86_400;
    let tls = TlsSession { not_after, issuer: None };
    let Some(exchange) = site.exchange(&Resource::Home) else { return };
    let probe = exchange.probe.clone();
    let served = exchange.result.as_ref().ok().cloned().or_else(|| {
        let plain = site.response(&Resource::HttpHome)?;
        plain.is_success().then(|| Response { url: probe.url.clone(), ..plain.clone() })
    });
    if let Some(response) = served {
        site.record(probe, Ok(Response { tls: Some(tls), ..response }));
    }
    let http = site.exchange(&Resource::HttpHome).map(|exchange| exchange.probe.clone());
    if let Some(probe) = http {
        let mut response = empty(&probe.url, 301);
        response.headers.append("location", String::from(site.domain().https_root()));
        site.record(probe, Ok(response));
    }
}

/// The home page as Markdown, from the document of the same fix.
fn markdown(site: &mut SiteSnapshot, world: &SimulatedSite<'_>) {
    let Some(exchange) = site.exchange(&Resource::HomeMarkdown) else { return };
    let probe = exchange.probe.clone();
    let Ok(url) = site.origin().join(alternate::HOME_FILE) else { return };
    let mut response = match (world.documents.get(&url), alternate::home_file(world.before)) {
        (Some((media_type, content)), _) => document(&probe.url, media_type, content),
        (None, Some(file)) => document(&probe.url, MARKDOWN, &file.text()),
        (None, None) => return,
    };
    response.headers.append("vary", "Accept");
    site.record(probe, Ok(response));
}

/// Everyone gets the page that the browser gets.
fn let_everyone_in(site: &mut SiteSnapshot) {
    let Some(page) = site.response(&Resource::HomeAsBrowser).cloned() else { return };
    if !page.is_success() {
        return;
    }
    let refused: Vec<Probe> = site
        .exchanges()
        .filter(|exchange| {
            matches!(exchange.probe.resource, Resource::Home | Resource::HomeAsAgent(_))
                && !matches!(exchange.result, Err(FetchError::Skipped { .. }))
        })
        .map(|exchange| exchange.probe.clone())
        .collect();
    for probe in refused {
        let home = site.response(&probe.resource).filter(|home| home.is_success());
        let tls = home.and_then(|home| home.tls.clone()).or_else(|| page.tls.clone());
        site.record(probe, Ok(Response { tls, ..page.clone() }));
    }
}

fn code(site: &mut SiteSnapshot, task: Task) {
    match task {
        Task::RenderOnServer => {
            let text = "Text that the server sends. ".repeat(60);
            let render = |response: &mut Response| {
                edit_body(response, |body| html_main(body, &format!("<p>{text}</p>\n")));
            };
            edit_home(site, render);
            edit_pages(site, |resource| matches!(resource, Resource::InnerPage(_)), render);
        }
        Task::AnswerFaster => {
            let faster: Vec<(Probe, Response)> = site
                .exchanges()
                .filter_map(|exchange| {
                    let response = exchange.result.as_ref().ok()?;
                    (response.ttfb_ms > FAST_MS).then(|| {
                        let response =
                            Response { ttfb_ms: FAST_MS, total_ms: FAST_MS, ..response.clone() };
                        (exchange.probe.clone(), response)
                    })
                })
                .collect();
            for (probe, response) in faster {
                site.record(probe, Ok(response));
            }
        }
    }
}
