//! The key that addresses are hashed with.

use std::path::Path;

use visibility_core::access_log::HashKey;

use crate::args::FilterArgs;
use crate::error::CommandError;
use crate::run::secret_file;

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
    HashKey::new(&secret_file::read(path)?)
        .map_err(|error| CommandError::usage_with(format!("`{}`: {error}", path.display()), HINT))
}
