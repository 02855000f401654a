//! The command line of `visibility`: arguments in, core called, result shown, exit code out.
//!
//! Standard output has the result and nothing else; everything else goes to standard error.

mod args;
mod commands;
mod console;
mod exit_code;
mod failure;
mod results_file;

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
    let console = Console::new(&cli.global);
    let exit = commands::run(cli.command, &console).unwrap_or_else(|failure| {
        console.show_failure(&failure);
        failure.exit()
    });
    exit.into()
}
