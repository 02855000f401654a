//! Reads from a message what must be known before the MCP library handles it.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use visibility_core::accounts::scope::Scope;
use visibility_core::error::{ErrorCode, Problem};

use super::rpc::{self, RpcError};
use crate::http::json_body::not_json;
use crate::http::json_body::syntax_error::{self, JsonSyntaxError};

/// A message of JSON-RPC.
///
/// A duplicate member is refused: the next reader of the message might take the other one.
#[derive(Debug, Deserialize)]
pub(super) struct Message {
    jsonrpc: Value,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    params: Option<Params>,
    #[serde(default, rename = "result")]
    _result: Option<IgnoredAny>,
    #[serde(default, rename = "error")]
    _error: Option<IgnoredAny>,
}

/// What is asked for, as far as scopes depend on it.
#[derive(Debug, Default, Deserialize)]
struct Params {
    #[serde(default)]
    name: Option<Value>,
    #[serde(default)]
    uri: Option<Value>,
    #[serde(default, rename = "_meta")]
    meta: Option<Value>,
}

impl Message {
    /// Reads a body.
    ///
    /// # Errors
    ///
    /// When it is no JSON, or not one message of JSON-RPC 2.0.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, RpcError> {
        let text = syntax_error::text(bytes).map_err(|fault| parse_error(&fault))?;
        // An array would be read as the members in their order.
        if !text.trim_ascii_start().starts_with('{') {
            return Err(match serde_json::from_str::<IgnoredAny>(text) {
                Ok(IgnoredAny) => invalid_request(),
                Err(error) => parse_error(&error.into()),
            });
        }
        let message: Self = serde_json::from_str(text).map_err(|error| {
            if error.is_data() { invalid_request() } else { parse_error(&error.into()) }
        })?;
        if message.jsonrpc == "2.0" { Ok(message) } else { Err(invalid_request()) }
    }

    /// The id by which the sender knows it, if it is one of a request.
    pub(super) fn id(&self) -> Option<&Value> {
        let id = self.id.as_ref().filter(|id| id.is_string() || id.is_number());
        id.filter(|_| self.method.is_some())
    }

    /// Whether it says itself of which revision it is: the library compares that with the header.
    pub(super) fn names_revision(&self) -> bool {
        let meta = self.params.as_ref().and_then(|params| params.meta.as_ref());
        meta.is_some_and(|meta| meta.get("io.modelcontextprotocol/protocolVersion").is_some())
    }

    /// What the sender must be allowed to do.
    pub(super) fn scope(&self) -> Option<Scope> {
        let params = self.params.as_ref()?;
        let text = |value: &Option<Value>| value.as_ref()?.as_str().map(str::to_owned);
        match self.method.as_deref()? {
            "tools/call" => visibility_core::mcp::scope_of_tool(&text(&params.name)?),
            "resources/read" => visibility_core::mcp::scope_of_resource(&text(&params.uri)?),
            _ => None,
        }
    }
}

/// The error for a body that is not JSON.
fn parse_error(error: &JsonSyntaxError) -> RpcError {
    let problem = not_json(error);
    let problem =
        if error.is_empty { problem } else { problem.with_hint_from(["errors", "mcp-syntax"]) };
    RpcError::new(rpc::PARSE_ERROR, problem)
}

/// What is answered to JSON that is not one message.
pub(super) fn invalid_request() -> RpcError {
    let problem = Problem::new(ErrorCode::InvalidRequest, "mcp-message");
    RpcError::new(rpc::INVALID_REQUEST, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(body: impl AsRef<[u8]>) -> Option<i32> {
        Message::read(body.as_ref()).err().map(|error| error.code())
    }

    #[test]
    fn invalid_json_and_invalid_messages_are_distinguished() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for (body, expected) in [
            (&b""[..], -32700),
            (b"{", -32700),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\xff\"}", -32700),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\0\"}", -32700),
            (b"\xef\xbb\xbf{}", -32700),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1e999}", -32700),
            (b"[{]", -32700),
            (b"{}", -32600),
            (b"[]", -32600),
            (b"null", -32600),
            (b"1", -32600),
            (b"\"2.0\"", -32600),
            (b"[\"2.0\",\"tools/list\",1]", -32600),
            (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}]", -32600),
            (b"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"tools/list\"}", -32600),
            (b"{\"jsonrpc\":2.0,\"id\":1,\"method\":\"tools/list\"}", -32600),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":1}", -32600),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"a\"}", -32600),
            (b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"m\\u0065thod\":\"b\"}", -32600),
            (deep.as_bytes(), -32600),
        ] {
            assert_eq!(
                code(body),
                Some(expected),
                "{}",
                String::from_utf8_lossy(body).get(..60).unwrap_or("-")
            );
        }
    }

    #[test]
    fn the_scope_is_that_of_the_tool_that_is_called() {
        let scope = |params: &str| {
            let body =
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
            Message::read(body.as_bytes())
                .map(|message| message.scope())
                .map_err(|error| error.code())
        };
        assert_eq!(scope(r#"{"name":"list_checks"}"#), Ok(None));
        assert_eq!(scope(r#"{"name":1}"#), Ok(None));
        assert_eq!(scope("{}"), Ok(None));
        assert_eq!(scope(r#"{"name":"list_checks","name":"scan_domain"}"#), Err(-32600));
        assert_eq!(scope(r#"{"name":"list_checks","n\u0061me":"scan_domain"}"#), Err(-32600));
        assert_eq!(scope(r#""a""#), Err(-32600));
    }
}
