//! The parameters of a question in the query of an address.

use chrono::NaiveDate;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::text::locale::Lang;
use visibility_core::text::note::Note;

use super::agents::AgentsQuestion;
use super::errors::ErrorsQuestion;
use super::hosts::HostsQuestion;
use super::page::{DEFAULT_LIMIT, MAX_LIMIT, Page};
use super::selection::{ConflictError, ConflictReason, Selection};
use super::series::{SeriesGroup, SeriesQuestion, SeriesStep};
use super::sources::SourcesQuestion;
use super::summary::SummaryQuestion;
use super::{Question, QuestionKind, known_vendor};
use crate::http::parameter_error::ParameterError;
use crate::http::query_parameters::{QueryParameters, wrong};
use crate::http::response::ApiError;

const DAYS: [&str; 2] = ["from", "to"];
const RECORDS: [&str; 6] = ["agent", "purpose", "vendor", "host", "status", "kind"];
const LIST: [&str; 2] = ["limit", "after"];

/// The question that the parameters ask.
///
/// # Errors
///
/// When one of them is wrong or unknown, and when two cannot be answered together.
pub(crate) fn read(
    kind: QuestionKind,
    (tenant, lang): (TenantSlug, Lang),
    pairs: &[(String, String)],
    today: NaiveDate,
) -> Result<Question, ApiError> {
    let mut known = DAYS.to_vec();
    match kind {
        QuestionKind::Summary => known.extend(RECORDS),
        QuestionKind::Series => known.extend(RECORDS.into_iter().chain(["by", "group"])),
        QuestionKind::Agents => {
            known.extend(RECORDS.into_iter().chain(LIST).chain(["all"]));
        }
        QuestionKind::Hosts | QuestionKind::Errors => {
            known.extend(RECORDS.into_iter().chain(LIST));
        }
        QuestionKind::Sources => known.extend(LIST),
    }
    let parameters = QueryParameters::new(pairs, &known)?;
    let selection = selection(tenant, &parameters, today)?;
    let page = page(&parameters)?;
    let question = match kind {
        QuestionKind::Summary => Question::Summary(SummaryQuestion { selection }),
        QuestionKind::Series => Question::Series(SeriesQuestion {
            selection,
            by: parameters.word("by", ParameterError::NotAStep)?.unwrap_or(SeriesStep::Day),
            group: parameters
                .word("group", ParameterError::NotAGroup)?
                .unwrap_or(SeriesGroup::Purpose),
        }),
        QuestionKind::Agents => Question::Agents(AgentsQuestion {
            selection,
            all: parameters.parsed("all", ParameterError::NotTrueOrFalse)?.unwrap_or_default(),
            page,
            lang,
        }),
        QuestionKind::Hosts => Question::Hosts(HostsQuestion { selection, page }),
        QuestionKind::Errors => Question::Errors(ErrorsQuestion { selection, page }),
        QuestionKind::Sources => {
            let Selection { tenant, from, to, .. } = selection;
            Question::Sources(SourcesQuestion { tenant, from, to, page })
        }
    };
    question.check(today).map_err(conflict)?;
    Ok(question)
}

fn selection(
    tenant: TenantSlug,
    parameters: &QueryParameters<'_>,
    today: NaiveDate,
) -> Result<Selection, ApiError> {
    let (from, to) = parameters.days(today)?;
    let vendor = parameters
        .filled("vendor")?
        .map(|name| known_vendor(name).ok_or_else(|| wrong("vendor", ParameterError::NotAVendor)));
    Ok(Selection {
        agent: parameters.filled("agent")?.map(str::to_owned),
        purpose: parameters.purpose()?,
        vendor: vendor.transpose()?.map(str::to_owned),
        host: parameters.filled("host")?.map(str::to_ascii_lowercase),
        status: parameters.parsed("status", ParameterError::NotAStatusOrClass)?,
        kind: parameters.word("kind", ParameterError::NotAKind)?,
        ..Selection::of_days(tenant, from, to)
    })
}

fn page(parameters: &QueryParameters<'_>) -> Result<Page, ApiError> {
    let limit = parameters.parsed("limit", ParameterError::NotALimit)?.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(wrong("limit", ParameterError::NotALimit));
    }
    let after = parameters.parsed("after", ParameterError::NotAPlace)?;
    Ok(Page { limit, after })
}

fn conflict(error: ConflictError) -> ApiError {
    let [first, second] = error.parameters;
    let reason = Note::new(match error.reason {
        ConflictReason::KindsByClass => "reason-kinds-by-class",
        ConflictReason::HoursByAgent => "reason-hours-by-agent",
        ConflictReason::TooManyHours => "reason-too-many-hours",
        ConflictReason::HoursAreGone => "reason-hours-are-gone",
    });
    Problem::new(ErrorCode::InvalidRequest, "parameters-together")
        .value("first", first)
        .value("second", second)
        .value_note("reason", reason.clone())
        .field(first, reason.clone())
        .field(second, reason)
        .into()
}
