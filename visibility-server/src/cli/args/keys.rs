//! The arguments of `keys`.

use clap::{Args, Subcommand};
use ipnet::IpNet;
use visibility_core::accounts::api_key::{KeyId, KeyName};
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::tenant::TenantSlug;

use super::{DurationArg, FormatArgs, overlap, time_span};
use crate::access::network;

const CREATE_HELP: &str = "\
Standard output gets the key and nothing else. It is shown only once: the database stores its SHA-256.

Examples:
  KEY=$(visibility-server keys create acme)
  visibility-server keys create acme --name ci --expires-in 90 --allow 192.0.2.0/24";

const ROTATE_HELP: &str = "\
The new key has the same tenant, name, scopes, networks and lifetime, and shares the limits. At most \
two keys with the same name are active at a time.

Examples:
  visibility-server keys rotate key_01a1fe4747bf7280b1c22ae458fe527e
  visibility-server keys rotate key_01a1fe4747bf7280b1c22ae458fe527e --overlap 0";

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Create an API key and print it once
    #[command(after_help = CREATE_HELP)]
    Create(CreateKeyArgs),
    /// Create a new key; the old one keeps working for the overlap
    #[command(after_help = ROTATE_HELP)]
    Rotate {
        /// Id of the key, from `keys list`
        id: KeyId,
        /// How long the old key keeps working: days, or `12h`, `30m`, `90s`; 0 revokes it now
        #[arg(long, value_name = "DAYS", value_parser = time_span, default_value_t = overlap())]
        overlap: DurationArg,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// List the keys of one tenant or of all, without the secrets
    List {
        /// Tenant; all tenants if missing
        tenant: Option<TenantSlug>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Revoke a key; a running server refuses it within a second
    Revoke {
        /// Id of the key, from `keys list`
        id: KeyId,
        #[command(flatten)]
        format: FormatArgs,
    },
}

#[derive(Args, Debug)]
pub(crate) struct CreateKeyArgs {
    /// Tenant
    pub(crate) tenant: TenantSlug,
    /// Name of the key; a key and its successors share a name and its limits
    #[arg(long, default_value = "default")]
    pub(crate) name: KeyName,
    /// What the key allows: `scan:read`, `audit:read` or `logs:read`; can be repeated
    #[arg(long, value_name = "SCOPE", value_parser = Scope::for_program, default_value = "scan:read")]
    pub(crate) scope: Vec<Scope>,
    /// How long the key works: days, or `12h`, `30m`, `90s`; if missing, until it is revoked
    #[arg(long, value_name = "DAYS", value_parser = time_span)]
    pub(crate) expires_in: Option<DurationArg>,
    /// Network from which the key may be used, such as `192.0.2.0/24`; can be repeated; any if missing
    #[arg(long, value_name = "CIDR", value_parser = network::parse)]
    pub(crate) allow: Vec<IpNet>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}
