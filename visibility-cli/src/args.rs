//! Command-line arguments and their help texts.

mod agents;
mod audit;
mod logs;
mod mcp;
mod query;
mod report;
mod scan;
mod service;

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Args, ColorChoice, Parser, Subcommand, ValueEnum};
use visibility_core::audit::signals;
use visibility_core::scan::checks::CHECKS;
use visibility_core::text::locale::Lang;

pub(crate) use self::agents::{RangesCommand, RangesFetchArgs};
pub(crate) use self::audit::{AuditArgs, AuditGateArgs};
pub(crate) use self::logs::{
    BatchFormat, DetectArgs, FilterArgs, HashPeriodArg, LogReportArgs, LogReportFormat,
    LogsCommand, ReadingArgs, Since, ValidateArgs,
};
pub(crate) use self::mcp::McpArgs;
pub(crate) use self::query::{LogQueryArgs, QueryFormat, QueryParameters, QueryQuestion};
pub(crate) use self::report::{OutputArgs, ReportFile, ReportFormat};
pub(crate) use self::scan::{FailOnArg, GateArgs, NetworkArgs, ScanArgs};
pub(crate) use self::service::{HistoryArgs, ServiceArgs};

const EXAMPLES: &str = "\
Examples:
  visibility scan example.com
  visibility scan example.com --format html -o report.html
  visibility scan example.com --min-score 75 --fail-on fail
  visibility audit https://example.com/product
  visibility audit page.html
  visibility explain sitemap
  visibility robots check example.com --as GPTBot,OAI-SearchBot /pricing
  visibility logs validate access.ndjson.gz
  claude mcp add visibility -- visibility mcp

Exit codes:
  0    ok
  1    a gate failed
  2    usage error
  3    site unreachable
  4    low confidence
  5    some domains or pages have no result, or some records are rejected
  70   internal error
  130  interrupted";

/// Find out how well AI agents can read a website and use its pages, and what to fix.
#[derive(Debug, Parser)]
#[command(name = "visibility", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What all commands have.
#[derive(Args, Clone, Debug)]
pub(crate) struct GlobalArgs {
    /// Language of reports; ids and names of standards are not translated
    #[arg(long, global = true, default_value = "en", value_parser = lang_parser(), help_heading = "Output")]
    pub(crate) lang: Lang,
    /// When to use colors; `auto` uses them in terminals and respects `NO_COLOR` and `CLICOLOR_FORCE`
    #[arg(
        long,
        global = true,
        default_value = "auto",
        value_name = "WHEN",
        help_heading = "Output"
    )]
    pub(crate) color: ColorChoice,
    /// Print only the score; on standard error, only errors and failed gates
    #[arg(short, long, global = true, help_heading = "Output")]
    pub(crate) quiet: bool,
}

fn lang_parser() -> impl TypedValueParser<Value = Lang> {
    PossibleValuesParser::new(["en", "tr"]).try_map(|text| text.parse::<Lang>())
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Scan a site for agent readiness: score, 21 checks, 27 AI agents, and what to fix first
    Scan(Box<ScanArgs>),
    /// Audit pages for AI visibility: score, 35 signals with quotes, and fixes to paste
    Audit(Box<AuditArgs>),
    /// List the checks of a scan
    Checks(ListArgs),
    /// List the signals of an audit
    Signals(ListArgs),
    /// Explain a check or a signal: why it matters, possible results, fixes and references
    Explain(ExplainArgs),
    /// List AI agents, show one, identify one from a user agent, or fetch their addresses
    #[command(subcommand)]
    Agents(AgentsCommand),
    /// Test robots.txt rules for AI agents
    #[command(subcommand)]
    Robots(RobotsCommand),
    /// Make records of AI agents from access logs, check them, and ask a server about them
    #[command(subcommand)]
    Logs(LogsCommand),
    /// Compare two JSON results of `scan` or `audit`; exits 1 if something got worse
    Diff(DiffArgs),
    /// Ask a server how the score of a domain went, and what changed from day to day
    History(HistoryArgs),
    /// Make an SVG badge from a result, a domain or a page
    Badge(BadgeArgs),
    /// Run an MCP server for AI assistants over standard input and output
    Mcp(McpArgs),
    /// Print shell completions
    #[command(
        after_help = "Example:\n  visibility completions bash > ~/.local/share/bash-completion/completions/visibility"
    )]
    Completions {
        /// The shell to complete
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for each command to a folder
    Man {
        /// Folder for `visibility.1`, `visibility-scan.1` and so on; created if missing
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}

/// Forms of lists and verdicts.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum ListFormat {
    /// For people
    #[default]
    Human,
    /// JSON
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct ListArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ListFormat,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  visibility explain sitemap\n  visibility explain AC01\n\n`visibility checks` and `visibility signals` list all ids."
)]
pub(crate) struct ExplainArgs {
    /// Id or title of a check, or id, code or title of a signal; upper and lower case are the same
    #[arg(value_name = "CHECK|SIGNAL", value_parser = rubric_names(), hide_possible_values = true)]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) list: ListArgs,
}

