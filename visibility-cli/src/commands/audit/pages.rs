//! Audits many pages concurrently and prints the results in the order of the inputs.

use std::sync::Arc;
use std::thread;

use futures_util::{StreamExt, stream};
use tokio::sync::Semaphore;
use tokio::task::{self, JoinError};
use visibility_core::audit::result::AuditResult;
use visibility_core::fetch::http::HttpClient;
use visibility_core::fetch::page_url::PageUrl;

use super::shared::{SharedFetcher, SharedFetches};
use crate::console::progress::ListProgress;
use crate::error::CommandError;
use crate::error::target_error::{TargetError, TargetErrorKind, TargetOutcome};
use crate::run::auditor::Auditor;
use crate::run::page_input::{LocalPage, PageInput, PageSource};
use crate::run::result_buffer::ResultBuffer;

/// Pages that may be done before an earlier one is, for each one that is audited at a time.
const AHEAD: usize = 8;

/// Audits pages from everywhere.
#[derive(Clone, Debug)]
pub(super) struct PageAuditor(Arc<Tools>);

#[derive(Debug)]
struct Tools {
    auditor: Auditor,
    client: Option<HttpClient>,
    shared: SharedFetches,
    /// Visits at a time.
    visits: Semaphore,
    /// Pages judged at a time.
    cores: Semaphore,
    at_once: usize,
}

impl PageAuditor {
    pub(super) fn new(auditor: Auditor, client: Option<HttpClient>, visits: usize) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self(Arc::new(Tools {
            auditor,
            client,
            shared: SharedFetches::default(),
            visits: Semaphore::new(visits),
            cores: Semaphore::new(cores),
            at_once: visits.max(cores),
        }))
    }

    /// Audits pages and hands the results over in order.
    pub(super) async fn audit_all(
        &self,
        pages: Vec<PageInput>,
        finished: &ResultBuffer<AuditResult>,
        progress: &ListProgress,
        mut take: impl FnMut(TargetOutcome<AuditResult>) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        let audits = stream::iter(pages).enumerate().map(|(place, page)| {
            let (visitor, name) = (self.clone(), page.name.clone());
            let (of_task, finished) = (finished.clone(), finished.clone());
            let progress = progress.clone();
            let audit =
                task::spawn(
                    async move { progress.say(of_task.put(place, visitor.audit(page).await)) },
                );
            async move {
                if let Err(error) = audit.await {
                    finished.put(place, TargetOutcome::broken(name, &error));
                }
                place
            }
        });
        let mut audits = std::pin::pin!(audits.buffered(self.0.at_once * AHEAD));
        while let Some(place) = audits.next().await {
            finished.take(place).map_or(Ok(()), &mut take)?;
        }
        Ok(())
    }

    /// Audits one page.
    pub(super) async fn audit(&self, page: PageInput) -> TargetOutcome<AuditResult> {
        let PageInput { name, source } = page;
        match source {
            PageSource::Url(url) => self.audit_remote(name, url).await,
            PageSource::Local(local) => self.audit_local(name, local).await,
            PageSource::Unusable(target_error) => {
                TargetOutcome { subject: name, file: None, outcome: Err(target_error) }
            }
        }
    }

    async fn audit_local(&self, name: String, local: LocalPage) -> TargetOutcome<AuditResult> {
        let (tools, subject) = (Arc::clone(&self.0), name.clone());
        let _core = self.0.cores.acquire().await;
        let audit = task::spawn_blocking(move || tools.auditor.audit_local(subject, local)).await;
        audit.unwrap_or_else(|error| TargetOutcome::broken(name, &error))
    }

    async fn audit_remote(&self, name: String, url: PageUrl) -> TargetOutcome<AuditResult> {
        let outcome = match self.visit(url).await {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(target_error)) => Err(target_error),
            Err(error) => return TargetOutcome::broken(name, &error),
        };
        TargetOutcome { subject: name, file: None, outcome }
    }

    async fn visit(&self, url: PageUrl) -> Result<Result<AuditResult, TargetError>, JoinError> {
        let visit = self.0.visits.acquire().await;
        let Some(client) = &self.0.client else {
            let message = format!("{url} needs a network");
            let target_error =
                TargetError::new(TargetErrorKind::Internal, "INTERNAL_ERROR", message);
            return Ok(Err(target_error));
        };
        let session = client.session();
        let fetch = SharedFetcher { fetch: &session, shared: &self.0.shared };
        let page = match self.0.auditor.visit_with(url, &fetch, &self.0.shared).await {
            Ok(page) => page,
            Err(target_error) => return Ok(Err(target_error)),
        };
        drop(visit);
        let tools = Arc::clone(&self.0);
        let _core = self.0.cores.acquire().await;
        task::spawn_blocking(move || tools.auditor.judge(&page)).await.map(Ok)
    }
}
