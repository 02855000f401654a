//! The scan of one domain, from the text that named it to its result.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::PathBuf;

use chrono::{SubsecRound, Utc};
use url::{Host, Url};
use visibility_core::error::Problem;
use visibility_core::fetch::domain::{Domain, DomainError};
use visibility_core::fetch::http::HttpClient;
use visibility_core::fetch::{Fetch, FetchError};
use visibility_core::report::labels::Labels;
use visibility_core::scan::plan::{AgentProbes, ScanRequest};
use visibility_core::scan::profile::Surface;
use visibility_core::scan::recording::{Recorder, Recording, Replay};
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::scan::result::ScanResult;
use visibility_core::scan::snapshot::SiteSnapshot;
use visibility_core::scan::{self, ScanError};
use visibility_core::text::locale::Lang;

use super::recordings::{self, Recordings};
use super::target::Target;
use crate::commands::network::USER_AGENT;
use crate::commands::no_result::{Done, FailureKind, NoResult};
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

impl Scanner {
    /// Scans a domain. Whatever goes wrong is part of the answer.
    pub(crate) async fn scan(&self, text: &str, progress: Option<&Progress>) -> Done<ScanResult> {
        match Target::parse(text) {
            Ok(target) => self.scan_target(target, progress).await,
            Err(error) => {
                let outcome = Err(NoResult::of_domain(&error, Labels::new(self.lang)));
                Done { subject: text.to_owned(), file: None, outcome }
            }
        }
    }

    /// Scans a site. A result and a failure have the same name of it.
    pub(crate) async fn scan_target(
        &self,
        target: Target,
        progress: Option<&Progress>,
    ) -> Done<ScanResult> {
        let subject = target.domain.to_string();
        Done { subject, file: None, outcome: self.outcome(target, progress).await }
    }

    async fn outcome(
        &self,
        target: Target,
        progress: Option<&Progress>,
    ) -> Result<ScanResult, NoResult> {
        let site = match &self.source {
            Source::Network(client) => {
                let session = client.session();
                let request = self.request(&target);
                match progress {
                    Some(progress) => {
                        let counted = Counted::new(
                            &session,
                            progress,
                            request.domain.to_string(),
                            Labels::new(self.lang),
                        );
                        self.scan_and_record(&counted, &request).await?
                    }
                    None => self.scan_and_record(&session, &request).await?,
                }
            }
            Source::Recordings(recordings) => self.replay(recordings, &target.domain).await?,
        };
        Ok(ScanReport::evaluate(&site, &self.selection).result(self.lang))
    }

    fn request(&self, target: &Target) -> ScanRequest {
        ScanRequest {
            origin: target.origin.clone(),
            agent_probes: self.agent_probes,
            profile: self.profile,
            ..request(target.domain.clone())
        }
    }

    async fn scan_and_record(
        &self,
        fetch: &dyn Fetch,
        request: &ScanRequest,
    ) -> Result<SiteSnapshot, NoResult> {
        let Some(folder) = &self.record else {
            let scanned = scan::scan(fetch, request).await;
            return scanned.map_err(|error| self.of_scan(&error, request));
        };
        let recorder = Recorder::new(fetch);
        let scanned = scan::scan(&recorder, request).await;
        let recording =
            Recording { request: request.clone(), exchanges: recorder.into_exchanges() };
        recordings::write(folder, &recording).map_err(|error| NoResult::of_file(&error))?;
        scanned.map_err(|error| self.of_scan(&error, request))
    }

    async fn replay(
        &self,
        recordings: &Recordings,
        domain: &Domain,
    ) -> Result<SiteSnapshot, NoResult> {
        let words = Labels::new(self.lang);
        let recording = match recordings.read(domain) {
            Some(Ok(recording)) => recording,
            Some(Err(error)) => return Err(NoResult::of_recording(&error)),
            None => return Err(NoResult::not_recorded(words)),
        };
        let request = ScanRequest {
            profile: self.profile.or(recording.request.profile),
            ..recording.request.clone()
        };
        let replay = Replay::new(&recording);
        drop(recording);
        scan::scan(&replay, &request).await.map_err(|error| self.of_scan(&error, &request))
    }

