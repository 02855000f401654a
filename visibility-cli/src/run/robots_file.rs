//! A robots.txt that is given as a file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use visibility_core::documents::robots::RobotsFile;
use visibility_core::limits::MAX_ROBOTS_BYTES;

use crate::error::CommandError;

/// Reads a robots.txt.
pub(crate) fn read(path: &Path) -> Result<RobotsFile, CommandError> {
    let file = File::open(path).and_then(parsed);
    file.map_err(|source| CommandError::Read { path: path.to_owned(), source })
}

/// Reads a robots.txt from standard input.
pub(crate) fn from_stdin() -> Result<RobotsFile, CommandError> {
    parsed(io::stdin()).map_err(CommandError::Stdin)
}

fn parsed(source: impl Read) -> io::Result<RobotsFile> {
    // One byte more than is parsed shows whether the file is longer.
    let most = u64::try_from(MAX_ROBOTS_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    let mut text = Vec::new();
    source.take(most).read_to_end(&mut text)?;
    Ok(RobotsFile::from_text(&text))
}
