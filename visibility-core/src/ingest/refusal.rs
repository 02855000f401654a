//! What a sender is told when a whole batch is refused.

use crate::error::{ErrorCode, ErrorObject};
use crate::ingest::BatchError;

impl From<&BatchError> for ErrorObject {
    /// The error on the wire. It names places and limits, never a value, and nothing of our own
    /// failures.
    fn from(error: &BatchError) -> Self {
        let (code, hint) = match error {
            BatchError::Malformed { .. } => (
                ErrorCode::MalformedPayload,
                "Write one JSON object a line, in UTF-8. Nothing of the batch was kept: correct \
                 the line and send all of it again.",
            ),
            BatchError::Coding(_) => (
                ErrorCode::MalformedPayload,
                "Compress the whole body again and send it with `Content-Encoding: gzip`, or send \
                 it without a content coding. Nothing of the batch was kept.",
            ),
            BatchError::Empty => {
                (ErrorCode::EmptyBatch, "Send at least one record, one JSON object a line.")
            }
            BatchError::TooManyBytes { .. } | BatchError::TooManyRecords { .. } => (
                ErrorCode::PayloadTooLarge,
                "Split the batch and send each part under an id of its own. Nothing of it was kept.",
            ),
            BatchError::Read(_) | BatchError::Sink(_) => (
                ErrorCode::ServiceUnavailable,
                "Send the batch again with the same id after a while.",
            ),
        };
        let object = Self::new(code, message(error)).hint(hint);
        match error {
            BatchError::Malformed { line, column, expected } => object
                .detail("line", *line)
                .detail("column", *column)
                .detail("expected", expected.as_str()),
            BatchError::Coding(reason) => object.detail("reason", reason.as_str()),
            BatchError::TooManyBytes { limit } => {
                object.detail("limit", *limit).detail("unit", "octets after decoding")
            }
            BatchError::TooManyRecords { limit } => {
                object.detail("limit", *limit).detail("unit", "records")
            }
            BatchError::Empty | BatchError::Read(_) | BatchError::Sink(_) => object,
        }
    }
}

fn message(error: &BatchError) -> String {
    match error {
        BatchError::Malformed { line, column, .. } => {
            format!("Line {line} is not a JSON object: it goes wrong at octet {column}.")
        }
        BatchError::Coding(reason) => format!("The gzip stream is broken: {reason}."),
        BatchError::Empty => "The batch has no record.".to_owned(),
        BatchError::TooManyBytes { limit } => {
            format!("The body has more than {limit} octets after decoding.")
        }
        BatchError::TooManyRecords { limit } => {
            format!("The batch has more than {limit} records.")
        }
        BatchError::Read(_) | BatchError::Sink(_) => "The batch could not be kept.".to_owned(),
    }
}
