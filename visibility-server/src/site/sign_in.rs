//! `/sign-in` and `/sign-out`, and the form that `/authorize` shows as well.
//!
//! A form counts only if it has the sign of the cookie that its browser shows: that of a session, or before there is
//! one that of a visitor.

pub(crate) mod form;

use std::net::SocketAddr;

use axum::Router;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderValue, Uri};
use axum::response::Response;
use axum::routing::{get, post};
use maud::html;

use self::form::{SignInForm, SignInNotice};
use super::layout::FrameKind;
use super::local_path::LocalPath;
use super::page::{PageContent, PageContext, PageKind, respond, see_other, with_cookies};
use super::problem_page;
use crate::access::accounts::cookies::{Cookie, CookieSecret};
use crate::access::accounts::form::{self as submitted, FormData};
use crate::access::accounts::session::new_secret;
use crate::access::accounts::sign_in::{SignInError, sign_in};
use crate::http::client_address::client_address;
use crate::http::response::ApiError;
use crate::state::AppState;

/// Where people sign in.
pub(crate) const PATH: &str = "/sign-in";
/// Where people sign out.
pub(crate) const SIGN_OUT_PATH: &str = "/sign-out";
/// Where a program asks for access, which is shown again after a person has signed out of it.
const AUTHORIZE_PATH: &str = "/authorize";

/// Why a form is not taken.
#[derive(Debug)]
pub(crate) enum FormError {
    /// It is not from a page of ours that this browser has asked for, or its session is over.
    Foreign,
    /// Something else is wrong, with the request or with us.
    Api(ApiError),
}

impl From<ApiError> for FormError {
    fn from(error: ApiError) -> Self {
        Self::Api(error)
    }
}

impl FormError {
    fn respond(self, context: &PageContext) -> Response {
        match self {
            Self::Foreign => foreign(context, FrameKind::Plain),
            Self::Api(error) => problem_page::respond(context, FrameKind::Plain, &error),
        }
    }
}

/// The route to sign in.
pub(crate) fn routes() -> Router<AppState> {
    Router::new().route(PATH, get(show).post(submit))
}

/// The route to sign out.
pub(crate) fn sign_out_route() -> Router<AppState> {
    Router::new().route(SIGN_OUT_PATH, post(sign_out))
}

/// `GET /sign-in`.
async fn show(State(state): State<AppState>, uri: Uri, headers: HeaderMap) -> Response {
    let context = PageContext::from_request(&state.shared().settings, PATH, &uri, &headers);
    let shown = show_form(&state, &context, &headers).await;
    shown.unwrap_or_else(|error| error.respond(&context))
}

async fn show_form(
    state: &AppState,
    context: &PageContext,
    headers: &HeaderMap,
) -> Result<Response, FormError> {
    let shared = state.shared();
    if shared.accounts.session(&shared.settings, headers).await?.is_some() {
        return Ok(see_other(&next_address(context)));
    }
    let (visitor, cookie) = visitor(state, headers)?;
    let page = show_again(state, context, &visitor, None).await?;
    Ok(with_cookies(page, [cookie]))
}

/// Where a browser is sent that has signed in.
fn next_address(context: &PageContext) -> String {
    context.base.link(LocalPath::next(&context.query).as_str())
}

/// The form, empty or with what went wrong.
async fn show_again(
    state: &AppState,
    context: &PageContext,
    visitor: &CookieSecret,
    notice: Option<(SignInNotice, &str)>,
) -> Result<Response, ApiError> {
    let form = SignInForm {
        lead: context.text("sign-in", "lead"),
        sign: &state.shared().accounts.form_key.sign(Cookie::Visitor, visitor),
        has_users: has_users(state).await?,
        notice,
    };
    Ok(form.respond(context, FrameKind::Plain))
}

/// Whether anybody can sign in.
pub(crate) async fn has_users(state: &AppState) -> Result<bool, ApiError> {
    let found = state.blocking(|state| {
        let found = state.shared().stores.sqlite().has_users();
        found.map_err(|error| ApiError::store(&error))
    });
    found.await
}

/// `POST /sign-in`.
async fn submit(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    let shared = state.shared();
    let headers = request.headers().clone();
    let context = PageContext::from_request(&shared.settings, PATH, request.uri(), &headers);
    let form = match read_form(&state, request).await {
        Ok(form) => form,
        Err(error) => return error.respond(&context),
    };
    let context = context.with_form_language(form.get("lang"));
    let taken = async {
        let visitor = check_visitor(&state, &headers, &form)?;
        let next = next_address(&context);
        match submit_password(&state, &headers, peer, form, &next).await? {
            Ok(response) => Ok(response),
            Err((notice, name)) => {
                Ok(show_again(&state, &context, &visitor, Some((notice, &name))).await?)
            }
        }
    };
    taken.await.unwrap_or_else(|error: FormError| error.respond(&context))
}

