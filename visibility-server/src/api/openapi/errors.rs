//! The error responses, with the statuses that the server gives the codes.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response};
use visibility_core::error::{ErrorCode, ErrorObject, Problem};
use visibility_core::text::locale::Lang;

use super::headers;
use crate::http::response::status_of;

/// What any route may answer.
const ANY: [ErrorCode; 4] = [
    ErrorCode::InvalidRequest,
    ErrorCode::HeadersTooLarge,
    ErrorCode::InternalError,
    ErrorCode::ServiceUnavailable,
];

/// The codes of an operation and those that all have, by status.
pub(super) fn responses(codes: &[ErrorCode]) -> BTreeMap<String, RefOr<Response>> {
    let mut by_status: BTreeMap<StatusCode, Vec<ErrorCode>> = BTreeMap::new();
    for code in ErrorCode::ALL.into_iter().filter(|code| ANY.contains(code) || codes.contains(code))
    {
        by_status.entry(status_of(code)).or_default().push(code);
    }
    by_status
        .into_iter()
        .map(|(status, codes)| (status.as_str().to_owned(), response(status, &codes).into()))
        .collect()
}

fn response(status: StatusCode, codes: &[ErrorCode]) -> Response {
    let meanings: Vec<String> =
        codes.iter().map(|code| format!("`{}`: {}", code.as_str(), code.meaning())).collect();
    let objects = codes.iter().map(|&code| ErrorObject::new(code, code.meaning()));
    with_objects(status, meanings.join("\n\n"), objects)
}

/// The answer of an operation at which a code says more than elsewhere.
pub(super) fn response_for(problem: &Problem) -> Response {
    let object = problem.object(Lang::En);
    let meaning = format!("`{}`: {}", object.code.as_str(), object.message);
    with_objects(status_of(object.code), meaning, [object].into_iter())
}

fn with_objects(
    status: StatusCode,
    meaning: String,
    objects: impl Iterator<Item = ErrorObject>,
) -> Response {
    let mut response = Response::new(meaning);
    let examples = objects.map(|object| {
        let name = object.code.as_str();
        let example = ExampleBuilder::new().value(serde_json::to_value(object.into_body()).ok());
        (name, RefOr::T(example.build()))
    });
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name("Error")))
        .examples_from_iter(examples)
        .build();
    response.content.insert("application/json".to_owned(), RefOr::T(content));
    headers::REQUEST_ID.add_to(&mut response);
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            headers::WWW_AUTHENTICATE.add_to(&mut response);
        }
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            headers::RETRY_AFTER.add_to(&mut response);
        }
        _ => {}
    }
    response
}

/// Whether a sentence of a description is about a code that any operation may answer.
pub(in crate::api) fn is_common(sentence: &str) -> bool {
    ANY.iter().any(|code| sentence.starts_with(&format!("`{}`", code.as_str())))
}
