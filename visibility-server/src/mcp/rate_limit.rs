//! The rate limit of the MCP server.

use visibility_core::error::{ErrorCode, Problem};

use crate::access::limiter::subject::Subject;
use crate::access::limiter::{LimitError, LimitScope};
use crate::http::rate_limit_fields::RateLimitFields;
use crate::http::response::{ApiError, whole_seconds};
use crate::runtime::clock;
use crate::state::AppState;

const SCOPE: LimitScope = LimitScope::McpMinute;

/// Counts a request, in memory alone unless all nodes count together, and says what is left.
///
/// # Errors
///
/// 429 when the minute is used up.
pub(super) async fn count(
    state: &AppState,
    subject: &Subject,
) -> Result<RateLimitFields, ApiError> {
    let subject = subject.mcp();
    if state.shared().limiter.is_shared() {
        return state.blocking(move |state| admit(state, &subject)).await;
    }
    admit(state, &subject)
}

fn admit(state: &AppState, subject: &Subject) -> Result<RateLimitFields, ApiError> {
    let shared = state.shared();
    let admitted = shared.limiter.admit(shared.stores.state_store(), subject, SCOPE, clock::now);
    match admitted {
        Ok(_) => Ok(fields(state, subject)),
        Err(LimitError::Store(error)) => Err(ApiError::store(&error)),
        Err(LimitError::Reached { scope, limit, wait }) => {
            shared.metrics.rate_limited(scope.into());
            let seconds = whole_seconds(wait);
            let problem = Problem::new(ErrorCode::RateLimited, "mcp-minute")
                .value("limit", limit)
                .value("seconds", seconds)
                .detail("limit", limit)
                .detail("window_seconds", scope.span().num_seconds())
                .detail("retry_after_seconds", seconds);
            let refused = ApiError::from(problem).retry_after(wait);
            Err(refused.rate_limit(fields(state, subject)))
        }
    }
}

fn fields(state: &AppState, subject: &Subject) -> RateLimitFields {
    let shared = state.shared();
    let mut fields = RateLimitFields::default();
    if let Some(left) = shared.limiter.left(subject, SCOPE, clock::now) {
        fields.add("minute", SCOPE.limit(&shared.settings.limits), SCOPE.span(), left);
    }
    fields
}
