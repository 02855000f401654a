//! `visibility-server keys`.

mod user;
mod view;

use chrono::{DateTime, Utc};
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::token::Token;

use self::view::{KeyView, NewKeyView};
use super::{expect_tenant, stores};
use crate::access::issue;
use crate::cli::args::keys::{CreateKeyArgs, KeysCommand};
use crate::cli::args::{DurationArg, FormatArgs, GlobalArgs};
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::stores::state::keys::{NewKey, StoredKey, Successor};

/// Runs a command about keys.
pub(super) fn run(
    command: &KeysCommand,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    match command {
        KeysCommand::Create(arguments) => create(arguments, global, console),
        KeysCommand::Rotate { id, overlap: DurationArg(overlap), format } => {
            let (token, successor) = new_key()?;
            let overlap_ends = successor.created_at + *overlap;
            let stores = stores(global)?;
            let (old, new) = stores.state_store().rotate_key(*id, &successor, overlap_ends)?;
            show_new_key(&token, &new, Some(&old), *format, console)
        }
        KeysCommand::List { tenant, format } => list(tenant.as_ref(), global, *format, console),
        KeysCommand::Revoke { id, format } => {
            let now = Utc::now();
            let revoked = stores(global)?.state_store().revoke_key(*id, now)?;
            if format.is_json() {
                console.print_json(&KeyView::new(&revoked, now))?;
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
) -> Result<Exit, CommandError> {
    let (token, Successor { id, abbreviated: shown, digest, created_by, created_at }) = new_key()?;
    let kept = NewKey {
        id,
        tenant: arguments.tenant.clone(),
        name: arguments.name.clone(),
        abbreviated: shown,
        digest,
        scopes: arguments.scope.iter().copied().collect(),
        networks: arguments.allow.clone(),
        created_by,
        created_at,
        lifetime: arguments.expires_in.map(|DurationArg(span)| span),
    };
    stores(global)?.state_store().create_key(&kept)?;
    show_new_key(&token, &kept, None, arguments.format, console)
}

/// A key that the user of the operating system makes now.
fn new_key() -> Result<(Token, Successor), CommandError> {
    issue::api_key(user::name(), Utc::now())
        .map_err(|error| CommandError::internal("the system has no randomness", error))
}

fn show_new_key(
    token: &Token,
    kept: &NewKey,
    old: Option<&StoredKey>,
    format: FormatArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    if format.is_json() {
        console.print_json(&NewKeyView::new(token, kept, old))?;
        return Ok(Exit::Ok);
    }
    // The key alone, so that `KEY=$(visibility-server keys create acme)` is enough.
    console.print(&format!("{}\n", token.reveal()))?;
    let NewKey { id, tenant, name, .. } = kept;
    let until = |time: DateTime<Utc>| time.format("%Y-%m-%d %H:%M UTC").to_string();
    let valid = kept.expires_at().map_or_else(|| "it is revoked".to_owned(), until);
    console.say(&format!(
        "Key {id} (`{name}`) of {tenant}, valid until {valid}. It is not shown \
            again: save it now."
    ));
    if let Some(old) = old {
        let id = old.key.id;
        match old.expires_at {
            Some(end) if end > kept.created_at => {
                console.say(&format!("The old key {id} works until {}.", until(end)));
            }
            _ => console.say(&format!("The old key {id} no longer works.")),
        }
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
    let keys = stores.state_store().keys(tenant)?;
    let listed: Vec<KeyView<'_>> = keys.iter().map(|key| KeyView::new(key, now)).collect();
    if format.is_json() {
        console.print_json(&listed)?;
    } else if listed.is_empty() {
        console.say("There are no keys. Next: visibility-server keys create TENANT");
    } else {
        let rows: Vec<Vec<String>> = listed.iter().map(KeyView::row).collect();
        console.print_table(&view::TITLES, &rows)?;
    }
    Ok(Exit::Ok)
}
