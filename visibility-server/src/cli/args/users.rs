//! The arguments of `users`.

use clap::{Args, Subcommand};
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::user::UserName;

use super::FormatArgs;

const CREATE_HELP: &str = "\
On a terminal the password is asked for twice. If a program reads standard output, a password is \
made and goes there alone, this once; `--password-stdin` takes one from standard input instead. The \
database keeps a hash of Argon2id.

Examples:
  visibility-server users create acme ada@example.com
  PASSWORD=$(visibility-server users create acme ada@example.com)
  visibility-server users create acme ada@example.com --password-stdin < password.txt";

const PASSWD_HELP: &str = "\
The password comes from where it does for `users create`.

Examples:
  visibility-server users passwd ada@example.com
  PASSWORD=$(visibility-server users passwd ada@example.com)";

#[derive(Debug, Subcommand)]
pub(crate) enum UsersCommand {
    /// Creates a user, who may sign in and let programs act for the tenant
    #[command(after_help = CREATE_HELP)]
    Create(CreateUserArgs),
    /// Lists the users of one tenant or of all
    List {
        /// Whose users
        tenant: Option<TenantSlug>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Ends the sessions of a user and what it has granted to programs, and lets it sign in no more
    Disable {
        /// Name of the user
        name: UserName,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Lets a user sign in again; what `disable` has ended stays ended
    Enable {
        /// Name of the user
        name: UserName,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Sets another password; ends the sessions of the user and what it has granted to programs
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
    /// For whom the user acts
    pub(crate) tenant: TenantSlug,
    /// What the user signs in as, such as an e-mail address; no two users have the same
    pub(crate) name: UserName,
    /// What the user may let programs do: `scan:read`, `audit:read` or `logs:read`; can be repeated; all
    /// without it
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Vec<Scope>,
    #[command(flatten)]
    pub(crate) password: PasswordArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct PasswordArgs {
    /// Read the password from standard input: its first line, of at least 12 characters
    #[arg(long)]
    pub(crate) password_stdin: bool,
}
