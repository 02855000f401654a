//! Scans one domain, from its name to its result.

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
use visibility_core::scan::recording::{Recorder, Recording, Replay};
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::scan::request::{AgentProbes, ScanRequest};
use visibility_core::scan::result::ScanResult;
use visibility_core::scan::snapshot::SiteSnapshot;
use visibility_core::scan::surface::Surface;
use visibility_core::scan::{self, ScanError};
use visibility_core::text::locale::Lang;

use super::recordings::{self, Recordings};
use crate::console::progress::{CountingFetcher, Progress};
use crate::console::repeat::Repeat;
use crate::error::CommandError;
use crate::error::target_error::{TargetError, TargetErrorKind, TargetOutcome};
use crate::run::network::USER_AGENT;
use visibility_core::fetch::site_target::SiteTarget;

/// Where answers come from.
#[derive(Debug)]
pub(crate) enum ResponseSource {
    /// The sites themselves.
    Network(Box<HttpClient>),
    /// What was recorded.
    Recordings(Recordings),
}

/// How to scan.
#[derive(Debug)]
pub(crate) struct Scanner {
    pub(crate) source: ResponseSource,
    pub(crate) selection: Selection,
    pub(crate) profile: Option<Surface>,
    pub(crate) agent_probes: AgentProbes,
    pub(crate) lang: Lang,
    pub(crate) record: Option<PathBuf>,
    /// What a command that scans the same site repeats of this call.
    pub(crate) repeat: Repeat,
}

impl Scanner {
    /// Scans a domain. Whatever goes wrong is part of the answer.
    pub(crate) async fn scan(
        &self,
        text: &str,
        progress: Option<&Progress>,
    ) -> TargetOutcome<ScanResult> {
        match SiteTarget::parse(text) {
            Ok(target) => self.scan_target(target, progress).await,
            Err(error) => {
                let outcome = Err(TargetError::from_domain_error(&error, Labels::new(self.lang)));
                TargetOutcome { subject: text.to_owned(), file: None, outcome }
            }
        }
    }

    /// Scans a site. A result and a failure have the same name of it.
    pub(crate) async fn scan_target(
        &self,
        target: SiteTarget,
        progress: Option<&Progress>,
    ) -> TargetOutcome<ScanResult> {
        let subject = target.domain.to_string();
        TargetOutcome { subject, file: None, outcome: self.outcome(target, progress).await }
    }

