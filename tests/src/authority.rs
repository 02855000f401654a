//! A certificate authority of the tests' own, for any host.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::crypto::ring::sign::any_supported_type;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::{CertifiedKey, SigningKey};

/// Issues a certificate for whatever host a client names, once per host.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    leaf_key: KeyPair,
    signing_key: Arc<dyn SigningKey>,
    issued: Mutex<BTreeMap<String, Arc<CertifiedKey>>>,
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authority").finish_non_exhaustive()
    }
}

impl Default for Authority {
    fn default() -> Self {
        Self::new()
    }
}

impl Authority {
    /// A new authority with a key of its own.
    pub fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "Fixture CA");
        let key = KeyPair::generate().expect("a key");
        let issuer = CertifiedIssuer::self_signed(params, key).expect("a root certificate");
        let leaf_key = KeyPair::generate().expect("a key");
        let der = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(leaf_key.serialize_der()));
        let signing_key = any_supported_type(&der).expect("a supported key");
        Self { issuer, leaf_key, signing_key, issued: Mutex::default() }
    }

    /// The root certificate, for `--ca-cert` and the like.
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// A TLS configuration that speaks HTTP/2 and HTTP/1.1 for any host.
    pub fn server_config(self: &Arc<Self>) -> Arc<ServerConfig> {
        let provider = Arc::new(ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the provider has the default versions")
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(self) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Arc::new(config)
    }

    /// Issues the certificate of a host ahead of the first client.
    pub fn certificate(&self, host: &str) -> Arc<CertifiedKey> {
        let mut issued = self.issued.lock().expect("no thread panics with it");
        if let Some(certificate) = issued.get(host) {
            return Arc::clone(certificate);
        }
        let mut params = CertificateParams::new([host.to_owned()]).expect("a host name");
        params.distinguished_name.push(DnType::CommonName, host);
        let certificate = params.signed_by(&self.leaf_key, &self.issuer).expect("a certificate");
        let chain = vec![certificate.der().clone()];
        let certified = Arc::new(CertifiedKey::new(chain, Arc::clone(&self.signing_key)));
        issued.insert(host.to_owned(), Arc::clone(&certified));
        certified
    }
}

impl ResolvesServerCert for Authority {
    fn resolve(&self, client: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.certificate(client.server_name()?))
    }
}
