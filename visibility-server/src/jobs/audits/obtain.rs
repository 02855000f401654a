//! Gets the result of an audit, charged to a quota.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;
use visibility_core::audit::result::AuditResult;
use visibility_core::audit::snapshot::AuditId;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::text::locale::Lang;

use super::running::lease_name;
use super::{
    AuditJobError, AuditOutcome, AuditService, RenderedView, RequestedPage, RunOutput, TRY_AGAIN,
    View,
};
use crate::http::response::ApiError;
use crate::jobs::cache::pages::RenderedPages;
use crate::jobs::cache::{CachedBody, CachedResult, Representation};
use crate::jobs::lease;
use crate::jobs::quota::Quota;
use crate::jobs::single_flight::SharedRun;

/// After how long other nodes learn that an audit runs: most are over by then.
const ANNOUNCED_AFTER: Duration = Duration::from_secs(2);

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

/// An audit that goes on by itself.
#[derive(Debug)]
pub(crate) enum BegunAudit {
    /// There is a result, with this id.
    Done(Arc<str>),
    /// It runs.
    Running {
        /// The id that its result will have.
        id: AuditId,
        /// How it ends: with the id of its result. It goes on if no one waits for that.
        end: JoinHandle<Result<Arc<str>, ApiError>>,
    },
}

/// What is known of an audit that has no result.
#[derive(Debug)]
pub(crate) enum AuditProgress {
    /// It runs, here or on another node.
    Running,
    /// It failed on this node a moment ago.
    Failed(ApiError),
    /// There is none.
    None,
}

impl RunOutput {
    /// The id of the result.
    fn id(&self) -> Arc<str> {
        let (Self::Fresh(result) | Self::Coalesced(result)) = self;
        Arc::clone(&result.en.tag)
    }
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
        if let Some(cached) = self.admit(page, representation, quota).await? {
            return Ok(AuditAnswer::Cached(cached));
        }
        let charge = quota.charge().await?;
        let ended = match self.audit(page, quota.subject(), charge) {
            Ok(run) => run.await,
            Err(error) => Err(error),
        };
        match ended {
            Ok(RunOutput::Fresh(compressed)) => Ok(AuditAnswer::Fresh(compressed)),
            Ok(RunOutput::Coalesced(compressed)) => Ok(AuditAnswer::Coalesced(compressed)),
            Err(error) => Err(api_error(error, quota)),
        }
    }

    /// The result that can be reused for a page. Without one, the request is counted.
    async fn admit(
        &self,
        page: &RequestedPage,
        representation: Representation,
        quota: &Quota,
    ) -> Result<Option<CachedBody>, ApiError> {
        if let Err(problem) = self.check(page) {
            quota.count_request().await?;
            return Err(problem.into());
        }
        let cached = self.cached(page, representation).await;
        if cached.is_none() {
            quota.count_request().await?;
        }
        Ok(cached)
    }

    /// Starts the audit of a page, or joins the one that runs. It goes on when its caller has left.
    ///
    /// # Errors
    ///
    /// 429; or why the page is not audited.
    pub(crate) async fn begin(
        &self,
        page: &RequestedPage,
        representation: Representation,
        quota: Quota,
    ) -> Result<BegunAudit, ApiError> {
        if let Some(cached) = self.admit(page, representation, &quota).await? {
            return Ok(BegunAudit::Done(cached.tag));
        }
        let charge = quota.charge().await?;
        let run = self.audit(page, quota.subject(), charge);
        let run = run.map_err(|error| api_error(error, &quota))?;
        let Some(id) = self.0.running.id_of(page) else {
            // The one that was joined has just ended.
            let ended = run.await.map_err(|error| api_error(error, &quota))?;
            return Ok(BegunAudit::Done(ended.id()));
        };
        let audits = self.clone();
        Ok(BegunAudit::Running {
            id,
            end: tokio::spawn(async move { audits.watch(id, run, &quota).await }),
        })
    }

    /// Waits for the end of an audit that others ask after by its id.
    async fn watch(
        &self,
        id: AuditId,
        run: SharedRun<AuditOutcome>,
        quota: &Quota,
    ) -> Result<Arc<str>, ApiError> {
        if timeout(ANNOUNCED_AFTER, run.clone()).await.is_err() {
            let (running, stores) = (Arc::clone(&self.0.running), Arc::clone(&self.0.stores));
            // If it fails, only other nodes do not know that the audit runs, and that is in the log.
            drop(spawn_blocking(move || running.announce(&stores, id)).await);
        }
        run.await.map(|ended| ended.id()).map_err(|error| {
            let error = api_error(error, quota);
            self.0.failures.note(id, error.clone());
            error
        })
    }

    /// What is known of an audit that has no result.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) async fn progress(&self, id: AuditId) -> Result<AuditProgress, ApiError> {
        if self.0.running.contains(id) {
            return Ok(AuditProgress::Running);
        }
        if let Some(error) = self.0.failures.find(&id) {
            return Ok(AuditProgress::Failed(error));
        }
        let is_elsewhere = lease::is_held(&self.0.stores, lease_name(id)).await?;
        Ok(if is_elsewhere { AuditProgress::Running } else { AuditProgress::None })
    }

    /// Pages of results that are the same for everyone.
    pub(crate) fn pages(&self) -> &RenderedPages {
        &self.0.pages
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
