//! Observations: unscored notes, derived from the responses that the checks requested.

mod crawl_delay;
mod hidden_text;
mod slowed_down;
mod wildcard;

use std::collections::BTreeMap;

use crate::fetch::{FetchError, Resource, Response, SkipReason};
use crate::page::Page;
use crate::rubric::finding::Observation;
use crate::scan::nothing_to_read;
use crate::scan::snapshot::{DocumentState, SiteSnapshot};
use crate::text::excerpt::excerpt;

/// The observation that the time of the scan ran out.
pub const DEADLINE: &str = "deadline-passed";

/// All observations, in the order of reports.
pub const OBSERVATIONS: [&str; 26] = [
    DEADLINE,
    "hidden-instructions",
    "off-site-home",
    "asks-first",
    "own-token-obeyed",
    "wildcard-disallowed",
    "agent-probes-off",
    "rate-limited",
    "slowed-down",
    "content-encoding",
    "mojibake",
    "robots-rate-limited",
    "robots-differ",
    "crawl-delay",
    "hsts",
    "no-hsts",
    "noai",
    "tdm-reservation",
    "feed",
    "llms-full",
    "agents-md",
    "ai-txt",
    "ai-plugin",
    "security-txt",
    "nlweb",
    "schemamap",
];

/// Files that a site may mention: the end of their URL, and the observation.
const MENTIONED_FILES: [(&str, &str); 5] = [
    ("llms-full.txt", "llms-full"),
    ("agents.md", "agents-md"),
    ("ai.txt", "ai-txt"),
    ("ai-plugin.json", "ai-plugin"),
    ("security.txt", "security-txt"),
];

const FEED_TYPES: [&str; 3] =
    ["application/rss+xml", "application/atom+xml", "application/feed+json"];

/// The observations of a site, in the order of [`OBSERVATIONS`].
pub fn observe(site: &SiteSnapshot) -> Vec<Observation> {
    let mut seen = from_requests(site);
    seen.extend(from_transport(site));
    if let Some(page) = site.page() {
        seen.extend(hidden_text::instructions(page));
        seen.extend(from_page(page));
        let asked = nothing_to_read::asks_first(site, page);
        seen.extend(
            asked
                .iter()
                .map(|words| observed("asks-first").with("words", words).on(Resource::Home)),
        );
    }
    seen.extend(preferences(site));
    seen.extend(mentioned_files(site));
    seen.extend(schemamap(site));
    seen.sort_by_key(|seen| OBSERVATIONS.iter().position(|id| *id == seen.id));
    seen
}

fn observed(id: &'static str) -> Observation {
    Observation { id, values: BTreeMap::new(), resource: None }
}

impl Observation {
    fn on(mut self, resource: Resource) -> Self {
        self.resource = Some(resource);
        self
    }

    fn with(mut self, name: &'static str, value: &(impl ToString + ?Sized)) -> Self {
        self.values.insert(name, excerpt(&value.to_string()));
        self
    }
}

/// Observations about the requests: skipped ones, rate limits, two versions of robots.txt.
fn from_requests(site: &SiteSnapshot) -> Vec<Observation> {
    let skipped = |wanted: SkipReason| {
        let skip = |answer: &Result<Response, FetchError>| matches!(answer, Err(FetchError::Skipped { reason }) if *reason == wanted);
        site.exchanges().filter(|exchange| skip(&exchange.result)).count()
    };
    let mut seen = Vec::new();
    let late = site.cut_short();
    if late > 0 {
        seen.push(observed(DEADLINE).with("count", &late));
    }
    let obeyed = skipped(SkipReason::RobotsOwnToken);
    if obeyed > 0 {
        seen.push(observed("own-token-obeyed").with("count", &obeyed).on(site.robots_resource()));
    }
    if skipped(SkipReason::SwitchedOff) > 0 {
        seen.push(observed("agent-probes-off"));
    }
    let is_limit =
        |response: &Response| response.is_rate_limit() && site.challenge(response).is_none();
    let limited = |resource: &Resource| site.response(resource).is_some_and(is_limit);
    let robots = site.robots_resource();
    let others = site
        .exchanges()
        .map(|exchange| &exchange.probe.resource)
        .filter(|resource| **resource != robots && limited(resource))
        .count()
        + skipped(SkipReason::RateLimited);
    if others > 0 {
        seen.push(observed("rate-limited").with("count", &others));
    }
    seen.extend(slowed_down::observe(site));
    if limited(&robots) {
        seen.push(observed("robots-rate-limited").on(robots));
    }
    seen.extend(robots_differ(site));
    seen.extend(wildcard::disallowed(site));
    seen.extend(crawl_delay::observe(site));
    seen
}

/// Whether robots.txt of the domain differs from that of the host that the home page redirects to.
fn robots_differ(site: &SiteSnapshot) -> Option<Observation> {
    let asked = site.response(&Resource::RobotsTxt)?;
    let last = site.response(&Resource::FinalRobotsTxt)?;
    let text = |response: &Response| response.is_success().then(|| response.body.clone());
    let host = |response: &Response| response.url.host_str().unwrap_or_default().to_owned();
    (text(asked) != text(last)).then(|| {
        let seen = observed("robots-differ").with("asked", &host(asked)).with("final", &host(last));
        seen.on(Resource::FinalRobotsTxt)
    })
}

