//! The key that addresses are hashed with.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

use visibility_core::access_log::HashKey;

use crate::args::FilterArgs;
use crate::error::CommandError;

/// Bytes of a key file that are read.
const MAX_KEY_BYTES: u64 = 64 * 1024;
/// Bytes of a key that is used once.
const RANDOM_BYTES: usize = 32;

const HINT: &str = "make one: head -c 32 /dev/urandom > key && chmod 600 key";

/// The key that the arguments name.
pub(super) fn load(arguments: &FilterArgs) -> Result<HashKey, CommandError> {
    match &arguments.hash_key_file {
        Some(path) => read(path),
        None if arguments.hash_once => random(),
        None => Err(CommandError::usage_with(
            "addresses need a key to be hashed",
            "give --hash-key-file FILE (make one: head -c 32 /dev/urandom > key && chmod 600 key), or --hash-once",
        )),
    }
}

/// A key that is forgotten.
pub(super) fn random() -> Result<HashKey, CommandError> {
    let mut bytes = [0; RANDOM_BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| CommandError::internal("there are no random numbers", error))?;
    // A line end behind a key is not a part of it.
    let key = HashKey::new(&[&bytes[..], b"\n"].concat());
    key.map_err(|error| CommandError::internal("there is no key", error))
}

fn read(path: &Path) -> Result<HashKey, CommandError> {
    let failed = |error: io::Error| CommandError::Read { path: path.to_owned(), source: error };
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        io::stdin().take(MAX_KEY_BYTES).read_to_end(&mut bytes).map_err(CommandError::Stdin)?;
    } else {
        let file = File::open(path).map_err(failed)?;
        check_mode(path, &file.metadata().map_err(failed)?)?;
        file.take(MAX_KEY_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    }
    HashKey::new(&bytes)
        .map_err(|error| CommandError::usage_with(format!("`{}`: {error}", path.display()), HINT))
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