    fn of_scan(&self, error: &ScanError, request: &ScanRequest) -> NoResult {
        NoResult::of_scan(error, request.origin.as_ref(), Labels::new(self.lang))
    }
}

/// A scan of a domain, as of now.
pub(crate) fn request(domain: Domain) -> ScanRequest {
    ScanRequest {
        // Anything that a site cannot guess.
        nonce: RandomState::new().hash_one(domain.as_str()),
        ..ScanRequest::new(domain, Utc::now().trunc_subsecs(3), USER_AGENT)
    }
}

impl NoResult {
    /// A text that is no domain. The hint names the one that may have been meant, or the flags for a
    /// site of one's own machine.
    pub(crate) fn of_domain(error: &DomainError, words: Labels) -> Self {
        let failure = Self::of_problem(&Problem::from(error), words);
        match (error.suggestion(), &failure.hint) {
            (Some(domain), _) => {
                let hint = words.sentence("did-you-mean", &[("domain", &domain)]);
                failure.hint(hint)
            }
            (None, Some(hint)) if matches!(error.code(), "ip_literal" | "special_use") => {
                let hint = format!("{hint} {}", words.label("local-hint"));
                failure.hint(hint)
            }
            (None, _) => failure,
        }
    }

    /// A scan that came to nothing. The hint for an address that is not scanned names the flags.
    fn of_scan(error: &ScanError, origin: Option<&Url>, words: Labels) -> Self {
        let failure = Self::of_problem(&Problem::from(error), words);
        match (error, origin) {
            (ScanError::NotAllowed { .. }, Some(origin)) => {
                let command = allowing(origin);
                failure.hint(words.sentence("allow-local-hint", &[("command", &command)]))
            }
            (ScanError::Unreachable { source, .. }, None) if is_offline(source) => {
                let hint = format!(
                    "{} {}",
                    failure.hint.as_deref().unwrap_or_default(),
                    words.label("offline-hint")
                );
                failure.hint(hint.trim_start())
            }
            (ScanError::NotAllowed { .. }, None) => failure.hint(words.label("not-allowed-hint")),
            _ => failure,
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
        Self::new(FailureKind::BadInput, "INVALID_RECORDING", message)
    }

    fn not_recorded(words: Labels) -> Self {
        let message = words.sentence("not-recorded", &[]);
        Self::new(FailureKind::BadInput, "NOT_RECORDED", message)
    }
}

/// Whether a failure is what every request meets on a machine without a network, or behind a proxy.
fn is_offline(error: &FetchError) -> bool {
    matches!(
        error,
        FetchError::Dns { .. } | FetchError::Connect { .. } | FetchError::Timeout { .. }
    )
}

/// The command that scans a site on this machine.
fn allowing(origin: &Url) -> String {
    let networks = match origin.host() {
        Some(Host::Ipv4(_)) => "--allow-network 127.0.0.0/8",
        Some(Host::Ipv6(_)) => "--allow-network ::1/128",
        _ => "--allow-network 127.0.0.0/8 --allow-network ::1/128",
    };
    format!("visibility scan {} {networks}", origin.as_str().trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_for_a_private_address_names_the_flags() {
        let error = ScanError::NotAllowed { domain: "a.com".to_owned() };
        for lang in Lang::ALL {
            let failure = NoResult::of_scan(&error, None, Labels::new(lang));
            assert_eq!(failure.code(), "DOMAIN_NOT_ALLOWED");
            assert!(failure.hint.is_some_and(|hint| hint.contains("--allow-network")), "{lang}");
        }
    }

    #[test]
    fn the_hint_for_a_bad_domain_names_the_one_that_was_meant() {
        let error = "https://Example.com/shop".parse::<Domain>().unwrap_err();
        let failure = NoResult::of_domain(&error, Labels::new(Lang::En));
        assert_eq!(failure.hint.as_deref(), Some("did you mean example.com?"));
        assert_eq!(failure.details()["suggestion"], "example.com");
    }
}
