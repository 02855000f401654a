//! The responses to all probes of one scan, and what was read of them.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use chrono::{DateTime, Utc};
use url::{Host, Url};

use crate::documents::DocumentError;
use crate::documents::api_description::ApiDescription;
use crate::documents::robots::RobotsFile;
use crate::fetch::challenge;
use crate::fetch::domain::Domain;
use crate::fetch::link_header::{self, Link};
use crate::fetch::{BodyEnd, Exchange, FetchError, FetchResult, Hop, Probe, Resource, Response};
use crate::page::Page;
use crate::page::directives::{self, Directive};
use crate::rubric::fact_cache::FactCache;
use crate::rubric::finding::Evidence;
use crate::scan::request::ScanRequest;
use crate::scan::wall::{self, Wall};
use crate::text::note::Note;

/// What the probes of a scan brought so far. A judge sees this and nothing else.
///
/// A clone shares the responses and what was read of them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SiteSnapshot {
    request: Arc<ScanRequest>,
    exchanges: BTreeMap<Resource, Arc<Recorded>>,
    origin: Url,
    page: Option<Arc<Page>>,
    inner_pages: BTreeMap<Resource, Arc<Page>>,
    home_links: Vec<Link>,
    robots: Arc<RobotsFile>,
    descriptions: BTreeMap<Resource, Arc<Description>>,
    wall: Option<Arc<Wall>>,
    facts: Arc<FactCache>,
    home_facts: Arc<FactCache>,
}

/// An exchange, and the sign of a challenge that its response has, which many checks ask for.
#[derive(Debug)]
struct Recorded {
    exchange: Exchange,
    challenge: OnceLock<Option<&'static str>>,
}

impl Recorded {
    /// Whether it brought this very response.
    fn has(&self, response: &Response) -> bool {
        self.exchange.result.as_ref().is_ok_and(|own| std::ptr::eq(own, response))
    }
}

/// A description of an API, or why it cannot be used.
type Description = Result<ApiDescription, Vec<DocumentError>>;

/// What is derived from a snapshot once, when it is first asked for. Most of them are in [`facts`](super::facts), which
/// imports this module; a snapshot does not know what is derived from it.
pub(crate) trait SiteFact: Any + Send + Sync {
    fn derive(site: &SiteSnapshot) -> Self;
}

/// Characters of visible text of the home page, by the probe that got it.
struct VisibleChars(BTreeMap<Resource, usize>);

impl SiteFact for VisibleChars {
    fn derive(site: &SiteSnapshot) -> Self {
        Self(site.count_visible_chars())
    }
}

