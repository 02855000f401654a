//! Why a request brought no response.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::fetch::Hop;
use crate::limits::MAX_REDIRECTS;
use crate::text::note::Note;

/// Why a request brought no response.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize, thiserror::Error)]
#[serde(tag = "error", rename_all = "snake_case")]
#[non_exhaustive]
pub enum FetchError {
    /// The name has no address, or the resolver failed.
    #[error("the name `{host}` could not be resolved")]
    Dns {
        /// The name asked for.
        host: String,
    },
    /// The address is not public, or the port or the host is not allowed. Says no more, on purpose.
    #[error("the target is not allowed")]
    Denied {
        /// Whether a redirect led there, and not the name itself.
        after_redirect: bool,
    },
    /// No connection: refused, reset or no route.
    #[error("no connection to `{host}`")]
    Connect {
        /// Host and port.
        host: String,
    },
    /// The TLS handshake failed.
    #[error("TLS with `{host}` failed: {problem}")]
    Tls {
        /// Host and port.
        host: String,
        /// What was wrong.
        problem: TlsError,
    },
    /// Nothing came in time.
    #[error("no response within {after_ms} ms")]
    Timeout {
        /// Milliseconds waited.
        after_ms: u32,
    },
    /// The deadline of the whole scan had passed.
    #[error("the time for the scan was over")]
    Deadline,
    /// A redirect led back to an address already asked.
    #[error("redirect loop")]
    RedirectLoop {
        /// The redirects, in order.
        hops: Vec<Hop>,
    },
    /// More redirects than are followed.
    #[error("more than {} redirects", MAX_REDIRECTS)]
    TooManyRedirects {
        /// The redirects, in order.
        hops: Vec<Hop>,
    },
    /// A redirect without a usable `Location`.
    #[error("redirect without a usable `Location`")]
    BadRedirect {
        /// The redirects, in order.
        hops: Vec<Hop>,
    },
    /// The bytes were not HTTP, the head was too large, or the connection broke before its end.
    #[error("the response is not valid HTTP: {reason}")]
    Protocol {
        /// What the client library said, capped at 200 characters.
        reason: String,
    },
    /// A replayed scan asked for what was not recorded.
    #[error("the request is not in the recording")]
    NotRecorded,
    /// The probe was not sent: the budget of requests was used up, or the site asked for peace.
    #[error("the request was not sent: {reason}")]
    Skipped {
        /// Why it was not sent.
        reason: SkipReason,
    },
}

impl FetchError {
    /// What went wrong, for people: the sentence has a translation, which `Display` has not.
    pub fn note(&self) -> Note {
        match self {
            Self::Dns { host } => Note::new("fetch-dns").with("host", host),
            Self::Denied { .. } => Note::new("fetch-denied"),
            Self::Connect { host } => Note::new("fetch-connect").with("host", host),
            Self::Tls { host, problem } => problem.note_of_host().with("host", host),
            Self::Timeout { after_ms } => Note::new("fetch-timeout").with("ms", after_ms),
            Self::Deadline => Note::new("fetch-deadline"),
            Self::RedirectLoop { .. } => Note::new("fetch-redirect-loop"),
            Self::TooManyRedirects { .. } => {
                Note::new("fetch-too-many-redirects").with("limit", MAX_REDIRECTS)
            }
            Self::BadRedirect { .. } => Note::new("fetch-bad-redirect"),
            Self::Protocol { reason } => protocol_note(reason),
            Self::NotRecorded => Note::new("fetch-not-recorded"),
            Self::Skipped { reason } => reason.note(),
        }
    }

    /// The redirects that were followed before the failure.
    pub fn hops(&self) -> &[Hop] {
        match self {
            Self::RedirectLoop { hops }
            | Self::TooManyRedirects { hops }
            | Self::BadRedirect { hops } => hops,
            _ => &[],
        }
    }
}

