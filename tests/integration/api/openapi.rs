//! The descriptions and the pages that are made of them, as they are served.

use std::collections::BTreeSet;

use serde_json::Value;
use visibility_tests::server::Hosts;

use crate::api::server::Server;

const BASE: &str = "https://visibility.example.com";

async fn server() -> Server {
    Server::with(Hosts::default(), |settings| {
        settings.base_url = Some(BASE.to_owned());
        settings.ingest_url = Some("https://logs.example.com".to_owned());
    })
    .await
}

#[tokio::test]
async fn the_descriptions_name_where_the_service_is() {
    let server = server().await;
    for (path, url) in
        [("/api/v1/openapi.json", BASE), ("/v1/openapi.json", "https://logs.example.com")]
    {
        let answer = server.get(path).await;
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "application/json");
        assert_eq!(answer.headers()["cache-control"], "public, max-age=300");
        let etag = answer.headers()["etag"].clone();
        assert!(etag.to_str().unwrap().starts_with('"'), "{etag:?}");
        let description: Value = answer.json().await.unwrap();
        assert_eq!(description["openapi"], "3.1.0");
        assert_eq!(description["info"]["version"], "1.0.0");
        assert_eq!(description["servers"], serde_json::json!([{ "url": url }]));
        let again = server.client.get(server.url(path)).header("if-none-match", etag);
        assert_eq!(again.send().await.unwrap().status(), 304);
    }
}

/// Values of an attribute, without its quotes.
fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    html.split(&format!(" {name}=\"")).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[tokio::test]
async fn the_page_runs_nothing_and_loads_nothing_else() {
    let server = server().await;
    let answer = server.get("/docs").await;
    assert_eq!(answer.headers()["content-type"], "text/html; charset=utf-8");
    let policy = answer.headers()["content-security-policy"].to_str().unwrap().to_owned();
    for rule in
        ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]
    {
        assert!(policy.contains(rule), "{policy}");
    }
    assert!(!policy.contains("unsafe") && !policy.contains("script"), "{policy}");
    let page = answer.text().await.unwrap();
    assert!(page.contains("<html lang=\"en\">"));
    assert!(page.contains(&format!("<link rel=\"canonical\" href=\"{BASE}/docs\">")));
    for absent in ["<script", " style=\"", " onclick=", "<iframe", "<img", "@import"] {
        assert!(!page.contains(absent), "{absent}");
    }
    let foreign = |url: &&str| url.starts_with("http") && !url.starts_with(BASE);
    let outside: Vec<&str> = attributes(&page, "src").into_iter().filter(foreign).collect();
    assert!(outside.is_empty(), "{outside:?}");
}

#[tokio::test]
async fn every_operation_schema_and_code_can_be_linked_to() {
    let server = server().await;
    let page = server.get("/docs").await.text().await.unwrap();
    let ids = attributes(&page, "id");
    let known: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), known.len(), "ids appear twice");
    let inner = attributes(&page, "href").into_iter().filter_map(|link| link.strip_prefix('#'));
    for target in inner {
        assert!(known.contains(target), "#{target} leads nowhere");
    }
    for path in ["/api/v1/openapi.json", "/v1/openapi.json"] {
        let description: Value = server.get(path).await.json().await.unwrap();
        for (_, item) in description["paths"].as_object().unwrap() {
            for (_, operation) in item.as_object().unwrap() {
                assert!(known.contains(operation["operationId"].as_str().unwrap()));
            }
        }
        for (name, _) in description["components"]["schemas"].as_object().unwrap() {
            assert!(known.contains(format!("schema-{name}").as_str()), "{name}");
        }
    }
    assert!(known.contains("error-RATE_LIMITED"));
}

#[tokio::test]
async fn the_page_is_markdown_on_request() {
    let server = server().await;
    let twin = server.get("/docs.md").await;
    assert_eq!(twin.headers()["content-type"], "text/markdown; charset=utf-8");
    let twin = twin.text().await.unwrap();
    assert!(twin.starts_with("# API reference\n"), "{twin}");
    assert!(twin.contains("\ncurl https://visibility.example.com/api/v1/agent-readiness \\\n"));
    assert!(twin.contains("\ncurl https://logs.example.com/v1/logs \\\n"));
    let asked = server.client.get(server.url("/docs")).header("accept", "text/markdown");
    let answer = asked.send().await.unwrap();
    assert!(answer.headers()["vary"].to_str().unwrap().contains("Accept"));
    assert_eq!(answer.text().await.unwrap(), twin);
}

#[tokio::test]
async fn what_the_operator_calls_the_service_is_text() {
    let hostile = "https://visibility.example.com/<script>alert(1)</script>";
    let server =
        Server::with(Hosts::default(), |settings| settings.base_url = Some(hostile.to_owned()))
            .await;
    let page = server.get("/docs").await.text().await.unwrap();
    assert!(!page.contains("<script"), "{page}");
}
