//! Command-line arguments and their help texts.

mod audits;
mod logs;
mod openapi;

pub(crate) mod grants;
pub(crate) mod keys;
pub(crate) mod users;

use std::path::PathBuf;

use chrono::TimeDelta;
use clap::{Args, ColorChoice, Parser, Subcommand, ValueEnum};
use uuid::Uuid;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::limits::{TOKEN_OVERLAP_DAYS, TOKEN_ROTATION_DAYS};

pub(crate) use self::audits::{AuditFormat, AuditsCommand};
use self::grants::GrantsCommand;
use self::keys::KeysCommand;
pub(crate) use self::logs::{LogsCommand, StatsArgs};
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

Settings come from flags, then from the environment (`VISIBILITY_LIMITS__BURST=0` is \
`limits.burst`), then from a file (`--config`, else `visibility-server.toml` here, else \
`/etc/visibility/server.toml`), then from the defaults.

Exit codes:
  0    ok
  1    the check failed
  2    usage or refused
  70   internal fault
  130  interrupted";

const CLOCK_HELP: &str = "\
The database remembers when the clock was right. While the clock is more than an hour away from what \
follows from that, the service deletes and forgets nothing. While it is more than five minutes behind, \
new batches are refused for now. Both end by themselves when the clock is set right.

Example:
  date && visibility-server clock accept";

const SWEEP_HELP: &str = "\
The service moves objects that the database does not know to `objects/trash`, and deletes them there \
after a week. More than 5 % of all objects, or 20 if that is more, wait for a confirmation, since a \
database that does not know many objects may be the wrong one. So do settings of `retention` that \
keep less than before.

Examples:
  visibility-server sweep
  visibility-server sweep --confirm";

const RECONCILE_HELP: &str = "\
Sets aside the objects that the database does not know, in `objects/set-aside`, where nothing deletes \
them. Brings back the objects that it knows from the trash and from what was set aside before. A \
database that is gone is created. With another database, the command can be run again.

Example:
  visibility-server reconcile && visibility-server check";

const FILES_HELP: &str = "\
A file never changes. One that is replaced stays for `maintenance.grace`, so list the files again \
now and then. What else lies in the folder is not committed, or not any more.

Example:
  visibility-server files acme --format json";

const SERVE_HELP: &str = "\
Prints where it listens, and without a tenant how to create one with a token and a key, to send a \
first batch and to scan a domain. The log goes to standard error. SIGTERM and \
SIGINT let the requests that run end; a second one ends at once.

Examples:
  visibility-server serve
  visibility-server serve --listen 127.0.0.1:8080 --data-dir /var/lib/visibility
  visibility-server serve --metrics-listen 127.0.0.1:9090 --set limits.burst=0";

/// Scans domains for agent readiness over HTTP, and takes the logs of AI agents: every batch once.
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
    /// Folder of the database, the objects and the spool
    #[arg(long, global = true, value_name = "DIR", help_heading = "Settings", display_order = 101)]
    pub(crate) data_dir: Option<String>,
    /// File with settings, as TOML
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
    /// One more setting, such as `limits.burst=0`; can be repeated
    #[arg(long, global = true, value_name = "KEY=VALUE", value_parser = assignment, help_heading = "Settings", display_order = 103)]
    pub(crate) set: Vec<(String, String)>,
    /// Colors: `auto` colors terminals, and obeys `NO_COLOR` and `CLICOLOR_FORCE`
    #[arg(
        long,
        global = true,
        default_value = "auto",
        value_name = "WHEN",
        help_heading = "Output"
    )]
    pub(crate) color: ColorChoice,
}

