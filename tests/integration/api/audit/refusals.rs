//! What is not audited, and why.

use std::net::Ipv4Addr;

use serde_json::{Value, json};
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::site::{Reply, Site, good};

use crate::api::agent_readiness::error;
use crate::api::audit::AUDIT;
use crate::api::dns::{NameServer, Reply as Answer};
use crate::api::server::Server;

/// What an audit with this body is refused with, in two languages that agree.
async fn refused(server: &Server, body: &str) -> (u16, Value) {
    let (status, english) = error(server.post_audit("", body.to_owned()).await).await;
    let (_, mut turkish) = error(server.post_audit("?lang=tr", body.to_owned()).await).await;
    if let Some(reason) = english["details"]["fields"][0].get("reason") {
        let other = turkish["details"]["fields"][0]["reason"].take();
        assert!(other.is_string() && other != *reason, "{other}");
        turkish["details"]["fields"][0]["reason"] = reason.clone();
    }
    assert_eq!((&turkish["code"], &turkish["details"]), (&english["code"], &english["details"]));
    assert_ne!(turkish["message"], english["message"], "{body}");
    assert!(english["hint"].is_string() && turkish["hint"].is_string(), "{english}");
    (status.as_u16(), english)
}

async fn refused_url(server: &Server, url: &str) -> (u16, Value) {
    refused(server, &json!({ "url": url }).to_string()).await
}

