//! The HTTP clients of scans and audits, built from the settings.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ipnet::{Ipv4Net, Ipv6Net};
use visibility_core::fetch::http::{
    ConnectToError, DeniedHosts, HttpClient, HttpClientError, HttpSettings,
};

use super::excluded::refused_hosts;
use super::resolver::{DnsResolver, ResolverError};
use crate::settings::Settings;

/// For the whole of a document about a client, name and connection included.
const DOCUMENT_TIMEOUT: Duration = Duration::from_secs(10);

/// Why sites cannot be fetched as the settings want it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchClientError {
    /// The file of certificates cannot be read.
    #[error("`fetch.ca_cert`: cannot read `{}`", path.display())]
    Read {
        /// The file with the certificates.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file of certificates has none.
    #[error("`fetch.ca_cert`: `{}` has no certificates", path.display())]
    Certificates {
        /// The file with the certificates.
        path: PathBuf,
        /// Why they cannot be used.
        source: HttpClientError,
    },
    /// A `connect_to` rule is malformed.
    #[error("`fetch.connect_to` cannot be used")]
    ConnectTo(#[from] ConnectToError),
    /// There are no name servers to ask.
    #[error("there is no name server")]
    Resolver(#[from] ResolverError),
    /// The operating system gives no threads.
    #[error("cannot start the threads that visit sites")]
    Threads(#[source] io::Error),
    /// The client library refuses.
    #[error("cannot create the client that visits sites")]
    Client(#[source] HttpClientError),
}

impl FetchClientError {
    /// What an operator can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Read { .. } => {
                "give a file that this user may read, or remove the setting: \
                    Mozilla's roots are always trusted"
            }
            Self::Certificates { .. } => {
                "give a PEM file, with lines such as `-----BEGIN CERTIFICATE-----`"
            }
            Self::ConnectTo(_) => "write rules as `example.com:443:127.0.0.1:8443`",
            Self::Resolver(_) => {
                "set `fetch.nameservers`, for example to `[\"9.9.9.9:53\"]`, or \
                    correct `/etc/resolv.conf`"
            }
            Self::Threads(_) => "allow this user more threads, for example with `ulimit -u`",
            Self::Client(_) => "only root certificates can be trusted: check `fetch.ca_cert`",
        }
    }
}

/// Our own `User-Agent`: who we are, and where that is explained.
pub(crate) fn user_agent(settings: &Settings) -> String {
    let about = settings
        .fetch
        .about_url
        .clone()
        .or_else(|| settings.base_url.is_some().then(|| format!("{}/bot", settings.public_url())))
        .unwrap_or_else(|| env!("CARGO_PKG_HOMEPAGE").to_owned());
    format!("VisibilityBot/{} (+{about})", env!("CARGO_PKG_VERSION"))
}

/// A client for strangers' sites whose sessions have this much time, made once.
pub(super) fn client(
    settings: &Settings,
    user_agent: &str,
    time: Duration,
) -> Result<HttpClient, FetchClientError> {
    finish(http_settings(settings, user_agent, time)?, settings)
}

/// The same for documents about clients of the authorization server; `None` if the settings want none.
///
/// # Errors
///
/// The same.
pub(crate) fn document_client(settings: &Settings) -> Result<Option<HttpClient>, FetchClientError> {
    let is_wanted = settings.oauth.client_documents;
    is_wanted.then(|| client(settings, &user_agent(settings), DOCUMENT_TIMEOUT)).transpose()
}

/// The same for a server that the operator has named: it may be in a private network.
pub(crate) fn trusted_client(
    settings: &Settings,
    user_agent: &str,
    time: Duration,
) -> Result<HttpClient, FetchClientError> {
    let mut wanted = http_settings(settings, user_agent, time)?;
    wanted.denied_hosts = DeniedHosts::default();
    wanted.allow_networks = vec![Ipv4Net::default().into(), Ipv6Net::default().into()];
    finish(wanted, settings)
}

fn http_settings(
    settings: &Settings,
    user_agent: &str,
    time: Duration,
) -> Result<HttpSettings, FetchClientError> {
    let mut wanted = HttpSettings {
        scanned_by: user_agent.to_owned(),
        scan_timeout: time,
        ..HttpSettings::default()
    };
    wanted.denied_hosts = refused_hosts(settings);
    wanted.request_timeout = wanted.request_timeout.min(time);
    for rule in &settings.fetch.connect_to {
        wanted.connect_to.push(rule.parse()?);
    }
    if let Some(path) = &settings.fetch.ca_cert {
        let pem = fs::read(path)
            .map_err(|source| FetchClientError::Read { path: path.clone(), source })?;
        wanted
            .trust_pem(&pem)
            .map_err(|source| FetchClientError::Certificates { path: path.clone(), source })?;
    }
    Ok(wanted)
}

fn finish(wanted: HttpSettings, settings: &Settings) -> Result<HttpClient, FetchClientError> {
    let resolver = DnsResolver::new(&settings.fetch.nameservers, wanted.lookup_timeout)?;
    HttpClient::with_resolver(wanted, Arc::new(resolver)).map_err(FetchClientError::Client)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        let mut settings = Settings::default();
        settings.fetch.nameservers = vec!["127.0.0.1:53".parse().unwrap()];
        settings
    }

    #[test]
    fn the_user_agent_says_where_it_is_explained() {
        let mut settings = settings();
        let of = |settings: &Settings| {
            let agent = user_agent(settings);
            let (_, about) = agent.split_once(" (+").unwrap();
            about.trim_end_matches(')').to_owned()
        };
        assert_eq!(of(&settings), env!("CARGO_PKG_HOMEPAGE"));
        settings.base_url = Some("https://visibility.example.com/".to_owned());
        assert_eq!(of(&settings), "https://visibility.example.com/bot");
        settings.fetch.about_url = Some("https://example.com/our-bot".to_owned());
        assert_eq!(of(&settings), "https://example.com/our-bot");
        assert!(user_agent(&settings).starts_with("VisibilityBot/"));
    }

    #[test]
    fn a_setting_that_cannot_be_used_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        let refused = |change: &dyn Fn(&mut Settings)| {
            let mut settings = settings();
            change(&mut settings);
            client(&settings, "Bot/1", Duration::from_secs(1)).unwrap_err()
        };
        let ca_cert = |settings: &mut Settings| settings.fetch.ca_cert = Some(file.clone());
        assert!(matches!(refused(&ca_cert), FetchClientError::Read { .. }));
        for text in
            ["", "no certificate", "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n"]
        {
            fs::write(&file, text).unwrap();
            let error = refused(&ca_cert);
            assert!(error.to_string().contains("`fetch.ca_cert`"), "{text}: {error}");
        }
        let rules = |settings: &mut Settings| settings.fetch.connect_to = vec!["x".to_owned()];
        assert!(matches!(refused(&rules), FetchClientError::ConnectTo(_)));
        assert!(client(&settings(), "Bot/1", Duration::from_secs(1)).is_ok());
    }
}
