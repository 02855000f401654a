//! `visibility-server reconcile`.

use super::location;
use crate::cli::args::{FormatArgs, GlobalArgs};
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::runtime::clock;
use crate::stores::Stores;

/// Makes a database and its objects one store again.
pub(super) fn run(
    format: FormatArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let location = location(global)?;
    let folder = location.data_dir.clone();
    let done = Stores::reconcile(location, clock::now())
        .map_err(|error| CommandError::of_open(&folder, error))?;
    if format.is_json() {
        console.print_json(&done)?;
        return Ok(Exit::Ok);
    }
    let mut text = format!(
        "{} objects set aside ({} bytes), {} brought back.\n",
        done.set_aside.objects, done.set_aside.bytes, done.brought_back.objects
    );
    if let Some(folder) = &done.folder {
        text.push_str(&format!("The objects set aside are in {folder}. Nothing deletes them.\n"));
    }
    console.print(&text)?;
    console.say("Next: visibility-server check");
    Ok(Exit::Ok)
}
