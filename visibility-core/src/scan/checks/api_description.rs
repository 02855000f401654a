//! `api-description`: an API that agents can call without guessing, and that they can find.
//!
//! The description is `OpenAPI`; the way to it is the API catalog of RFC 9727 or a link of RFC 8631.

use serde_json::json;
use url::Url;

use crate::documents::api_description::ApiDescription;
use crate::fetch::{Resource, Response};
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome};
use crate::rubric::fix::{Build, Edit, Fix};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::facts::published::{self, DESCRIPTIONS, PublishedDocument};
use crate::scan::snapshot::SiteSnapshot;
use crate::scan::surface::Surface;
use crate::text::placeholder;

pub(super) const CHECK: Check = Check {
    id: "api-description",
    category: Category::Action,
    weight: 5,
    maturity: Maturity::Standard,
    effort: Effort::M,
    surfaces: &[Surface::Api],
    outcomes: &[
        LINKED,
        CATALOG,
        UNLINKED,
        ONLY_LINKED,
        SWAGGER_2,
        CATALOG_TYPE,
        INVALID,
        CATALOG_INVALID,
        OFF_SITE,
        ABSENT,
        NO_API,
        UNREADABLE,
    ],
    covers: &["OpenAPI", "API Catalog"],
    specs: &[
        Spec { name: "RFC 9727", url: "https://www.rfc-editor.org/rfc/rfc9727" },
        Spec { name: "RFC 9264", url: "https://www.rfc-editor.org/rfc/rfc9264" },
        Spec { name: "RFC 8631", url: "https://www.rfc-editor.org/rfc/rfc8631" },
        Spec { name: "OpenAPI", url: "https://spec.openapis.org/oas/latest.html" },
    ],
    evaluate,
};

const LINKED: Outcome = Outcome::pass("linked");
const CATALOG: Outcome = Outcome::pass("catalog");
const UNLINKED: Outcome = Outcome::warn("unlinked");
const ONLY_LINKED: Outcome = Outcome::warn("only-linked");
const SWAGGER_2: Outcome = Outcome::warn("swagger-2");
const CATALOG_TYPE: Outcome = Outcome::warn("catalog-type");
const INVALID: Outcome = Outcome::fail("invalid");
const CATALOG_INVALID: Outcome = Outcome::fail("catalog-invalid");
const OFF_SITE: Outcome = Outcome::fail("off-site");
const ABSENT: Outcome = Outcome::fail("absent");
const NO_API: Outcome = Outcome::not_applicable("no-api");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");

const CATALOG_MEDIA_TYPE: &str = "application/linkset+json";

fn evaluate(site: &SiteSnapshot) -> Finding {
    let (description, mut detections) = description(site);
    let has_catalog = catalog(site, &mut detections);
    if description.is_none() {
        let source = has_catalog
            .then_some("api-catalog")
            .or_else(|| (!service_links(site).is_empty()).then_some("service-desc"));
        detections.extend(source.map(|source| ONLY_LINKED.with("source", source)));
    }
    let finding = Finding::from_worst(detections)
        .unwrap_or_else(|| nothing(site))
        .with_evidence(evidence(site));
    let is_done = finding.detections().first().is_some_and(|detection| detection.outcome == LINKED);
    if is_done { finding } else { finding.with_fix(fix(site, description)) }
}

/// Neither a description nor a way to one was published.
fn nothing(site: &SiteSnapshot) -> Finding {
    let mut asked = DESCRIPTIONS.iter().map(|resource| published::openapi(site, resource));
    let blind = asked.any(|document| document.is_unreadable())
        || published::api_catalog(site).is_unreadable()
        || site.home().is_none();
    Finding::new(match (blind, site.profile().has(Surface::Api)) {
        (true, _) if published::is_missed(site, &[Surface::Api]) => UNREADABLE.detected(),
        (_, true) => ABSENT.detected(),
        (_, false) => NO_API.detected(),
    })
}

