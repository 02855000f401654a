//! The arguments of `visibility logs`.

use std::path::PathBuf;

use chrono::{DateTime, Utc};
use clap::{Args, Subcommand, ValueEnum};

const AFTER_HELP: &str = "\
A record is one JSON object on one line. Gzip is detected from the first bytes. The server uses the \
same code, so its verdicts are the same. Values of records are never shown, only line numbers, reasons \
and field names.

Exit codes:
  0    all records would be accepted
  2    usage error, unreadable file, or a batch that the server would refuse as a whole
  5    some records would be rejected
  70   internal error
  130  interrupted

Examples:
  visibility logs validate access.ndjson.gz
  zcat access.ndjson.gz | visibility logs validate -
  visibility logs validate access.ndjson --format junit -o logs.xml
  visibility logs validate last-week.ndjson --now 2026-01-31T00:00:00Z --format json";

#[derive(Debug, Subcommand)]
pub(crate) enum LogsCommand {
    /// Check a batch of log records as the server would, without sending it
    Validate(ValidateArgs),
}

/// Forms of a verdict on a batch.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum BatchFormat {
    /// For people: counts, reasons, and what to do
    #[default]
    Human,
    /// The response of the server, with every rejection
    Json,
    /// JUnit XML, for CI systems
    Junit,
}

#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ValidateArgs {
    /// File of log records, plain or gzip; standard input if missing or `-`
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: BatchFormat,
    /// Write to this file instead of standard output; it appears when it is complete
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Show no progress
    #[arg(long, help_heading = "Output")]
    pub(crate) no_progress: bool,
    /// Judge as of this time, such as `2026-01-31T00:00:00Z`, instead of now
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Rules")]
    pub(crate) now: Option<DateTime<Utc>>,
    /// How far the timestamp of a record may be ahead of that time
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = visibility_core::limits::FUTURE_SKEW_SECONDS,
        value_parser = clap::value_parser!(i64).range(0..=86_400),
        help_heading = "Rules"
    )]
    pub(crate) future_skew: i64,
    /// Also reject query parameters that are often, but not always, personal
    #[arg(long, help_heading = "Rules")]
    pub(crate) extended_denylist: bool,
}

/// A time of RFC 3339, in any zone.
pub(super) fn time(text: &str) -> Result<DateTime<Utc>, String> {
    DateTime::parse_from_rfc3339(text)
        .map(|time| time.to_utc())
        .map_err(|error| format!("{error}; a time looks like 2026-01-31T00:00:00Z"))
}
