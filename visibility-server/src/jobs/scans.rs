//! The scans of the public API: one at a time for each domain, a few at a time in total, cached for a day.

mod render;
mod results;
mod running;
mod turn;

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher as _;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use chrono::SubsecRound as _;
use futures_util::FutureExt as _;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::fetch::FetchError;
use visibility_core::fetch::domain::Domain;
use visibility_core::report::history::ScanHistory;
use visibility_core::scan::problem::Stage;
use visibility_core::scan::request::ScanRequest;
use visibility_core::scan::result::ScanResult;
use visibility_core::scan::snapshot::SiteSnapshot;
use visibility_core::scan::{self, ScanError};
use visibility_core::store::StoreError;
use visibility_core::text::locale::Lang;

use self::results::ScanCache;
use self::running::{RequestCounter, RunningScans};
use self::turn::{ScanTurn, Turn};
use crate::fetch::{FetchClientError, FetchThreads, Sites, user_agent};
use crate::http::response::ApiError;
use crate::jobs::cache::pages::RenderedPages;
use crate::jobs::cache::parsed::ParsedCache;
use crate::jobs::cache::{CachedBody, CachedResult, LocalizedBody, Representation};
use crate::jobs::quota::{Quota, QuotaCharge};
use crate::jobs::single_flight::{SharedRun, SingleFlight};
use crate::runtime::bounded_semaphore::BoundedSemaphore;
use crate::settings::Settings;
use crate::stores::Stores;
use crate::stores::state::scan_days::{ALL_DAYS, StoredDay};
use crate::stores::state::scans::OlderResults;
use crate::telemetry::metrics::Metrics;

/// Time beyond the deadline of a scan until it is ended from outside: the scan itself makes the best of
/// what it has when its time is over.
const GRACE: Duration = Duration::from_secs(2);
/// The part of the memory that results take which are read already.
const PARSED_PART: u64 = 8;
/// After how long to ask again when too many scans run.
const TRY_AGAIN: Duration = Duration::from_secs(5);

/// How a scan ended, for all who waited for it. Nothing is kept of a failure.
pub(crate) type ScanOutcome = Result<RunOutput, ScanJobError>;

/// Result of a scan run.
#[derive(Clone, Debug)]
pub(crate) enum RunOutput {
    /// Produced by this run.
    Fresh(LocalizedBody),
    /// Cached by another run before this one started.
    Coalesced(CachedResult),
}

/// Where the result for a domain came from.
#[derive(Clone, Debug)]
pub(crate) enum ScanAnswer {
    /// Found in the cache.
    Cached(CachedBody),
    /// Produced by this request, or by the run that it joined.
    Fresh(LocalizedBody),
    /// Cached by another run between the lookup and the start.
    Coalesced(CachedResult),
}

/// A scan that goes on by itself.
#[derive(Debug)]
pub(crate) enum BegunScan {
    /// There is a result.
    Cached,
    /// It runs, and ends as this does.
    Running(SharedRun<ScanOutcome>),
}

/// What is known of the scan of a domain that has no result.
#[derive(Debug)]
pub(crate) enum ScanProgress {
    /// It runs on this node.
    Here {
        /// Requests that were answered.
        answered: u32,
    },
    /// It runs on another node.
    Elsewhere,
    /// It failed on this node a moment ago.
    Failed(ScanJobError),
    /// There is none.
    None,
}

/// The scans of the service. Cheap to clone.
#[derive(Clone)]
pub(crate) struct ScanService(Arc<Inner>);

struct Inner {
    threads: Arc<FetchThreads>,
    sites: Sites,
    user_agent: String,
    semaphore: BoundedSemaphore,
    /// For the turn of a scan.
    patience: Duration,
    /// For the scan.
    deadline: Duration,
    runs: SingleFlight<Domain, ScanOutcome>,
    running: Arc<RunningScans>,
    results: Arc<ScanCache>,
    stores: Arc<Stores>,
    parsed: ParsedCache<ScanResult>,
    pages: RenderedPages,
    metrics: Arc<Metrics>,
}

/// Why a scan came to no result.
#[derive(Clone, Debug)]
pub(crate) enum ScanJobError {
    /// Too many scans run and wait.
    Busy,
    /// The site cannot be scanned.
    Site {
        /// In a word of ours.
        stage: &'static str,
        problem: Box<Problem>,
    },
    /// Our fault.
    Internal,
}

