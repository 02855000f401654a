//! `visibility-server`: log ingestion, exactly once, on one machine.

use std::process::ExitCode;

fn main() -> ExitCode {
    visibility_server::run(std::env::args_os())
}
