//! Files with secrets.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

use crate::error::CommandError;

/// Bytes of such a file that are read.
const MAX_BYTES: u64 = 64 * 1024;

/// Reads a file that only its owner can read, or standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, CommandError> {
    let failed = |error: io::Error| CommandError::Read { path: path.to_owned(), source: error };
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        io::stdin().take(MAX_BYTES).read_to_end(&mut bytes).map_err(CommandError::Stdin)?;
    } else {
        let file = File::open(path).map_err(failed)?;
        check_mode(path, &file.metadata().map_err(failed)?)?;
        file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    }
    Ok(bytes)
}

/// A file that others may read is refused. A pipe is whose it is.
#[cfg(unix)]
fn check_mode(path: &Path, file: &Metadata) -> Result<(), CommandError> {
    use std::os::unix::fs::PermissionsExt as _;

    let mode = file.permissions().mode() & 0o777;
    let of_others = mode & 0o077;
    if !file.is_file() || of_others == 0 {
        return Ok(());
    }
    Err(CommandError::usage_with(
        format!("others can read `{}` (mode {mode:o})", path.display()),
        format!("chmod 600 {}", path.display()),
    ))
}

#[cfg(not(unix))]
fn check_mode(_: &Path, _: &Metadata) -> Result<(), CommandError> {
    Ok(())
}