/// What the client library said, for people: its own words have no translation.
fn protocol_note(reason: &str) -> Note {
    let reason = reason.to_ascii_lowercase();
    let ends = ["closed before message completed", "unexpected end of file"];
    let resets = ["connection reset", "broken pipe"];
    let heads = ["head is too large", "head of the response is too large"];
    let is_one_of = |parts: [&str; 2]| parts.iter().any(|part| reason.contains(part));
    if is_one_of(ends) {
        Note::new("fetch-cut-off")
    } else if is_one_of(resets) {
        Note::new("fetch-reset")
    } else if is_one_of(heads) {
        Note::new("fetch-large-head")
    } else if reason.contains("content-length") {
        Note::new("fetch-bad-length")
    } else if reason.contains("status-code") {
        Note::new("fetch-bad-status")
    } else if is_one_of(["header parsed", "transfer-encoding"]) {
        Note::new("fetch-bad-field")
    } else {
        Note::new("fetch-protocol")
    }
}

/// Why a probe was not sent at all.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// robots.txt disallows the path for our own product token.
    RobotsOwnToken,
    /// robots.txt disallows the page for the agent that would have been imitated.
    RobotsAgentToken,
    /// The site answered 429 and its `Retry-After` was too long.
    RateLimited,
    /// The caller switched the probes with other agents' names off.
    SwitchedOff,
    /// The scan had already made [`crate::limits::MAX_REQUESTS`] requests.
    RequestBudget,
}

impl SkipReason {
    fn note(self) -> Note {
        Note::new(match self {
            Self::RobotsOwnToken => "skipped-robots-own-token",
            Self::RobotsAgentToken => "skipped-robots-agent-token",
            Self::RateLimited => "skipped-rate-limited",
            Self::SwitchedOff => "skipped-switched-off",
            Self::RequestBudget => "skipped-request-budget",
        })
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RobotsOwnToken => "robots.txt disallows it for our bot",
            Self::RobotsAgentToken => "robots.txt disallows it for the agent",
            Self::RateLimited => "the site limits the rate of requests",
            Self::SwitchedOff => "switched off by the caller",
            Self::RequestBudget => "the scan has used all its requests",
        })
    }
}

/// What was wrong with a TLS handshake.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TlsError {
    /// The certificate has expired.
    Expired,
    /// The certificate is not valid yet.
    NotYetValid,
    /// The certificate is for another name.
    WrongName,
    /// No trusted root signed the certificate: self-signed, or an intermediate is missing.
    UnknownIssuer,
    /// The certificate was revoked.
    Revoked,
    /// Another fault of the certificate.
    BadCertificate,
    /// The other side speaks no TLS, too old a version, or broke off.
    Handshake,
}

impl TlsError {
    /// What was wrong, for people.
    pub fn note(self) -> Note {
        Note::new(match self {
            Self::Expired => "tls-expired",
            Self::NotYetValid => "tls-not-yet-valid",
            Self::WrongName => "tls-wrong-name",
            Self::UnknownIssuer => "tls-unknown-issuer",
            Self::Revoked => "tls-revoked",
            Self::BadCertificate => "tls-bad-certificate",
            Self::Handshake => "tls-handshake",
        })
    }

    fn note_of_host(self) -> Note {
        Note::new(match self {
            Self::Expired => "fetch-tls-expired",
            Self::NotYetValid => "fetch-tls-not-yet-valid",
            Self::WrongName => "fetch-tls-wrong-name",
            Self::UnknownIssuer => "fetch-tls-unknown-issuer",
            Self::Revoked => "fetch-tls-revoked",
            Self::BadCertificate => "fetch-tls-bad-certificate",
            Self::Handshake => "fetch-tls-handshake",
        })
    }
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Expired => "the certificate has expired",
            Self::NotYetValid => "the certificate is not valid yet",
            Self::WrongName => "the certificate is for another name",
            Self::UnknownIssuer => "the certificate's issuer is not trusted",
            Self::Revoked => "the certificate was revoked",
            Self::BadCertificate => "the certificate is faulty",
            Self::Handshake => "the handshake failed",
        })
    }
}
