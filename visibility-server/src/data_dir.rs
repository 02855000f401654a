//! The folder of the database, the objects and the spool. Nobody but its owner may read it.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::path::{Path, PathBuf};

/// Name of the database in the folder.
const DATABASE: &str = "state.sqlite";

/// Creates the folder where it does not exist, with everything above it, and an empty database; says
/// where that is. What exists stays as it is.
///
/// # Errors
///
/// When the file system refuses.
pub(crate) fn create(folder: &Path) -> io::Result<PathBuf> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    let path = folder.join(DATABASE);
    let mut options = File::options();
    options.append(true).create(true);
    // SQLite gives the files that it puts beside a database the rights of the database.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&path)?;
    Ok(path)
}

/// The database of a folder, if there is one.
pub(crate) fn database(folder: &Path) -> Option<PathBuf> {
    let path = folder.join(DATABASE);
    path.is_file().then_some(path)
}

/// Whether others than the owner may enter the folder.
#[cfg(unix)]
pub(crate) fn is_open_to_others(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(folder).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

/// Whether others than the owner may enter the folder; not known here.
#[cfg(not(unix))]
pub(crate) fn is_open_to_others(_: &Path) -> bool {
    false
}
