//! Clients of both eras, from the first message to the result of a tool.

use serde_json::{Value, json};
use visibility_tests::server::Hosts;
use visibility_tests::site::good;

use super::{ADDRESSES, MODERN, meta, rpc_code};
use crate::api::server::Server;

const HANDSHAKES: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];

fn initialize(version: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "a", "version": "1" } } })
    .to_string()
}

#[tokio::test]
async fn a_client_with_a_handshake_lists_and_calls_at_every_address() {
    let server = Server::with(Hosts::new([good("shop.example.com")]), |_| {}).await;
    for (path, version) in ADDRESSES.into_iter().zip(HANDSHAKES.into_iter().cycle()) {
        for named in [None, Some(version)] {
            let ask = async |body: String| -> Value {
                let request = server.message(path, body);
                let request = match named {
                    Some(version) => request.header("mcp-protocol-version", version),
                    None => request,
                };
                let response = request.send().await.unwrap();
                assert_eq!(response.status(), 200, "{path} {named:?}");
                assert_eq!(response.headers()["content-type"], "application/json");
                response.json().await.unwrap()
            };
            let hello = ask(initialize(version)).await;
            assert_eq!(hello["result"]["protocolVersion"], version, "{hello}");
            assert_eq!(hello["result"]["serverInfo"]["name"], "visibility");
            let list = ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned()).await;
            let tools = list["result"]["tools"].as_array().unwrap();
            assert!(tools.iter().any(|tool| tool["name"] == "scan_domain"), "{list}");
            let call = json!({ "jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": {
                "name": "scan_domain", "arguments": { "domain": "shop.example.com" } } });
            let called = ask(call.to_string()).await;
            assert_eq!(called["id"], "x");
            assert_eq!(called["result"]["isError"], false, "{called}");
            assert_eq!(called["result"]["structuredContent"]["domain"], "shop.example.com");
        }
    }
}

#[tokio::test]
async fn a_client_without_a_handshake_discovers_lists_and_calls() {
    let server = Server::with(Hosts::new([good("shop.example.com")]), |_| {}).await;
    let discovered = server.modern("server/discover", json!({})).send().await.unwrap();
    assert_eq!(discovered.status(), 200);
    let discovered: Value = discovered.json().await.unwrap();
    assert_eq!(discovered["result"]["supportedVersions"][0], MODERN, "{discovered}");
    let list: Value =
        server.modern("tools/list", json!({})).send().await.unwrap().json().await.unwrap();
    assert_eq!(list["result"]["cacheScope"], "public", "{list}");
    let arguments = json!({ "domain": "shop.example.com" });
    let params = json!({ "name": "scan_domain", "arguments": arguments });
    let called = server.modern("tools/call", params).send().await.unwrap();
    assert_eq!(called.status(), 200);
    let called: Value = called.json().await.unwrap();
    assert_eq!(called["result"]["resultType"], "complete", "{called}");
    assert_eq!(called["result"]["structuredContent"]["domain"], "shop.example.com");
}

#[tokio::test]
async fn headers_that_say_something_else_than_the_body_are_refused() {
    let server = Server::start().await;
    for (header, value) in [("mcp-method", "tools/call"), ("mcp-protocol-version", "2025-11-25")] {
        let request = server.modern("tools/list", json!({})).build().unwrap();
        let mut request = request;
        request.headers_mut().insert(header, value.parse().unwrap());
        let response = server.client.execute(request).await.unwrap();
        assert_eq!(response.status(), 400, "{header}");
        assert_eq!(rpc_code(response).await, -32020, "{header}");
    }
    let params = json!({ "name": "list_checks", "arguments": {} });
    let mut request = server.modern("tools/call", params).build().unwrap();
    request.headers_mut().insert("mcp-name", "scan_domain".parse().unwrap());
    let response = server.client.execute(request).await.unwrap();
    assert_eq!(response.status(), 400);
    assert_eq!(rpc_code(response).await, -32020);
}

#[tokio::test]
async fn an_unknown_revision_is_answered_with_the_known_ones() {
    let server = Server::start().await;
    let version = "2999-01-01";
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/list",
        "params": { "_meta": meta(version) } });
    let request = server.message("/mcp", body.to_string());
    let request =
        request.header("mcp-protocol-version", version).header("mcp-method", "tools/list");
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 400);
    let body: Value = response.json().await.unwrap();
    assert_eq!((&body["error"]["code"], &body["id"]), (&json!(-32022), &json!(7)), "{body}");
    assert_eq!(body["error"]["data"]["supported"][0], MODERN, "{body}");
}

#[tokio::test]
async fn an_unknown_method_is_not_found() {
    let server = Server::start().await;
    for method in ["nothing/here", "ping", "logging/setLevel", "subscriptions/listen"] {
        let response = server.modern(method, json!({})).send().await.unwrap();
        assert_eq!(response.status(), 404, "{method}");
        assert_eq!(rpc_code(response).await, -32601, "{method}");
    }
    let response = server.rpc("nothing/here", json!({})).await;
    assert_eq!(response.status(), 200, "a client of the first era reads errors from 200");
    assert_eq!(rpc_code(response).await, -32601);
}

#[tokio::test]
async fn a_tool_that_there_is_not_is_an_error_of_the_protocol() {
    let server = Server::start().await;
    let response = server.rpc("tools/call", json!({ "name": "nothing", "arguments": {} })).await;
    assert_eq!(response.status(), 200);
    assert_eq!(rpc_code(response).await, -32602);
}
