//! Error responses: one format, one status for each code.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::store::StoreError;
use visibility_core::text::locale::Lang;

use crate::http::parameter_error::ParameterError;
use crate::http::rate_limit_fields::RateLimitFields;
use crate::http::request_id;

/// After how long a sender may ask again when nothing better is known.
const TRY_AGAIN: Duration = Duration::from_secs(5);

/// An error as it is sent. Boxed, as most results are not errors.
#[derive(Clone, Debug)]
pub(crate) struct ApiError(Box<ErrorResponse>);

/// What is answered.
#[derive(Clone, Debug)]
struct ErrorResponse {
    problem: Problem,
    retry_after: Option<Duration>,
    rate_limit: RateLimitFields,
    challenge: Option<HeaderValue>,
    closes: bool,
}

/// The error that an answer is: an extension of the answer, until it is rendered.
#[derive(Clone, Debug)]
struct UnrenderedError(Problem);

impl ApiError {
    /// A header that is missing or has another value than it may have.
    pub(crate) fn header(name: &str, error: ParameterError) -> Self {
        error.problem_for(name).detail("header", name).detail_note("reason", error.note()).into()
    }

    /// Temporarily unavailable. The cause is only in the log.
    pub(crate) fn unavailable() -> Self {
        let problem = Problem::new(ErrorCode::ServiceUnavailable, "unavailable");
        Self::from(problem).retry_after(TRY_AGAIN)
    }

    /// Temporarily unavailable, for reasons that an operator can see to.
    pub(crate) fn unavailable_because(reasons: &[String]) -> Self {
        let problem = Problem::new(ErrorCode::ServiceUnavailable, "unavailable");
        let problem = if reasons.is_empty() { problem } else { problem.detail("reasons", reasons) };
        Self::from(problem).retry_after(TRY_AGAIN)
    }

    /// Not now, as a store failed. How is for the log alone.
    pub(crate) fn store(error: &StoreError) -> Self {
        let cause = error.source.as_deref().map(ToString::to_string).unwrap_or_default();
        tracing::error!(%error, cause, kind = ?error.kind, "a store failed");
        Self::unavailable()
    }

    /// An internal error. The cause is only in the log.
    pub(crate) fn internal() -> Self {
        Problem::new(ErrorCode::InternalError, "internal").into()
    }

    /// The operating system gives no random numbers. That it does not is only in the log.
    pub(crate) fn randomness(error: getrandom::Error) -> Self {
        tracing::error!(error = &error as &dyn std::error::Error, "the system has no randomness");
        Self::internal()
    }

    /// What went wrong.
    pub(crate) fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// What went wrong, and when to ask again if that helps: for answers that are no HTTP.
    pub(crate) fn into_parts(self) -> (Problem, Option<Duration>) {
        (self.0.problem, self.0.retry_after)
    }

    /// Says when to ask again; rounded up to whole seconds.
    #[must_use]
    pub(crate) fn retry_after(mut self, wait: Duration) -> Self {
        self.0.retry_after = Some(wait);
        self
    }

    /// Says what is left of the limits.
    #[must_use]
    pub(crate) fn rate_limit(mut self, fields: RateLimitFields) -> Self {
        self.0.rate_limit = fields;
        self
    }

    /// Says what is wrong with what was presented, in `WWW-Authenticate`.
    #[must_use]
    pub(crate) fn challenge(mut self, challenge: HeaderValue) -> Self {
        self.0.challenge = Some(challenge);
        self
    }

    /// Whether the caller is not authenticated.
    pub(crate) fn is_unauthorized(&self) -> bool {
        self.0.problem.code() == ErrorCode::Unauthorized
    }

    /// Says that the connection ends with this answer.
    #[must_use]
    pub(crate) fn close_connection(mut self) -> Self {
        self.0.closes = true;
        self
    }
}

impl From<Problem> for ApiError {
    fn from(problem: Problem) -> Self {
        let rate_limit = RateLimitFields::default();
        let (retry_after, challenge) = (None, None);
        Self(Box::new(ErrorResponse { problem, retry_after, rate_limit, challenge, closes: false }))
    }
}

