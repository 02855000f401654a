//! A ready [`Fetch`](crate::fetch::Fetch) on reqwest and rustls: feature `http`.
//!
//! An [`HttpClient`] is made once. Each scan takes a [`session`](HttpClient::session) of its own:
//! an [`HttpFetch`] with its own connections, looked-up addresses, deadline and budget of requests.
//! Strangers decide what is asked for, so every hop is checked before it is sent, and only public
//! addresses are connected to, see `address.rs`. It needs a tokio runtime with time and I/O.

#![expect(clippy::disallowed_types, reason = "this is the one place that names the client")]

pub(crate) mod address;
mod body;
mod connect_to;
mod connection;
mod denied_hosts;
mod error;
mod guard;
mod proxy;
mod service;
mod session;
mod tls;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use url::Url;

pub use self::connect_to::{ConnectTo, ConnectToError};
use self::connection::{RouteResolver, SignalConnected};
pub use self::denied_hosts::DeniedHosts;
pub use self::guard::{ForbiddenTarget, Resolve, SystemResolver};
use self::guard::{Guard, Route};
pub use self::proxy::{ProxyRules, ProxyRulesError};
pub use self::service::{ServiceClient, ServiceError, ServiceRequest, ServiceResponse};
pub use self::session::HttpFetch;
use crate::limits::{
    CONNECT_TIMEOUT, DNS_TIMEOUT, MAX_HEAD_BYTES, MAX_HEADER_FIELDS, REQUEST_TIMEOUT, SCAN_TIMEOUT,
};

/// What can be set about requests. The defaults are right for strangers' sites.
#[derive(Clone, Debug)]
pub struct HttpSettings {
    /// Who scans, for `X-Scanned-By` of requests that carry another user agent.
    pub scanned_by: String,
    /// Hosts that are never asked, not even behind a redirect or by a rule of `connect_to`.
    pub denied_hosts: DeniedHosts,
    /// Networks that may be connected to although they are not public, on any port.
    pub allow_networks: Vec<IpNet>,
    /// Where to connect instead; the first rule that matches wins. Targets are not checked.
    pub connect_to: Vec<ConnectTo>,
    /// Certificates to trust beside Mozilla's.
    pub extra_roots: Vec<CertificateDer<'static>>,
    /// Which requests go through a proxy. Their targets are checked like others, but for names that have no address
    /// here: those the proxy looks up. Where a rule of `connect_to` leads, no proxy is used.
    pub proxy: Option<ProxyRules>,
    /// Time to look up one name.
    pub lookup_timeout: Duration,
    /// Time to connect, TLS included.
    pub connect_timeout: Duration,
    /// Time for one probe, redirects and body included.
    pub request_timeout: Duration,
    /// Time for all probes of a session.
    pub scan_timeout: Duration,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            scanned_by: concat!(
                "VisibilityBot/",
                env!("CARGO_PKG_VERSION"),
                " (+",
                env!("CARGO_PKG_HOMEPAGE"),
                ")"
            )
            .to_owned(),
            denied_hosts: DeniedHosts::default(),
            allow_networks: Vec::new(),
            connect_to: Vec::new(),
            extra_roots: Vec::new(),
            proxy: None,
            lookup_timeout: DNS_TIMEOUT,
            connect_timeout: CONNECT_TIMEOUT,
            request_timeout: REQUEST_TIMEOUT,
            scan_timeout: SCAN_TIMEOUT,
        }
    }
}

impl HttpSettings {
    /// Trusts the certificates of a PEM file too, and says how many they were.
    ///
    /// # Errors
    ///
    /// When the text has no certificate, or one that cannot be read. Nothing is added then.
    pub fn trust_pem(&mut self, pem: &[u8]) -> Result<usize, HttpClientError> {
        let roots: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        match roots {
            Ok(roots) if !roots.is_empty() => {
                let count = roots.len();
                self.extra_roots.extend(roots);
                Ok(count)
            }
            _ => Err(HttpClientError::Pem),
        }
    }
}

/// What all scans share: settings, TLS configuration and resolver.
#[derive(Clone, Debug)]
pub struct HttpClient {
    settings: Arc<HttpSettings>,
    tls: rustls::ClientConfig,
    resolver: Arc<dyn Resolve>,
}

