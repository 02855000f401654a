//! `visibility logs`.

mod batches;
mod detect;
mod filter;
mod hash_key;
mod log_input;
mod log_reading;
mod log_start;
mod page;
mod query;
mod query_page;
mod report;
mod report_inputs;
mod report_page;
mod sink;
mod sitemap_files;
mod validate;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use visibility_core::agents::ranges::IdentityCheck;
use visibility_core::ingest::{Rules, is_host};

use crate::args::LogsCommand;
use crate::console::Console;
use crate::error::CommandError;
use crate::exit_code::Exit;
use crate::run::range_file;

/// Runs a command of this family.
pub(super) fn run(command: &LogsCommand, console: &Console) -> Result<Exit, CommandError> {
    match command {
        LogsCommand::Detect(arguments) => detect::run(arguments, console),
        LogsCommand::Filter(arguments) => filter::run(arguments, console),
        LogsCommand::Query(arguments) => query::run(arguments, console),
        LogsCommand::Report(arguments) => report::run(arguments, console),
        LogsCommand::Validate(arguments) => validate::run(arguments, console),
    }
}

/// The file to read; a person who forgot to name one is not kept waiting.
fn source(file: Option<&Path>, work: &str, by_hand: &str) -> Result<PathBuf, CommandError> {
    match file {
        Some(path) => Ok(path.to_owned()),
        None if io::stdin().is_terminal() => Err(CommandError::usage_with(
            format!("there is no file to {work}"),
            format!("give a file, or `-` {by_hand}"),
        )),
        None => Ok(PathBuf::from("-")),
    }
}

/// The files to read; standard input if there is none.
fn sources(files: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    match files {
        [] => Ok(vec![source(None, "read", "to read standard input")?]),
        files => Ok(files.to_vec()),
    }
}

fn check_host(host: &str) -> Result<(), CommandError> {
    if is_host(host) {
        return Ok(());
    }
    Err(CommandError::usage_with(
        format!("`{host}` is no host name"),
        "give the name of the site alone, such as www.example.com",
    ))
}

/// The lists that addresses are compared with.
fn identities(
    path: Option<&Path>,
    now: DateTime<Utc>,
) -> Result<Option<IdentityCheck>, CommandError> {
    let Some(path) = path else { return Ok(None) };
    let ranges = range_file::read(path)?;
    Ok(Some(IdentityCheck::new(&ranges, now)))
}

/// Rules that no record is too old or too new for.
fn rules_of_any_time() -> Rules {
    let mut rules = Rules::at(DateTime::UNIX_EPOCH);
    rules.future_skew = TimeDelta::days(365 * 200);
    rules
}
