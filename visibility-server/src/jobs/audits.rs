//! The audits of the public API: one at a time for each page, some at a time in all. A result is
//! reused for its page for ten minutes, and is found by its id for weeks.

mod obtain;
mod page;
mod render;
mod results;
mod running;

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, SubsecRound as _, Utc};
use futures_util::FutureExt as _;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use visibility_core::audit::request::AuditRequest;
use visibility_core::audit::result::AuditResult;
use visibility_core::audit::snapshot::{AuditId, PageSnapshot};
use visibility_core::audit::visit::VisitError;
use visibility_core::error::Problem;
use visibility_core::fetch::FetchError;

pub(crate) use self::obtain::{AuditAnswer, AuditProgress, BegunAudit};
pub(crate) use self::page::RequestedPage;
pub(crate) use self::render::{RenderedView, View};
use self::results::AuditCache;
use self::running::{AuditRun, RunningAudits};
use crate::access::limiter::concurrency::{ConcurrencyLimit, ConcurrencyPermit};
use crate::access::limiter::pending_admission::PendingAdmission;
use crate::access::limiter::subject::Subject;
use crate::access::limiter::{LimitError, Limiter};
use crate::fetch::{FetchClientError, FetchThreads, Sites, user_agent};
use crate::http::response::ApiError;
use crate::jobs::audit_usage::{AuditUsage, UsageEvent};
use crate::jobs::cache::pages::RenderedPages;
use crate::jobs::cache::parsed::ParsedCache;
use crate::jobs::cache::{CachedBody, CachedResult, Representation};
use crate::jobs::failures::RecentFailures;
use crate::jobs::quota::QuotaCharge;
use crate::jobs::single_flight::{SharedRun, SingleFlight};
use crate::runtime::bounded_semaphore::BoundedSemaphore;
use crate::runtime::random;
use crate::settings::Settings;
use crate::stores::Stores;
use crate::telemetry::metrics::Metrics;

/// Time beyond the deadline of an audit until its visit is ended from outside.
const GRACE: Duration = Duration::from_secs(2);
/// The part of the memory that results take which are read already.
const PARSED_PART: u64 = 8;
/// After how long to ask again when too many audits run.
const TRY_AGAIN: Duration = Duration::from_secs(5);

/// Results that are read from the database and shown at the same time.
const SHOWN: usize = 4;
/// Results that wait for that; more are refused.
const SHOWN_LATER: usize = 64;

/// How an audit ended, for all who waited for it.
type AuditOutcome = Result<RunOutput, AuditJobError>;

/// Result of an audit run.
#[derive(Clone, Debug)]
enum RunOutput {
    /// Produced by this run.
    Fresh(CachedResult),
    /// A result that another audit had brought in the meantime.
    Coalesced(CachedResult),
}

/// Why an audit came to no result.
#[derive(Clone, Debug)]
pub(crate) enum AuditJobError {
    /// Too many audits run and wait.
    Busy,
    /// The pages of the host were audited too often.
    Host {
        /// How often they may be.
        limit: u32,
        /// When they may be again.
        wait: Duration,
    },
    /// Enough audits for the address run and wait.
    TooManyRunning {
        /// How many may.
        limit: u32,
    },
    /// The page may not be asked for.
    NotAllowed(Box<Problem>),
    /// Our fault.
    Internal,
}

/// The audits of the service. Cheap to clone.
#[derive(Clone)]
pub(crate) struct AuditService(Arc<Inner>);

struct Inner {
    threads: Arc<FetchThreads>,
    sites: Sites,
    user_agent: String,
    concurrency: ConcurrencyLimit,
    semaphore: BoundedSemaphore,
    view_semaphore: BoundedSemaphore,
    /// For the turn of an audit.
    patience: Duration,
    /// For the visit.
    deadline: Duration,
    runs: SingleFlight<RequestedPage, AuditOutcome>,
    running: Arc<RunningAudits>,
    failures: RecentFailures<AuditId, ApiError>,
    results: Arc<AuditCache>,
    parsed: ParsedCache<AuditResult>,
    pages: RenderedPages,
    limiter: Arc<Limiter>,
    stores: Arc<Stores>,
    metrics: Arc<Metrics>,
    usage: AuditUsage,
}

