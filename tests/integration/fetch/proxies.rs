//! Requests through a proxy: which ones go there, and what it never hears of.

use std::sync::{Arc, Mutex};

use axum::Router;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use visibility_core::fetch::http::{HttpClient, HttpFetch, HttpSettings, ProxyRules};
use visibility_core::fetch::{FetchError, FetchResult};
use visibility_tests::closed_port::ClosedPort;
use visibility_tests::tls::{Alpn, Leaf, Server, TestCa};

use crate::fetch::fixture::{FakeResolver, get, read_head, response, settings};

const SHOP: &str = "shop.kestrel-lamps.com";
const INTRANET: &str = "intranet.kestrel-lamps.com";
const PROXY: &str = "proxy.kestrel-lamps.com";

/// A proxy that serves one page, which redirects if its path is that of an address, and tunnels to one server.
struct Proxy {
    server: Server,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    async fn with_tunnel_to(target: Option<u16>) -> Self {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&heard);
        let server = Server::raw(move |mut stream| {
            let log = Arc::clone(&log);
            async move {
                let head = read_head(&mut stream).await;
                let line = head.lines().next().unwrap_or_default().to_owned();
                let location =
                    line.split_once("?to=").map(|(_, rest)| rest.replace(" HTTP/1.1", ""));
                log.lock().unwrap().push(line.clone());
                let answer = match (line.starts_with("CONNECT "), location) {
                    (true, _) => match target {
                        Some(port) => return tunnel(stream, port).await,
                        None => "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n".to_owned(),
                    },
                    (false, Some(location)) => format!(
                        "HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n"
                    ),
                    (false, None) => "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nproxy".to_owned(),
                };
                drop(stream.write_all(answer.as_bytes()).await);
                drop(stream.shutdown().await);
            }
        })
        .await;
        Self { server, heard }
    }

    async fn new() -> Self {
        Self::with_tunnel_to(None).await
    }

    /// What the proxy was asked for since the last time.
    fn heard(&self) -> Vec<String> {
        std::mem::take(&mut self.heard.lock().unwrap())
    }

    /// A session with this proxy in these variables, and `NO_PROXY`.
    fn session(&self, variables: &[&str], exceptions: &str) -> HttpFetch {
        self.session_with(variables, exceptions, settings())
    }

    fn session_with(
        &self,
        variables: &[&str],
        exceptions: &str,
        settings: HttpSettings,
    ) -> HttpFetch {
        session(&format!("{PROXY}:{}", self.server.port()), variables, exceptions, settings)
    }
}

