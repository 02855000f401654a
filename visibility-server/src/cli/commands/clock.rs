//! `visibility-server clock`.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;

use super::stores;
use crate::cli::args::{ClockCommand, GlobalArgs};
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::runtime::clock;

/// What was accepted, on the wire.
#[derive(Debug, Serialize)]
struct AcceptedClock {
    accepted_at: DateTime<Utc>,
}

/// Runs a command about the clock.
pub(super) fn run(
    command: &ClockCommand,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let ClockCommand::Accept { format } = command;
    let stores = stores(global)?;
    if stores.state_store().shares_limits() {
        return Err(CommandError::usage(
            "the clock of a server with a PostgreSQL database is compared with that of the database",
            "set the clock that is wrong",
        ));
    }
    let accepted_at = clock::now();
    stores.trust_clock(accepted_at)?;
    if format.is_json() {
        console.print_json(&AcceptedClock { accepted_at })?;
    } else {
        let time = accepted_at.to_rfc3339_opts(SecondsFormat::Secs, true);
        console.print(&format!("Confirmed the clock: {time}.\n"))?;
    }
    Ok(Exit::Ok)
}
