//! How often a tenant may send: batches in an hour, and requests in any ten seconds.
//!
//! Exact, and kept in the database, so that neither a restart nor a crash forgives anything. Only
//! tenants with a valid token get here, which bounds what is remembered.

pub(crate) mod subject;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use visibility_core::limits::BURST_WINDOW;
use visibility_core::rate::SlidingWindow;
use visibility_core::store::StoreError;
use visibility_core::tenant::TenantSlug;

use crate::settings::Limits;
use crate::stores::sqlite::Sqlite;
use crate::stores::sqlite::hits::Hits;

/// What is limited.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Scope {
    /// Every request with a valid token, in any [`BURST_WINDOW`].
    Burst,
    /// Every request whose body is read, in any hour.
    Hour,
}

impl Scope {
    /// Its name in answers and metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Burst => "burst",
            Self::Hour => "hour",
        }
    }

    /// Its number in the database.
    fn kind(self) -> i64 {
        match self {
            Self::Burst => 0,
            Self::Hour => 1,
        }
    }

    fn span(self) -> TimeDelta {
        match self {
            Self::Burst => TimeDelta::from_std(BURST_WINDOW).unwrap_or(TimeDelta::MAX),
            Self::Hour => TimeDelta::hours(1),
        }
    }

    fn limit(self, limits: &Limits) -> u32 {
        match self {
            Self::Burst => limits.burst,
            Self::Hour => limits.batches_per_hour,
        }
    }
}

/// Why a request is not admitted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LimitError {
    /// The tenant has used up what it may.
    #[error("the limit is reached")]
    Reached {
        /// Which limit.
        scope: Scope,
        /// How many it admits.
        limit: u32,
        /// When one more is admitted.
        wait: Duration,
    },
    /// What was used before is not known.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The windows of all tenants that have sent since the start.
#[derive(Debug)]
pub(crate) struct Limiter {
    limits: Limits,
    hits: Hits,
    tenants: Mutex<HashMap<TenantSlug, Arc<Mutex<Windows>>>>,
}

#[derive(Debug, Default)]
struct Windows {
    burst: Option<Window>,
    hour: Option<Window>,
}

#[derive(Debug)]
struct Window {
    sliding: SlidingWindow,
    /// Hits that were added since old ones were removed.
    added: u32,
}

impl Limiter {
    /// A limiter that knows what the database knows.
    ///
    /// # Errors
    ///
    /// When the database cannot be opened.
    pub(crate) fn new(limits: &Limits, sqlite: &Sqlite) -> Result<Self, StoreError> {
        Ok(Self { limits: limits.clone(), hits: Hits::open(sqlite)?, tenants: Mutex::default() })
    }

    /// Says whether a request would be admitted, without counting it. Blocks.
    ///
    /// # Errors
    ///
    /// [`LimitError`].
    pub(crate) fn check(
        &self,
        tenant: &TenantSlug,
        scope: Scope,
        clock: impl FnOnce() -> DateTime<Utc>,
    ) -> Result<(), LimitError> {
        self.with(tenant, scope, |window| {
            window.sliding.check(clock()).map_err(|wait| reached(scope, &self.limits, wait))
        })
    }

    /// Admits a request and counts it, here and in the database. Blocks.
    ///
    /// The clock is read once it is the request's turn: a time from before would look like a clock that
    /// was set back if another request was faster, and shorten the window by as much.
    ///
    /// # Errors
    ///
    /// [`LimitError`]; the request does not count then.
    pub(crate) fn admit(
        &self,
        sqlite: &Sqlite,
        tenant: &TenantSlug,
        scope: Scope,
        clock: impl FnOnce() -> DateTime<Utc>,
    ) -> Result<(), LimitError> {
        self.with(tenant, scope, |window| {
            let now = clock();
            window.sliding.admit(now).map_err(|wait| reached(scope, &self.limits, wait))?;
            let limit = scope.limit(&self.limits);
            let mut kept = self.hits.add(sqlite, tenant.as_str(), scope.kind(), now);
            window.added += 1;
            if kept.is_ok() && window.added >= limit {
                window.added = 0;
                kept = self.hits.prune(sqlite, tenant.as_str(), scope.kind(), limit);
            }
            if let Err(error) = kept {
                // It counts as long as the process lives. A batch of a store that is full is refused
                // later, for that reason.
                tracing::warn!(%tenant, error = &error as &dyn std::error::Error, "a hit is not kept");
            }
            Ok(())
        })
    }

    /// Does something with a window, which is read from the database when it is first needed. The
    /// window is locked meanwhile, so that hits are kept in the order in which they are granted.
    fn with(
        &self,
        tenant: &TenantSlug,
        scope: Scope,
        act: impl FnOnce(&mut Window) -> Result<(), LimitError>,
    ) -> Result<(), LimitError> {
        let limit = scope.limit(&self.limits);
        if limit == 0 {
            return Ok(());
        }
        let windows = {
            let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(tenants.entry(tenant.clone()).or_default())
        };
        let mut windows = windows.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = match scope {
            Scope::Burst => &mut windows.burst,
            Scope::Hour => &mut windows.hour,
        };
        if let Some(window) = slot {
            return act(window);
        }
        let mut sliding = SlidingWindow::new(limit, scope.span());
        for at in self.hits.of(tenant.as_str(), scope.kind())? {
            sliding.restore(at);
        }
        // What an earlier process has left is removed with the first hit.
        act(slot.insert(Window { sliding, added: limit }))
    }
}