async fn tunnel(mut client: TcpStream, port: u16) {
    drop(client.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").await);
    let mut server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    drop(tokio::io::copy_bidirectional(&mut client, &mut server).await);
}

fn session(proxy: &str, variables: &[&str], exceptions: &str, settings: HttpSettings) -> HttpFetch {
    let rules = ProxyRules::from_variables(|name| match name {
        "NO_PROXY" => Some(exceptions.into()),
        name => variables.contains(&name).then(|| proxy.into()),
    });
    let resolver = FakeResolver::new(&[
        (SHOP, &["93.184.215.14"]),
        (INTRANET, &["127.0.0.77"]),
        (PROXY, &["127.0.0.1"]),
        ("printer.local", &["127.0.0.77"]),
    ]);
    let settings = HttpSettings { proxy: Some(rules.unwrap()), ..settings };
    HttpClient::with_resolver(settings, Arc::new(resolver)).unwrap().session()
}

fn denied(after_redirect: bool) -> FetchResult {
    Err(FetchError::Denied { after_redirect })
}

#[tokio::test]
async fn a_public_target_is_requested_from_the_proxy() {
    let proxy = Proxy::new().await;
    let session = proxy.session(&["HTTP_PROXY"], "");
    for (url, line) in [
        (format!("http://{SHOP}/a?b"), format!("GET http://{SHOP}/a?b HTTP/1.1")),
        // The proxy may know names that this machine does not.
        (
            "http://unknown.kestrel-lamps.com/".to_owned(),
            "GET http://unknown.kestrel-lamps.com/ HTTP/1.1".to_owned(),
        ),
        ("http://93.184.215.14/".to_owned(), "GET http://93.184.215.14/ HTTP/1.1".to_owned()),
    ] {
        assert_eq!(response(&session, &url).await.text(), "proxy", "{url}");
        assert_eq!(proxy.heard(), [line], "{url}");
    }
}

#[tokio::test]
async fn a_target_that_is_not_public_is_refused_before_the_proxy_hears_of_it() {
    let proxy = Proxy::new().await;
    let port = proxy.server.port();
    let own = [
        format!("http://{PROXY}/"),
        format!("http://{PROXY}:{port}/"),
        format!("http://127.0.0.1:{port}/"),
    ];
    let others = [
        "http://intranet.kestrel-lamps.com/",
        "https://intranet.kestrel-lamps.com/",
        "http://127.0.0.77/",
        "http://[::1]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://printer.local/",
        "http://localhost/",
    ];
    let both = ["HTTP_PROXY", "HTTPS_PROXY"];
    for (variables, exceptions) in [
        (&both[..], ""),
        (&["ALL_PROXY"], ""),
        (&["https_proxy"], ""),
        (&both, "*"),
        (&both, ".kestrel-lamps.com"),
        (&both, "intranet.kestrel-lamps.com, 127.0.0.0/8, ::1, printer.local, localhost"),
    ] {
        let session = proxy.session(variables, exceptions);
        for url in own.iter().map(String::as_str).chain(others) {
            let found = get(&session, url).await;
            // The fake resolver has no `localhost`.
            let is_unknown = matches!(&found, Err(FetchError::Dns { host }) if host == "localhost");
            assert!(
                found == denied(false) || is_unknown,
                "{variables:?} {exceptions} {url}: {found:?}"
            );
        }
        assert_eq!(proxy.heard(), [""; 0], "{variables:?} {exceptions}");
    }
}

#[tokio::test]
async fn what_the_proxy_redirects_to_is_checked_like_a_first_request() {
    let proxy = Proxy::new().await;
    for (exceptions, target) in [
        ("", "http://intranet.kestrel-lamps.com/"),
        ("intranet.kestrel-lamps.com", "http://intranet.kestrel-lamps.com/"),
        ("intranet.kestrel-lamps.com:80", "http://intranet.kestrel-lamps.com/"),
        ("127.0.0.77", "http://127.0.0.77/"),
        ("", "http://127.0.0.1:3128/"),
        ("", "http://printer.local/"),
        ("", "http://printer/"),
    ] {
        let session = proxy.session(&["HTTP_PROXY"], exceptions);
        let url = format!("http://{SHOP}/?to={target}");
        assert_eq!(get(&session, &url).await, denied(true), "{exceptions} {target}");
        assert_eq!(proxy.heard(), [format!("GET {url} HTTP/1.1")]);
    }
    let session = proxy.session(&["HTTP_PROXY"], "");
    let moved = format!("http://{SHOP}/?to=http://{SHOP}/moved");
    assert_eq!(response(&session, &moved).await.url.path(), "/moved");
}

#[tokio::test]
async fn tls_is_spoken_with_the_target_through_a_tunnel() {
    let ca = TestCa::new();
    let config = ca.server_config(&[SHOP], Leaf::Good, Alpn::Both);
    let site = Server::tls(config, Router::new().fallback(|| async { "over tls" })).await;
    let proxy = Proxy::with_tunnel_to(Some(site.port())).await;
    let settings = HttpSettings { extra_roots: vec![ca.root()], ..settings() };
    let session = proxy.session_with(&["HTTPS_PROXY"], "", settings);
    let found = response(&session, &format!("https://{SHOP}/")).await;
    assert_eq!(found.text(), "over tls");
    assert_eq!(proxy.heard(), [format!("CONNECT {SHOP}:443 HTTP/1.1")]);
}

#[tokio::test]
async fn a_proxy_that_refuses_or_is_away_is_no_connection() {
    let proxy = Proxy::new().await;
    let refused = get(&proxy.session(&["HTTPS_PROXY"], ""), &format!("https://{SHOP}/")).await;
    assert_eq!(refused, Err(FetchError::Connect { host: format!("{SHOP}:443") }));
    let closed = ClosedPort::bind();
    let away = session(&closed.to_string(), &["ALL_PROXY"], "", settings());
    for scheme in ["http", "https"] {
        let found = get(&away, &format!("{scheme}://{SHOP}/")).await;
        assert_eq!(found, Err(FetchError::Connect { host: closed.to_string() }));
    }
    let unknown = session("nowhere.kestrel-lamps.com:3128", &["ALL_PROXY"], "", settings());
    let found = get(&unknown, &format!("http://{SHOP}/")).await;
    assert_eq!(found, Err(FetchError::Dns { host: "nowhere.kestrel-lamps.com".to_owned() }));
}

#[tokio::test]
async fn a_rule_of_the_operator_leads_past_the_proxy() {
    let proxy = Proxy::new().await;
    let site = Server::plain(Router::new().fallback(|| async { "direct" })).await;
    let rule = format!("{SHOP}:80:127.0.0.1:{}", site.port()).parse().unwrap();
    let settings = HttpSettings { connect_to: vec![rule], ..settings() };
    let session = proxy.session_with(&["ALL_PROXY"], "", settings);
    assert_eq!(response(&session, &format!("http://{SHOP}/")).await.text(), "direct");
    assert_eq!(proxy.heard(), [""; 0]);
}
