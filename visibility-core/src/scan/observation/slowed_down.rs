//! Requests that a rate limit refused and that were sent once more.

use std::collections::BTreeMap;

use super::observed;
use crate::fetch::Response;
use crate::rubric::finding::Observation;
use crate::scan::snapshot::SiteSnapshot;

/// Responses that are shown.
const MAX_SHOWN: usize = 4;

/// Which requests were sent once more, and what the second response was; points at the first of
/// them.
pub(super) fn observe(site: &SiteSnapshot) -> Option<Observation> {
    let mut responses: BTreeMap<(String, u16), usize> = BTreeMap::new();
    let mut first = None;
    let mut count = 0_usize;
    for exchange in site.exchanges() {
        let Some(response) = exchange.result.as_ref().ok().filter(|response| response.retries > 0)
        else {
            continue;
        };
        first.get_or_insert(&exchange.probe.resource);
        count += usize::from(response.retries);
        *responses.entry((address(site, response), response.status)).or_default() += 1;
    }
    let seen = observed("slowed-down").with("count", &count).with("requests", &list(&responses));
    Some(seen.on(first?.clone()))
}

/// The path of a response, with its host if that is another one than the scanned.
fn address(site: &SiteSnapshot, response: &Response) -> String {
    let url = &response.url;
    if url.origin() == site.origin().origin() { url.path().to_owned() } else { url.to_string() }
}

/// Such as `/ (429) ×3, /llms.txt (200), +2`.
fn list(responses: &BTreeMap<(String, u16), usize>) -> String {
    let mut shown: Vec<String> = responses
        .iter()
        .take(MAX_SHOWN)
        .map(|((address, status), times)| match times {
            1 => format!("{address} ({status})"),
            _ => format!("{address} ({status}) ×{times}"),
        })
        .collect();
    if let Some(more) = responses.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
        shown.push(format!("+{more}"));
    }
    shown.join(", ")
}
