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

use super::Documents;
use super::pages;
use super::request::{AuthorizationRequest, RequestError};
use crate::access::accounts::cookies::CookieSecret;
use crate::access::accounts::form::{self, FormData};
use crate::access::accounts::session::Session;
use crate::http::client_address::client_address;
use crate::http::response::ApiError;
use crate::http::urls::AUTHORIZE_PATH;
use crate::site::layout::FrameKind;
use crate::site::page::{PageContext, see_other, with_cookies};
use crate::site::problem_page;
use crate::site::sign_in::form::{SignInForm, SignInNotice};
use crate::site::sign_in::{self, FormError, SignInOutcome};
use crate::state::AppState;

/// Why a step is not taken.
#[derive(Debug)]
enum StepError {
    /// The request of the program is not one that may be shown.
    Request(RequestError),
    /// The client gets the error by a redirect at once.
    Leave(String),
    /// The form is not taken, or something else is wrong.
    Form(FormError),
}

impl StepError {
    fn respond(self, context: &PageContext) -> Response {
        match self {
            Self::Request(RequestError::Client(error)) if error.is_loopback => {
                see_other(&error.address)
            }
            Self::Request(RequestError::Client(error)) => pages::client_error(context, &error),
            Self::Leave(address) => see_other(&address),
            Self::Form(error) => error.respond(context, FrameKind::Gate),
            Self::Request(RequestError::Local(error)) => {
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
        Self::Form(error)
    }
}

impl From<ApiError> for StepError {
    fn from(error: ApiError) -> Self {
        FormError::from(error).into()
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
    let context =
        PageContext::from_request(&state.shared().settings, AUTHORIZE_PATH, &uri, &headers);
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
    let mut context = PageContext::from_request(settings, AUTHORIZE_PATH, request.uri(), &headers);
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
    let page = sign_in_page(state, context, &request, &visitor, None).await?;
    Ok(with_cookies(page, [cookie]))
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
    match sign_in::submit_password(state, &sender.headers, address, form, &next).await? {
        SignInOutcome::SignedIn(response) => Ok(response),
        SignInOutcome::Refused(notice, name) => {
            let notice = Some((notice, name.as_str()));
            Ok(sign_in_page(state, context, &request, &visitor, notice).await?)
        }
    }
}

/// The sign-in page; with a notice also the name that was sent.
async fn sign_in_page(
    state: &AppState,
    context: &PageContext,
    request: &AuthorizationRequest,
    visitor: &CookieSecret,
    notice: Option<(SignInNotice, &str)>,
) -> Result<Response, ApiError> {
    let lead = context.fill("sign-in", "lead-program", ("client", &request.client.name));
    let form = SignInForm::load(state, lead, visitor, notice).await?;
    Ok(form.respond(context, FrameKind::Gate))
}

/// Sends the browser back to the program, with what its user has decided.
async fn submit_decision(
    state: &AppState,
    context: &PageContext,
    sender: &Sender,
    form: &FormData,
) -> Result<Response, StepError> {
    let session = session(state, &sender.headers).await?.ok_or(FormError::Foreign)?;
    if !state.shared().accounts.is_signed(form, &session) {
        return Err(FormError::Foreign.into());
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
            approved.ok_or(FormError::Foreign)?
        }
        "deny" => request.deny(),
        _ => return Err(form::broken().into()),
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
