//! What is answered before the protocol is spoken, at every address.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::{ACCEPT, ADDRESSES, code, rpc_code};
use crate::api::server::Server;

const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

#[tokio::test]
async fn an_unknown_transport_is_never_found() {
    let server = Server::start().await;
    let options = Method::OPTIONS;
    for path in ["x", "MCP", "mcp/", "%6dcp", "mcp/x", "", "message", "http/server-card"] {
        for method in [Method::GET, Method::POST, Method::DELETE, Method::PUT, options.clone()] {
            let url = server.url(&format!("/api/mcp/v1/{path}"));
            let response = server.client.request(method.clone(), url).send().await.unwrap();
            assert_eq!(response.status(), 404, "{method} {path}");
            assert_eq!(response.headers().get("access-control-allow-origin"), None);
            let body: Value = response.json().await.unwrap();
            let error = &body["error"];
            assert_eq!(error["code"], "UNKNOWN_TRANSPORT", "{path}");
            let known = json!(["mcp", "http", "streamable-http", "sse"]);
            assert_eq!(error["details"]["supported"], known);
            let hint = error["hint"].as_str().unwrap();
            assert!(hint.contains(&server.url("/api/mcp/v1/mcp")), "{hint}");
            assert!(error["message"].as_str().unwrap().contains(path), "{error}");
        }
    }
    assert_eq!(server.get("/api/mcp/v1").await.status(), 404);
    assert_eq!(server.get("/mcp/").await.status(), 404);
    let turkish: Value = server.get("/api/mcp/v1/x?lang=tr").await.json().await.unwrap();
    assert!(turkish["error"]["message"].as_str().unwrap().contains("aktarımı"));
}