impl AuditService {
    /// The audits of a service with these settings.
    ///
    /// # Errors
    ///
    /// When the settings about fetching cannot be used.
    pub(crate) fn new(
        settings: &Settings,
        threads: &Arc<FetchThreads>,
        limiter: &Arc<Limiter>,
        stores: &Arc<Stores>,
        metrics: &Arc<Metrics>,
    ) -> Result<Self, FetchClientError> {
        let user_agent = user_agent(settings);
        let deadline = Duration::from_secs(settings.timeouts.audit);
        let memory = settings.audits.memory.saturating_mul(1024 * 1024);
        let parsed = memory / PARSED_PART;
        Ok(Self(Arc::new(Inner {
            threads: Arc::clone(threads),
            sites: Sites::new(settings, &user_agent, deadline)?,
            user_agent,
            concurrency: ConcurrencyLimit::new(settings.limits.audits_at_once),
            semaphore: BoundedSemaphore::new(settings.limits.audits, settings.limits.audit_queue),
            view_semaphore: BoundedSemaphore::new(SHOWN, SHOWN_LATER),
            patience: Duration::from_secs(settings.timeouts.audit_queue),
            deadline,
            runs: SingleFlight::default(),
            running: Arc::default(),
            failures: RecentFailures::default(),
            results: Arc::new(AuditCache::new(&settings.audits, memory - parsed, stores, metrics)),
            parsed: ParsedCache::new(parsed),
            pages: RenderedPages::default(),
            limiter: Arc::clone(limiter),
            stores: Arc::clone(stores),
            metrics: Arc::clone(metrics),
            usage: AuditUsage::new(stores, metrics),
        })))
    }

    /// The counts of audit requests.
    pub(crate) fn usage(&self) -> &AuditUsage {
        &self.0.usage
    }

    /// Refuses a page that is not audited here.
    ///
    /// # Errors
    ///
    /// When the operator has excluded its host, or that is our own; when its address or its port alone
    /// says that it may not be asked for. It is counted.
    pub(crate) fn check(&self, page: &RequestedPage) -> Result<(), Problem> {
        let Err(problem) = self.0.sites.check_page(page.url()) else { return Ok(()) };
        self.0.usage.count(UsageEvent::NotAllowed);
        Err(problem.detail("url", page.url().as_str()))
    }

    /// The cached result that can be reused for a page.
    async fn cached(
        &self,
        page: &RequestedPage,
        representation: Representation,
    ) -> Option<CachedBody> {
        let found = match self.0.results.page_in_memory(page.name(), representation) {
            Some(cached) => Some(cached),
            None => self.cached_in_database(page, representation).await,
        };
        if found.is_some() {
            self.0.usage.count(UsageEvent::Cached);
        }
        found
    }

    async fn cached_in_database(
        &self,
        page: &RequestedPage,
        representation: Representation,
    ) -> Option<CachedBody> {
        let (results, name) = (Arc::clone(&self.0.results), page.name().to_owned());
        let found = spawn_blocking(move || results.page_in_database(&name, representation)).await;
        found.ok().flatten()
    }