/// The first valid description, and what is to be said of it or of the ones that are not valid.
fn description(site: &SiteSnapshot) -> (Option<&Response>, Vec<Detection>) {
    let links = [published::described_by_catalog(site), service_links(site)].concat();
    let mut faults = Vec::new();
    let mut unlinked = None;
    for resource in &DESCRIPTIONS {
        match published::openapi(site, resource) {
            PublishedDocument::Valid(api, response) => {
                let asked = site.exchange(resource).map(|exchange| &exchange.probe.url);
                let linked = links.iter().any(|url| url == &response.url || Some(url) == asked);
                if linked {
                    return (Some(response), vec![judge(api, LINKED)]);
                }
                unlinked = unlinked.or_else(|| Some((response, judge(api, UNLINKED))));
            }
            PublishedDocument::Invalid(problem, response) => {
                let path = response.url.path();
                faults.push(INVALID.with_note("problem", problem.note).with("path", path));
            }
            PublishedDocument::OffSite(response) => {
                faults.push(OFF_SITE.with("host", published::host(response)));
            }
            PublishedDocument::Absent
            | PublishedDocument::Unreadable
            | PublishedDocument::NotAsked => {}
        }
    }
    match unlinked {
        Some((response, detection)) => (Some(response), vec![detection]),
        None => (None, faults),
    }
}

fn judge(api: &ApiDescription, outcome: Outcome) -> Detection {
    let outcome = if api.is_swagger2 { SWAGGER_2 } else { outcome };
    outcome.with("version", &api.version).with("operations", api.operations)
}

/// Whether there is a valid catalog; what it says is added to the signals.
fn catalog(site: &SiteSnapshot, detections: &mut Vec<Detection>) -> bool {
    let described = !detections.is_empty();
    match published::api_catalog(site) {
        PublishedDocument::Valid(catalog, response) => {
            detections.push(CATALOG.with("anchors", catalog.anchors.len()));
            let media_type = response.media_type();
            if media_type != CATALOG_MEDIA_TYPE {
                detections.push(CATALOG_TYPE.with("type", media_type));
            }
            true
        }
        PublishedDocument::Invalid(problem, _) => {
            detections.push(CATALOG_INVALID.with_note("problem", problem.note));
            false
        }
        PublishedDocument::OffSite(response) if !described => {
            detections.push(OFF_SITE.with("host", published::host(response)));
            false
        }
        _ => false,
    }
}

/// Targets of `service-desc` links of the home page.
fn service_links(site: &SiteSnapshot) -> Vec<Url> {
    let Some(home) = site.home() else { return Vec::new() };
    let is_service = |rels: &[String]| rels.iter().any(|rel| rel == "service-desc");
    let header = site.home_links().iter().filter(|link| is_service(&link.rels));
    let page = site.page().into_iter().flat_map(|page| page.links("service-desc"));
    let targets = header.map(|l| l.target.as_str()).chain(page.map(|l| l.href.as_str()));
    targets.filter_map(|target| published::web_url(&home.url, target)).collect()
}

fn evidence(site: &SiteSnapshot) -> Vec<Evidence> {
    let resources = DESCRIPTIONS.iter().chain([&Resource::ApiCatalog]);
    resources.filter_map(|resource| site.evidence(resource)).collect()
}

/// The API catalog that names the description; the description itself has to be there first.
fn fix(site: &SiteSnapshot, description: Option<&Response>) -> Fix {
    let origin = site.origin();
    let mut fix = Fix::default();
    let (href, media_type) = if let Some(response) = description {
        (response.url.to_string(), response.media_type())
    } else {
        let url = placeholder::placeholder("API_DESCRIPTION_URL");
        fix = fix
            .and(Edit::Build { what: Build::ApiDescription, url: url.clone() })
            .with_input("API_DESCRIPTION_URL", format!("{origin}openapi.json"));
        (url, String::new())
    };
    let mut link = json!({ "href": href });
    if let (false, Some(members)) = (media_type.is_empty(), link.as_object_mut()) {
        members.insert("type".to_owned(), media_type.into());
    }
    let content = published::pretty(&json!({
        "linkset": [{ "anchor": origin.as_str(), "service-desc": [link] }]
    }));
    fix.and(Edit::Document {
        path: "/.well-known/api-catalog".to_owned(),
        media_type: CATALOG_MEDIA_TYPE.to_owned(),
        content,
    })
}
