//! The first lines of a log, and the format that they have.

use std::io;
use std::path::Path;

use memchr::memchr_iter;
use visibility_core::access_log::{
    AccessLogFormat, DetectError, DetectedFormat, KeyMap, SAMPLE_LINES, detect,
};

use super::log_input::{self, Chunks};
use crate::error::CommandError;

/// Bytes that are read before the format is looked for, at most.
const MAX_BYTES: usize = 1024 * 1024;

/// The first bytes of a log.
#[derive(Debug)]
pub(super) struct LogStart {
    pub(super) bytes: Vec<u8>,
    /// Whether there are no more.
    pub(super) is_whole: bool,
}

impl LogStart {
    /// Reads as many lines as are looked at.
    pub(super) fn read(chunks: &mut Chunks) -> io::Result<Self> {
        let mut bytes = Vec::new();
        let mut lines = 0;
        // More than are looked at: some may be blank.
        while lines < 2 * SAMPLE_LINES && bytes.len() < MAX_BYTES {
            let Some(chunk) = chunks.next()? else { return Ok(Self { bytes, is_whole: true }) };
            lines += memchr_iter(b'\n', chunk).count();
            bytes.extend_from_slice(chunk);
        }
        Ok(Self { bytes, is_whole: false })
    }

    /// The format; none if there is no line yet.
    pub(super) fn detect(
        &self,
        path: &Path,
        keys: &KeyMap,
    ) -> Result<Option<DetectedFormat>, CommandError> {
        match detect(&self.bytes, self.is_whole, keys) {
            Ok(detected) => Ok(Some(detected)),
            Err(DetectError::Empty) => Ok(None),
            Err(error) => Err(undetected(path, &error)),
        }
    }
}

fn undetected(path: &Path, error: &DetectError) -> CommandError {
    let name = log_input::shown(path);
    let message = match error {
        DetectError::Undecided { .. } => format!("cannot tell the format of {name}: {error}"),
        DetectError::Unknown { line, .. } => {
            format!("no known format reads {name}: look at line {line}")
        }
        other => format!("cannot tell the format of {name}: {other}"),
    };
    let ids: Vec<_> = AccessLogFormat::ALL.map(AccessLogFormat::id).to_vec();
    let hint = match error {
        DetectError::Undecided { first, second } => {
            format!("give --source {} or --source {}", first.0.id(), second.0.id())
        }
        DetectError::Unknown { best: Some((format, read, lines)), .. } => format!(
            "{read} of {lines} lines are `{}`: if this is an access log, give --source {}",
            format.id(),
            format.id()
        ),
        _ => format!(
            "known are {}; `cloudfront` and `iis` need their line `#Fields:`, and keys of JSON lines that \
             have other names are given with --map",
            ids.join(", ")
        ),
    };
    CommandError::usage_with(message, hint)
}
