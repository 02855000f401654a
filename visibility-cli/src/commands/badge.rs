//! `visibility badge`.

use std::path::Path;

use visibility_core::report::badge;
use visibility_core::scan::plan::AgentProbes;
use visibility_core::scan::report::Selection;
use visibility_core::scan::result::ScanResult;

use crate::args::BadgeArgs;
use crate::commands::network::{self, Threads};
use crate::commands::no_result::FailureKind;
use crate::commands::scan::site::{Scanner, Source};
use crate::console::Console;
use crate::console::output::Paint;
use crate::console::progress::Progress;
use crate::exit_code::Exit;
use crate::failure::CommandFailure;
use crate::results_file;

/// Runs the command.
pub(super) fn run(arguments: &BadgeArgs, console: &Console) -> Result<Exit, CommandFailure> {
    let result = if is_file(&arguments.source) {
        results_file::read_one(Path::new(&arguments.source))?
    } else {
        scan(arguments, console)?
    };
    let mut output = console.output(arguments.output.as_deref())?;
    output.write(&badge::render(&result), Paint::Plain)?;
    output.finish()?;
    Ok(Exit::Ok)
}

/// Whether a source is a file and no domain: by its looks, even if there is none.
pub(super) fn is_file(source: &str) -> bool {
    let path = Path::new(source);
    let is_named_so = path.extension().is_some_and(|extension| {
        ["json", "ndjson", "txt"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    });
    source == "-" || source.contains(['/', '\\']) || is_named_so || path.is_file()
}

fn scan(arguments: &BadgeArgs, console: &Console) -> Result<ScanResult, CommandFailure> {
    let scanner = Scanner {
        source: Source::Network(Box::new(network::client(&arguments.network)?)),
        selection: Selection::all(),
        profile: None,
        agent_probes: AgentProbes::On,
        lang: console.lang(),
        record: None,
    };
    let progress = Progress::new(console.can_show_progress());
    let scanned = network::block_on(Threads::One, async {
        Ok(scanner.scan(&arguments.source, Some(&progress)).await)
    });
    progress.finish();
    scanned?.outcome.map_err(|failure| match failure.kind {
        FailureKind::Unreachable => CommandFailure::Unreachable { message: failure.message },
        FailureKind::BadInput | FailureKind::Internal => {
            CommandFailure::Usage { message: failure.message, hint: failure.hint }
        }
    })
}
