//! One file for each command: it takes the arguments, calls the core and prints the result.

mod agents;
mod audit;
mod badge;
mod checks;
mod diff;
mod explain;
mod history;
mod logs;
mod manual;
mod mcp;
mod robots;
mod scan;
mod signals;

use crate::args::{
    AgentsCommand, BatchFormat, Command, ListFormat, LogReportFormat, LogsCommand, OutputArgs,
    QueryFormat, RangesCommand, ReportFormat, RobotsCommand,
};
use crate::console::Console;
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
        Command::Agents(command) => agents::run(&command, console),
        Command::Robots(RobotsCommand::Check(arguments)) => robots::check(&arguments, console),
        Command::Logs(command) => logs::run(&command, console),
        Command::Diff(arguments) => diff::run(&arguments, console),
        Command::History(arguments) => history::run(&arguments, console),
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
        Command::Logs(LogsCommand::Detect(arguments)) => {
            return arguments.format == ListFormat::Json;
        }
        Command::Logs(LogsCommand::Report(arguments)) => {
            return arguments.format == LogReportFormat::Json && arguments.output.is_none();
        }
        Command::Logs(LogsCommand::Query(arguments)) => {
            return arguments.format == QueryFormat::Json && arguments.output.is_none();
        }
        Command::History(arguments) => {
            return arguments.format == ListFormat::Json && arguments.output.is_none();
        }
        // Records are lines of JSON, and an error among them is no record; nor is it a list.
        Command::Logs(LogsCommand::Filter(_))
        | Command::Agents(AgentsCommand::Ranges(RangesCommand::Fetch(_))) => return false,
        Command::Checks(list)
        | Command::Signals(list)
        | Command::Agents(
            AgentsCommand::List { list, .. }
            | AgentsCommand::Show { list, .. }
            | AgentsCommand::Match { list, .. }
            | AgentsCommand::Ranges(RangesCommand::Show { list, .. }),
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
