//! Errors of `params` that do not fit the method.
//!
//! The library reads them as those of a method that it does not know. The method is served all the same, so
//! that the error says what is wrong with them.

use rmcp::model::{
    CallToolRequestParams, CompleteRequestParams, CustomRequest, ErrorCode, ErrorData,
    GetPromptRequestParams, InitializeRequestParams, ProtocolVersion, ReadResourceRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::mcp::untrusted::Untrusted;

/// Why a request of a revision, if it names one, has no answer that was read as none of those that are
/// served.
pub(crate) fn refused(request: &CustomRequest, version: Option<&ProtocolVersion>) -> ErrorData {
    let params = request.params.clone().unwrap_or_else(|| json!({}));
    let fault = match request.method.as_str() {
        // Revisions without a handshake have no such method.
        "initialize" if version.is_none_or(ProtocolVersion::has_initialize) => {
            fault::<InitializeRequestParams>(params)
        }
        "tools/call" => fault::<CallToolRequestParams>(params),
        "resources/read" => fault::<ReadResourceRequestParams>(params),
        "prompts/get" => fault::<GetPromptRequestParams>(params),
        "completion/complete" => fault::<CompleteRequestParams>(params),
        method => {
            let method = Untrusted::quote(method);
            return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.as_str().to_owned(), None);
        }
    };
    let message = format!("The params of {} are not valid: {fault}.", request.method);
    ErrorData::invalid_params(message, None)
}

/// What is wrong with them. It repeats what was sent, so that nothing hides in it.
fn fault<T: DeserializeOwned>(params: Value) -> String {
    match serde_json::from_value::<T>(params) {
        Ok(_) => "`_meta` is not valid".to_owned(),
        Err(error) => Untrusted::quote(&error.to_string()).as_str().to_owned(),
    }
}
