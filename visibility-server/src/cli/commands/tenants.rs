//! `visibility-server tenants`.

use chrono::{DateTime, Utc};
use serde::Serialize;
use visibility_core::accounts::tenant::TenantSlug;

use super::{new_stores, stores};
use crate::cli::args::{FormatArgs, GlobalArgs, TenantsCommand};
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::stores::state::credentials::Tenant;

/// A tenant on the wire.
#[derive(Debug, Serialize)]
struct TenantView<'a> {
    tenant: &'a TenantSlug,
    created_at: DateTime<Utc>,
    disabled_at: Option<DateTime<Utc>>,
    active_tokens: u64,
}

impl<'a> From<&'a Tenant> for TenantView<'a> {
    fn from(tenant: &'a Tenant) -> Self {
        Self {
            tenant: &tenant.slug,
            created_at: tenant.created_at,
            disabled_at: tenant.disabled_at,
            active_tokens: tenant.active_tokens,
        }
    }
}

/// Runs a command about tenants.
pub(super) fn run(
    command: &TenantsCommand,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let now = Utc::now();
    let (slug, stores, format, done) = match command {
        TenantsCommand::List { format } => return list(global, *format, console),
        TenantsCommand::Create { tenant, format } => {
            let stores = new_stores(global)?;
            stores.state_store().create_tenant(tenant, now)?;
            (tenant, stores, format, "Created")
        }
        TenantsCommand::Disable { tenant, format } => {
            let stores = stores(global)?;
            stores.state_store().set_tenant_disabled(tenant, Some(now))?;
            (tenant, stores, format, "Disabled")
        }
        TenantsCommand::Enable { tenant, format } => {
            let stores = stores(global)?;
            stores.state_store().set_tenant_disabled(tenant, None)?;
            (tenant, stores, format, "Enabled")
        }
    };
    if format.is_json() {
        let tenants = stores.state_store().tenants(now)?;
        console.print_json(
            &tenants.iter().find(|tenant| tenant.slug == *slug).map(TenantView::from),
        )?;
    } else {
        console.print(&format!("{done} tenant {slug}.\n"))?;
        if matches!(command, TenantsCommand::Create { .. }) {
            console.say(&format!(
                "Next: visibility-server tokens create {slug}, to send logs\n      \
                 visibility-server keys create {slug}, to use the API"
            ));
        }
    }
    Ok(Exit::Ok)
}

fn list(global: &GlobalArgs, format: FormatArgs, console: Console) -> Result<Exit, CommandError> {
    let tenants = stores(global)?.state_store().tenants(Utc::now())?;
    if format.is_json() {
        console.print_json(&tenants.iter().map(TenantView::from).collect::<Vec<_>>())?;
    } else if tenants.is_empty() {
        console.say("There are no tenants. Next: visibility-server tenants create NAME");
    } else {
        let rows: Vec<Vec<String>> = tenants
            .iter()
            .map(|tenant| {
                let state = if tenant.disabled_at.is_some() { "disabled" } else { "active" };
                vec![
                    tenant.slug.to_string(),
                    state.to_owned(),
                    tenant.active_tokens.to_string(),
                    tenant.created_at.format("%Y-%m-%d").to_string(),
                ]
            })
            .collect();
        console.print_table(&["tenant", "state", "active tokens", "created"], &rows)?;
    }
    Ok(Exit::Ok)
}
