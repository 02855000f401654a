//! Says which stage of a request failed.

use std::error::Error;
use std::io;

use url::Url;

use crate::fetch::{FetchError, TlsProblem};
use crate::http::tls;

/// Names the failure of a request to `url` after `after_ms` milliseconds.
pub(super) fn classify(error: &reqwest::Error, url: &Url, after_ms: u32) -> FetchError {
    if error.is_timeout() {
        return FetchError::Timeout { after_ms };
    }
    let host = authority(url);
    if let Some(problem) = tls::problem(error) {
        return FetchError::Tls { host, problem };
    }
    if error.is_connect() {
        // A server that hangs up in the middle of the handshake leaves no TLS error behind.
        let problem = TlsProblem::Handshake;
        return match io_kind(error) {
            Some(io::ErrorKind::UnexpectedEof) => FetchError::Tls { host, problem },
            _ => FetchError::Connect { host },
        };
    }
    FetchError::Protocol { reason: innermost(error) }
}

/// `host:port`.
pub(super) fn authority(url: &Url) -> String {
    let port = url.port_or_known_default().unwrap_or_default();
    format!("{}:{port}", url.host_str().unwrap_or_default())
}

fn io_kind(error: &reqwest::Error) -> Option<io::ErrorKind> {
    chain(error).find_map(|error| error.downcast_ref::<io::Error>()).map(io::Error::kind)
}

fn innermost(error: &reqwest::Error) -> String {
    let text = chain(error).last().map(ToString::to_string).unwrap_or_default();
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_REASON_CHARS).collect()
}

fn chain<'a>(error: &'a reqwest::Error) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error as &(dyn Error + 'static)), |&error| error.source())
}

const MAX_REASON_CHARS: usize = 200;