impl HttpClient {
    /// A client that looks up names with the resolver of the operating system.
    ///
    /// # Errors
    ///
    /// When an extra root is not a certificate.
    pub fn new(settings: HttpSettings) -> Result<Self, HttpClientError> {
        Self::with_resolver(settings, Arc::new(SystemResolver))
    }

    /// A client that looks up names with another resolver.
    ///
    /// # Errors
    ///
    /// When an extra root is not a certificate.
    pub fn with_resolver(
        settings: HttpSettings,
        resolver: Arc<dyn Resolve>,
    ) -> Result<Self, HttpClientError> {
        let tls = tls::client_config(&settings.extra_roots)
            .map_err(|error| HttpClientError::Root(error.into()))?;
        let client = Self { settings: Arc::new(settings), tls, resolver };
        client.build_all()?;
        Ok(client)
    }

    /// The settings that the client was built with.
    pub fn settings(&self) -> &HttpSettings {
        &self.settings
    }

    /// The fetcher of one scan, whose time starts now.
    #[expect(clippy::expect_used, clippy::missing_panics_doc, reason = "built once before")]
    pub fn session(&self) -> HttpFetch {
        let clients = self.build_all().expect("the same settings have been built before");
        let settings = &self.settings;
        let guard = Guard {
            resolver: Arc::clone(&self.resolver),
            lookup_timeout: settings.lookup_timeout,
            denied_hosts: settings.denied_hosts.clone(),
            allow_networks: settings.allow_networks.clone(),
            connect_to: settings.connect_to.clone(),
            proxy: settings.proxy.clone(),
            answers: std::sync::Mutex::default(),
        };
        HttpFetch::new(clients, Arc::clone(settings), guard)
    }

    fn build_all(&self) -> Result<Clients, HttpClientError> {
        let build = |builder: reqwest::ClientBuilder| {
            builder.build().map_err(|error| HttpClientError::Build(error.into()))
        };
        let proxied = self.settings.proxy.as_ref().map(|rules| {
            let mut builder = self.builder();
            for (scheme, proxy) in [
                ("http", reqwest::Proxy::http as fn(Url) -> reqwest::Result<reqwest::Proxy>),
                ("https", reqwest::Proxy::https),
            ] {
                if let Some(url) = rules.for_scheme(scheme) {
                    let proxy = proxy(url.clone());
                    builder =
                        builder.proxy(proxy.map_err(|error| HttpClientError::Build(error.into()))?);
                }
            }
            build(builder)
        });
        Ok(Clients { direct: build(self.builder().no_proxy())?, proxied: proxied.transpose()? })
    }

    fn builder(&self) -> reqwest::ClientBuilder {
        reqwest::Client::builder()
            .tls_backend_preconfigured(self.tls.clone())
            .tls_info(true)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .dns_resolver(RouteResolver)
            .connector_layer(SignalConnected)
            .connect_timeout(self.settings.connect_timeout)
            .http1_max_headers(MAX_HEADER_FIELDS)
            // As browsers do: RFC 9112 section 5.2 requires that folded lines are read, and a line that is no field is
            // passed over instead of the site.
            .http1_allow_obsolete_multiline_headers_in_responses(true)
            .http1_allow_spaces_after_header_name_in_responses(true)
            .http1_ignore_invalid_headers_in_responses(true)
            .http2_max_header_list_size(u32::try_from(MAX_HEAD_BYTES).unwrap_or(u32::MAX))
    }
}

/// What sends the requests of a session.
#[derive(Debug)]
struct Clients {
    /// Uses no proxy, whatever the environment says.
    direct: reqwest::Client,
    /// Sends every request that it gets through the proxy.
    proxied: Option<reqwest::Client>,
}

impl Clients {
    /// The one for a route that was admitted by the same settings.
    fn for_route(&self, route: &Route) -> &reqwest::Client {
        match (route, &self.proxied) {
            (Route::Proxied { .. }, Some(proxied)) => proxied,
            _ => &self.direct,
        }
    }
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpClientError {
    /// A text without a readable certificate.
    #[error("the PEM text has no readable certificate")]
    Pem,
    /// A root that is not a certificate.
    #[error("a certificate cannot be used as a root certificate")]
    Root(#[source] Box<dyn Error + Send + Sync>),
    /// The client library refused the settings.
    #[error("cannot create the HTTP client")]
    Build(#[source] Box<dyn Error + Send + Sync>),
}
