//! The authorization request: the query of `/authorize`.
//!
//! Until client and redirect URI are known to belong together, errors are shown on our
//! own page: a redirect to an address of a stranger's choice would make us a step of an attack. After that
//! a redirect reports the error to the client; but anyone can register a client, so that a browser without a
//! session is asked first (RFC 9700 section 4.11.2).

use std::collections::BTreeSet;
use std::net::IpAddr;

use uuid::Uuid;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::token::{TokenDigest, TokenKind};
use visibility_core::error::{ErrorCode, Problem};

use super::Documents;
use super::client::Client;
use super::client_lookup;
use super::parameters::{Parameters, ParametersError};
use super::pkce::PkceChallenge;
use super::redirect;
use crate::access::audience;
use crate::access::audience::OFFLINE_ACCESS;
use crate::http::response::ApiError;
use crate::runtime::clock;
use crate::runtime::random;
use crate::settings::Settings;
use crate::state::AppState;
use crate::stores::state::oauth_grants::{Consent, NewCode, NewGrant};
use crate::stores::state::users::StoredUser;

/// Bytes of a `state`.
const MAX_STATE_BYTES: usize = 2048;

/// A request that may be shown to a person, who then approves or denies it.
#[derive(Clone, Debug)]
pub(crate) struct AuthorizationRequest {
    pub(crate) client: Client,
    /// Where the browser is sent back to.
    pub(crate) redirect_uri: String,
    /// What is asked for: never more than there is, and never nothing.
    pub(crate) scopes: BTreeSet<Scope>,
    /// What the client wants to hear back, byte by byte.
    pub(crate) state: Option<String>,
    /// What the tokens will be for.
    pub(crate) resource: String,
    /// What the client will show the verifier of.
    pub(crate) challenge: PkceChallenge,
    issuer: String,
}

/// Why a request is not shown to a person.
#[derive(Clone, Debug)]
pub(crate) enum RequestError {
    /// Shown on our own page, with the status of its code.
    Local(ApiError),
    /// Sent to the client by a redirect.
    Client(Box<ErrorRedirect>),
}

/// An error that the client gets by a redirect, without user interaction.
#[derive(Clone, Debug)]
pub(crate) struct ErrorRedirect {
    /// What the client calls itself.
    pub(crate) client_name: String,
    /// Where the browser is sent, with the error, the state and who answers.
    pub(crate) address: String,
    /// The host of that, as people are shown it.
    pub(crate) host: String,
    /// Whether it is an address of the browser's own machine, which cannot be another site.
    pub(crate) is_loopback: bool,
    /// A code of RFC 6749 section 4.1.2.1.
    pub(crate) error: &'static str,
    /// A sentence for developers.
    pub(crate) description: &'static str,
}

impl AuthorizationRequest {
    /// Reads the query of `/authorize` from the address. It is read again at every step: a form
    /// may have been changed, and a client may have gone. `address` is that of the browser.
    ///
    /// # Errors
    ///
    /// [`RequestError`].
    pub(crate) async fn read(
        state: &AppState,
        documents: &Documents,
        query: &str,
        address: IpAddr,
    ) -> Result<Self, RequestError> {
        let local = |id| RequestError::local(Problem::new(ErrorCode::InvalidRequest, id));
        let parameters =
            Parameters::parse(query.as_bytes()).map_err(|_unread| local("oauth-query"))?;
        let client_id = parameters
            .single("client_id")
            .ok()
            .flatten()
            .ok_or_else(|| local("oauth-client-missing"))?;
        let client = client_lookup::find(state, documents, client_id, address)
            .await
            .map_err(|error| RequestError::Local(error.into()))?;
        let asked = parameters.single("redirect_uri").map_err(|_twice| local("oauth-redirect"))?;
        let redirect_uri = client.redirect_uri(asked).ok_or_else(|| local("oauth-redirect"))?;
        let settings = &state.shared().settings;
        let answer = ClientRedirect {
            redirect_uri: &redirect_uri,
            issuer: settings.public_url(),
            state: echoed_state(&parameters),
        };
        match RequestedGrant::from_parameters(&parameters, settings) {
            Ok(wanted) => Ok(Self {
                state: answer.state.map(str::to_owned),
                issuer: answer.issuer,
                resource: audience::canonical(settings),
                scopes: wanted.scopes,
                challenge: wanted.challenge,
                redirect_uri,
                client,
            }),
            Err((error, description)) => Err(RequestError::Client(Box::new(ErrorRedirect {
                address: answer.url(&[("error", error), ("error_description", description)]),
                host: redirect::host(&redirect_uri),
                is_loopback: redirect::is_loopback(&redirect_uri),
                client_name: client.name,
                error,
                description,
            }))),
        }
    }

    /// The host that the browser is sent back to.
    pub(crate) fn redirect_host(&self) -> String {
        redirect::host(&self.redirect_uri)
    }

    /// Whether the browser is sent back to a program on its own machine: any program there can wait for it.
    pub(crate) fn is_local_program(&self) -> bool {
        redirect::is_local_program(&self.redirect_uri)
    }

    /// The part of the requested scopes that the person can grant.
    pub(crate) fn grantable(&self, may: &BTreeSet<Scope>) -> BTreeSet<Scope> {
        self.scopes.intersection(may).copied().collect()
    }

    /// Keeps that a person approves, as far as the person may, and says where the browser is sent: with a
    /// code or an error. `None` if the session has ended meanwhile, or the person may
    /// no longer do anything.
    ///
    /// # Errors
    ///
    /// When a store fails, or the operating system gives no random numbers.
    pub(crate) async fn approve(
        &self,
        state: &AppState,
        holder: &StoredUser,
        session: TokenDigest,
    ) -> Result<Option<String>, ApiError> {
        let (request, holder) = (self.clone(), holder.clone());
        state.blocking(move |state| request.grant(state, &holder, session)).await
    }

