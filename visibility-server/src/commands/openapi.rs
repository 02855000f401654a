//! `visibility-server openapi`.

use crate::args::OpenapiArgs;
use crate::console::Console;
use crate::exit_code::Exit;
use crate::failure::CommandFailure;
use crate::openapi;

/// Where the service is, in a description that is not served.
const PLACEHOLDER: &str = "https://visibility.example.com";

/// Prints a description.
pub(super) fn run(arguments: OpenapiArgs, console: Console) -> Result<Exit, CommandFailure> {
    let describe = if arguments.ingestion { openapi::ingestion } else { openapi::api };
    console.print(&openapi::text(&describe(PLACEHOLDER)))?;
    Ok(Exit::Ok)
}
