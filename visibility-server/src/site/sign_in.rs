//! `/sign-in` and `/sign-out`, and the form that `/authorize` shows as well.
//!
//! A form counts only if it has the sign of the cookie that its browser shows: that of a session, or before there is
//! one that of a visitor.

pub(crate) mod demo;
pub(crate) mod form;

use std::net::{IpAddr, SocketAddr};

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
use crate::access::accounts::sign_in::sign_in;
use crate::http::client_address::client_address;
use crate::http::response::ApiError;
use crate::http::urls::{AUTHORIZE_PATH, SIGN_IN_PATH, SIGN_OUT_PATH};
use crate::state::AppState;

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
    /// The page that says so.
    pub(crate) fn respond(self, context: &PageContext, frame: FrameKind<'_>) -> Response {
        match self {
            Self::Foreign => foreign(context, frame),
            Self::Api(error) => problem_page::respond(context, frame, &error),
        }
    }
}

/// The route to sign in.
pub(crate) fn routes() -> Router<AppState> {
    Router::new().route(SIGN_IN_PATH, get(show).post(submit))
}

/// The route to sign out.
pub(crate) fn sign_out_route() -> Router<AppState> {
    Router::new().route(SIGN_OUT_PATH, post(sign_out))
}

/// `GET /sign-in`.
async fn show(State(state): State<AppState>, uri: Uri, headers: HeaderMap) -> Response {
    let context = PageContext::from_request(&state.shared().settings, SIGN_IN_PATH, &uri, &headers);
    let shown = show_form(&state, &context, &headers).await;
    shown.unwrap_or_else(|error| error.respond(&context, FrameKind::Plain))
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
    let lead = context.text("sign-in", "lead");
    let form = SignInForm::load(state, lead, visitor, notice).await?;
    Ok(form.respond(context, FrameKind::Plain))
}

/// `POST /sign-in`.
async fn submit(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    let shared = state.shared();
    let headers = request.headers().clone();
    let context =
        PageContext::from_request(&shared.settings, SIGN_IN_PATH, request.uri(), &headers);
    let form = match read_form(&state, request).await {
        Ok(form) => form,
        Err(error) => return error.respond(&context, FrameKind::Plain),
    };
    let context = context.with_form_language(form.get("lang"));
    let taken = async {
        let visitor = check_visitor(&state, &headers, &form)?;
        let next = next_address(&context);
        let address = client_address(peer.ip(), &headers, &shared.settings.trusted_proxies);
        match submit_password(&state, &headers, address, form, &next).await? {
            SignInOutcome::SignedIn(response) => Ok(response),
            SignInOutcome::Refused(notice, name) => {
                Ok(show_again(&state, &context, &visitor, Some((notice, &name))).await?)
            }
        }
    };
    taken.await.unwrap_or_else(|error: FormError| error.respond(&context, FrameKind::Plain))
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

/// What became of a name and a password.
#[derive(Debug)]
pub(crate) enum SignInOutcome {
    /// There is a session, and the browser is sent on.
    SignedIn(Response),
    /// What was wrong, and the name that was sent.
    Refused(SignInNotice, String),
}

/// Signs a person in, and sends the browser to `next`.
pub(crate) async fn submit_password(
    state: &AppState,
    headers: &HeaderMap,
    address: IpAddr,
    mut form: FormData,
    next: &str,
) -> Result<SignInOutcome, ApiError> {
    let shared = state.shared();
    let settings = &shared.settings;
    let (name, password) = (form.take("name"), form.take("password"));
    let user = match sign_in(&shared.accounts, &name, password, address).await {
        Ok(user) => user,
        Err(error) => return Ok(SignInOutcome::Refused(SignInNotice::from_error(error)?, name)),
    };
    let before = Cookie::Session.read(settings, headers);
    let Some(secret) = shared.accounts.begin_session(user, before).await? else {
        return Ok(SignInOutcome::Refused(SignInNotice::Refused, name));
    };
    let cookies =
        [Cookie::Session.set_header(settings, &secret), Cookie::Visitor.clear_header(settings)];
    Ok(SignInOutcome::SignedIn(with_cookies(see_other(next), cookies)))
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
    let home = if settings.web.enabled { SIGN_IN_PATH } else { "/" };
    let context = PageContext::from_request(settings, home, request.uri(), &headers);
    let form = match read_form(&state, request).await {
        Ok(form) => form,
        Err(error) => return error.respond(&context, FrameKind::Plain),
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
        Err(error) => error.respond(&context, FrameKind::Plain),
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
fn foreign(context: &PageContext, frame: FrameKind<'_>) -> Response {
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
            p { a href=(context.base.link(SIGN_IN_PATH)) { (context.text("signed-out", "again")) } }
        }
    };
    respond(context, PageContent::new(PageKind::Wanted, title, FrameKind::Plain, body))
}
