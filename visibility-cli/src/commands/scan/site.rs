//! The scan of one domain, from the text that named it to its result.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::path::PathBuf;

use chrono::{SubsecRound, Utc};
use serde::Serialize;
use serde_json::{Map, Value, json};
use visibility_core::domain::{Domain, DomainError};
use visibility_core::fetch::recording::{Recorder, Recording, Replay};
use visibility_core::fetch::{Fetch, FetchError};
use visibility_core::http::HttpClient;
use visibility_core::locale::Lang;
use visibility_core::report::junit::Missing;
use visibility_core::report::words::Words;
use visibility_core::scan::plan::{AgentProbes, ScanRequest};
use visibility_core::scan::profile::Surface;
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::scan::result::ScanResult;
use visibility_core::scan::snapshot::SiteSnapshot;
use visibility_core::scan::{self, ScanError};

use super::recordings::{self, Recordings};
use crate::commands::network::USER_AGENT;
use crate::console::progress::{Counted, Progress};
use crate::failure::CommandFailure;

/// Where answers come from.
#[derive(Debug)]
pub(crate) enum Source {
    /// The sites themselves.
    Network(Box<HttpClient>),
    /// What was recorded.
    Recordings(Recordings),
}

/// How to scan.
#[derive(Debug)]
pub(crate) struct Scanner {
    pub(crate) source: Source,
    pub(crate) selection: Selection,
    pub(crate) profile: Option<Surface>,
    pub(crate) agent_probes: AgentProbes,
    pub(crate) lang: Lang,
    pub(crate) record: Option<PathBuf>,
}

/// A domain and what came of it.
#[derive(Debug)]
pub(crate) struct Scanned {
    /// The domain as given.
    pub(crate) domain: String,
    pub(crate) outcome: Result<ScanResult, DomainFailure>,
}

/// Why a domain has no result.
#[derive(Debug)]
pub(crate) struct DomainFailure {
    pub(crate) kind: FailureKind,
    code: &'static str,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    details: Map<String, Value>,
}

/// What an exit code makes of it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum FailureKind {
    /// No domain, or one that may not be scanned.
    BadDomain,
    /// The site could not be reached.
    Unreachable,
    /// A fault of ours, or a file that could not be written.
    Internal,
}

impl Scanned {
    /// A domain whose scan broke off through a fault of ours.
    pub(super) fn broken(domain: String, error: &impl fmt::Display) -> Self {
        Self { domain, outcome: Err(DomainFailure::internal(error)) }
    }
}

impl Scanner {
    /// Scans a domain. Whatever goes wrong is part of the answer.
    pub(crate) async fn scan(&self, text: &str, progress: Option<&Progress>) -> Scanned {
        let outcome = match text.parse::<Domain>() {
            Ok(domain) => self.scan_domain(domain, progress).await,
            Err(error) => Err(DomainFailure::of_domain(&error, Words::of(self.lang))),
        };
        Scanned { domain: text.to_owned(), outcome }
    }

    async fn scan_domain(
        &self,
        domain: Domain,
        progress: Option<&Progress>,
    ) -> Result<ScanResult, DomainFailure> {
        let site = match &self.source {
            Source::Network(client) => {
                let session = client.session();
                let request = self.request(domain);
                match progress {
                    Some(progress) => {
                        let counted = Counted::new(&session, progress, request.domain.to_string());
                        self.scan_and_record(&counted, &request).await?
                    }
                    None => self.scan_and_record(&session, &request).await?,
                }
            }
            Source::Recordings(recordings) => self.replay(recordings, domain).await?,
        };
        Ok(ScanReport::of(&site, &self.selection).result(self.lang))
    }

    fn request(&self, domain: Domain) -> ScanRequest {
        ScanRequest {
            // Anything that a site cannot guess.
            nonce: RandomState::new().hash_one(domain.as_str()),
            agent_probes: self.agent_probes,
            profile: self.profile,
            ..ScanRequest::new(domain, Utc::now().trunc_subsecs(3), USER_AGENT)
        }
    }

    async fn scan_and_record(
        &self,
        fetch: &dyn Fetch,
        request: &ScanRequest,
    ) -> Result<SiteSnapshot, DomainFailure> {
        let Some(folder) = &self.record else {
            let scanned = scan::scan(fetch, request).await;
            return scanned.map_err(|error| self.of_scan(&error));
        };
        let recorder = Recorder::new(fetch);
        let scanned = scan::scan(&recorder, request).await;
        let recording =
            Recording { request: request.clone(), exchanges: recorder.into_exchanges() };
        recordings::write(folder, &recording).map_err(|error| DomainFailure::of_file(&error))?;
        scanned.map_err(|error| self.of_scan(&error))
    }

    async fn replay(
        &self,
        recordings: &Recordings,
        domain: Domain,
    ) -> Result<SiteSnapshot, DomainFailure> {
        let words = Words::of(self.lang);
        let recording = match recordings.read(&domain) {
            Some(Ok(recording)) => recording,
            Some(Err(error)) => return Err(DomainFailure::of_recording(&error)),
            None => return Err(DomainFailure::not_recorded(words)),
        };
        let request = ScanRequest {
            profile: self.profile.or(recording.request.profile),
            ..recording.request.clone()
        };
        let replay = Replay::new(&recording);
        drop(recording);
        scan::scan(&replay, &request).await.map_err(|error| self.of_scan(&error))
    }

    fn of_scan(&self, error: &ScanError) -> DomainFailure {
        DomainFailure::of_scan(error, Words::of(self.lang))
    }
}

impl DomainFailure {
    fn new(kind: FailureKind, code: &'static str, message: String) -> Self {
        Self { kind, code, message, hint: None, details: Map::new() }
    }