impl ScanService {
    /// The scans of a service with these settings.
    ///
    /// # Errors
    ///
    /// When the settings about fetching cannot be used.
    pub(crate) fn new(
        settings: &Settings,
        threads: &Arc<FetchThreads>,
        stores: &Arc<Stores>,
        metrics: &Arc<Metrics>,
    ) -> Result<Self, FetchClientError> {
        let user_agent = user_agent(settings);
        let deadline = Duration::from_secs(settings.timeouts.scan);
        let memory = settings.cache.memory.saturating_mul(1024 * 1024);
        let parsed = memory / PARSED_PART;
        Ok(Self(Arc::new(Inner {
            threads: Arc::clone(threads),
            sites: Sites::new(settings, &user_agent, deadline)?,
            user_agent,
            semaphore: BoundedSemaphore::new(settings.limits.scans, settings.limits.scan_queue),
            patience: Duration::from_secs(settings.timeouts.scan_queue),
            deadline,
            runs: SingleFlight::default(),
            running: Arc::default(),
            results: Arc::new(ScanCache::new(
                memory - parsed,
                Arc::clone(stores),
                Arc::clone(metrics),
            )),
            stores: Arc::clone(stores),
            parsed: ParsedCache::new(parsed),
            pages: RenderedPages::default(),
            metrics: Arc::clone(metrics),
        })))
    }

    /// The result for a domain, charged to a quota: a cached result is free, a scan counts. It
    /// ends when the last caller stops waiting.
    ///
    /// # Errors
    ///
    /// 429; or why the domain cannot be scanned.
    pub(crate) async fn obtain(
        &self,
        domain: &Domain,
        representation: Representation,
        quota: &Quota,
    ) -> Result<ScanAnswer, ApiError> {
        if let Err(problem) = self.check(domain) {
            quota.count_request().await?;
            return Err(problem.into());
        }
        if let Some(cached) = self.cached(domain, representation).await {
            return Ok(ScanAnswer::Cached(cached));
        }
        quota.count_request().await?;
        let charge = quota.charge().await?;
        Ok(match self.scan(domain, charge).await? {
            RunOutput::Fresh(rendered) => ScanAnswer::Fresh(rendered),
            RunOutput::Coalesced(compressed) => ScanAnswer::Coalesced(compressed),
        })
    }

    /// Starts the scan of a domain, or joins the one that runs, which costs nothing. It goes on when its caller has left.
    ///
    /// # Errors
    ///
    /// 429; or why the domain is not scanned.
    pub(crate) async fn begin(
        &self,
        domain: &Domain,
        representation: Representation,
        quota: &Quota,
    ) -> Result<BegunScan, ApiError> {
        self.check(domain)?;
        if self.cached(domain, representation).await.is_some() {
            return Ok(BegunScan::Cached);
        }
        if let Some(run) = self.0.runs.running(domain) {
            return Ok(BegunScan::Running(run));
        }
        quota.count_request().await?;
        let charge = quota.charge_for_site(domain.registrable()).await?;
        let run = self.run(domain, charge);
        self.0.running.failures().forget(domain);
        let (watched, inner, domain) = (run.clone(), Arc::clone(&self.0), domain.clone());
        tokio::spawn(async move {
            if let Err(error) = watched.await {
                inner.running.failures().note(domain, error);
            }
        });
        Ok(BegunScan::Running(run))
    }

