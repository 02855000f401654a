//! The arguments of `grants`.

use clap::Subcommand;
use visibility_core::accounts::tenant::TenantSlug;

use super::FormatArgs;
use crate::stores::state::oauth_grants::GrantId;

#[derive(Debug, Subcommand)]
pub(crate) enum GrantsCommand {
    /// List programs with access, of one tenant or of all
    List {
        /// Tenant; all tenants if missing
        tenant: Option<TenantSlug>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Revoke a program's access and its tokens, within a second
    Revoke {
        /// Id of the grant, from `grants list`
        id: GrantId,
        #[command(flatten)]
        format: FormatArgs,
    },
}