#[tokio::test]
async fn a_body_without_a_url_is_refused_with_its_place_or_its_field() {
    let server = Server::start().await;
    for body in ["", "[", "[]", "url=https://example.com/", "null", r#""https://example.com/""#] {
        let (status, error) = refused(&server, body).await;
        assert_eq!((status, &error["code"]), (400, &"INVALID_REQUEST".into()), "{body}");
        assert!(error["details"]["line"].is_u64(), "{error}");
    }
    for (body, name, reason) in [
        ("{}", "url", "is missing"),
        (r#"{"URL":"https://example.com/"}"#, "url", "is missing"),
        (r#"{"url":7}"#, "url", "is not a string"),
        (r#"{"url":null}"#, "url", "is not a string"),
        (r#"{"url":["https://example.com/"]}"#, "url", "is not a string"),
        (r#"{"url":"https://a.com/","url":"https://a.com/"}"#, "url", "appears more than once"),
        (r#"{"url":"https://a.com/","profile":1}"#, "profile", "is not a string"),
        (
            r#"{"url":"https://a.com/","profile":"shop"}"#,
            "profile",
            "is not one of product, collection, article, landing, documentation, forum, listing",
        ),
    ] {
        let (status, error) = refused(&server, body).await;
        assert_eq!((status, &error["code"]), (400, &"INVALID_REQUEST".into()), "{body}");
        let fields = json!({ "fields": [{ "field": name, "reason": reason }] });
        assert_eq!(error["details"], fields, "{body}");
    }
    assert_eq!(server.sites.requests(), 0);
}

#[tokio::test]
async fn a_body_of_another_kind_or_size_is_refused() {
    let server = Server::start().await;
    let body = json!({ "url": "https://example.com/" }).to_string();
    let post = || server.client.post(server.url(AUDIT)).body(body.clone());
    for (name, value) in [("content-type", "text/html"), ("content-encoding", "gzip")] {
        let (status, error) = error(post().header(name, value).send().await.unwrap()).await;
        assert_eq!((status.as_u16(), &error["code"]), (415, &"UNSUPPORTED_MEDIA_TYPE".into()));
    }
    let (status, error) = refused(&server, &"x".repeat(20_000)).await;
    assert_eq!((status, &error["code"]), (413, &"PAYLOAD_TOO_LARGE".into()));
    let get = server.get(AUDIT).await;
    assert_eq!(get.status(), 405);
    assert_eq!(get.headers()["allow"], "POST,OPTIONS");
}

#[tokio::test]
async fn what_is_no_page_is_refused_with_its_reason() {
    let server = Server::start().await;
    let long = format!("https://example.com/{}", "a".repeat(2_029));
    assert_eq!(long.len(), 2_049);
    for (url, reason) in [
        ("", "empty"),
        ("  ", "empty"),
        (long.as_str(), "too_long"),
        ("/relative", "malformed"),
        ("https://", "malformed"),
        ("https://exa mple.com/", "malformed"),
        ("https://[::1/", "malformed"),
        ("https://example.com:99999/", "malformed"),
        ("shop.example.com/page", "no_scheme"),
        ("ftp://example.com/", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("javascript:alert(1)", "scheme"),
        ("data:text/html,a", "scheme"),
        ("https://user@example.com/", "user_info"),
        ("https://user:password@example.com/", "user_info"),
    ] {
        let (status, error) = refused_url(&server, url).await;
        assert_eq!((status, &error["code"]), (400, &"INVALID_URL".into()), "{url}: {error}");
        assert_eq!(error["details"]["reason"], reason, "{url}: {error}");
    }
    let (_, error) = refused_url(&server, "shop.example.com/page").await;
    assert_eq!(error["details"]["suggestion"], "https://shop.example.com/page");
    assert_eq!(server.sites.requests(), 0);
}

#[tokio::test]
async fn addresses_that_are_not_public_are_refused_however_they_are_written() {
    let server = Server::with(Hosts::default(), |settings| settings.fetch.connect_to.clear()).await;
    for url in [
        "http://127.0.0.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://127.1:80/",
        "http://10.0.0.1/",
        "http://192.168.1.1/admin",
        "http://169.254.169.254/latest/meta-data/",
        "http://0.0.0.0/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[fe80::1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://localhost/",
        "http://a.localhost.:8080/",
    ] {
        let (status, error) = refused_url(&server, url).await;
        assert_eq!((status, &error["code"]), (400, &"URL_NOT_ALLOWED".into()), "{url}: {error}");
        assert_eq!(error["details"]["reason"], "not_public", "{url}");
    }
}

#[tokio::test]
async fn a_port_that_is_not_the_web_s_is_refused_as_that() {
    let server = Server::with(Hosts::default(), |settings| settings.fetch.connect_to.clear()).await;
    for url in
        ["https://1.1.1.1:8443/", "http://example.com:8080/", "https://[2606:4700::1111]:22/"]
    {
        let (status, error) = refused_url(&server, url).await;
        assert_eq!((status, &error["code"]), (400, &"URL_NOT_ALLOWED".into()), "{url}: {error}");
        assert_eq!(error["details"]["reason"], "port", "{url}");
        assert!(error["hint"].as_str().unwrap().contains("443"), "{error}");
    }
}

#[tokio::test]
async fn a_name_that_leads_into_private_networks_is_refused_without_telling_where() {
    for address in ["127.0.0.1", "10.0.0.1", "169.254.169.254"] {
        let address: Ipv4Addr = address.parse().unwrap();
        let names = NameServer::start(move |_, _| Answer::Address(address)).await;
        let server = Server::with(Hosts::default(), |settings| {
            settings.fetch.connect_to.clear();
            settings.fetch.nameservers = vec![names.address];
        })
        .await;
        for url in ["https://intern.example.com/", "http://localhost.example.com/"] {
            let (status, error) = refused_url(&server, url).await;
            assert_eq!((status, &error["code"]), (400, &"URL_NOT_ALLOWED".into()), "{error}");
            assert!(!error.to_string().contains(&address.to_string()), "{error}");
        }
    }
}

#[tokio::test]
async fn localhost_is_not_public_whatever_name_servers_say() {
    let names = NameServer::start(|_, _| Answer::Address(Ipv4Addr::LOCALHOST)).await;
    let server = Server::with(Hosts::default(), |settings| {
        settings.fetch.connect_to.clear();
        settings.fetch.nameservers = vec![names.address];
    })
    .await;
    let (status, error) = refused_url(&server, "http://localhost/").await;
    assert_eq!((status, &error["code"]), (400, &"URL_NOT_ALLOWED".into()), "{error}");
}

#[tokio::test]
async fn the_operator_excludes_hosts_and_the_service_excludes_itself() {
    let server = Server::with(Hosts::new([good("example.com")]), |settings| {
        settings.fetch.deny = vec!["example.net".to_owned()];
        settings.base_url = Some("https://visibility.example.com".to_owned());
    })
    .await;
    for url in [
        "https://example.net/",
        "https://a.b.EXAMPLE.net./page",
        "http://example.net:8080/",
        "https://visibility.example.com/docs",
    ] {
        let (status, error) = refused_url(&server, url).await;
        assert_eq!((status, &error["code"]), (400, &"URL_NOT_ALLOWED".into()), "{url}");
        assert_eq!(error["details"]["reason"], "excluded");
    }
    assert_eq!(server.sites.requests(), 0);
    assert_eq!(server.audit("https://example.com/").await.status(), 201);
}

#[tokio::test]
async fn a_page_cannot_lead_an_audit_to_an_excluded_host() {
    let denied = FixtureServer::start(Hosts::new([good("denied.example.net")])).await;
    let moved = Site::new("moved.example.com")
        .with("/", Reply::redirect(301, "https://denied.example.net/"));
    let (https, http) = (denied.https(), denied.http());
    let server = Server::with(Hosts::new([moved]), |settings| {
        settings.fetch.deny = vec!["denied.example.net".to_owned()];
        settings.fetch.connect_to.insert(0, format!("denied.example.net:443:{https}"));
        settings.fetch.connect_to.insert(0, format!("denied.example.net:80:{http}"));
    })
    .await;
    let result = server.audited("", "https://moved.example.com/").await;
    assert_eq!(
        (&result["status"], &result["gpt_visibility_score"]),
        (&"unreachable".into(), &0.into())
    );
    assert_eq!((denied.connections(), denied.requests()), (0, 0));
}
