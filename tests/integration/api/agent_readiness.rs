//! Scans, and the results that are kept.

mod bodies;
mod cache;
pub(crate) mod hang_up;
mod refusals;
pub(crate) mod sharing;

use std::collections::BTreeMap;

use axum::http::StatusCode;
use flate2::read::GzDecoder;
use reqwest::Response;
use serde_json::{Value, json};
use std::io::Read;
use visibility_tests::server::Hosts;
use visibility_tests::site::good;
use visibility_tests::typical;

use crate::api::server::Server;

impl Server {
    /// Asks for a scan with any body.
    pub(crate) async fn post(&self, query: &str, body: impl Into<reqwest::Body>) -> Response {
        let request = self.client.post(self.url(&format!("/api/v1/agent-readiness{query}")));
        let request = request.header("content-type", "application/json");
        request.bearer_auth(&self.key).body(body).send().await.unwrap()
    }

    /// Asks for a scan.
    pub(crate) async fn scan(&self, domain: &str) -> Response {
        self.post("", json!({ "domain": domain }).to_string()).await
    }

    /// Asks for a scan, and takes the result.
    pub(crate) async fn result(&self, query: &str, domain: &str) -> Value {
        let response = self.post(query, json!({ "domain": domain }).to_string()).await;
        let status = response.status();
        let result: Value = response.json().await.unwrap();
        assert_eq!(status, 200, "{result}");
        result
    }

    /// Asks for the result that is kept.
    pub(crate) async fn kept(&self, domain: &str, headers: &[(&str, &str)]) -> Response {
        let url = self.url(&format!("/api/v1/agent-readiness/{domain}"));
        let mut request = self.client.get(url).bearer_auth(&self.key);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    }
}

/// The status, and the error that an answer tells.
pub(crate) async fn error(response: Response) -> (StatusCode, Value) {
    let status = response.status();
    let mut body: Value = response.json().await.unwrap();
    (status, body["error"].take())
}

pub(crate) fn field<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers().get(name).map(|value| value.to_str().unwrap())
}

/// What has no language.
fn bones(result: &Value) -> Value {
    let of = |rows: &Value, names: &[&str]| -> Vec<Value> {
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| names.iter().map(|name| row[name].clone()).collect()).collect()
    };
    json!({
        "score": result["score"],
        "tier": result["tier"],
        "scanned_at": result["scanned_at"],
        "checks": of(&result["checks"], &["id", "status", "points"]),
        "agents": of(&result["agents"], &["id", "name", "access", "effective"]),
    })
}

#[tokio::test]
async fn a_scan_is_made_once_for_both_languages() {
    let server = Server::with(Hosts::new([good("shop.example.com")]), |_| {}).await;
    let first = server.result("", "shop.example.com").await;
    let requests = server.sites.requests();
    assert!(requests > 5, "{requests}");
    assert_eq!(first["cached"], false);
    assert_eq!(first["domain"], "shop.example.com");
    assert_eq!(first["checks"].as_array().unwrap().len(), 21);
    assert_eq!(first["agents"].as_array().unwrap().len(), 27);

    let turkish = server.result("?lang=tr", "SHOP.example.com.").await;
    assert_eq!((&turkish["cached"], &turkish["lang"]), (&true.into(), &"tr".into()));
    assert_eq!(bones(&turkish), bones(&first));
    assert_ne!(turkish["checks"][0]["title"], first["checks"][0]["title"]);
    assert!(turkish.to_string().contains('ı'), "{}", turkish["checks"][0]);

    let english = server.result("?lang=de", "shop.example.com").await;
    assert_eq!(english["cached"], true);
    let mut again = first.clone();
    again["cached"] = true.into();
    assert_eq!(english, again);
    assert_eq!(server.sites.requests(), requests, "nothing was asked twice");
}

#[tokio::test]
async fn every_typical_site_has_its_score() {
    let sites = typical::all();
    let scores: BTreeMap<String, u8> =
        sites.iter().map(|typical| (typical.site.host.clone(), typical.score)).collect();
    let hosts = Hosts::new(sites.into_iter().map(|typical| typical.site));
    let server = Server::with(hosts, |_| {}).await;
    for (host, score) in scores {
        let result = server.result("", &host).await;
        assert_eq!(result["score"], score, "{host}");
    }
}

