//! The service behind `visibility`: the public API, log ingestion, their embedded stores, and the commands
//! of their operator.
//!
//! Everything that decides is in `visibility-core`; this crate brings sockets, files and a clock.
//!
//! Another application runs the service with [`Embedded`](embedded::Embedded) and its
//! [`Settings`](settings::Settings). Modules that are public and not in this documentation are there for the tests of
//! the project; they may change in any release.

mod access;
mod api;
mod cli;
pub mod embedded;
mod fetch;
mod http;
// For `tests/integration/files`, which compares files with the records in them; `Maintenance` for those that run a
// round at a time of their own.
#[doc(hidden)]
pub mod ingest;
mod jobs;
mod mcp;
mod oauth;
// For `tests/integration/crash`, which ends the process at each of the `runtime::fault::POINTS`.
#[doc(hidden)]
pub mod runtime;
// For `tests/integration/api/server.rs` and `tests/integration/ingest/server.rs`, which serve with clocks and
// metrics that they look into, and for `benches/keys.rs`.
#[doc(hidden)]
pub mod service;
pub mod settings;
mod site;
// The same.
#[doc(hidden)]
pub mod state;
// For `tests/integration/stores`, and for every test that prepares a data directory.
#[doc(hidden)]
pub mod stores;
// For `tests/integration/server/documents.rs`, which compares the metrics with their documentation.
#[doc(hidden)]
pub mod telemetry;
// For `tests/integration/files`, which compares answers with the records.
#[doc(hidden)]
pub mod traffic;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use crate::cli::args::Cli;
// For `tests/src/generated.rs`, which writes the descriptions of `docs/`.
#[doc(hidden)]
pub use crate::cli::commands::printed_description;
use crate::cli::console::Console;
use crate::cli::exit_code::Exit;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Runs the command line with these arguments, the first of which is the name of the program.
// For `main.rs`, which is a crate of its own.
#[doc(hidden)]
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