    fn hint(mut self, hint: String) -> Self {
        self.hint = Some(hint);
        self
    }

    fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// A text that is no domain. The hint names the one that may have been meant.
    pub(crate) fn of_domain(error: &DomainError, words: Words) -> Self {
        let values = error.values().into_iter().collect();
        let path = |part| ["domain_errors", error.id(), part];
        let message = words.catalog().fill(&path("text"), &values);
        let hint = words.catalog().fill_if_any(&path("hint"), &values);
        let failure = Self::new(FailureKind::BadDomain, "INVALID_DOMAIN", message)
            .detail("reason", error.code());
        match (error.suggestion(), hint) {
            (Some(domain), _) => failure
                .hint(words.sentence("did-you-mean", &[("domain", &domain)]))
                .detail("suggestion", domain),
            (None, Some(hint)) if matches!(error.code(), "ip_literal" | "special_use") => {
                failure.hint(format!("{hint} {}", words.label("local-hint")))
            }
            (None, Some(hint)) => failure.hint(hint),
            (None, None) => failure,
        }
    }

    /// A scan that came to nothing.
    pub(crate) fn of_scan(error: &ScanError, words: Words) -> Self {
        let unreachable = |stage: &'static str, sentence: &str, values: &[_]| {
            let message = words.sentence(sentence, values);
            Self::new(FailureKind::Unreachable, "UPSTREAM_SCAN_FAILED", message)
                .detail("stage", stage)
                .hint(words.label("unreachable-hint"))
        };
        match error {
            ScanError::NotAllowed { .. } => {
                let message = words.sentence("not-allowed", &[]);
                Self::new(FailureKind::BadDomain, "DOMAIN_NOT_ALLOWED", message)
                    .hint(words.label("not-allowed-hint"))
            }
            ScanError::ServerError { status, .. } => {
                unreachable("http", "server-error", &[("status", status)]).detail("status", *status)
            }
            ScanError::Unreachable { source, .. } => {
                let stage = stage(source);
                let problem = match source {
                    FetchError::Tls { problem, .. } => problem.to_string(),
                    _ => String::new(),
                };
                unreachable(stage, &format!("unreachable-{stage}"), &[("problem", &problem)])
                    .detail("reason", source.to_string())
            }
            other => Self::internal(other),
        }
    }

    fn of_file(error: &CommandFailure) -> Self {
        let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
        let message = format!("{error}{}", cause.unwrap_or_default());
        Self::new(FailureKind::Internal, "RECORDING_FAILED", message)
    }

    fn of_recording(error: &dyn std::error::Error) -> Self {
        let mut message = format!("the recording cannot be used: {error}");
        let mut cause = error.source();
        while let Some(error) = cause {
            message.push_str(&format!(": {error}"));
            cause = error.source();
        }
        Self::new(FailureKind::BadDomain, "INVALID_RECORDING", message)
    }

    fn not_recorded(words: Words) -> Self {
        let message = words.sentence("not-recorded", &[]);
        Self::new(FailureKind::BadDomain, "NOT_RECORDED", message)
    }

    fn internal(error: &impl fmt::Display) -> Self {
        Self::new(FailureKind::Internal, "INTERNAL_ERROR", error.to_string())
    }

    /// The failure as machines read it.
    pub(crate) fn error_object(&self) -> impl Serialize {
        json!({
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "details": self.details,
        })
    }

    /// The failure for a test panel.
    pub(crate) fn missing(&self, domain: &str) -> Missing {
        Missing {
            domain: domain.to_owned(),
            code: self.code.to_owned(),
            message: self.message.clone(),
        }
    }
}

/// At which step a request failed.
fn stage(error: &FetchError) -> &'static str {
    match error {
        FetchError::Dns { .. } => "dns",
        FetchError::Connect { .. } => "connect",
        FetchError::Tls { .. } => "tls",
        FetchError::Timeout { .. } | FetchError::Deadline => "timeout",
        _ => "http",
    }
}

#[cfg(test)]
mod tests {
    use visibility_core::fetch::TlsProblem;

    use super::*;

    #[test]
    fn every_failure_has_its_sentence_in_both_languages() {
        let host = || "a.com:443".to_owned();
        let errors = [
            FetchError::Dns { host: host() },
            FetchError::Connect { host: host() },
            FetchError::Tls { host: host(), problem: TlsProblem::Handshake },
            FetchError::Timeout { after_ms: 1 },
            FetchError::Protocol { reason: "no".to_owned() },
        ];
        let domain = || "a.com".to_owned();
        let mut failures: Vec<ScanError> = errors
            .into_iter()
            .map(|source| ScanError::Unreachable { domain: domain(), source })
            .collect();
        failures.push(ScanError::NotAllowed { domain: domain() });
        failures.push(ScanError::ServerError { domain: domain(), status: 503 });
        for lang in Lang::ALL {
            for error in &failures {
                let failure = DomainFailure::of_scan(error, Words::of(lang));
                let hint = failure.hint.clone().unwrap_or_default();
                // Whoever shows it shows the domain beside it.
                assert!(!failure.message.contains(['{', '.']), "{lang}: {}", failure.message);
                assert!(!hint.is_empty() && !hint.contains("interface."), "{lang}: {hint}");
            }
        }
    }

    #[test]
    fn the_hint_for_a_bad_domain_names_the_one_that_was_meant() {
        let error = "https://Example.com/shop".parse::<Domain>().unwrap_err();
        let failure = DomainFailure::of_domain(&error, Words::of(Lang::En));
        assert_eq!(failure.hint.as_deref(), Some("did you mean example.com?"));
        assert_eq!(failure.details["suggestion"], "example.com");
    }
}