/// What became of a document that a site may have.
#[derive(Clone, Copy, Debug)]
pub enum DocumentState<'a> {
    /// Status 200, not HTML, and not what the site says for paths that do not exist.
    Present(&'a Response),
    /// Status 2xx, but HTML or the same body as for a path that does not exist: a soft 404.
    SoftMissing(&'a Response),
    /// Redirected to another registrable domain.
    OffSite(&'a Response),
    /// 3xx without target, 4xx other than a refusal.
    Missing(&'a Response),
    /// 401, 403, 407, 429, 451, or a challenge page: it may well be there.
    Refused(&'a Response),
    /// 5xx.
    Broken(&'a Response),
    /// No response.
    Failed(&'a FetchError),
    /// Not asked for in this scan.
    NotAsked,
}

impl SiteSnapshot {
    /// An empty snapshot of a domain, taken at this time.
    pub fn new(domain: Domain, taken_at: DateTime<Utc>) -> Self {
        Self::for_request(&ScanRequest::new(domain, taken_at, ""))
    }

    /// An empty snapshot for the answers to this request.
    pub fn for_request(request: &ScanRequest) -> Self {
        Self {
            origin: request.root(),
            request: Arc::new(request.clone()),
            exchanges: BTreeMap::new(),
            page: None,
            inner_pages: BTreeMap::new(),
            home_links: Vec::new(),
            robots: Arc::new(RobotsFile::from_result(None)),
            descriptions: BTreeMap::new(),
            wall: None,
            facts: Arc::default(),
            home_facts: Arc::default(),
        }
    }

    /// What was to be scanned, and how.
    pub fn request(&self) -> &ScanRequest {
        &self.request
    }

    /// Adds what a probe brought. What was worked out of the exchanges is computed again when it is
    /// asked for next.
    pub fn record(&mut self, probe: Probe, answer: FetchResult) {
        let resource = probe.resource.clone();
        self.forget_facts();
        let exchange = Exchange { probe, result: answer };
        let recorded = Recorded { exchange, challenge: OnceLock::new() };
        self.exchanges.insert(resource.clone(), Arc::new(recorded));
        match resource {
            Resource::Home => {
                self.read_home();
                self.look_for_wall();
                self.read_robots();
            }
            // The page over HTTPS goes first, and it was read when it came.
            Resource::HttpHome if self.response(&Resource::Home).is_none() => self.read_home(),
            Resource::HomeAsBrowser | Resource::HomeAsAgent(_) => self.look_for_wall(),
            Resource::RobotsTxt | Resource::FinalRobotsTxt => self.read_robots(),
            Resource::OpenApi | Resource::OpenApiAlternative | Resource::OpenApiWellKnown => {
                self.read_description(resource);
            }
            Resource::InnerPage(_) => self.read_inner_page(resource),
            _ => {}
        }
    }

    /// Takes this response for the home page: the one that came led here at once, like a redirect.
    pub(super) fn forward_home(&mut self, target: &Url, response: Response) {
        let Some(exchange) = self.exchange(&Resource::Home) else { return };
        let Ok(first) = &exchange.result else { return };
        let hop = Hop {
            url: first.url.clone(),
            status: first.status,
            location: target.as_str().to_owned(),
            vary: String::new(),
        };
        let hops = [first.hops.as_slice(), &[hop], response.hops.as_slice()].concat();
        let total_ms = first.total_ms.saturating_add(response.total_ms);
        let probe = exchange.probe.clone();
        self.record(probe, Ok(Response { hops, total_ms, ..response }));
    }

    /// Takes back the exchanges of these resources.
    pub(crate) fn remove(&mut self, is_forgotten: impl Fn(&Resource) -> bool) {
        self.exchanges.retain(|resource, _| !is_forgotten(resource));
        self.descriptions.retain(|resource, _| !is_forgotten(resource));
        self.inner_pages.retain(|resource, _| !is_forgotten(resource));
        self.forget_facts();
    }

    /// Takes over what an earlier state of this snapshot got for a resource, as it was read then.
    pub(crate) fn restore(&mut self, earlier: &Self, resource: &Resource) {
        let Some(exchange) = earlier.exchanges.get(resource) else { return };
        self.forget_facts();
        self.exchanges.insert(resource.clone(), Arc::clone(exchange));
        if let Some(description) = earlier.descriptions.get(resource) {
            self.descriptions.insert(resource.clone(), Arc::clone(description));
        }
        if let Some(page) = earlier.inner_pages.get(resource) {
            self.inner_pages.insert(resource.clone(), Arc::clone(page));
        }
    }

    /// The domain that is scanned.
    pub fn domain(&self) -> &Domain {
        &self.request.domain
    }

    /// When the scan began; the only clock that a check has.
    pub fn taken_at(&self) -> DateTime<Utc> {
        self.request.taken_at
    }

    /// Root of the authority that the home page led to; until it is known that where the scan began.
    pub fn origin(&self) -> &Url {
        &self.origin
    }

    /// Whether the site runs on the machine that scans it: a development server. HTTPS and public
    /// names do not concern one.
    pub fn is_loopback(&self) -> bool {
        match self.origin.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }

    /// All exchanges, in the order of [`Resource`].
    pub fn exchanges(&self) -> impl Iterator<Item = &Exchange> {
        self.exchanges.values().map(|recorded| &recorded.exchange)
    }

    /// How many probes the deadline of the scan left without an answer.
    pub fn cut_short(&self) -> usize {
        self.exchanges()
            .filter(|exchange| matches!(exchange.result, Err(FetchError::Deadline)))
            .count()
    }

    /// One exchange.
    pub fn exchange(&self, resource: &Resource) -> Option<&Exchange> {
        self.exchanges.get(resource).map(|recorded| &recorded.exchange)
    }

    /// What a probe brought; `None` if it was not sent.
    pub fn fetch_result(&self, resource: &Resource) -> Option<&FetchResult> {
        self.exchange(resource).map(|exchange| &exchange.result)
    }

    /// The response to a probe; `None` if there is none.
    pub fn response(&self, resource: &Resource) -> Option<&Response> {
        self.fetch_result(resource).and_then(|answer| answer.as_ref().ok())
    }

    /// The home page over HTTPS, or over HTTP when only that answers; any status.
    pub fn home(&self) -> Option<&Response> {
        let https = self.response(&Resource::Home);
        https
            .or_else(|| self.response(&Resource::HttpHome).filter(|response| response.is_success()))
    }

    /// The facts of the home page; `None` unless it is a 2xx HTML page and no challenge.
    pub fn page(&self) -> Option<&Page> {
        self.page.as_deref()
    }

    /// The facts of a page besides the home page; `None` unless it is a 2xx HTML page and no challenge.
    pub(crate) fn inner_page(&self, resource: &Resource) -> Option<&Page> {
        self.inner_pages.get(resource).map(AsRef::as_ref)
    }

    /// The directives of the home page to crawlers: those of its elements in order, then those of its
    /// header. Empty unless it is a 2xx answer.
    pub fn directives(&self) -> Vec<Directive> {
        let mut directives = self.page().map(directives::from_page).unwrap_or_default();
        if let Some(home) = self.home().filter(|home| home.is_success()) {
            directives.extend(directives::from_headers(&home.headers));
        }
        directives
    }

    /// Links of the home page's `Link` header fields.
    pub fn home_links(&self) -> &[Link] {
        &self.home_links
    }

    /// robots.txt of the host that is read, its state included.
    pub fn robots(&self) -> &RobotsFile {
        &self.robots
    }

    /// The probe whose answer is [`SiteSnapshot::robots`].
    pub fn robots_resource(&self) -> Resource {
        let moved = self.exchanges.contains_key(&Resource::FinalRobotsTxt);
        if moved { Resource::FinalRobotsTxt } else { Resource::RobotsTxt }
    }

    /// A description of the API as far as it could be read; `None` unless it answered 200 with
    /// something else than HTML. Read once, as it is the largest of the documents.
    pub(crate) fn description(&self, resource: &Resource) -> Option<&Description> {
        self.descriptions.get(resource).map(AsRef::as_ref)
    }

    /// A fact, derived when it is first asked for.
    pub(crate) fn fact<T: SiteFact>(&self) -> &T {
        self.facts.get_or_derive(|| T::derive(self))
    }

    /// A fact of the home page alone: kept as long as the page is, whatever else changes.
    pub(crate) fn home_fact<T: SiteFact>(&self) -> &T {
        self.home_facts.get_or_derive(|| T::derive(self))
    }

    /// Other exchanges have other facts. Clones keep those that they share.
    fn forget_facts(&mut self) {
        self.facts = Arc::default();
    }

    /// Characters of visible text of the home page as a probe got it, in whatever name; `None`
    /// unless it got a 2xx page that is not a challenge.
    pub(crate) fn visible_chars(&self, resource: &Resource) -> Option<usize> {
        self.fact::<VisibleChars>().0.get(resource).copied()
    }

    /// Equal bodies are read once, and that of the home page not again.
    fn count_visible_chars(&self) -> BTreeMap<Resource, usize> {
        let home = self.home().zip(self.page());
        let mut counted: BTreeMap<&[u8], usize> = home
            .into_iter()
            .map(|(home, page)| (home.body.as_ref(), page.visible_chars()))
            .collect();
        let mut chars = BTreeMap::new();
        for exchange in self.exchanges() {
            let resource = &exchange.probe.resource;
            let Ok(response) = &exchange.result else { continue };
            let is_home = matches!(
                resource,
                Resource::Home | Resource::HomeAsBrowser | Resource::HomeAsAgent(_)
            );
            if is_home && response.is_success() && self.challenge(response).is_none() {
                let content_type = response.headers.first("content-type");
                let count = counted
                    .entry(&response.body)
                    .or_insert_with(|| Page::parse(&response.body, content_type).visible_chars());
                chars.insert(resource.clone(), *count);
            }
        }
        chars
    }

    /// The sign by which a response is a challenge, as far as the other responses show it, too.
    pub fn challenge(&self, response: &Response) -> Option<&'static str> {
        let marker = || challenge::marker(response);
        let recorded = self.exchanges.values().find(|recorded| recorded.has(response));
        let sign = recorded.map_or_else(marker, |known| *known.challenge.get_or_init(marker));
        sign.or_else(|| {
            let wall = self.wall.as_ref()?;
            wall.is_sent_as(response).then_some(wall::SIGN)
        })
    }

    /// The same sign, for people.
    pub(crate) fn challenge_note(&self, response: &Response) -> Option<Note> {
        self.challenge(response).map(|sign| match sign {
            wall::SIGN => Note::new("page-for-all-bots"),
            _ => challenge::note(sign),
        })
    }

    /// Whether a response keeps its reader out, rather than say that there is nothing.
    pub(crate) fn refuses(&self, response: &Response) -> bool {
        self.challenge(response).is_some()
            || matches!(response.status, 401..=403 | 405..=407 | 429 | 451 | 503)
    }

    /// What became of a document. Its content is still to be judged when it is present.
    pub fn document(&self, resource: &Resource) -> DocumentState<'_> {
        let Some(exchange) = self.exchange(resource) else { return DocumentState::NotAsked };
        let response = match &exchange.result {
            Err(error) => return DocumentState::Failed(error),
            Ok(response) => response,
        };
        // A probe may itself ask another site, when a document named an address there.
        let moved = response.url.host_str() != exchange.probe.url.host_str();
        if self.challenge(response).is_some() {
            return DocumentState::Refused(response);
        }
        match response.status {
            200..=299 if moved && self.is_off_site(response) => DocumentState::OffSite(response),
            200 if is_html(resource, response) || self.is_baseline(exchange, response) => {
                DocumentState::SoftMissing(response)
            }
            200 => DocumentState::Present(response),
            401 | 403 | 407 | 429 | 451 => DocumentState::Refused(response),
            500.. => DocumentState::Broken(response),
            _ => DocumentState::Missing(response),
        }
    }

    /// Whether a response came from another registrable domain than the one that is scanned.
    pub fn is_off_site(&self, response: &Response) -> bool {
        !self.owns(&response.url)
    }

    /// Whether an address belongs to the registrable domain that is scanned, or to the host that
    /// the home page led to.
    pub fn owns(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else { return false };
        let same_as = |root: &str| host == root || host.ends_with(&format!(".{root}"));
        let origin = self.origin.host_str().unwrap_or_default();
        same_as(self.domain().registrable()) || host == origin
    }

    /// Whether a response has the body of the answer to a path that does not exist, but for the
    /// path that was asked for.
    fn is_baseline(&self, asked: &Exchange, response: &Response) -> bool {
        if response.body.is_empty() {
            return false;
        }
        let probes = [Resource::MissingPath, Resource::MissingWellKnown];
        probes.iter().filter_map(|resource| self.exchange(resource)).any(|exchange| {
            let Ok(missing) = &exchange.result else { return false };
            missing.body == response.body
                || without_path(missing, &exchange.probe.url).is_some_and(|missing| {
                    without_path(response, &asked.probe.url).is_some_and(|body| body == missing)
                })
        })
    }

    /// Evidence for a probe, whatever came of it; empty if it was not sent.
    pub fn evidence(&self, resource: &Resource) -> Option<Evidence> {
        let exchange = self.exchange(resource)?;
        Some(match &exchange.result {
            Ok(response) => Evidence::from_response(response),
            Err(error) => Evidence::from_fetch_error(exchange.probe.url.as_str(), error),
        })
    }

    fn read_robots(&mut self) {
        let resource = self.robots_resource();
        let is_walled = self
            .response(&resource)
            .is_some_and(|response| self.challenge(response) == Some(wall::SIGN));
        self.robots = Arc::new(if is_walled {
            RobotsFile::challenged()
        } else if self.is_kept_out(&resource) && self.is_kept_out(&Resource::Home) {
            RobotsFile::refused()
        } else {
            RobotsFile::from_result(self.fetch_result(&resource))
        });
    }

    /// Whether the request for a resource met a refusal, rather than an answer about it. A challenge is known as one.
    fn is_kept_out(&self, resource: &Resource) -> bool {
        match self.fetch_result(resource) {
            Some(Ok(response)) => self.refuses(response) && self.challenge(response).is_none(),
            Some(Err(FetchError::Protocol { .. })) => {
                !self.home().is_some_and(Response::is_success)
            }
            _ => false,
        }
    }

    /// Finds out whether bots get a page of their own instead of the site: then nothing of the site
    /// has been read.
    fn look_for_wall(&mut self) {
        if self.wall.take().is_some() {
            self.read_home();
            self.read_robots();
        }
        let wall = self.page.as_ref().and_then(|page| {
            Wall::find(self.exchanges.values().map(|recorded| &recorded.exchange), page)
        });
        if let Some(wall) = wall {
            self.wall = Some(Arc::new(wall));
            self.page = None;
            self.read_robots();
        }
    }

    fn read_description(&mut self, resource: Resource) {
        let Some(response) = self.response(&resource) else { return };
        if response.status == 200 && !response.looks_like_html() {
            let is_cut = response.body_end != BodyEnd::Complete;
            let description = ApiDescription::parse(&response.body, is_cut);
            self.descriptions.insert(resource, Arc::new(description));
        }
    }

    fn read_inner_page(&mut self, resource: Resource) {
        if let Some(page) = self.response(&resource).and_then(Page::of_response) {
            self.inner_pages.insert(resource, Arc::new(page));
        }
    }

    fn read_home(&mut self) {
        let Some(home) = self.home() else { return };
        let origin = home.url.join("/").unwrap_or_else(|_| self.origin.clone());
        let links = link_header::parse(home.headers.all("link").iter().map(String::as_str));
        let page = Page::of_response(home).filter(|_| self.challenge(home).is_none());
        self.home_facts = Arc::default();
        self.origin = origin;
        self.home_links = links;
        self.page = page.map(Arc::new);
    }
}

impl Page {
    /// The facts of a page; `None` unless the response is a 2xx HTML page and no challenge.
    pub(super) fn of_response(response: &Response) -> Option<Self> {
        let is_page = response.is_success()
            && challenge::marker(response).is_none()
            && (response.looks_like_html() || response.media_type().ends_with("html"));
        is_page.then(|| Self::parse(&response.body, response.headers.first("content-type")))
    }
}

/// Whether a body is HTML where something else is asked for. Of these documents, only sitemaps and
/// licenses are markup, and only Markdown may begin with a tag.
fn is_html(resource: &Resource, response: &Response) -> bool {
    if matches!(resource, Resource::InnerPage(_)) {
        return false;
    }
    let may_begin_with_tag = match resource {
        Resource::Sitemap | Resource::SitemapChild | Resource::License => true,
        Resource::AuthMd
        | Resource::LlmsTxt
        | Resource::MarkdownAlternate
        | Resource::MarkdownFile
        | Resource::SkillArtifact => {
            matches!(response.media_type().as_str(), "text/markdown" | "text/plain")
        }
        _ => false,
    };
    if may_begin_with_tag { response.looks_like_html() } else { response.starts_with_tag() }
}

/// A body without the path that was asked for; `None` if the path is not in it.
fn without_path(response: &Response, asked: &Url) -> Option<String> {
    let path = asked.path().trim_start_matches('/');
    // JSON may escape the slashes.
    let text = response.text().replace("\\/", "/");
    (!path.is_empty() && text.contains(path)).then(|| text.replace(path, ""))
}
