//! The server itself: what it serves is what the site says.

use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use visibility_tests::server::{FixtureServer, Hosts, Stream};
use visibility_tests::site::{Reply, good};

async fn connect(server: &FixtureServer, host: &str, protocol: &[u8]) -> TlsStream<TcpStream> {
    let mut roots = RootCertStore::empty();
    let pem = server.authority().pem();
    roots.add(CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.to_vec()];
    let stream = TcpStream::connect(server.https()).await.unwrap();
    let name = ServerName::try_from(host.to_owned()).unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap()
}

/// At most `limit` bytes of the answer to one HTTP/1.1 request.
async fn get(server: &FixtureServer, host: &str, head: &str, limit: u64) -> Vec<u8> {
    let mut stream = connect(server, host, b"http/1.1").await;
    let request = format!("GET {head}\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.take(limit).read_to_end(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn the_protocol_is_the_clients_choice() {
    let server = FixtureServer::start(Hosts::new([good("example.com")])).await;
    for protocol in [&b"h2"[..], b"http/1.1"] {
        let stream = connect(&server, "example.com", protocol).await;
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(protocol));
    }
}

#[tokio::test]
async fn hosts_share_a_server_and_each_has_its_certificate() {
    let other = good("example.org").with("/llms.txt", Reply::text("# Other\n"));
    let server = FixtureServer::start(Hosts::new([good("example.com"), other])).await;
    let answer = get(&server, "example.org", "/llms.txt HTTP/1.1", 10_000).await;
    assert!(String::from_utf8_lossy(&answer).ends_with("# Other\n"));
    let answer = get(&server, "example.com", "/llms.txt HTTP/1.1", 10_000).await;
    assert!(String::from_utf8_lossy(&answer).contains("# Example\n"));
    assert_eq!(server.requests(), 2);
}

#[tokio::test]
async fn a_body_is_compressed_for_clients_that_take_it() {
    let server = FixtureServer::start(Hosts::new([good("example.com")])).await;
    let plain = get(&server, "example.com", "/ HTTP/1.1", 100_000).await;
    let packed = get(&server, "example.com", "/ HTTP/1.1\r\nAccept-Encoding: gzip", 100_000).await;
    assert!(plain.ends_with(b"</html>\n"));
    assert!(packed.len() < plain.len() / 2, "{} of {}", packed.len(), plain.len());
}

#[tokio::test]
async fn plain_http_redirects_as_the_site_says() {
    let server = FixtureServer::start(Hosts::new([good("example.com")])).await;
    let mut stream = TcpStream::connect(server.http()).await.unwrap();
    let request = b"GET / HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 301 "), "{answer}");
    assert!(answer.contains("location: https://example.com/\r\n"), "{answer}");
}

#[tokio::test]
async fn an_endless_body_has_no_end() {
    let hosts = Hosts::new([good("example.com")]).streaming("example.com", "/", Stream::Endless);
    let server = FixtureServer::start(hosts).await;
    let limit = 8 * 1024 * 1024;
    let answer = get(&server, "example.com", "/ HTTP/1.1", limit).await;
    assert_eq!(answer.len() as u64, limit);
}
