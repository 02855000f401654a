//! The audits of the public API: one at a time for each page, some at a time in all. A result stands in for
//! another audit of its page for ten minutes, and is found by its id for weeks.

mod obtain;
mod page;
mod render;
mod results;
mod usage;

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, SubsecRound as _, Utc};
use futures_util::FutureExt as _;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use visibility_core::audit::result::AuditResult;
use visibility_core::audit::snapshot::{Asked, PageSnapshot, SitemapState};
use visibility_core::audit::visit::{AuditRequest, VisitError};
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::fetch::FetchError;
use visibility_core::fetch::http::HttpClient;

pub(crate) use self::obtain::Obtained;
pub(crate) use self::page::Page;
pub(crate) use self::render::{View, Viewed};
use self::results::Results;
pub(crate) use self::usage::{Event, Usage};
use crate::access::limiter::Limiter;
use crate::access::limiter::at_once::{AtOnce, Running};
use crate::access::limiter::subject::Subject;
use crate::fetch::{ClientError, Threads, client, user_agent};
use crate::jobs::cache::parsed::Parsed;
use crate::jobs::cache::{Form, Kept, Packed};
use crate::jobs::quota::CountedWork;
use crate::jobs::single_flight::Lanes;
use crate::runtime::queue::Queue;
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
type Ended = Result<Outcome, AuditFailure>;

/// What came of a wish for an audit.
#[derive(Clone, Debug)]
enum Outcome {
    /// A result, told for the first time.
    First(Packed),
    /// A result that another audit had brought in the meantime.
    Meanwhile(Packed),
}

/// Why an audit came to no result.
#[derive(Clone, Debug)]
pub(crate) enum AuditFailure {
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
    AtOnce {
        /// How many may.
        limit: u32,
    },
    /// The page may not be asked for.
    NotAllowed(Box<Problem>),
    /// Our fault.
    Fault,
}

/// The audits of the service. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Audits(Arc<Inner>);

struct Inner {
    threads: Arc<Threads>,
    client: HttpClient,
    user_agent: String,
    at_once: AtOnce,
    queue: Queue,
    shown: Queue,
    /// For the turn of an audit.
    patience: Duration,
    /// For the visit.
    deadline: Duration,
    lanes: Lanes<Page, Ended>,
    results: Arc<Results>,
    parsed: Parsed<AuditResult>,
    limiter: Arc<Limiter>,
    metrics: Arc<Metrics>,
    usage: Usage,
}

impl Audits {
    /// The audits of a service with these settings.
    ///
    /// # Errors
    ///
    /// When the settings about fetching cannot be used.
    pub(crate) fn new(
        settings: &Settings,
        threads: &Arc<Threads>,
        limiter: &Arc<Limiter>,
        stores: &Arc<Stores>,
        metrics: &Arc<Metrics>,
    ) -> Result<Self, ClientError> {
        let user_agent = user_agent(settings);
        let deadline = Duration::from_secs(settings.timeouts.audit);
        let memory = settings.audits.memory.saturating_mul(1024 * 1024);
        let parsed = memory / PARSED_PART;
        Ok(Self(Arc::new(Inner {
            threads: Arc::clone(threads),
            client: client(settings, &user_agent, deadline)?,
            user_agent,
            at_once: AtOnce::new(settings.limits.audits_at_once),
            queue: Queue::new(settings.limits.audits, settings.limits.audit_queue),
            shown: Queue::new(SHOWN, SHOWN_LATER),
            patience: Duration::from_secs(settings.timeouts.audit_queue),
            deadline,
            lanes: Lanes::default(),
            results: Arc::new(Results::new(&settings.audits, memory - parsed, stores, metrics)),
            parsed: Parsed::new(parsed),
            limiter: Arc::clone(limiter),
            metrics: Arc::clone(metrics),
            usage: Usage::new(stores),
        })))
    }

    /// Refuses a page that is not audited here.
    ///
    /// # Errors
    ///
    /// When the operator has excluded its host, or that is our own; when its address or its port alone
    /// says that it may not be asked for. It is counted.
    pub(crate) fn check(&self, page: &Page) -> Result<(), Problem> {
        let settings = self.0.client.settings();
        let problem = if settings.refused.contains(page.url().host()) {
            let excluded = Problem::new(ErrorCode::UrlNotAllowed, "url-excluded");
            Some(excluded.detail("reason", "excluded"))
        } else {
            settings.objection(page.url().as_url()).map(Problem::from)
        };
        let Some(problem) = problem else { return Ok(()) };
        self.count(Event::NotAllowed);
        Err(problem.detail("url", page.url().as_str()))
    }

