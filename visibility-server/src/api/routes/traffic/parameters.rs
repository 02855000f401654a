//! The parameters of questions about the agents that came.

use chrono::NaiveDate;
use utoipa::IntoParams;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::agents::Purpose;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::text::locale::Lang;
use visibility_core::text::note::Note;
use visibility_core::traffic::PathKind;

use super::RouteQuestion;
use crate::api::parameters::{QueryParameters, wrong};
use crate::http::parameter_error::ParameterError;
use crate::http::response::ApiError;
use crate::traffic::agents::AgentsQuestion;
use crate::traffic::errors::ErrorsQuestion;
use crate::traffic::page::{DEFAULT_LIMIT, MAX_LIMIT, Page};
use crate::traffic::selection::{ConflictError, ConflictReason, Selection};
use crate::traffic::series::{SeriesGroup, SeriesQuestion, SeriesStep};
use crate::traffic::sources::SourcesQuestion;
use crate::traffic::summary::SummaryQuestion;
use crate::traffic::{Question, known_vendor};

const DAYS: [&str; 2] = ["from", "to"];
const RECORDS: [&str; 6] = ["agent", "purpose", "vendor", "host", "status", "kind"];
const LIST: [&str; 2] = ["limit", "after"];

/// Which records are counted.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameters that are read below")]
pub(super) struct RecordSelection {
    /// First day (UTC); by default 29 days before `to`, at most 800 days before it.
    #[param(format = Date, example = "2026-11-01")]
    from: Option<String>,
    /// Last day (UTC); by default today.
    #[param(format = Date, example = "2026-11-30")]
    to: Option<String>,
    /// Count only the agent with this id.
    #[param(min_length = 1, example = "openai-gptbot")]
    agent: Option<String>,
    /// Count only agents with this purpose.
    #[param(inline)]
    purpose: Option<Purpose>,
    /// Count only agents of this vendor, in any case.
    #[param(min_length = 1, example = "OpenAI")]
    vendor: Option<String>,
    /// Count only this host. One without records has zeros.
    #[param(min_length = 1, example = "www.example.com")]
    host: Option<String>,
    /// Count only this status, a class such as `4xx`, or `refused` (401, 403, 406, 429, 451), `missing` (404, 410) or
    /// `failed` (5xx).
    #[param(pattern = "^([1-5]([0-9]{2}|xx)|refused|missing|failed)$", example = "missing")]
    status: Option<String>,
    /// Count only paths of this kind. It cannot be combined with a single status.
    #[param(inline)]
    kind: Option<PathKind>,
}

/// When batches arrived.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameters that are read below")]
pub(super) struct Span {
    /// First day (UTC) on which batches arrived; by default 29 days before `to`, at most 800 days before it.
    #[param(format = Date, example = "2026-11-01")]
    from: Option<String>,
    /// Last day (UTC); by default today.
    #[param(format = Date, example = "2026-11-30")]
    to: Option<String>,
}

/// What is counted separately.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameters that are read below")]
pub(super) struct SeriesSpans {
    /// Length of each step; by default `day`.
    #[param(inline)]
    by: Option<SeriesStep>,
    /// What makes requests a group; by default `purpose`.
    #[param(inline)]
    group: Option<SeriesGroup>,
}

/// Which agents are listed.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameters that are read below")]
pub(super) struct AgentsList {
    /// Whether to list every agent whose records are accepted, not only those of the access matrix and those that came.
    all: Option<bool>,
    /// Language of notes and errors; English for any other value.
    #[param(inline)]
    lang: Option<Lang>,
}

/// A part of a list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameters that are read below")]
pub(super) struct List {
    /// Most rows; by default 100.
    #[param(minimum = 1, maximum = 1000, example = 100)]
    limit: Option<u16>,
    /// `next` of the part before.
    #[param(example = "12.openai-gptbot")]
    after: Option<String>,
}

/// The question that the parameters ask.
pub(super) fn read(
    route: RouteQuestion,
    (tenant, lang): (TenantSlug, Lang),
    pairs: &[(String, String)],
    today: NaiveDate,
) -> Result<Question, ApiError> {
    let mut known = DAYS.to_vec();
    match route {
        RouteQuestion::Summary => known.extend(RECORDS),
        RouteQuestion::Series => known.extend(RECORDS.into_iter().chain(["by", "group"])),
        RouteQuestion::Agents => {
            known.extend(RECORDS.into_iter().chain(LIST).chain(["all"]));
        }
        RouteQuestion::Errors => known.extend(RECORDS.into_iter().chain(LIST)),
        RouteQuestion::Sources => known.extend(LIST),
    }
    let parameters = QueryParameters::new(pairs, &known)?;
    let selection = selection(tenant, &parameters, today)?;
    let page = page(&parameters)?;
    let question = match route {
        RouteQuestion::Summary => Question::Summary(SummaryQuestion { selection }),
        RouteQuestion::Series => Question::Series(SeriesQuestion {
            selection,
            by: parameters.word("by", ParameterError::NotAStep)?.unwrap_or(SeriesStep::Day),
            group: parameters
                .word("group", ParameterError::NotAGroup)?
                .unwrap_or(SeriesGroup::Purpose),
        }),
        RouteQuestion::Agents => Question::Agents(AgentsQuestion {
            selection,
            all: parameters.parsed("all", ParameterError::NotTrueOrFalse)?.unwrap_or_default(),
            page,
            lang,
        }),
        RouteQuestion::Errors => Question::Errors(ErrorsQuestion { selection, page }),
        RouteQuestion::Sources => {
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
