//! `/audit`: audits a page for a person with a browser, and shows the result.
//!
//! As with the API, everyone may audit a page within the limits, and a result is there for all who know its id, which
//! cannot be guessed.

mod files;
mod form;
mod pages;

use std::net::SocketAddr;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{ConnectInfo, Path, Request, State};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use axum::routing::get;
use tokio::time::timeout;
use url::form_urlencoded;
use visibility_core::audit::profile::Profile;
use visibility_core::audit::snapshot::AuditId;
use visibility_core::error::ErrorCode;

use self::form::AuditForm;
use super::asker::{Asker, PageRequest};
use super::layout::FrameKind;
use super::page::{PageContext, see_other, with_cookies};
use super::problem_page;
use super::result_page::PATIENCE;
use super::sign_in::{FormError, read_form};
use super::target;
use crate::access::accounts::form::FormData;
use crate::http::client_address::client_address;
use crate::http::response::ApiError;
use crate::jobs::audits::{BegunAudit, RequestedPage, View};
use crate::jobs::cache::{Coding, Representation};
use crate::jobs::quota::{JobKind, Quota};
use crate::state::AppState;

/// Where the form is, and what the pages of results are below.
pub(crate) const AUDIT_PATH: &str = "/audit";

/// The routes of the pages.
pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route(AUDIT_PATH, get(show_form).post(submit))
        .route("/audit/{id}", get(show))
        .route("/audit/{id}/{file}", get(files::show))
}

/// The path of the page of a result.
fn page_path(id: &str) -> String {
    format!("{AUDIT_PATH}/{id}")
}

/// The path of the form with an address in its field.
fn form_path(url: &str) -> String {
    let query = form_urlencoded::Serializer::new(String::new()).append_pair("url", url).finish();
    format!("{AUDIT_PATH}?{query}")
}

/// `GET /audit`: the form.
async fn show_form(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let context = PageContext::from_request(&state.shared().settings, AUDIT_PATH, &uri, &headers);
    let asked = PageRequest { state: &state, context: &context, peer, headers: &headers };
    let shown = async {
        let asker = Asker::from_request(&state, Some(peer), &headers).await?;
        let (sign, cookie) = asker.sign(&state, &headers)?;
        let pasted = form_urlencoded::parse(context.query.as_bytes());
        let pasted = pasted.into_iter().find(|(name, _)| name == "url");
        let value = pasted.map(|(_, value)| value.into_owned()).unwrap_or_default();
        let form = AuditForm { sign, value: &value, profile: None, error: None };
        Ok(with_cookies(form.respond(asked, &asker), [cookie]))
    };
    let shown: Result<Response, ApiError> = shown.await;
    shown.unwrap_or_else(|error| problem_page::respond(&context, FrameKind::Plain, &error))
}

/// `POST /audit`.
async fn submit(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    let headers = request.headers().clone();
    let context = PageContext::new(&state.shared().settings, AUDIT_PATH, String::new(), &headers);
    let form = match read_form(&state, request).await {
        Ok(form) => form,
        Err(error) => return error.respond(&context, FrameKind::Plain),
    };
    let context = context.with_form_language(form.get("lang"));
    let asked = PageRequest { state: &state, context: &context, peer, headers: &headers };
    let begun = begin_from_form(asked, &form).await;
    begun.unwrap_or_else(|error| error.respond(&context, FrameKind::Plain))
}

async fn begin_from_form(asked: PageRequest<'_>, form: &FormData) -> Result<Response, FormError> {
    let PageRequest { state, peer, headers, .. } = asked;
    let asker = Asker::from_request(state, Some(peer), headers).await?;
    let sign = asker.check_sign(state, headers, form)?;
    let pasted = form.get("url");
    let profile = Profile::from_wire(form.get("profile"));
    let begun = match target::parse_page(pasted) {
        Ok(url) => begin(asked, RequestedPage::new(url, profile)).await,
        Err(problem) => Err(problem.into()),
    };
    Ok(match begun {
        Ok(leads) => leads,
        Err(error) if is_about_address(&error) => {
            let form = AuditForm { sign, value: pasted, profile, error: Some(&error) };
            form.respond(asked, &asker)
        }
        Err(error) => return Err(error.into()),
    })
}

/// Whether an error says what is wrong with the address.
pub(super) fn is_about_address(error: &ApiError) -> bool {
    matches!(error.problem().code(), ErrorCode::InvalidUrl | ErrorCode::UrlNotAllowed)
}

/// Starts the audit of a page, and leads to the page of its result. As many are started for one address as the API allows.
///
/// # Errors
///
/// 429; or why the page is not audited.
pub(super) async fn begin(
    asked: PageRequest<'_>,
    page: RequestedPage,
) -> Result<Response, ApiError> {
    let PageRequest { state, context, peer, headers } = asked;
    let shared = state.shared();
    let address = client_address(peer.ip(), headers, &shared.settings.trusted_proxies);
    let subject = shared.address_key.subject(address);
    let quota = Quota::check(&shared.quotas, &subject, JobKind::Audits).await?;
    let representation = Representation { lang: context.lang, coding: Coding::Gzip };
    let id = match shared.audits.begin(&page, representation, quota).await? {
        BegunAudit::Done(id) => id.to_string(),
        BegunAudit::Running { id, end } => match timeout(PATIENCE, end).await {
            Ok(Ok(ended)) => ended?.to_string(),
            Ok(Err(error)) => {
                tracing::error!(error = &error as &dyn std::error::Error, "an audit failed");
                return Err(ApiError::internal());
            }
            // The page of the result says how it goes on.
            Err(_elapsed) => id.to_string(),
        },
    };
    Ok(see_other(&context.base.link(&page_path(&id))))
}

/// `GET /audit/{id}`.
async fn show(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    path: Result<Path<String>, PathRejection>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let settings = &state.shared().settings;
    let id = path.ok().and_then(|Path(text)| text.parse::<AuditId>().ok());
    let Some(id) = id else {
        let context = PageContext::from_request(settings, AUDIT_PATH, &uri, &headers);
        return pages::none(&context);
    };
    let path = page_path(&id.to_string());
    let context = PageContext::from_request(settings, &path, &uri, &headers);
    let asked = PageRequest { state: &state, context: &context, peer, headers: &headers };
    let shown = show_result(asked, id).await;
    shown.unwrap_or_else(|error| problem_page::respond(&context, FrameKind::Plain, &error))
}

async fn show_result(asked: PageRequest<'_>, id: AuditId) -> Result<Response, ApiError> {
    let PageRequest { state, context, peer, headers } = asked;
    let asker = Asker::from_request(state, Some(peer), headers).await?;
    let audits = &state.shared().audits;
    let representation = Representation { lang: context.lang, coding: Coding::Gzip };
    match audits.find_view(id, View::Json, representation).await? {
        Some(found) => pages::result(asked, &asker, id, &found.cached),
        None => Ok(pages::without_result(context, audits.progress(id).await?)),
    }
}
