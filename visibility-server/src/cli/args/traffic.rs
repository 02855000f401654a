//! The arguments of questions about the agents that came.

use clap::Args;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::agents::Purpose;
use visibility_core::traffic::PathKind;

use super::logs::{DaysArgs, one_of, purposes};
use crate::traffic::page::Cursor;
use crate::traffic::selection::StatusSelection;
use crate::traffic::series::{SeriesGroup, SeriesStep};

/// Which records a question is about.
#[derive(Args, Clone, Debug)]
pub(crate) struct SelectionArgs {
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
    /// Count only agents of this vendor
    #[arg(long)]
    pub(crate) vendor: Option<String>,
    /// Count only this host
    #[arg(long)]
    pub(crate) host: Option<String>,
    /// Count only this status, a class such as `4xx`, or `refused`, `missing` or `failed`
    #[arg(long)]
    pub(crate) status: Option<StatusSelection>,
    /// Count only paths of this kind
    #[arg(
        long,
        value_parser = one_of::<PathKind>(PathKind::ALL.map(PathKind::as_str))
    )]
    pub(crate) kind: Option<PathKind>,
}

/// A part of a list.
#[derive(Args, Clone, Debug)]
pub(crate) struct PageArgs {
    /// Most rows
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
    /// Begin after the row that `next` of the JSON names
    #[arg(long, value_name = "NEXT")]
    pub(crate) after: Option<Cursor>,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct AnswerFormatArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: AnswerFormat,
}

/// How an answer is printed.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, clap::ValueEnum)]
pub(crate) enum AnswerFormat {
    /// A table for people.
    #[default]
    Human,
    /// The JSON of the API.
    Json,
    /// The CSV of the API.
    Csv,
}

#[derive(Args, Debug)]
pub(crate) struct SummaryArgs {
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) format: AnswerFormatArgs,
}

#[derive(Args, Debug)]
pub(crate) struct SeriesArgs {
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    /// Length of each step
    #[arg(long, default_value = "day", value_parser = one_of::<SeriesStep>(["day", "hour"]))]
    pub(crate) by: SeriesStep,
    /// What to count separately
    #[arg(
        long,
        default_value = "purpose",
        value_parser = one_of::<SeriesGroup>(["purpose", "agent", "vendor", "host", "status", "kind"])
    )]
    pub(crate) group: SeriesGroup,
    #[command(flatten)]
    pub(crate) format: AnswerFormatArgs,
}

#[derive(Args, Debug)]
pub(crate) struct AgentsArgs {
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    /// List every agent whose records are accepted, not only those of the access matrix and those that came
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) page: PageArgs,
    #[command(flatten)]
    pub(crate) format: AnswerFormatArgs,
}

#[derive(Args, Debug)]
pub(crate) struct HostsArgs {
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) page: PageArgs,
    #[command(flatten)]
    pub(crate) format: AnswerFormatArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ErrorsArgs {
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) page: PageArgs,
    #[command(flatten)]
    pub(crate) format: AnswerFormatArgs,
}

#[derive(Args, Debug)]
pub(crate) struct SourcesArgs {
    /// Tenant
    pub(crate) tenant: TenantSlug,
    #[command(flatten)]
    pub(crate) days: DaysArgs,
    #[command(flatten)]
    pub(crate) page: PageArgs,
    #[command(flatten)]
    pub(crate) format: AnswerFormatArgs,
}
