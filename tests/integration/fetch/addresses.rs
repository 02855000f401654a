//! Which addresses are connected to: names, addresses in URLs, and the caller's own rules.

use std::sync::Arc;

use axum::Router;
use visibility_core::fetch::FetchError;
use visibility_core::fetch::http::{HttpClient, HttpSettings};
use visibility_tests::tls::{Alpn, Leaf, Server, TestCa};

use crate::fetch::fixture::{FakeResolver, NAME, get, response, settings};

async fn secret() -> Server {
    Server::plain(Router::new().fallback(|| async { "secret" })).await
}

#[tokio::test]
async fn an_address_in_a_url_is_checked_before_anything_is_sent() {
    let server = secret().await;
    let session = HttpClient::new(settings()).unwrap().session();
    let port = server.port();
    for url in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://127.1:{port}/"),
        format!("http://[::ffff:7f00:1]:{port}/"),
        format!("http://[::1]:{port}/"),
        "http://127.0.0.1/".to_owned(),
        "http://169.254.169.254/".to_owned(),
        "https://192.168.0.1/".to_owned(),
        "http://1.1.1.1:8080/".to_owned(),
    ] {
        let error = get(&session, &url).await.unwrap_err();
        assert_eq!(error, FetchError::Denied { after_redirect: false }, "{url}");
    }
    assert_eq!((server.connections(), session.requests()), (0, 0));
}

#[tokio::test]
async fn a_name_is_denied_if_any_of_its_addresses_is() {
    let resolver = FakeResolver::new(&[
        ("loopback.example.com", &["127.0.0.1"]),
        ("mixed.example.com", &["93.184.216.34", "10.0.0.1"]),
        ("mapped.example.com", &["::ffff:93.184.216.34"]),
        ("local6.example.com", &["2a00:1450:4001::1", "::1"]),
        ("metadata.example.com", &["169.254.169.254"]),
    ]);
    let resolver = Arc::new(resolver);
    let client = HttpClient::with_resolver(settings(), Arc::clone(&resolver) as _).unwrap();
    let session = client.session();
    for name in ["loopback", "mixed", "mapped", "local6", "metadata"] {
        for scheme in ["http", "https"] {
            let error =
                get(&session, &format!("{scheme}://{name}.example.com/")).await.unwrap_err();
            assert_eq!(error, FetchError::Denied { after_redirect: false }, "{name}");
        }
    }
    assert_eq!(resolver.asked.lock().unwrap().len(), 5, "each name was looked up once");
    assert_eq!(session.requests(), 0);
}

#[tokio::test]
async fn a_public_name_on_another_port_is_denied() {
    let resolver = FakeResolver::new(&[("www.example.com", &["93.184.216.34"])]);
    let client = HttpClient::with_resolver(settings(), Arc::new(resolver)).unwrap();
    for port in [22, 25, 8080, 8443, 6379] {
        let error = get(&client.session(), &format!("http://www.example.com:{port}/")).await;
        assert_eq!(error.unwrap_err(), FetchError::Denied { after_redirect: false }, "{port}");
    }
}

#[tokio::test]
async fn a_name_without_address_is_an_error_of_its_own() {
    let resolver = FakeResolver::new(&[("empty.example.com", &[])]);
    let client = HttpClient::with_resolver(settings(), Arc::new(resolver)).unwrap();
    for host in ["missing.example.com", "empty.example.com", "slow.example.com"] {
        let error = get(&client.session(), &format!("https://{host}/")).await.unwrap_err();
        assert_eq!(error, FetchError::Dns { host: host.to_owned() });
    }
}

#[tokio::test]
async fn an_allowed_network_may_be_reached_on_any_port() {
    let server = secret().await;
    let allowed = |network: &str| HttpSettings {
        allow_networks: vec![network.parse().unwrap()],
        ..settings()
    };
    let url = format!("http://127.0.0.1:{}/", server.port());
    let session = HttpClient::new(allowed("127.0.0.1/32")).unwrap().session();
    assert_eq!(response(&session, &url).await.text(), "secret");
    let resolver = Arc::new(FakeResolver::new(&[(NAME, &["127.0.0.1"])]));
    let client = HttpClient::with_resolver(allowed("127.0.0.0/8"), resolver).unwrap();
    let by_name = format!("http://{NAME}:{}/", server.port());
    assert_eq!(response(&client.session(), &by_name).await.text(), "secret");
    let session = HttpClient::new(allowed("127.0.0.2/32")).unwrap().session();
    assert_eq!(get(&session, &url).await, Err(FetchError::Denied { after_redirect: false }));
}

#[tokio::test]
async fn a_rule_leads_a_name_elsewhere_and_keeps_its_certificate() {
    let ca = TestCa::new();
    let config = ca.server_config(&[NAME], Leaf::Good, Alpn::Both);
    let over_tls = Server::tls(config, Router::new().fallback(|| async { "tls" })).await;
    let plain = Server::plain(Router::new().fallback(|| async { "plain" })).await;
    let rule = |from: u16, server: &Server| {
        format!("{NAME}:{from}:127.0.0.1:{}", server.port()).parse().unwrap()
    };
    let settings = HttpSettings {
        connect_to: vec![rule(443, &over_tls), rule(80, &plain)],
        extra_roots: vec![ca.root()],
        ..settings()
    };
    let resolver = Arc::new(FakeResolver::default());
    let client = HttpClient::with_resolver(settings, Arc::clone(&resolver) as _).unwrap();
    let session = client.session();
    assert_eq!(response(&session, &format!("https://{NAME}/")).await.text(), "tls");
    assert_eq!(response(&session, &format!("http://{NAME}/")).await.text(), "plain");
    assert!(resolver.asked.lock().unwrap().is_empty(), "the name was not looked up");
    let other = get(&session, "https://other.example.com/").await.unwrap_err();
    assert_eq!(other, FetchError::Dns { host: "other.example.com".to_owned() });
}

#[tokio::test]
async fn a_rule_for_one_port_opens_no_other_port_of_its_target() {
    let server = secret().await;
    let rule = "::127.0.0.1:1".parse().unwrap();
    let settings = HttpSettings { connect_to: vec![rule], ..settings() };
    let session = HttpClient::new(settings).unwrap().session();
    let error = get(&session, &format!("http://{NAME}:{}/", server.port())).await.unwrap_err();
    assert_eq!(error, FetchError::Denied { after_redirect: false });
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_rule_without_a_host_exempts_no_address() {
    let server = secret().await;
    let rule = format!(":80::{}", server.port()).parse().unwrap();
    let settings = HttpSettings { connect_to: vec![rule], ..settings() };
    let resolver = Arc::new(FakeResolver::new(&[(NAME, &["127.0.0.1"])]));
    let session = HttpClient::with_resolver(settings, resolver).unwrap().session();
    let error = get(&session, &format!("http://{NAME}/")).await.unwrap_err();
    assert_eq!(error, FetchError::Denied { after_redirect: false });
    assert_eq!(server.connections(), 0);
}