/// Ids of checks: clap suggests the nearest one, and shells complete them.
pub(crate) fn check_ids() -> PossibleValuesParser {
    PossibleValuesParser::new(CHECKS.iter().map(|check| check.id))
}

/// Any text: ids of checks, ids and codes of signals, which shells complete, and titles.
#[derive(Clone, Debug)]
struct RubricNames;

fn rubric_names() -> RubricNames {
    RubricNames
}

impl TypedValueParser for RubricNames {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let checks = CHECKS.iter().map(|check| check.id);
        let signals = signals::all().flat_map(|signal| [signal.id, signal.code]);
        Some(Box::new(checks.chain(signals).map(PossibleValue::new)))
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentsCommand {
    /// List the agents of the access matrix, or all known agents
    List {
        /// Include agents outside the matrix
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        list: ListArgs,
    },
    /// Show one agent
    Show {
        /// Id, name or robots.txt token; upper and lower case are the same
        agent: String,
        #[command(flatten)]
        list: ListArgs,
    },
    /// Identify the agent that a user agent claims to be; exits 1 if it is not a known agent
    #[command(
        after_help = "Example:\n  visibility agents match 'Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)'"
    )]
    Match {
        /// Value of the `User-Agent` header
        user_agent: String,
        #[command(flatten)]
        list: ListArgs,
    },
    /// Fetch the addresses that operators publish for their agents, and show how old the lists are
    #[command(subcommand)]
    Ranges(RangesCommand),
}

#[derive(Debug, Subcommand)]
pub(crate) enum RobotsCommand {
    /// Test whether agents may fetch paths, and show the group and line that decide
    #[command(after_help = ROBOTS_HELP)]
    Check(RobotsCheckArgs),
}

const ROBOTS_HELP: &str = "\
A source is a file if it contains a slash, ends in .txt or exists as a file; `-` is standard input; \
anything else is a domain, whose robots.txt is fetched.

Exit codes:
  0    all allowed
  1    something is not allowed, or unknown
  2    usage error
  3    site unreachable
  70   internal error
  130  interrupted

Examples:
  visibility robots check ./robots.txt --as GPTBot,ChatGPT-User /pricing
  visibility robots check example.com --as OAI-SearchBot / /blog/post --format json";

#[derive(Args, Debug)]
pub(crate) struct RobotsCheckArgs {
    /// A robots.txt file, a domain, or `-` for standard input
    pub(crate) source: String,
    /// Paths, with their query if any, or URLs
    #[arg(required = true, value_name = "PATH|URL")]
    pub(crate) targets: Vec<String>,
    /// Agents by id, name, token or user agent, separated by commas; any other token is used as is
    #[arg(long = "as", required = true, value_name = "AGENTS")]
    pub(crate) agents: Vec<String>,
    #[command(flatten)]
    pub(crate) list: ListArgs,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Both are results of scans, or both are audits. Lost credit, agents that cannot reach the site any \
more, new caps, closed gates and lower scores of audits are worse. What became unknown is not, and \
neither is an agent for training that is kept out.

Example:
  visibility diff before.json after.json")]
pub(crate) struct DiffArgs {
    /// Earlier result
    pub(crate) before: PathBuf,
    /// Later result
    pub(crate) after: PathBuf,
    #[command(flatten)]
    pub(crate) list: ListArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "\
A source with `://` is a page to audit, and so is a file in .html, .htm or .xhtml. Any other source \
with a slash, in .json, or that exists as a file is a result of `scan` or `audit --format json`; `-` \
is one on standard input; anything else is a domain to scan.

Examples:
  visibility badge scan.json -o badge.svg
  visibility badge example.com > badge.svg
  visibility badge https://example.com/product > badge.svg")]
pub(crate) struct BadgeArgs {
    /// A result file, a domain, a page, or `-` for a result on standard input
    pub(crate) source: String,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
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
        use crate::exit_code::Exit;
        let codes = [
            Exit::Ok,
            Exit::GateFailed,
            Exit::Usage,
            Exit::Unreachable,
            Exit::LowConfidence,
            Exit::SomeBad,
            Exit::Internal,
            Exit::Interrupted,
        ];
        for help in [EXAMPLES, scan::AFTER_HELP, audit::AFTER_HELP] {
            let labels: Vec<&str> = help.split_whitespace().collect();
            for exit in codes {
                assert!(labels.contains(&exit.code().to_string().as_str()), "{exit:?}");
            }
        }
    }
}
