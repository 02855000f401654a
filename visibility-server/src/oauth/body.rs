//! Reads request bodies of clients: small, of one media type, within a deadline.

use std::time::Duration;

use axum::body::{Bytes, HttpBody as _};
use axum::extract::Request;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use tokio::time::timeout;

use super::error::{OAuthError, OAuthErrorKind};
use super::parameters::{MAX_BYTES, Parameters, ParametersError};
use crate::state::AppState;

/// Reads a form, and nothing else: what a page of another origin can send without asking first is no JSON.
pub(super) async fn form(state: &AppState, request: Request) -> Result<Parameters, OAuthError> {
    let bytes = receive(state, request, &["application/x-www-form-urlencoded"]).await?;
    Parameters::parse(&bytes).map_err(OAuthError::from)
}

/// Reads the bytes of a JSON document.
pub(super) async fn json(state: &AppState, request: Request) -> Result<Bytes, OAuthError> {
    receive(state, request, &["application/json"]).await
}

async fn receive(
    state: &AppState,
    request: Request,
    media_types: &[&str],
) -> Result<Bytes, OAuthError> {
    let (head, body) = request.into_parts();
    let too_large = OAuthError::invalid_request("The body is larger than 16384 bytes.")
        .close_connection(OAuthErrorKind::BodyTooLarge);
    if usize::try_from(body.size_hint().lower()).map_or(true, |length| length > MAX_BYTES) {
        return Err(too_large);
    }
    let is_coded = single_value(&head.headers, &CONTENT_ENCODING).is_none_or(|coding| {
        !matches!(coding.trim().to_ascii_lowercase().as_str(), "" | "identity")
    });
    let media_type = single_value(&head.headers, &CONTENT_TYPE)
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    if is_coded || !media_types.contains(&media_type.as_str()) {
        return Err(OAuthError::invalid_request(
            "The body has the wrong media type or content coding.",
        )
        .close_connection(OAuthErrorKind::OtherMediaType));
    }
    let patience = Duration::from_secs(state.shared().settings.timeouts.api_body);
    match timeout(patience, Limited::new(body, MAX_BYTES).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large),
        Ok(Err(_broken)) => Err(OAuthError::invalid_request("The body is incomplete.")
            .close_connection(OAuthErrorKind::Refused)),
        Err(_elapsed) => Err(OAuthError::invalid_request("The body took too long to arrive.")
            .close_connection(OAuthErrorKind::BodyTooSlow)),
    }
}

/// The value of a header that may appear once; empty if it is missing.
fn single_value<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Some(""),
        (Some(value), None) => value.to_str().ok(),
        (Some(_), Some(_)) => None,
    }
}

impl From<ParametersError> for OAuthError {
    fn from(error: ParametersError) -> Self {
        Self::invalid_request(match error {
            ParametersError::TooMany => "There are too many parameters.",
            ParametersError::NotText => "A parameter is not UTF-8.",
            ParametersError::Repeated => "A parameter is repeated.",
        })
    }
}