fn from_transport(site: &SiteSnapshot) -> Vec<Observation> {
    let Some(home) = site.response(&Resource::Home) else { return Vec::new() };
    let mut seen = Vec::new();
    seen.extend(unknown_content_coding(site));
    if site.is_off_site(home) || !is_below(home, site.domain().registrable()) {
        let host = home.url.host_str().unwrap_or_default();
        seen.push(observed("off-site-home").with("host", host).on(Resource::Home));
    }
    if home.url.scheme() == "https" {
        seen.push(match home.headers.first("strict-transport-security") {
            Some(value) => observed("hsts").with("value", value).on(Resource::Home),
            None => observed("no-hsts").on(Resource::Home),
        });
    }
    seen
}

/// A `Content-Encoding` that is not a content coding, once however many responses have it.
fn unknown_content_coding(site: &SiteSnapshot) -> Option<Observation> {
    let mut first = None;
    let mut count = 0_usize;
    for exchange in site.exchanges() {
        let Ok(response) = &exchange.result else { continue };
        let Some(coding) = response.content_codings().unknown.into_iter().next() else { continue };
        first.get_or_insert((coding, &exchange.probe.resource));
        count += 1;
    }
    let (coding, resource) = first?;
    let seen = observed("content-encoding").with("value", &coding).with("count", &count);
    Some(seen.on(resource.clone()))
}

fn is_below(response: &Response, root: &str) -> bool {
    let host = response.url.host_str().unwrap_or_default();
    host.strip_suffix(root).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// What the head of the home page links to, and whether its character set is wrong.
fn from_page(page: &Page) -> Vec<Observation> {
    let mut alternates = page.links("alternate");
    let feed = alternates
        .find(|link| {
            link.media_type.as_ref().is_some_and(|kind| FEED_TYPES.contains(&kind.as_str()))
        })
        .map(|link| observed("feed").with("url", &link.href));
    let mojibake = page.mojibake.as_ref().map(|found| {
        let seen = observed("mojibake").with("charset", found.charset);
        seen.with("shown", &found.shown).with("meant", &found.meant)
    });
    let nlweb = page.links("nlweb").next().map(|link| observed("nlweb").with("url", &link.href));
    feed.into_iter().chain(nlweb).chain(mojibake).map(|seen| seen.on(Resource::Home)).collect()
}

/// Preferences about the use of the content that no check scores.
fn preferences(site: &SiteSnapshot) -> Vec<Observation> {
    let Some(home) = site.home() else { return Vec::new() };
    let mut seen = Vec::new();
    let mut directives = site
        .page()
        .into_iter()
        .flat_map(|page| page.metas("robots"))
        .map(|meta| meta.content.as_str())
        .chain(home.headers.all("x-robots-tag").iter().map(String::as_str));
    if let Some(value) = directives.find(|value| {
        value.split(',').any(|part| {
            let word = part.rsplit(':').next().unwrap_or_default().trim();
            word.eq_ignore_ascii_case("noai") || word.eq_ignore_ascii_case("noimageai")
        })
    }) {
        seen.push(observed("noai").with("value", value).on(Resource::Home));
    }
    let meta = site.page().and_then(|page| page.metas("tdm-reservation").next());
    let meta = meta.map(|meta| meta.content.as_str());
    if let Some(value) = home.headers.first("tdm-reservation").or(meta) {
        seen.push(observed("tdm-reservation").with("value", value).on(Resource::Home));
    }
    seen
}

/// Files that the home page, its `Link` fields or llms.txt link to. They were not requested.
fn mentioned_files(site: &SiteSnapshot) -> Vec<Observation> {
    let mut mentions: Vec<(String, Resource)> = Vec::new();
    let header = site.home_links().iter().map(|link| link.target.clone());
    mentions.extend(header.map(|target| (target, Resource::Home)));
    if let Some(page) = site.page() {
        let elements = page.links.iter().map(|link| link.href.clone());
        let anchors = page.anchors.iter().map(|anchor| anchor.href.clone());
        mentions.extend(elements.chain(anchors).map(|target| (target, Resource::Home)));
    }
    if let DocumentState::Present(response) = site.document(&Resource::LlmsTxt) {
        let text = response.text();
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        mentions.extend(targets.map(|target| (target.to_owned(), Resource::LlmsTxt)));
    }
    let file = |target: &str| {
        let path = target.split(['?', '#']).next().unwrap_or_default();
        path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase()
    };
    let found = MENTIONED_FILES.iter().filter_map(|(name, id)| {
        let (target, resource) = mentions.iter().find(|(target, _)| file(target) == *name)?;
        Some(observed(id).with("url", target).on(resource.clone()))
    });
    found.collect()
}

/// A `Schemamap` record in robots.txt: a list of JSON-LD feeds.
fn schemamap(site: &SiteSnapshot) -> Option<Observation> {
    let lints = &site.robots().rules.lints;
    let is_schemamap = |text: &str| text.trim().to_ascii_lowercase().starts_with("schemamap");
    let lint = lints.iter().find(|lint| is_schemamap(&lint.text))?;
    let seen = observed("schemamap").with("line", &lint.line).with("text", &lint.text);
    Some(seen.on(site.robots_resource()))
}
