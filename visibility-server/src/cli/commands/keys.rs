//! `visibility-server keys`.

mod shown;
mod user;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use visibility_core::accounts::api_key::KeyId;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::token::{Token, TokenKind};

use self::shown::{Made, Shown};
use super::{expect_tenant, stores};
use crate::cli::args::keys::{CreateKeyArgs, KeysCommand};
use crate::cli::args::{FormatArgs, GlobalArgs, Span};
use crate::cli::console::Console;
use crate::cli::error::CommandFailure;
use crate::cli::exit_code::Exit;
use crate::runtime::random;
use crate::stores::sqlite::keys::{NewKey, StoredKey, Successor};

/// Runs a command about keys.
pub(super) fn run(
    command: &KeysCommand,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandFailure> {
    match command {
        KeysCommand::Create(arguments) => create(arguments, global, console),
        KeysCommand::Rotate { id, overlap: Span(overlap), format } => {
            let (token, successor) = new_key()?;
            let overlap_ends = successor.created_at + *overlap;
            let stores = stores(global)?;
            let (old, new) = stores.sqlite().rotate_key(*id, &successor, overlap_ends)?;
            show_made(&token, &new, Some(&old), *format, console)
        }
        KeysCommand::List { tenant, format } => list(tenant.as_ref(), global, *format, console),
        KeysCommand::Revoke { id, format } => {
            let now = Utc::now();
            let revoked = stores(global)?.sqlite().revoke_key(*id, now)?;
            if format.is_json() {
                console.print_json(&Shown::new(&revoked, now))?;
            } else {
                console.print(&format!("Revoked key {id}.\n"))?;
            }
            Ok(Exit::Ok)
        }
    }
}

fn create(
    arguments: &CreateKeyArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandFailure> {
    let (token, Successor { id, shown, digest, created_by, created_at }) = new_key()?;
    let kept = NewKey {
        id,
        tenant: arguments.tenant.clone(),
        name: arguments.name.clone(),
        shown,
        digest,
        scopes: arguments.scope.iter().copied().collect(),
        networks: arguments.allow.clone(),
        created_by,
        created_at,
        lifetime: arguments.expires_in.map(|Span(span)| span),
    };
    stores(global)?.sqlite().create_key(&kept)?;
    show_made(&token, &kept, None, arguments.format, console)
}

/// A key, and what is kept of it whatever it is for.
fn new_key() -> Result<(Token, Successor), CommandFailure> {
    let token = random::token(TokenKind::ApiKey)
        .map_err(|error| CommandFailure::internal("there is no randomness", error))?;
    let successor = Successor {
        id: KeyId::from(Uuid::now_v7()),
        shown: token.abbreviated(),
        digest: token.digest(),
        created_by: user::name(),
        created_at: Utc::now(),
    };
    Ok((token, successor))
}

fn show_made(
    token: &Token,
    kept: &NewKey,
    old: Option<&StoredKey>,
    format: FormatArgs,
    console: Console,
) -> Result<Exit, CommandFailure> {
    if format.is_json() {
        console.print_json(&Made::new(token, kept, old))?;
        return Ok(Exit::Ok);
    }
    // The key alone, so that `KEY=$(visibility-server keys create acme)` is enough.
    console.print(&format!("{}\n", token.reveal()))?;
    let NewKey { id, tenant, name, .. } = kept;
    let until = |time: DateTime<Utc>| time.format("%Y-%m-%d %H:%M UTC").to_string();
    let valid = kept.expires_at().map_or_else(|| "it is revoked".to_owned(), until);
    console.say(&format!(
        "Key {id} (`{name}`) of {tenant}, valid until {valid}. It is not shown again: keep it now."
    ));
    if let Some(old) = old {
        let id = old.made.id;
        match old.expires_at {
            Some(end) if end > kept.created_at => {
                console.say(&format!("The old key {id} works until {}.", until(end)));
            }
            _ => console.say(&format!("The old key {id} works no longer.")),
        }
    }
    Ok(Exit::Ok)
}

fn list(
    tenant: Option<&TenantSlug>,
    global: &GlobalArgs,
    format: FormatArgs,
    console: Console,
) -> Result<Exit, CommandFailure> {
    let now = Utc::now();
    let stores = stores(global)?;
    if let Some(tenant) = tenant {
        expect_tenant(&stores, tenant, now)?;
    }
    let keys = stores.sqlite().keys(tenant)?;
    let listed: Vec<Shown<'_>> = keys.iter().map(|key| Shown::new(key, now)).collect();
    if format.is_json() {
        console.print_json(&listed)?;
    } else if listed.is_empty() {
        console.say("There is no key. Next: visibility-server keys create TENANT");
    } else {
        let rows: Vec<Vec<String>> = listed.iter().map(Shown::row).collect();
        console.print_table(&shown::TITLES, &rows)?;
    }
    Ok(Exit::Ok)
}
