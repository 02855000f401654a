//! API keys in the settings.

mod form;
mod list;

use std::collections::BTreeSet;

use visibility_core::accounts::api_key::KeyId;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::token::Token;

pub(super) use self::form::KeyForm;
pub(super) use self::list::section;
use super::notice::Notice;
use super::overview::{Remarks, overlap};
use super::{Change, NewSecret, Section, Visit};
use crate::access::accounts::form::{FormData, broken};
use crate::access::issue;
use crate::http::response::ApiError;
use crate::http::urls;
use crate::site::page::PageKind;
use crate::state::AppState;
use crate::stores::state::credentials::TokenState;
use crate::stores::state::keys::{KeyError, NewKey, StoredKey, Successor};

/// Active keys of a tenant; with as many, the settings create no other.
const MAX_KEYS: usize = 100;

/// Makes, rotates or revokes a key.
pub(super) async fn change(
    state: &AppState,
    visit: &Visit,
    form: &FormData,
) -> Result<Change, ApiError> {
    match form.get("action") {
        "create" => create(state, visit, form).await,
        "rotate" => rotate(state, visit, form).await,
        "revoke" => revoke(state, visit, form).await,
        _ => Err(broken()),
    }
}

async fn create(state: &AppState, visit: &Visit, form: &FormData) -> Result<Change, ApiError> {
    let filled = KeyForm::from_data(visit, form).ok_or_else(broken)?;
    let wanted = match filled.clone().read(visit, form) {
        Ok(wanted) => wanted,
        Err(faulty) => {
            let remarks = Remarks { key: faulty, ..Remarks::new(visit) };
            return Ok(Change::Refused(PageKind::BadRequest, Box::new(remarks)));
        }
    };
    let keys = keys_of_tenant(state, visit).await?;
    let active = keys.iter().filter(|key| key.state(visit.now) == TokenState::Active);
    if active.count() >= MAX_KEYS {
        let text = visit.fill("keys-many", ("count", &MAX_KEYS.to_string()));
        return Ok(Change::conflict(visit, Section::Keys, text));
    }
    let (token, successor) = new_key(visit)?;
    let Successor { id, abbreviated, digest, created_by, created_at } = successor;
    let key = NewKey {
        id,
        tenant: visit.user().tenant.clone(),
        name: wanted.name,
        abbreviated,
        digest,
        scopes: wanted.scopes,
        networks: wanted.networks,
        created_by,
        created_at,
        lifetime: wanted.lifetime,
    };
    let kept = key.clone();
    let created = state
        .blocking(move |state| Ok(state.shared().stores.state_store().create_key(&kept)))
        .await?;
    match created {
        Ok(()) => {
            tracing::info!(user = %visit.user().id, tenant = %key.tenant, key = %key.id, "made a key");
            Ok(Change::Secret(new_secret(state, visit, &token, &key, None)))
        }
        Err(KeyError::NameTaken(_)) => {
            let again = filled.with_name_fault(visit.text("name-taken"));
            let remarks = Remarks { key: again, ..Remarks::new(visit) };
            Ok(Change::Refused(PageKind::Conflict, Box::new(remarks)))
        }
        Err(error) => refused(visit, error),
    }
}

async fn rotate(state: &AppState, visit: &Visit, form: &FormData) -> Result<Change, ApiError> {
    let overlap = overlap(form.get("overlap")).ok_or_else(broken)?;
    let Some(key) = find(state, visit, form).await? else { return Ok(no_such_key(visit)) };
    if !is_rotatable(visit, &key) {
        let text = visit.text("scopes-above");
        return Ok(Change::refused(visit, PageKind::Refused, Section::Keys, text));
    }
    let (token, successor) = new_key(visit)?;
    let (id, ends) = (key.key.id, visit.now + overlap);
    let rotated = state
        .blocking(move |state| {
            Ok(state.shared().stores.state_store().rotate_key(id, &successor, ends))
        })
        .await?;
    match rotated {
        Ok((old, new)) => {
            tracing::info!(user = %visit.user().id, tenant = %new.tenant, key = %id, "rotated a key");
            Ok(Change::Secret(new_secret(state, visit, &token, &new, Some(&old))))
        }
        Err(error) => refused(visit, error),
    }
}