    /// A view of the result with an id, if there is one.
    ///
    /// # Errors
    ///
    /// [`AuditJobError::Busy`] when too many are being read.
    async fn view(
        &self,
        id: &str,
        view: View,
        representation: Representation,
    ) -> Result<Option<RenderedView>, AuditJobError> {
        if let Some(found) = self.0.results.view_in_memory(id, view, representation) {
            return Ok(Some(found));
        }
        let permit = self.0.view_semaphore.acquire().await.ok_or(AuditJobError::Busy)?;
        let (results, id) = (Arc::clone(&self.0.results), id.to_owned());
        let found = spawn_blocking(move || {
            let _permit = permit;
            results.view_in_database(&id, view, representation)
        });
        Ok(found.await.unwrap_or_else(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "cannot show an audit");
            None
        }))
    }

    /// Audits a page, or joins the audit of it that runs. It ends when the last caller
    /// stops waiting.
    ///
    /// What was counted for it is spent if a visit takes place that would not have without this wish.
    fn audit(
        &self,
        page: &RequestedPage,
        subject: &Subject,
        charge: QuotaCharge,
    ) -> Result<SharedRun<AuditOutcome>, AuditJobError> {
        let mut is_own = false;
        let run = self.0.runs.try_join(page, || {
            is_own = true;
            let place = self.0.concurrency.acquire(subject);
            let place = place.map_err(|limit| AuditJobError::TooManyRunning { limit })?;
            let id = new_id()?;
            let own = self.0.running.begin(id, page.clone());
            let (inner, page) = (Arc::clone(&self.0), page.clone());
            Ok(async move { inner.run(page, own, place, charge).await }.boxed())
        })?;
        if !is_own {
            self.0.usage.count(UsageEvent::Shared);
        }
        Ok(run)
    }
}

impl fmt::Debug for AuditService {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Audits")
            .field("user_agent", &self.0.user_agent)
            .finish_non_exhaustive()
    }
}

impl Inner {
    /// An audit with an end that is counted, whatever happens to it.
    async fn run(
        self: Arc<Self>,
        page: RequestedPage,
        own: AuditRun,
        place: ConcurrencyPermit,
        mut charge: QuotaCharge,
    ) -> AuditOutcome {
        // Re-check the cache: another run may have filled it after the caller's lookup.
        if let Some(compressed) = self.results.page_in_all_languages(page.name()) {
            return Ok(RunOutput::Coalesced(compressed));
        }
        let mut end = EndMetric { usage: &self.usage, event: Some(UsageEvent::Abandoned) };
        let outcome = catch_panic(self.audit(page, own, place, &mut charge)).await;
        if matches!(outcome, Err(AuditJobError::Internal)) {
            charge.refund();
        }
        // Those that took place count by their status. Who shares a refusal has counted as one who shares.
        end.event = match &outcome {
            Ok(_) | Err(AuditJobError::TooManyRunning { .. }) => None,
            Err(AuditJobError::Host { .. }) => Some(UsageEvent::RefusedHost),
            Err(AuditJobError::Busy) => Some(UsageEvent::Busy),
            Err(AuditJobError::NotAllowed(_)) => Some(UsageEvent::NotAllowed),
            Err(AuditJobError::Internal) => Some(UsageEvent::Internal),
        };
        outcome
    }

