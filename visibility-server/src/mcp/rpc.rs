//! JSON-RPC errors of requests that are refused before rmcp sees them.

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};
use visibility_core::error::Problem;
use visibility_core::text::locale::Lang;

use crate::http::response;

/// The body is no JSON: JSON-RPC 2.0 section 5.1.
pub(super) const PARSE_ERROR: i32 = -32700;
/// The body is not a request: JSON-RPC 2.0 section 5.1.
pub(super) const INVALID_REQUEST: i32 = -32600;
/// The revision is not spoken here: MCP 2026-07-28.
pub(super) const UNSUPPORTED_VERSION: i32 = -32022;

/// An error as JSON-RPC tells it.
#[derive(Debug)]
pub(super) struct RpcError {
    /// By JSON-RPC or MCP.
    code: i32,
    /// In words.
    problem: Box<Problem>,
    /// What programs want to know, if the protocol says what that is; the details of the problem otherwise.
    data: Option<Value>,
}

impl RpcError {
    /// An error of a code, whose data are the details of a problem.
    pub(super) fn new(code: i32, problem: Problem) -> Self {
        Self { code, problem: Box::new(problem), data: None }
    }

    /// With data that the protocol wants.
    #[must_use]
    pub(super) fn with(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    #[cfg(test)]
    pub(super) fn code(&self) -> i32 {
        self.code
    }

    /// The answer to a message with an id, or to something that has none.
    pub(super) fn response(self, id: Option<&Value>, lang: Lang) -> Response {
        let object = self.problem.object(lang);
        let mut message = object.message;
        if let Some(hint) = &object.hint {
            message.push(' ');
            message.push_str(hint);
        }
        let data = self.data.unwrap_or(Value::Object(object.details));
        let error = json!({ "code": self.code, "message": message, "data": data });
        let mut body = json!({ "jsonrpc": "2.0", "error": error });
        if let (Some(id), Some(members)) = (id, body.as_object_mut()) {
            members.insert("id".to_owned(), id.clone());
        }
        response::json(StatusCode::BAD_REQUEST, &body)
    }
}
