//! `GET /api/v1/logs/...`: questions about the agents that came. Extensions of the contract, and marked so.

mod parameters;

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, LINK, VARY};
use axum::response::Response;
use url::form_urlencoded::{self, Serializer};
use visibility_core::accounts::scope::Scope;
use visibility_core::error::{ErrorCode, Problem};

use self::parameters::{AgentsList, List, RecordSelection, SeriesSpans, Span};
use crate::access::auth::key;
use crate::api::openapi::{
    AgentsResponses, ErrorsResponses, HostsResponses, SeriesResponses, SourcesResponses,
    SummaryResponses,
};
use crate::http::connection::{self, DisconnectSignal};
use crate::http::response::ApiError;
use crate::http::{accept, extension_header, language};
use crate::runtime::clock;
use crate::state::{self, AppState};
use crate::traffic::answer_file::{AnswerFile, AnswerFileFormat};
use crate::traffic::{self, QuestionKind};

/// The end of a path whose answer is CSV.
const CSV_SUFFIX: &str = ".csv";
const JSON: &str = "application/json";
const CSV: &str = "text/csv";

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
    respond(state, peer, request, QuestionKind::Summary).await
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
    respond(state, peer, request, QuestionKind::Series).await
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
    respond(state, peer, request, QuestionKind::Agents).await
}

/// `GET /api/v1/logs/hosts`.
#[utoipa::path(
    get,
    path = "/api/v1/logs/hosts",
    operation_id = "compareTrafficByHost",
    tag = "logs",
    description = "Each host on some days and on as many days before them, the one that got worst first: by the requests \
        that did not come and the errors that came on top. Without two whole periods nothing is compared, and the host \
        with the most errors is the first. An extension of the contract.",
    params(RecordSelection, List),
    extensions(("x-service-extension" = json!("traffic"))),
    responses(HostsResponses)
)]
pub(crate) async fn hosts(
    state: State<AppState>,
    peer: ConnectInfo<SocketAddr>,
    request: Request,
) -> Result<Response, ApiError> {
    respond(state, peer, request, QuestionKind::Hosts).await
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
    respond(state, peer, request, QuestionKind::Errors).await
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
    respond(state, peer, request, QuestionKind::Sources).await
}

async fn respond(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
    kind: QuestionKind,
) -> Result<Response, ApiError> {
    let asked = (request.headers(), request.extensions());
    let principal = key::principal(&state.shared().auth, asked, peer, Scope::LogsRead).await?;
    let now = clock::now();
    let query = request.uri().query().unwrap_or_default();
    let pairs: Vec<(String, String)> =
        form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let about = (principal.tenant.clone(), language::from_query(request.uri()));
    let question = traffic::parameters::read(kind, about, &pairs, now.date_naive())?;
    let format = if wants_csv(&request) { AnswerFileFormat::Csv } else { AnswerFileFormat::Json };
    let headers = request.headers().clone();
    let hang_up = request.extensions().get::<DisconnectSignal>().cloned();
    let turn = state::CountRequest { tenant: &principal.tenant, reads_files: false };
    let counting = state.count(turn, move |stores, _is_stopped| {
        AnswerFile::of(stores, &question, format, (&headers, now))
    });
    // It is waited for as long as the client waits for its answer.
    let answered = connection::while_connected(hang_up, counting)
        .await
        .ok_or_else(|| ApiError::from(Problem::new(ErrorCode::InvalidRequest, "stats-left")))??;
    Ok(extension_header::mark(respond_with(answered, &pairs), "traffic"))
}

fn wants_csv(request: &Request) -> bool {
    request.uri().path().ends_with(CSV_SUFFIX)
        || accept::preferred(request.headers(), &[JSON, CSV]) == Some(CSV)
}

/// The answer, which the client may keep if it asks each time whether it is still the same.
fn respond_with(file: AnswerFile, pairs: &[(String, String)]) -> Response {
    let next =
        file.next.as_deref().map(|next| format!("<?{}>; rel=\"next\"", next_query(pairs, next)));
    let mut response = file.response();
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(VARY, HeaderValue::from_static("accept, authorization"));
    headers.extend(next.and_then(|link| HeaderValue::try_from(link).ok()).map(|link| (LINK, link)));
    response
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
