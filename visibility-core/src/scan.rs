//! Scans: plan, fetch, evaluate, score, report.
//!
//! ```text
//! Domain  ->  plan::first .. fourth  ->  Fetch  ->  SiteSnapshot
//!         ->  facts, CHECKS, score::score            ->  ScanReport  ->  ScanResult (one language)
//! ```

pub mod check;
pub mod checks;
pub mod day;
#[cfg(feature = "demo")]
#[cfg_attr(docsrs, doc(cfg(feature = "demo")))]
pub mod demo;
mod elsewhere;
pub mod facts;
mod fix_plan;
#[cfg_attr(
    not(any(test, feature = "mcp")),
    expect(dead_code, reason = "steps are for `get_fix` alone")
)]
pub(crate) mod guide;
mod home;
mod language_choice;
pub(crate) mod nothing_to_read;
pub mod observation;
mod parked;
pub mod plan;
pub mod problem;
pub mod recording;
pub mod report;
pub mod request;
pub mod result;
pub mod score;
mod simulation;
pub mod snapshot;
pub mod surface;
mod wall;

use futures_util::stream::{self, StreamExt};

use crate::fetch::challenge;
use crate::fetch::{Fetch, FetchError, FetchResult, Probe, Resource, Response};
use crate::limits::{MAX_PARALLEL_AGENT_PROBES, MAX_PARALLEL_PER_HOST};
use crate::page::Page;
use crate::scan::plan::Planned;
use crate::scan::request::ScanRequest;
use crate::scan::snapshot::SiteSnapshot;

/// Why a scan has no result: nothing of the site could be seen at all.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError {
    /// The name resolves to an address that is not public.
    #[error("`{domain}` is not a public site")]
    NotAllowed {
        /// The domain that was to be scanned.
        domain: String,
    },
    /// The name has no address, nothing connects, or nothing answers in time.
    #[error("cannot reach `{domain}`")]
    Unreachable {
        /// The domain that was to be scanned.
        domain: String,
        /// What the request for the home page met.
        source: FetchError,
    },
    /// The home page answers with a server error.
    #[error("the home page of `{domain}` responds with status {status}")]
    ServerError {
        /// The domain that was to be scanned.
        domain: String,
        /// Its status, 500 or above.
        status: u16,
    },
}

impl ScanError {
    /// The domain that was to be scanned.
    pub fn domain(&self) -> &str {
        match self {
            Self::NotAllowed { domain }
            | Self::Unreachable { domain, .. }
            | Self::ServerError { domain, .. } => domain,
        }
    }
}

/// Scans a site: sends the probes of the plan and collects the answers.
///
/// The result is a pure function of the request and the answers.
///
/// # Errors
///
/// When nothing of the site could be seen: see [`ScanError`]. Trouble with single probes, and with
/// TLS, is part of the snapshot.
pub async fn scan(fetch: &dyn Fetch, request: &ScanRequest) -> Result<SiteSnapshot, ScanError> {
    let mut site = SiteSnapshot::for_request(request);
    send(fetch, plan::first(request), &mut site).await;
    ask_again(fetch, request, &mut site).await;
    follow_refresh(fetch, request, &mut site).await;
    send(fetch, plan::other_name(request, &site), &mut site).await;
    refuse_the_unreachable(&site)?;
    send(fetch, plan::final_robots(request, &site), &mut site).await;
    send(fetch, plan::second(request, &site), &mut site).await;
    send(fetch, plan::third(request, &site), &mut site).await;
    send(fetch, plan::fourth(request, &site), &mut site).await;
    Ok(site)
}

/// Finds out whether a home page that failed is there for a browser: each is asked twice in turn, since a server may fail for
/// a moment. What was seen last counts.
async fn ask_again(fetch: &dyn Fetch, request: &ScanRequest, site: &mut SiteSnapshot) {
    let Some(browser) = plan::doubted(request, site) else { return };
    let Some(exchange) = site.exchange(&Resource::Home) else { return };
    let home = exchange.probe.clone();
    let of_browser = fetch.fetch(&browser).await;
    if !of_browser.as_ref().is_ok_and(|response| Page::of_response(response).is_some()) {
        return;
    }
    let own = fetch.fetch(&home).await;
    let is_wall = !own.as_ref().is_ok_and(Response::is_success);
    site.record(home, own);
    if is_wall {
        let of_browser = fetch.fetch(&browser).await;
        site.record(browser, of_browser);
    }
}

