//! `POST /v1/logs`: takes a batch.

mod admission;
mod head;
mod response;

use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::EXPECT;
use axum::http::request::Parts;
use axum::response::Response;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::limits::MAX_BATCH_WIRE_BYTES;

use self::admission::{Admitted, IncomingBatch};
use crate::api::openapi::{LogBatch, LogsResponses};
use crate::http::response::ApiError;
use crate::ingest::batch::{self, BatchResponse, IngestError, Mode};
use crate::ingest::batch_locks::BatchLock;
use crate::ingest::spool::ReceiveError;
use crate::state::AppState;

/// `POST /v1/logs`.
#[utoipa::path(
    post,
    path = "/v1/logs",
    operation_id = "sendLogs",
    tag = "ingestion",
    description = "One `LogRecord` per line, at most 500,000 records, 50 MiB as sent and 250 MiB \
        decompressed. After a 202 or 207 response the records are on disk. After 429, \
        5xx or no response, send the batch again with the same id.",
    params(
        ("X-Service-Tenant" = String, Header, description = "Tenant of the records; must be the tenant of the token.", pattern = "^[a-z0-9][a-z0-9-]{0,62}$", example = "acme"),
        ("X-Service-Schema" = String, Header, description = "Version of the record schema: `1`.", pattern = "^1$", example = "1"),
        ("X-Service-Mode" = Option<String>, Header, description = "`test` validates the batch without storing it.", pattern = "^test$", example = "test"),
        ("X-Service-Batch-Id" = Option<String>, Header, description = "A UUID with hyphens. A repeated id returns the original response, and \
            nothing is stored again.", format = "uuid", example = "6f1d2c3b-4a59-4687-9b0c-1d2e3f405162"),
        ("Content-Encoding" = Option<String>, Header, description = "`gzip`, also with several members in sequence, or `identity`.", pattern = "^(gzip|x-gzip|identity)?$", example = "gzip")
    ),
    request_body(
        content = inline(LogBatch),
        content_type = "application/x-ndjson",
        description = "One JSON object per line; lines end with LF or CRLF.",
        example = json!(LogBatch::example())
    ),
    responses(LogsResponses)
)]
pub(crate) async fn post(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, ApiError> {
    if state.is_draining() || !state.shared().stores.database_faults().is_empty() {
        return Err(ApiError::unavailable().close_connection());
    }
    let (head, body) = request.into_parts();
    let headers = head.headers.clone();
    let passed = state.blocking(move |state| admission::admit(state, &headers)).await?;
    match passed {
        Admitted::Known(answer) => replay(&state, &head, body, answer.into()).await,
        Admitted::New(arrival) => ingest_new(&state, &head, body, arrival).await,
    }
}

async fn ingest_new(
    state: &AppState,
    head: &Parts,
    body: Body,
    arrival: IncomingBatch,
) -> Result<Response, ApiError> {
    let lock = lock_batch(state, &arrival).await?;
    let arrival =
        match state.blocking(move |state| admission::admit_after_wait(state, arrival)).await? {
            Admitted::Known(answer) => return replay(state, head, body, answer.into()).await,
            Admitted::New(arrival) => arrival,
        };
    let metrics = &state.shared().metrics;
    let in_flight = metrics.in_flight();
    let mut spooled = metrics.spooled();
    let spool = &state.shared().spool;
    let received = spool.receive(body, MAX_BATCH_WIRE_BYTES, &mut spooled).await;
    let body = received.map_err(not_received)?;
    let request = arrival.request;
    let turn = state.batch_turn(&request.key.tenant).await?;
    let answered = state
        .run_batch(move |state| {
            let answered =
                batch::ingest(&request, body, &state.shared().stores).map_err(not_ingested);
            // The next sender of the batch, and the next batch, must not start before.
            drop((lock, turn, in_flight, spooled));
            answered
        })
        .await?;
    response::respond(state, &head.headers, answered).await
}

/// Becomes the one sender of a batch that others may send as well. Tests keep nothing and never meet.
async fn lock_batch(
    state: &AppState,
    arrival: &IncomingBatch,
) -> Result<Option<BatchLock>, ApiError> {
    if !arrival.is_named || arrival.request.mode == Mode::Test {
        return Ok(None);
    }
    let patience = Duration::from_secs(state.shared().settings.timeouts.same_batch);
    let lock = state.shared().batch_locks.acquire(&arrival.request.key, patience).await;
    lock.map(Some).ok_or_else(ApiError::unavailable)
}

/// Answers from the ledger. The body is taken in first, as many senders read only after they have
/// written; one that waits for a `100 Continue` is spared it.
async fn replay(
    state: &AppState,
    head: &Parts,
    body: Body,
    answer: BatchResponse,
) -> Result<Response, ApiError> {
    if !head.headers.contains_key(EXPECT) {
        // Whatever is wrong with the body, the batch is known.
        let _ = state.shared().spool.discard(body, MAX_BATCH_WIRE_BYTES).await;
    }
    response::respond(state, &head.headers, answer).await
}

fn not_received(error: ReceiveError) -> ApiError {
    match error {
        ReceiveError::TooLong { limit } => too_large(limit).close_connection(),
        ReceiveError::TooSlow => {
            ApiError::from(Problem::new(ErrorCode::Timeout, "batch-slow")).close_connection()
        }
        ReceiveError::Broken(_) => {
            ApiError::from(Problem::new(ErrorCode::InvalidRequest, "batch-broken"))
                .close_connection()
        }
        ReceiveError::Disk(source) => {
            tracing::error!(error = &source as &dyn std::error::Error, "cannot write to the spool");
            ApiError::unavailable().close_connection()
        }
    }
}

fn not_ingested(error: IngestError) -> ApiError {
    match error {
        IngestError::Batch(error) => ApiError::from(Problem::from(&error)),
        IngestError::Store(error) => ApiError::store(&error),
    }
}

fn too_large(limit: u64) -> ApiError {
    Problem::new(ErrorCode::PayloadTooLarge, "batch-wire-bytes")
        .value("limit", limit)
        .detail("limit", limit)
        .detail("unit", "octets")
        .into()
}
