//! `visibility logs`.

mod batches;
mod detect;
mod filter;
mod hash_key;
mod log_input;
mod log_start;
mod page;
mod sink;
mod validate;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use crate::args::LogsCommand;
use crate::console::Console;
use crate::error::CommandError;
use crate::exit_code::Exit;

/// Runs a command of this family.
pub(super) fn run(command: &LogsCommand, console: &Console) -> Result<Exit, CommandError> {
    match command {
        LogsCommand::Detect(arguments) => detect::run(arguments, console),
        LogsCommand::Filter(arguments) => filter::run(arguments, console),
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
