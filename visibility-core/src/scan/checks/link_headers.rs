//! `link-headers`: header fields of the home page that lead agents to what is made for them.
//!
//! RFC 8288 links cost one line and are seen without reading the page.

use url::Url;

use crate::fetch::{Exchange, Resource, Response};
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome};
use crate::rubric::fix::{Edit, FileMode, Fix};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::snapshot::{DocumentState, SiteSnapshot};
use crate::text::note::Note;

pub(super) const CHECK: Check = Check {
    id: "link-headers",
    category: Category::Discovery,
    weight: 2,
    maturity: Maturity::Standard,
    effort: Effort::S,
    surfaces: &[],
    outcomes: &[
        ANSWERED,
        UNVERIFIED,
        DEAD_TARGET,
        ELEMENTS_ONLY,
        NOT_ADVERTISED,
        NOTHING,
        UNREADABLE,
    ],
    covers: &["Link headers"],
    specs: &[
        Spec { name: "RFC 8288", url: "https://www.rfc-editor.org/rfc/rfc8288" },
        Spec { name: "RFC 8631", url: "https://www.rfc-editor.org/rfc/rfc8631" },
        Spec { name: "RFC 9727", url: "https://www.rfc-editor.org/rfc/rfc9727" },
    ],
    evaluate,
};

const ANSWERED: Outcome = Outcome::pass("answered");
const UNVERIFIED: Outcome = Outcome::warn("unverified");
const DEAD_TARGET: Outcome = Outcome::warn("dead-target");
const ELEMENTS_ONLY: Outcome = Outcome::warn("elements-only");
const NOT_ADVERTISED: Outcome = Outcome::fail("not-advertised");
const NOTHING: Outcome = Outcome::not_applicable("nothing");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");

/// Relation types that are made for agents; `alternate` counts with the type of Markdown. A license says what may be done
/// with a page, and is no document to read.
const RELATIONS: [&str; 7] = [
    "ai-catalog",
    "api-catalog",
    "describedby",
    "service-desc",
    "service-doc",
    "service-meta",
    "status",
];

/// Links of either place that are judged.
const MAX_LINKS: usize = 10;

/// A link for agents, from a header field or an element.
struct AgentLink {
    relation: &'static str,
    target: String,
    url: Option<Url>,
}

fn evaluate(site: &SiteSnapshot) -> Finding {
    let readable = site.home().filter(|home| home.is_success() && site.challenge(home).is_none());
    let Some(home) = readable else {
        return Finding::new(UNREADABLE.detected()).with_evidence(site.evidence(&Resource::Home));
    };
    let header = header_links(site, home);
    let elements = element_links(site, home);
    let published = published(site);
    let finding = if header.is_empty() {
        let named = published.iter().map(|(_, url)| url.path()).collect::<Vec<_>>().join(", ");
        Finding::new(match (elements.first(), published.is_empty()) {
            (Some(link), _) => {
                ELEMENTS_ONLY.with("relation", link.relation).with("url", &link.target)
            }
            (None, false) => NOT_ADVERTISED.with("paths", named),
            (None, true) => NOTHING.detected(),
        })
    } else {
        judge(site, &header)
    };
    let fields = home.headers.all("link").join(", ");
    let evidence = Evidence::from_response(home)
        .note(Note::new("link-fields").with("count", home.headers.all("link").len()));
    let evidence = if fields.is_empty() { evidence } else { evidence.quote(&fields) };
    let finding = finding.with_evidence([evidence]);
    let is_answered = finding.detections().iter().any(|detection| detection.outcome == ANSWERED);
    let value = value(&published, &elements, home).filter(|_| !is_answered);
    finding.with_fix_if_any(value.map(|value| {
        Fix::new(Edit::Header { mode: FileMode::Append, name: "Link".to_owned(), value })
    }))
}

/// One link whose target answered is enough; the others are reported.
fn judge(site: &SiteSnapshot, links: &[AgentLink]) -> Finding {
    let mut detections: Vec<Detection> = links
        .iter()
        .map(|link| {
            let outcome = link.url.as_ref().map_or(DEAD_TARGET, |url| target_outcome(site, url));
            outcome.with("relation", link.relation).with("url", &link.target)
        })
        .collect();
    detections.sort_by_key(|detection| match detection.outcome {
        ANSWERED => 0,
        DEAD_TARGET => 1,
        _ => 2,
    });
    let mut detections = detections.into_iter();
    let decisive = detections.next().unwrap_or_else(|| NOTHING.detected());
    detections.fold(Finding::new(decisive), Finding::with_detection)
}

/// What this scan saw of a target.
fn target_outcome(site: &SiteSnapshot, target: &Url) -> Outcome {
    let mut outcome = UNVERIFIED;
    for exchange in site.exchanges().filter(|exchange| asks_for(exchange, target)) {
        match site.document(&exchange.probe.resource) {
            DocumentState::Present(_) => return ANSWERED,
            // A licence, say, may be elsewhere by right; a redirect off the site may not.
            DocumentState::OffSite(response)
                if !site.owns(&exchange.probe.url) && !response.looks_like_html() =>
            {
                return ANSWERED;
            }
            DocumentState::Refused(_)
            | DocumentState::Broken(_)
            | DocumentState::Failed(_)
            | DocumentState::NotAsked => {}
            DocumentState::SoftMissing(_)
            | DocumentState::OffSite(_)
            | DocumentState::Missing(_) => {
                outcome = DEAD_TARGET;
            }
        }
    }
    outcome
}

