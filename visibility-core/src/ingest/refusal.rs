//! The error when a whole batch is refused.

use crate::error::{ErrorCode, Problem};
use crate::ingest::BatchError;

impl From<&BatchError> for Problem {
    /// The error on the wire. It names places and limits, never a value, and nothing of our own
    /// failures.
    fn from(error: &BatchError) -> Self {
        match error {
            BatchError::Malformed { line, column, expected } => {
                Self::new(ErrorCode::MalformedPayload, "batch-malformed")
                    .value("line", line)
                    .value("column", column)
                    .detail("line", *line)
                    .detail("column", *column)
                    .detail("expected", expected.as_str())
            }
            BatchError::Coding(reason) => Self::new(ErrorCode::MalformedPayload, "batch-coding")
                .value_note("reason", reason.note())
                .detail_note("reason", reason.note()),
            BatchError::Empty => Self::new(ErrorCode::EmptyBatch, "batch-empty"),
            BatchError::TooManyBytes { limit } => {
                too_large("batch-bytes", *limit, "octets after decoding")
            }
            BatchError::TooManyRecords { limit } => too_large("batch-records", *limit, "records"),
            BatchError::Read(_) | BatchError::Sink(_) => {
                Self::new(ErrorCode::ServiceUnavailable, "batch-not-kept")
            }
        }
    }
}

fn too_large(id: &'static str, limit: u64, unit: &str) -> Problem {
    Problem::new(ErrorCode::PayloadTooLarge, id)
        .value("limit", limit)
        .detail("limit", limit)
        .detail("unit", unit)
}
