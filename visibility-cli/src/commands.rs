//! One file for each command: take the arguments, ask the core, show the answer.

mod agents;
mod audit;
mod badge;
mod checks;
mod demo;
mod diff;
mod explain;
pub(crate) mod fixes;
mod logs;
mod manual;
mod mcp;
mod network;
mod report;
mod result_buffer;
mod robots;
mod scan;
mod signals;
mod tally;
pub(crate) mod target_error;
mod writer;

use serde::Serialize;
use serde_json::Value;

use crate::args::{
    AgentsCommand, BatchFormat, Command, ListFormat, LogsCommand, OutputArgs, ReportFormat,
    RobotsCommand,
};
use crate::console::Console;
use crate::console::output::Paint;
use crate::error::CommandError;
use crate::exit_code::Exit;

/// Runs a command.
pub(crate) fn run(command: Command, console: &Console) -> Result<Exit, CommandError> {
    match command {
        Command::Scan(arguments) => scan::run(&arguments, console),
        Command::Audit(arguments) => audit::run(&arguments, console),
        Command::Signals(arguments) => signals::run(&arguments, console),
        Command::Checks(arguments) => checks::run(&arguments, console),
        Command::Explain(arguments) => explain::run(&arguments, console),
        Command::Agents(AgentsCommand::List { all, list }) => agents::list(all, &list, console),
        Command::Agents(AgentsCommand::Show { agent, list }) => {
            agents::show(&agent, &list, console)
        }
        Command::Agents(AgentsCommand::Match { user_agent, list }) => {
            agents::matched(&user_agent, &list, console)
        }
        Command::Robots(RobotsCommand::Check(arguments)) => robots::check(&arguments, console),
        Command::Logs(LogsCommand::Validate(arguments)) => logs::validate(&arguments, console),
        Command::Diff(arguments) => diff::run(&arguments, console),
        Command::Badge(arguments) => badge::run(&arguments, console),
        Command::Mcp(arguments) => mcp::run(&arguments, console),
        Command::Completions { shell } => manual::completions(shell, console),
        Command::Man { dir } => manual::pages(dir.as_deref(), console),
    }
}

/// Whether a command prints its result as JSON, on standard output.
pub(crate) fn prints_json(command: &Command) -> bool {
    let of_output = |output: &OutputArgs| {
        let is_json = matches!(output.format, ReportFormat::Json | ReportFormat::Ndjson);
        is_json && output.output.is_none()
    };
    let list = match command {
        Command::Scan(arguments) => return of_output(&arguments.output),
        Command::Audit(arguments) => return of_output(&arguments.output),
        Command::Logs(LogsCommand::Validate(arguments)) => {
            return arguments.format == BatchFormat::Json && arguments.output.is_none();
        }
        Command::Checks(list)
        | Command::Signals(list)
        | Command::Agents(
            AgentsCommand::List { list, .. }
            | AgentsCommand::Show { list, .. }
            | AgentsCommand::Match { list, .. },
        ) => list,
        Command::Explain(arguments) => &arguments.list,
        Command::Robots(RobotsCommand::Check(arguments)) => &arguments.list,
        Command::Diff(arguments) => &arguments.list,
        Command::Badge(_) | Command::Mcp(_) | Command::Completions { .. } | Command::Man { .. } => {
            return false;
        }
    };
    list.format == ListFormat::Json
}

/// Prints why there is no result, for machines, unless something was printed before.
pub(crate) fn print_error(error: &Value, console: &Console) {
    if !console.has_printed() {
        // The failure itself is on standard error, with the exit code.
        let _ = print_json(&serde_json::json!({ "error": error }), console);
    }
}

/// Prints a value for machines.
fn print_json(value: &impl Serialize, console: &Console) -> Result<(), CommandError> {
    console.output(None)?.write(&json(value)?, Paint::Plain)
}

/// A value as indented JSON with a line end.
fn json(value: &impl Serialize) -> Result<String, CommandError> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| CommandError::internal("JSON could not be written", error))?;
    Ok(text + "\n")
}
