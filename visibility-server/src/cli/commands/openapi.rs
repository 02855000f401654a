//! `visibility-server openapi`: prints the OpenAPI descriptions.

use crate::api::openapi;
use crate::cli::args::OpenapiArgs;
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;

/// The address of the service in a description that is printed and not served.
const PLACEHOLDER: &str = "https://visibility.example.com";

/// Prints a description.
pub(super) fn run(arguments: OpenapiArgs, console: Console) -> Result<Exit, CommandError> {
    let describe = if arguments.ingestion { openapi::ingestion } else { openapi::api };
    console.print(&openapi::text(&describe(PLACEHOLDER)))?;
    Ok(Exit::Ok)
}
