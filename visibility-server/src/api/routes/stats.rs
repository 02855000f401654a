//! `GET /v1/logs/stats`: counts of a tenant's own records. An extension of the contract, and marked so.

use std::str::FromStr;

use axum::extract::{Extension, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use chrono::{Days, NaiveDate};
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::agents::Purpose;
use visibility_core::error::{ErrorCode, Problem};

use crate::access::auth;
use crate::api::openapi::StatsResponses;
use crate::http::connection::{self, DisconnectSignal};
use crate::http::extension_header;
use crate::http::parameter_error::ParameterError;
use crate::http::response::{self, ApiError};
use crate::ingest::stats::{MAX_TOP, StatsQuery, stats};
use crate::runtime::clock;
use crate::state::{AppState, Question};

/// Days that are counted if the request names none.
const USUAL_DAYS: u64 = 30;
/// Most days that are counted at once: as long as rollups are kept by default.
const MAX_DAYS: i64 = 800;
/// Paths that are listed if the request does not say how many.
const USUAL_TOP: usize = 10;

/// `GET /v1/logs/stats`.
#[utoipa::path(
    get,
    path = "/v1/logs/stats",
    operation_id = "countLogs",
    tag = "ingestion",
    description = "Counts of the tenant's records, from totals that are updated with each batch. \
        An extension of the contract.",
    params(
        ("X-Service-Tenant" = String, Header, description = "Tenant of the records; must be the tenant of the token.", pattern = "^[a-z0-9][a-z0-9-]{0,62}$", example = "acme"),
        ("from" = Option<String>, Query, description = "First day (UTC); by default 29 days before `to`, at most 800 days before it.", format = Date, example = "2026-11-01"),
        ("to" = Option<String>, Query, description = "Last day (UTC); by default today.", format = Date, example = "2026-11-30"),
        ("agent" = Option<String>, Query, description = "Count only the agent with this id.", example = "openai-gptbot"),
        ("purpose" = inline(Option<Purpose>), Query, description = "Count only agents with this purpose."),
        ("host" = Option<String>, Query, description = "The only host.", example = "www.example.com"),
        ("status" = Option<String>, Query, description = "Count only this status, or a class such as `4xx`.", pattern = "^[1-5]([0-9]{2}|xx)$", example = "4xx"),
        ("top" = Option<u16>, Query, description = "Number of paths to list; by default 10.", maximum = 1000, example = 10)
    ),
    extensions(("x-service-extension" = json!("logs-stats"))),
    responses(StatsResponses)
)]
pub(crate) async fn count(
    State(state): State<AppState>,
    headers: HeaderMap,
    hang_up: Option<Extension<DisconnectSignal>>,
    Query(parameters): Query<Vec<(String, String)>>,
) -> Result<Response, ApiError> {
    let tenant =
        state.blocking(move |state| auth::tenant(&state.shared().stores, &headers)).await?;
    let query = read(tenant, &parameters, clock::now().date_naive())?;
    let tenant = query.tenant.clone();
    let question = Question { tenant: &tenant, reads_files: query.reads_files() };
    let counting =
        state.count(question, move |stores, is_stopped| stats(stores, &query, is_stopped));
    // It is waited for as long as the client waits for its answer.
    let counted = connection::while_connected(hang_up.map(|Extension(signal)| signal), counting)
        .await
        .ok_or_else(|| ApiError::from(Problem::new(ErrorCode::InvalidRequest, "stats-left")))??;
    Ok(extension_header::mark(response::ok(&counted), "logs-stats"))
}

