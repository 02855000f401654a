//! Questions about the AI agents that came, answered from the sums that are stored with each batch.
//!
//! One file for each question. All doors ask here: the routes, both command lines and the tools for agents.

pub mod agents;
pub(crate) mod answer_file;
pub(crate) mod csv;
mod directory;
pub mod errors;
pub mod hosts;
pub(crate) mod kinds;
pub mod page;
pub(crate) mod parameters;
pub mod period;
pub mod selection;
pub mod series;
pub mod sources;
pub mod summary;
pub(crate) mod table;

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use serde::Serialize;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

pub(crate) use self::directory::AgentDirectory;
pub use self::directory::known_vendor;
use crate::stores::Stores;

/// A question about the records of a tenant.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Question {
    /// The most important numbers.
    Summary(summary::SummaryQuestion),
    /// Requests by time.
    Series(series::SeriesQuestion),
    /// Each agent.
    Agents(agents::AgentsQuestion),
    /// Each host against the days before.
    Hosts(hosts::HostsQuestion),
    /// What agents did not get.
    Errors(errors::ErrorsQuestion),
    /// Whether the logs are complete.
    Sources(sources::SourcesQuestion),
}

/// The answer to a question.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// The most important numbers.
    Summary(summary::Summary),
    /// Requests by time.
    Series(series::Series),
    /// Each agent.
    Agents(agents::Agents),
    /// Each host against the days before.
    Hosts(hosts::Hosts),
    /// What agents did not get.
    Errors(errors::Errors),
    /// Whether the logs are complete.
    Sources(sources::LogSources),
}

/// Which question it is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum QuestionKind {
    Summary,
    Series,
    Agents,
    Hosts,
    Errors,
    Sources,
}

impl QuestionKind {
    /// All of them.
    pub(crate) const ALL: [Self; 6] =
        [Self::Summary, Self::Series, Self::Agents, Self::Hosts, Self::Errors, Self::Sources];

    /// Its name in addresses.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Series => "series",
            Self::Agents => "agents",
            Self::Hosts => "hosts",
            Self::Errors => "errors",
            Self::Sources => "sources",
        }
    }
}

impl Question {
    /// Which question it is.
    pub(crate) fn kind(&self) -> QuestionKind {
        match self {
            Self::Summary(_) => QuestionKind::Summary,
            Self::Series(_) => QuestionKind::Series,
            Self::Agents(_) => QuestionKind::Agents,
            Self::Hosts(_) => QuestionKind::Hosts,
            Self::Errors(_) => QuestionKind::Errors,
            Self::Sources(_) => QuestionKind::Sources,
        }
    }

    /// Whose records it is about.
    pub fn tenant(&self) -> &TenantSlug {
        match self {
            Self::Summary(question) => &question.selection.tenant,
            Self::Series(question) => &question.selection.tenant,
            Self::Agents(question) => &question.selection.tenant,
            Self::Hosts(question) => &question.selection.tenant,
            Self::Errors(question) => &question.selection.tenant,
            Self::Sources(question) => &question.tenant,
        }
    }

    /// First and last day.
    pub(crate) fn days(&self) -> (NaiveDate, NaiveDate) {
        let selection = match self {
            Self::Summary(question) => &question.selection,
            Self::Series(question) => &question.selection,
            Self::Agents(question) => &question.selection,
            Self::Hosts(question) => &question.selection,
            Self::Errors(question) => &question.selection,
            Self::Sources(question) => return (question.from, question.to),
        };
        (selection.from, selection.to)
    }

    /// Refuses what the stored counts cannot say.
    ///
    /// # Errors
    ///
    /// Names the two parameters that cannot be answered together.
    pub fn check(&self, today: NaiveDate) -> Result<(), selection::ConflictError> {
        match self {
            Self::Summary(question) => question.check(),
            Self::Series(question) => question.check(today),
            Self::Agents(question) => question.check(),
            Self::Hosts(question) => question.check(),
            Self::Errors(question) => question.check(),
            Self::Sources(_) => Ok(()),
        }
    }
}

impl Answer {
    /// The answer as JSON: the same bytes at all doors.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn json(&self) -> Result<Vec<u8>, StoreError> {
        serde_json::to_vec(self).map_err(|error| StoreError::unchanged("write JSON", error))
    }

    /// Where the next part of a list begins, if there is one.
    pub fn next(&self) -> Option<&str> {
        match self {
            Self::Summary(_) | Self::Series(_) => None,
            Self::Agents(answer) => answer.next.as_deref(),
            Self::Hosts(answer) => answer.next.as_deref(),
            Self::Errors(answer) => answer.next.as_deref(),
            Self::Sources(answer) => answer.next.as_deref(),
        }
    }
}

/// Answers a question.
///
/// # Errors
///
/// When the database cannot be read.
pub fn answer(
    stores: &Stores,
    question: &Question,
    now: DateTime<Utc>,
) -> Result<Answer, StoreError> {
    Ok(match question {
        Question::Summary(question) => {
            Answer::Summary(summary::summary(stores, question, now.date_naive())?)
        }
        Question::Series(question) => Answer::Series(series::series(stores, question)?),
        Question::Agents(question) => Answer::Agents(agents::agents(stores, question, now)?),
        Question::Hosts(question) => {
            Answer::Hosts(hosts::hosts(stores, question, now.date_naive())?)
        }
        Question::Errors(question) => Answer::Errors(errors::errors(stores, question)?),
        Question::Sources(question) => Answer::Sources(sources::sources(stores, question, now)?),
    })
}

/// A time such as `2026-11-01T15:00:00Z`.
fn instant(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn optional_instant(time: Option<DateTime<Utc>>) -> Option<String> {
    time.map(instant)
}