/// Settings that have a flag of their own.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Settings")]
pub(crate) struct ServeArgs {
    /// Address of the public listener; port 0 takes a free one
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Address of a listener for ingestion alone
    #[arg(long, value_name = "ADDR")]
    ingest_listen: Option<String>,
    /// Address of the listener for metrics
    #[arg(long, value_name = "ADDR")]
    metrics_listen: Option<String>,
    /// Where the public listener is reached from outside
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Where ingestion is reached from outside
    #[arg(long, value_name = "URL")]
    ingest_url: Option<String>,
    /// Connect elsewhere for a site, such as `example.com:443:127.0.0.1:8443`; can be repeated
    #[arg(long, value_name = "RULE")]
    connect_to: Vec<String>,
    /// File with certificates to trust beside Mozilla's, as PEM
    #[arg(long, value_name = "FILE")]
    ca_cert: Option<String>,
    /// Form of the log: `text` or `json`
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
    /// Runs the service
    #[command(after_help = SERVE_HELP)]
    Serve(ServeArgs),
    /// Shows the settings
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Creates, lists, disables and enables tenants, also while the service runs
    #[command(subcommand)]
    Tenants(TenantsCommand),
    /// Creates, rotates, lists and revokes tokens, also while the service runs
    #[command(subcommand)]
    Tokens(TokensCommand),
    /// Creates, rotates, lists and revokes API keys, also while the service runs
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Creates, lists, disables and enables users, and sets their passwords, also while the service runs
    #[command(subcommand)]
    Users(UsersCommand),
    /// Lists what users let programs do, and ends it, also while the service runs
    #[command(subcommand)]
    Grants(GrantsCommand),
    /// Answers questions about the records
    #[command(subcommand)]
    Logs(LogsCommand),
    /// Says how often audits were asked for, and shows those that are kept
    #[command(subcommand)]
    Audits(AuditsCommand),
    /// Lists the Parquet files that exist for readers, for other engines
    #[command(after_help = FILES_HELP)]
    Files {
        /// Whose files; those of all without it
        tenant: Option<TenantSlug>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Shows what waits to be deleted until it is confirmed, also while the service runs
    #[command(after_help = SWEEP_HELP)]
    Sweep {
        /// Deletes it, and everything in the trash
        #[arg(long)]
        confirm: bool,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Makes a database and its objects one store again, while the service is stopped
    #[command(after_help = RECONCILE_HELP)]
    Reconcile {
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Tells the service that the clock is right, after it has jumped
    #[command(subcommand)]
    Clock(ClockCommand),
    /// Proves that ledger, files and counts agree, also while the service runs; exit code 1 if not
    Check {
        #[command(flatten)]
        format: FormatArgs,
    },
    #[command(about = "Prints the description of the public API, as OpenAPI 3.1")]
    Openapi(OpenapiArgs),
    /// Prints the completions of a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Prints the manual page, or writes one for each command into a folder
    Man {
        /// Folder for `visibility-server.1` and so on; it is made if need be
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ClockCommand {
    /// Takes the clock for right, also while the service runs
    #[command(after_help = CLOCK_HELP)]
    Accept {
        #[command(flatten)]
        format: FormatArgs,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Shows every setting with its origin: default, file, environment or flag
    Show {
        /// Form of the result
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
    /// For machines
    Json,
    /// As a file that `--config` takes
    Toml,
}

/// Forms of everything else.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum ListFormat {
    /// For people
    #[default]
    Human,
    /// For machines
    Json,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct FormatArgs {
    /// Form of the result
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
    /// Creates a tenant
    Create {
        /// Its name: 1 to 63 of `a-z`, `0-9` and `-`, not with `-` first
        tenant: TenantSlug,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Lists all tenants
    List {
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Makes all tokens, keys and users of a tenant invalid; its records stay
    Disable {
        /// Its name
        tenant: TenantSlug,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Takes `disable` back
    Enable {
        /// Its name
        tenant: TenantSlug,
        #[command(flatten)]
        format: FormatArgs,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokensCommand {
    /// Makes a token, and shows it this once
    Create {
        /// Whose token
        tenant: TenantSlug,
        #[command(flatten)]
        lifetime: LifetimeArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Makes the successor of a tenant's token, which works on for the overlap
    Rotate {
        /// Whose token
        tenant: TenantSlug,
        /// How long the old token works on: days, or `12h`, `30m`, `90s`
        #[arg(long, value_name = "DAYS", value_parser = time_span, default_value_t = overlap())]
        overlap: DurationArg,
        #[command(flatten)]
        lifetime: LifetimeArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Lists the tokens of one tenant or of all, without the tokens themselves
    List {
        /// Whose tokens
        tenant: Option<TenantSlug>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Makes a token invalid at once
    Revoke {
        /// Id of the token, as `tokens list` shows it
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
                _ => return Err(format!("`{unit}` is none of the units `s`, `m`, `h`, `d`, `w`")),
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
