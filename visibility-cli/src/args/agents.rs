//! The arguments of `visibility agents ranges`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{ListArgs, NetworkArgs};

const FETCH_AFTER_HELP: &str = "\
Operators publish the addresses of their agents, and change them every few weeks: fetch them again before you use them, \
they are not looked at after 45 days. Lists that are in the output file already stay there until newer ones are fetched.

On a machine without a network, save the lists on another one and give them with --from: the name of the file says whose \
list it is, or you do.

Exit codes:
  0    all lists were read
  2    usage error, or an unreadable file
  3    no list could be fetched
  5    some lists could not be read; the others were written
  70   internal error
  130  interrupted

Examples:
  visibility agents ranges fetch -o ranges.json
  visibility agents ranges fetch --from gptbot.json --from ClaudeBot=bots.json -o ranges.json
  visibility logs filter access.log --host www.example.com --hash-once --ranges ranges.json > records.ndjson";

#[derive(Debug, Subcommand)]
pub(crate) enum RangesCommand {
    /// Fetch the lists that operators publish
    Fetch(RangesFetchArgs),
    /// Show which lists a file has, and how old they are
    Show {
        /// File that `agents ranges fetch` has written
        file: PathBuf,
        #[command(flatten)]
        list: ListArgs,
    },
}

#[derive(Args, Debug)]
#[command(after_help = FETCH_AFTER_HELP)]
pub(crate) struct RangesFetchArgs {
    /// Read a list from this file instead of the network; may be repeated
    #[arg(long, value_name = "[AGENT=]FILE")]
    pub(crate) from: Vec<String>,
    /// Write to this file instead of standard output; it appears when it is complete
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Show no progress
    #[arg(long, help_heading = "Output")]
    pub(crate) no_progress: bool,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