async fn revoke(state: &AppState, visit: &Visit, form: &FormData) -> Result<Change, ApiError> {
    let Some(key) = find(state, visit, form).await? else { return Ok(no_such_key(visit)) };
    let (id, now) = (key.key.id, visit.now);
    let revoked = state
        .blocking(move |state| Ok(state.shared().stores.state_store().revoke_key(id, now)))
        .await?;
    match revoked {
        Ok(_key) => {
            let user = visit.user();
            tracing::info!(user = %user.id, tenant = %user.tenant, key = %id, "revoked a key");
            Ok(Change::Done(Notice::KeyRevoked))
        }
        Err(error) => refused(visit, error),
    }
}

/// The key that a form names, if it is one of the tenant.
async fn find(
    state: &AppState,
    visit: &Visit,
    form: &FormData,
) -> Result<Option<StoredKey>, ApiError> {
    let Ok(id) = form.get("id").parse::<KeyId>() else { return Ok(None) };
    let keys = keys_of_tenant(state, visit).await?;
    Ok(keys.into_iter().find(|key| key.key.id == id))
}

/// All keys of the tenant, also those that have ended.
async fn keys_of_tenant(state: &AppState, visit: &Visit) -> Result<Vec<StoredKey>, ApiError> {
    let tenant = visit.user().tenant.clone();
    let keys = state.blocking(move |state| {
        let keys = state.shared().stores.state_store().keys(Some(&tenant));
        keys.map_err(|error| ApiError::store(&error))
    });
    keys.await
}

/// Whether the person may do all that a key may: its successor gives them no more.
fn is_rotatable(visit: &Visit, key: &StoredKey) -> bool {
    let grantable: BTreeSet<Scope> = visit.grantable().collect();
    key.key.scopes.is_subset(&grantable)
}

fn new_key(visit: &Visit) -> Result<(Token, Successor), ApiError> {
    let created_by = Some(visit.user().name.to_string());
    issue::api_key(created_by, visit.now).map_err(ApiError::randomness)
}

fn no_such_key(visit: &Visit) -> Change {
    Change::conflict(visit, Section::Keys, visit.text("no-key"))
}

/// Why the keys stay as they are.
fn refused(visit: &Visit, error: KeyError) -> Result<Change, ApiError> {
    let text = match error {
        KeyError::Store(error) => return Err(ApiError::store(&error)),
        KeyError::TooManyKeys { name, .. } => visit.fill("key-rotated", ("name", name.as_str())),
        KeyError::NotActive { .. } | KeyError::NoKey(_) | KeyError::NameTaken(_) => {
            visit.text("no-key")
        }
        KeyError::NoTenant(_) | KeyError::TenantDisabled(_) => visit.text("tenant-disabled"),
    };
    Ok(Change::conflict(visit, Section::Keys, text))
}

fn new_secret(
    state: &AppState,
    visit: &Visit,
    token: &Token,
    key: &NewKey,
    old: Option<&StoredKey>,
) -> NewSecret {
    let base = state.shared().settings.public_url();
    let (id, command) = command(&base, &key.scopes, token.reveal());
    NewSecret {
        title: visit.fill("new-key", ("name", key.name.as_str())),
        secret: token.reveal().to_owned(),
        command,
        about_command: visit.text(id),
        old: old.and_then(|old| old.expires_at).map(|end| visit.overlap_end("key", end)),
    }
}

/// A command that uses a key, and the name of the sentence that says what it does.
fn command(base: &str, scopes: &BTreeSet<Scope>, key: &str) -> (&'static str, String) {
    let (id, path, accept, body) = if scopes.contains(&Scope::ScanRead) {
        ("try-scan", "/api/v1/agent-readiness", "", r#"{"domain":"example.com"}"#)
    } else if scopes.contains(&Scope::AuditRead) {
        ("try-audit", "/api/public/audit", "", r#"{"url":"https://example.com/"}"#)
    } else {
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query_bot_traffic","arguments":{}}}"#;
        let accept = "  -H 'Accept: application/json, text/event-stream' \\\n";
        ("try-traffic", urls::McpEndpoint::Mcp.path(), accept, call)
    };
    let command = format!(
        "VISIBILITY_KEY='{key}'\n\
         curl -sS {base}{path} \\\n  -H \"Authorization: Bearer $VISIBILITY_KEY\" \\\n{accept}  \
         -H 'Content-Type: application/json' \\\n  -d '{body}'"
    );
    (id, command)
}
