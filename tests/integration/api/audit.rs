//! Audits of pages: what is answered, and how a result is found again.

mod budgets;
mod kept;
mod refusals;
mod sharing;

use axum::http::StatusCode;
use reqwest::Response;
use serde_json::{Value, json};
use visibility_core::text::locale::Lang;
use visibility_tests::server::Hosts;
use visibility_tests::site::{Reply, Site, good};
use visibility_tests::wait::LEEWAY;

use crate::api::agent_readiness::{error, field};
use crate::api::server::Server;

/// Where audits are asked for.
pub(crate) const AUDIT: &str = "/api/public/audit";
pub(crate) const PAGE: &str = "https://shop.example.com/";

impl Server {
    /// Asks for an audit with any body.
    pub(crate) async fn post_audit(&self, query: &str, body: impl Into<reqwest::Body>) -> Response {
        let request = self.client.post(self.url(&format!("{AUDIT}{query}")));
        let request = request.header("content-type", "application/json");
        request.body(body).send().await.unwrap()
    }

    /// Asks for an audit of a page.
    pub(crate) async fn audit(&self, url: &str) -> Response {
        self.post_audit("", json!({ "url": url }).to_string()).await
    }

    /// Asks for an audit of a page, and takes the result.
    pub(crate) async fn audited(&self, query: &str, url: &str) -> Value {
        let response = self.post_audit(query, json!({ "url": url }).to_string()).await;
        let status = response.status();
        let result: Value = response.json().await.unwrap();
        assert_eq!(status, 201, "{result}");
        result
    }

    /// Asks for the result with an id and this suffix.
    pub(crate) async fn shown(&self, id: &str, headers: &[(&str, &str)]) -> Response {
        let mut request = self.client.get(self.url(&format!("{AUDIT}/{id}")));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    }
}

/// The id of a result.
pub(crate) fn id(result: &Value) -> &str {
    result["id"].as_str().unwrap()
}

#[tokio::test]
async fn a_page_is_audited_without_a_key() {
    let server = Server::with(Hosts::new([good("shop.example.com")]), |_| {}).await;
    let response = server.audit(" https://SHOP.example.com:443/#top ").await;
    assert_eq!(response.status(), 201);
    for (name, value) in [
        ("content-type", "application/json"),
        ("cache-control", "private, no-store"),
        ("access-control-allow-origin", "*"),
        ("vary", "accept-encoding"),
    ] {
        assert_eq!(field(&response, name), Some(value), "{name}");
    }
    assert_eq!(field(&response, "age"), None);
    let location = field(&response, "location").unwrap().to_owned();
    let text = response.text().await.unwrap();
    let result: Value = serde_json::from_str(&text).unwrap();
    // The four of the contract come first, as people read them.
    let places: Vec<usize> = [
        r#"{"id":"#,
        r#","url":"#,
        r#","gpt_visibility_score":"#,
        r#","status":"#,
        r#","final_url":"#,
    ]
    .map(|name| text.find(name).unwrap())
    .into();
    assert!(places.is_sorted() && places[0] == 0, "{places:?} {text}");
    assert_eq!(result["url"], PAGE);
    assert_eq!(result["status"], "completed");
    assert!(result["gpt_visibility_score"].is_u64());
    assert_eq!(location, format!("{AUDIT}/{}", id(&result)));
    assert!(id(&result).starts_with("aud_") && id(&result).len() == 26);
    // The page, robots.txt and the sitemap.
    assert_eq!(server.sites.requests(), 3);
}

#[tokio::test]
async fn other_members_of_the_body_are_not_looked_at_and_curl_is_taken_at_its_word() {
    let server = Server::with(Hosts::new([good("shop.example.com")]), |_| {}).await;
    let body = json!({ "url": PAGE, "fresh": true, "x": [{ "url": 1 }] }).to_string();
    assert_eq!(server.post_audit("", body.clone()).await.status(), 201);
    let request = server.client.post(server.url(AUDIT)).body(body);
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    assert_eq!(request.send().await.unwrap().status(), 201);
}

