//! Clients: programs that act on behalf of a user. All are public clients; none has a secret.

use std::time::Duration;

use serde_json::{Map, Value};
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::text::note::Note;

use super::redirect;
use crate::http::response::{ApiError, whole_seconds};

/// Characters of a name.
pub(crate) const MAX_NAME_CHARS: usize = 64;
/// Redirect URIs of one client.
pub(crate) const MAX_REDIRECT_URIS: usize = 32;

/// How a client is known.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ClientKind {
    /// It registered itself here (RFC 7591); its metadata is unverified.
    Registered,
    /// Its id is the address of a document about it, so that the host of the address vouches for it.
    Document,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Client {
    pub(crate) id: String,
    /// What it calls itself: strangers' text, one line without control characters.
    pub(crate) name: String,
    /// How it is known.
    pub(crate) kind: ClientKind,
    /// The host that vouches for it.
    pub(crate) verified_host: Option<String>,
    /// Where browsers may be sent back to; at least one.
    pub(crate) redirect_uris: Vec<String>,
}

/// Why there is no client.
#[derive(Clone, Debug)]
pub(crate) enum ClientError {
    /// The client does not exist.
    Unknown,
    /// The document about it cannot be used.
    Document(Note),
    /// The document about it cannot be had, perhaps for a while.
    Unreachable(Note),
    /// Too many documents are fetched at the moment.
    Busy,
    /// So many documents were fetched for the address that asks that it has to wait.
    TooMany {
        /// How many it may have fetched.
        limit: u32,
        /// When one more is fetched.
        wait: Duration,
    },
    /// A store failed; the log has the details.
    Store,
}

impl ClientError {
    /// Whether the same document may be had again soon.
    pub(super) fn is_transient(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Busy | Self::TooMany { .. })
    }
}

impl Client {
    /// The redirect URI that a request means; without one the only one that there is.
    pub(crate) fn redirect_uri(&self, asked: Option<&str>) -> Option<String> {
        let Some(asked) = asked else {
            return match self.redirect_uris.as_slice() {
                [only] => Some(only.clone()),
                _ => None,
            };
        };
        let is_known = self.redirect_uris.iter().any(|own| redirect::matches(own, asked));
        is_known.then(|| asked.to_owned())
    }
}

impl From<ClientError> for ApiError {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Unknown => {
                Problem::new(ErrorCode::InvalidRequest, "oauth-client-unknown").into()
            }
            ClientError::Document(reason) | ClientError::Unreachable(reason) => {
                Problem::new(ErrorCode::InvalidRequest, "oauth-client-document")
                    .value_note("reason", reason.clone())
                    .detail_note("reason", reason)
                    .into()
            }
            ClientError::TooMany { limit, wait } => {
                let seconds = whole_seconds(wait);
                let problem = Problem::new(ErrorCode::RateLimited, "oauth-client-documents")
                    .value("limit", limit)
                    .value("seconds", seconds);
                Self::from(problem).retry_after(wait)
            }
            ClientError::Busy | ClientError::Store => Self::unavailable(),
        }
    }
}

/// Those redirect URIs of its metadata that a client may have; `None` if there are none.
pub(super) fn redirect_uris(
    metadata: &Map<String, Value>,
    schemes: &[String],
) -> Option<Vec<String>> {
    let wanted = metadata.get("redirect_uris")?.as_array()?;
    let mut kept: Vec<String> = Vec::new();
    for uri in wanted.iter().take(MAX_REDIRECT_URIS).filter_map(Value::as_str) {
        if redirect::is_acceptable(uri, schemes) && !kept.iter().any(|own| own == uri) {
            kept.push(uri.to_owned());
        }
    }
    (!kept.is_empty()).then_some(kept)
}

/// A client's name, safe to show and cut if it is long; `None` if it is unusable.
///
/// Characters that are not seen could make it look like another.
pub(crate) fn name(text: &str) -> Option<String> {
    let name = text.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| !c.is_control() && !is_invisible(c));
    is_name.then(|| name.chars().take(MAX_NAME_CHARS).collect())
}

/// Characters without a form of their own that are not control characters: joiners, marks of direction,
/// separators of lines, tags.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{ffff}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_line_that_is_seen() {
        let longest = "ü".repeat(MAX_NAME_CHARS);
        for (text, found) in [
            ("Claude", Some("Claude")),
            ("  Visual Studio Code ", Some("Visual Studio Code")),
            ("<b>\"Anahtarım\"</b>", Some("<b>\"Anahtarım\"</b>")),
            (&longest, Some(longest.as_str())),
            (&format!("{longest}a"), Some(longest.as_str())),
            ("", None),
            ("  ", None),
            ("a\nb", None),
            ("a\u{0}", None),
            ("a\u{202e}b", None),
            ("a\u{200b}b", None),
            ("a\u{feff}b", None),
        ] {
            assert_eq!(name(text).as_deref(), found, "{text:?}");
        }
    }

    #[test]
    fn a_redirect_uri_may_be_left_out_if_there_is_one() {
        let client = |uris: &[&str]| Client {
            id: "a".to_owned(),
            name: "A".to_owned(),
            kind: ClientKind::Registered,
            verified_host: None,
            redirect_uris: uris.iter().map(|uri| (*uri).to_owned()).collect(),
        };
        let (one, two) = ("https://a.example/1", "https://a.example/2");
        assert_eq!(client(&[one]).redirect_uri(None).as_deref(), Some(one));
        assert_eq!(client(&[one, two]).redirect_uri(None), None);
        assert_eq!(client(&[one, two]).redirect_uri(Some(two)).as_deref(), Some(two));
        assert_eq!(client(&[one]).redirect_uri(Some(two)), None);
        let local = client(&["http://localhost/cb"]);
        let asked = "http://localhost:51234/cb";
        assert_eq!(local.redirect_uri(Some(asked)).as_deref(), Some(asked));
    }
}
