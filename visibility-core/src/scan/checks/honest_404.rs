//! `honest-404`: what does not exist says so with its status.
//!
//! A site that answers everything with 200 makes agents believe in files that are not there. Two
//! random paths are asked for: one as a page would be, one as a well-known document.

use crate::fetch::Resource;
use crate::rubric::finding::{Detection, Finding, Outcome};
use crate::rubric::fix::{Edit, Fix, ServerRule};
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::snapshot::SiteSnapshot;

pub(super) const CHECK: Check = Check {
    id: "honest-404",
    category: Category::Access,
    weight: 4,
    maturity: Maturity::Standard,
    effort: Effort::S,
    surfaces: &[],
    outcomes: &[HONEST, ALL_SOFT, ONE_SOFT, REDIRECTED, REFUSED, OTHER_STATUS, UNREADABLE],
    covers: &["Soft 404"],
    specs: &[Spec {
        name: "RFC 9110",
        url: "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.5",
    }],
    evaluate,
};

const HONEST: Outcome = Outcome::pass("honest");
const ALL_SOFT: Outcome = Outcome::fail("all-soft");
const ONE_SOFT: Outcome = Outcome::warn("one-soft");
const REDIRECTED: Outcome = Outcome::warn("redirected");
const REFUSED: Outcome = Outcome::warn("refused");
const OTHER_STATUS: Outcome = Outcome::warn("other-status");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");

fn evaluate(site: &SiteSnapshot) -> Finding {
    let asked = [Resource::MissingPath, Resource::MissingWellKnown];
    let mut detections: Vec<Detection> =
        asked.iter().map(|resource| judge(site, resource)).collect();
    if detections.iter().all(|detection| detection.outcome == ONE_SOFT) {
        for detection in &mut detections {
            detection.outcome = ALL_SOFT;
        }
    }
    let finding =
        Finding::from_worst(detections).unwrap_or_else(|| Finding::new(UNREADABLE.detected()));
    let is_soft = |detection: &Detection| [ALL_SOFT, ONE_SOFT].contains(&detection.outcome);
    // A page that is missing below a route of the application can only be known to the application:
    // the rule is for files and well-known documents.
    let well_known = finding.detections().iter().any(|detection| {
        is_soft(detection)
            && detection.values.get("path").is_some_and(|path| path.starts_with("/.well-known/"))
    });
    let finding =
        finding.with_evidence(asked.iter().filter_map(|resource| site.evidence(resource)));
    finding
        .with_fix_if_any(well_known.then(|| Fix::new(Edit::Server { rule: ServerRule::NotFound })))
}

/// What the answer to one path that cannot exist says.
fn judge(site: &SiteSnapshot, resource: &Resource) -> Detection {
    let Some(exchange) = site.exchange(resource) else { return UNREADABLE.detected() };
    let path = exchange.probe.url.path();
    let Ok(response) = &exchange.result else { return UNREADABLE.with("path", path) };
    let outcome = match response.status {
        _ if site.challenge(response).is_some() => UNREADABLE,
        429 => UNREADABLE,
        // The name is random: a page that still carries it was not sent elsewhere.
        200..=299 if !response.url.path().contains(nonce(path)) => REDIRECTED,
        404 | 410 => HONEST,
        200..=299 => ONE_SOFT,
        401 | 403
            if site.home().is_none_or(|response| {
                site.challenge(response).is_some() || matches!(response.status, 401 | 403)
            }) =>
        {
            UNREADABLE
        }
        401 | 403 => REFUSED,
        _ => OTHER_STATUS,
    };
    outcome
        .with("path", path)
        .with("status", response.status)
        .with("type", response.media_type())
        .with("url", &response.url)
}

/// The random part of a path.
fn nonce(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.trim_start_matches("x-").trim_end_matches(".json")
}
