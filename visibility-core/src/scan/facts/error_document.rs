//! Errors that are sent as if they were pages.

use serde_json::Value;

use crate::fetch::Response;
use crate::text::excerpt::excerpt;

/// What a home page of JSON says instead of content: the error that it has, with a status of success.
pub(in crate::scan) fn find(home: &Response) -> Option<String> {
    if !home.is_success() || !home.media_type().ends_with("json") {
        return None;
    }
    let document: Value = serde_json::from_slice(&home.body).ok()?;
    let error = ["error", "errors"].into_iter().find_map(|key| document.get(key))?;
    let is_error = match error {
        Value::Null | Value::Bool(false) => false,
        Value::Array(errors) => !errors.is_empty(),
        Value::Object(error) => !error.is_empty(),
        Value::String(error) => !error.trim().is_empty(),
        Value::Bool(true) | Value::Number(_) => true,
    };
    is_error.then(|| excerpt(home.text().trim()))
}