/// The secret of a visitor, and the field that sets it if the browser has none.
pub(crate) fn visitor(
    state: &AppState,
    headers: &HeaderMap,
) -> Result<(CookieSecret, Option<HeaderValue>), ApiError> {
    let settings = &state.shared().settings;
    if let Some(secret) = Cookie::Visitor.read(settings, headers) {
        return Ok((secret, None));
    }
    let secret = new_secret()?;
    let cookie = Cookie::Visitor.set_header(settings, &secret);
    Ok((secret, cookie))
}

/// The secret of the visitor whose form it is.
pub(crate) fn check_visitor(
    state: &AppState,
    headers: &HeaderMap,
    form: &FormData,
) -> Result<CookieSecret, FormError> {
    let shared = state.shared();
    let visitor = Cookie::Visitor.read(&shared.settings, headers).ok_or(FormError::Foreign)?;
    if shared.accounts.form_key.is_signed(form, Cookie::Visitor, &visitor) {
        Ok(visitor)
    } else {
        Err(FormError::Foreign)
    }
}

/// Signs a person in and sends the browser on; or says what was wrong, and the name that was sent.
pub(crate) async fn submit_password(
    state: &AppState,
    headers: &HeaderMap,
    peer: SocketAddr,
    mut form: FormData,
    next: &str,
) -> Result<Result<Response, (SignInNotice, String)>, ApiError> {
    let shared = state.shared();
    let settings = &shared.settings;
    let address = client_address(peer.ip(), headers, &settings.trusted_proxies);
    let (name, password) = (form.take("name"), form.take("password"));
    let user = match sign_in(&shared.accounts, &name, password, address).await {
        Ok(user) => user,
        Err(SignInError::Refused) => return Ok(Err((SignInNotice::Refused, name))),
        Err(SignInError::TooMany(wait)) => return Ok(Err((SignInNotice::TooMany(wait), name))),
        Err(SignInError::Busy) => return Ok(Err((SignInNotice::Busy, name))),
        Err(SignInError::Failed(error)) => return Err(error),
    };
    let before = Cookie::Session.read(settings, headers);
    let Some(secret) = shared.accounts.begin_session(user, before).await? else {
        return Ok(Err((SignInNotice::Refused, name)));
    };
    let cookies =
        [Cookie::Session.set_header(settings, &secret), Cookie::Visitor.clear_header(settings)];
    Ok(Ok(with_cookies(see_other(next), cookies)))
}

/// Reads a form, unless the browser says that it came from another site.
pub(crate) async fn read_form(state: &AppState, request: Request) -> Result<FormData, FormError> {
    if submitted::is_cross_origin(&state.shared().settings, request.headers()) {
        return Err(FormError::Foreign);
    }
    Ok(FormData::from_request(&state.shared().settings, request).await?)
}

/// `POST /sign-out`: ends the session, and shows the request for authorization again that `request` is.
async fn sign_out(State(state): State<AppState>, request: Request) -> Response {
    let settings = &state.shared().settings;
    let headers = request.headers().clone();
    let home = if settings.web.enabled { PATH } else { "/" };
    let context = PageContext::from_request(settings, home, request.uri(), &headers);
    let form = match read_form(&state, request).await {
        Ok(form) => form,
        Err(error) => return error.respond(&context),
    };
    let query = form.get("request").to_owned();
    let path = if query.is_empty() { home } else { AUTHORIZE_PATH };
    let context =
        PageContext::new(settings, path, query, &headers).with_form_language(form.get("lang"));
    match end_session(&state, &headers, &form).await {
        Ok(()) => {
            let forget = Cookie::Session.clear_header(settings);
            let next =
                if path == home { signed_out(&context) } else { see_other(&context.address()) };
            with_cookies(next, [forget])
        }
        Err(error) => error.respond(&context),
    }
}

/// Ends the session of a browser, if it has one.
async fn end_session(
    state: &AppState,
    headers: &HeaderMap,
    form: &FormData,
) -> Result<(), FormError> {
    let shared = state.shared();
    let Some(session) = shared.accounts.session(&shared.settings, headers).await? else {
        return Ok(());
    };
    if !shared.accounts.is_signed(form, &session) {
        return Err(FormError::Foreign);
    }
    Ok(shared.accounts.end_session(&session.secret).await?)
}

/// A form that does not belong to the browser that has sent it, or not any more.
pub(crate) fn foreign(context: &PageContext, frame: FrameKind<'_>) -> Response {
    let title = context.text("foreign", "title");
    let body = html! {
        h1 { (title) }
        p.alert role="alert" { (context.text("foreign", "text")) }
        p { a href=(context.address()) { (context.text("foreign", "again")) } }
    };
    respond(context, PageContent::new(PageKind::Refused, title, frame, body))
}

/// The notice after signing out.
fn signed_out(context: &PageContext) -> Response {
    let title = context.text("signed-out", "title");
    let body = html! {
        h1 { (title) }
        p { (context.text("signed-out", "text")) }
        @if context.base.has_settings() {
            p { a href=(context.base.link(PATH)) { (context.text("signed-out", "again")) } }
        }
    };
    respond(context, PageContent::new(PageKind::Wanted, title, FrameKind::Plain, body))
}
