//! `GET /v1/logs/stats`: counts of a tenant's own records. An extension of the contract, and marked so.

use axum::extract::{Extension, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use chrono::NaiveDate;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::agents::Purpose;
use visibility_core::error::{ErrorCode, Problem};

use crate::access::auth;
use crate::api::openapi::StatsResponses;
use crate::http::connection::{self, DisconnectSignal};
use crate::http::extension_header;
use crate::http::parameter_error::ParameterError;
use crate::http::query_parameters::{QueryParameters, wrong};
use crate::http::response::{self, ApiError};
use crate::ingest::stats::{MAX_TOP, StatsQuery, stats};
use crate::runtime::clock;
use crate::state::{AppState, CountRequest};

/// The parameters that there are.
const KNOWN: [&str; 7] = ["from", "to", "agent", "purpose", "host", "status", "top"];
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
    let question = CountRequest { tenant: &tenant, reads_files: query.reads_files() };
    let counting =
        state.count(question, move |stores, is_stopped| stats(stores, &query, is_stopped));
    // It is waited for as long as the client waits for its answer.
    let counted = connection::while_connected(hang_up.map(|Extension(signal)| signal), counting)
        .await
        .ok_or_else(|| ApiError::from(Problem::new(ErrorCode::InvalidRequest, "stats-left")))??;
    Ok(extension_header::mark(response::ok(&counted), "logs-stats"))
}

/// What the parameters ask for.
fn read(
    tenant: TenantSlug,
    parameters: &[(String, String)],
    today: NaiveDate,
) -> Result<StatsQuery, ApiError> {
    let parameters = QueryParameters::new(parameters, &KNOWN)?;
    let (from, to) = parameters.days(today)?;
    let top = parameters.parsed("top", ParameterError::NotANumber)?.unwrap_or(USUAL_TOP);
    if top > MAX_TOP {
        return Err(wrong("top", ParameterError::TooManyPaths));
    }
    Ok(StatsQuery {
        tenant,
        from,
        to,
        agent: parameters.text("agent").map(str::to_owned),
        purpose: parameters.purpose()?,
        host: parameters.text("host").map(str::to_ascii_lowercase),
        status: parameters.parsed("status", ParameterError::NotAStatus)?,
        top,
    })
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
