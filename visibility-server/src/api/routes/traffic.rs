//! `GET /api/v1/logs/...`: questions about the agents that came. Extensions of the contract, and marked so.

mod parameters;

use std::net::SocketAddr;

use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, ETAG, LINK, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use chrono::{DateTime, Utc};
use url::form_urlencoded::{self, Serializer};
use visibility_core::accounts::scope::Scope;
use visibility_core::error::{ErrorCode, Problem};

use self::parameters::{AgentsList, List, RecordSelection, SeriesSpans, Span};
use crate::access::auth::key;
use crate::api::openapi::{
    AgentsResponses, ErrorsResponses, SeriesResponses, SourcesResponses, SummaryResponses,
};
use crate::http::connection::{self, DisconnectSignal};
use crate::http::response::ApiError;
use crate::http::{accept, extension_header, language, validators};
use crate::ingest::stats::StatsError;
use crate::runtime::clock;
use crate::state::{self, AppState};
use crate::stores::Stores;
use crate::traffic::{self, Question};

/// The end of a path whose answer is CSV.
const CSV_SUFFIX: &str = ".csv";
const JSON: &str = "application/json";
const CSV: &str = "text/csv";

/// Which question a route answers.
#[derive(Clone, Copy, Debug)]
enum RouteQuestion {
    Summary,
    Series,
    Agents,
    Errors,
    Sources,
}

/// `GET /api/v1/logs/summary`.
#[utoipa::path(
    get,
    path = "/api/v1/logs/summary",
    operation_id = "summarizeTraffic",
    tag = "logs",
    description = "The most important numbers of some days and of as many days before them. `whole` says whether a \
        period can be compared. An extension of the contract.",
    params(RecordSelection),
    extensions(("x-service-extension" = json!("traffic"))),
    responses(SummaryResponses)
)]
pub(crate) async fn summary(
    state: State<AppState>,
    peer: ConnectInfo<SocketAddr>,
    request: Request,
) -> Result<Response, ApiError> {
    respond(state, peer, request, RouteQuestion::Summary).await
}

/// `GET /api/v1/logs/series`.
#[utoipa::path(
    get,
    path = "/api/v1/logs/series",
    operation_id = "countTrafficByTime",
    tag = "logs",
    description = "Requests day by day or hour by hour, each group for itself: at most 40 groups, and the rest as \
        `(other)`. By hour, requests are grouped by purpose, agent, vendor or host, for at most 31 of the last 95 days. \
        An extension of the contract.",
    params(RecordSelection, SeriesSpans),
    extensions(("x-service-extension" = json!("traffic"))),
    responses(SeriesResponses)
)]
pub(crate) async fn series(
    state: State<AppState>,
    peer: ConnectInfo<SocketAddr>,
    request: Request,
) -> Result<Response, ApiError> {
    respond(state, peer, request, RouteQuestion::Series).await
}

/// `GET /api/v1/logs/agents`.
#[utoipa::path(
    get,
    path = "/api/v1/logs/agents",
    operation_id = "listTrafficByAgent",
    tag = "logs",
    description = "Each agent of the access matrix and each other one that came: how often, what it got, and whether it \
        still comes. An agent is `silent` if it came at least 20 times in four weeks and then not for three times its \
        usual gap, and for 24 hours; or not for four weeks. An extension of the contract.",
    params(RecordSelection, AgentsList, List),
    extensions(("x-service-extension" = json!("traffic"))),
    responses(AgentsResponses)
)]
pub(crate) async fn agents(
    state: State<AppState>,
    peer: ConnectInfo<SocketAddr>,
    request: Request,
) -> Result<Response, ApiError> {
    respond(state, peer, request, RouteQuestion::Agents).await
}

/// `GET /api/v1/logs/errors`.
#[utoipa::path(
    get,
    path = "/api/v1/logs/errors",
    operation_id = "listTrafficErrors",
    tag = "logs",
    description = "Requests with a status from 400, by agent and status. An extension of the contract.",
    params(RecordSelection, List),
    extensions(("x-service-extension" = json!("traffic"))),
    responses(ErrorsResponses)
)]
pub(crate) async fn errors(
    state: State<AppState>,
    peer: ConnectInfo<SocketAddr>,
    request: Request,
) -> Result<Response, ApiError> {
    respond(state, peer, request, RouteQuestion::Errors).await
}

/// `GET /api/v1/logs/sources`.
#[utoipa::path(
    get,
    path = "/api/v1/logs/sources",
    operation_id = "checkLogSources",
    tag = "logs",
    description = "Whether the logs are complete: the last batch, times without one of three times the usual length and \
        at least an hour, and rejected lines by reason. An extension of the contract.",
    params(Span, List),
    extensions(("x-service-extension" = json!("traffic"))),
    responses(SourcesResponses)
)]
pub(crate) async fn sources(
    state: State<AppState>,
    peer: ConnectInfo<SocketAddr>,
    request: Request,
) -> Result<Response, ApiError> {
    respond(state, peer, request, RouteQuestion::Sources).await
}

