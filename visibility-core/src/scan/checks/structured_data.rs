//! `structured-data`: JSON-LD that says whose page it is.

mod identity;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::fetch::{BodyEnd, Resource, Response};
use crate::page::Page;
use crate::page::json_ld::{JsonLdBlock, JsonLdError, JsonLdNode};
use crate::page::language_tag;
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome};
use crate::rubric::fix::{Edit, Fix};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::facts::draft;
use crate::scan::home;
use crate::scan::snapshot::SiteSnapshot;
use crate::scan::surface::Surface;

pub(super) const CHECK: Check = Check {
    id: "structured-data",
    category: Category::Content,
    weight: 5,
    maturity: Maturity::Adopted,
    effort: Effort::M,
    surfaces: &[],
    outcomes: &[
        API_HOST,
        IDENTITY,
        INCOMPLETE,
        NO_IDENTITY,
        BROKEN_BLOCK,
        MICRODATA_ONLY,
        ALL_BROKEN,
        ABSENT,
        CUT,
        UNREADABLE,
    ],
    covers: &["Schema.org", "JSON-LD"],
    specs: &[
        Spec { name: "schema.org", url: "https://schema.org/Organization" },
        Spec { name: "JSON-LD 1.1", url: "https://www.w3.org/TR/json-ld11/" },
    ],
    evaluate,
};

const API_HOST: Outcome = Outcome::not_applicable("api-host");
const IDENTITY: Outcome = Outcome::pass("identity");
const INCOMPLETE: Outcome = Outcome::warn("incomplete-identity");
const NO_IDENTITY: Outcome = Outcome::warn("no-identity");
const BROKEN_BLOCK: Outcome = Outcome::warn("broken-block");
const MICRODATA_ONLY: Outcome = Outcome::warn("microdata-only");
const ALL_BROKEN: Outcome = Outcome::fail("all-broken");
const ABSENT: Outcome = Outcome::fail("absent");
const CUT: Outcome = Outcome::unknown("cut");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");

/// Types that a signal lists.
const MAX_TYPES: usize = 8;
/// Broken blocks that are shown.
const MAX_BROKEN: usize = 3;
/// Profiles that a draft names.
const MAX_PROFILES: usize = 5;

/// Hosts whose pages can be the site's own profile.
const PROFILE_HOSTS: [&str; 11] = [
    "facebook.com",
    "github.com",
    "instagram.com",
    "linkedin.com",
    "mastodon.social",
    "pinterest.com",
    "tiktok.com",
    "twitter.com",
    "wikidata.org",
    "x.com",
    "youtube.com",
];

fn evaluate(site: &SiteSnapshot) -> Finding {
    if home::is_for_programs(site) {
        return Finding::new(API_HOST.detected()).with_evidence(site.evidence(&Resource::Home));
    }
    let (Some(home), Some(page)) = (site.home(), site.page()) else {
        return Finding::new(UNREADABLE.detected()).with_evidence(site.evidence(&Resource::Home));
    };
    let is_whole = home.body_end == BodyEnd::Complete;
    let broken = broken_blocks(page, is_whole);
    let nodes: Vec<(usize, &JsonLdNode)> = page.json_ld.iter().flat_map(nodes_with_lines).collect();
    let mut detections = Vec::new();
    let decisive = judge(page, &nodes, broken.len());
    if !is_whole && decisive.outcome != IDENTITY {
        return Finding::new(CUT.with("bytes", home.body.len()))
            .with_evidence(evidence(home, page, &nodes, &broken));
    }
    let is_good = decisive.outcome == IDENTITY;
    let tells_breakage = decisive.outcome == ALL_BROKEN;
    detections.push(decisive);
    if !tells_breakage {
        detections
            .extend(broken.iter().take(MAX_BROKEN).map(|error| broken_signal(BROKEN_BLOCK, error)));
    }
    let finding =
        Finding::from_worst(detections).unwrap_or_else(|| Finding::new(ABSENT.detected()));
    let finding = finding.with_evidence(evidence(home, page, &nodes, &broken));
    if is_good { finding } else { finding.with_fix(fix(site, home, page)) }
}

/// Blocks that cannot be parsed. The last one of a page that was cut may be cut itself.
fn broken_blocks(page: &Page, is_whole: bool) -> Vec<&JsonLdError> {
    let evaluated = page.json_ld.len().saturating_sub(usize::from(!is_whole));
    page.json_ld.iter().take(evaluated).filter_map(|block| block.nodes.as_ref().err()).collect()
}

fn judge(page: &Page, nodes: &[(usize, &JsonLdNode)], broken: usize) -> Detection {
    let mut identities = nodes.iter().map(|(_, node)| *node).filter(|node| identity::is_one(node));
    let types = || listed(nodes.iter().flat_map(|(_, node)| node.types.iter().map(String::as_str)));
    if let Some(node) = identities.clone().find(|node| lacks(node).is_empty()) {
        let name = node.text("name").unwrap_or_default();
        return IDENTITY.with("name", name).with("types", types());
    }
    if let Some(node) = identities.next() {
        let lacks = lacks(node).join(", ");
        let types = listed(node.types.iter().map(String::as_str));
        return INCOMPLETE.with("types", types).with("missing", lacks);
    }
    let microdata = listed(page.microdata_types.iter().map(|item| short(&item.value)));
    if !nodes.is_empty() && !types().is_empty() {
        return NO_IDENTITY.with("types", types());
    }
    match page.json_ld.iter().find_map(|block| block.nodes.as_ref().err()) {
        Some(error) if microdata.is_empty() => {
            broken_signal(ALL_BROKEN, error).with("count", broken)
        }
        _ if !microdata.is_empty() => MICRODATA_ONLY.with("types", microdata),
        _ => ABSENT.detected(),
    }
}

