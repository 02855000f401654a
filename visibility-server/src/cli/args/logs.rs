//! The arguments of `logs`.

use chrono::NaiveDate;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::agents::Purpose;

use super::FormatArgs;
use crate::ingest::stats::StatusFilter;

#[derive(Debug, Subcommand)]
pub(crate) enum LogsCommand {
    /// Count records by day, agent, purpose, host, status and path
    #[command(
        after_help = "Example:\n  visibility-server logs stats acme --from 2026-11-01 --purpose user --status 4xx"
    )]
    Stats(StatsArgs),
}

#[derive(Args, Debug)]
pub(crate) struct StatsArgs {
    /// Tenant
    pub(crate) tenant: TenantSlug,
    /// First day (UTC); if missing, 29 days before the last
    #[arg(long, value_name = "DAY")]
    pub(crate) from: Option<NaiveDate>,
    /// Last day (UTC); if missing, today
    #[arg(long, value_name = "DAY")]
    pub(crate) to: Option<NaiveDate>,
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

fn purposes() -> impl TypedValueParser<Value = Purpose> {
    PossibleValuesParser::new(["search", "user", "training", "other"])
        .try_map(|text| serde_json::from_value::<Purpose>(text.into()))
}
