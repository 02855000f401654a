//! `publisher-identity`: markup that says whose page it is, and where it is.

mod breadcrumbs;

use serde_json::{Map, Value};
use url::Url;

use super::listed;
use crate::audit::markup::family::is_organization;
use crate::audit::markup::{Markup, members, types_of};
use crate::audit::page::AuditedPage;
use crate::audit::proposals::{Draft, script};
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{Credit, Grade, Pillar, ScoredFinding, Signal, Weights};
use crate::page::NodeId;
use crate::page::json_ld::text_of;
use crate::rubric::finding::{Evidence, Finding, Outcome};
use crate::rubric::{Effort, Spec};

pub(super) static SIGNAL: Signal = Signal {
    id: "publisher-identity",
    code: "SD05",
    pillar: Pillar::Entity,
    weights: Weights {
        product: 20,
        collection: 40,
        article: 30,
        landing: 50,
        documentation: 20,
        forum: 20,
        listing: 50,
    },
    grade: Grade::C,
    effort: Effort::S,
    languages: KnownLanguages::All,
    outcomes: &[
        IDENTIFIED,
        PARTIAL,
        UNIDENTIFIED,
        NO_ORGANIZATION,
        BREADCRUMBS,
        breadcrumbs::FEW_STEPS,
        breadcrumbs::POSITIONS,
        breadcrumbs::NO_NAME,
        breadcrumbs::NO_ITEM,
        NO_BREADCRUMBS,
    ],
    sources: &[
        Spec {
            name: "Google: Organization",
            url: "https://developers.google.com/search/docs/appearance/structured-data/organization",
        },
        Spec {
            name: "Google: BreadcrumbList",
            url: "https://developers.google.com/search/docs/appearance/structured-data/breadcrumb",
        },
    ],
    evaluate,
};

const IDENTIFIED: Outcome = Outcome::pass("identified");
const PARTIAL: Outcome = Outcome::warn("incomplete");
const UNIDENTIFIED: Outcome = Outcome::fail("barely-identified");
const NO_ORGANIZATION: Outcome = Outcome::fail("no-organization");
const BREADCRUMBS: Outcome = Outcome::pass("breadcrumbs");
const NO_BREADCRUMBS: Outcome = Outcome::fail("no-breadcrumbs");

/// Outer entities that are looked at.
const MAX_ENTITIES: usize = 500;
/// Members of `sameAs` that are looked at.
const MAX_SAME_AS: usize = 50;
/// Profiles that tell an organization from others of its name.
const MIN_SAME_AS: usize = 2;

/// An organization of the markup, and what it says of itself.
struct Publisher<'a> {
    name: Option<String>,
    has_url: bool,
    has_logo: bool,
    same_as: Vec<&'a str>,
    line: usize,
    node: NodeId,
}

