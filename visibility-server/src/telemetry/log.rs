//! The log: one event a line on standard error, as text or JSON.
//!
//! No token is logged, only the first digits of its digest; no record, no body and no address of a
//! client either. Whatever else came from outside passes `OneLine`.

use std::borrow::Cow;
use std::io::{self, Write};

use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::Registry;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use visibility_core::text::escape;

use crate::settings::log_filter::filter;
use crate::settings::{LogFormat, LogSettings};

/// Why nothing can be logged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum TelemetryError {
    /// The filter cannot be read.
    #[error("`{0}` is not a log level")]
    Level(String),
    /// Another logger was set up before.
    #[error("the log is already set up")]
    Twice(#[source] TryInitError),
}

/// Sends the events of the whole process to standard error. Panics are events too, without their
/// message, which may quote data.
///
/// # Errors
///
/// When the level is not a filter, or on a second call.
pub(crate) fn start(log: &LogSettings) -> Result<(), TelemetryError> {
    let filter = filter(&log.level).ok_or_else(|| TelemetryError::Level(log.level.clone()))?;
    let layer =
        tracing_subscriber::fmt::layer().with_ansi(false).with_writer(|| OneLine(io::stderr()));
    let registry = Registry::default().with(filter);
    match log.format {
        LogFormat::Text => registry.with(layer.with_target(false)).try_init(),
        LogFormat::Json => registry.with(layer.json().flatten_event(true)).try_init(),
    }
    .map_err(TelemetryError::Twice)?;
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!(place, "a thread panicked");
    }));
    Ok(())
}

/// Writes each event as one line: control characters and those that turn or hide text become spaces,
/// so that a request cannot forge a line or send escapes to a terminal.
#[derive(Debug)]
struct OneLine<W>(W);

impl<W: Write> Write for OneLine<W> {
    /// Takes a whole event, as the subscriber hands it over.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let line = match text.strip_suffix('\n') {
            Some(line) => Cow::Owned(format!("{}\n", escape::printable(line))),
            None => escape::printable(&text),
        };
        self.0.write_all(line.as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_stays_one_line_without_control_characters() {
        let mut written = Vec::new();
        let event = "seen a\nINFO forged \u{1b}[2Jb \u{202e}c\n".as_bytes();
        assert_eq!(OneLine(&mut written).write(event).unwrap(), event.len());
        assert_eq!(String::from_utf8(written).unwrap(), "seen a INFO forged  [2Jb  c\n");
    }
}