fn reached(scope: Scope, limits: &Limits, wait: TimeDelta) -> LimitError {
    LimitError::Reached {
        scope,
        limit: scope.limit(limits),
        wait: wait.to_std().unwrap_or(Duration::ZERO),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir()
                .join(format!("visibility-limiter-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&folder);
            std::fs::create_dir_all(&folder).unwrap();
            Self(folder)
        }

        fn open(&self, burst: u32, batches_per_hour: u32) -> (Sqlite, Limiter) {
            let sqlite = Sqlite::open(&self.0.join("state.sqlite")).unwrap();
            let limits = Limits { batches_per_hour, burst, ..Limits::default() };
            let limiter = Limiter::new(&limits, &sqlite).unwrap();
            (sqlite, limiter)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn at(milliseconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(1_700_000_000_000 + milliseconds).unwrap()
    }

    fn tenant(name: &str) -> TenantSlug {
        name.parse().unwrap()
    }

    fn wait(result: Result<(), LimitError>) -> Option<Duration> {
        match result {
            Ok(()) => None,
            Err(LimitError::Reached { wait, .. }) => Some(wait),
            Err(LimitError::Store(error)) => panic!("{error}"),
        }
    }

    #[test]
    fn windows_survive_reopening_the_store() {
        let folder = Folder::new("reopen");
        let acme = tenant("acme");
        for n in 0..10 {
            let (sqlite, limiter) = folder.open(10, 60);
            assert_eq!(wait(limiter.admit(&sqlite, &acme, Scope::Burst, || at(n * 100))), None);
        }
        let (sqlite, limiter) = folder.open(10, 60);
        let admit =
            |milliseconds| wait(limiter.admit(&sqlite, &acme, Scope::Burst, || at(milliseconds)));
        assert_eq!(admit(1_000), Some(Duration::from_secs(9)));
        assert_eq!(admit(9_999), Some(Duration::from_millis(1)));
        assert_eq!(admit(10_000), None);
        assert_eq!(admit(10_000), Some(Duration::from_millis(100)));
    }

    #[test]
    fn a_clock_that_was_set_back_before_a_restart_locks_nobody_out() {
        let folder = Folder::new("back");
        let acme = tenant("acme");
        let a_year = 365 * 86_400_000;
        let (sqlite, limiter) = folder.open(2, 60);
        for _ in 0..2 {
            assert_eq!(wait(limiter.admit(&sqlite, &acme, Scope::Burst, || at(a_year))), None);
        }
        drop((sqlite, limiter));
        let (sqlite, limiter) = folder.open(2, 60);
        let admit =
            |milliseconds| wait(limiter.admit(&sqlite, &acme, Scope::Burst, || at(milliseconds)));
        assert_eq!(admit(0), Some(Duration::from_secs(10)));
        assert_eq!(admit(10_000), None);
    }

    #[test]
    fn tenants_and_scopes_have_windows_of_their_own() {
        let folder = Folder::new("own");
        let (sqlite, limiter) = folder.open(1, 1);
        for tenant in [tenant("acme"), tenant("globex")] {
            for scope in [Scope::Burst, Scope::Hour] {
                assert_eq!(wait(limiter.admit(&sqlite, &tenant, scope, || at(0))), None);
                assert!(wait(limiter.check(&tenant, scope, || at(0))).is_some());
            }
        }
        let hour = wait(limiter.check(&tenant("acme"), Scope::Hour, || at(1)));
        assert_eq!(hour, Some(Duration::from_millis(3_599_999)));
    }

    #[test]
    fn the_clock_is_read_when_it_is_the_turn_of_a_request() {
        let folder = Folder::new("turn");
        let (sqlite, limiter) = folder.open(1, 60);
        let acme = tenant("acme");
        let is_free = || {
            let tenants = limiter.tenants.lock().unwrap();
            tenants.values().all(|windows| windows.try_lock().is_ok())
        };
        let mut was_free = None;
        let clock = || {
            was_free = Some(is_free());
            at(0)
        };
        assert_eq!(wait(limiter.admit(&sqlite, &acme, Scope::Burst, clock)), None);
        assert_eq!(was_free, Some(false));
    }

    #[test]
    fn a_check_does_not_count() {
        let folder = Folder::new("check");
        let (sqlite, limiter) = folder.open(1, 1);
        let acme = tenant("acme");
        for _ in 0..3 {
            assert_eq!(wait(limiter.check(&acme, Scope::Hour, || at(0))), None);
        }
        assert_eq!(wait(limiter.admit(&sqlite, &acme, Scope::Hour, || at(0))), None);
    }

    #[test]
    fn rows_that_no_window_needs_are_removed() {
        let folder = Folder::new("prune");
        let (sqlite, limiter) = folder.open(10, 60);
        let acme = tenant("acme");
        for n in 0..200 {
            assert_eq!(wait(limiter.admit(&sqlite, &acme, Scope::Burst, || at(n * 1_001))), None);
        }
        let kept = limiter.hits.of(acme.as_str(), Scope::Burst.kind()).unwrap();
        assert!((10..20).contains(&kept.len()), "{}", kept.len());
        assert_eq!(kept.last(), Some(&at(199 * 1_001)));
    }

    #[test]
    fn a_limit_of_zero_writes_nothing() {
        let folder = Folder::new("zero");
        let (sqlite, limiter) = folder.open(0, 0);
        let acme = tenant("acme");
        for _ in 0..100 {
            assert_eq!(wait(limiter.admit(&sqlite, &acme, Scope::Burst, || at(0))), None);
        }
        assert!(limiter.hits.of(acme.as_str(), Scope::Burst.kind()).unwrap().is_empty());
    }
}
