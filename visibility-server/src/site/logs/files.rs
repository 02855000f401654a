//! The answers behind the pages as files: CSV and JSON, for the person who is signed in.

use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use url::form_urlencoded;
use visibility_core::accounts::scope::Scope;

use super::{begin, respond_problem};
use crate::http::language;
use crate::http::response::ApiError;
use crate::site::page::PageContext;
use crate::site::visit::Visit;
use crate::state::{AppState, CountRequest};
use crate::traffic::answer_file::{AnswerFile, AnswerFileFormat};
use crate::traffic::{QuestionKind, parameters};

/// `GET /logs/{question}.csv` and `.json`.
pub(super) async fn show(
    State(state): State<AppState>,
    request: Request,
    kind: QuestionKind,
    format: AnswerFileFormat,
) -> Response {
    let settings = &state.shared().settings;
    let (uri, headers) = (request.uri(), request.headers());
    let context = PageContext::from_request(settings, uri.path(), uri, headers);
    let visit = match begin(&state, context, headers, Scope::LogsRead).await {
        Ok(visit) => visit,
        Err(response) => return response,
    };
    let answered = answer(&state, &visit, headers.clone(), (kind, format)).await;
    answered.unwrap_or_else(|error| respond_problem(&visit, &error))
}

async fn answer(
    state: &AppState,
    visit: &Visit,
    headers: HeaderMap,
    (kind, format): (QuestionKind, AnswerFileFormat),
) -> Result<Response, ApiError> {
    let tenant = visit.user().tenant.clone();
    let pairs: Vec<(String, String)> =
        form_urlencoded::parse(visit.context.query.as_bytes()).into_owned().collect();
    let now = visit.now;
    let lang = language::chosen(&visit.context.query).unwrap_or_default();
    let question = parameters::read(kind, (tenant.clone(), lang), &pairs, now.date_naive())?;
    let turn = CountRequest { tenant: &tenant, reads_files: false };
    let counting = state.count(turn, move |stores, _is_stopped| {
        AnswerFile::of(stores, &question, format, (&headers, now))
    });
    let mut response = counting.await?.response();
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    Ok(response)
}
