//! `visibility-server openapi`: prints the OpenAPI descriptions.

use crate::api::descriptions::{describe_api, describe_ingestion};
use crate::api::openapi::text;
use crate::cli::args::OpenapiArgs;
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;

/// The address of the service in a description that is printed and not served.
const PLACEHOLDER: &str = "https://visibility.example.com";

/// Prints a description.
pub(super) fn run(arguments: OpenapiArgs, console: Console) -> Result<Exit, CommandError> {
    console.print(&printed_description(arguments.ingestion))?;
    Ok(Exit::Ok)
}

/// The description of the API, or that of ingestion.
pub fn printed_description(of_ingestion: bool) -> String {
    let describe = if of_ingestion { describe_ingestion } else { describe_api };
    text(&describe(PLACEHOLDER))
}