impl Publisher<'_> {
    /// Hundredths of the signal.
    fn worth(&self) -> u32 {
        let same_as = self.same_as.len() >= MIN_SAME_AS;
        [(self.name.is_some(), 25), (self.has_url, 15), (self.has_logo, 15), (same_as, 25)]
            .iter()
            .map(|(is_there, worth)| if *is_there { *worth } else { 0 })
            .sum()
    }

    fn lacks(&self) -> Vec<&'static str> {
        let same_as = self.same_as.len() >= MIN_SAME_AS;
        [
            ("name", self.name.is_some()),
            ("url", self.has_url),
            ("logo", self.has_logo),
            ("sameAs", same_as),
        ]
        .into_iter()
        .filter_map(|(name, is_there)| (!is_there).then_some(name))
        .collect()
    }
}

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let publisher = publisher(&page.markup);
    let place = breadcrumbs::find(page);
    let is_home = page.snapshot.location().is_some_and(|url| url.path() == "/");
    let site = site_name(page);
    let is_placed = matches!(place, breadcrumbs::BreadcrumbState::Valid { .. });
    // An organization describes itself on its home page, which is the first step of every path. Other
    // pages name it and say where they belong.
    let (credit, lacks) = if is_home {
        let worth = publisher.as_ref().map_or(0, Publisher::worth);
        let lacks = publisher.as_ref().map_or_else(|| vec!["Organization"], Publisher::lacks);
        (Credit::from_share(f64::from(worth) / 80.0), lacks)
    } else {
        let is_named = publisher.as_ref().is_some_and(|it| it.name.is_some()) || site.is_some();
        let half = |is_there| if is_there { 0.5 } else { 0.0 };
        let lacks = if is_named { Vec::new() } else { vec!["Organization"] };
        (Credit::from_share(half(is_named) + half(is_placed)), lacks)
    };
    let lacks_place = !is_home && !is_placed;
    let place_lacks = lacks_place.then_some("BreadcrumbList");
    let name = publisher.as_ref().and_then(|found| found.name.clone()).or(site).unwrap_or_default();
    let last = if publisher.is_some() { UNIDENTIFIED } else { NO_ORGANIZATION };
    let decisive = credit
        .pick([IDENTIFIED, PARTIAL, last])
        .with("name", if name.is_empty() { "–" } else { &name })
        .with("missing", listed(lacks.iter().copied().chain(place_lacks)));
    let mut finding = Finding::new(decisive);
    finding = match &place {
        breadcrumbs::BreadcrumbState::Valid { steps, .. } => {
            finding.with_detection(BREADCRUMBS.with("count", steps))
        }
        breadcrumbs::BreadcrumbState::Invalid { flaw, .. } => {
            finding.with_detection(flaw.outcome().detected())
        }
        breadcrumbs::BreadcrumbState::Absent if is_home => finding,
        breadcrumbs::BreadcrumbState::Absent => finding.with_detection(NO_BREADCRUMBS.detected()),
    };
    let evidence = publisher.as_ref().map(|found| evidence(page, found));
    let finding = finding.with_evidence(evidence).with_evidence(place.evidence(page));
    if lacks.is_empty() && !lacks_place {
        return ScoredFinding::new(credit, finding);
    }
    let facts = page.stated();
    let mut drafts = Vec::new();
    if !lacks.is_empty() {
        drafts.push(Draft::organization(facts));
    }
    if lacks_place {
        drafts.extend(Draft::breadcrumbs(facts));
    }
    let fix = if drafts.is_empty() { None } else { script(drafts) };
    ScoredFinding::new(credit, finding).with_fix_if_any(fix)
}

/// The name of the site, as its metadata or its `WebSite` say it.
fn site_name(page: &AuditedPage<'_>) -> Option<String> {
    let meta = page.page().metas("og:site_name").find(|meta| !meta.content.is_empty());
    meta.map(|meta| meta.content.clone()).or_else(|| {
        let sites = page.markup.with_types(&["WebSite"]);
        sites.into_iter().find_map(|site| page.markup.text(&site.object, "name"))
    })
}

fn evidence(page: &AuditedPage<'_>, found: &Publisher<'_>) -> Evidence {
    let name = found.name.as_deref().unwrap_or_default();
    let profiles = listed(found.same_as.iter().copied());
    page.evidence(&format!("{name}; sameAs: {profiles}"), found.line, found.node)
}

/// The organization that says most of itself: an outer one, or the publisher, author, provider or
/// seller of an outer entity.
fn publisher(markup: &Markup) -> Option<Publisher<'_>> {
    let mut best: Option<Publisher<'_>> = None;
    for root in markup.top_level().take(MAX_ENTITIES) {
        let owners =
            ["publisher", "provider", "author", "creator", "mainEntity", "about", "seller"];
        let nested = owners.iter().flat_map(|key| markup.objects(&root.object, key).take(3));
        for object in std::iter::once(&root.object).chain(nested) {
            if !types_of(object).iter().any(|name| is_organization(name)) {
                continue;
            }
            let found = read(object, root.line, root.node);
            if best.as_ref().is_none_or(|best| best.worth() < found.worth()) {
                best = Some(found);
            }
        }
    }
    best
}