/// The parameters: days from `from` to `to`, `agent`, `purpose`, `host`, `status` and `top`.
fn read(
    tenant: TenantSlug,
    parameters: &[(String, String)],
    today: NaiveDate,
) -> Result<StatsQuery, ApiError> {
    let mut seen: Vec<&str> = Vec::new();
    let mut from = None;
    let mut query = StatsQuery {
        tenant,
        from: today,
        to: today,
        agent: None,
        purpose: None,
        host: None,
        status: None,
        top: USUAL_TOP,
    };
    for (name, value) in parameters {
        if seen.contains(&name.as_str()) {
            return Err(wrong(name, ParameterError::Twice));
        }
        seen.push(name);
        match name.as_str() {
            "from" => from = Some(day(name, value)?),
            "to" => query.to = day(name, value)?,
            "agent" => query.agent = Some(value.clone()),
            "purpose" => query.purpose = Some(purpose(value)?),
            "host" => query.host = Some(value.to_ascii_lowercase()),
            "status" => {
                query.status = Some(parsed(name, value, ParameterError::NotAStatus)?);
            }
            "top" => query.top = parsed(name, value, ParameterError::NotANumber)?,
            // The language of errors, which the envelope reads; counts have none.
            "lang" => {}
            _ => return Err(wrong(name, ParameterError::Unknown)),
        }
    }
    if query.top > MAX_TOP {
        return Err(wrong("top", ParameterError::TooManyPaths));
    }
    query.from = match from {
        Some(from) => from,
        None => query.to.checked_sub_days(Days::new(USUAL_DAYS - 1)).unwrap_or(query.to),
    };
    match (query.to - query.from).num_days() {
        ..0 => Err(wrong("from", ParameterError::AfterTo)),
        0..MAX_DAYS => Ok(query),
        _ => Err(wrong("from", ParameterError::TooManyDays)),
    }
}

fn day(name: &str, value: &str) -> Result<NaiveDate, ApiError> {
    parsed(name, value, ParameterError::NotADay)
}

fn purpose(value: &str) -> Result<Purpose, ApiError> {
    match value {
        "search" => Ok(Purpose::Search),
        "user" => Ok(Purpose::User),
        "training" => Ok(Purpose::Training),
        "other" => Ok(Purpose::Other),
        _ => Err(wrong("purpose", ParameterError::NotAPurpose)),
    }
}

fn parsed<T: FromStr>(name: &str, value: &str, error: ParameterError) -> Result<T, ApiError> {
    value.parse().ok().ok_or_else(|| wrong(name, error))
}

/// Names come from strangers: an unknown one is shown cut off, and its value never.
fn wrong(name: &str, error: ParameterError) -> ApiError {
    let name: String = name.chars().filter(|shown| !shown.is_control()).take(64).collect();
    error.problem_for(&name).field(&name, error.note()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::stats::StatusFilter;

    fn query(text: &str) -> Result<StatsQuery, ApiError> {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        let pairs: Vec<(String, String)> = pairs
            .map(|pair| pair.split_once('=').unwrap())
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        read("acme".parse().unwrap(), &pairs, "2026-03-31".parse().unwrap())
    }

    #[test]
    fn without_parameters_the_last_thirty_days_are_counted() {
        let query = query("").unwrap();
        assert_eq!(
            (query.from.to_string(), query.to.to_string()),
            ("2026-03-02".into(), "2026-03-31".into())
        );
        assert_eq!(query.top, 10);
    }

    #[test]
    fn all_parameters_are_understood() {
        let text = "from=2026-01-01&to=2026-01-31&agent=openai-gptbot&purpose=training&host=Www.Example.com&status=4xx&top=0";
        let query = query(text).unwrap();
        assert_eq!(
            (query.from.to_string(), query.to.to_string()),
            ("2026-01-01".into(), "2026-01-31".into())
        );
        assert_eq!(query.agent.as_deref(), Some("openai-gptbot"));
        assert_eq!(query.purpose, Some(Purpose::Training));
        assert_eq!(query.host.as_deref(), Some("www.example.com"));
        assert_eq!(query.status, Some(StatusFilter::Class(4)));
        assert_eq!(query.top, 0);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for text in [
            "from=yesterday",
            "from=2026-02-30",
            "to=",
            "from=2026-02-01&to=2026-01-31",
            "from=2020-01-01",
            "from=-262143-01-01&to=+262142-12-31",
            "status=600",
            "status=6xx",
            "top=-1",
            "top=1001",
            "top=99999999999999999999",
            "purpose=fun",
            "top=1&top=1",
            "group=day",
        ] {
            assert!(query(text).is_err(), "{text}");
        }
    }
}