/// Whether a probe asked for this target. Of the requests for the home page only the one for
/// Markdown says something about a target.
fn asks_for(exchange: &Exchange, target: &Url) -> bool {
    let is_page = matches!(
        exchange.probe.resource,
        Resource::Home | Resource::HttpHome | Resource::HomeAsBrowser | Resource::HomeAsAgent(_)
    );
    let answered = exchange.result.as_ref().is_ok_and(|response| same(&response.url, target));
    !is_page && (same(&exchange.probe.url, target) || answered)
}

/// Whether two URLs are the same but for their fragments.
fn same(left: &Url, right: &Url) -> bool {
    let (mut left, mut right) = (left.clone(), right.clone());
    left.set_fragment(None);
    right.set_fragment(None);
    left == right
}

fn header_links(site: &SiteSnapshot, home: &Response) -> Vec<AgentLink> {
    site.home_links()
        .iter()
        .filter(|link| link.anchor.as_deref().is_none_or(|anchor| is_own(site, home, anchor)))
        .filter_map(|link| {
            let relation = relation(&link.rels, link.media_type.as_deref())?;
            let url = home.url.join(&link.target).ok();
            let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
            Some(AgentLink { relation, target: link.target.clone(), url })
        })
        .take(MAX_LINKS)
        .collect()
}

fn element_links(site: &SiteSnapshot, home: &Response) -> Vec<AgentLink> {
    let Some(page) = site.page() else { return Vec::new() };
    let resolve = page.resolver(&home.url);
    page.links
        .iter()
        .filter_map(|link| {
            let relation = relation(&link.rels, link.media_type.as_deref())?;
            let url = resolve(&link.href);
            Some(AgentLink { relation, target: link.href.clone(), url })
        })
        .take(MAX_LINKS)
        .collect()
}

/// RFC 8288 section 3.2: a link with another context says nothing about this site.
fn is_own(site: &SiteSnapshot, home: &Response, anchor: &str) -> bool {
    home.url.join(anchor).is_ok_and(|context| site.owns(&context))
}

fn relation(rels: &[String], media_type: Option<&str>) -> Option<&'static str> {
    let known = RELATIONS.into_iter().find(|known| rels.iter().any(|rel| rel == known));
    let markdown = matches!(media_type, Some("text/markdown" | "text/x-markdown"));
    let alternate = rels.iter().any(|rel| rel == "alternate") && markdown;
    known.or(alternate.then_some("alternate"))
}

/// Documents for agents that answered, and that a link could name: each with its link.
fn published(site: &SiteSnapshot) -> Vec<(&'static str, Url)> {
    let documents = [
        (Resource::ApiCatalog, r#"rel="api-catalog"; type="application/linkset+json""#),
        (Resource::OpenApi, r#"rel="service-desc""#),
        (Resource::OpenApiAlternative, r#"rel="service-desc""#),
        (Resource::AiCatalog, r#"rel="ai-catalog"; type="application/ai-catalog+json""#),
        (Resource::McpCard, r#"rel="service-meta"; type="application/mcp-server-card+json""#),
        (Resource::McpLegacyCard, r#"rel="service-meta"; type="application/json""#),
        (Resource::AgentCard, r#"rel="service-meta"; type="application/json""#),
        (Resource::AgentSkills, r#"rel="describedby"; type="application/json""#),
        (Resource::LlmsTxt, r#"rel="describedby"; type="text/markdown""#),
        (Resource::MarkdownAlternate, r#"rel="alternate"; type="text/markdown""#),
    ];
    documents
        .into_iter()
        .filter_map(|(resource, parameters)| match site.document(&resource) {
            DocumentState::Present(response) if is_plausible(&resource, response) => {
                Some((parameters, response.url.clone()))
            }
            _ => None,
        })
        .collect()
}

/// Whether a body is of the kind that is asked for; its own check looks closer.
fn is_plausible(resource: &Resource, response: &Response) -> bool {
    let text = response.text();
    match resource {
        Resource::LlmsTxt | Resource::MarkdownAlternate => !text.trim().is_empty(),
        Resource::OpenApi | Resource::OpenApiAlternative => {
            text.contains("openapi") || text.contains("swagger")
        }
        _ => text.trim_start().starts_with('{'),
    }
}

/// The value of the field to add, with targets that answered, or else with those that the page names.
fn value(
    published: &[(&'static str, Url)],
    elements: &[AgentLink],
    home: &Response,
) -> Option<String> {
    let mut links: Vec<String> = published
        .iter()
        .map(|(parameters, url)| {
            let own = url.origin() == home.url.origin();
            let target = if own { url.path() } else { url.as_str() };
            format!("<{target}>; {parameters}")
        })
        .collect();
    if links.is_empty() {
        let named =
            elements.iter().filter_map(|link| link.url.as_ref().map(|url| (link.relation, url)));
        links.extend(named.map(|(relation, url)| format!("<{url}>; rel=\"{relation}\"")));
    }
    (!links.is_empty()).then(|| links.join(", "))
}
