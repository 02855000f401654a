//! The command line of `visibility`: parses arguments, calls the core, prints results and returns an exit code.
//!
//! Standard output has the result and nothing else; everything else goes to standard error.

mod args;
mod commands;
mod console;
mod error;
mod exit_code;
mod run;
mod saved_results;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};
use serde_json::{Value, json};

use crate::args::Cli;
use crate::console::Console;
use crate::console::repeat::Repeat;
use crate::exit_code::Exit;

/// Runs the command line with these arguments, the first of which is the name of the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let (cli, repeat) = match parse(&arguments) {
        Ok(parsed) => parsed,
        Err(error) => {
            let exit = match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Ok,
                _ => Exit::Usage,
            };
            // There is no way to report that standard error is gone.
            let _ = error.print();
            if exit == Exit::Usage && asks_for_json(&arguments) {
                let console = Console::plain();
                console::json::print_error(&usage_error(&error), &console);
            }
            return exit.into();
        }
    };
    let console = Console::new(&cli.global).repeating(repeat);
    let prints_json = commands::prints_json(&cli.command);
    let exit = commands::run(cli.command, &console).unwrap_or_else(|command_error| {
        console.show_error(&command_error);
        if let Some(error) = command_error.error_object(console.labels()).filter(|_| prints_json) {
            console::json::print_error(&error, &console);
        }
        command_error.exit()
    });
    exit.into()
}

/// The arguments, and what of them the commands of reports repeat.
fn parse(arguments: &[OsString]) -> Result<(Cli, Repeat), clap::Error> {
    let mut definition = Cli::command();
    let matches = definition.try_get_matches_from_mut(arguments)?;
    let repeat = Repeat::from_matches(&definition, &matches);
    let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut definition))?;
    Ok((cli, repeat))
}

/// Whether arguments that could not be read ask for JSON.
fn asks_for_json(arguments: &[OsString]) -> bool {
    let is_json = |value: &str| matches!(value, "json" | "ndjson");
    let texts = || arguments.iter().map(|argument| argument.to_str().unwrap_or_default());
    let pairs = texts().zip(texts().skip(1));
    texts().any(|text| text.strip_prefix("--format=").is_some_and(is_json))
        || pairs.into_iter().any(|(flag, value)| flag == "--format" && is_json(value))
}

/// Arguments that could not be read, in the form of every other failure.
fn usage_error(error: &clap::Error) -> Value {
    let text = error.render().to_string();
    // The names of what is missing are on lines of their own, up to an empty one.
    let lines = text.lines().take_while(|line| !line.trim().is_empty()).map(str::trim);
    let message = lines.collect::<Vec<_>>().join(" ");
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    json!({ "code": "USAGE", "message": message, "hint": "see --help", "details": {} })
}
