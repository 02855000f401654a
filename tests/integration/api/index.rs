//! What there is.

use serde_json::Value;
use visibility_tests::server::Hosts;

use crate::api::server::Server;

async fn index(server: &Server, query: &str) -> Value {
    let answer = server.get(&format!("/api/v1{query}")).await;
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "application/json");
    assert_eq!(answer.headers()["cache-control"], "public, max-age=300");
    answer.json().await.unwrap()
}

#[tokio::test]
async fn the_index_names_what_there_is_with_whole_addresses() {
    let server = Server::with(Hosts::default(), |settings| {
        settings.base_url = Some("https://visibility.example.com/".to_owned());
    })
    .await;
    let index = index(&server, "").await;
    for (name, expected) in [
        ("name", "visibility"),
        ("documentation", "https://visibility.example.com/docs"),
        ("openapi", "https://visibility.example.com/api/v1/openapi.json"),
        ("mcp", "https://visibility.example.com/api/mcp/v1/mcp"),
    ] {
        assert_eq!(index[name], expected);
    }
    let endpoints: Vec<String> = index["endpoints"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| ["method", "path", "auth"].map(|name| one[name].as_str().unwrap()).join(" "))
        .collect();
    assert_eq!(
        endpoints,
        [
            "POST /api/public/audit none",
            "GET /api/public/audit/{id} none",
            "GET /api/v1 none",
            "POST /api/v1/agent-readiness bearer",
            "GET /api/v1/agent-readiness/{domain} bearer",
            "GET /api/v1/agent-readiness/{domain}/history bearer",
            "GET /api/v1/health none",
            "GET /api/v1/logs/agents bearer",
            "GET /api/v1/logs/errors bearer",
            "GET /api/v1/logs/hosts bearer",
            "GET /api/v1/logs/series bearer",
            "GET /api/v1/logs/sources bearer",
            "GET /api/v1/logs/summary bearer",
            "GET /api/v1/openapi.json none",
        ]
    );
}

#[tokio::test]
async fn the_index_speaks_the_language_that_is_asked_for() {
    let server = Server::start().await;
    let english = index(&server, "").await;
    let turkish = index(&server, "?lang=tr").await;
    assert_eq!(index(&server, "?lang=de").await, english);
    assert!(!turkish["description"].as_str().unwrap().is_ascii());
    let both =
        |name| (english["endpoints"][0][name].clone(), turkish["endpoints"][0][name].clone());
    let (english, turkish) = both("description");
    assert_ne!(english, turkish);
    let (english, turkish) = both("path");
    assert_eq!(english, turkish);
}

#[tokio::test]
async fn a_client_that_has_the_index_gets_304() {
    let server = Server::start().await;
    let english = server.get("/api/v1").await.headers()["etag"].clone();
    let turkish = server.get("/api/v1?lang=tr").await.headers()["etag"].clone();
    assert_ne!(english, turkish);
    for (path, status) in [("/api/v1", 304), ("/api/v1?lang=tr", 200)] {
        let request = server.client.get(server.url(path)).header("if-none-match", &english);
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), status, "{path}");
        assert_eq!(answer.bytes().await.unwrap().is_empty(), status == 304);
    }
}
