//! `POST /token`: exchanges a code or a refresh token for tokens (RFC 6749 sections 4.1.3 and 6, OAuth 2.1).

use std::collections::BTreeSet;

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::token::{Token, TokenDigest, TokenKind};

use super::error::OAuthError;
use super::parameters::Parameters;
use super::pkce::{self, PkceChallenge};
use super::{body, client_lookup};
use crate::access::audience;
use crate::access::audience::OFFLINE_ACCESS;
use crate::http::response;
use crate::runtime::{clock, random};
use crate::state::AppState;
use crate::stores::state::oauth_tokens::{
    Issued, NewTokens, Redemption, Rotation, TokenIssueError,
};

/// What a client gets: RFC 6749 section 5.1.
#[derive(Serialize)]
struct TokenResponse<'a> {
    access_token: &'a str,
    token_type: &'static str,
    expires_in: i64,
    refresh_token: &'a str,
    scope: String,
}

/// `POST /token`.
pub(super) async fn issue(State(state): State<AppState>, request: Request) -> Response {
    respond(&state, request).await.unwrap_or_else(OAuthError::into_response)
}

async fn respond(state: &AppState, request: Request) -> Result<Response, OAuthError> {
    let basic = BasicAuth::from_headers(request.headers());
    let form = body::form(state, request).await?;
    let client_id = client_id(&form, basic.as_ref())?;
    let grant = TokenGrant::from_form(&form, state)?;
    let is_basic = basic.is_some();
    let work = state.clone();
    let done = tokio::task::spawn_blocking(move || issue_to(&work, &client_id, &grant, is_basic));
    done.await.unwrap_or_else(|error| {
        tracing::error!(error = &error as &dyn std::error::Error, "cannot issue tokens");
        Err(OAuthError::unavailable())
    })
}

/// What is to become tokens.
enum TokenGrant {
    Code { code: TokenDigest, verifier: String, redirect_uri: Option<String> },
    Refresh { token: TokenDigest, scopes: Option<BTreeSet<Scope>>, is_for_us: bool },
}

impl TokenGrant {
    fn from_form(form: &Parameters, state: &AppState) -> Result<Self, OAuthError> {
        let settings = &state.shared().settings;
        let is_for_us = form.all("resource").all(|asked| audience::is_ours(settings, asked));
        match form.single("grant_type")? {
            Some("authorization_code") => {
                let code = form.single("code")?.ok_or(missing("The code is missing."))?;
                let verifier = form
                    .single("code_verifier")?
                    .ok_or(missing("The code_verifier is missing."))?;
                if !pkce::is_verifier(verifier) {
                    return Err(missing("The code_verifier is not valid (RFC 7636, section 4.1)."));
                }
                if !is_for_us {
                    let description = "The resource does not belong to this server.";
                    return Err(OAuthError::new("invalid_target", description));
                }
                Ok(Self::Code {
                    code: TokenDigest::new(code),
                    verifier: verifier.to_owned(),
                    redirect_uri: form.single("redirect_uri")?.map(str::to_owned),
                })
            }
            Some("refresh_token") => {
                let token = form
                    .single("refresh_token")?
                    .ok_or(missing("The refresh_token is missing."))?;
                let scopes = form.single("scope")?.map(scopes).transpose()?.flatten();
                Ok(Self::Refresh { token: TokenDigest::new(token), scopes, is_for_us })
            }
            Some(_) => Err(OAuthError::new(
                "unsupported_grant_type",
                "The grant_type is neither authorization_code nor refresh_token.",
            )),
            None => Err(missing("The grant_type is missing.")),
        }
    }
}

fn missing(description: &'static str) -> OAuthError {
    OAuthError::invalid_request(description)
}

/// The scopes that a parameter names; all that were granted if it names none of ours.
fn scopes(text: &str) -> Result<Option<BTreeSet<Scope>>, OAuthError> {
    let words = text.split_ascii_whitespace().filter(|word| *word != OFFLINE_ACCESS);
    let scopes: Result<BTreeSet<Scope>, _> = words.map(Scope::for_program).collect();
    let scopes =
        scopes.map_err(|_unknown| OAuthError::new("invalid_scope", "A scope is unknown."))?;
    Ok(Some(scopes).filter(|scopes| !scopes.is_empty()))
}

