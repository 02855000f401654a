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

const SCOPES_HELP: &str = "\
The change takes effect immediately, also for sessions and for programs that the user has let in.

Examples:
  visibility-server users scopes ada@example.com --add manage
  visibility-server users scopes ada@example.com --remove logs:read";

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
    /// Change what a user may do
    #[command(after_help = SCOPES_HELP)]
    Scopes(ChangeScopesArgs),
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
pub(crate) struct ChangeScopesArgs {
    /// Name of the user
    pub(crate) name: UserName,
    /// What the user may do from now on: `scan:read`, `audit:read`, `logs:read` or `manage`; can be repeated
    #[arg(long, value_name = "SCOPE", required_unless_present = "remove")]
    pub(crate) add: Vec<Scope>,
    /// What the user may no longer do; can be repeated
    #[arg(long, value_name = "SCOPE")]
    pub(crate) remove: Vec<Scope>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Args, Debug)]
pub(crate) struct CreateUserArgs {
    /// Tenant of the user
    pub(crate) tenant: TenantSlug,
    /// Unique name to sign in with, such as an e-mail address
    pub(crate) name: UserName,
    /// What the user may do and let programs do: `scan:read`, `audit:read`, `logs:read`, and `manage` for keys and
    /// tokens in the browser; can be repeated; all of them if missing
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
