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

/// What the page of a problem has beside the problem.
#[derive(Debug, Default)]
pub(crate) struct ProblemPage<'a> {
    /// The title, instead of that of the kind of problem.
    pub(crate) title: Option<Shown<'static>>,
    /// The id of the request in the log.
    pub(crate) request_id: Option<&'a str>,
    /// What is below the problem.
    pub(crate) below: Option<Markup>,
}

/// The answer with the page of an error, and the headers that go with it.
pub(crate) fn respond(context: &PageContext, frame: FrameKind<'_>, error: &ApiError) -> Response {
    respond_with(context, frame, error, ProblemPage::default())
}

/// The same, with what the page has beside the error.
pub(crate) fn respond_with(
    context: &PageContext,
    frame: FrameKind<'_>,
    error: &ApiError,
    page: ProblemPage<'_>,
) -> Response {
    let bare = error.apply_headers(Response::default());
    replace(bare, context, frame, error.problem(), page)
}

/// An answer with its headers, and the page of a problem as its body.
pub(crate) fn replace(
    mut answer: Response,
    context: &PageContext,
    frame: FrameKind<'_>,
    problem: &Problem,
    page: ProblemPage<'_>,
) -> Response {
    let wait = wait(context, answer.headers());
    let page = render(context, frame, problem, wait, page);
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

fn render(
    context: &PageContext,
    frame: FrameKind<'_>,
    problem: &Problem,
    wait: Option<Shown<'static>>,
    page: ProblemPage<'_>,
) -> Response {
    let object = problem.object(context.lang);
    let code = problem.code();
    let title = page.title.unwrap_or_else(|| context.text("refused", title(code)));
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
        @if let Some(id) = page.request_id {
            p { small { (context.text("refused", "request")) " " code { (shown(id)) } } }
        }
        @if let Some(below) = &page.below { (below) }
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