#[tokio::test]
async fn whatever_a_visit_finds_is_a_result_with_its_status() {
    let page = |reply: Reply| good("shop.example.com").with("/page", reply);
    let html = |text: &str| Reply::html(format!("<!doctype html><title>A</title><p>{text}</p>"));
    for (reply, status, http) in [
        (html("a"), "completed", json!(200)),
        (Reply::error(404), "not_found", json!(404)),
        (Reply::error(410), "not_found", json!(410)),
        (Reply::error(403), "blocked", json!(403)),
        (Reply::error(429), "blocked", json!(429)),
        (Reply::error(500), "server_error", json!(500)),
        (Reply::error(503), "server_error", json!(503)),
        (Reply::new("application/pdf", "%PDF-1.7"), "not_html", json!(200)),
        (Reply::redirect(302, "http://127.0.0.1/"), "unreachable", Value::Null),
        (Reply::redirect(302, "/page"), "unreachable", Value::Null),
    ] {
        let server = Server::with(Hosts::new([page(reply)]), |_| {}).await;
        let response = server.audit("https://shop.example.com/page").await;
        assert_eq!(response.status(), 201, "{status}");
        let location = field(&response, "location").unwrap().to_owned();
        let result: Value = response.json().await.unwrap();
        assert_eq!(
            (&result["status"], &result["http_status"]),
            (&status.into(), &http),
            "{result}"
        );
        if status != "completed" {
            assert_eq!(result["gpt_visibility_score"], 0);
        }
        let found: Value = server.get(&location).await.json().await.unwrap();
        assert_eq!(found, result, "it is found where the answer said");
    }
}

#[tokio::test]
async fn a_site_that_says_nothing_is_unreachable_when_its_time_is_over() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let rule = format!("::{}", silent.local_addr().unwrap());
    let server = Server::with(Hosts::default(), move |settings| {
        settings.fetch.connect_to = vec![rule];
        settings.timeouts.audit = 1;
    })
    .await;
    let started = std::time::Instant::now();
    let result = server.audited("", PAGE).await;
    assert_eq!((&result["status"], &result["http_status"]), (&"unreachable".into(), &Value::Null));
    // Its time is a second.
    assert!(started.elapsed() < LEEWAY);
}

#[tokio::test]
async fn a_result_has_both_languages_and_four_views() {
    let server = Server::with(Hosts::new([good("shop.example.com")]), |_| {}).await;
    let english = server.audited("", PAGE).await;
    let turkish = server.audited("?lang=tr", PAGE).await;
    assert_eq!((id(&english), english["lang"].as_str()), (id(&turkish), Some("en")));
    assert_eq!(turkish["lang"], "tr");
    assert_ne!(english["summary"], turkish["summary"]);
    assert_eq!(server.sites.requests(), 3, "it was audited once");
    let id = id(&english);
    let report = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    for (suffix, accept, media_type, policy) in [
        ("", "*/*", "application/json", None),
        ("", "application/json, text/html", "application/json", None),
        ("", "text/html,*/*;q=0.8", "text/html; charset=utf-8", Some(report)),
        ("", "text/markdown", "text/markdown; charset=utf-8", None),
        (".html", "*/*", "text/html; charset=utf-8", Some(report)),
        (".md", "text/html", "text/markdown; charset=utf-8", None),
        (".svg", "*/*", "image/svg+xml", Some("default-src 'none'; style-src 'unsafe-inline'")),
    ] {
        for lang in Lang::ALL {
            let name = format!("{id}{suffix}?lang={lang}");
            let found = server.shown(&name, &[("accept", accept)]).await;
            assert_eq!(found.status(), 200, "{name}");
            assert_eq!(field(&found, "content-type"), Some(media_type), "{name} {accept}");
            assert_eq!(field(&found, "content-security-policy"), policy, "{name}");
            assert_eq!(field(&found, "x-robots-tag"), Some("noindex"), "{name}");
            assert_eq!(field(&found, "x-service-extension"), Some("audit-result"), "{name}");
            assert_eq!(field(&found, "cache-control"), Some("private, no-cache"), "{name}");
            let text = found.text().await.unwrap();
            if media_type == "application/json" {
                let expected = if lang == Lang::En { &english } else { &turkish };
                assert_eq!(&serde_json::from_str::<Value>(&text).unwrap(), expected);
            }
            // Elsewhere a fix may be a script to paste.
            let is_page = media_type.starts_with("text/html") || media_type.starts_with("image/");
            assert!(!is_page || !text.contains("<script"), "{name}");
        }
    }
    let html = server.shown(&format!("{id}.html?lang=tr"), &[]).await.text().await.unwrap();
    assert!(html.contains("<html lang=\"tr\""), "{html}");
    let badge = server.shown(&format!("{id}.svg"), &[]).await.text().await.unwrap();
    assert!(badge.starts_with("<svg "), "{badge}");
}

