//! Answers the most frequent requests without the MCP library.
//!
//! The library gives every request a task, a channel and a client of its own. A list of the tools and a call
//! of one without a progress token need none of that. Only what is exactly as the protocol
//! writes it comes here; whatever is unusual, and all that is wrong, the library answers. A test compares.

use std::sync::OnceLock;

use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use rmcp::model::{Extensions, JsonObject};
use serde::{Deserialize, Serialize};
use visibility_core::mcp::McpServer;

use super::host::ServiceHost;
use crate::http::response;

/// The revision without a handshake.
const MODERN: &str = "2026-07-28";
/// The revisions with one, of which requests need say nothing else.
const LEGACY: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/// Which of the two shapes an answer has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum ProtocolEra {
    Legacy,
    Modern,
}

/// Answers what is usual.
#[derive(Debug)]
pub(super) struct FastPath {
    server: McpServer<ServiceHost>,
    /// The list of the tools, as it is sent in each era.
    lists: [OnceLock<Bytes>; 2],
}

/// A request of which everything is known.
#[derive(Debug)]
pub(super) struct FastRequest {
    era: ProtocolEra,
    request: Request,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    #[serde(rename = "jsonrpc")]
    _jsonrpc: JsonRpc,
    id: Id,
    method: Method,
    #[serde(default)]
    params: Params,
}

#[derive(Debug, Deserialize)]
enum JsonRpc {
    #[serde(rename = "2.0")]
    Two,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged)]
enum Id {
    Number(u32),
    Text(String),
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
enum Method {
    #[serde(rename = "tools/list")]
    List,
    #[serde(rename = "tools/call")]
    Call,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Params {
    name: Option<String>,
    arguments: Option<JsonObject>,
    _meta: Option<Meta>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Meta {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: String,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    _capabilities: JsonObject,
    #[serde(default, rename = "io.modelcontextprotocol/clientInfo")]
    _client: Option<Client>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Client {
    #[serde(rename = "name")]
    _name: String,
    #[serde(rename = "version")]
    _version: String,
}

#[derive(Serialize)]
struct JsonRpcResponse<'a, T> {
    jsonrpc: &'static str,
    id: &'a Id,
    result: T,
}

impl FastRequest {
    /// The request of a message, if it is a usual one.
    fn read(headers: &HeaderMap, bytes: &[u8]) -> Option<Self> {
        let request: Request = serde_json::from_slice(bytes).ok()?;
        let Params { name, arguments, _meta: meta } = &request.params;
        let is_whole = match request.method {
            Method::List => name.is_none() && arguments.is_none(),
            Method::Call => name.is_some(),
        };
        let era = era(headers, &request, meta.as_ref())?;
        is_whole.then_some(Self { era, request })
    }
}

/// The era of a request whose header fields agree with it.
fn era(headers: &HeaderMap, request: &Request, meta: Option<&Meta>) -> Option<ProtocolEra> {
    let says = |name, value| is_only(headers, name, value);
    let Some(meta) = meta else {
        let mut versions = LEGACY.into_iter().map(Some).chain([None]);
        return versions
            .any(|version| says("mcp-protocol-version", version))
            .then_some(ProtocolEra::Legacy);
    };
    let method = match request.method {
        Method::List => "tools/list",
        Method::Call => "tools/call",
    };
    let agrees = meta.version == MODERN
        && says("mcp-protocol-version", Some(MODERN))
        && says("mcp-method", Some(method))
        && says("mcp-name", request.params.name.as_deref())
        && !headers.keys().any(|name| name.as_str().starts_with("mcp-param-"));
    agrees.then_some(ProtocolEra::Modern)
}

/// Whether a field has this value once, or is not there if there is no value.
fn is_only(headers: &HeaderMap, name: &str, value: Option<&str>) -> bool {
    headers.get_all(name).iter().map(HeaderValue::as_bytes).eq(value.map(str::as_bytes))
}

impl FastPath {
    pub(super) fn new(server: McpServer<ServiceHost>) -> Self {
        Self { server, lists: Default::default() }
    }

    /// The request of a message, if it is a usual one for something that there is.
    pub(super) fn parse(&self, headers: &HeaderMap, bytes: &[u8]) -> Option<FastRequest> {
        let usual = FastRequest::read(headers, bytes)?;
        usual
            .request
            .params
            .name
            .as_deref()
            .is_none_or(|name| self.server.tools().iter().any(|tool| tool.name == name))
            .then_some(usual)
    }

    /// Answers a request; `None` if it cannot be written, which is our fault.
    pub(super) async fn respond(&self, usual: FastRequest, head: Parts) -> Option<Response> {
        let FastRequest { era, request } = usual;
        let Request { id, method, params, .. } = request;
        let bytes = match method {
            Method::List => self.list(&id, era)?,
            Method::Call => {
                let mut asker = Extensions::new();
                asker.insert(head);
                let arguments = params.arguments.unwrap_or_default();
                let mut result = self.server.call(&params.name?, arguments, &asker).await?;
                if era == ProtocolEra::Legacy {
                    result.result_type = None;
                }
                serde_json::to_vec(&JsonRpcResponse { jsonrpc: "2.0", id: &id, result }).ok()?
            }
        };
        Some(response::ok_bytes(Body::from(bytes)))
    }

    fn list(&self, id: &Id, era: ProtocolEra) -> Option<Vec<u8>> {
        let [legacy, modern] = &self.lists;
        let cached = if era == ProtocolEra::Legacy { legacy } else { modern };
        let listed = cached.get_or_init(|| {
            let mut listed = self.server.listed();
            if era == ProtocolEra::Legacy {
                listed.result_type = None;
            }
            serde_json::to_vec(&listed).unwrap_or_default().into()
        });
        let mut bytes = Vec::with_capacity(listed.len() + 128);
        bytes.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        serde_json::to_writer(&mut bytes, id).ok()?;
        bytes.extend_from_slice(br#","result":"#);
        bytes.extend_from_slice(listed);
        bytes.push(b'}');
        Some(bytes)
    }
}