    /// How far the scan of a domain is.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) async fn progress(&self, domain: &Domain) -> Result<ScanProgress, ApiError> {
        if let Some(answered) = self.0.running.answered(domain) {
            return Ok(ScanProgress::Here { answered });
        }
        if self.0.runs.running(domain).is_some() {
            return Ok(ScanProgress::Here { answered: 0 });
        }
        if let Some(error) = self.0.running.failures().find(domain) {
            return Ok(ScanProgress::Failed(error));
        }
        let is_elsewhere = turn::is_taken(&self.0.stores, domain).await?;
        Ok(if is_elsewhere { ScanProgress::Elsewhere } else { ScanProgress::None })
    }

    /// Pages of results that are the same for everyone.
    pub(crate) fn pages(&self) -> &RenderedPages {
        &self.0.pages
    }

    /// A result that is kept, read.
    pub(crate) fn read(&self, cached: &CachedBody, lang: Lang) -> Option<Arc<ScanResult>> {
        self.0.parsed.read(cached, lang)
    }

    /// Refuses a domain that is not scanned here.
    ///
    /// # Errors
    ///
    /// When the operator has excluded it, it is our own, or a demonstration does not know it.
    pub(crate) fn check(&self, domain: &Domain) -> Result<(), Problem> {
        let checked = self.0.sites.check_domain(domain);
        checked.map_err(|problem| problem.detail("domain", domain.as_str()))
    }

    /// Keeps the result of a visit that was in the past, for the history of its domain.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) async fn keep_earlier(&self, site: SiteSnapshot) -> Result<(), StoreError> {
        let stores = Arc::clone(&self.0.stores);
        let kept = spawn_blocking(move || {
            let rendered = render::render(&site)
                .map_err(|error| StoreError::io("write a result as JSON", error))?;
            stores.state_store().store_scan(&rendered.stored, OlderResults::Keep)
        });
        let ended = |error| StoreError::io("keep a result", std::io::Error::other(error));
        kept.await.map_err(ended).flatten()
    }

    /// The result of a domain that is kept and fresh.
    pub(crate) async fn cached(
        &self,
        domain: &Domain,
        representation: Representation,
    ) -> Option<CachedBody> {
        let found = match self.0.results.in_memory(domain.as_str(), representation) {
            Some(cached) => Some(cached),
            None => self.cached_in_database(domain, representation).await,
        };
        let metrics = self.0.metrics.scans();
        match found {
            Some(_) => metrics.hit(),
            None => metrics.miss(),
        }
        found
    }

    /// What is kept of the last days of a domain, at most so many, the oldest first.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) async fn days(
        &self,
        domain: &Domain,
        most: u32,
    ) -> Result<Vec<StoredDay>, ApiError> {
        let (stores, domain) = (Arc::clone(&self.0.stores), domain.to_string());
        let read = spawn_blocking(move || stores.state_store().scan_days(&domain, most));
        match read.await {
            Ok(Ok(days)) => Ok(days),
            Ok(Err(error)) => Err(failed_history(&error)),
            Err(error) => Err(failed_history(&error)),
        }
    }

    /// The history of a domain.
    ///
    /// # Errors
    ///
    /// When no scan of it is kept, or the database fails.
    pub(crate) async fn history(&self, domain: &Domain) -> Result<ScanHistory, ApiError> {
        let days = self.days(domain, ALL_DAYS).await?;
        if days.is_empty() {
            return Err(Problem::new(ErrorCode::NotFound, "scan-no-history").into());
        }
        let days: Vec<_> =
            days.into_iter().map(|day| (day.day, day.scanned_at, day.scan)).collect();
        Ok(ScanHistory::new(domain.as_str(), &days))
    }

    async fn cached_in_database(
        &self,
        domain: &Domain,
        representation: Representation,
    ) -> Option<CachedBody> {
        let (results, domain) = (Arc::clone(&self.0.results), domain.clone());
        let found =
            spawn_blocking(move || results.in_database(domain.as_str(), representation)).await;
        found.ok().flatten()
    }

    /// Scans a domain, or joins the scan of it that runs. It ends when the last caller stops waiting.
    ///
    /// What was counted for it is spent if a scan takes place that would not have without this wish.
    async fn scan(&self, domain: &Domain, charge: QuotaCharge) -> ScanOutcome {
        self.run(domain, charge).await
    }

    fn run(&self, domain: &Domain, charge: QuotaCharge) -> SharedRun<ScanOutcome> {
        self.0.runs.join(domain, || {
            let (inner, domain) = (Arc::clone(&self.0), domain.clone());
            async move { inner.run(domain, charge).await }.boxed()
        })
    }
}

fn failed_history(error: &(dyn std::error::Error + 'static)) -> ApiError {
    tracing::error!(error, "cannot read the history of a domain");
    ApiError::internal()
}

impl fmt::Debug for ScanService {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Scans")
            .field("user_agent", &self.0.user_agent)
            .finish_non_exhaustive()
    }
}

impl Inner {
    /// A scan with an end that is counted, whatever happens to it.
    async fn run(self: Arc<Self>, domain: Domain, mut charge: QuotaCharge) -> ScanOutcome {
        // Re-check the cache: another run may have filled it after the caller's lookup.
        if let Some(compressed) = self.results.in_all_languages(domain.as_str()) {
            return Ok(RunOutput::Coalesced(compressed));
        }
        let mut end = EndMetric { metrics: &self.metrics, word: "abandoned" };
        let outcome = catch_panic(self.scan(domain, &mut charge)).await;
        if matches!(outcome, Err(ScanJobError::Internal)) {
            charge.refund();
        }
        end.word = match &outcome {
            Ok(_) => "ok",
            Err(error) => error.as_str(),
        };
        outcome
    }

