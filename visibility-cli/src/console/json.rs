//! Results and errors as JSON.

use serde::Serialize;
use serde_json::Value;
use visibility_core::text::escape;

use crate::console::Console;
use crate::console::output::Paint;
use crate::error::CommandError;

/// Prints why there is no result, for machines, unless something was printed before.
pub(crate) fn print_error(error: &Value, console: &Console) {
    if !console.has_printed() {
        // The failure itself is on standard error, with the exit code.
        let _ = print_json(&serde_json::json!({ "error": error }), console);
    }
}

/// Prints a value for machines.
pub(crate) fn print_json(value: &impl Serialize, console: &Console) -> Result<(), CommandError> {
    console.output(None)?.write(&to_json(value)?, Paint::Plain)
}

/// A value as indented JSON with a line end.
pub(crate) fn to_json(value: &impl Serialize) -> Result<String, CommandError> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| CommandError::internal("cannot write JSON", error))?;
    Ok(escape::json(&text).into_owned() + "\n")
}
