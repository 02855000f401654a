//! Files with the address lists of agents.

use std::fs;
use std::path::Path;

use visibility_core::agents::ranges::AgentRanges;

use crate::error::CommandError;

/// Reads a file that `agents ranges fetch` has written.
pub(crate) fn read(path: &Path) -> Result<AgentRanges, CommandError> {
    let bytes =
        fs::read(path).map_err(|source| CommandError::Read { path: path.to_owned(), source })?;
    AgentRanges::from_json(&bytes).map_err(|error| {
        CommandError::usage_with(
            format!("cannot use `{}`: {error}", path.display()),
            "make such a file with `visibility agents ranges fetch -o ranges.json`",
        )
    })
}
