//! `visibility-server move`.

use std::path::PathBuf;

use super::{location, settings_of_file};
use crate::cli::args::{FormatArgs, GlobalArgs};
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::stores::location::StoreLocation;
use crate::stores::transfer::{self, Transfer};

/// Copies everything to the stores of other settings.
pub(super) fn run(
    to: PathBuf,
    format: FormatArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let from = location(global)?;
    let shown = to.display().to_string();
    let target = StoreLocation::of(&settings_of_file(to)?)?;
    let folders = [from.data_dir.clone(), target.data_dir.clone()];
    let report = |progress: &str| {
        if !format.is_json() {
            console.say(progress);
        }
    };
    let Transfer { objects, rows, records, damaged } =
        &transfer::transfer(from, target, &report)
            .map_err(|error| CommandError::of_move(&folders, error))?;
    if format.is_json() {
        console.print_json(&serde_json::json!({
            "objects": objects, "rows": rows, "records": records, "damaged": damaged,
        }))?;
        return Ok(Exit::Ok);
    }
    console.print(&format!(
        "Copied {rows} rows and {} objects ({} bytes); both sides have {records} records.\n",
        objects.objects, objects.bytes
    ))?;
    console.say(&format!(
        "Next: visibility-server serve --config {shown}\n\
         The old stores are as they were. Do not serve from them again."
    ));
    Ok(Exit::Ok)
}
