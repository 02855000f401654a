//! Errors as pages, for people: the same problem, message and hint as in the JSON of the API.

use axum::http::HeaderMap;
use axum::http::header::{CONTENT_LENGTH, RETRY_AFTER};
use axum::response::Response;
use maud::{Markup, html};
use visibility_core::error::{ErrorCode, Problem};

use super::layout::FrameKind;
use super::page::{PageContent, PageContext, PageKind, respond as respond_page};
use crate::http::response::ApiError;
use visibility_core::text::markup::{Shown, sentence, shown};

/// The answer with the page of an error, and the headers that go with it.
pub(crate) fn respond(context: &PageContext, frame: FrameKind<'_>, error: &ApiError) -> Response {
    let bare = error.apply_headers(Response::default());
    replace(bare, context, frame, error.problem(), None)
}

/// The same with more below the problem.
pub(crate) fn respond_with(
    context: &PageContext,
    frame: FrameKind<'_>,
    error: &ApiError,
    more: &Markup,
) -> Response {
    let bare = error.apply_headers(Response::default());
    fill(bare, context, frame, error.problem(), (None, Some(more)))
}

/// An answer with its headers, and the page of a problem as its body.
pub(crate) fn replace(
    answer: Response,
    context: &PageContext,
    frame: FrameKind<'_>,
    problem: &Problem,
    request_id: Option<&str>,
) -> Response {
    fill(answer, context, frame, problem, (request_id, None))
}

fn fill(
    mut answer: Response,
    context: &PageContext,
    frame: FrameKind<'_>,
    problem: &Problem,
    (request_id, more): (Option<&str>, Option<&Markup>),
) -> Response {
    let wait = wait(context, answer.headers());
    let page = page(context, frame, problem, wait, (request_id, more));
    let (head, body) = page.into_parts();
    *answer.status_mut() = head.status;
    *answer.body_mut() = body;
    answer.headers_mut().remove(CONTENT_LENGTH);
    for (name, value) in &head.headers {
        answer.headers_mut().insert(name, value.clone());
    }
    answer
}

/// The time in `Retry-After` as a sentence.
fn wait(context: &PageContext, headers: &HeaderMap) -> Option<Shown<'static>> {
    let seconds: u64 = headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
    Some(if seconds < 120 {
        context.fill("refused", "wait-seconds", ("seconds", &seconds.to_string()))
    } else {
        let minutes = seconds.div_ceil(60).to_string();
        context.fill("refused", "wait-minutes", ("minutes", &minutes))
    })
}

fn page(
    context: &PageContext,
    frame: FrameKind<'_>,
    problem: &Problem,
    wait: Option<Shown<'static>>,
    (request_id, more): (Option<&str>, Option<&Markup>),
) -> Response {
    let object = problem.object(context.lang);
    let code = problem.code();
    let title = context.text("refused", title(code));
    let body = html! {
        h1 { (title) }
        p.alert role="alert" { (sentence(&object.message)) }
        @if code == ErrorCode::NotFound {
            p { (context.text("refused", "not-found-hint")) }
        } @else if let Some(wait) = wait {
            p { (wait) }
        } @else if let Some(hint) = &object.hint {
            p { (sentence(hint)) }
        }
        @if let Some(id) = request_id {
            p { small { (context.text("refused", "request")) " " code { (shown(id)) } } }
        }
        @if let Some(more) = more { (more) }
    };
    respond_page(context, PageContent::new(PageKind::Problem(code), title, frame, body))
}

/// The name of the title in `locales/`.
fn title(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::NotFound => "not-found",
        ErrorCode::RateLimited | ErrorCode::DailyCapExceeded => "too-many",
        ErrorCode::ServiceUnavailable => "unavailable",
        ErrorCode::InternalError => "failed",
        _ => "title",
    }
}