    /// The result that stands in for an audit of a page.
    async fn kept(&self, page: &Page, form: Form) -> Option<Kept> {
        let found = match self.0.results.of_page_in_memory(page.name(), form) {
            Some(kept) => Some(kept),
            None => self.in_database(page, form).await,
        };
        if found.is_some() {
            self.count(Event::Cached);
        }
        found
    }

    async fn in_database(&self, page: &Page, form: Form) -> Option<Kept> {
        let (results, name) = (Arc::clone(&self.0.results), page.name().to_owned());
        let found = spawn_blocking(move || results.of_page_in_database(&name, form)).await;
        found.ok().flatten()
    }

    /// A view of the result with an id, if there is one.
    ///
    /// # Errors
    ///
    /// [`AuditFailure::Busy`] when too many are being read.
    async fn view(&self, id: &str, view: View, form: Form) -> Result<Option<Viewed>, AuditFailure> {
        if let Some(found) = self.0.results.view_in_memory(id, view, form) {
            return Ok(Some(found));
        }
        let permit = self.0.shown.enter().await.ok_or(AuditFailure::Busy)?;
        let (results, id) = (Arc::clone(&self.0.results), id.to_owned());
        let found = spawn_blocking(move || {
            let _permit = permit;
            results.view_in_database(&id, view, form)
        });
        Ok(found.await.unwrap_or_else(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "an audit was not shown");
            None
        }))
    }

    /// Audits a page for somebody, or waits for the audit of it that runs. It ends when nobody waits any
    /// more.
    ///
    /// What was counted for it is spent if a visit takes place that would not have without this wish.
    async fn audit(&self, page: &Page, subject: &Subject, counted: CountedWork) -> Ended {
        let mut is_own = false;
        let start = || {
            is_own = true;
            let place = self.0.at_once.enter(subject)?;
            let (inner, page) = (Arc::clone(&self.0), page.clone());
            Ok(async move { inner.fly(page, place, counted).await }.boxed())
        };
        let flight = self.0.lanes.try_join(page, start);
        let flight = flight.map_err(|limit| AuditFailure::AtOnce { limit })?;
        if !is_own {
            self.count(Event::Shared);
        }
        flight.await
    }

    /// Counts what became of a wish for an audit, for the operator.
    pub(crate) fn count(&self, event: Event) {
        self.0.count(event);
    }
}

impl fmt::Debug for Audits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Audits")
            .field("user_agent", &self.0.user_agent)
            .finish_non_exhaustive()
    }
}

impl Inner {
    /// An audit with an end that is counted, whatever happens to it.
    async fn fly(self: Arc<Self>, page: Page, place: Running, mut counted: CountedWork) -> Ended {
        // Whoever looked for a result before an audit ended, and comes here after it, needs no second one.
        if let Some(packed) = self.results.packed(page.name()) {
            return Ok(Outcome::Meanwhile(packed));
        }
        let mut end = End { inner: &self, event: Some(Event::Abandoned) };
        let ended = guarded(self.audit(page, place, &mut counted)).await;
        if matches!(ended, Err(AuditFailure::Fault)) {
            counted.refund();
        }
        // Those that took place count by their status. Who shares a refusal has counted as one who shares.
        end.event = match &ended {
            Ok(_) | Err(AuditFailure::AtOnce { .. }) => None,
            Err(AuditFailure::Host { .. }) => Some(Event::RefusedHost),
            Err(AuditFailure::Busy) => Some(Event::Busy),
            Err(AuditFailure::NotAllowed(_)) => Some(Event::NotAllowed),
            Err(AuditFailure::Fault) => Some(Event::Internal),
        };
        ended
    }