async fn respond(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
    route: RouteQuestion,
) -> Result<Response, ApiError> {
    let asked = (request.headers(), request.extensions());
    let principal = key::principal(&state.shared().auth, asked, peer, Scope::LogsRead).await?;
    let now = clock::now();
    let query = request.uri().query().unwrap_or_default();
    let pairs: Vec<(String, String)> =
        form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let about = (principal.tenant.clone(), language::from_query(request.uri()));
    let question = parameters::read(route, about, &pairs, now.date_naive())?;
    let wanted = WantedAnswer {
        is_csv: wants_csv(&request),
        headers: request.headers().clone(),
        question,
        now,
    };
    let hang_up = request.extensions().get::<DisconnectSignal>().cloned();
    let turn = state::CountRequest { tenant: &principal.tenant, reads_files: false };
    let counting = state.count(turn, move |stores, _is_stopped| wanted.answer(stores));
    // It is waited for as long as the client waits for its answer.
    let answered = connection::while_connected(hang_up, counting)
        .await
        .ok_or_else(|| ApiError::from(Problem::new(ErrorCode::InvalidRequest, "stats-left")))??;
    Ok(extension_header::mark(answered.response(route, &pairs), "traffic"))
}

fn wants_csv(request: &Request) -> bool {
    request.uri().path().ends_with(CSV_SUFFIX)
        || accept::preferred(request.headers(), &[JSON, CSV]) == Some(CSV)
}

/// What a client wants to have answered.
struct WantedAnswer {
    question: Question,
    is_csv: bool,
    headers: HeaderMap,
    now: DateTime<Utc>,
}

/// An answer before it has its headers.
struct Answered {
    etag: HeaderValue,
    is_csv: bool,
    /// None if the client has it already.
    body: Option<Bytes>,
    next: Option<String>,
    file_name: String,
}

impl WantedAnswer {
    fn answer(self, stores: &Stores) -> Result<Answered, StatsError> {
        let Self { question, is_csv, headers, now } = self;
        let etag = etag(stores, &question, is_csv, now)?;
        let (from, to) = question.days();
        let file_name = format!("{}-{from}-{to}", question.tenant());
        if validators::matches_etag(&headers, &etag) {
            return Ok(Answered { etag, is_csv, body: None, next: None, file_name });
        }
        let answer = traffic::answer(stores, &question, now)?;
        let body = if is_csv { answer.csv()? } else { answer.json()? };
        let next = answer.next().map(str::to_owned);
        Ok(Answered { etag, is_csv, body: Some(body.into()), next, file_name })
    }
}

/// A validator that is found without the answer: while the counts of the tenant are the same, the hour, and this program, so
/// is the answer.
fn etag(
    stores: &Stores,
    question: &Question,
    is_csv: bool,
    now: DateTime<Utc>,
) -> Result<HeaderValue, StatsError> {
    let counts = stores.state_store().counts_version(question.tenant())?;
    let hour = now.timestamp().div_euclid(3600);
    let program = env!("CARGO_PKG_VERSION");
    let all = format!("{question:?} {is_csv} {counts:?} {hour} {program}");
    Ok(validators::etag(all.as_bytes()))
}

impl Answered {
    fn response(self, route: RouteQuestion, pairs: &[(String, String)]) -> Response {
        let Self { etag, is_csv, body, next, file_name } = self;
        let is_known = body.is_none();
        let mut response = Response::new(Body::from(body.unwrap_or_default()));
        let headers = response.headers_mut();
        headers.insert(ETAG, etag);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        headers.insert(VARY, HeaderValue::from_static("accept, authorization"));
        let link = next.map(|next| format!("<?{}>; rel=\"next\"", next_query(pairs, &next)));
        headers.extend(
            link.and_then(|link| HeaderValue::try_from(link).ok()).map(|link| (LINK, link)),
        );
        if is_known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
        let kind = if is_csv { "text/csv; charset=utf-8; header=present" } else { JSON };
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        if is_csv {
            let name = format!("attachment; filename=\"{file_name}-{}.csv\"", route.name());
            headers
                .extend(HeaderValue::try_from(name).ok().map(|name| (CONTENT_DISPOSITION, name)));
        }
        response
    }
}

impl RouteQuestion {
    fn name(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Series => "series",
            Self::Agents => "agents",
            Self::Errors => "errors",
            Self::Sources => "sources",
        }
    }
}

/// The query of the next part of a list. A reference of a query alone is right whatever the address is.
fn next_query(pairs: &[(String, String)], next: &str) -> String {
    let others = pairs.iter().filter(|(name, _value)| name != "after");
    let mut query = Serializer::new(String::new());
    query.extend_pairs(others).append_pair("after", next).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_part_is_asked_for_as_this_one_was() {
        let pairs = [("host", "a&b.example"), ("after", "9.x"), ("limit", "2")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(next_query(&pairs, "3.é"), "host=a%26b.example&limit=2&after=3.%C3%A9");
    }
}
