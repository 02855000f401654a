//! The error on the wire: one shape for every answer that is not a success.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What went wrong, in a word that programs may rely on. No status codes: those are the server's,
/// in one exhaustive `match`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// The request is not well formed: a header or a field.
    InvalidRequest,
    /// A line of a batch is not a JSON object, or its content coding is broken.
    MalformedPayload,
    /// A batch without a record.
    EmptyBatch,
    /// No token, or none that is valid here.
    Unauthorized,
    /// No such route or resource.
    NotFound,
    /// The route exists, the method does not.
    MethodNotAllowed,
    /// The request took too long to arrive.
    Timeout,
    /// More octets or records than the limits allow.
    PayloadTooLarge,
    /// A head with too many or too long fields.
    HeadersTooLarge,
    /// Too many requests in a window of time.
    RateLimited,
    /// Our fault.
    InternalError,
    /// Not now: overload, shutdown or a store that cannot be written.
    ServiceUnavailable,
}

/// The body of every answer that is not a success.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ErrorBody {
    /// The error.
    pub error: ErrorObject,
}

/// What went wrong and what to do about it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ErrorObject {
    /// Stable code.
    pub code: ErrorCode,
    /// One sentence for people.
    pub message: String,
    /// What the caller can do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// More for programs; its members depend on the code.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
}

impl ErrorObject {
    /// An error without a hint.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, details: Map::new() }
    }

    /// Says what the caller can do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a member to the details.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// The error as the body of an answer.
    pub fn into_body(self) -> ErrorBody {
        ErrorBody { error: self }
    }
}
