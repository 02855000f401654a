//! The service behind `visibility`: the public API, log ingestion, their embedded stores, and the commands
//! of their operator.
//!
//! Everything that decides is in `visibility-core`; this crate brings sockets, files and a clock.

pub mod access;
mod api;
mod cli;
pub mod embedded;
pub mod fetch;
mod http;
pub mod ingest;
mod jobs;
mod mcp;
mod oauth;
pub mod runtime;
pub mod service;
pub mod settings;
mod site;
pub mod state;
pub mod stores;
pub mod telemetry;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use crate::cli::args::Cli;
use crate::cli::console::Console;
use crate::cli::exit_code::Exit;

/// Runs the command line with these arguments, the first of which is the name of the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let exit = match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Ok,
                _ => Exit::Usage,
            };
            // There is no way to report that standard error is gone.
            let _ = error.print();
            return exit.into();
        }
    };
    let console = Console::new(cli.global.color);
    let exit = cli::commands::run(cli, console).unwrap_or_else(|failure| {
        console.show_error(&failure);
        failure.exit()
    });
    exit.into()
}