    async fn audit(&self, page: Page, place: Running, counted: &mut CountedWork) -> Ended {
        let admitted = self.limiter.admit_once(page.host(), crate::runtime::clock::now);
        let once = admitted.map_err(|(limit, wait)| AuditFailure::Host { limit, wait })?;
        let permit = (self.turn().await.ok_or(AuditFailure::Busy)?, place);
        let request = self.request(&page)?;
        if let Some(once) = once {
            once.spend();
        }
        counted.spend();
        let running = self.metrics.audits().in_flight();
        let started = Instant::now();
        let visit = visit(self.client.clone(), request, self.deadline + GRACE);
        // The permit goes along: a visit that nobody waits for any more may have a page to finish.
        let visited = self.threads.run(async move { (visit.await, permit, running) }).await;
        let (snapshot, permit, _running) = visited.map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "an audit panicked");
            AuditFailure::Fault
        })?;
        let snapshot = snapshot.map_err(|error| not_allowed(&page, &error))?;
        let ended = self.judge(snapshot, page, permit).await;
        self.metrics.audits().took(started.elapsed());
        ended
    }

    async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        let _waiting = self.metrics.audits().waiting();
        timeout(self.patience, self.queue.enter()).await.ok().flatten()
    }

    fn request(&self, page: &Page) -> Result<AuditRequest, AuditFailure> {
        let id = random::audit_id().map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "there is no randomness");
            AuditFailure::Fault
        })?;
        Ok(AuditRequest {
            id,
            url: page.url().clone(),
            // As it is told, so that no result stands in for longer than it says.
            taken_at: crate::runtime::clock::now().trunc_subsecs(0),
            user_agent: self.user_agent.clone(),
            profile: page.profile(),
        })
    }

    /// Judges and tells the result where that holds nobody up, to its end even if nobody waits any more.
    async fn judge(
        &self,
        snapshot: PageSnapshot,
        page: Page,
        permit: (OwnedSemaphorePermit, Running),
    ) -> Ended {
        let results = Arc::clone(&self.results);
        let judged = spawn_blocking(move || {
            let _permit = permit;
            let rendered = render::render(&snapshot, &page)?;
            Ok::<_, std::io::Error>((rendered.status, results.keep(rendered.kept)))
        });
        let judged = judged.await.map_err(std::io::Error::other).flatten();
        let (status, packed) = judged.map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "an audit was not judged");
            AuditFailure::Fault
        })?;
        self.count(Event::Audited(status));
        Ok(Outcome::First(packed))
    }

    fn count(&self, event: Event) {
        self.metrics.audits().event(event.as_str());
        self.usage.count(event);
    }
}

/// Asks for a page and what belongs to it.
async fn visit(
    client: HttpClient,
    request: AuditRequest,
    deadline: Duration,
) -> Result<PageSnapshot, VisitError> {
    let session = client.session();
    let visiting = visibility_core::audit::visit(&session, &request);
    let visited = timeout(deadline, visiting).await;
    visited.unwrap_or_else(|_elapsed| Ok(silent(&request)))
}

/// What is seen of a page that took all the time there was.
fn silent(request: &AuditRequest) -> PageSnapshot {
    PageSnapshot {
        id: request.id,
        asked: Asked::Url(request.url.clone()),
        taken_at: request.taken_at,
        user_agent: request.user_agent.clone(),
        profile: request.profile,
        answer: Err(FetchError::Deadline),
        robots: None,
        sitemap: SitemapState::NotAsked,
    }
}

fn not_allowed(page: &Page, error: &VisitError) -> AuditFailure {
    let problem = Problem::from(error).detail("url", page.url().as_str());
    AuditFailure::NotAllowed(Box::new(problem))
}

/// Turns a panic into an end like any other: a panic of their own would be news to those who share the audit.
async fn guarded(audit: impl Future<Output = Ended>) -> Ended {
    AssertUnwindSafe(audit).catch_unwind().await.unwrap_or_else(|_panic| {
        tracing::error!("an audit panicked");
        Err(AuditFailure::Fault)
    })
}

/// Counts the end of an audit when it is dropped.
struct End<'a> {
    inner: &'a Inner,
    event: Option<Event>,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        if let Some(event) = self.event {
            self.inner.count(event);
        }
    }
}

/// When a result was made, and until when it stands in for other audits of its page.
pub(crate) fn stands_in_until(created_at: DateTime<Utc>) -> DateTime<Utc> {
    let span = chrono::TimeDelta::from_std(visibility_core::limits::AUDIT_FRESH_FOR);
    created_at + span.unwrap_or_default()
}
