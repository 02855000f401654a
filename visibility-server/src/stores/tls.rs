//! What encrypts connections to databases and object stores, and makes sure where they end.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

/// The authorities that browsers trust.
pub(crate) fn public_roots() -> RootCertStore {
    RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() }
}

/// Adds the certificates of a file, which has at least one.
pub(crate) fn add_file(roots: &mut RootCertStore, path: &Path) -> Result<(), String> {
    let unreadable = |error: &dyn std::fmt::Display| {
        format!("cannot read certificates in {}: {error}", path.display())
    };
    let mut is_empty = true;
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| unreadable(&error))? {
        let certificate = certificate.map_err(|error| unreadable(&error))?;
        roots.add(certificate).map_err(|error| unreadable(&error))?;
        is_empty = false;
    }
    if is_empty { Err(unreadable(&"there is none")) } else { Ok(()) }
}

/// A configuration that trusts these authorities alone.
pub(crate) fn client_config(roots: RootCertStore) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}
