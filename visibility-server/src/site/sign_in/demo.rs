//! `GET /demo`: the link of a demonstration, which signs in once.

use axum::Router;
use axum::extract::State;
use axum::http::header::HOST;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use axum::routing::get;
use url::form_urlencoded;
use visibility_core::accounts::user::UserName;
use visibility_core::error::{ErrorCode, Problem};

use crate::access::accounts::cookies::Cookie;
use crate::access::demo_link::NAME;
use crate::http::response::ApiError;
use crate::http::urls::DEMO_PATH;
use crate::runtime::clock;
use crate::site::layout::FrameKind;
use crate::site::page::{PageContext, see_other, with_cookies};
use crate::site::problem_page;
use crate::state::AppState;

/// The route of the link.
pub(crate) fn route() -> Router<AppState> {
    Router::new().route(DEMO_PATH, get(enter))
}

async fn enter(State(state): State<AppState>, uri: Uri, headers: HeaderMap) -> Response {
    let context = PageContext::from_request(&state.shared().settings, DEMO_PATH, &uri, &headers);
    let entered = sign_in(&state, &context, &headers).await;
    entered.unwrap_or_else(|error| problem_page::respond(&context, FrameKind::Plain, &error))
}

async fn sign_in(
    state: &AppState,
    context: &PageContext,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let shared = state.shared();
    let settings = &shared.settings;
    let home = context.base.link("/");
    if shared.accounts.session(settings, headers).await?.is_some() {
        return Ok(see_other(&home));
    }
    let mut pairs = form_urlencoded::parse(context.query.as_bytes());
    let secret = pairs.find(|(name, _)| name == "secret").map(|(_, secret)| secret.into_owned());
    let secret = secret.filter(|_| is_loopback_name(headers));
    let link = shared.demo_link.as_ref();
    let is_open = secret.zip(link).is_some_and(|(secret, link)| link.take(&secret, clock::now()));
    let user = if is_open { find_user(state).await? } else { None };
    let refused = || ApiError::from(Problem::new(ErrorCode::Forbidden, "demo-link"));
    let user = user.ok_or_else(refused)?;
    let secret = shared.accounts.begin_session(user, None).await?.ok_or_else(refused)?;
    Ok(with_cookies(see_other(&home), [Cookie::Session.set_header(settings, &secret)]))
}

async fn find_user(
    state: &AppState,
) -> Result<Option<crate::stores::state::users::StoredUser>, ApiError> {
    state
        .blocking(|state| {
            let Ok(name) = NAME.parse::<UserName>() else { return Ok(None) };
            let found = state.shared().stores.state_store().user_named(&name);
            found.map_err(|error| ApiError::store(&error))
        })
        .await
}

/// Whether the `Host` header is a name of this machine. Under any other name, a stranger's DNS could point here.
fn is_loopback_name(headers: &HeaderMap) -> bool {
    let named = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let host = match named.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => named,
    };
    ["127.0.0.1", "localhost", "[::1]"].contains(&host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_meant() {
        let is_named = |host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, host.parse().unwrap());
            is_loopback_name(&headers)
        };
        for host in ["127.0.0.1:8080", "localhost", "localhost:1", "[::1]:8080"] {
            assert!(is_named(host), "{host}");
        }
        for host in ["evil.example:8080", "127.0.0.1.evil.example", "10.0.0.1", ""] {
            assert!(!is_named(host), "{host}");
        }
        assert!(!is_loopback_name(&HeaderMap::new()));
    }
}
