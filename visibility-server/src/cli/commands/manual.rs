//! `visibility-server completions` and `visibility-server man`.

use std::fs;
use std::io;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;
use visibility_core::manual;

use crate::cli::args::Cli;
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;

/// Prints the completions of a shell.
pub(super) fn completions(shell: Shell, console: Console) -> Result<Exit, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "visibility-server", &mut script);
    console.print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}

/// Prints the manual page, or writes all pages into a folder.
pub(super) fn pages(folder: Option<&Path>, console: Console) -> Result<Exit, CommandError> {
    let Some(folder) = folder else {
        let page = manual::page(Cli::command()).map_err(CommandError::stdout)?;
        console.print(&page.roff)?;
        return Ok(Exit::Ok);
    };
    write_pages(folder).map_err(|error| {
        CommandError::refused(
            format!("cannot write pages to `{}`", folder.display()),
            "choose another folder with `--dir`",
            error,
        )
    })?;
    Ok(Exit::Ok)
}

fn write_pages(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for page in manual::pages(Cli::command())? {
        fs::write(folder.join(page.file_name), page.roff)?;
    }
    Ok(())
}
