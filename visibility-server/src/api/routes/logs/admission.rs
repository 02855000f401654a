//! Checks of a batch request before its body is read, in the documented order.

use std::time::Duration;

use axum::http::HeaderMap;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;
use visibility_core::accounts::tenant::{BatchKey, TenantSlug};
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::ingest::Rules;
use visibility_core::limits::MAX_BATCH_WIRE_BYTES;
use visibility_core::store::{Ledger, StoredResponse};

use super::head;
use super::too_large;
use crate::access::auth;
use crate::access::limiter::subject::Subject;
use crate::access::limiter::{LimitError, LimitScope};
use crate::http::response::ApiError;
use crate::ingest::batch::{BatchRequest, Mode};
use crate::runtime::clock;
use crate::state::AppState;

/// After how long a sender may ask again whether the clock is right.
const CLOCK_WAIT: Duration = Duration::from_mins(1);

/// What became of a request at the gate.
#[derive(Debug)]
pub(super) enum Admitted {
    /// Its batch was answered before.
    Known(StoredResponse),
    /// Its body is to be read.
    New(IncomingBatch),
}

/// A batch whose body is to be read.
#[derive(Debug)]
pub(super) struct IncomingBatch {
    pub(super) request: BatchRequest,
    /// Whether the sender chose the id of the batch.
    pub(super) is_named: bool,
}

/// Decides by the head of a request. Blocks.
///
/// # Errors
///
/// The first refusal that holds.
pub(super) fn admit(state: &AppState, headers: &HeaderMap) -> Result<Admitted, ApiError> {
    let now = clock::now();
    let state_store = state.shared().stores.state_store();
    let tenant = auth::tenant(&state.shared().stores, headers)?;
    let subject = Subject::from(&tenant);
    state
        .shared()
        .limiter
        .admit(state_store, &subject, LimitScope::Burst, clock::now)
        .map_err(|error| limited(state, error))?;
    let batch_id = head::batch_id(headers)?;
    if let Some(batch_id) = batch_id
        && !head::is_test(headers)
    {
        let key = BatchKey { tenant: tenant.clone(), batch_id };
        if let Some(answer) = state_store.response(&key).map_err(|error| ApiError::store(&error))? {
            return Ok(Admitted::Known(answer));
        }
    }
    if !head::is_test(headers) {
        refuse_wrong_clock(state, now)?;
    }
    state
        .shared()
        .limiter
        .check(state_store, &subject, LimitScope::Hour, clock::now)
        .map_err(|error| limited(state, error))?;
    if head::content_length(headers).is_some_and(|length| length > MAX_BATCH_WIRE_BYTES) {
        return Err(too_large(MAX_BATCH_WIRE_BYTES));
    }
    Ok(Admitted::New(incoming_batch(state, headers, tenant, (batch_id, now))?))
}

/// Refuses new batches for now while the clock is known to be wrong: their records would be rejected for good, as if they
/// came from the future, or from long ago.
fn refuse_wrong_clock(state: &AppState, now: DateTime<Utc>) -> Result<(), ApiError> {
    let off = state.shared().stores.clock_too_far_off(now);
    let Some(ahead) = off.map_err(|error| ApiError::store(&error))? else { return Ok(()) };
    if ahead < TimeDelta::zero() {
        tracing::warn!(
            seconds = -ahead.num_seconds(),
            "the clock is behind the newest time in the database; new batches are \
                refused until it is set or you run `visibility-server clock accept`"
        );
    } else {
        tracing::warn!(
            seconds_ahead = ahead.num_seconds(),
            "the clock has jumped ahead; new batches are refused until it is set or you run \
                `visibility-server clock accept`"
        );
    }
    Err(ApiError::unavailable().retry_after(CLOCK_WAIT))
}

fn incoming_batch(
    state: &AppState,
    headers: &HeaderMap,
    tenant: TenantSlug,
    (batch_id, now): (Option<Uuid>, DateTime<Utc>),
) -> Result<IncomingBatch, ApiError> {
    let (coding, mode) = head::coding_and_mode(headers)?;
    let future_skew = TimeDelta::seconds(state.shared().settings.limits.future_skew.into());
    let is_named = batch_id.is_some();
    let key = BatchKey { tenant, batch_id: batch_id.unwrap_or_else(Uuid::now_v7) };
    let mut rules = Rules::at(now);
    rules.future_skew = future_skew;
    Ok(IncomingBatch { request: BatchRequest { key, coding, rules, mode }, is_named })
}

/// Looks again after other senders of the batch have ended, and counts the request for the hour, as its
/// body is read now. Blocks.
///
/// # Errors
///
/// When the hour is used up, or a store fails.
pub(super) fn admit_after_wait(
    state: &AppState,
    arrival: IncomingBatch,
) -> Result<Admitted, ApiError> {
    let state_store = state.shared().stores.state_store();
    let BatchRequest { key, mode, .. } = &arrival.request;
    if arrival.is_named
        && *mode == Mode::Ingest
        && let Some(answer) = state_store.response(key).map_err(|error| ApiError::store(&error))?
    {
        return Ok(Admitted::Known(answer));
    }
    state
        .shared()
        .limiter
        .admit(state_store, &Subject::from(&key.tenant), LimitScope::Hour, clock::now)
        .map_err(|error| limited(state, error))?;
    Ok(Admitted::New(arrival))
}

fn limited(state: &AppState, error: LimitError) -> ApiError {
    let (scope, limit, wait) = match error {
        LimitError::Reached { scope, limit, wait } => (scope, limit, wait),
        LimitError::Store(error) => return ApiError::store(&error),
    };
    state.shared().metrics.rate_limited(scope.into());
    let id = match scope {
        LimitScope::Burst => "batch-burst",
        _ => "batch-hour",
    };
    let problem = Problem::new(ErrorCode::RateLimited, id)
        .value("limit", limit)
        .detail("scope", scope.name())
        .detail("limit", limit);
    ApiError::from(problem).retry_after(wait)
}