impl ApiError {
    /// Puts on an answer that tells it in another form, such as a page, what goes with it.
    pub(crate) fn apply_headers(&self, mut response: Response) -> Response {
        let ErrorResponse { retry_after, rate_limit, closes, .. } = &*self.0;
        if let Some(wait) = retry_after {
            let value = HeaderValue::from(whole_seconds(*wait));
            response.headers_mut().insert(RETRY_AFTER, value);
        }
        rate_limit.put(response.headers_mut());
        if *closes {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// The answer has no body yet: [`render`] writes it, in the language of the request.
impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let code = self.0.problem.code();
        let mut response = Response::new(Body::empty());
        *response.status_mut() = status_of(code);
        // RFC 9110 section 15.5.2 asks for it with every 401.
        let bare = HeaderValue::from_static("Bearer");
        let challenge = self.0.challenge.clone();
        if let Some(challenge) =
            challenge.or_else(|| (code == ErrorCode::Unauthorized).then_some(bare))
        {
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        let mut response = self.apply_headers(response);
        response.extensions_mut().insert(UnrenderedError(self.0.problem));
        response
    }
}

/// Puts a problem in the place of what an answer says.
pub(crate) fn replace_with_problem(response: &mut Response, problem: Problem) {
    *response.status_mut() = status_of(problem.code());
    *response.body_mut() = Body::empty();
    response.extensions_mut().insert(UnrenderedError(problem));
}

/// Whether an answer is an error that is to be rendered.
pub(crate) fn is_unrendered(response: &Response) -> bool {
    response.extensions().get::<UnrenderedError>().is_some()
}

/// Takes the error that an answer is, so that it can be shown as a page.
pub(crate) fn take_problem(response: &mut Response) -> Option<Problem> {
    response.extensions_mut().remove().map(|UnrenderedError(problem)| problem)
}

/// Writes the body of an error; other answers stay as they are. The one place where an error becomes JSON.
pub(crate) fn render(mut response: Response, lang: Lang) -> Response {
    let Some(problem) = take_problem(&mut response) else { return response };
    let rendered = json(response.status(), &problem.object(lang).into_body());
    let (rendered, body) = rendered.into_parts();
    *response.status_mut() = rendered.status;
    *response.body_mut() = body;
    response.headers_mut().remove(CONTENT_LENGTH);
    for (name, value) in &rendered.headers {
        response.headers_mut().insert(name, value.clone());
    }
    response
}

/// What was asked for, as JSON.
pub(crate) fn ok(value: &impl serde::Serialize) -> Response {
    json(StatusCode::OK, value)
}

/// `OPTIONS`: which methods an address takes, and nothing else.
pub(crate) fn no_content(allow: HeaderValue) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    response.headers_mut().insert(ALLOW, allow);
    response
}

/// What was asked for, as JSON in bytes.
pub(crate) fn ok_bytes(body: Body) -> Response {
    json_bytes(StatusCode::OK, body)
}

/// An answer with a JSON body.
pub(crate) fn json(status: StatusCode, value: &impl serde::Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => json_bytes(status, Body::from(bytes)),
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "cannot write a response");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// An answer whose body is JSON already.
pub(crate) fn json_bytes(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A whole answer in bytes for a connection too many.
pub(crate) fn raw_unavailable() -> Vec<u8> {
    raw_response(StatusCode::SERVICE_UNAVAILABLE)
}

/// A whole answer in bytes, for those that the HTTP library gives without asking us.
pub(crate) fn raw_response(status: StatusCode) -> Vec<u8> {
    let (code, id) = match status {
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE | StatusCode::URI_TOO_LONG => {
            (ErrorCode::HeadersTooLarge, "head-large")
        }
        StatusCode::SERVICE_UNAVAILABLE => (ErrorCode::ServiceUnavailable, "connections"),
        _ => (ErrorCode::InvalidRequest, "not-http"),
    };
    let request_id = request_id::new();
    tracing::info!(request_id, status = status.as_u16(), "answered before there was a request");
    let body = Problem::new(code, id).object(Lang::En).into_body();
    let body = serde_json::to_string(&body).unwrap_or_default();
    let retry = if code == ErrorCode::ServiceUnavailable { "retry-after: 5\r\n" } else { "" };
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{retry}\
         cache-control: no-store\r\nx-content-type-options: nosniff\r\n\
         referrer-policy: no-referrer\r\nx-request-id: {request_id}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// The one place that gives codes a status.
pub(crate) fn status_of(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::InvalidRequest
        | ErrorCode::InvalidDomain
        | ErrorCode::DomainNotAllowed
        | ErrorCode::InvalidUrl
        | ErrorCode::UrlNotAllowed
        | ErrorCode::MalformedPayload
        | ErrorCode::EmptyBatch => StatusCode::BAD_REQUEST,
        ErrorCode::Unauthorized => StatusCode::UNAUTHORIZED,
        ErrorCode::InsufficientScope | ErrorCode::Forbidden | ErrorCode::OriginNotAllowed => {
            StatusCode::FORBIDDEN
        }
        ErrorCode::NotFound | ErrorCode::UnknownTransport => StatusCode::NOT_FOUND,
        ErrorCode::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
        ErrorCode::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        ErrorCode::Timeout => StatusCode::REQUEST_TIMEOUT,
        ErrorCode::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorCode::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorCode::HeadersTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        ErrorCode::RateLimited | ErrorCode::DailyCapExceeded => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorCode::UpstreamScanFailed => StatusCode::BAD_GATEWAY,
        ErrorCode::ServiceUnavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// Rounded up, and at least one, so that waiting that long is enough.
pub(crate) fn whole_seconds(wait: Duration) -> u64 {
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_as_long_as_retry_after_says_is_enough() {
        for (milliseconds, seconds) in [(0, 1), (1, 1), (1000, 1), (1001, 2), (3_599_999, 3600)] {
            assert_eq!(whole_seconds(Duration::from_millis(milliseconds)), seconds);
        }
    }

    #[test]
    fn an_answer_in_bytes_says_its_length() {
        let text =
            String::from_utf8(raw_response(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE)).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 431 Request Header Fields Too Large\r\n"), "{head}");
        assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{head}");
        assert!(body.starts_with(r#"{"error":{"code":"HEADERS_TOO_LARGE""#), "{body}");
    }

    #[test]
    fn the_list_of_codes_in_the_docs_is_the_one_here() {
        let docs = visibility_core::text::docs::ERRORS;
        let mut listed =
            docs.lines().filter(|line| line.starts_with("| `") && line.contains("` | "));
        let mut statuses = Vec::new();
        for code in ErrorCode::ALL {
            let status = status_of(code).as_u16();
            let start = format!("| `{}` | {status} | {} | ", code.as_str(), code.meaning());
            let is_code = |line: &&str| line.starts_with(&format!("| `{}`", code.as_str()));
            let lines: Vec<&str> = listed.clone().filter(is_code).collect();
            assert!(matches!(lines[..], [line] if line.starts_with(&start)), "{start}: {lines:?}");
            statuses.push(status);
        }
        assert!(statuses.is_sorted(), "the order of `ALL`");
        let is_unknown = |line: &str| {
            let name = line.split('`').nth(1).unwrap();
            name.contains(char::is_uppercase)
                && ErrorCode::ALL.iter().all(|code| code.as_str() != name)
        };
        assert_eq!(listed.find(|line| is_unknown(line)), None);
    }
}
