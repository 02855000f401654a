//! `POST /api/public/audit`: audits a page; and the result that is kept of an audit.

mod response;

use std::net::SocketAddr;

use axum::extract::rejection::PathRejection;
use axum::extract::{ConnectInfo, Path, Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use visibility_core::audit::profile::Profile;
use visibility_core::audit::snapshot::AuditId;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::fetch::page_url::PageUrl;
use visibility_core::text::locale::Lang;
use visibility_core::text::note::Note;

use crate::api::openapi::{AuditRequest, AuditResponses, AuditResultResponses};
use crate::http::accept;
use crate::http::client_address::client_address;
use crate::http::connection::{self, DisconnectSignal};
use crate::http::extension_header;
use crate::http::json_body::JsonBody;
use crate::http::response::ApiError;
use crate::jobs::audits::{AuditAnswer, RequestedPage, View};
use crate::jobs::cache::{CachedResult, Representation};
use crate::jobs::quota::{JobKind, Quota};
use crate::site::BaseUrl;
use crate::state::AppState;

/// Where audits are asked for.
const PATH: &str = "/api/public/audit";
/// The views that `Accept` can ask for, the first if it asks for nothing.
const NEGOTIATED: [View; 3] = [View::Json, View::Html, View::Markdown];

/// `POST /api/public/audit`.
#[utoipa::path(
    post,
    path = "/api/public/audit",
    operation_id = "auditPage",
    tag = "audit",
    description = "Requests the page, robots.txt and a sitemap as VisibilityBot, and judges the responses. No browser and no \
                   language model is used. A page that does not exist or refuses us has a result, too: see `status`. Results are \
                   cached for ten minutes for the same page and `profile`, unless their status is `unreachable` or \
                   `server_error`, and cached results do not count towards limits; simultaneous requests for one page and \
                   `profile` share an audit, which counts for the first of them. Limits apply to the address of the client and to \
                   the registrable domain of the page.",
    params(("lang" = inline(Option<Lang>), Query, description = "Language of the texts; English for any other value.")),
    request_body(content = AuditRequest, description = "The page.", example = json!({"url": "https://www.example.com/products/kettle"})),
    security(()),
    responses(AuditResponses)
)]
pub(crate) async fn audit(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
) -> Result<Response, ApiError> {
    let shared = state.shared();
    let client = client_address(peer.ip(), request.headers(), &shared.settings.trusted_proxies);
    let subject = shared.address_key.subject(client);
    let quota = Quota::check(&state.shared().quotas, &subject, JobKind::Audits).await?;
    let representation = Representation::negotiate(request.uri(), request.headers());
    let hang_up = request.extensions().get::<DisconnectSignal>().cloned();
    let page = match parse_request(&state, request).await {
        Ok(page) => page,
        Err(error) => {
            quota.count_request().await?;
            return Err(error);
        }
    };
    let base = BaseUrl::new(&shared.settings);
    let audit = shared.audits.obtain(&page, representation, &quota);
    // It is waited for as long as the client waits for its answer.
    let obtained = connection::while_connected(hang_up, audit)
        .await
        .ok_or_else(|| ApiError::from(Problem::new(ErrorCode::InvalidRequest, "audit-left")))??;
    let in_form = |packed: CachedResult| packed.get(representation).ok_or_else(ApiError::internal);
    Ok(quota.add_headers(match obtained {
        AuditAnswer::Cached(cached) => response::cached(&cached, representation, &base),
        AuditAnswer::Fresh(packed) => response::fresh(&in_form(packed)?, representation, &base),
        AuditAnswer::Coalesced(packed) => {
            response::cached(&in_form(packed)?, representation, &base)
        }
    }))
}

