//! The state that all request handlers share.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tracing::Span;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::error::{ErrorCode, Problem};
use visibility_core::store::StoreError;

use crate::access::accounts::Accounts;
use crate::access::auth::Authenticator;
use crate::access::auth::external::ExternalIssuer;
pub use crate::access::auth::external::ExternalIssuerError;
use crate::access::auth::key::lookup_cache::LookupCache;
use crate::access::demo_link::DemoLink;
use crate::access::limiter::{AddressKey, Limiter};
use crate::fetch::FetchThreads;
pub use crate::fetch::{FetchClientError, ResolverError};
use crate::http::blocking::blocking;
use crate::http::response::ApiError;
use crate::ingest::batch_locks::BatchLocks;
use crate::ingest::spool::Spool;
use crate::ingest::stats::StatsError;
use crate::jobs::audits::AuditService;
use crate::jobs::cache::pages::RenderedPages;
use crate::jobs::quota::Quotas;
use crate::jobs::scans::ScanService;
use crate::runtime::fair_queue::{FairQueue, FairQueueSize, NoTurn, QueueTurn};
use crate::runtime::workers::Workers;
use crate::settings::Settings;
use crate::stores::Stores;
use crate::telemetry::metrics::{Metrics, RateScope};

/// Why a service cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The stores.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The settings about fetching.
    #[error(transparent)]
    Client(#[from] FetchClientError),
    /// The settings about another authorization server.
    #[error(transparent)]
    External(#[from] ExternalIssuerError),
}

/// Settings, stores and limits, shared by all requests. Cheap to clone.
#[derive(Clone)]
pub struct AppState(Arc<Shared>);

/// Who asks for counts, and what it takes to answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CountRequest<'a> {
    pub(crate) tenant: &'a TenantSlug,
    /// Whether files are read, and not only tables that are small.
    pub(crate) reads_files: bool,
}

/// The parts of the state.
pub(crate) struct Shared {
    pub(crate) settings: Arc<Settings>,
    pub(crate) stores: Arc<Stores>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) workers: Workers,
    pub(crate) limiter: Arc<Limiter>,
    pub(crate) address_key: AddressKey,
    pub(crate) auth: Authenticator,
    pub(crate) batch_locks: BatchLocks,
    batches: FairQueue,
    /// Questions whose answers take files.
    file_questions: FairQueue,
    /// Questions that small tables answer: they never wait for the others.
    table_questions: FairQueue,
    pub(crate) spool: Spool,
    pub(crate) scans: ScanService,
    /// Pages about logs, by tenant and content.
    pub(crate) logs_pages: RenderedPages,
    pub(crate) audits: AuditService,
    pub(crate) quotas: Arc<Quotas>,
    pub(crate) accounts: Accounts,
    /// The link that signs in to a demonstration.
    pub(crate) demo_link: Option<DemoLink>,
    pub(crate) stop: watch::Receiver<bool>,
}

impl AppState {
    /// The state of a service that runs until `stop` is true.
    ///
    /// # Errors
    ///
    /// When the database cannot be opened once more, and when sites cannot be fetched as the settings
    /// want it.
    pub fn new(
        settings: Settings,
        stores: Arc<Stores>,
        metrics: Arc<Metrics>,
        stop: watch::Receiver<bool>,
    ) -> Result<Self, StateError> {
        let permits = match settings.limits.permits {
            0 => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            permits => permits,
        };
        let queue = FairQueueSize {
            at_once: permits,
            waiters: settings.limits.queue,
            waiters_of_tenant: settings.limits.tenant_queue,
        };
        let spool = Spool::new(
            stores.spool().to_owned(),
            Duration::from_secs(settings.timeouts.body_idle),
            Duration::from_secs(settings.timeouts.body),
        );
        let settings = Arc::new(settings);
        let threads = Arc::new(FetchThreads::start().map_err(FetchClientError::Threads)?);
        let limiter = Arc::new(Limiter::new(&settings.limits, stores.state_store()));
        let external = ExternalIssuer::new(&settings)?;
        external.as_ref().map_or(Ok(()), |external| {
            external.warn_if_tenant_cannot_sign_in(stores.state_store())
        })?;
        let audits = AuditService::new(&settings, &threads, &limiter, &stores, &metrics)?;
        Ok(Self(Arc::new(Shared {
            accounts: Accounts::new(&stores, &metrics)?,
            demo_link: settings.demo.clone().map(DemoLink::new),
            auth: Authenticator {
                settings: Arc::clone(&settings),
                stores: Arc::clone(&stores),
                key_cache: LookupCache::default(),
                token_cache: LookupCache::default(),
                external,
            },
            quotas: Arc::new(Quotas {
                settings: Arc::clone(&settings),
                stores: Arc::clone(&stores),
                metrics: Arc::clone(&metrics),
                limiter: Arc::clone(&limiter),
                audit_usage: audits.usage().clone(),
            }),
            address_key: AddressKey::load_or_create(stores.state_store())?,
            workers: Workers::start(queue.turns())
                .map_err(|error| StoreError::io("start the threads for batches", error))?,
            batch_locks: BatchLocks::default(),
            batches: FairQueue::new(queue),
            file_questions: FairQueue::new(queue),
            table_questions: FairQueue::new(queue),
            spool,
            scans: ScanService::new(&settings, &threads, &stores, &metrics)?,
            logs_pages: RenderedPages::default(),
            audits,
            limiter,
            settings,
            stores,
            metrics,
            stop,
        })))
    }

