//! The arguments of `visibility logs`.

use std::path::PathBuf;

use chrono::{DateTime, Utc};
use clap::{Args, Subcommand, ValueEnum};

const AFTER_HELP: &str = "\
A record is one JSON object on one line. Plain text and gzip are told apart by their first bytes. \
The verdicts are those of the ingestion endpoint: the same code judges there. Values of records are \
never shown, only lines, reasons and names of fields.

Exit codes:
  0    all records would be accepted
  2    usage, an unreadable file, or a batch that is refused as a whole
  5    some records would be rejected
  70   internal fault
  130  interrupted

Examples:
  visibility logs validate access.ndjson.gz
  zcat access.ndjson.gz | visibility logs validate -
  visibility logs validate access.ndjson --format junit -o logs.xml
  visibility logs validate last-week.ndjson --now 2026-01-31T00:00:00Z --format json";

#[derive(Debug, Subcommand)]
pub(crate) enum LogsCommand {
    /// Judges a batch of log records as the ingestion endpoint would, and sends nothing anywhere
    Validate(ValidateArgs),
}

/// Forms of a verdict on a batch.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum BatchFormat {
    /// For people: counts, reasons, and what to do
    #[default]
    Human,
    /// What the endpoint would answer, every rejection included
    Json,
    /// For the test panels of CI systems
    Junit,
}

#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ValidateArgs {
    /// A file of log records, plain or gzip; `-`, or nothing, is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Form of the result
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: BatchFormat,
    /// Writes to this file instead of standard output; it appears when it is whole
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Shows no progress
    #[arg(long, help_heading = "Output")]
    pub(crate) no_progress: bool,
    /// Judges as of this time, such as `2026-01-31T00:00:00Z`, and not as of now
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Rules")]
    pub(crate) now: Option<DateTime<Utc>>,
    /// How far a record may be ahead of that time
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = visibility_core::limits::FUTURE_SKEW_SECONDS,
        value_parser = clap::value_parser!(i64).range(0..=86_400),
        help_heading = "Rules"
    )]
    pub(crate) future_skew: i64,
    /// Also refuses query parameters that are often, but not always, personal
    #[arg(long, help_heading = "Rules")]
    pub(crate) extended_denylist: bool,
}

/// A time of RFC 3339, in any zone.
pub(super) fn time(text: &str) -> Result<DateTime<Utc>, String> {
    DateTime::parse_from_rfc3339(text)
        .map(|time| time.to_utc())
        .map_err(|error| format!("{error}; a time looks like 2026-01-31T00:00:00Z"))
}