fn nodes_with_lines(block: &JsonLdBlock) -> impl Iterator<Item = (usize, &JsonLdNode)> {
    block.nodes.iter().flatten().map(|node| (block.line, node))
}

/// What an identity still needs: a name, and something that leads to it.
fn lacks(node: &JsonLdNode) -> Vec<&'static str> {
    let mut missing = Vec::new();
    if node.text("name").is_none_or(|name| name.trim().is_empty()) {
        missing.push("name");
    }
    if !["url", "logo", "sameAs"].into_iter().any(|property| has_value(node.object.get(property))) {
        missing.push("url | logo | sameAs");
    }
    missing
}

fn has_value(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null | Value::Bool(_)) => false,
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Object(members)) => !members.is_empty(),
        Some(Value::Number(_)) => true,
    }
}

fn broken_signal(outcome: Outcome, error: &JsonLdError) -> Detection {
    outcome.with("line", error.line).with("column", error.column).with_note("reason", error.cause())
}

/// The last segment of an `itemtype` such as `https://schema.org/Product`.
fn short(item_type: &str) -> &str {
    item_type.rsplit('/').next().unwrap_or(item_type)
}

/// Types, each once, in order of the alphabet.
fn listed<'a>(types: impl Iterator<Item = &'a str>) -> String {
    let types: BTreeSet<&str> = types.filter(|name| !name.is_empty()).collect();
    types.into_iter().take(MAX_TYPES).collect::<Vec<_>>().join(", ")
}

fn evidence(
    home: &Response,
    page: &Page,
    nodes: &[(usize, &JsonLdNode)],
    broken: &[&JsonLdError],
) -> Vec<Evidence> {
    let mut evidence = Vec::new();
    for error in broken.iter().take(MAX_BROKEN) {
        evidence.push(Evidence::from_response(home).note(error.note()).quote(&error.context));
    }
    let identity = nodes.iter().find(|(_, node)| identity::is_one(node));
    if let Some((line, node)) = identity.or_else(|| nodes.first()) {
        let text = serde_json::to_string(&node.object).unwrap_or_default();
        evidence.push(Evidence::from_response(home).line(*line).quote(&text));
    } else if let Some(item) = page.microdata_types.first() {
        evidence.push(Evidence::from_response(home).line(item.line).quote(&item.value));
    }
    if evidence.is_empty() {
        evidence.push(Evidence::from_response(home));
    }
    evidence
}

/// The `WebSite`, from what the page says; and the `Organization` behind it where the site sells or
/// offers something, for a personal page has none.
fn fix(site: &SiteSnapshot, home: &Response, page: &Page) -> Fix {
    let origin = site.origin().as_str();
    let name = draft::site_name(site);
    let is_organization = site.profile().has_any(&[Surface::Commerce, Surface::App, Surface::Api]);
    let organization_id = format!("{origin}#organization");
    let mut identity = json!({ "name": name, "url": origin });
    if let Some(description) = draft::description(site) {
        set(&mut identity, "description", description.into());
    }
    let profiles = profiles(site, home, page);
    if !profiles.is_empty() {
        set(&mut identity, "sameAs", profiles.into());
    }
    let mut graph = Vec::new();
    let mut web_site = if is_organization {
        if let Some(logo) = logo(home, page) {
            set(&mut identity, "logo", logo.into());
        }
        set(&mut identity, "@type", "Organization".into());
        set(&mut identity, "@id", organization_id.clone().into());
        graph.push(identity);
        json!({ "name": name, "url": origin, "publisher": { "@id": organization_id } })
    } else {
        identity
    };
    set(&mut web_site, "@type", "WebSite".into());
    if let Some(lang) = page.lang.as_ref().filter(|lang| language_tag::is_known(&lang.value)) {
        set(&mut web_site, "inLanguage", lang.value.clone().into());
    }
    graph.push(web_site);
    let document = json!({ "@context": "https://schema.org", "@graph": graph });
    let text = serde_json::to_string_pretty(&document).unwrap_or_default();
    // `</` would end the script element.
    let text = text.replace("</", "<\\/");
    let content = format!("<script type=\"application/ld+json\">\n{text}\n</script>\n");
    Fix::new(Edit::add_to_head(content))
}

fn set(object: &mut Value, key: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(key.to_owned(), value);
    }
}

/// A picture that the page names: an icon for touch screens, else an icon, else `og:image`.
fn logo(home: &Response, page: &Page) -> Option<String> {
    let icons =
        page.links("apple-touch-icon").chain(page.links("icon")).map(|link| link.href.as_str());
    let image = page.metas("og:image").map(|meta| meta.content.as_str());
    let reference = icons.chain(image).find(|reference| !reference.is_empty())?;
    page.resolve(&home.url, reference).map(String::from)
}

/// Profiles that the page links to.
fn profiles(site: &SiteSnapshot, home: &Response, page: &Page) -> Vec<String> {
    let mut found = Vec::new();
    for (_, url) in page.resolved_anchors(&home.url) {
        let host = url.host_str().unwrap_or_default();
        let host = host.strip_prefix("www.").unwrap_or(host);
        let is_share = url.query().is_some() || url.path().trim_matches('/').is_empty();
        let text = String::from(url.clone());
        if PROFILE_HOSTS.contains(&host) && !is_share && !site.owns(&url) && !found.contains(&text)
        {
            found.push(text);
        }
        if found.len() == MAX_PROFILES {
            break;
        }
    }
    found
}
