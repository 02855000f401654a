//! The result of an audit for somebody with a quota, and why there is none.

use std::sync::Arc;

use visibility_core::audit::result::AuditResult;
use visibility_core::audit::snapshot::AuditId;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::text::locale::Lang;

use super::{AuditFailure, Audits, Outcome, Page, TRY_AGAIN, View, Viewed};
use crate::http::response::ApiError;
use crate::jobs::cache::{Form, Kept, Packed};
use crate::jobs::quota::Quota;

/// How somebody who asked for the result of a page got it.
#[derive(Clone, Debug)]
pub(crate) enum Obtained {
    /// It was kept.
    Kept(Kept),
    /// It was told for the first time.
    First(Packed),
    /// Another audit had brought it in the meantime.
    Meanwhile(Packed),
}

impl Audits {
    /// The result of a page for somebody with a quota: one that stands in costs nothing, an audit counts.
    /// It ends when nobody waits any more.
    ///
    /// # Errors
    ///
    /// 429; or why the page cannot be audited.
    pub(crate) async fn obtain(
        &self,
        page: &Page,
        form: Form,
        quota: &Quota,
    ) -> Result<Obtained, ApiError> {
        if let Err(problem) = self.check(page) {
            quota.count_request().await?;
            return Err(problem.into());
        }
        if let Some(kept) = self.kept(page, form).await {
            return Ok(Obtained::Kept(kept));
        }
        quota.count_request().await?;
        let counted = quota.count_work().await?;
        match self.audit(page, quota.subject(), counted).await {
            Ok(Outcome::First(packed)) => Ok(Obtained::First(packed)),
            Ok(Outcome::Meanwhile(packed)) => Ok(Obtained::Meanwhile(packed)),
            Err(failure) => Err(refusal(failure, quota)),
        }
    }

    /// A view of the result with an id, if there is one.
    ///
    /// # Errors
    ///
    /// When too many are being read.
    pub(crate) async fn shown(
        &self,
        id: AuditId,
        view: View,
        form: Form,
    ) -> Result<Option<Viewed>, ApiError> {
        self.view(&id.to_string(), view, form).await.map_err(|_busy| {
            let problem = Problem::new(ErrorCode::ServiceUnavailable, "audits-shown");
            ApiError::from(problem).retry_after(TRY_AGAIN)
        })
    }

    /// A packed result, read.
    pub(crate) fn read(&self, packed: &Kept, lang: Lang) -> Option<Arc<AuditResult>> {
        self.0.parsed.read(packed, lang)
    }
}

fn refusal(failure: AuditFailure, quota: &Quota) -> ApiError {
    match failure {
        AuditFailure::Busy => {
            let problem = Problem::new(ErrorCode::ServiceUnavailable, "audits-busy");
            ApiError::from(problem).retry_after(TRY_AGAIN)
        }
        AuditFailure::Host { limit, wait } => quota.refuse_host(limit, wait),
        AuditFailure::AtOnce { limit } => quota.refuse_running(limit, TRY_AGAIN),
        AuditFailure::NotAllowed(problem) => (*problem).into(),
        AuditFailure::Fault => ApiError::internal(),
    }
}
