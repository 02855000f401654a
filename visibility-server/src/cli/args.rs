//! Command-line arguments and their help texts.

mod audits;
mod logs;
mod openapi;
pub(crate) mod traffic;

pub(crate) mod grants;
pub(crate) mod keys;
pub(crate) mod users;

use std::path::PathBuf;

use chrono::{DateTime, TimeDelta, Utc};
use clap::{Args, ColorChoice, Parser, Subcommand, ValueEnum};
use uuid::Uuid;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::limits::{TOKEN_OVERLAP_DAYS, TOKEN_ROTATION_DAYS};

pub(crate) use self::audits::{AuditFormat, AuditsCommand};
use self::grants::GrantsCommand;
use self::keys::KeysCommand;
pub(crate) use self::logs::{DaysArgs, LogsCommand, RecountArgs, StatsArgs};
pub(crate) use self::openapi::OpenapiArgs;
use self::users::UsersCommand;
use crate::settings::load::Flag;

const EXAMPLES: &str = "\
Examples:
  visibility-server serve
  visibility-server tenants create acme
  visibility-server tokens create acme
  visibility-server keys create acme
  visibility-server users create acme ada@example.com
  visibility-server config show

Except `serve`, `reconcile` and `move`, all commands work while the server runs.

A setting is taken from the first of these that has it: flags, the environment \
(`VISIBILITY_LIMITS__BURST=0` sets `limits.burst`), a file (`--config`, or `visibility-server.toml` in \
the current folder, or `/etc/visibility/server.toml`), the defaults.

Exit codes:
  0    ok
  1    the check failed
  2    usage error, or the command was refused
  70   internal error
  130  interrupted";

const CLOCK_HELP: &str = "\
The database remembers when the clock was right. While the clock differs by more than an hour from \
what the server expects, nothing is deleted and nothing expires. While it is more than five minutes \
behind, new batches get 503. Both end by themselves once the clock is set correctly. This command \
works while the server runs.

Example:
  date && visibility-server clock accept";

const SWEEP_HELP: &str = "\
The server moves objects that the database does not know to `objects/trash` and deletes them after a \
week. If these are more than 5 % of all objects, and more than 20, they wait for confirmation, because \
it may be the wrong database. Shorter `retention` settings wait for confirmation as well. This command \
works while the server runs.

Examples:
  visibility-server sweep
  visibility-server sweep --confirm";

const RECONCILE_HELP: &str = "\
First look for the database that belongs to the objects. If you have an older one, `--adopt` gives it the batches \
that arrived later, with their counts and responses, from what their objects say of themselves.

Without `--adopt`, moves objects that the database does not know to `objects/set-aside`, where nothing deletes them, and \
brings back those that it knows from the trash and from `objects/set-aside`. If the database is \
missing, it is created. You can run the command again with another database.

Examples:
  visibility-server reconcile --adopt && visibility-server check
  visibility-server reconcile && visibility-server check";

const MOVE_HELP: &str = "\
The settings of the server say where everything is now, and the file after `--to` where it goes: from \
the data directory to PostgreSQL and another folder, or back. The new place must be empty. The command \
compares what both sides have, and leaves the old side as it is. If it is interrupted, run it again.

Example:
  visibility-server move --to cluster.toml && visibility-server check --config cluster.toml";

const FILES_HELP: &str = "\
Files never change. A replaced file stays for `maintenance.grace`, so list the files again from time \
to time. Read only listed files: others in the folder are not committed, or no longer.

Example:
  visibility-server files acme --format json";

const HEALTH_HELP: &str = "\
For health checks of containers and services. The settings say where the server listens, and this \
command asks there for `/readyz`, or with `--alive` for `/healthz`.

Examples:
  visibility-server health
  visibility-server health --alive --listen 127.0.0.1:8080";

const SERVE_HELP: &str = "\
Prints its address and, while there is no tenant, the commands to create one, send a first batch and \
scan a domain. The log goes to standard error. SIGTERM and SIGINT wait for running requests to finish; \
a second one stops at once.

With `--demo` it shows made-up sites and logs in a temporary folder, and prints a link that signs in.

Examples:
  visibility-server serve --demo
  visibility-server serve
  visibility-server serve --listen 127.0.0.1:8080 --data-dir /var/lib/visibility
  visibility-server serve --metrics-listen 127.0.0.1:9090 --set limits.burst=0";

