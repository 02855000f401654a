//! What the tests of the fetcher share.

use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use axum::Router;
use axum::response::IntoResponse;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use url::Url;
use visibility_core::fetch::http::{HttpClient, HttpFetch, HttpSettings, Resolve};
use visibility_core::fetch::{BoxFuture, Fetch, FetchResult, Probe, Response};
use visibility_tests::tls::{Alpn, Leaf, Server, TestCa};
use visibility_tests::wait::PATIENCE;

/// The name under which the servers of these tests are asked for.
pub(crate) const NAME: &str = "shop.example.com";

/// Settings whose timeouts end no answer that comes; a test about one of them sets it.
pub(crate) fn settings() -> HttpSettings {
    HttpSettings {
        lookup_timeout: Duration::from_millis(300),
        connect_timeout: PATIENCE,
        request_timeout: PATIENCE,
        scan_timeout: 2 * PATIENCE,
        ..HttpSettings::default()
    }
}

/// A session whose every name leads to one server.
pub(crate) fn session_to(server: &Server) -> HttpFetch {
    session_with(server, settings())
}

pub(crate) fn session_with(server: &Server, mut settings: HttpSettings) -> HttpFetch {
    settings.connect_to.push(format!("::127.0.0.1:{}", server.port()).parse().unwrap());
    HttpClient::new(settings).unwrap().session()
}

/// A TLS server for [`NAME`], and a session that trusts it and leads to it.
pub(crate) async fn tls_site(router: Router, alpn: Alpn) -> (Server, HttpFetch) {
    let ca = TestCa::new();
    let server = Server::tls(ca.server_config(&[NAME], Leaf::Good, alpn), router).await;
    let session =
        session_with(&server, HttpSettings { extra_roots: vec![ca.root()], ..settings() });
    (server, session)
}

/// A server that sends these bytes to every client, and then closes.
pub(crate) async fn canned(answer: impl Into<Vec<u8>>) -> Server {
    let answer: Arc<[u8]> = answer.into().into();
    Server::raw(move |mut stream| {
        let answer = Arc::clone(&answer);
        async move {
            read_head(&mut stream).await;
            // The client may hang up before it has taken everything.
            drop(stream.write_all(&answer).await);
            drop(stream.shutdown().await);
        }
    })
    .await
}

/// Reads a request up to its empty line.
pub(crate) async fn read_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).await.is_ok_and(|n| n == 1) {
        head.extend_from_slice(&byte);
    }
    String::from_utf8_lossy(&head).into_owned()
}

pub(crate) fn probe(url: &str) -> Probe {
    let user_agent = HttpSettings::default().scanned_by;
    let mut probe = Probe::new(Url::parse(url).unwrap(), user_agent, 100_000);
    "text/html".clone_into(&mut probe.accept);
    probe
}

pub(crate) async fn get(session: &HttpFetch, url: &str) -> FetchResult {
    session.fetch(&probe(url)).await
}

pub(crate) async fn response(session: &HttpFetch, url: &str) -> Response {
    get(session, url).await.unwrap()
}

/// A page that takes its body and its coding as it is given.
pub(crate) fn coded(coding: &'static str, body: Vec<u8>) -> impl IntoResponse + Clone {
    ([("content-type", "text/html"), ("content-encoding", coding)], body)
}

/// A resolver with fixed answers that remembers its questions.
#[derive(Debug, Default)]
pub(crate) struct FakeResolver {
    names: BTreeMap<String, Vec<IpAddr>>,
    pub(crate) asked: Mutex<Vec<String>>,
}

impl FakeResolver {
    pub(crate) fn new(names: &[(&str, &[&str])]) -> Self {
        let parse = |address: &&str| address.parse().unwrap();
        let names = names
            .iter()
            .map(|(name, addresses)| ((*name).to_owned(), addresses.iter().map(parse).collect()));
        Self { names: names.collect(), asked: Mutex::default() }
    }
}

impl Resolve for FakeResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        self.asked.lock().unwrap().push(name.to_owned());
        let answer = self.names.get(name).cloned();
        Box::pin(async move {
            if name.starts_with("slow.") {
                tokio::time::sleep(Duration::from_mins(1)).await;
            }
            answer.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
        })
    }
}
