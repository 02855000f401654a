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
        Some(Err(FetchError::Protocol { .. })) if is_shut_to_agents(site) => {
            ProbeResult { verdict: ProbeVerdict::Blocked, status: None }
        }
        Some(Err(_)) => ProbeResult { verdict: ProbeVerdict::Error, status: None },
        Some(Ok(response)) => {
            let verdict =
                refusal(site, response).unwrap_or_else(|| compare(site, &resource, response));
            let is_error = verdict == ProbeVerdict::Error && !response.is_success();
            let is_refused = is_error && is_shut_to_agents(site);
            let verdict = if is_refused { ProbeVerdict::Blocked } else { verdict };
            ProbeResult { verdict, status: Some(response.status) }
        }
    }
}

/// Agents that must have met the same, so that it is no chance.
const MIN_AGENTS: usize = 2;

/// Whether a browser gets a page and no agent gets any: then an error is a refusal.
fn is_shut_to_agents(site: &SiteSnapshot) -> bool {
    let is_page = |response: &Response| response.is_success() && site.challenge(response).is_none();
    let answers = site
        .exchanges()
        .filter(|exchange| matches!(exchange.probe.resource, Resource::HomeAsAgent(_)))
        .filter(|exchange| !matches!(exchange.result, Err(FetchError::Skipped { .. })));
    let mut count = 0;
    for exchange in answers {
        count += 1;
        if exchange.result.as_ref().is_ok_and(is_page) {
            return false;
        }
    }
    count >= MIN_AGENTS && control(site).is_some_and(is_page)
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