/// Serve agent-readiness scans, page audits and log ingestion for AI agents over HTTP.
#[derive(Debug, Parser)]
#[command(name = "visibility-server", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What all commands have.
#[derive(Args, Clone, Debug)]
pub(crate) struct GlobalArgs {
    /// Folder for the database, the objects and the spool
    #[arg(long, global = true, value_name = "DIR", help_heading = "Settings", display_order = 101)]
    pub(crate) data_dir: Option<String>,
    /// Settings file (TOML)
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "VISIBILITY_CONFIG",
        hide_env_values = true,
        help_heading = "Settings",
        display_order = 102
    )]
    pub(crate) config: Option<PathBuf>,
    /// Change a setting, such as `limits.burst=0`; can be repeated
    #[arg(long, global = true, value_name = "KEY=VALUE", value_parser = assignment, help_heading = "Settings", display_order = 103)]
    pub(crate) set: Vec<(String, String)>,
    /// When to use colors; `auto` uses them in terminals and respects `NO_COLOR` and `CLICOLOR_FORCE`
    #[arg(
        long,
        global = true,
        default_value = "auto",
        value_name = "WHEN",
        help_heading = "Output"
    )]
    pub(crate) color: ColorChoice,
}

/// Whether the server is a demonstration.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct DemoArgs {
    /// Show the service with made-up data, without a network; nothing stays
    #[arg(long)]
    pub(crate) demo: bool,
    /// The time at which the demonstration begins
    #[arg(long, hide = true, requires = "demo", value_name = "TIME")]
    pub(crate) demo_now: Option<DateTime<Utc>>,
}

/// Settings that have a flag of their own.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Settings")]
pub(crate) struct ServeArgs {
    /// Address of the public listener; port 0 picks a free one
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Address of a separate listener for log ingestion
    #[arg(long, value_name = "ADDR")]
    ingest_listen: Option<String>,
    /// Address of the listener for metrics
    #[arg(long, value_name = "ADDR")]
    metrics_listen: Option<String>,
    /// Public URL of this server
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Public URL of log ingestion
    #[arg(long, value_name = "URL")]
    ingest_url: Option<String>,
    /// Connect elsewhere for a site, such as `example.com:443:127.0.0.1:8443`; can be repeated
    #[arg(long, value_name = "RULE")]
    connect_to: Vec<String>,
    /// PEM file with certificates to trust in addition to Mozilla's
    #[arg(long, value_name = "FILE")]
    ca_cert: Option<String>,
    /// Format of the log: `text` or `json`
    #[arg(long, value_name = "FORM")]
    log_format: Option<String>,
}