#[tokio::test]
async fn a_client_that_has_a_view_gets_304_and_head_has_no_body() {
    let server = Server::with(Hosts::new([good("shop.example.com")]), |_| {}).await;
    let result = server.audited("", PAGE).await;
    let mut tags = std::collections::BTreeSet::new();
    for suffix in ["", ".html", ".md", ".svg"] {
        for (lang, coding) in [("en", "identity"), ("tr", "identity"), ("en", "gzip")] {
            let name = format!("{}{suffix}?lang={lang}", id(&result));
            let coding = ("accept-encoding", coding);
            let found = server.shown(&name, &[coding]).await;
            assert_eq!(field(&found, "content-encoding"), (coding.1 == "gzip").then_some("gzip"));
            let tag = field(&found, "etag").unwrap().to_owned();
            let again = server.shown(&name, &[coding, ("if-none-match", &tag)]).await;
            assert_eq!(again.status(), 304, "{name}");
            assert_eq!(field(&again, "etag"), Some(tag.as_str()));
            assert_eq!(field(&again, "content-type"), None);
            assert_eq!(again.text().await.unwrap(), "");
            let url = server.url(&format!("{AUDIT}/{name}"));
            let head = server.client.head(url).header(coding.0, coding.1).send().await.unwrap();
            assert_eq!((head.status().as_u16(), field(&head, "etag")), (200, Some(tag.as_str())));
            assert_eq!(head.text().await.unwrap(), "");
            assert!(tags.insert(tag), "other bytes have another tag");
        }
    }
}

#[tokio::test]
async fn what_is_no_audit_that_is_kept_is_not_found() {
    let server = Server::start().await;
    for name in [
        "aud_0000000000000000000001",
        "aud_0000000000000000000001.html",
        "aud_1",
        "%ff",
        "x.svg",
        "aud_0000000000000000000001.json",
        "https%3A%2F%2Fshop.example.com%2F",
    ] {
        let (status, error) = error(server.shown(name, &[]).await).await;
        assert_eq!(
            (status, &error["code"]),
            (StatusCode::NOT_FOUND, &"NOT_FOUND".into()),
            "{name}"
        );
        assert!(error["hint"].as_str().unwrap().contains("POST /api/public/audit"), "{error}");
    }
}

#[tokio::test]
async fn a_kind_of_page_can_be_chosen() {
    let server = Server::with(Hosts::new([good("shop.example.com")]), |_| {}).await;
    let found = server.audited("", PAGE).await;
    let body = json!({ "url": PAGE, "profile": "article" }).to_string();
    let chosen: Value = server.post_audit("", body.clone()).await.json().await.unwrap();
    assert_eq!(
        (&chosen["profile"]["id"], &chosen["profile"]["chosen"]),
        (&"article".into(), &true.into())
    );
    assert_eq!(found["profile"]["chosen"], false);
    assert_ne!(id(&found), id(&chosen), "they are different audits");
    let again: Value = server.post_audit("", body).await.json().await.unwrap();
    assert_eq!(again, chosen);
}

#[tokio::test]
async fn a_page_that_is_hard_to_read_is_bounded() {
    let page = format!("<!doctype html>{}", "<div>".repeat(200_000));
    let deep = Site::new("deep.example.com").with("/", Reply::html(page));
    let large = Reply::html("<p>a</p>".repeat(1_000_000));
    let large = Site::new("large.example.com").with("/", large);
    let server = Server::with(Hosts::new([deep, large]), |_| {}).await;
    for (url, status) in
        [("https://deep.example.com/", "completed"), ("https://large.example.com/", "partial")]
    {
        let result = server.audited("", url).await;
        assert_eq!(result["status"], status, "{url}");
    }
}
