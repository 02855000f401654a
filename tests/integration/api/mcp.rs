//! The MCP server over HTTP, as clients of both eras speak to it.

mod clients;
mod direct;
mod gates;
mod hostile;
mod limits;
mod published;
mod slow;
mod table;
mod tools;
mod traffic;

use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};

use crate::api::server::Server;

/// The addresses of the server: all of them are one.
pub(crate) const ADDRESSES: [&str; 5] = [
    "/api/mcp/v1/mcp",
    "/api/mcp/v1/http",
    "/api/mcp/v1/streamable-http",
    "/api/mcp/v1/sse",
    "/mcp",
];
/// What clients must be ready to take.
pub(crate) const ACCEPT: &str = "application/json, text/event-stream";
/// The revision without a handshake.
pub(crate) const MODERN: &str = "2026-07-28";

impl Server {
    /// A request to one of the addresses with the key, and nothing else.
    pub(crate) fn mcp(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, self.url(path)).bearer_auth(&self.key)
    }

    /// A message by POST, as a client of the first era sends it.
    pub(crate) fn message(&self, path: &str, body: impl Into<reqwest::Body>) -> RequestBuilder {
        let request = self.mcp(Method::POST, path).header("accept", ACCEPT);
        request.header("content-type", "application/json").body(body)
    }

    /// The answer to a request of the first era.
    pub(crate) async fn rpc(&self, method: &str, params: Value) -> Response {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.message("/api/mcp/v1/mcp", body.to_string()).send().await.unwrap()
    }

    /// A request as a client of the second era sends it.
    pub(crate) fn modern(&self, method: &str, mut params: Value) -> RequestBuilder {
        params["_meta"] = meta(MODERN);
        let name = params["name"].as_str().or_else(|| params["uri"].as_str()).map(str::to_owned);
        let body = json!({ "jsonrpc": "2.0", "id": "m1", "method": method, "params": params });
        let request = self.message("/mcp", body.to_string());
        let request = request.header("mcp-protocol-version", MODERN).header("mcp-method", method);
        match name {
            Some(name) => request.header("mcp-name", name),
            None => request,
        }
    }

    /// The result of a tool.
    pub(crate) async fn tool(&self, name: &str, arguments: Value) -> Value {
        let response =
            self.rpc("tools/call", json!({ "name": name, "arguments": arguments })).await;
        assert_eq!(response.status(), 200, "{name}");
        let body: Value = response.json().await.unwrap();
        assert!(body["error"].is_null(), "{name}: {body}");
        body["result"].clone()
    }
}

/// What a request of the second era says about its client.
pub(crate) fn meta(version: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "tests", "version": "1" },
    })
}

/// The code of an error object.
pub(crate) async fn code(response: Response) -> String {
    let body: Value = response.json().await.unwrap();
    assert!(body["error"]["hint"].is_string(), "{body}");
    body["error"]["code"].as_str().unwrap().to_owned()
}

/// The code of an error of JSON-RPC.
pub(crate) async fn rpc_code(response: Response) -> i64 {
    let body: Value = response.json().await.unwrap();
    assert_eq!(body["jsonrpc"], "2.0", "{body}");
    body["error"]["code"].as_i64().unwrap()
}