    async fn scan(&self, domain: Domain, charge: &mut QuotaCharge) -> ScanOutcome {
        let permit = self.acquire_permit().await.ok_or(ScanJobError::Busy)?;
        let turn = match turn::wait(&self.stores, &self.results, &domain, self.deadline).await {
            Turn::Own(turn) => turn,
            Turn::Done(result) => return Ok(RunOutput::Coalesced(result)),
            Turn::Busy => return Err(ScanJobError::Busy),
        };
        charge.commit();
        let running = self.metrics.scans().in_flight();
        let counter = self.running.count(&domain);
        let visit = visit(self.sites.clone(), self.request(domain), self.deadline + GRACE, counter);
        // Permit and turn move along: an abandoned visit may still have a page to finish.
        let visited = self.threads.run(async move { (visit.await, permit, running, turn) }).await;
        let (site, permit, _running, turn) = visited.map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "a scan panicked");
            ScanJobError::Internal
        })?;
        self.evaluate(site?, permit, turn).await
    }

    async fn acquire_permit(&self) -> Option<OwnedSemaphorePermit> {
        let _waiting = self.metrics.scans().waiting();
        timeout(self.patience, self.semaphore.acquire()).await.ok().flatten()
    }

    fn request(&self, domain: Domain) -> ScanRequest {
        // Anything that a site cannot guess.
        let nonce = RandomState::new().hash_one(domain.as_str());
        // The time that the result states, so that it is not served for longer than that.
        let taken_at = crate::runtime::clock::now().trunc_subsecs(0);
        let mut request = ScanRequest::new(domain, taken_at, self.user_agent.as_str());
        request.nonce = nonce;
        request
    }

    /// Evaluates and renders off the serving threads, to the end even if no caller waits.
    async fn evaluate(
        &self,
        site: SiteSnapshot,
        permit: OwnedSemaphorePermit,
        turn: ScanTurn,
    ) -> ScanOutcome {
        let results = Arc::clone(&self.results);
        let judged = spawn_blocking(move || {
            let _permit = permit;
            let rendered = render::render(&site)?;
            results.store(rendered.stored, turn);
            Ok::<_, std::io::Error>(RunOutput::Fresh(rendered.fresh))
        });
        judged.await.map_err(std::io::Error::other).flatten().map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "a scan failed");
            ScanJobError::Internal
        })
    }
}

/// Asks a site for all that is looked at, and reads it.
async fn visit(
    sites: Sites,
    request: ScanRequest,
    deadline: Duration,
    counter: RequestCounter,
) -> Result<SiteSnapshot, ScanJobError> {
    let session = sites.session();
    let counting = counter.wrap(session.as_ref());
    let visited =
        timeout(deadline, scan::scan(&counting, &request)).await.unwrap_or_else(|_elapsed| {
            let domain = request.domain.to_string();
            Err(ScanError::Unreachable { domain, source: FetchError::Deadline })
        });
    visited.map_err(|error| ScanJobError::from_scan_error(&error))
}

/// Turns a panic into an error: waiters must get an error, not a panic.
async fn catch_panic(scan: impl Future<Output = ScanOutcome>) -> ScanOutcome {
    AssertUnwindSafe(scan).catch_unwind().await.unwrap_or_else(|_panic| {
        tracing::error!("a scan panicked");
        Err(ScanJobError::Internal)
    })
}

/// Counts the end of a scan when it is dropped.
struct EndMetric<'a> {
    metrics: &'a Metrics,
    word: &'static str,
}

impl Drop for EndMetric<'_> {
    fn drop(&mut self) {
        self.metrics.scans().scan(self.word);
    }
}

impl ScanJobError {
    fn from_scan_error(error: &ScanError) -> Self {
        let stage = match error {
            ScanError::NotAllowed { .. } => "not_allowed",
            ScanError::Unreachable { source, .. } => Stage::from_error(source).as_str(),
            _ => Stage::Http.as_str(),
        };
        let problem = Problem::from(error).detail("domain", error.domain());
        Self::Site { stage, problem: Box::new(problem) }
    }

