//! From where the server may be asked, and what a token has to cover.

use reqwest::Method;
use serde_json::{Value, json};
use visibility_core::accounts::scope::Scope;
use visibility_tests::client::{Message, Reply};
use visibility_tests::server::Hosts;
use visibility_tests::site::good;

use super::{ACCEPT, ADDRESSES, code};
use crate::api::server::Server;

const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
const APP: &str = "https://app.example.com";

async fn server() -> Server {
    Server::with(Hosts::new([good("shop.example.com")]), |settings| {
        settings.base_url = Some("https://visibility.example.com".to_owned());
        settings.mcp.allowed_origins = vec![APP.to_owned()];
        settings.mcp.allowed_hosts = vec!["mcp.internal:9000".to_owned()];
    })
    .await
}

fn list(server: &Server, path: &str) -> Message {
    Message::new("POST", path)
        .with("host", "visibility.example.com")
        .with("authorization", &format!("Bearer {}", server.key))
        .with("accept", ACCEPT)
        .with("content-type", "application/json")
        .body(LIST)
}

fn shared(reply: &Reply) -> Option<&str> {
    reply.header("access-control-allow-origin")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_of_a_stranger_is_refused_before_anybody_is_asked_for() {
    let server = server().await;
    for path in ADDRESSES {
        for host in ["visibility.example.com", "localhost", "127.0.0.1:1", "mcp.internal:9000"] {
            let reply = list(&server, path).with("host", host).send(server.address).await;
            assert_eq!(reply.status, 200, "{path} {host}");
        }
        for host in ["evil.example", "mcp.internal", "localhost.evil.example", "a b", "[::1"] {
            for message in [list(&server, path), list(&server, path).without("authorization")] {
                let reply = message.with("host", host).send(server.address).await;
                let found = (reply.status, reply.code());
                assert_eq!(found, (403, "FORBIDDEN".to_owned()), "{path} {host}");
            }
        }
    }
    let elsewhere = Message::new("GET", "/api/v1").with("host", "evil.example");
    assert_eq!(elsewhere.send(server.address).await.status, 200, "the API has no such rule");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_listed_origins_alone_may_use_it() {
    let server = server().await;
    for path in ADDRESSES {
        for origin in [APP, "https://visibility.example.com"] {
            let reply = list(&server, path).with("origin", origin).send(server.address).await;
            assert_eq!((reply.status, shared(&reply)), (200, Some(origin)), "{path}");
            assert!(reply.header("vary").unwrap().contains("origin"), "{reply:?}");
            let exposed = reply.header("access-control-expose-headers").unwrap();
            assert!(exposed.contains("WWW-Authenticate") && exposed.contains("Mcp-Session-Id"));
            let anonymous = list(&server, path).without("authorization").with("origin", origin);
            let reply = anonymous.send(server.address).await;
            assert_eq!((reply.status, shared(&reply)), (401, Some(origin)), "{path}");
        }
        for origin in ["https://evil.example", "null", "http://app.example.com", "http://localhost"]
        {
            for method in ["POST", "GET", "DELETE"] {
                let message = Message { method: method.to_owned(), ..list(&server, path) };
                let reply = message.with("origin", origin).send(server.address).await;
                let found = (reply.status, reply.code());
                assert_eq!(found, (403, "ORIGIN_NOT_ALLOWED".to_owned()), "{path} {origin}");
                assert_eq!(shared(&reply), None, "{path} {origin}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_asks_beforehand_without_a_token() {
    let server = server().await;
    for path in ADDRESSES {
        let ask = async |origin: &str| {
            Message::new("OPTIONS", path)
                .with("origin", origin)
                .with("access-control-request-method", "POST")
                .with("access-control-request-headers", "authorization,mcp-protocol-version")
                .send(server.address)
                .await
        };
        let reply = ask(APP).await;
        assert_eq!((reply.status, shared(&reply)), (204, Some(APP)), "{path}");
        assert_eq!(reply.header("access-control-allow-methods"), Some("POST, OPTIONS"));
        let names = reply.header("access-control-allow-headers");
        assert_eq!(names, Some("authorization,mcp-protocol-version"));
        assert_eq!(reply.header("access-control-allow-credentials"), None);
        let reply = ask("https://evil.example").await;
        assert_eq!((reply.status, shared(&reply)), (204, None), "{path}");
        assert_eq!(reply.header("access-control-allow-methods"), None, "{path}");
        let plain = Message::new("OPTIONS", path).send(server.address).await;
        assert_eq!((plain.status, plain.header("allow")), (204, Some("POST, OPTIONS")), "{path}");
    }
}

#[tokio::test]
async fn a_tool_wants_its_scope_and_nothing_else() {
    let server = server().await;
    let wants = [
        ("scan_domain", Scope::ScanRead),
        ("get_check", Scope::ScanRead),
        ("get_agent_access", Scope::ScanRead),
        ("get_fix", Scope::ScanRead),
        ("compare_domains", Scope::ScanRead),
        ("audit_page", Scope::AuditRead),
        ("get_audit", Scope::AuditRead),
        ("query_bot_traffic", Scope::LogsRead),
    ];
    for scope in Scope::FOR_PROGRAMS {
        let key = server.make_key(&[scope]);
        for (tool, wanted) in wants {
            for path in ADDRESSES {
                let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                    "params": { "name": tool, "arguments": {} } });
                let request = server.message(path, body.to_string()).headers(bearer(&key));
                let response = request.send().await.unwrap();
                let expected = if wanted == scope { 200 } else { 403 };
                assert_eq!(response.status(), expected, "{tool} with {scope}");
                if wanted != scope {
                    let challenge = response.headers()["www-authenticate"].to_str().unwrap();
                    assert!(challenge.contains("error=\"insufficient_scope\""), "{challenge}");
                    assert!(
                        challenge.contains(wanted.as_str()) && challenge.contains(scope.as_str()),
                        "{challenge}"
                    );
                    assert!(
                        challenge.contains(&format!("oauth-protected-resource{path}\"")),
                        "{challenge}"
                    );
                    assert_eq!(code(response).await, "INSUFFICIENT_SCOPE");
                }
            }
        }
        for method in ["tools/list", "initialize", "ping"] {
            let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "a", "version": "1" } } });
            let request = server.message("/mcp", body.to_string()).headers(bearer(&key));
            assert_eq!(request.send().await.unwrap().status(), 200, "{method}");
        }
    }
    let key = server.make_key(&[Scope::LogsRead]);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "list_checks" } });
    let request = server.message("/mcp", body.to_string()).headers(bearer(&key));
    assert_eq!(request.send().await.unwrap().status(), 200, "it wants none");
}

