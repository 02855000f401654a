//! `visibility-server grants`.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::Serialize;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::user::UserName;

use super::{expect_tenant, stores};
use crate::cli::args::grants::GrantsCommand;
use crate::cli::args::{FormatArgs, GlobalArgs};
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::stores::state::oauth_grants::StoredGrant;

/// The columns of a list.
const TITLES: [&str; 7] = ["tenant", "user", "program", "scopes", "state", "ends", "id"];

/// Runs a command about grants.
pub(super) fn run(
    command: &GrantsCommand,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    match command {
        GrantsCommand::List { tenant, format } => list(tenant.as_ref(), global, *format, console),
        GrantsCommand::Revoke { id, format } => {
            let Some(revoked) = stores(global)?.state_store().revoke_grant(*id, Utc::now())? else {
                return Err(CommandError::usage(
                    format!("there is no grant `{id}`"),
                    "see `visibility-server grants list` for the ids",
                ));
            };
            if format.is_json() {
                console.print_json(&GrantView::from(&revoked))?;
            } else {
                let GrantView { program, user, .. } = GrantView::from(&revoked);
                console
                    .print(&format!("Revoked the access that user {user} gave to {program}.\n"))?;
            }
            Ok(Exit::Ok)
        }
    }
}

fn list(
    tenant: Option<&TenantSlug>,
    global: &GlobalArgs,
    format: FormatArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let stores = stores(global)?;
    if let Some(tenant) = tenant {
        expect_tenant(&stores, tenant, Utc::now())?;
    }
    let grants = stores.state_store().grants(tenant, Utc::now())?;
    let listed: Vec<GrantView<'_>> = grants.iter().map(GrantView::from).collect();
    if format.is_json() {
        console.print_json(&listed)?;
    } else if listed.is_empty() {
        console.say("No program has access.");
    } else {
        let rows: Vec<Vec<String>> = listed.iter().map(GrantView::row).collect();
        console.print_table(&TITLES, &rows)?;
    }
    Ok(Exit::Ok)
}

/// A grant on the wire.
#[derive(Debug, Serialize)]
struct GrantView<'a> {
    id: String,
    tenant: &'a TenantSlug,
    user: &'a UserName,
    /// What the program calls itself, without anything that a terminal would not show.
    program: &'a str,
    client_id: &'a str,
    scopes: &'a BTreeSet<Scope>,
    state: GrantState,
    created_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
}

/// Whether the tokens of a grant work.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum GrantState {
    Active,
    /// It was revoked, its user may do nothing, or has another password.
    Ended,
}

impl<'a> From<&'a StoredGrant> for GrantView<'a> {
    fn from(grant: &'a StoredGrant) -> Self {
        Self {
            id: grant.grant.id.to_string(),
            tenant: &grant.tenant,
            user: &grant.user_name,
            program: &grant.grant.client_name,
            client_id: &grant.grant.client_id,
            scopes: &grant.grant.scopes,
            state: if grant.is_ended() { GrantState::Ended } else { GrantState::Active },
            created_at: grant.grant.created_at,
            expires_at: grant.expires_at,
        }
    }
}

impl GrantView<'_> {
    /// Its cells below [`TITLES`].
    fn row(&self) -> Vec<String> {
        let scopes: Vec<&str> = self.scopes.iter().map(|scope| scope.as_str()).collect();
        let state = match self.state {
            GrantState::Active => "active",
            GrantState::Ended => "ended",
        };
        vec![
            self.tenant.to_string(),
            self.user.to_string(),
            self.program.to_owned(),
            scopes.join(" "),
            state.to_owned(),
            self.expires_at.format("%Y-%m-%d").to_string(),
            self.id.clone(),
        ]
    }
}
