//! What tells programs that the server is there, and what agents can do with it.

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use visibility_tests::server::Hosts;

use crate::api::server::Server;

const BASE: &str = "https://visibility.example.com";

async fn server() -> Server {
    Server::with(Hosts::default(), |settings| settings.base_url = Some(BASE.to_owned())).await
}

#[tokio::test]
async fn the_card_is_the_same_at_all_places_and_for_everybody() {
    let server = server().await;
    let mut seen = Vec::new();
    for path in [
        "/mcp/server-card",
        "/api/mcp/v1/mcp/server-card",
        "/.well-known/mcp/server-card.json",
        "/.well-known/mcp.json",
    ] {
        let response = server.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.headers()["content-type"], "application/mcp-server-card+json");
        assert_eq!(response.headers()["access-control-allow-origin"], "*", "{path}");
        assert!(response.headers().contains_key("etag"), "{path}");
        let card: Value = response.json().await.unwrap();
        assert_eq!(card["remotes"][0]["url"], format!("{BASE}/api/mcp/v1/mcp"));
        assert_eq!(card["remotes"][1]["url"], format!("{BASE}/mcp"));
        assert!(card.get("tools").is_none(), "{card}");
        seen.push(card);
    }
    assert!(seen.iter().all(|card| *card == seen[0]));
    for path in ["/.well-known/mcp", "/.well-known/mcp/x", "/.well-known/agent-skills/x/SKILL.md"] {
        let response = server.get(path).await;
        assert_eq!(response.status(), 404, "{path}");
        assert_eq!(response.headers()["content-type"], "application/json", "{path}");
    }
}

#[tokio::test]
async fn skills_have_the_digests_of_the_index() {
    let server = server().await;
    let index: Value =
        server.get("/.well-known/agent-skills/index.json").await.json().await.unwrap();
    let skills = index["skills"].as_array().unwrap();
    assert_eq!(skills.len(), 3);
    for skill in skills {
        let path = skill["url"].as_str().unwrap().strip_prefix(BASE).unwrap();
        let response = server.get(path).await;
        assert_eq!(response.headers()["content-type"], "text/markdown; charset=utf-8");
        let text = response.text().await.unwrap();
        let digest: String =
            Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(skill["digest"], format!("sha256:{digest}"), "{path}");
        let name = skill["name"].as_str().unwrap();
        assert!(text.starts_with(&format!("---\nname: {name}\n")), "{text}");
        assert!(text.contains(skill["description"].as_str().unwrap()), "{path}");
    }
}

#[tokio::test]
async fn everything_that_lists_what_there_is_names_the_server() {
    let server = server().await;
    let mcp = format!("{BASE}/api/mcp/v1/mcp");
    for path in
        ["/api/v1", "/api/v1/openapi.json", "/.well-known/api-catalog", "/llms.txt", "/docs/mcp.md"]
    {
        assert!(server.get(path).await.text().await.unwrap().contains(&mcp), "{path}");
    }
    let catalog = server.get("/.well-known/ai-catalog.json").await;
    let catalog: Value = catalog.json().await.unwrap();
    let entries = catalog["entries"].as_array().unwrap().iter();
    let mut cards = entries.filter(|entry| entry["type"] == "application/mcp-server-card+json");
    assert_eq!(cards.next().unwrap()["url"], format!("{mcp}/server-card"));
}
