//! `visibility-server reconcile`.

use std::io::{self, IsTerminal as _};

use super::location;
use crate::cli::args::{FormatArgs, GlobalArgs};
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::ingest::adopt::{self, Adoption, LeftObject};
use crate::runtime::clock;
use crate::stores::Stores;
use crate::stores::identity::IdentityError;

/// Makes a database and its objects one store again.
pub(super) fn run(
    format: FormatArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let location = location(global)?;
    let folder = location.data_dir.clone();
    if let Err(error) = Stores::open(location.clone())
        && let Some(problem) = IdentityError::of(&error)
    {
        console.say(&format!("{problem}.\nFirst {}.", problem.hint()));
        if !format.is_json() && !is_confirmed(console)? {
            console.say("Nothing was changed.");
            return Ok(Exit::Ok);
        }
    }
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

/// Asks a person who sits there. A script has decided when it was written.
fn is_confirmed(console: Console) -> Result<bool, CommandError> {
    if !io::stdin().is_terminal() {
        return Ok(true);
    }
    console.say("Set the objects aside that the database does not know? [y/N]");
    let mut answer = String::new();
    io::stdin()
        .read_line(&mut answer)
        .map_err(|error| CommandError::internal("cannot read the answer", error))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Gives the database the batches that it does not know.
pub(super) fn adopt_unknown(
    confirm: bool,
    format: FormatArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let location = location(global)?;
    let folder = location.data_dir.clone();
    let stores =
        Stores::open_idle(location).map_err(|error| CommandError::of_open(&folder, error))?;
    let done = adopt::adopt(&stores, confirm)?;
    if format.is_json() {
        console.print_json(&done)?;
        return Ok(Exit::Ok);
    }
    let Adoption { batches, records, known, without_id, left } = &done;
    console.print(&format!(
        "{batches} batches adopted ({records} records), {known} were known already.\n"
    ))?;
    for LeftObject { name, reason } in left {
        console.print(&format!("LEFT  {name}: {reason}\n"))?;
    }
    if *without_id > 0 {
        console.say(&format!(
            "{without_id} files are of an earlier version and do not say of which batch they are: their records may \
            have been sent again. Next: visibility-server reconcile --adopt --confirm"
        ));
    }
    console.say("Next: visibility-server check");
    Ok(Exit::Ok)
}