impl GlobalArgs {
    /// The settings among these arguments and those of `serve`.
    pub(crate) fn flags(&self, serve: &ServeArgs) -> Vec<Flag> {
        let assigned = self.set.iter().map(|(key, value)| Flag {
            name: format!("--set {key}"),
            key: key.clone(),
            value: value.clone(),
        });
        let connect_to = Some(serve.connect_to.join(",")).filter(|rules| !rules.is_empty());
        let own = [
            ("--data-dir", "data_dir", &self.data_dir),
            ("--listen", "listen", &serve.listen),
            ("--ingest-listen", "ingest_listen", &serve.ingest_listen),
            ("--metrics-listen", "metrics_listen", &serve.metrics_listen),
            ("--base-url", "base_url", &serve.base_url),
            ("--ingest-url", "ingest_url", &serve.ingest_url),
            ("--connect-to", "fetch.connect_to", &connect_to),
            ("--ca-cert", "fetch.ca_cert", &serve.ca_cert),
            ("--log-format", "log.format", &serve.log_format),
        ];
        let own = own.into_iter().filter_map(|(flag, key, value)| {
            let value = value.clone()?;
            Some(Flag { name: flag.to_owned(), key: key.to_owned(), value })
        });
        assigned.chain(own).collect()
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server
    #[command(after_help = SERVE_HELP)]
    Serve {
        #[command(flatten)]
        demo: DemoArgs,
        #[command(flatten)]
        serve: ServeArgs,
    },
    /// Show the settings
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Create, list, disable and enable tenants
    #[command(subcommand)]
    Tenants(TenantsCommand),
    /// Create, rotate, list and revoke ingestion tokens
    #[command(subcommand)]
    Tokens(TokensCommand),
    /// Create, rotate, list and revoke API keys
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Create, list, disable and enable users, and change passwords and scopes
    #[command(subcommand)]
    Users(UsersCommand),
    /// List and revoke the access that users have given to programs
    #[command(subcommand)]
    Grants(GrantsCommand),
    /// Count log records
    #[command(subcommand)]
    Logs(LogsCommand),
    /// Count audits and show stored ones
    #[command(subcommand)]
    Audits(AuditsCommand),
    /// List the Parquet files, for other query engines
    #[command(after_help = FILES_HELP)]
    Files {
        /// Tenant; all tenants if missing
        tenant: Option<TenantSlug>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Show deletions that wait for confirmation, and confirm them
    #[command(after_help = SWEEP_HELP)]
    Sweep {
        /// Delete it, and everything in the trash
        #[arg(long)]
        confirm: bool,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Make the database and the objects match again after a restore; stop the server first
    #[command(after_help = RECONCILE_HELP)]
    Reconcile {
        /// Give the database the batches of objects that it does not know, and set nothing aside
        #[arg(long)]
        adopt: bool,
        /// Also those of an earlier version, whose records may have been sent again
        #[arg(long, requires = "adopt")]
        confirm: bool,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Copy everything to another database, folder or bucket; stop the server first
    #[command(name = "move", after_help = MOVE_HELP)]
    MoveTo {
        /// Settings file (TOML) of the new place
        #[arg(long, value_name = "CONFIG")]
        to: PathBuf,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Confirm that the clock is right after it has jumped
    #[command(subcommand)]
    Clock(ClockCommand),
    /// Verify that ledger, files and counts agree; exits 1 if not
    Check {
        /// Read every object and compare it with its digest
        #[arg(long)]
        deep: bool,
        /// Mebibytes that are read in a second, at most; by default as many as it goes
        #[arg(long, requires = "deep", value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
        max_mib_per_second: Option<u64>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Ask the running server whether it is ready; exits 1 if not
    #[command(after_help = HEALTH_HELP)]
    Health {
        /// Ask only whether it is alive
        #[arg(long)]
        alive: bool,
        #[command(flatten)]
        serve: ServeArgs,
    },
    #[command(about = "Print the OpenAPI 3.1 description of the public API")]
    Openapi(OpenapiArgs),
    /// Print shell completions
    Completions {
        /// The shell to complete
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for each command to a folder
    Man {
        /// Folder for `visibility-server.1` and so on; created if missing
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ClockCommand {
    /// Confirm that the clock is right
    #[command(after_help = CLOCK_HELP)]
    Accept {
        #[command(flatten)]
        format: FormatArgs,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show every setting and where it comes from: default, file, environment or flag
    Show {
        /// Output format
        #[arg(long, value_enum, default_value_t)]
        format: ConfigFormat,
        #[command(flatten)]
        serve: ServeArgs,
    },
}

/// Forms of the settings.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum ConfigFormat {
    /// For people
    #[default]
    Human,
    /// JSON
    Json,
    /// A settings file for `--config`
    Toml,
}

/// Forms of everything else.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum ListFormat {
    /// For people
    #[default]
    Human,
    /// JSON
    Json,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct FormatArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ListFormat,
}

impl FormatArgs {
    /// Whether a machine reads the result.
    pub(crate) fn is_json(self) -> bool {
        self.format == ListFormat::Json
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum TenantsCommand {
    /// Create a tenant
    Create {
        /// Name: 1 to 63 characters of `a-z`, `0-9` and `-`, not starting with `-`
        tenant: TenantSlug,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// List all tenants
    List {
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Disable a tenant: its tokens, keys and users stop working, its records stay
    Disable {
        /// Name of the tenant
        tenant: TenantSlug,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Enable a disabled tenant
    Enable {
        /// Name of the tenant
        tenant: TenantSlug,
        #[command(flatten)]
        format: FormatArgs,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokensCommand {
    /// Create a token and print it once
    Create {
        /// Tenant
        tenant: TenantSlug,
        #[command(flatten)]
        lifetime: LifetimeArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Create a new token; the old one keeps working for the overlap
    Rotate {
        /// Tenant
        tenant: TenantSlug,
        /// How long the old token keeps working: days, or `12h`, `30m`, `90s`
        #[arg(long, value_name = "DAYS", value_parser = time_span, default_value_t = overlap())]
        overlap: DurationArg,
        #[command(flatten)]
        lifetime: LifetimeArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// List the tokens of one tenant or of all, without the secrets
    List {
        /// Tenant; all tenants if missing
        tenant: Option<TenantSlug>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Revoke a token immediately
    Revoke {
        /// Id of the token, from `tokens list`
        id: Uuid,
        #[command(flatten)]
        format: FormatArgs,
    },
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct LifetimeArgs {
    /// How long the new token works: days, or `12h`, `30m`, `90s`
    #[arg(long, value_name = "DAYS", value_parser = time_span, default_value_t = lifetime())]
    pub(crate) expires_in: DurationArg,
}

/// A span of time from the command line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct DurationArg(pub(crate) TimeDelta);

impl std::fmt::Display for DurationArg {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}", self.0.num_days())
    }
}

fn overlap() -> DurationArg {
    DurationArg(TimeDelta::days(TOKEN_OVERLAP_DAYS))
}

fn lifetime() -> DurationArg {
    DurationArg(TimeDelta::days(TOKEN_ROTATION_DAYS + TOKEN_OVERLAP_DAYS))
}

/// Reads days, or another unit that follows the number; at most a hundred years.
fn time_span(text: &str) -> Result<DurationArg, String> {
    let (number, seconds) = match text.char_indices().last() {
        Some((index, unit)) if unit.is_ascii_alphabetic() => {
            let seconds = match unit {
                's' => 1,
                'm' => 60,
                'h' => 3600,
                'd' => 86_400,
                'w' => 604_800,
                _ => {
                    return Err(format!(
                        "`{unit}` is not one of the units `s`, `m`, `h`, `d` and `w`"
                    ));
                }
            };
            (text.get(..index).unwrap_or_default(), seconds)
        }
        _ => (text, 86_400),
    };
    let number: u32 =
        number.parse().map_err(|_error| "give a number of days, or such as `12h`".to_owned())?;
    let span = i64::from(number)
        .checked_mul(seconds)
        .filter(|span| *span <= 36_525 * 86_400)
        .and_then(TimeDelta::try_seconds)
        .ok_or("at most 100 years")?;
    Ok(DurationArg(span))
}

fn assignment(text: &str) -> Result<(String, String), &'static str> {
    let (key, value) = text.split_once('=').ok_or("give it as KEY=VALUE")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_of_the_arguments_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn no_sentence_of_the_help_is_broken_by_hand() {
        fn check(command: clap::Command) {
            for inner in command.get_subcommands() {
                check(inner.clone());
            }
            // Without a width every paragraph is one line.
            let help = command.term_width(0).render_long_help().to_string();
            let lines: Vec<&str> = help.lines().collect();
            for (line, next) in lines.iter().zip(lines.iter().skip(1)) {
                let is_text = |line: &str| !line.is_empty() && !line.starts_with(' ');
                let is_whole = line.ends_with(['.', ':', '?']);
                assert!(is_whole || !is_text(line) || !is_text(next), "{line}\n{next}");
                let is_entry = next.trim_start().starts_with(|ch: char| ch.is_ascii_digit());
                let is_list = *line == "Exit codes:" || line.starts_with("  0 ");
                assert!(!is_list || is_entry, "{line}\n{next}");
            }
        }
        check(Cli::command());
    }

    #[test]
    fn every_exit_code_is_in_the_help() {
        use crate::cli::exit_code::Exit;
        let words: Vec<&str> = EXAMPLES.split_whitespace().collect();
        for exit in [Exit::Ok, Exit::CheckFailed, Exit::Usage, Exit::Internal, Exit::Interrupted] {
            assert!(words.contains(&exit.code().to_string().as_str()), "{exit:?}");
        }
    }

    #[test]
    fn a_span_is_days_unless_it_says_otherwise() {
        for (text, seconds) in [
            ("7", 604_800),
            ("0", 0),
            ("90d", 7_776_000),
            ("12h", 43_200),
            ("90s", 90),
            ("2w", 1_209_600),
        ] {
            assert_eq!(time_span(text).map(|span| span.0.num_seconds()), Ok(seconds), "{text}");
        }
        for text in ["", "d", "-1", "1.5", "7x", "1 d", "36526", "9999999999", "4294967295w", "7é"]
        {
            assert!(time_span(text).is_err(), "{text}");
        }
    }
}
