//! The service behind `visibility`: the public API, log ingestion, their embedded stores, and the commands
//! of their operator.
//!
//! Everything that decides stands in `visibility-core`; this crate brings sockets, files and a clock.

mod accept;
pub mod accounts;
mod args;
mod audits;
mod auth;
pub mod batch;
mod client_address;
mod clock;
pub mod columns;
mod commands;
pub mod compaction;
mod connection;
mod console;
mod cors;
pub mod embedded;
mod envelope;
mod exit_code;
mod extension;
mod failure;
pub mod fault;
pub mod files;
mod flaw;
mod flights;
mod handlers;
mod json_body;
mod kept;
mod language;
mod limiter;
pub mod listener;
pub mod maintenance;
mod mcp;
pub mod metrics;
mod oauth;
mod openapi;
mod program;
mod queue;
mod random;
mod readiness;
mod rendered;
mod request_id;
mod response;
pub mod router;
mod scans;
pub mod settings;
mod site;
mod spool;
pub mod state;
pub mod stats;
pub mod stores;
pub mod telemetry;
pub mod visits;
mod workers;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use crate::args::Cli;
use crate::console::Console;
use crate::exit_code::Exit;

/// Runs the command line with these arguments, the first of which is the name of the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let exit = match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Ok,
                _ => Exit::Usage,
            };
            // Nobody is left to tell when standard error is gone.
            let _ = error.print();
            return exit.into();
        }
    };
    let console = Console::new(cli.global.color);
    let exit = commands::run(cli, console).unwrap_or_else(|failure| {
        console.show_failure(&failure);
        failure.exit()
    });
    exit.into()
}
