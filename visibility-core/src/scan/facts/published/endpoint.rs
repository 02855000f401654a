//! Whether the endpoint that a document names exists.
//!
//! A `GET` is all that a scan sends, and few endpoints serve one. What tells them apart from an
//! address where nothing is: a server that knows the path refuses the method, the media type or the
//! caller; one that does not says 404.

use url::Url;

use crate::fetch::challenge;
use crate::fetch::{Exchange, FetchError, Resource, Response};
use crate::rubric::finding::{Detection, Outcome};
use crate::scan::snapshot::SiteSnapshot;

/// What the endpoint of a document was found to be; with the status of its response, if one came.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum EndpointState {
    /// Something that serves requests.
    Alive(u16),
    /// The same, and it requires credentials.
    Protected(u16),
    /// Nothing that serves requests: 404, 410, a page for people, a server error, no such host.
    Dead(Option<u16>),
    /// Not known: it was not requested, or the response says nothing about it.
    Unverified,
}

impl EndpointState {
    /// What the request for the endpoint of a document met.
    pub(crate) fn check(site: &SiteSnapshot, named: Option<&Url>) -> Self {
        let exchange = named.and_then(|url| {
            // One address may be the endpoint of several documents; it is requested once.
            site.exchanges().find(|exchange| exchange.probe.url == *url)
        });
        match exchange.map(|exchange| (exchange, &exchange.result)) {
            Some((exchange, Ok(response))) => Self::from_response(site, exchange, response),
            Some((_, Err(FetchError::Dns { .. }))) => Self::Dead(None),
            Some((_, Err(_))) | None => Self::Unverified,
        }
    }

    fn from_response(site: &SiteSnapshot, exchange: &Exchange, response: &Response) -> Self {
        let status = response.status;
        if challenge::marker(response).is_some() {
            return Self::Unverified;
        }
        match status {
            401 => Self::Protected(status),
            200..=299 if response.looks_like_html() => match exchange.probe.resource {
                // The root of a host may serve people and agents both.
                Resource::Home => Self::Unverified,
                _ => Self::Dead(Some(status)),
            },
            200..=299 | 400 | 402 | 405 | 406 | 411 | 415 | 422 | 426 | 428 => Self::Alive(status),
            403 | 407 | 429 | 451 => Self::Unverified,
            // A base address may know nothing but the paths below it, and says so in its own words.
            404 if is_own_error(site, response) => Self::Unverified,
            _ => Self::Dead(Some(status)),
        }
    }

    /// The outcome that a check has for this: one each for what is dead and what is unverified, and
    /// none for an endpoint that exists. `named` is the value for `{endpoint}`.
    pub(crate) fn complaint(
        self,
        dead: Outcome,
        unverified: Outcome,
        named: Option<&Url>,
    ) -> Option<Detection> {
        let endpoint = named.map_or("-", Url::as_str);
        match self {
            Self::Alive(_) | Self::Protected(_) => None,
            Self::Dead(status) => {
                let status = status.map_or_else(|| "-".to_owned(), |status| status.to_string());
                Some(dead.with("endpoint", endpoint).with("status", status))
            }
            Self::Unverified => Some(unverified.with("endpoint", endpoint)),
        }
    }
}

/// Whether a 404 is JSON where the site has something else for paths that do not exist.
fn is_own_error(site: &SiteSnapshot, response: &Response) -> bool {
    let is_json = |response: &Response| response.media_type().ends_with("json");
    let missing = [Resource::MissingPath, Resource::MissingWellKnown];
    let same_host =
        |other: &&Response| other.url.host_str() == response.url.host_str() && is_json(other);
    is_json(response) && !missing.iter().filter_map(|r| site.response(r)).any(|r| same_host(&r))
}
