//! Log ingestion: from the bytes of a batch to records and rejections.
//!
//! ```text
//! bytes -> inflate -> lines -> record -> judgement -> sink
//! ```
//!
//! A [`BatchReader`] is fed with chunks of the decoded body, wherever they are cut, and hands every
//! record to a [`RecordSink`], borrowed, one by one: accepted ones as [`LogRecord`]s, refused ones as
//! [`Rejection`]s. A line that is not a JSON object makes the whole batch invalid ([`BatchError::Malformed`]),
//! so a sink keeps what it got to itself until [`BatchReader::finish`] has said the counts.

mod batch;
mod byte_class;
pub(crate) mod denylist;
mod field_format;
mod inflate;
mod judgement;
mod line;
pub(crate) mod record;
pub(crate) mod redaction;
mod refusal;
pub mod response;
mod single;
mod text;
mod timestamp;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;

pub use self::batch::{BatchReader, read_batch};
pub use self::denylist::strip::{StrippedTarget, strip_denied};
pub use self::inflate::{CodingError, ContentCoding, Inflate, UnknownCoding};
pub use self::record::{Field, LogRecord};
pub use self::single::{RecordVerdict, validate_record};
use crate::limits;
#[doc(inline)]
pub use crate::store::{StoreError, StoreErrorKind};

/// Whether a text is the host of a record: a name or an address, with a port or without one.
pub fn is_host(text: &str) -> bool {
    field_format::host(text, &mut String::new()).is_some()
}

/// What a batch is judged by.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rules {
    /// The time of arrival, for all lines of the batch.
    pub now: DateTime<Utc>,
    /// How far a record may be ahead of `now`.
    pub future_skew: TimeDelta,
    /// Bytes of the decoded body.
    pub max_raw_bytes: u64,
    /// Records, accepted or not.
    pub max_records: u64,
    /// Whether the extended list of denied query parameters holds as well.
    pub extended_denylist: bool,
}

impl Rules {
    /// The rules of the contract, as of a time.
    pub fn at(now: DateTime<Utc>) -> Self {
        Self {
            now,
            future_skew: TimeDelta::seconds(limits::FUTURE_SKEW_SECONDS),
            max_raw_bytes: limits::MAX_BATCH_RAW_BYTES,
            max_records: limits::MAX_BATCH_RECORDS,
            extended_denylist: false,
        }
    }
}

/// Why a record is not kept. The first rule that it breaks, in this order.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = RejectionReason))]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It has a field outside the nine.
    FieldNotAllowed,
    /// It lacks one of the nine.
    MissingRequiredField,
    /// A field has the wrong type or form, or appears more than once.
    InvalidField,
    /// No listed agent has this user agent.
    UserAgentNotInAllowlist,
    /// Older than 90 days.
    TimestampTooOld,
    /// Later than now.
    TimestampInFuture,
    /// Longer than 8,192 bytes.
    RequestPathTooLong,
    /// The query has a parameter that may carry a secret or a person's data.
    QueryParameterDenied,
}

impl Reason {
    /// All, in the order in which they are looked for.
    pub const ALL: [Self; 8] = [
        Self::FieldNotAllowed,
        Self::MissingRequiredField,
        Self::InvalidField,
        Self::UserAgentNotInAllowlist,
        Self::TimestampTooOld,
        Self::TimestampInFuture,
        Self::RequestPathTooLong,
        Self::QueryParameterDenied,
    ];

    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FieldNotAllowed => "field_not_allowed",
            Self::MissingRequiredField => "missing_required_field",
            Self::InvalidField => "invalid_field",
            Self::UserAgentNotInAllowlist => "user_agent_not_in_allowlist",
            Self::TimestampTooOld => "timestamp_too_old",
            Self::TimestampInFuture => "timestamp_in_future",
            Self::RequestPathTooLong => "request_path_too_long",
            Self::QueryParameterDenied => "query_parameter_denied",
        }
    }
}

/// One record that is not kept.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct Rejection<'a> {
    /// Its line in the body, from 1, blank lines counted.
    pub line: u64,
    /// The first rule that it breaks.
    pub reason: Reason,
    /// The field that breaks it, at most 64 bytes of its name; never a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<&'a str>,
}

/// Takes the records of a batch, in their order.
pub trait RecordSink {
    /// Takes a record that keeps all rules. Called without an allocation before it.
    ///
    /// # Errors
    ///
    /// When it cannot be kept; the batch ends with [`BatchError::Sink`].
    fn accept(&mut self, record: &LogRecord<'_>) -> Result<(), StoreError>;

    /// Takes a rejection.
    ///
    /// # Errors
    ///
    /// As [`accept`](Self::accept).
    fn reject(&mut self, rejection: &Rejection<'_>) -> Result<(), StoreError>;
}

impl<S: RecordSink + ?Sized> RecordSink for &mut S {
    fn accept(&mut self, record: &LogRecord<'_>) -> Result<(), StoreError> {
        (**self).accept(record)
    }

    fn reject(&mut self, rejection: &Rejection<'_>) -> Result<(), StoreError> {
        (**self).reject(rejection)
    }
}

/// Why a batch as a whole is refused. Nothing of it may be kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// A line is no JSON object; the first such line.
    #[error("line {line}, column {column}: expected {expected}")]
    Malformed {
        /// Line of the decoded body, from 1.
        line: u64,
        /// Byte of the line, from 1.
        column: u64,
        /// What was expected instead.
        expected: String,
    },
    /// The content coding is broken: no gzip, cut short, a wrong checksum, bytes behind its end.
    #[error("the gzip stream is broken: {0}")]
    Coding(CodingError),
    /// No record at all.
    #[error("the batch has no records")]
    Empty,
    /// More bytes after decoding than the rules allow.
    #[error("the body is larger than {limit} bytes after decompression")]
    TooManyBytes {
        /// The limit in bytes.
        limit: u64,
    },
    /// More records than the rules allow.
    #[error("the batch has more than {limit} records")]
    TooManyRecords {
        /// The limit in records.
        limit: u64,
    },
    /// The body could not be read.
    #[error("cannot read the body")]
    Read(#[source] std::io::Error),
    /// The sink could not keep a record.
    #[error("cannot store a record")]
    Sink(#[source] StoreError),
}

#[cfg(test)]
mod tests;
