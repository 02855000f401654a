//! Requests to a service that the user has chosen, such as a server of their own.

use std::error::Error;
use std::net::IpAddr;
use std::time::Duration;

use reqwest::header::{ACCEPT, LOCATION, RETRY_AFTER};
use rustls::pki_types::CertificateDer;
use url::{Host, Url};

use super::{HttpClientError, tls};
use crate::limits::CONNECT_TIMEOUT;

/// How long an answer may take.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(2);
/// Bytes of an answer that are read.
const MAX_ANSWER_BYTES: usize = 256 * 1024 * 1024;

/// Asks a service that the user has chosen.
///
/// Unlike [`HttpClient`](super::HttpClient) it connects to any address, for no stranger says where it is. It follows no
/// redirects, so that a token goes nowhere else, and it sends one without encryption to this machine alone. It uses the proxy
/// of the environment, except for this machine.
#[derive(Clone, Debug)]
pub struct ServiceClient {
    http: reqwest::Client,
    local: reqwest::Client,
}

/// A request.
#[derive(Clone, Copy, Debug)]
pub struct ServiceRequest<'a> {
    /// Where it goes.
    pub url: &'a Url,
    /// The bearer token.
    pub token: &'a str,
    /// The media type that is wanted.
    pub accept: &'a str,
}

/// An answer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ServiceResponse {
    /// Its status.
    pub status: u16,
    /// Where it leads, if it is a redirect.
    pub location: Option<String>,
    /// After how many seconds to ask again.
    pub retry_after: Option<u64>,
    /// Its body.
    pub body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// A token would go over the network for all to read.
    #[error("`http://` is for this machine alone: a key would be sent unencrypted")]
    Unencrypted,
    /// The service was not reached, or its answer was cut short.
    #[error("{}", chain(.0.as_ref()))]
    Unreachable(#[source] Box<dyn Error + Send + Sync>),
    /// The answer is too long.
    #[error("the response is longer than {MAX_ANSWER_BYTES} bytes")]
    TooLong,
}

impl ServiceClient {
    /// A client that trusts some certificates beside Mozilla's.
    ///
    /// # Errors
    ///
    /// When one of them cannot be used as a root certificate.
    pub fn new(
        user_agent: &str,
        extra_roots: &[CertificateDer<'static>],
    ) -> Result<Self, HttpClientError> {
        let tls =
            tls::client_config(extra_roots).map_err(|error| HttpClientError::Root(error.into()))?;
        let builder = || {
            reqwest::Client::builder()
                .tls_backend_preconfigured(tls.clone())
                .user_agent(user_agent)
                .redirect(reqwest::redirect::Policy::none())
                .connect_timeout(CONNECT_TIMEOUT)
                .timeout(ANSWER_TIMEOUT)
        };
        let build = |builder: reqwest::ClientBuilder| {
            builder.build().map_err(|error| HttpClientError::Build(error.into()))
        };
        Ok(Self { http: build(builder())?, local: build(builder().no_proxy())? })
    }

    /// Gets something.
    ///
    /// # Errors
    ///
    /// When the address is an unencrypted one of another machine, and when there is no whole answer.
    pub async fn get(&self, request: ServiceRequest<'_>) -> Result<ServiceResponse, ServiceError> {
        let is_local = is_this_machine(request.url);
        if request.url.scheme() != "https" && !is_local {
            return Err(ServiceError::Unencrypted);
        }
        let failed = |error: reqwest::Error| ServiceError::Unreachable(error.without_url().into());
        let client = if is_local { &self.local } else { &self.http };
        let sent = client
            .get(request.url.clone())
            .bearer_auth(request.token)
            .header(ACCEPT, request.accept)
            .send();
        let mut response = sent.await.map_err(failed)?;
        let field = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let location = field(LOCATION).map(str::to_owned);
        let retry_after = field(RETRY_AFTER).and_then(|value| value.parse().ok());
        let status = response.status().as_u16();
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(failed)? {
            if body.len().saturating_add(piece.len()) > MAX_ANSWER_BYTES {
                return Err(ServiceError::TooLong);
            }
            body.extend_from_slice(&piece);
        }
        Ok(ServiceResponse { status, location, retry_after, body })
    }
}

fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => IpAddr::from(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::from(address).is_loopback(),
        None => false,
    }
}

/// An error with its causes: the client says what it could not do, and its cause why.
fn chain(error: &(dyn Error + Send + Sync)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_this_machine() {
        for (url, is_local) in [
            ("http://127.0.0.1:8080/", true),
            ("http://127.9.9.9/", true),
            ("http://[::1]:8080/", true),
            ("http://LOCALHOST/", true),
            ("http://localhost.example/", false),
            ("http://10.0.0.1/", false),
            ("http://0.0.0.0/", false),
            ("http://visibility.example/", false),
        ] {
            assert_eq!(is_this_machine(&url.parse().unwrap()), is_local, "{url}");
        }
    }
}
