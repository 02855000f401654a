//! The arguments of `audits`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Subcommand, ValueEnum};
use visibility_core::audit::snapshot::AuditId;
use visibility_core::text::locale::Lang;

use super::FormatArgs;

/// Most days that are counted at once: as long as counts are kept by default.
const MAX_DAYS: u16 = 800;

const USAGE_HELP: &str = "\
A service that runs writes its counts every second or so.

Example:
  visibility-server audits usage --days 7 --format json";

#[derive(Debug, Subcommand)]
pub(crate) enum AuditsCommand {
    /// Count audit requests by day and outcome
    #[command(after_help = USAGE_HELP)]
    Usage {
        /// Number of days, including today (UTC)
        #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=i64::from(MAX_DAYS)))]
        days: u16,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Show a stored result
    #[command(
        after_help = "Example:\n  visibility-server audits show aud_4tLqDsd0bWm2rKx9ZfYc1H --lang tr"
    )]
    Show {
        /// Id of the audit
        id: AuditId,
        /// Output format
        #[arg(long, value_enum, default_value_t)]
        format: AuditFormat,
        /// Language of the report
        #[arg(long, default_value = "en", value_parser = languages())]
        lang: Lang,
    },
}

/// Forms of an audit.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum AuditFormat {
    /// Markdown, for people
    #[default]
    Human,
    /// JSON
    Json,
}

fn languages() -> impl TypedValueParser<Value = Lang> {
    PossibleValuesParser::new(Lang::ALL.map(Lang::as_str)).try_map(|text| text.parse::<Lang>())
}
