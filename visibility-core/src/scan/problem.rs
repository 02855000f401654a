//! The error for a scan without a result.

use crate::error::{ErrorCode, Problem};
use crate::fetch::FetchError;
use crate::scan::ScanError;

/// The hint that all share who could not be reached.
const CHECK_THE_NAME: [&str; 2] = ["errors", "site-dns"];

impl From<&ScanError> for Problem {
    fn from(error: &ScanError) -> Self {
        let failed =
            |id| Self::new(ErrorCode::UpstreamScanFailed, id).with_hint_from(CHECK_THE_NAME);
        match error {
            // Neither the address nor how it answers: our networks must not be probed.
            ScanError::NotAllowed { .. } => {
                Self::new(ErrorCode::DomainNotAllowed, "site-not-public")
                    .detail("reason", "not_public")
            }
            ScanError::ServerError { status, .. } => {
                Self::new(ErrorCode::UpstreamScanFailed, "site-server-error")
                    .value("status", status)
                    .detail("stage", Stage::Http.as_str())
                    .detail("status", *status)
            }
            ScanError::Unreachable { domain, source } => {
                let stage = Stage::from_error(source);
                // A site on the scanning machine has one port, and no name to be misspelled.
                let is_local = domain.rsplit_once(':').is_some();
                let failed = if stage == Stage::Connect && is_local {
                    Self::new(ErrorCode::UpstreamScanFailed, "site-connect-local")
                        .value("address", domain)
                } else {
                    failed(stage.id())
                };
                let failed =
                    failed.detail("stage", stage.as_str()).detail_note("reason", source.note());
                match source {
                    FetchError::Tls { problem, .. } => failed.value_note("problem", problem.note()),
                    _ => failed,
                }
            }
        }
    }
}

/// At which step a scan failed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stage {
    /// The name has no address.
    Dns,
    /// Nothing accepts connections.
    Connect,
    /// TLS could not be spoken.
    Tls,
    /// The answer was not what HTTP is.
    Http,
    /// Nothing came in time.
    Timeout,
}

impl Stage {
    /// The step at which a request failed.
    pub fn from_error(error: &FetchError) -> Self {
        match error {
            FetchError::Dns { .. } => Self::Dns,
            FetchError::Connect { .. } => Self::Connect,
            FetchError::Tls { .. } => Self::Tls,
            FetchError::Timeout { .. } | FetchError::Deadline => Self::Timeout,
            _ => Self::Http,
        }
    }

    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Http => "http",
            Self::Timeout => "timeout",
        }
    }

    fn id(self) -> &'static str {
        match self {
            Self::Dns => "site-dns",
            Self::Connect => "site-connect",
            Self::Tls => "site-tls",
            Self::Http => "site-http",
            Self::Timeout => "site-timeout",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::TlsError;
    use crate::text::locale::Lang;

    #[test]
    fn every_failure_has_its_stage_and_its_sentences_in_both_languages() {
        let host = || "a.com:443".to_owned();
        let errors = [
            (FetchError::Dns { host: host() }, "dns"),
            (FetchError::Connect { host: host() }, "connect"),
            (FetchError::Tls { host: host(), problem: TlsError::Handshake }, "tls"),
            (FetchError::Timeout { after_ms: 1 }, "timeout"),
            (FetchError::Deadline, "timeout"),
            (FetchError::Protocol { reason: "no".to_owned() }, "http"),
        ];
        let domain = || "a.com".to_owned();
        let mut failures: Vec<(ScanError, &str)> = errors
            .into_iter()
            .map(|(source, stage)| (ScanError::Unreachable { domain: domain(), source }, stage))
            .collect();
        failures.push((ScanError::ServerError { domain: domain(), status: 503 }, "http"));
        for lang in Lang::ALL {
            for (error, stage) in &failures {
                let object = Problem::from(error).object(lang);
                assert_eq!(object.code, ErrorCode::UpstreamScanFailed);
                assert_eq!(object.details["stage"], *stage);
                assert!(object.message.ends_with('.'), "{lang}: {}", object.message);
                // The domain is shown beside it.
                assert!(!object.message.contains(['{', '_']), "{lang}: {}", object.message);
                assert!(!object.message.contains("a.com"), "{lang}: {}", object.message);
                assert!(object.hint.is_some_and(|hint| hint.ends_with('.')), "{lang}: {error}");
            }
        }
    }

    #[test]
    fn a_refused_address_is_not_revealed() {
        let error = ScanError::NotAllowed { domain: "a.com".to_owned() };
        for lang in Lang::ALL {
            let object = Problem::from(&error).object(lang);
            assert_eq!(object.code, ErrorCode::DomainNotAllowed);
            let hint = object.hint.unwrap_or_default();
            assert!(!hint.is_empty() && !hint.contains("--"), "{lang}: {hint}");
            assert!(!format!("{}{hint}", object.message).contains(|c: char| c.is_ascii_digit()));
        }
    }
}
