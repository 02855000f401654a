//! Encrypted connections.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::settings::database_address::Certificates;
use crate::stores::database::SqlError;

/// What encrypts connections and makes sure that they end at the host of the address.
pub(super) fn connector(certificates: &Certificates) -> Result<MakeRustlsConnect, SqlError> {
    let roots = match certificates {
        // Nothing is asked of it then.
        Certificates::None => RootCertStore::empty(),
        Certificates::Public => RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() },
        Certificates::File(path) => {
            let unreadable = |error: &dyn std::fmt::Display| {
                SqlError::unchanged(format!(
                    "cannot read certificates in {}: {error}",
                    path.display()
                ))
            };
            let mut roots = RootCertStore::empty();
            for certificate in
                CertificateDer::pem_file_iter(path).map_err(|error| unreadable(&error))?
            {
                let certificate = certificate.map_err(|error| unreadable(&error))?;
                roots.add(certificate).map_err(|error| unreadable(&error))?;
            }
            if roots.is_empty() {
                return Err(unreadable(&"there is none"));
            }
            roots
        }
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(SqlError::unchanged)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