    /// The parts.
    pub(crate) fn shared(&self) -> &Shared {
        &self.0
    }

    /// Whether the service is about to stop.
    pub(crate) fn is_draining(&self) -> bool {
        *self.0.stop.borrow()
    }

    /// Waits until it is the turn of a batch of a tenant.
    ///
    /// # Errors
    ///
    /// 429 when too many of the tenant wait, and 503 when too many wait in all.
    pub(crate) async fn batch_turn(&self, tenant: &TenantSlug) -> Result<QueueTurn, ApiError> {
        let turn = self.0.batches.acquire(tenant).await;
        turn.map_err(|error| self.no_turn(error, "batches-waiting"))
    }

    /// Counts records of a tenant when it is its turn. Once the caller stops waiting, the work ends before the next file.
    ///
    /// # Errors
    ///
    /// Those of [`batch_turn`](Self::batch_turn), and 503 when a store fails.
    pub(crate) async fn count<T: Send + 'static>(
        &self,
        question: CountRequest<'_>,
        work: impl FnOnce(&Stores, &dyn Fn() -> bool) -> Result<T, StatsError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let queue =
            if question.reads_files { &self.0.file_questions } else { &self.0.table_questions };
        let turn = queue.acquire(question.tenant).await;
        let turn = turn.map_err(|error| self.no_turn(error, "questions-waiting"))?;
        let is_stopped = CancellationToken::new();
        let _stops_when_dropped = is_stopped.clone().drop_guard();
        self.blocking(move |state| {
            let _turn = turn;
            let counted = work(&state.shared().stores, &|| is_stopped.is_cancelled());
            counted.map_err(|error| match error {
                StatsError::Store(error) => ApiError::store(&error),
                // There is no one to say it to.
                StatsError::Stopped => ApiError::unavailable(),
            })
        })
        .await
    }

    fn no_turn(&self, error: NoTurn, id: &'static str) -> ApiError {
        let NoTurn::TooManyOfTenant(wait) = error else { return ApiError::unavailable() };
        self.0.metrics.rate_limited(RateScope::Waiting);
        let limit = self.0.settings.limits.tenant_queue;
        let problem = Problem::new(ErrorCode::RateLimited, id)
            .value("limit", limit)
            .detail("scope", "waiting")
            .detail("limit", limit);
        ApiError::from(problem).retry_after(wait)
    }

    /// Processes a batch on a thread for batches, to the end even if the caller stops waiting.
    ///
    /// # Errors
    ///
    /// That of the work; if it panics, that it is our fault.
    pub(crate) async fn run_batch<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let state = self.clone();
        let span = Span::current();
        let done = self.0.workers.run(move || span.in_scope(|| work(&state))).await;
        done.unwrap_or_else(|| {
            tracing::error!("a batch was not processed completely");
            Err(ApiError::internal())
        })
    }

    /// Runs blocking work where blocking is allowed, to the end even if the caller stops
    /// waiting.
    ///
    /// # Errors
    ///
    /// That of the work; if it panics, that it is our fault.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let state = self.clone();
        blocking(move || work(&state)).await
    }
}

#[cfg(test)]
impl AppState {
    /// A state with the usual settings, in a folder.
    pub(crate) fn for_tests(folder: &std::path::Path) -> Self {
        let (_, stop) = watch::channel(false);
        let stores = Arc::new(Stores::open_exclusive(folder).unwrap());
        Self::new(Settings::default(), stores, Arc::default(), stop).unwrap()
    }
}

impl fmt::Debug for AppState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AppState")
            .field("settings", &self.0.settings)
            .finish_non_exhaustive()
    }
}
