//! The outcome of a request under an agent's name.

use super::{ProbeResult, ProbeVerdict};
use crate::fetch::{FetchError, Resource, Response};
use crate::page::Page;
use crate::scan::snapshot::SiteSnapshot;

/// Judges the answer to the request under the name of an agent.
pub(super) fn result(site: &SiteSnapshot, agent_id: &str) -> ProbeResult {
    let resource = Resource::HomeAsAgent(agent_id.to_owned());
    match site.fetch_result(&resource) {
        None | Some(Err(FetchError::Skipped { .. } | FetchError::NotRecorded)) => {
            ProbeResult { verdict: ProbeVerdict::NotProbed, status: None }
        }
        Some(Err(_)) => ProbeResult { verdict: ProbeVerdict::Error, status: None },
        Some(Ok(response)) => {
            let verdict =
                refusal(site, response).unwrap_or_else(|| compare(site, &resource, response));
            ProbeResult { verdict, status: Some(response.status) }
        }
    }
}

/// The characters of visible text of the page that a browser gets, else of our own; `None` if it
/// got none.
fn control_chars(site: &SiteSnapshot) -> Option<usize> {
    match control(site) {
        Some(_) => site.visible_chars(&Resource::HomeAsBrowser),
        None => site.page().map(Page::visible_chars),
    }
}

fn control(site: &SiteSnapshot) -> Option<&Response> {
    site.response(&Resource::HomeAsBrowser)
}

/// What the status and the header alone say; `None` for a page.
fn refusal(site: &SiteSnapshot, response: &Response) -> Option<ProbeVerdict> {
    let has = |field: &str| response.headers.first(field).is_some();
    if site.challenge(response).is_some() {
        return Some(ProbeVerdict::Challenged);
    }
    match response.status {
        402 => Some(ProbeVerdict::Paywalled),
        200..=299 => None,
        _ if has("crawler-price") => Some(ProbeVerdict::Paywalled),
        429 => Some(ProbeVerdict::RateLimited),
        503 if has("retry-after") => Some(ProbeVerdict::RateLimited),
        401 | 403 if has("accept-signature") => Some(ProbeVerdict::NeedsSignature),
        401 | 403 | 406 | 451 => Some(ProbeVerdict::Blocked),
        _ => Some(ProbeVerdict::Error),
    }
}

/// Compares a page with the control; without one there is nothing to miss.
fn compare(site: &SiteSnapshot, resource: &Resource, response: &Response) -> ProbeVerdict {
    let same = control(site).or_else(|| site.home());
    if same.is_some_and(|same| same.body == response.body) {
        return ProbeVerdict::Ok;
    }
    let Some(expected) = control_chars(site) else { return ProbeVerdict::Ok };
    let shown = site.visible_chars(resource).unwrap_or(0);
    match shown * 2 < expected {
        true if response.body_end.is_broken_off() => ProbeVerdict::Error,
        true => ProbeVerdict::Reduced,
        false => ProbeVerdict::Ok,
    }
}