    async fn audit(
        &self,
        page: RequestedPage,
        own: AuditRun,
        place: ConcurrencyPermit,
        charge: &mut QuotaCharge,
    ) -> AuditOutcome {
        let admission = self.admit_host(page.host()).await?;
        let permit = (self.acquire_permit().await.ok_or(AuditJobError::Busy)?, place);
        let request = self.request(&page, own.id());
        if let Some(admission) = admission {
            admission.commit();
        }
        charge.commit();
        let running = self.metrics.audits().in_flight();
        let started = Instant::now();
        let visit = visit(self.sites.clone(), request, self.deadline + GRACE);
        // The permit moves along: an abandoned visit may still have a page to finish.
        let visited = self.threads.run(async move { (visit.await, permit, running) }).await;
        let (snapshot, permit, _running) = visited.map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "an audit panicked");
            AuditJobError::Internal
        })?;
        let snapshot = snapshot.map_err(|error| not_allowed(&page, &error))?;
        let outcome = self.evaluate(snapshot, page, permit, own).await;
        self.metrics.audits().observe_duration(started.elapsed());
        outcome
    }

    /// Counts an audit of the pages of a host, which is taken back unless it takes place.
    async fn admit_host(&self, host: Subject) -> Result<Option<PendingAdmission>, AuditJobError> {
        let (limiter, stores) = (Arc::clone(&self.limiter), Arc::clone(&self.stores));
        let admit = move || limiter.admit_pending(&stores, host, crate::runtime::clock::now);
        let admitted = if self.limiter.is_shared() {
            spawn_blocking(admit).await.map_err(|error| {
                tracing::error!(error = &error as &dyn std::error::Error, "cannot count an audit");
                AuditJobError::Internal
            })?
        } else {
            admit()
        };
        admitted.map_err(|error| match error {
            LimitError::Reached { limit, wait, .. } => AuditJobError::Host { limit, wait },
            LimitError::Store(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "cannot count an audit");
                AuditJobError::Busy
            }
        })
    }

    async fn acquire_permit(&self) -> Option<OwnedSemaphorePermit> {
        let _waiting = self.metrics.audits().waiting();
        timeout(self.patience, self.semaphore.acquire()).await.ok().flatten()
    }

    fn request(&self, page: &RequestedPage, id: AuditId) -> AuditRequest {
        AuditRequest {
            id,
            url: page.url().clone(),
            // The time that the result states, so that it is not reused for longer than that.
            taken_at: crate::runtime::clock::now().trunc_subsecs(0),
            user_agent: self.user_agent.clone(),
            profile: page.profile(),
        }
    }

    /// Evaluates and renders off the serving threads, to the end even if no caller waits.
    async fn evaluate(
        &self,
        snapshot: PageSnapshot,
        page: RequestedPage,
        permit: (OwnedSemaphorePermit, ConcurrencyPermit),
        own: AuditRun,
    ) -> AuditOutcome {
        let results = Arc::clone(&self.results);
        let judged = spawn_blocking(move || {
            let _permit = permit;
            let rendered = render::render(&snapshot, &page)?;
            Ok::<_, std::io::Error>((rendered.status, results.store(rendered.stored, own)))
        })
        .await
        .map_err(std::io::Error::other)
        .flatten();
        let (status, compressed) = judged.map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "an audit failed");
            AuditJobError::Internal
        })?;
        self.usage.count(UsageEvent::Audited(status));
        Ok(RunOutput::Fresh(compressed))
    }
}

/// An id that cannot be guessed.
fn new_id() -> Result<AuditId, AuditJobError> {
    random::audit_id().map_err(|error| {
        tracing::error!(error = &error as &dyn std::error::Error, "the system has no randomness");
        AuditJobError::Internal
    })
}

/// Asks for a page and what belongs to it.
async fn visit(
    sites: Sites,
    request: AuditRequest,
    deadline: Duration,
) -> Result<PageSnapshot, VisitError> {
    let session = sites.session();
    let visiting = visibility_core::audit::visit(session.as_ref(), &request);
    let visited = timeout(deadline, visiting).await;
    visited.unwrap_or_else(|_elapsed| Ok(timed_out_snapshot(&request)))
}

/// What is seen of a page that took all the time there was.
fn timed_out_snapshot(request: &AuditRequest) -> PageSnapshot {
    PageSnapshot::new(request, Err(FetchError::Deadline))
}

fn not_allowed(page: &RequestedPage, error: &VisitError) -> AuditJobError {
    let problem = Problem::from(error).detail("url", page.url().as_str());
    AuditJobError::NotAllowed(Box::new(problem))
}

/// Turns a panic into an error: waiters must get an error, not a panic.
async fn catch_panic(audit: impl Future<Output = AuditOutcome>) -> AuditOutcome {
    AssertUnwindSafe(audit).catch_unwind().await.unwrap_or_else(|_panic| {
        tracing::error!("an audit panicked");
        Err(AuditJobError::Internal)
    })
}

/// Counts the end of an audit when it is dropped.
struct EndMetric<'a> {
    usage: &'a AuditUsage,
    event: Option<UsageEvent>,
}

impl Drop for EndMetric<'_> {
    fn drop(&mut self) {
        if let Some(event) = self.event {
            self.usage.count(event);
        }
    }
}

/// When a result was produced, and until when it is reused for its page.
pub(crate) fn fresh_until(created_at: DateTime<Utc>) -> DateTime<Utc> {
    let span = chrono::TimeDelta::from_std(visibility_core::limits::AUDIT_FRESH_FOR);
    created_at + span.unwrap_or_default()
}
