//! Classifies errors by the stage of the request that failed.

use std::error::Error;
use std::io;

use url::Url;

use crate::fetch::http::guard::Route;
use crate::fetch::http::tls::problem_of;
use crate::fetch::{FetchError, TlsError};

/// Names the failure of a request to `url` after `after_ms` milliseconds.
pub(super) fn classify(
    error: &reqwest::Error,
    url: &Url,
    route: &Route,
    after_ms: u32,
) -> FetchError {
    if error.is_timeout() {
        return FetchError::Timeout { after_ms };
    }
    let host = authority(url);
    if let Some(error) = chain(error).find_map(|error| error.downcast_ref()) {
        return FetchError::Tls { host, problem: problem_of(error) };
    }
    if error.is_connect() {
        // A server that hangs up in the middle of the handshake leaves no TLS error behind.
        let hung_up = io_kind(error) == Some(io::ErrorKind::UnexpectedEof);
        let problem = TlsError::Handshake;
        if hung_up {
            return FetchError::Tls { host, problem };
        }
        // What a proxy says of a target is not an I/O error.
        return match route {
            Route::Proxied { proxy, .. } if io_kind(error).is_some() => {
                FetchError::Connect { host: proxy.clone() }
            }
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
    chain(error).filter_map(|error| error.downcast_ref()).map(io::Error::kind).last()
}

fn innermost(error: &reqwest::Error) -> String {
    let text = chain(error).last().map(ToString::to_string).unwrap_or_default();
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_REASON_CHARS).collect()
}

/// An error and its causes. What an I/O error wraps is not its source, but its inside.
fn chain<'a>(error: &'a reqwest::Error) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error as &(dyn Error + 'static)), |&error| {
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        wrapped.map(|inner| inner as &(dyn Error + 'static)).or_else(|| error.source())
    })
}

const MAX_REASON_CHARS: usize = 200;