fn read(object: &Map<String, Value>, line: usize, node: NodeId) -> Publisher<'_> {
    let text = |key: &str| object.get(key).and_then(|value| text_of(value, 4));
    let logo = object.get("logo").is_some_and(|value| match value {
        Value::Object(image) => {
            ["url", "contentUrl", "@id"].iter().any(|key| image.contains_key(*key))
        }
        other => text_of(other, 4).is_some(),
    });
    let mut same_as: Vec<&str> = Vec::new();
    let values = object.get("sameAs").map(members).unwrap_or_default();
    for value in values.iter().take(MAX_SAME_AS).filter_map(Value::as_str).map(str::trim) {
        if is_web(value) && !same_as.contains(&value) {
            same_as.push(value);
        }
    }
    Publisher {
        name: text("name"),
        has_url: text("url").is_some(),
        has_logo: logo,
        same_as,
        line,
        node,
    }
}

fn is_web(text: &str) -> bool {
    Url::parse(text)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.host().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    const ORGANIZATION: &str = r#"{"@type":"Organization","name":"Acme","url":"https://example.com/","logo":"/l.png",
        "sameAs":["https://x.com/acme","https://github.com/acme"]}"#;
    const CRUMBS: &str = r#"{"@type":"BreadcrumbList","itemListElement":[
        {"@type":"ListItem","position":1,"name":"Home","item":"https://example.com/"},
        {"@type":"ListItem","position":"2","name":"Page"}]}"#;

    fn read(json: &str) -> ScoredFinding {
        fixture(&format!("<script type=application/ld+json>[{json}]</script>")).read(&SIGNAL)
    }

    #[test]
    fn a_home_page_describes_the_organization() {
        for (json, expected, credit) in [
            (format!("{ORGANIZATION},{CRUMBS}"), "identified", 1000),
            (ORGANIZATION.to_owned(), "identified", 1000),
            (r#"{"@type":"Organization","name":"Acme"}"#.to_owned(), "incomplete", 313),
            (CRUMBS.to_owned(), "no-organization", 0),
            (r#"{"@type":"Article","publisher":{"@type":"Organization","name":"A","url":"/","logo":{"@type":"ImageObject","url":"/l"}}}"#.to_owned(), "incomplete", 688),
            (r#"{"@type":"Organization","name":"A","sameAs":["https://x.com/a","https://x.com/a","nope","javascript:x"]}"#.to_owned(), "incomplete", 313),
            (String::new(), "no-organization", 0),
        ] {
            let html = format!("<script type=application/ld+json>[{json}]</script>");
            let scored = fixture(&html).at("https://example.com/").read(&SIGNAL);
            assert_eq!(scored.finding.detections()[0].outcome.id, expected, "{json}");
            assert_eq!(scored.credit.map(Credit::per_mille), Some(credit), "{json}");
        }
    }

    #[test]
    fn another_page_names_it_and_its_place() {
        for (json, expected, credit) in [
            (format!("{ORGANIZATION},{CRUMBS}"), "identified", 1000),
            (format!(r#"{{"@type":"WebSite","name":"Acme"}},{CRUMBS}"#), "identified", 1000),
            (ORGANIZATION.to_owned(), "incomplete", 500),
            (r#"{"@type":"Organization","name":"Acme"}"#.to_owned(), "incomplete", 500),
            (CRUMBS.to_owned(), "incomplete", 500),
            (
                r#"{"@type":"Article","publisher":{"@type":"Organization","name":"A"}}"#.to_owned(),
                "incomplete",
                500,
            ),
            (String::new(), "no-organization", 0),
        ] {
            let scored = read(&json);
            assert_eq!(scored.finding.detections()[0].outcome.id, expected, "{json}");
            assert_eq!(scored.credit.map(Credit::per_mille), Some(credit), "{json}");
        }
    }

    #[test]
    fn breadcrumbs_have_positions_names_and_addresses() {
        let step = |position: &str, rest: &str| {
            format!(r#"{{"@type":"ListItem","position":{position}{rest}}}"#)
        };
        let named = r#","name":"x","item":"https://example.com/""#;
        for (steps, expected) in [
            (vec![step("1", named), step("2", named)], "breadcrumbs"),
            (vec![step("2", named), step("1", named)], "breadcrumbs"),
            (
                vec![step("1", r#","item":{"@id":"/a","name":"x"}"#), step("2", r#","name":"x""#)],
                "breadcrumbs",
            ),
            (vec![step("1", named)], "few-breadcrumb-steps"),
            (vec![step("0", named), step("1", named)], "breadcrumb-positions"),
            (vec![step("1", r#","name":"x""#), step("2", named)], "breadcrumb-without-item"),
            (
                vec![step("1", r#","item":{"name":"x"}"#), step("2", named)],
                "breadcrumb-without-item",
            ),
            (vec![step("1", r#","item":"/a""#), step("2", named)], "breadcrumb-without-name"),
            (vec![step("null", named), step("{}", named)], "breadcrumb-positions"),
        ] {
            let json =
                format!(r#"{{"@type":"BreadcrumbList","itemListElement":[{}]}}"#, steps.join(","));
            let scored = read(&json);
            let credit = if expected == "breadcrumbs" { 500 } else { 0 };
            assert_eq!(scored.credit.map(Credit::per_mille), Some(credit), "{json}");
            assert_eq!(scored.finding.detections()[1].outcome.id, expected, "{json}");
        }
    }

    #[test]
    fn a_home_page_needs_no_breadcrumbs() {
        let html = format!("<script type=application/ld+json>{ORGANIZATION}</script>");
        let scored = fixture(&html).at("https://example.com/").read(&SIGNAL);
        assert_eq!(scored.credit, Some(Credit::FULL));
        assert!(scored.fix.is_none());
    }

    #[test]
    fn the_fix_is_made_of_what_the_page_links_to() {
        let html = "<meta name=application-name content=Acme><link rel=icon href=/i.png>\
            <header><a href=/><img class=site-logo src=/logo.png></a></header><nav aria-label=breadcrumb><a href=/>Home</a> <a href=/lamps>Lamps</a></nav><h1>Lamp</h1>\
            <footer><a href=https://www.instagram.com/acme>I</a><a href=https://x.com/acme>X</a>\
            <a href='https://x.com/intent?text=1'>share</a></footer>";
        let fix = fixture(html).read(&SIGNAL).fix.unwrap();
        let json = fix.snippet.lines().filter(|line| !line.starts_with('<')).collect::<String>();
        let graph: Value = serde_json::from_str(&json).unwrap();
        let [organization, crumbs] = graph["@graph"].as_array().unwrap().as_slice() else {
            panic!("{graph}")
        };
        assert_eq!(organization["name"], "Acme");
        assert_eq!(organization["logo"], "https://example.com/logo.png");
        assert_eq!(organization["sameAs"].as_array().unwrap().len(), 2);
        assert_eq!(crumbs["itemListElement"].as_array().unwrap().len(), 3);
        assert!(fix.placeholders().is_empty());
    }

    #[test]
    fn what_the_page_does_not_say_of_the_organization_is_a_placeholder() {
        let fix = fixture("<p>x").file().read(&SIGNAL).fix.unwrap();
        let all = ["[NAME]", "[URL]", "[LOGO_URL]", "[PROFILE_URL_1]", "[PROFILE_URL_2]"];
        assert_eq!(fix.placeholders(), all);
        for placeholder in all {
            assert!(fix.snippet.contains(placeholder), "{}", fix.snippet);
        }
    }

    #[test]
    fn a_homonym_domain_is_no_brand() {
        let fix = fixture("<h1>Lamp</h1>").at("https://acme.example/x").read(&SIGNAL).fix.unwrap();
        assert!(fix.snippet.contains("\"name\": \"[NAME]\""), "{}", fix.snippet);
    }
}