/// Follows a meta refresh of the home page, once. What does not lead to a page is not followed.
async fn follow_refresh(fetch: &dyn Fetch, request: &ScanRequest, site: &mut SiteSnapshot) {
    let Some(probe) = plan::refreshed(request, site) else { return };
    if let Ok(response) = fetch.fetch(&probe).await
        && Page::of_response(&response).is_some()
    {
        site.forward_home(&probe.url, response);
    }
}

/// Sends one wave and records the answers. Probes in the names of agents run beside the others, at
/// most two at a time.
async fn send(fetch: &dyn Fetch, wave: Vec<Planned>, site: &mut SiteSnapshot) {
    let mut own = Vec::new();
    let mut named = Vec::new();
    for planned in wave {
        match planned {
            Planned::Skip(probe, reason) => site.record(probe, Err(FetchError::Skipped { reason })),
            Planned::Send(probe) if is_named(&probe) => named.push(probe),
            Planned::Send(probe) => own.push(probe),
        }
    }
    let own = send_all(fetch, own, MAX_PARALLEL_PER_HOST);
    let named = send_all(fetch, named, MAX_PARALLEL_AGENT_PROBES);
    let (own, named) = futures_util::future::join(own, named).await;
    for (probe, answer) in own.into_iter().chain(named) {
        site.record(probe, answer);
    }
}

async fn send_all(
    fetch: &dyn Fetch,
    probes: Vec<Probe>,
    at_once: usize,
) -> Vec<(Probe, FetchResult)> {
    let requests = probes.into_iter().map(|probe| async move {
        let answer = fetch.fetch(&probe).await;
        (probe, answer)
    });
    stream::iter(requests).buffered(at_once).collect().await
}

fn is_named(probe: &Probe) -> bool {
    matches!(probe.resource, Resource::HomeAsBrowser | Resource::HomeAsAgent(_))
}

/// A scan without any response is an error. A TLS failure alone is a finding and not an error.
fn refuse_the_unreachable(site: &SiteSnapshot) -> Result<(), ScanError> {
    let domain = || site.domain().to_string();
    let Some(home) = site.fetch_result(&Resource::Home) else { return Ok(()) };
    if elsewhere::find(site).is_some() || is_for_browsers(site) {
        return Ok(());
    }
    // A site with an origin of its own has no second home page.
    let http = site.fetch_result(&Resource::HttpHome);
    match home {
        Ok(home) if home.status >= 500 && challenge::marker(home).is_none() => {
            Err(ScanError::ServerError { domain: domain(), status: home.status })
        }
        Ok(_) => Ok(()),
        Err(FetchError::Denied { after_redirect: false }) => {
            Err(ScanError::NotAllowed { domain: domain() })
        }
        Err(error) => match http {
            Some(Ok(home)) if home.status >= 500 && challenge::marker(home).is_none() => {
                Err(ScanError::ServerError { domain: domain(), status: home.status })
            }
            Some(Ok(_)) => Ok(()),
            Some(Err(_)) if is_evidence(error) => Ok(()),
            _ => Err(ScanError::Unreachable { domain: domain(), source: error.clone() }),
        },
    }
}

/// Whether a browser gets a home page, whatever we got.
fn is_for_browsers(site: &SiteSnapshot) -> bool {
    let of_browser = site.response(&Resource::HomeAsBrowser);
    of_browser.is_some_and(|response| Page::of_response(response).is_some())
}

/// Whether a failed request still says something about the site itself.
fn is_evidence(error: &FetchError) -> bool {
    matches!(
        error,
        FetchError::Tls { .. }
            | FetchError::RedirectLoop { .. }
            | FetchError::TooManyRedirects { .. }
            | FetchError::BadRedirect { .. }
            | FetchError::Denied { after_redirect: true }
    )
}
