//! The arguments of `visibility logs query`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ServiceArgs;

const AFTER_HELP: &str = "\
Asks a server for what it counted of the logs that were sent to it. The API key, which needs the scope `logs:read`, comes \
from the variable VISIBILITY_KEY or from a file, never from the command line, where others can read it.

Exit codes:
  0    answered
  2    usage error, or the server refused the question
  3    the server was not reached, or cannot answer now
  70   internal error
  130  interrupted

Examples:
  export VISIBILITY_KEY=service_live_...
  visibility logs query summary --server https://visibility.example.com
  visibility logs query series --group vendor --from 2026-11-01 --server https://visibility.example.com
  visibility logs query agents --api-key-file key --server http://127.0.0.1:8080 --format csv -o agents.csv";

/// What a server can be asked.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum QueryQuestion {
    /// The most important numbers, and those of as many days before
    Summary,
    /// Requests day by day or hour by hour
    Series,
    /// Each agent: how often it came, what it got, and whether it still comes
    Agents,
    /// Each host against as many days before, the one that got worst first
    Hosts,
    /// What agents did not get, by agent and status
    Errors,
    /// When batches arrived, when none did, and what was rejected
    Sources,
}

/// Forms of an answer.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum QueryFormat {
    /// For people: tables
    #[default]
    Human,
    /// The JSON of the server
    Json,
    /// The CSV of the server
    Csv,
}

#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct LogQueryArgs {
    /// What to ask
    #[arg(value_enum)]
    pub(crate) question: QueryQuestion,
    #[command(flatten)]
    pub(crate) service: ServiceArgs,
    #[command(flatten)]
    pub(crate) parameters: QueryParameters,
    /// Output format
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: QueryFormat,
    /// Write to this file instead of standard output; it appears when it is complete
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
}

/// The parameters of the question, which the server reads.
#[derive(Args, Debug)]
#[command(next_help_heading = "Question")]
pub(crate) struct QueryParameters {
    /// First day (UTC); if missing, 29 days before the last
    #[arg(long, value_name = "DAY")]
    pub(crate) from: Option<String>,
    /// Last day (UTC); if missing, today
    #[arg(long, value_name = "DAY")]
    pub(crate) to: Option<String>,
    /// Count only this agent
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    /// Count only agents with this purpose: `search`, `user`, `training` or `other`
    #[arg(long)]
    pub(crate) purpose: Option<String>,
    /// Count only agents of this vendor
    #[arg(long)]
    pub(crate) vendor: Option<String>,
    /// Count only this host
    #[arg(long)]
    pub(crate) host: Option<String>,
    /// Count only this status, a class such as `4xx`, or `refused`, `missing` or `failed`
    #[arg(long)]
    pub(crate) status: Option<String>,
    /// Count only paths of this kind, such as `page`
    #[arg(long)]
    pub(crate) kind: Option<String>,
    /// With `series`: length of each step, `day` or `hour`
    #[arg(long)]
    pub(crate) by: Option<String>,
    /// With `series`: what to count separately: `purpose`, `agent`, `vendor`, `host`, `status` or `kind`
    #[arg(long)]
    pub(crate) group: Option<String>,
    /// With `agents`: list every agent whose records are accepted
    #[arg(long)]
    pub(crate) all: bool,
    /// With lists: most rows
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<String>,
    /// With lists: begin after the row that `next` of the JSON names
    #[arg(long, value_name = "NEXT")]
    pub(crate) after: Option<String>,
}