    fn as_str(&self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::Site { stage, .. } => stage,
            Self::Internal => "internal",
        }
    }
}

impl From<ScanJobError> for ApiError {
    fn from(error: ScanJobError) -> Self {
        match error {
            ScanJobError::Busy => {
                let problem = Problem::new(ErrorCode::ServiceUnavailable, "scans-busy");
                Self::from(problem).retry_after(TRY_AGAIN)
            }
            ScanJobError::Site { problem, .. } => (*problem).into(),
            ScanJobError::Internal => Self::internal(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::net::IpAddr;
    use std::sync::Mutex;

    use axum::response::IntoResponse as _;
    use visibility_core::fetch::BoxFuture;
    use visibility_core::fetch::http::{HttpClient, HttpSettings, Resolve};

    use super::*;
    use crate::fetch::threads;

    #[tokio::test]
    async fn a_panic_is_an_error_for_all_who_wait_and_frees_the_lane() {
        let lanes: SingleFlight<Domain, ScanOutcome> = SingleFlight::default();
        let domain: Domain = "example.com".parse().unwrap();
        let fly = || {
            let scan = async {
                tokio::task::yield_now().await;
                panic!("as the test wants it")
            };
            catch_panic(scan).boxed()
        };
        let waiting = [lanes.join(&domain, fly), lanes.join(&domain, fly)];
        for outcome in futures_util::future::join_all(waiting).await {
            let response = ApiError::from(outcome.unwrap_err()).into_response();
            assert_eq!(response.status(), 500);
        }
        let again = lanes.join(&domain, || async { Err(ScanJobError::Busy) }.boxed()).await;
        assert!(matches!(again, Err(ScanJobError::Busy)), "{again:?}");
    }

    fn threads() -> Arc<FetchThreads> {
        Arc::new(FetchThreads::start().unwrap())
    }

    /// Knows no name, and notes by which thread it is asked.
    #[derive(Debug, Default)]
    struct Noting(Mutex<Vec<Option<String>>>);

    impl Resolve for Noting {
        fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
            let thread = std::thread::current().name().map(str::to_owned);
            self.0.lock().unwrap().push(thread);
            Box::pin(async { Err(io::ErrorKind::NotFound.into()) })
        }
    }

    #[tokio::test]
    async fn a_site_is_visited_by_threads_that_serve_no_requests() {
        let folder = tempfile::tempdir().unwrap();
        let stores = Arc::new(Stores::open(folder.path()).unwrap());
        let mut settings = Settings::default();
        settings.fetch.nameservers = vec!["127.0.0.1:9".parse().unwrap()];
        let mut scans = ScanService::new(&settings, &threads(), &stores, &Arc::default()).unwrap();
        let names = Arc::new(Noting::default());
        let resolver = Arc::clone(&names);
        let client = HttpClient::with_resolver(HttpSettings::default(), resolver).unwrap();
        Arc::get_mut(&mut scans.0).unwrap().sites = Sites::Network(Arc::new(client));
        let outcome = scans.scan(&"example.com".parse().unwrap(), QuotaCharge::default()).await;
        assert!(matches!(outcome, Err(ScanJobError::Site { stage: "dns", .. })), "{outcome:?}");
        let askers = names.0.lock().unwrap();
        assert!(!askers.is_empty());
        assert!(askers.iter().all(|name| name.as_deref() == Some(threads::NAME)), "{askers:?}");
    }

    #[tokio::test]
    async fn who_comes_after_a_scan_that_just_ended_takes_its_result() {
        let folder = tempfile::tempdir().unwrap();
        let stores = Arc::new(Stores::open(folder.path()).unwrap());
        let metrics = Arc::new(Metrics::default());
        let mut settings = Settings::default();
        settings.fetch.nameservers = vec!["127.0.0.1:9".parse().unwrap()];
        let scans = ScanService::new(&settings, &threads(), &stores, &metrics).unwrap();
        let domain: Domain = "example.com".parse().unwrap();
        let site = SiteSnapshot::new(domain.clone(), crate::runtime::clock::now());
        scans.0.results.store(render::render(&site).unwrap().stored, ());
        let outcome = scans.scan(&domain, QuotaCharge::default()).await;
        assert!(matches!(outcome, Ok(RunOutput::Coalesced(_))), "{outcome:?}");
        assert!(!metrics.render().contains("visibility_scans_total{"));
    }
}
