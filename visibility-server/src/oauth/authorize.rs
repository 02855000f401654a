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
use super::pages;
use super::request::{AuthorizationRequest, RequestError};
use crate::access::accounts::cookies::Cookie;
use crate::access::accounts::form::FormData;
use crate::access::accounts::session::Session;
use crate::http::client_address::client_address;
use crate::http::response::ApiError;
use crate::site::layout::FrameKind;
use crate::site::page::{PageContext, see_other, with_cookies};
use crate::site::problem_page;
use crate::site::sign_in::{self, FormError};
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
                see_other(&error.address)
            }
            Self::Request(RequestError::Client(error)) => pages::client_error(context, &error),
            Self::Leave(address) => see_other(&address),
            Self::Foreign => sign_in::foreign(context, FrameKind::Gate),
            Self::Request(RequestError::Local(error)) | Self::Api(error) => {
                problem_page::respond(context, FrameKind::Gate, &error)
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

impl From<FormError> for StepError {
    fn from(error: FormError) -> Self {
        match error {
            FormError::Foreign => Self::Foreign,
            FormError::Api(error) => Self::Api(error),
        }
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
    let context = PageContext::from_request(&state.shared().settings, pages::PATH, &uri, &headers);
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
    let settings = &state.shared().settings;
    let mut context = PageContext::from_request(settings, pages::PATH, request.uri(), &headers);
    let form = match sign_in::read_form(&state, request).await {
        Ok(form) => form,
        Err(error) => return StepError::from(error).respond(&context),
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
    if let Some(session) = session(state, headers).await? {
        let request = request.map_err(StepError::for_signed_in)?;
        let sign = shared.accounts.sign(&session);
        return Ok(pages::consent(context, &request, &sign, &session.user.user));
    }
    let request = request?;
    let (visitor, cookie) = sign_in::visitor(state, headers)?;
    let sign = shared.accounts.form_key.sign(Cookie::Visitor, &visitor);
    let has_users = sign_in::has_users(state).await?;
    Ok(with_cookies(pages::sign_in(context, &request, (&sign, has_users), None), [cookie]))
}

/// Signs a person in.
async fn submit_password(
    state: &AppState,
    context: &PageContext,
    sender: &Sender,
    form: FormData,
) -> Result<Response, StepError> {
    let visitor = sign_in::check_visitor(state, &sender.headers, &form)?;
    let address = sender.address(state);
    let request =
        AuthorizationRequest::read(state, &sender.documents, &context.query, address).await?;
    let next = context.address();
    match sign_in::submit_password(state, &sender.headers, sender.peer, form, &next).await? {
        Ok(response) => Ok(response),
        Err((notice, name)) => {
            let sign = state.shared().accounts.form_key.sign(Cookie::Visitor, &visitor);
            let has_users = sign_in::has_users(state).await?;
            Ok(pages::sign_in(context, &request, (&sign, has_users), Some((notice, &name))))
        }
    }
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
    Ok(see_other(&address))
}

/// The session of a browser, if it lasts.
async fn session(state: &AppState, headers: &HeaderMap) -> Result<Option<Session>, ApiError> {
    let shared = state.shared();
    shared.accounts.session(&shared.settings, headers).await
}