    fn grant(
        &self,
        state: &AppState,
        holder: &StoredUser,
        session: TokenDigest,
    ) -> Result<Option<String>, ApiError> {
        let state_store = state.shared().stores.state_store();
        let scopes = self.grantable(&holder.user.scopes);
        if scopes.is_empty() {
            let description = "The user may grant none of the scopes.";
            let refusal = [("error", "invalid_scope"), ("error_description", description)];
            return Ok(Some(self.redirect().url(&refusal)));
        }
        let code = random::token(TokenKind::Code).map_err(|error| {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "there is no authorization code"
            );
            ApiError::internal()
        })?;
        let grant = NewGrant {
            id: Uuid::now_v7().into(),
            user: holder.user.id,
            client_id: self.client.id.clone(),
            client_name: self.client.name.clone(),
            scopes,
            resource: self.resource.clone(),
            created_at: clock::now(),
        };
        let kept = NewCode {
            digest: code.digest(),
            redirect_uri: self.redirect_uri.clone(),
            challenge: self.challenge.as_str().to_owned(),
        };
        let credentials_changed_at = holder.credentials_changed_at;
        let consent = Consent { session, credentials_changed_at };
        let begun = state_store.begin_grant(&grant, &kept, &consent);
        if !begun.map_err(|error| ApiError::store(&error))? {
            tracing::info!(user = %grant.user, "a session ended before its approval was stored");
            return Ok(None);
        }
        tracing::info!(grant = %grant.id, user = %grant.user, "a user approved a program");
        Ok(Some(self.redirect().url(&[("code", code.reveal())])))
    }

    /// Where the browser is sent when the person does not want it.
    pub(crate) fn deny(&self) -> String {
        let description = "The request was denied.";
        self.redirect().url(&[("error", "access_denied"), ("error_description", description)])
    }

    fn redirect(&self) -> ClientRedirect<'_> {
        ClientRedirect {
            redirect_uri: &self.redirect_uri,
            issuer: self.issuer.clone(),
            state: self.state.as_deref(),
        }
    }
}

impl RequestError {
    fn local(problem: Problem) -> Self {
        Self::Local(problem.into())
    }
}

/// What every redirect to a client has.
#[derive(Debug)]
struct ClientRedirect<'a> {
    redirect_uri: &'a str,
    issuer: String,
    state: Option<&'a str>,
}

impl ClientRedirect<'_> {
    /// `iss` says which server answers (RFC 9207), so that no other can pass for it.
    fn url(&self, parameters: &[(&str, &str)]) -> String {
        let mut all = parameters.to_vec();
        all.extend(self.state.map(|state| ("state", state)));
        all.push(("iss", &self.issuer));
        redirect::with_parameters(self.redirect_uri, &all)
    }
}

/// The state that may be echoed, whatever else is wrong.
fn echoed_state(parameters: &Parameters) -> Option<&str> {
    parameters.single("state").ok().flatten().filter(|state| state.len() <= MAX_STATE_BYTES)
}

/// An error for a client: a code of RFC 6749 section 4.1.2.1, and a sentence for its developers.
type ErrorParameters = (&'static str, &'static str);

/// What is asked for.
#[derive(Debug)]
struct RequestedGrant {
    scopes: BTreeSet<Scope>,
    challenge: PkceChallenge,
}

impl RequestedGrant {
    fn from_parameters(
        parameters: &Parameters,
        settings: &Settings,
    ) -> Result<Self, ErrorParameters> {
        let invalid = |description| ("invalid_request", description);
        let one = |name| match parameters.single(name) {
            Ok(value) => Ok(value),
            Err(ParametersError::Repeated | _) => Err(invalid("A parameter is repeated.")),
        };
        if one("state")?.is_some_and(|state| state.len() > MAX_STATE_BYTES) {
            return Err(invalid("The state is longer than 2048 bytes."));
        }
        match one("response_type")? {
            Some("code") => {}
            Some(_) => return Err(("unsupported_response_type", "The response_type is not code.")),
            None => return Err(invalid("The response_type is missing.")),
        }
        if one("response_mode")?.is_some_and(|mode| mode != "query") {
            return Err(invalid("The response_mode is not query."));
        }
        match one("code_challenge_method")? {
            Some("S256") => {}
            Some(_) => return Err(invalid("The code_challenge_method is not S256.")),
            None => return Err(invalid("The code_challenge_method is missing; it is S256.")),
        }
        let challenge = one("code_challenge")?.ok_or(invalid("The code_challenge is missing."))?;
        let challenge = PkceChallenge::read(challenge)
            .ok_or(invalid("The code_challenge is not a SHA-256 hash in base64url."))?;
        if !parameters.all("resource").all(|asked| audience::is_ours(settings, asked)) {
            return Err(("invalid_target", "The resource does not belong to this server."));
        }
        let scopes = scopes(one("scope")?.unwrap_or_default())?;
        Ok(Self { scopes, challenge })
    }
}

/// The scopes that a parameter names; all if it names none.
fn scopes(text: &str) -> Result<BTreeSet<Scope>, ErrorParameters> {
    let mut scopes = BTreeSet::new();
    for word in text.split_ascii_whitespace().filter(|word| *word != OFFLINE_ACCESS) {
        let scope = Scope::for_program(word)
            .map_err(|_unknown| ("invalid_scope", "A scope is unknown."))?;
        scopes.insert(scope);
    }
    Ok(if scopes.is_empty() { BTreeSet::from(Scope::FOR_PROGRAMS) } else { scopes })
}
