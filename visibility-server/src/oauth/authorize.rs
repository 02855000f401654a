//! `/authorize`: a user signs in and decides what a client may do on their behalf.
//!
//! The request of the program stays in the address of every step and is read again at each. A form counts
//! only if it has the sign of the cookie that its browser shows: that of a session, or before there is one
//! that of a visitor.

use std::net::{IpAddr, SocketAddr};

use axum::Extension;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use visibility_core::error::{ErrorCode, Problem};

use super::Documents;
use super::pages::{self, PageContext, SignInNotice};
use super::request::{AuthorizationRequest, RequestError};
use crate::access::accounts::cookies::Cookie;
use crate::access::accounts::form::{self, FormData};
use crate::access::accounts::session::{Session, new_secret};
use crate::access::accounts::sign_in::{SignInError, sign_in};
use crate::http::client_address::client_address;
use crate::http::response::ApiError;
use crate::state::AppState;

/// Why a step is not taken.
#[derive(Debug)]
enum StepError {
    /// The request of the program is not one that may be shown.
    Request(RequestError),
    /// The client gets the error by a redirect at once.
    Leave(String),
    /// The form is not from a page of ours that this browser has asked for, or its session is over.
    Foreign,
    /// Something else is wrong, with the request or with us.
    Api(ApiError),
}

impl StepError {
    fn respond(self, context: &PageContext) -> Response {
        match self {
            Self::Request(RequestError::Client(error)) if error.is_loopback => {
                pages::see_other(&error.address)
            }
            Self::Request(RequestError::Client(error)) => pages::client_error(context, &error),
            Self::Leave(address) => pages::see_other(&address),
            Self::Foreign => pages::cross_origin_form(context),
            Self::Request(RequestError::Local(error)) | Self::Api(error) => {
                let page = pages::refused(context, error.problem());
                error.apply_headers(page)
            }
        }
    }
}

impl StepError {
    /// The person is signed in: errors go to the client by a redirect, without a page.
    fn for_signed_in(error: RequestError) -> Self {
        match error {
            RequestError::Client(error) => Self::Leave(error.address),
            error @ RequestError::Local(_) => Self::Request(error),
        }
    }
}

impl From<RequestError> for StepError {
    fn from(error: RequestError) -> Self {
        Self::Request(error)
    }
}

impl From<ApiError> for StepError {
    fn from(error: ApiError) -> Self {
        Self::Api(error)
    }
}

/// `GET /authorize`.
pub(crate) async fn show(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Extension(documents): Extension<Documents>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let context = PageContext::from_request(&state, &uri, &headers);
    let shown = next_step(&state, &context, &Sender { headers, peer, documents }).await;
    shown.unwrap_or_else(|stop| stop.respond(&context))
}

/// `POST /authorize`.
pub(crate) async fn post(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Extension(documents): Extension<Documents>,
    request: Request,
) -> Response {
    let headers = request.headers().clone();
    let mut context = PageContext::from_request(&state, request.uri(), &headers);
    let form = match read_form(&state, request).await {
        Ok(form) => form,
        Err(stop) => return stop.respond(&context),
    };
    context = context.with_form_language(form.get("lang"));
    let sender = Sender { headers, peer, documents };
    let taken = if form.get("decision").is_empty() {
        submit_password(&state, &context, &sender, form).await
    } else {
        submit_decision(&state, &context, &sender, &form).await
    };
    taken.unwrap_or_else(|stop| stop.respond(&context))
}

/// `POST /sign-out`: ends the session, and shows the request for authorization again that `request` is.
pub(crate) async fn sign_out(State(state): State<AppState>, request: Request) -> Response {
    let headers = request.headers().clone();
    let context = PageContext::from_request(&state, request.uri(), &headers);
    let form = match read_form(&state, request).await {
        Ok(form) => form,
        Err(stop) => return stop.respond(&context),
    };
    let context = PageContext::new(&state, form.get("request").to_owned(), &headers)
        .with_form_language(form.get("lang"));
    match end_session(&state, &headers, &form).await {
        Ok(()) => {
            let forget = Cookie::Session.clear_header(&state.shared().settings);
            let next = match context.query.as_str() {
                "" => pages::signed_out(&context),
                _ => pages::see_other(&context.address()),
            };
            pages::with_cookies(next, [forget])
        }
        Err(stop) => stop.respond(&context),
    }
}

/// From where a form comes.
#[derive(Debug)]
struct Sender {
    headers: HeaderMap,
    peer: SocketAddr,
    /// The clients that may be meant.
    documents: Documents,
}

impl Sender {
    /// The address of the browser.
    fn address(&self, state: &AppState) -> IpAddr {
        let proxies = &state.shared().settings.trusted_proxies;
        client_address(self.peer.ip(), &self.headers, proxies)
    }
}

