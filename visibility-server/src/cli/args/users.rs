//! The arguments of `users`.

use clap::{Args, Subcommand};
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::user::UserName;

use super::FormatArgs;

const CREATE_HELP: &str = "\
On a terminal you type the password twice. If standard output is not a terminal, a random password is \
printed there once, and nothing else; `--password-stdin` reads one from standard input instead. The \
database stores only an Argon2id hash.

Examples:
  visibility-server users create acme ada@example.com
  PASSWORD=$(visibility-server users create acme ada@example.com)
  visibility-server users create acme ada@example.com --password-stdin < password.txt";

const PASSWD_HELP: &str = "\
The password is read or made as in `users create`.

Examples:
  visibility-server users passwd ada@example.com
  PASSWORD=$(visibility-server users passwd ada@example.com)";

#[derive(Debug, Subcommand)]
pub(crate) enum UsersCommand {
    /// Create a user, who can sign in and give programs access to the tenant
    #[command(after_help = CREATE_HELP)]
    Create(CreateUserArgs),
    /// List the users of one tenant or of all
    List {
        /// Tenant; all tenants if missing
        tenant: Option<TenantSlug>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Disable a user: its sessions end, programs lose the access it gave them, and it can no longer sign in
    Disable {
        /// Name of the user
        name: UserName,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Let a disabled user sign in again; ended sessions and access do not come back
    Enable {
        /// Name of the user
        name: UserName,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Set a new password; sessions of the user end, and programs lose the access it gave them
    #[command(after_help = PASSWD_HELP)]
    Passwd {
        /// Name of the user
        name: UserName,
        #[command(flatten)]
        password: PasswordArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
}

#[derive(Args, Debug)]
pub(crate) struct CreateUserArgs {
    /// Tenant of the user
    pub(crate) tenant: TenantSlug,
    /// Unique name to sign in with, such as an e-mail address
    pub(crate) name: UserName,
    /// What the user may let programs do: `scan:read`, `audit:read` or `logs:read`; can be repeated; all
    /// of them if missing
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Vec<Scope>,
    #[command(flatten)]
    pub(crate) password: PasswordArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct PasswordArgs {
    /// Read the password from the first line of standard input; at least 12 characters
    #[arg(long)]
    pub(crate) password_stdin: bool,
}
