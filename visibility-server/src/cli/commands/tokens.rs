//! `visibility-server tokens`.

use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::token::Token;

use super::{expect_tenant, stores};
use crate::access::issue;
use crate::cli::args::{DurationArg, FormatArgs, GlobalArgs, LifetimeArgs, TokensCommand};
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::stores::state::credentials::{NewToken, StoredToken, TokenState};

/// A new token on the wire: the only time that it is shown.
#[derive(Debug, Serialize)]
struct NewTokenView<'a> {
    token: &'a str,
    id: Uuid,
    tenant: &'a TenantSlug,
    expires_at: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces: Option<ReplacedToken>,
}

/// The token that a new one follows.
#[derive(Debug, Serialize)]
struct ReplacedToken {
    id: Uuid,
    expires_at: DateTime<Utc>,
}

/// A token on the wire, without the token itself.
#[derive(Debug, Serialize)]
struct TokenView<'a> {
    id: Uuid,
    tenant: &'a TenantSlug,
    state: TokenState,
    hint: String,
    created_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    revoked_at: Option<DateTime<Utc>>,
    last_used_at: Option<DateTime<Utc>>,
}

/// Runs a command about tokens.
pub(super) fn run(
    command: &TokensCommand,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    match command {
        TokensCommand::Create { tenant, lifetime, format } => {
            let (token, kept) = new_token(tenant, *lifetime)?;
            stores(global)?.state_store().create_token(&kept)?;
            show_new_token(&token, &kept, None, *format, console)
        }
        TokensCommand::Rotate { tenant, overlap: DurationArg(overlap), lifetime, format } => {
            let (token, kept) = new_token(tenant, *lifetime)?;
            let overlap_ends = kept.created_at + *overlap;
            let old = stores(global)?.state_store().rotate_token(&kept, overlap_ends)?;
            show_new_token(&token, &kept, Some(&old), *format, console)
        }
        TokensCommand::List { tenant, format } => list(tenant.as_ref(), global, *format, console),
        TokensCommand::Revoke { id, format } => {
            let stores = stores(global)?;
            let now = Utc::now();
            stores.state_store().revoke_token(*id, now)?;
            if format.is_json() {
                let tokens = stores.state_store().tokens(None)?;
                let revoked = tokens.iter().find(|token| token.id == *id);
                console.print_json(&revoked.map(|token| token_view(token, now)))?;
            } else {
                console.print(&format!("Revoked token {id}.\n"))?;
            }
            Ok(Exit::Ok)
        }
    }
}

/// A token, and what is kept of it.
fn new_token(
    tenant: &TenantSlug,
    lifetime: LifetimeArgs,
) -> Result<(Token, NewToken), CommandError> {
    let DurationArg(expires_in) = lifetime.expires_in;
    issue::ingestion_token(tenant, expires_in, Utc::now())
        .map_err(|error| CommandError::internal("the system has no randomness", error))
}

fn show_new_token(
    token: &Token,
    kept: &NewToken,
    old: Option<&StoredToken>,
    format: FormatArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let NewToken { id, tenant, expires_at, .. } = kept;
    if format.is_json() {
        console.print_json(&NewTokenView {
            token: token.reveal(),
            id: *id,
            tenant,
            expires_at: *expires_at,
            replaces: old.map(|old| ReplacedToken { id: old.id, expires_at: old.expires_at }),
        })?;
        return Ok(Exit::Ok);
    }
    // The token alone, so that `TOKEN=$(visibility-server tokens create acme)` is enough.
    console.print(&format!("{}\n", token.reveal()))?;
    let until = |time: DateTime<Utc>| time.format("%Y-%m-%d %H:%M UTC").to_string();
    console.say(&format!(
        "Token {id} of {tenant}, valid until {}. It is not shown again: save it now.",
        until(*expires_at)
    ));
    if let Some(old) = old {
        console.say(&format!("The old token {} works until {}.", old.id, until(old.expires_at)));
    }
    Ok(Exit::Ok)
}

fn list(
    tenant: Option<&TenantSlug>,
    global: &GlobalArgs,
    format: FormatArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let now = Utc::now();
    let stores = stores(global)?;
    if let Some(tenant) = tenant {
        expect_tenant(&stores, tenant, now)?;
    }
    let tokens = stores.state_store().tokens(tenant)?;
    let listed: Vec<TokenView<'_>> = tokens.iter().map(|token| token_view(token, now)).collect();
    if format.is_json() {
        console.print_json(&listed)?;
    } else if listed.is_empty() {
        console.say("There are no tokens. Next: visibility-server tokens create TENANT");
    } else {
        let rows: Vec<Vec<String>> = listed.iter().map(row).collect();
        console.print_table(&["tenant", "state", "expires", "last used", "hint", "id"], &rows)?;
    }
    Ok(Exit::Ok)
}

fn row(token: &TokenView<'_>) -> Vec<String> {
    let day = |time: DateTime<Utc>| time.format("%Y-%m-%d %H:%M").to_string();
    vec![
        token.tenant.to_string(),
        token.state.words().to_owned(),
        day(token.expires_at),
        token.last_used_at.map_or_else(|| "never".to_owned(), day),
        token.hint.clone(),
        token.id.to_string(),
    ]
}

fn token_view(token: &StoredToken, now: DateTime<Utc>) -> TokenView<'_> {
    TokenView {
        id: token.id,
        tenant: &token.tenant,
        state: token.state(now),
        hint: token.digest.hint(),
        created_at: token.created_at,
        expires_at: token.expires_at,
        revoked_at: token.revoked_at,
        last_used_at: token.last_used_at,
    }
}