#[tokio::test]
async fn a_tool_name_that_appears_twice_is_invalid() {
    let server = server().await;
    let key = server.make_key(&[Scope::LogsRead]);
    for params in [
        r#"{"name":"list_checks","name":"scan_domain","arguments":{"domain":"shop.example.com"}}"#,
        r#"{"n\u0061me":"list_checks","name":"scan_domain","arguments":{"domain":"shop.example.com"}}"#,
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        let response = server.message("/mcp", body).headers(bearer(&key)).send().await.unwrap();
        assert_eq!(response.status(), 400);
    }
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"scan_domain","arguments":{"domain":"shop.example.com"}}}"#;
    let response = server.message("/mcp", body).headers(bearer(&key)).send().await.unwrap();
    assert_eq!(response.status(), 400);
    assert_eq!(server.sites.requests(), 0);
}

#[tokio::test]
async fn the_key_of_a_tenant_that_sends_logs_is_no_key() {
    let server = server().await;
    let request = server.client.request(Method::POST, server.url("/mcp"));
    let response = request.bearer_auth("svc_pk_live_x").send().await.unwrap();
    assert_eq!(response.status(), 401);
    let body: Value = response.json().await.unwrap();
    assert_eq!(body["error"]["details"]["reason"], "invalid");
}

/// Another key in the place of the usual one.
fn bearer(key: &str) -> reqwest::header::HeaderMap {
    let value = format!("Bearer {key}").parse().unwrap();
    reqwest::header::HeaderMap::from_iter([(reqwest::header::AUTHORIZATION, value)])
}
