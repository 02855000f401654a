//! What clients read before they ask.

use serde_json::{Value, json};
use visibility_tests::server::Hosts;

use super::refused;
use crate::api::server::{Server, TENANT};

const PATHS: [&str; 5] = [
    "/api/mcp/v1/mcp",
    "/api/mcp/v1/http",
    "/api/mcp/v1/streamable-http",
    "/api/mcp/v1/sse",
    "/mcp",
];
const RESOURCE: &str = "/.well-known/oauth-protected-resource";
const SERVER: &str = "/.well-known/oauth-authorization-server";

async fn document(server: &Server, path: &str) -> Value {
    let answer = server.get(path).await;
    assert_eq!(answer.status(), 200, "{path}");
    let headers = answer.headers();
    assert_eq!(headers["content-type"], "application/json", "{path}");
    assert_eq!(headers["cache-control"], "public, max-age=3600", "{path}");
    assert_eq!(headers["access-control-allow-origin"], "*", "{path}");
    assert!(headers.contains_key("etag"), "{path}");
    answer.json().await.unwrap()
}

#[tokio::test]
async fn each_address_of_the_endpoint_has_metadata_that_name_it() {
    let server = Server::start().await;
    for path in PATHS {
        let found = document(&server, &format!("{RESOURCE}{path}")).await;
        assert_eq!(found["resource"], server.url(path));
        assert_eq!(found["authorization_servers"], json!([server.url("")]));
        assert_eq!(found["bearer_methods_supported"], json!(["header"]));
        assert_eq!(found["scopes_supported"], json!(["scan:read", "audit:read", "logs:read"]));
    }
    let root = document(&server, RESOURCE).await;
    assert_eq!(root["resource"], server.url("/api/mcp/v1/mcp"));
}

#[tokio::test]
async fn the_authorization_server_says_the_same_wherever_it_is_looked_for() {
    let server = Server::start().await;
    let found = document(&server, SERVER).await;
    let expected = json!({
        "issuer": server.url(""),
        "authorization_endpoint": server.url("/authorize"),
        "token_endpoint": server.url("/token"),
        "registration_endpoint": server.url("/register"),
        "revocation_endpoint": server.url("/revoke"),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "client_id_metadata_document_supported": true,
        "authorization_response_iss_parameter_supported": true,
        "scopes_supported": ["scan:read", "audit:read", "logs:read", "offline_access"],
        "service_documentation": server.url("/docs"),
        "ui_locales_supported": ["en", "tr"],
    });
    assert_eq!(found, expected);
    for path in PATHS {
        assert_eq!(document(&server, &format!("{SERVER}{path}")).await, expected);
    }
}

#[tokio::test]
async fn what_is_not_there_is_an_error_object() {
    let server = Server::start().await;
    for path in [
        "/.well-known/openid-configuration",
        "/.well-known/openid-configuration/mcp",
        "/.well-known/oauth-protected-resource/",
        "/.well-known/oauth-protected-resource/api/mcp/v1/websocket",
        "/.well-known/oauth-protected-resource/MCP",
        "/.well-known/oauth-authorization-server/api/v1",
    ] {
        let answer = server.get(path).await;
        assert_eq!(answer.status(), 404, "{path}");
        let body: Value = answer.json().await.unwrap();
        assert_eq!(body["error"]["code"], "NOT_FOUND", "{path}");
    }
}

#[tokio::test]
async fn an_operator_turns_documents_about_clients_off() {
    let server = Server::with(Hosts::default(), |settings| {
        settings.oauth.client_documents = false;
    })
    .await;
    let found = document(&server, SERVER).await;
    assert_eq!(found["client_id_metadata_document_supported"], false);
    let client = "https://client.example/metadata.json";
    let answer = server.get(&format!("/authorize?{}", super::query(client, &[]))).await;
    assert_eq!(answer.status(), 400);
    assert_eq!(server.sites.requests(), 0);
    assert_eq!(refused(server.redeem(client, "a").await, 401).await, "invalid_client");
}

#[tokio::test]
async fn with_another_authorization_server_ours_is_not_there() {
    let server = Server::with(Hosts::default(), |settings| {
        settings.oauth.issuer = Some("https://login.example.com".to_owned());
        settings.oauth.tenant = Some(TENANT.parse().unwrap());
    })
    .await;
    let found = document(&server, RESOURCE).await;
    assert_eq!(found["authorization_servers"], json!(["https://login.example.com"]));
    assert_eq!(server.get(SERVER).await.status(), 404);
    for path in ["/token", "/register", "/revoke"] {
        assert_eq!(server.post_form(path, &[("a", "b")]).await.status(), 404, "{path}");
    }
}