#[tokio::test]
async fn an_answer_says_how_it_may_be_kept() {
    let server = Server::with(Hosts::new([good("shop.example.com")]), |_| {}).await;
    let first = server.scan("shop.example.com").await;
    assert_eq!(field(&first, "age"), None);
    let later = server.scan("shop.example.com").await;
    assert!(field(&later, "age").is_some_and(|age| age.parse::<u32>().unwrap() < 100));
    for response in [first, later] {
        assert_eq!(field(&response, "content-type"), Some("application/json"));
        assert_eq!(field(&response, "cache-control"), Some("private, no-store"));
        assert!(field(&response, "vary").unwrap().to_lowercase().contains("accept-encoding"));
        assert!(field(&response, "x-request-id").is_some());
        assert_eq!(field(&response, "content-encoding"), None);
    }
}

#[tokio::test]
async fn other_members_of_the_body_are_not_looked_at() {
    let server = Server::with(Hosts::new([good("shop.example.com")]), |_| {}).await;
    let body = json!({ "domain": " shop.example.com ", "fresh": true, "x": [{ "domain": 1 }] });
    assert_eq!(server.post("", body.to_string()).await.status(), 200);
}

#[tokio::test]
async fn a_result_that_is_kept_is_read_with_its_tag() {
    let server = Server::with(Hosts::new([good("shop.example.com")]), |_| {}).await;
    let (status, none) = error(server.kept("shop.example.com", &[]).await).await;
    assert_eq!((status, &none["code"]), (StatusCode::NOT_FOUND, &"NOT_FOUND".into()));
    let first = server.result("", "shop.example.com").await;

    let found = server.kept("shop.example.com", &[]).await;
    assert_eq!(found.status(), 200);
    assert_eq!(field(&found, "cache-control"), Some("private, no-cache"));
    assert!(field(&found, "age").is_some());
    let tag = field(&found, "etag").unwrap().to_owned();
    assert!(tag.starts_with('"') && tag.len() > 20, "{tag}");
    let kept: Value = found.json().await.unwrap();
    assert_eq!((&kept["cached"], bones(&kept)), (&true.into(), bones(&first)));

    let same = server.kept("shop.example.com", &[("if-none-match", &tag)]).await;
    assert_eq!((same.status().as_u16(), field(&same, "etag")), (304, Some(tag.as_str())));
    assert_eq!(same.text().await.unwrap(), "");
    for other in ["?lang=tr", ""] {
        let headers: &[(&str, &str)] = match other {
            "" => &[("if-none-match", &tag), ("accept-encoding", "gzip")],
            _ => &[("if-none-match", &tag)],
        };
        let found = server.kept(&format!("shop.example.com{other}"), headers).await;
        assert_eq!(found.status(), 200, "{other}");
        assert_ne!(field(&found, "etag"), Some(tag.as_str()), "other bytes");
    }
    let head = server.url("/api/v1/agent-readiness/shop.example.com");
    let head = server.client.head(head).bearer_auth(&server.key).send().await.unwrap();
    assert_eq!((head.status().as_u16(), field(&head, "etag")), (200, Some(tag.as_str())));
    assert_eq!(head.text().await.unwrap(), "");
}

#[tokio::test]
async fn who_takes_gzip_gets_it() {
    let server = Server::with(Hosts::new([good("shop.example.com")]), |_| {}).await;
    let first = server.result("", "shop.example.com").await;
    let packed = server.kept("shop.example.com", &[("accept-encoding", "br, gzip")]).await;
    assert_eq!(field(&packed, "content-encoding"), Some("gzip"));
    let packed = packed.bytes().await.unwrap();
    let mut text = String::new();
    GzDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
    assert!(packed.len() * 3 < text.len());
    let unpacked: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(bones(&unpacked), bones(&first));
}

#[tokio::test]
async fn a_result_needs_a_key_with_its_scope() {
    let server = Server::start().await;
    let path = "/api/v1/agent-readiness/shop.example.com";
    assert_eq!(server.get(path).await.status(), 401);
    let request = server.client.get(server.url(path));
    let key = server.make_key(&[visibility_core::accounts::scope::Scope::AuditRead]);
    assert_eq!(request.bearer_auth(key).send().await.unwrap().status(), 403);
}