/// Reads a form, unless the browser says that it came from another site.
async fn read_form(state: &AppState, request: Request) -> Result<FormData, StepError> {
    if form::is_cross_origin(&state.shared().settings, request.headers()) {
        return Err(StepError::Foreign);
    }
    Ok(FormData::from_request(&state.shared().settings, request).await?)
}

/// The consent page for a signed-in person, the sign-in page for everyone else.
async fn next_step(
    state: &AppState,
    context: &PageContext,
    sender: &Sender,
) -> Result<Response, StepError> {
    let headers = &sender.headers;
    let request =
        AuthorizationRequest::read(state, &sender.documents, &context.query, sender.address(state))
            .await;
    let shared = state.shared();
    let key = &shared.accounts.form_key;
    if let Some(session) = session(state, headers).await? {
        let request = request.map_err(StepError::for_signed_in)?;
        let sign = shared.accounts.sign(&session);
        return Ok(pages::consent(context, &request, &sign, &session.user.user));
    }
    let request = request?;
    let shown = Cookie::Visitor.read(&shared.settings, headers);
    let is_new = shown.is_none();
    let secret = shown.map_or_else(new_secret, Ok)?;
    let page = pages::sign_in(context, &request, &key.sign(Cookie::Visitor, &secret), None);
    let kept = is_new.then(|| Cookie::Visitor.set_header(&shared.settings, &secret)).flatten();
    Ok(pages::with_cookies(page, [kept]))
}

/// Signs a person in.
async fn submit_password(
    state: &AppState,
    context: &PageContext,
    sender: &Sender,
    mut form: FormData,
) -> Result<Response, StepError> {
    let shared = state.shared();
    let settings = &shared.settings;
    let visitor = Cookie::Visitor.read(settings, &sender.headers).ok_or(StepError::Foreign)?;
    if !shared.accounts.form_key.is_signed(&form, Cookie::Visitor, &visitor) {
        return Err(StepError::Foreign);
    }
    let address = sender.address(state);
    let request =
        AuthorizationRequest::read(state, &sender.documents, &context.query, address).await?;
    let again = |trouble, name: &str| {
        let sign = shared.accounts.form_key.sign(Cookie::Visitor, &visitor);
        Ok(pages::sign_in(context, &request, &sign, Some((trouble, name))))
    };
    let (name, password) = (form.take("name"), form.take("password"));
    let user = match sign_in(&state.shared().accounts, &name, password, address).await {
        Ok(user) => user,
        Err(SignInError::Refused) => return again(SignInNotice::Refused, &name),
        Err(SignInError::TooMany(wait)) => return again(SignInNotice::TooMany(wait), &name),
        Err(SignInError::Busy) => return again(SignInNotice::Busy, &name),
        Err(SignInError::Failed(error)) => return Err(error.into()),
    };
    let before = Cookie::Session.read(settings, &sender.headers);
    let Some(secret) = shared.accounts.begin_session(user, before).await? else {
        return again(SignInNotice::Refused, &name);
    };
    let cookies =
        [Cookie::Session.set_header(settings, &secret), Cookie::Visitor.clear_header(settings)];
    Ok(pages::with_cookies(pages::see_other(&context.address()), cookies))
}

/// Sends the browser back to the program, with what its user has decided.
async fn submit_decision(
    state: &AppState,
    context: &PageContext,
    sender: &Sender,
    form: &FormData,
) -> Result<Response, StepError> {
    let session = session(state, &sender.headers).await?.ok_or(StepError::Foreign)?;
    if !state.shared().accounts.is_signed(form, &session) {
        return Err(StepError::Foreign);
    }
    let Session { secret, user } = session;
    let request =
        AuthorizationRequest::read(state, &sender.documents, &context.query, sender.address(state))
            .await;
    let request = request.map_err(StepError::for_signed_in)?;
    let address = match form.get("decision") {
        "approve" => {
            // The request may have taken a while to read: the session is judged once more with the grant.
            let approved = request.approve(state, &user, secret.digest()).await?;
            approved.ok_or(StepError::Foreign)?
        }
        "deny" => request.deny(),
        _ => {
            let problem = Problem::new(ErrorCode::InvalidRequest, "form-broken");
            return Err(ApiError::from(problem).into());
        }
    };
    let user = &user.user;
    tracing::info!(user = %user.id, tenant = %user.tenant, decision = form.get("decision"), "decided");
    Ok(pages::see_other(&address))
}

/// Ends the session of a browser, if it has one.
async fn end_session(
    state: &AppState,
    headers: &HeaderMap,
    form: &FormData,
) -> Result<(), StepError> {
    let Some(session) = session(state, headers).await? else { return Ok(()) };
    let accounts = &state.shared().accounts;
    if !accounts.is_signed(form, &session) {
        return Err(StepError::Foreign);
    }
    Ok(accounts.end_session(&session.secret).await?)
}

/// The session of a browser, if it lasts.
async fn session(state: &AppState, headers: &HeaderMap) -> Result<Option<Session>, ApiError> {
    let shared = state.shared();
    shared.accounts.session(&shared.settings, headers).await
}