    async fn outcome(
        &self,
        target: SiteTarget,
        progress: Option<&Progress>,
    ) -> Result<ScanResult, TargetError> {
        let site = match &self.source {
            ResponseSource::Network(client) => {
                let session = client.session();
                let request = self.request(&target);
                match progress {
                    Some(progress) => {
                        let counted = CountingFetcher::new(
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
            ResponseSource::Recordings(recordings) => {
                self.replay(recordings, &target.domain).await?
            }
        };
        Ok(ScanReport::evaluate(&site, &self.selection).result(self.lang))
    }

    fn request(&self, target: &SiteTarget) -> ScanRequest {
        let mut request = request(target.domain.clone());
        request.origin.clone_from(&target.origin);
        request.agent_probes = self.agent_probes;
        request.profile = self.profile;
        request
    }

    async fn scan_and_record(
        &self,
        fetch: &dyn Fetch,
        request: &ScanRequest,
    ) -> Result<SiteSnapshot, TargetError> {
        let Some(folder) = &self.record else {
            let scanned = scan::scan(fetch, request).await;
            return scanned.map_err(|error| self.scan_error(&error, request));
        };
        let recorder = Recorder::new(fetch);
        let scanned = scan::scan(&recorder, request).await;
        let recording =
            Recording { request: request.clone(), exchanges: recorder.into_exchanges() };
        recordings::write(folder, &recording)
            .map_err(|error| TargetError::from_file_error(&error))?;
        scanned.map_err(|error| self.scan_error(&error, request))
    }

    async fn replay(
        &self,
        recordings: &Recordings,
        domain: &Domain,
    ) -> Result<SiteSnapshot, TargetError> {
        let labels = Labels::new(self.lang);
        let recording = match recordings.read(domain) {
            Some(Ok(recording)) => recording,
            Some(Err(error)) => return Err(TargetError::from_recording_error(&error)),
            None => return Err(TargetError::not_recorded(labels)),
        };
        let mut request = recording.request.clone();
        request.profile = self.profile.or(request.profile);
        let replay = Replay::new(&recording);
        drop(recording);
        scan::scan(&replay, &request).await.map_err(|error| self.scan_error(&error, &request))
    }

    fn scan_error(&self, error: &ScanError, request: &ScanRequest) -> TargetError {
        let origin = request.origin.as_ref();
        let allowing = origin.map(|origin| allowing(origin, &self.repeat));
        let uses_proxy = match &self.source {
            ResponseSource::Network(client) => client.settings().proxy.is_some(),
            ResponseSource::Recordings(_) => false,
        };
        let labels = Labels::new(self.lang);
        TargetError::from_scan_error(error, allowing.as_deref(), uses_proxy, labels)
    }
}

/// A scan of a domain, as of now.
pub(crate) fn request(domain: Domain) -> ScanRequest {
    // Anything that a site cannot guess.
    let nonce = RandomState::new().hash_one(domain.as_str());
    let mut request = ScanRequest::new(domain, Utc::now().trunc_subsecs(3), USER_AGENT);
    request.nonce = nonce;
    request
}

impl TargetError {
    /// A text that is not a domain. The hint names the one that may have been meant, or the flags for a
    /// site of one's own machine.
    pub(crate) fn from_domain_error(error: &DomainError, labels: Labels) -> Self {
        let target_error = Self::from_problem(&Problem::from(error), labels);
        match (error.suggestion(), &target_error.hint) {
            (Some(domain), _) => {
                let hint = labels.sentence("did-you-mean", &[("domain", &domain)]);
                target_error.hint(hint)
            }
            (None, Some(hint)) if matches!(error.code(), "ip_literal" | "special_use") => {
                let hint = format!("{hint} {}", labels.label("local-hint"));
                target_error.hint(hint)
            }
            (None, _) => target_error,
        }
    }

    /// A scan that came to nothing. The hint for an address that is not scanned names the flags.
    /// `allowing` is the command that scans a site on this machine.
    fn from_scan_error(
        error: &ScanError,
        allowing: Option<&str>,
        uses_proxy: bool,
        labels: Labels,
    ) -> Self {
        let target_error = Self::from_problem(&Problem::from(error), labels);
        match (error, allowing) {
            (ScanError::NotAllowed { .. }, _) if uses_proxy => {
                target_error.hint(labels.label("not-allowed-with-proxy-hint"))
            }
            (ScanError::NotAllowed { .. }, Some(command)) => {
                target_error.hint(labels.sentence("allow-local-hint", &[("command", &command)]))
            }
            (ScanError::Unreachable { source, .. }, None) if is_offline(source) => {
                let more = if uses_proxy { "offline-with-proxy-hint" } else { "offline-hint" };
                let hint = format!(
                    "{} {}",
                    target_error.hint.as_deref().unwrap_or_default(),
                    labels.label(more)
                );
                target_error.hint(hint.trim_start())
            }
            (ScanError::NotAllowed { .. }, None) => {
                target_error.hint(labels.label("not-allowed-hint"))
            }
            _ => target_error,
        }
    }

    fn from_file_error(error: &CommandError) -> Self {
        let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
        let message = format!("{error}{}", cause.unwrap_or_default());
        Self::new(TargetErrorKind::Internal, "RECORDING_FAILED", message)
    }

    fn from_recording_error(error: &dyn std::error::Error) -> Self {
        let mut message = format!("the recording cannot be used: {error}");
        let mut cause = error.source();
        while let Some(error) = cause {
            message.push_str(&format!(": {error}"));
            cause = error.source();
        }
        Self::new(TargetErrorKind::BadInput, "INVALID_RECORDING", message)
    }

    fn not_recorded(labels: Labels) -> Self {
        let message = labels.sentence("not-recorded", &[]);
        Self::new(TargetErrorKind::BadInput, "NOT_RECORDED", message)
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
fn allowing(origin: &Url, repeat: &Repeat) -> String {
    let networks: &[&str] = match origin.host() {
        Some(Host::Ipv4(_)) => &["127.0.0.0/8"],
        Some(Host::Ipv6(_)) => &["::1/128"],
        _ => &["127.0.0.0/8", "::1/128"],
    };
    let options: Vec<String> =
        networks.iter().map(|network| format!("--allow-network {network}")).collect();
    repeat.command_with(origin.as_str().trim_end_matches('/'), &options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_for_a_private_address_names_the_flags() {
        let error = ScanError::NotAllowed { domain: "a.com".to_owned() };
        for lang in Lang::ALL {
            let target_error = TargetError::from_scan_error(&error, None, false, Labels::new(lang));
            assert_eq!(target_error.code(), "DOMAIN_NOT_ALLOWED");
            assert!(
                target_error.hint.is_some_and(|hint| hint.contains("--allow-network")),
                "{lang}"
            );
        }
    }

    #[test]
    fn the_hint_for_a_bad_domain_names_the_one_that_was_meant() {
        let error = "https://Example.com/shop".parse::<Domain>().unwrap_err();
        let target_error = TargetError::from_domain_error(&error, Labels::new(Lang::En));
        assert_eq!(target_error.hint.as_deref(), Some("did you mean example.com?"));
        assert_eq!(target_error.details()["suggestion"], "example.com");
    }
}
