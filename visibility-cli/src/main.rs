//! `visibility`: agent-readiness scans on the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    visibility_cli::run(std::env::args_os())
}
