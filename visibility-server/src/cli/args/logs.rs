//! The arguments of `logs`.

use chrono::NaiveDate;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use serde::de::DeserializeOwned;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::agents::Purpose;

use super::FormatArgs;
use super::traffic::{AgentsArgs, ErrorsArgs, HostsArgs, SeriesArgs, SourcesArgs, SummaryArgs};
use crate::ingest::stats::StatusFilter;

#[derive(Debug, Subcommand)]
pub(crate) enum LogsCommand {
    /// Count records by day, agent, purpose, host, status and path
    #[command(
        after_help = "Example:\n  visibility-server logs stats acme --from 2026-11-01 --purpose user --status 4xx"
    )]
    Stats(StatsArgs),
    /// Show the most important numbers, and those of as many days before
    #[command(after_help = SUMMARY_HELP)]
    Summary(SummaryArgs),
    /// Count requests day by day or hour by hour
    #[command(after_help = SERIES_HELP)]
    Series(SeriesArgs),
    /// Show each agent: how often it came, what it got, and whether it still comes
    #[command(after_help = AGENTS_HELP)]
    Agents(AgentsArgs),
    /// Compare each host with as many days before, the one that got worst first
    #[command(after_help = HOSTS_HELP)]
    Hosts(HostsArgs),
    /// Show what agents did not get, by agent and status
    #[command(after_help = ERRORS_HELP)]
    Errors(ErrorsArgs),
    /// Show when batches arrived, when none did, and what was rejected
    #[command(after_help = SOURCES_HELP)]
    Sources(SourcesArgs),
    /// Count the records of days again, by kind of page and by hour
    #[command(after_help = RECOUNT_HELP)]
    Recount(RecountArgs),
}

const SUMMARY_HELP: &str = "\
Example:
  visibility-server logs summary acme --from 2026-11-01 --to 2026-11-30 --host www.example.com";

const AGENTS_HELP: &str = "\
An agent is `silent` if it came at least 20 times in four weeks and then not for three times its usual gap, and for 24 \
hours; or not for four weeks.

Example:
  visibility-server logs agents acme --vendor OpenAI";

const ERRORS_HELP: &str = "\
Example:
  visibility-server logs errors acme --status missing --purpose user";

const SOURCES_HELP: &str = "\
A gap is a time without a batch of three times the usual length, and of at least an hour.

Example:
  visibility-server logs sources acme";

const HOSTS_HELP: &str = "\
`worse` is how many requests did not come, against the days before, and how many errors came on top. Days that are not \
over are compared with nothing: end with yesterday.

Example:
  visibility-server logs hosts acme --from 2026-11-01 --to 2026-11-30";

const SERIES_HELP: &str = "\
Hours are counted by agent and host: `--by hour` groups by purpose, agent, vendor or host, for at most 31 of the last 95 days.

Examples:
  visibility-server logs series acme --group kind
  visibility-server logs series acme --by hour --from 2026-11-20 --to 2026-11-20";

const RECOUNT_HELP: &str = "\
Reads the records of each day and replaces its counts by kind of page and by hour. A day of which records were deleted \
is refused. The server does this by itself for days that an earlier version has counted.

Example:
  visibility-server logs recount acme --from 2026-11-01 --to 2026-11-30";

/// Days of which records are counted.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct DaysArgs {
    /// First day (UTC); if missing, 29 days before the last
    #[arg(long, value_name = "DAY")]
    pub(crate) from: Option<NaiveDate>,
    /// Last day (UTC); if missing, today
    #[arg(long, value_name = "DAY")]
    pub(crate) to: Option<NaiveDate>,
}

#[derive(Args, Debug)]
pub(crate) struct RecountArgs {
    /// Tenant
    pub(crate) tenant: TenantSlug,
    #[command(flatten)]
    pub(crate) days: DaysArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Args, Debug)]
pub(crate) struct StatsArgs {
    /// Tenant
    pub(crate) tenant: TenantSlug,
    #[command(flatten)]
    pub(crate) days: DaysArgs,
    /// Count only this agent
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    /// Count only agents with this purpose
    #[arg(long, value_parser = purposes())]
    pub(crate) purpose: Option<Purpose>,
    /// Count only this host
    #[arg(long)]
    pub(crate) host: Option<String>,
    /// Count only this status, or a class such as `4xx`
    #[arg(long)]
    pub(crate) status: Option<StatusFilter>,
    /// Number of paths to list
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(0..=1000))]
    pub(crate) top: u16,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

pub(super) fn purposes() -> impl TypedValueParser<Value = Purpose> {
    one_of(["search", "user", "training", "other"])
}

/// Takes one of some words, which are those on the wire.
pub(super) fn one_of<T: DeserializeOwned + Clone + Send + Sync + 'static>(
    words: impl Into<PossibleValuesParser>,
) -> impl TypedValueParser<Value = T> {
    words.into().try_map(|text| serde_json::from_value::<T>(text.into()))
}
