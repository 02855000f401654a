//! Errors as pages, for people: the same problem, message and hint as in the JSON of the API.

use axum::response::Response;
use maud::html;
use visibility_core::error::Problem;

use super::layout::FrameKind;
use super::markup::sentence;
use super::page::{PageContent, PageContext, PageKind, respond as respond_with};
use crate::http::response::ApiError;

/// The answer with the page of an error, and the headers that go with it.
pub(crate) fn respond(context: &PageContext, frame: FrameKind<'_>, error: &ApiError) -> Response {
    error.apply_headers(page(context, frame, error.problem()))
}

/// The page of a problem, with its status.
pub(crate) fn page(context: &PageContext, frame: FrameKind<'_>, problem: &Problem) -> Response {
    let object = problem.object(context.lang);
    let title = context.text("refused", "title");
    let body = html! {
        h1 { (title) }
        p.alert role="alert" { (sentence(&object.message)) }
        @if let Some(hint) = &object.hint {
            p { (sentence(hint)) }
        }
    };
    let kind = PageKind::Problem(problem.code());
    respond_with(context, PageContent::new(kind, title, frame, body))
}