#[tokio::test]
async fn a_client_without_a_valid_token_learns_where_to_get_one() {
    let server = Server::start().await;
    for path in ADDRESSES {
        for method in [Method::GET, Method::POST, Method::DELETE, Method::PUT, Method::HEAD] {
            for token in [None, Some("service_live_x"), Some("x")] {
                let request = server.client.request(method.clone(), server.url(path));
                let request = token.into_iter().fold(request, RequestBuilder::bearer_auth);
                let response = request.send().await.unwrap();
                assert_eq!(response.status(), 401, "{method} {path}");
                let challenge = response.headers()["www-authenticate"].to_str().unwrap();
                let metadata = server.url(&format!("/.well-known/oauth-protected-resource{path}"));
                let start = format!("Bearer resource_metadata=\"{metadata}\", scope=\"");
                assert!(challenge.starts_with(&start), "{challenge}");
                assert_eq!(challenge.contains("error="), token.is_some(), "{challenge}");
                if method != Method::HEAD {
                    let body: Value = response.json().await.unwrap();
                    assert_eq!(body["error"]["code"], "UNAUTHORIZED");
                    let hint = body["error"]["hint"].as_str().unwrap();
                    assert_eq!(hint.contains("WWW-Authenticate"), token.is_none(), "{hint}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_token_in_the_query_is_none() {
    let server = Server::start().await;
    for name in ["access_token", "token", "api_key", "key"] {
        let url = server.url(&format!("/mcp?{name}={}", server.key));
        let response = server.client.post(url).body(LIST).send().await.unwrap();
        assert_eq!(response.status(), 401, "{name}");
    }
}

#[tokio::test]
async fn there_is_no_method_but_post() {
    let server = Server::start().await;
    for path in ADDRESSES {
        for method in [Method::GET, Method::DELETE, Method::HEAD, Method::PUT, Method::PATCH] {
            let response = server.mcp(method.clone(), path).send().await.unwrap();
            assert_eq!(response.status(), 405, "{method} {path}");
            assert_eq!(response.headers()["allow"], "POST, OPTIONS", "{method}");
            if method == Method::HEAD {
                assert_eq!(response.text().await.unwrap(), "");
                continue;
            }
            let body: Value = response.json().await.unwrap();
            assert_eq!(body["error"]["code"], "METHOD_NOT_ALLOWED");
            let names_transport =
                body["error"]["hint"].as_str().unwrap().contains("HTTP+SSE transport (2024-11-05)");
            assert_eq!(names_transport, path.ends_with("/sse"), "{body}");
        }
    }
}

#[tokio::test]
async fn the_form_of_a_message_is_judged_in_order() {
    let server = Server::start().await;
    let large = format!("{LIST}{}", " ".repeat(300 * 1024));
    for path in ADDRESSES {
        for (accept, kind, body, status, expected) in [
            ("application/json", "text/plain", LIST, 406, "NOT_ACCEPTABLE"),
            ("text/event-stream", "application/json", LIST, 406, "NOT_ACCEPTABLE"),
            ("*/*", "application/json", LIST, 406, "NOT_ACCEPTABLE"),
            (ACCEPT, "text/plain", &large, 415, "UNSUPPORTED_MEDIA_TYPE"),
            (ACCEPT, "application/x-www-form-urlencoded", LIST, 415, "UNSUPPORTED_MEDIA_TYPE"),
            (ACCEPT, "application/json", &large, 413, "PAYLOAD_TOO_LARGE"),
        ] {
            let request = server.mcp(Method::POST, path).header("accept", accept);
            let request = request.header("content-type", kind).body(body.to_owned());
            let response = request.send().await.unwrap();
            assert_eq!(response.status(), status, "{path} {accept} {kind}");
            assert_eq!(response.headers()["content-type"], "application/json");
            assert_eq!(code(response).await, expected);
        }
        let without = server.mcp(Method::POST, path).header("accept", ACCEPT).body(LIST);
        assert_eq!(without.send().await.unwrap().status(), 415, "{path}");
        let coded = server.message(path, LIST).header("content-encoding", "gzip");
        assert_eq!(coded.send().await.unwrap().status(), 415, "{path}");
    }
}

#[tokio::test]
async fn what_is_no_message_is_an_error_of_json_rpc() {
    let server = Server::start().await;
    for path in ADDRESSES {
        for (body, expected) in [
            ("", -32700),
            ("{", -32700),
            ("{'jsonrpc':1}", -32700),
            ("[]", -32600),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]"#, -32600),
            ("{}", -32600),
            ("null", -32600),
            (r#"{"jsonrpc":"2.0"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, -32600),
        ] {
            let response = server.message(path, body).send().await.unwrap();
            assert_eq!(response.status(), 400, "{path} {body}");
            assert_eq!(response.headers()["content-type"], "application/json");
            let answer: Value = response.json().await.unwrap();
            assert_eq!(answer["error"]["code"], expected, "{body}: {answer}");
            assert!(answer.get("id").is_none(), "{body}: {answer}");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(!message.contains("details"), "{message}");
            let names_expected = message.contains("`error.data.expected`");
            let has_place = !body.is_empty() && expected == -32700;
            assert_eq!(
                (names_expected, answer["error"]["data"]["expected"].is_string()),
                (has_place, expected == -32700)
            );
        }
    }
}

#[tokio::test]
async fn params_that_cannot_be_read_are_no_unknown_method() {
    let server = Server::start().await;
    for (method, params) in [
        ("tools/call", json!({ "name": "list_checks", "arguments": "x" })),
        ("tools/call", json!({ "arguments": {} })),
        ("resources/read", json!({})),
        ("prompts/get", json!({})),
        ("completion/complete", json!({ "ref": { "type": "x" }, "argument": {} })),
    ] {
        let legacy = server.rpc(method, params.clone()).await;
        assert_eq!(legacy.status(), 200, "{method} {params}");
        let answer: Value = legacy.json().await.unwrap();
        assert_eq!(answer["error"]["code"], -32602, "{method} {params}: {answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("The params of {method} are not")), "{message}");
        // A header repeats the name where there is one: without it nothing tells what is wrong.
        let modern = server.modern(method, params.clone()).send().await.unwrap();
        let status = modern.status();
        let answer: Value = modern.json().await.unwrap();
        assert_eq!((status.as_u16(), &answer["error"]["code"]), (200, &json!(-32602)), "{answer}");
    }
    let unknown = server.modern("tools/calls", json!({})).send().await.unwrap();
    assert_eq!((unknown.status().as_u16(), rpc_code(unknown).await), (404, -32601));
}

#[tokio::test]
async fn a_session_is_neither_made_nor_asked_for() {
    let server = Server::start().await;
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "a", "version": "1" } } });
    for body in [initialize.to_string(), LIST.to_owned()] {
        let request = server.message("/mcp", body).header("mcp-session-id", "1234");
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers().get("mcp-session-id"), None);
        assert_eq!(response.headers()["cache-control"], "no-store");
    }
}

#[tokio::test]
async fn a_notification_is_taken_and_says_nothing() {
    let server = Server::start().await;
    for path in ADDRESSES {
        let body = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let response = server.message(path, body).send().await.unwrap();
        assert_eq!(response.status(), 202, "{path}");
        assert_eq!(response.text().await.unwrap(), "");
    }
}

#[tokio::test]
async fn an_unknown_revision_is_answered_with_the_supported_ones() {
    let server = Server::start().await;
    for version in ["1999-01-01", "2024-11-05", "x", "2026-07-29"] {
        let request = server.message("/mcp", LIST).header("mcp-protocol-version", version);
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 400, "{version}");
        let body: Value = response.json().await.unwrap();
        assert_eq!(body["id"], 1, "{version}: {body}");
        assert_eq!(body["error"]["code"], -32022, "{version}: {body}");
        assert_eq!(body["error"]["data"]["requested"], version, "{body}");
        assert_eq!(body["error"]["data"]["supported"][0], "2026-07-28", "{body}");
    }
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let notification =
        server.message("/mcp", initialized).header("mcp-protocol-version", "2024-11-05");
    assert_eq!(notification.send().await.unwrap().status(), 400);
}