/// `GET /api/public/audit/{id}`.
#[utoipa::path(
    get,
    path = "/api/public/audit/{id}",
    operation_id = "getAuditResult",
    tag = "audit",
    description = "The stored result of an audit, for 30 days unless the operator has set another \
        time; never starts an audit. `Accept` selects JSON, HTML or Markdown; the \
        suffixes `.html`, `.md` and `.svg` (a badge) after the id override it. An \
        extension of the contract.",
    params(
        ("id" = String, Path, description = "`id` of the result, with or without a suffix.", pattern = r"^aud_[0-9A-Za-z]{22}(\.(html|md|svg))?$", example = "aud_4tLqDsd0bWm2rKx9ZfYc1H"),
        ("lang" = inline(Option<Lang>), Query, description = "Language of the texts; English for any other value."),
        ("If-None-Match" = Option<String>, Header, description = "`ETag` of the result that you already have.")
    ),
    extensions(("x-service-extension" = json!("audit-result"))),
    security(()),
    responses(AuditResultResponses)
)]
pub(crate) async fn show(
    State(state): State<AppState>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, ApiError> {
    let none = || ApiError::from(Problem::new(ErrorCode::NotFound, "audit-none"));
    let Path(name) = path.map_err(|_no_utf8| none())?;
    let (id, view) = parse_name(&name, request.headers()).ok_or_else(none)?;
    let representation = Representation::negotiate(request.uri(), request.headers());
    let found =
        state.shared().audits.find_view(id, view, representation).await?.ok_or_else(none)?;
    let response = response::conditional(&found, representation, request.headers());
    Ok(extension_header::mark(response, "audit-result"))
}

/// The audit and the view that a name and the head of a request ask for.
fn parse_name(name: &str, headers: &HeaderMap) -> Option<(AuditId, View)> {
    let suffixed = View::ALL.into_iter().filter(|view| !view.suffix().is_empty());
    let mut suffixed =
        suffixed.filter_map(|view| Some((name.strip_suffix(view.suffix())?.parse().ok()?, view)));
    suffixed.next().or_else(|| Some((name.parse().ok()?, negotiate_view(headers))))
}

fn negotiate_view(headers: &HeaderMap) -> View {
    let bare = |view: View| view.media_type().split(';').next().unwrap_or_default();
    let wanted = accept::preferred(headers, &NEGOTIATED.map(bare));
    NEGOTIATED.into_iter().find(|view| Some(bare(*view)) == wanted).unwrap_or(View::Json)
}

/// The page that the body of a request names.
async fn parse_request(state: &AppState, request: Request) -> Result<RequestedPage, ApiError> {
    let body = JsonBody::read(&state.shared().settings, request, &["url", "profile"]).await?;
    let url: PageUrl = body.text("url")?.parse().map_err(|error| Problem::from(&error))?;
    let profile = body.optional_text("profile")?.map(profile).transpose()?;
    Ok(RequestedPage::new(url, profile))
}

fn profile(text: &str) -> Result<Profile, Problem> {
    Profile::from_wire(text).ok_or_else(|| {
        let known = Profile::ALL.map(Profile::as_str);
        let reason = Note::new("reason-not-a-profile").with("known", known.join(", "));
        Problem::new(ErrorCode::InvalidRequest, "field-profile")
            .value("known", known.map(|name| format!("`{name}`")).join(", "))
            .field("profile", reason)
    })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use axum::http::header::ACCEPT;

    use super::*;

    const ID: &str = "aud_0000000000000000000001";

    fn view(name: &str, accept: &'static str) -> Option<View> {
        let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]);
        let (id, view) = parse_name(name, &headers)?;
        assert_eq!(id.to_string(), ID);
        Some(view)
    }

    #[test]
    fn a_view_is_asked_for_by_suffix_or_by_accept() {
        for (suffix, accept, found) in [
            ("", "*/*", Some(View::Json)),
            ("", "text/html,*/*;q=0.8", Some(View::Html)),
            ("", "text/markdown", Some(View::Markdown)),
            ("", "image/svg+xml", Some(View::Json)),
            (".html", "application/json", Some(View::Html)),
            (".md", "", Some(View::Markdown)),
            (".svg", "text/html", Some(View::Badge)),
            (".json", "", None),
            (".html.md", "", None),
            (".", "", None),
        ] {
            assert_eq!(view(&format!("{ID}{suffix}"), accept), found, "{suffix} {accept}");
        }
        for name in ["", ".html", "aud_1", "aud_zzzzzzzzzzzzzzzzzzzzzz.svg", "x"] {
            assert_eq!(view(name, "*/*"), None, "{name}");
        }
    }

    #[test]
    fn a_profile_is_one_of_four() {
        assert_eq!(profile("article").unwrap(), Profile::Article);
        for text in ["", "Product", "other"] {
            let object = profile(text).unwrap_err().object(Lang::En);
            assert!(object.message.contains("`profile`"), "{object:?}");
            assert!(object.hint.unwrap().contains("`landing`"), "{text}");
        }
    }
}
