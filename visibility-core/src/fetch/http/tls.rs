//! The TLS configuration, what can go wrong with it, and what is kept of a session.

use std::sync::Arc;

use rustls::client::ClientConfig;
use rustls::pki_types::CertificateDer;
use rustls::{CertificateError, RootCertStore};
use x509_parser::prelude::{FromDer, X509Certificate};

use crate::fetch::{TlsError, TlsSession};

/// TLS 1.2 and 1.3 with the roots of Mozilla and some more, HTTP/2 preferred.
pub(super) fn client_config(
    extra_roots: &[CertificateDer<'static>],
) -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for root in extra_roots {
        roots.add(root.clone())?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// What was wrong with a handshake.
pub(super) fn problem_of(error: &rustls::Error) -> TlsError {
    let rustls::Error::InvalidCertificate(error) = error else {
        return TlsError::Handshake;
    };
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => TlsError::Expired,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            TlsError::NotYetValid
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            TlsError::WrongName
        }
        CertificateError::UnknownIssuer => TlsError::UnknownIssuer,
        CertificateError::Revoked => TlsError::Revoked,
        _ => TlsError::BadCertificate,
    }
}

/// What is kept of the certificate of a session.
pub(super) fn session(leaf: &[u8]) -> Option<TlsSession> {
    let (_, certificate) = X509Certificate::from_der(leaf).ok()?;
    let issuer = certificate.issuer();
    let name = issuer.iter_common_name().chain(issuer.iter_organization()).next();
    let name = name.and_then(|name| name.as_str().ok());
    Some(TlsSession {
        not_after: certificate.validity().not_after.timestamp(),
        issuer: name.map(|name| name.chars().take(MAX_ISSUER_CHARS).collect()),
    })
}

/// Upper bound of a common name: RFC 5280 appendix A.1.
const MAX_ISSUER_CHARS: usize = 64;
