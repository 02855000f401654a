//! The result of an audit as files.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use visibility_core::audit::snapshot::AuditId;
use visibility_core::error::{ErrorCode, Problem};

use super::{AUDIT_PATH, pages};
use crate::http::response::ApiError;
use crate::jobs::audits::View;
use crate::jobs::cache::Representation;
use crate::jobs::cache::response::conditional;
use crate::site::layout::FrameKind;
use crate::site::page::PageContext;
use crate::site::{problem_page, result_file};
use crate::state::AppState;

fn view_of(file: &str) -> Option<View> {
    Some(match file {
        "result.json" => View::Json,
        "result.md" => View::Markdown,
        "result.svg" => View::Badge,
        "result.html" => View::Html,
        _ => return None,
    })
}

/// `GET /audit/{id}/{file}`.
pub(super) async fn show(
    State(state): State<AppState>,
    path: Result<Path<(String, String)>, PathRejection>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let context = PageContext::from_request(&state.shared().settings, AUDIT_PATH, &uri, &headers);
    let wanted = path.ok().and_then(|Path((id, file))| Some((id.parse().ok()?, view_of(&file)?)));
    let Some((id, view)) = wanted else {
        let error = ApiError::from(Problem::new(ErrorCode::NotFound, "unknown-route"));
        return problem_page::respond(&context, FrameKind::Plain, &error);
    };
    let shown = show_file(&state, &context, (id, view), (&uri, &headers)).await;
    shown.unwrap_or_else(|error| problem_page::respond(&context, FrameKind::Plain, &error))
}

async fn show_file(
    state: &AppState,
    context: &PageContext,
    (id, view): (AuditId, View),
    (uri, headers): (&Uri, &HeaderMap),
) -> Result<Response, ApiError> {
    let negotiated = Representation::negotiate(uri, headers);
    let representation = Representation { lang: context.lang, coding: negotiated.coding };
    let found = state.shared().audits.find_view(id, view, representation).await?;
    let Some(found) = found else { return Ok(pages::none(context)) };
    let mut response = conditional(&found.cached, representation, headers);
    result_file::protect(&mut response, view.media_type());
    Ok(response)
}
