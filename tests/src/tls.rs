//! A certificate authority of the tests' own, and servers on loopback with and without TLS.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a fixture that cannot start fails its test"
)]

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// A certificate authority that lives as long as a test.
#[derive(Debug)]
pub struct TestCa {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Default for TestCa {
    fn default() -> Self {
        Self::new()
    }
}

/// What a leaf certificate says, beside its names.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Leaf {
    /// Valid and signed by the authority.
    Good,
    /// Signed by the authority, expired in 2021.
    Expired,
    /// Signed by the authority, valid from 2090.
    NotYetValid,
    /// Signed by its own key.
    SelfSigned,
}

/// Which protocols a TLS server offers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Alpn {
    /// HTTP/2, else HTTP/1.1.
    Both,
    /// HTTP/1.1 only.
    Http1,
}

impl TestCa {
    /// Makes a key and a root certificate.
    pub fn new() -> Self {
        Self::named("Test authority")
    }

    /// Makes a key and a root certificate with this name.
    pub fn named(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().expect("a key");
        Self { issuer: CertifiedIssuer::self_signed(params, key).expect("a root certificate") }
    }

    /// The root, for a client that is to trust it.
    pub fn root(&self) -> CertificateDer<'static> {
        self.issuer.der().clone()
    }

    /// The root as a PEM text.
    pub fn root_pem(&self) -> String {
        self.issuer.pem()
    }

    /// A certificate for these names and its key, as PEM texts for a server that reads files.
    pub fn leaf_pem(&self, names: &[&str]) -> (String, String) {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let params = CertificateParams::new(names).expect("names");
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("a leaf certificate");
        (certificate.pem(), key.serialize_pem())
    }

    /// The TLS configuration of a server for these names.
    pub fn server_config(&self, names: &[&str], leaf: Leaf, alpn: Alpn) -> Arc<ServerConfig> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).expect("names");
        params.distinguished_name.push(DnType::CommonName, "Test leaf");
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2099, 1, 1);
        match leaf {
            Leaf::Expired => params.not_after = date_time_ymd(2021, 1, 1),
            Leaf::NotYetValid => params.not_before = date_time_ymd(2090, 1, 1),
            Leaf::Good | Leaf::SelfSigned => {}
        }
        let key = KeyPair::generate().expect("a key");
        let certificate = match leaf {
            Leaf::SelfSigned => params.self_signed(&key),
            _ => params.signed_by(&key, &self.issuer),
        };
        let chain = vec![certificate.expect("a leaf certificate").der().clone()];
        let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("protocol versions")
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .expect("key and certificate");
        config.alpn_protocols = match alpn {
            Alpn::Both => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
            Alpn::Http1 => vec![b"http/1.1".to_vec()],
        };
        Arc::new(config)
    }
}

/// A server on a free port of loopback. It stops when it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Server {
    /// Serves a router over plain HTTP/1.1.
    pub async fn plain(router: Router) -> Self {
        Self::raw(move |stream| {
            let router = router.clone();
            async move { serve(stream, router).await }
        })
        .await
    }

    /// Serves a router over TLS.
    pub async fn tls(config: Arc<ServerConfig>, router: Router) -> Self {
        let acceptor = TlsAcceptor::from(config);
        Self::raw(move |stream| {
            let (acceptor, router) = (acceptor.clone(), router.clone());
            async move {
                // A client that does not trust the certificate hangs up here.
                if let Ok(stream) = acceptor.accept(stream).await {
                    serve(stream, router).await;
                }
            }
        })
        .await
    }

    /// Ends TLS in front of a server that speaks plain HTTP/1.1, as a reverse proxy does.
    pub async fn in_front_of(target: SocketAddr, config: Arc<ServerConfig>) -> Self {
        let acceptor = TlsAcceptor::from(config);
        Self::raw(move |stream| {
            let acceptor = acceptor.clone();
            async move {
                let Ok(mut client) = acceptor.accept(stream).await else { return };
                let Ok(mut server) = TcpStream::connect(target).await else { return };
                // A connection that breaks is the business of its two ends.
                tokio::io::copy_bidirectional(&mut client, &mut server).await.ok();
            }
        })
        .await
    }

    /// Hands each connection to a function, which closes it by returning.
    pub async fn raw<F, R>(handle: F) -> Self
    where
        F: Fn(TcpStream) -> R + Send + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("a bound listener");
        let connections = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&connections);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counter.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(handle(stream));
            }
        });
        Self { address, connections, task }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The port that the server listens on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Connections accepted so far.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves one connection with whatever protocol it speaks. A broken connection is not a fault here.
async fn serve<S>(stream: S, router: Router)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin + 'static,
{
    let builder = auto::Builder::new(TokioExecutor::new());
    let service = TowerToHyperService::new(router);
    drop(builder.serve_connection(TokioIo::new(stream), service).await);
}
