//! Command-line arguments and their help texts.

mod audit;
mod logs;
mod mcp;
mod scan;

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Args, ColorChoice, Parser, Subcommand, ValueEnum};
use visibility_core::audit::signals;
use visibility_core::scan::checks::CHECKS;
use visibility_core::text::locale::Lang;

pub(crate) use self::audit::{AuditArgs, AuditGateArgs};
pub(crate) use self::logs::{BatchFormat, LogsCommand, ValidateArgs};
pub(crate) use self::mcp::McpArgs;
pub(crate) use self::scan::{FailOnArg, GateArgs, NetworkArgs, OutputArgs, ReportFormat, ScanArgs};

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
  2    usage
  3    unreachable
  4    low confidence
  5    some domains or pages have no result, some records are bad
  70   internal fault
  130  interrupted";

/// How ready are a site and its pages for AI agents and answer engines? Scans and audits them, explains every point, and says what to fix.
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
    /// Language of titles, summaries and fixes; ids and names of standards stay as they are
    #[arg(long, global = true, default_value = "en", value_parser = lang_parser(), help_heading = "Output")]
    pub(crate) lang: Lang,
    /// Colors: `auto` colors terminals, and obeys `NO_COLOR` and `CLICOLOR_FORCE`
    #[arg(
        long,
        global = true,
        default_value = "auto",
        value_name = "WHEN",
        help_heading = "Output"
    )]
    pub(crate) color: ColorChoice,
    /// Says nothing on standard error but errors and failed gates; a report for people is its score
    #[arg(short, long, global = true, help_heading = "Output")]
    pub(crate) quiet: bool,
}

fn lang_parser() -> impl TypedValueParser<Value = Lang> {
    PossibleValuesParser::new(["en", "tr"]).try_map(|text| text.parse::<Lang>())
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Scans sites: a score, 21 checks, 27 agents, and what to fix first
    Scan(Box<ScanArgs>),
    /// Audits pages: a score, 35 signals with the places that decided, and fixes to paste
    Audit(Box<AuditArgs>),
    /// Lists the checks of the rubric of scans
    Checks(ListArgs),
    /// Lists the signals of the rubric of audits
    Signals(ListArgs),
    /// Explains a check or a signal: why, what it can say, how to fix it, and the documents behind it
    Explain(ExplainArgs),
    /// Lists AI agents, shows one, or identifies one from a user agent
    #[command(subcommand)]
    Agents(AgentsCommand),
    /// Answers questions about robots.txt
    #[command(subcommand)]
    Robots(RobotsCommand),
    /// Looks at logs before they are sent
    #[command(subcommand)]
    Logs(LogsCommand),
    /// Compares two results of `scan` or `audit --format json`; exit code 1 if something got worse
    Diff(DiffArgs),
    /// Draws a badge (SVG) from a result, from a scan of a domain, or from an audit of a page
    Badge(BadgeArgs),
    /// Serves the tools to an MCP client over standard input and output
    Mcp(McpArgs),
    /// Prints the completions of a shell
    #[command(
        after_help = "Example:\n  visibility completions bash > ~/.local/share/bash-completion/completions/visibility"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Prints the manual page, or writes one for each command into a folder
    Man {
        /// Folder for `visibility.1`, `visibility-scan.1` and so on; it is made if need be
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
    /// For machines
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct ListArgs {
    /// Form of the result
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ListFormat,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  visibility explain sitemap\n  visibility explain AC01\n\n`visibility checks` and `visibility signals` list all ids."
)]
pub(crate) struct ExplainArgs {
    /// Id or title of the check, or id, code or title of the signal, in any case
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
    /// Lists the agents of the access matrix, or all that are known
    List {
        /// Also those that are not in the matrix
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        list: ListArgs,
    },
    /// Shows what is known about one agent
    Show {
        /// Id, name or robots.txt token, in any case
        agent: String,
        #[command(flatten)]
        list: ListArgs,
    },
    /// Says which agent a user agent claims to be; exit code 1 if none
    #[command(
        after_help = "Example:\n  visibility agents match 'Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)'"
    )]
    Match {
        /// Value of `User-Agent`
        user_agent: String,
        #[command(flatten)]
        list: ListArgs,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum RobotsCommand {
    /// May these agents fetch these paths? Names the group and the line that decided
    #[command(after_help = ROBOTS_HELP)]
    Check(RobotsCheckArgs),
}

const ROBOTS_HELP: &str = "\
A source with a slash, one in .txt, or one that exists as a file is a file; `-` is standard input; \
anything else is a domain, whose robots.txt is fetched.

Exit codes:
  0    all allowed
  1    something is not allowed, or not known
  2    usage
  3    unreachable
  70   internal fault
  130  interrupted

Examples:
  visibility robots check ./robots.txt --as GPTBot,ChatGPT-User /pricing
  visibility robots check example.com --as OAI-SearchBot / /blog/post --format json";

#[derive(Args, Debug)]
pub(crate) struct RobotsCheckArgs {
    /// A robots.txt file, `-`, or a domain
    pub(crate) source: String,
    /// Paths with query, or URLs
    #[arg(required = true, value_name = "PATH|URL")]
    pub(crate) targets: Vec<String>,
    /// Agents by id, name, token or user agent, with commas between; another token is looked for as it is
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
    /// The earlier result
    pub(crate) before: PathBuf,
    /// The later result
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
    /// A result, `-`, a domain, or a page
    pub(crate) source: String,
    /// Writes to this file instead of standard output
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
