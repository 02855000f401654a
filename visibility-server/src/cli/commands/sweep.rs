//! `visibility-server sweep`.

use super::{settings, stores};
use crate::cli::args::{FormatArgs, GlobalArgs, ServeArgs};
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::runtime::clock;
use crate::stores::ObjectTotals;
use crate::stores::sweep::{self, ConfirmedSweep};

/// Shows what waits for a confirmation, or confirms it.
pub(super) fn run(
    confirm: bool,
    format: FormatArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let stores = stores(global)?;
    let now = clock::now();
    let done = if confirm {
        stores.verify()?;
        let maintenance = settings(global, &ServeArgs::default())?.settings.maintenance;
        if !stores.judge_clock(now, maintenance.pause())?.is_plausible() {
            return Err(CommandError::usage(
                "the clock has jumped, so we cannot know what is old enough to delete",
                "set the clock, or confirm it with `visibility-server clock accept`",
            ));
        }
        sweep::confirm(&stores, now)?
    } else {
        sweep::waiting(&stores, now)?
    };
    if format.is_json() {
        console.print_json(&done)?;
    } else {
        console.print(&describe(&done, confirm))?;
        if !confirm && (done.orphans.objects > 0 || done.retention.is_some()) {
            console.say("Next: visibility-server sweep --confirm");
        }
    }
    Ok(Exit::Ok)
}

fn describe(sweep: &ConfirmedSweep, is_done: bool) -> String {
    let ending = if is_done { ", deleted" } else { "" };
    let line = |what: &str, ObjectTotals { objects, bytes }| {
        format!("{what}: {objects} objects, {bytes} bytes{ending}\n")
    };
    let mut text = line("unknown to the database", sweep.orphans);
    text.push_str(&line("in the trash", sweep.trash));
    if let Some(retention) = &sweep.retention {
        let when = if is_done { "from the next round of maintenance" } else { "not yet applied" };
        text.push_str(&format!(
            "retention.raw_days = {}, retention.rollup_months = {}: {when}\n",
            retention.raw_days, retention.rollup_months
        ));
    }
    text
}
