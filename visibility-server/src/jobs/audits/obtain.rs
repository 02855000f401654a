//! Gets the result of an audit, charged to a quota.

use std::sync::Arc;

use visibility_core::audit::result::AuditResult;
use visibility_core::audit::snapshot::AuditId;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::text::locale::Lang;

use super::{AuditJobError, AuditService, RenderedView, RequestedPage, RunOutput, TRY_AGAIN, View};
use crate::http::response::ApiError;
use crate::jobs::cache::{CachedBody, CachedResult, Representation};
use crate::jobs::quota::Quota;

/// Where the result for a page came from.
#[derive(Clone, Debug)]
pub(crate) enum AuditAnswer {
    /// It was kept.
    Cached(CachedBody),
    /// Produced by this request, or by the run that it joined.
    Fresh(CachedResult),
    /// Another audit had brought it in the meantime.
    Coalesced(CachedResult),
}

impl AuditService {
    /// The result for a page, charged to a quota: a reused result is free, an audit counts.
    /// It ends when the last caller stops waiting.
    ///
    /// # Errors
    ///
    /// 429; or why the page cannot be audited.
    pub(crate) async fn obtain(
        &self,
        page: &RequestedPage,
        representation: Representation,
        quota: &Quota,
    ) -> Result<AuditAnswer, ApiError> {
        if let Err(problem) = self.check(page) {
            quota.count_request().await?;
            return Err(problem.into());
        }
        if let Some(cached) = self.cached(page, representation).await {
            return Ok(AuditAnswer::Cached(cached));
        }
        quota.count_request().await?;
        let charge = quota.charge().await?;
        match self.audit(page, quota.subject(), charge).await {
            Ok(RunOutput::Fresh(compressed)) => Ok(AuditAnswer::Fresh(compressed)),
            Ok(RunOutput::Coalesced(compressed)) => Ok(AuditAnswer::Coalesced(compressed)),
            Err(error) => Err(api_error(error, quota)),
        }
    }

    /// A view of the result with an id, if there is one.
    ///
    /// # Errors
    ///
    /// When too many are being read.
    pub(crate) async fn find_view(
        &self,
        id: AuditId,
        view: View,
        representation: Representation,
    ) -> Result<Option<RenderedView>, ApiError> {
        self.view(&id.to_string(), view, representation).await.map_err(|_busy| {
            let problem = Problem::new(ErrorCode::ServiceUnavailable, "audits-shown");
            ApiError::from(problem).retry_after(TRY_AGAIN)
        })
    }

    /// A packed result, read.
    pub(crate) fn read(&self, compressed: &CachedBody, lang: Lang) -> Option<Arc<AuditResult>> {
        self.0.parsed.read(compressed, lang)
    }
}

fn api_error(error: AuditJobError, quota: &Quota) -> ApiError {
    match error {
        AuditJobError::Busy => {
            let problem = Problem::new(ErrorCode::ServiceUnavailable, "audits-busy");
            ApiError::from(problem).retry_after(TRY_AGAIN)
        }
        AuditJobError::Host { limit, wait } => quota.host_limit_error(limit, wait),
        AuditJobError::TooManyRunning { limit } => quota.concurrency_error(limit, TRY_AGAIN),
        AuditJobError::NotAllowed(problem) => (*problem).into(),
        AuditJobError::Internal => ApiError::internal(),
    }
}
