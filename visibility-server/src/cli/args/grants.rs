//! The arguments of `grants`.

use clap::Subcommand;
use visibility_core::accounts::tenant::TenantSlug;

use super::FormatArgs;
use crate::stores::sqlite::oauth_grants::GrantId;

#[derive(Debug, Subcommand)]
pub(crate) enum GrantsCommand {
    /// Lists what users let programs do, of one tenant or of all
    List {
        /// Whose grants
        tenant: Option<TenantSlug>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Ends a grant with all of its tokens, within a second
    Revoke {
        /// Id of the grant, as `grants list` shows it
        id: GrantId,
        #[command(flatten)]
        format: FormatArgs,
    },
}