/// Issues tokens. Blocks.
fn issue_to(
    state: &AppState,
    client_id: &str,
    grant: &TokenGrant,
    is_basic: bool,
) -> Result<Response, OAuthError> {
    let shared = state.shared();
    let state_store = shared.stores.state_store();
    if !client_lookup::is_known(state, client_id).map_err(|error| OAuthError::store(&error))? {
        return Err(OAuthError::invalid_client(is_basic));
    }
    let [access, refresh] = [new_token(TokenKind::Access)?, new_token(TokenKind::Refresh)?];
    let tokens = NewTokens { access: access.digest(), refresh: refresh.digest() };
    let resource = audience::canonical(&shared.settings);
    let now = state.shared().stores.trusted_time(clock::now());
    let issued = match grant {
        TokenGrant::Code { code, verifier, redirect_uri } => {
            let redirect_uri = redirect_uri.as_deref();
            let redemption =
                Redemption { code: *code, client_id, redirect_uri, resource: &resource, tokens };
            state_store.redeem_code(
                &redemption,
                |challenge| {
                    PkceChallenge::read(challenge)
                        .is_some_and(|challenge| challenge.matches(verifier))
                },
                now,
            )
        }
        // A client whose resource no longer exists starts over instead of retrying forever.
        TokenGrant::Refresh { is_for_us: false, .. } => {
            Ok(Issued::Refused(TokenIssueError::Resource))
        }
        TokenGrant::Refresh { token, scopes, .. } => {
            let (token, scopes) = (*token, scopes.as_ref());
            let rotation = Rotation { token, client_id, scopes, resource: &resource, tokens };
            state_store.rotate_refresh_token(&rotation, now)
        }
    };
    match issued.map_err(|error| OAuthError::store(&error))? {
        Issued::Tokens { scopes, lifetime } => Ok(response::ok(&TokenResponse {
            access_token: access.reveal(),
            token_type: "Bearer",
            expires_in: lifetime.num_seconds(),
            refresh_token: refresh.reveal(),
            scope: audience::scope_list(&scopes),
        })),
        Issued::Refused(why) => Err(grant_error(why)),
    }
}

fn new_token(kind: TokenKind) -> Result<Token, OAuthError> {
    random::token(kind).map_err(|error| {
        tracing::error!(error = &error as &dyn std::error::Error, "there is no token");
        OAuthError::unavailable()
    })
}

/// The error for a client. It does not reveal whether a token exists.
fn grant_error(why: TokenIssueError) -> OAuthError {
    match why {
        TokenIssueError::Replayed(grant) => {
            tracing::warn!(%grant, "a code or a refresh token was used again: its grant is revoked");
        }
        TokenIssueError::TooMany(grant) => {
            tracing::warn!(%grant, "too many refresh tokens were made: their grant is revoked");
        }
        why => tracing::info!(reason = ?why, "refused to issue tokens"),
    }
    match why {
        TokenIssueError::Scope => {
            OAuthError::new("invalid_scope", "The request asks for more than was granted.")
        }
        TokenIssueError::Verifier => {
            OAuthError::new("invalid_grant", "The code_verifier does not match the code_challenge.")
        }
        TokenIssueError::Redirect => OAuthError::new(
            "invalid_grant",
            "The redirect_uri does not match the one of the authorization request.",
        ),
        TokenIssueError::Resource => {
            OAuthError::new("invalid_grant", "The resource is no longer served.")
        }
        TokenIssueError::TooOften(wait) => {
            let description = "Too many tokens were refreshed recently.";
            OAuthError::too_many(description, wait.to_std().unwrap_or_default())
        }
        TokenIssueError::Unknown
        | TokenIssueError::Replayed(_)
        | TokenIssueError::TooMany(_)
        | TokenIssueError::Expired
        | TokenIssueError::Ended
        | TokenIssueError::OtherClient => OAuthError::new(
            "invalid_grant",
            "The code or token is unknown, already used, expired, revoked or belongs \
                to another client.",
        ),
    }
}

/// Who says to be who: in the form, or as some libraries do it, as the user of `Authorization: Basic`. There
/// are not secrets, so that one that comes with it is not looked at.
pub(super) fn client_id(
    form: &Parameters,
    basic: Option<&BasicAuth>,
) -> Result<String, OAuthError> {
    let basic = match basic {
        Some(BasicAuth(Some(id))) => Some(id.as_str()),
        Some(BasicAuth(None)) => return Err(OAuthError::invalid_client(true)),
        None => None,
    };
    match (form.single("client_id")?, basic) {
        (Some(id), Some(other)) if id != other => Err(OAuthError::invalid_client(true)),
        (Some(id), _) | (None, Some(id)) => Ok(id.to_owned()),
        (None, None) => Err(OAuthError::invalid_client(false)),
    }
}

/// `Authorization`, and the id of a client in it if there is one.
pub(super) struct BasicAuth(Option<String>);

impl BasicAuth {
    pub(super) fn from_headers(headers: &HeaderMap) -> Option<Self> {
        headers.contains_key(AUTHORIZATION).then(|| Self(user(headers)))
    }
}

/// The user of `Authorization: Basic`, which is coded as in a form: RFC 6749 section 2.3.1.
fn user(headers: &HeaderMap) -> Option<String> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, credentials) = value.to_str().ok()?.split_once(' ')?;
    let bytes = STANDARD.decode(credentials.trim()).ok()?;
    let text = String::from_utf8(bytes).ok().filter(|_| scheme.eq_ignore_ascii_case("basic"))?;
    let (user, _no_secret) = text.split_once(':')?;
    let coded = format!("client_id={}", user.replace('&', "%26"));
    let form = Parameters::parse(coded.as_bytes()).ok()?;
    form.single("client_id").ok().flatten().map(str::to_owned)
}
