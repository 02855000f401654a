//! `visibility completions` and `visibility man`.

use std::fs;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;
use visibility_core::manual;

use crate::args::Cli;
use crate::console::Console;
use crate::console::output::Paint;
use crate::error::CommandError;
use crate::exit_code::Exit;

/// Prints the completions of a shell.
pub(super) fn completions(shell: Shell, console: &Console) -> Result<Exit, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "visibility", &mut script);
    print(&script, console)
}

/// Prints the manual page, or writes all pages into a folder.
pub(super) fn pages(folder: Option<&Path>, console: &Console) -> Result<Exit, CommandError> {
    let Some(folder) = folder else {
        let page = manual::page(Cli::command()).map_err(CommandError::stdout)?;
        return print(page.roff.as_bytes(), console);
    };
    let failed = |source| CommandError::Write { path: folder.to_owned(), source };
    fs::create_dir_all(folder).map_err(failed)?;
    for page in manual::pages(Cli::command()).map_err(failed)? {
        fs::write(folder.join(page.file_name), page.roff).map_err(failed)?;
    }
    Ok(Exit::Ok)
}

fn print(text: &[u8], console: &Console) -> Result<Exit, CommandError> {
    console.output(None)?.write(&String::from_utf8_lossy(text), Paint::Plain)?;
    Ok(Exit::Ok)
}
