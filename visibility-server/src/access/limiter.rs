//! Rate limits: sliding windows for tenants that send logs, for keys that scan, and for
//! strangers that audit and the hosts that they audit.
//!
//! Exact, and most are kept in the database, so that neither a restart nor a crash forgives anything. Of
//! tenants and keys all are remembered: they are known here. Of strangers and hosts, of which there may be
//! any number, a bounded number of the latest is cached, and the day of the others is read again.

mod address_key;
pub(crate) mod concurrency;
mod lru_map;
pub(crate) mod pending_admission;
mod scope;
mod shared;
pub(crate) mod subject;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use visibility_core::accounts::sliding_window::{Remaining, SlidingWindow};
use visibility_core::store::StoreError;

pub(crate) use self::address_key::{AddressKey, network};
use self::lru_map::LruMap;
pub(crate) use self::scope::LimitScope;
use self::shared::{Counting, SharedView};
use self::subject::{Subject, SubjectKind};
use crate::settings::Limits;
use crate::stores::state::StateStore;

/// Addresses that are remembered, and hosts: each half as many for certain, those that asked last.
const MAX_ANONYMOUS_CLIENTS: usize = 100_000;

/// Why a request is not admitted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LimitError {
    /// The subject has used up what it may.
    #[error("the limit is reached")]
    Reached {
        /// Which limit.
        scope: LimitScope,
        /// How many it admits.
        limit: u32,
        /// When one more is admitted.
        wait: Duration,
    },
    /// What was used before is not known.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// One admission, by which it can be taken back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Admission {
    scope: LimitScope,
    /// In the window's own time.
    counted_at: DateTime<Utc>,
    /// By the clock, as it is kept.
    kept_at: DateTime<Utc>,
}

/// The windows of all subjects that have asked since the start.
#[derive(Debug)]
pub(crate) struct Limiter {
    limits: Limits,
    /// Whether all nodes count in the database.
    is_shared: bool,
    subjects: Mutex<HashMap<Subject, Arc<SubjectWindows>>>,
    addresses: AnonymousClients,
    /// Apart from addresses, so that naming many hosts forgives no address anything.
    hosts: AnonymousClients,
}

type AnonymousClients = Mutex<LruMap<Subject, Arc<SubjectWindows>>>;

/// The windows of one subject.
#[derive(Debug, Default)]
struct SubjectWindows {
    /// Held while something is counted and kept, so that hits are kept in the order in which they are
    /// granted.
    order: Mutex<()>,
    /// Never held while the database works, so that lookups do not wait for it.
    memory: Mutex<ScopeWindows>,
}

/// The windows of the scopes that were asked for, a few at the most.
#[derive(Debug, Default)]
struct ScopeWindows(Vec<(LimitScope, Window)>);

#[derive(Debug)]
enum Window {
    /// This process alone counts.
    Own {
        sliding: SlidingWindow,
        /// Hits that were added since old ones were removed.
        added: u32,
    },
    /// All nodes count in the database: what it said last.
    Shared(SharedView),
}

impl Window {
    fn check(&mut self, now: DateTime<Utc>) -> Result<(), TimeDelta> {
        match self {
            Self::Own { sliding, .. } => sliding.check(now),
            Self::Shared(view) => view.check(now),
        }
    }

    fn remaining(&mut self, now: DateTime<Utc>) -> Remaining {
        match self {
            Self::Own { sliding, .. } => sliding.remaining(now),
            Self::Shared(view) => view.remaining(now),
        }
    }
}

impl SubjectWindows {
    fn order(&self) -> MutexGuard<'_, ()> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn memory(&self) -> MutexGuard<'_, ScopeWindows> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an admission back in memory.
    fn undo(&self, admission: Admission) {
        if let Some(window) = self.memory().get_mut(admission.scope) {
            match window {
                Window::Own { sliding, .. } => sliding.undo(admission.counted_at),
                Window::Shared(view) => view.undo(),
            }
        }
    }
}

impl ScopeWindows {
    fn get_mut(&mut self, scope: LimitScope) -> Option<&mut Window> {
        self.0.iter_mut().find_map(|(own, window)| (*own == scope).then_some(window))
    }
}

impl Limiter {
    /// A limiter that knows what the database knows as soon as it is asked.
    pub(crate) fn new(limits: &Limits, state_store: &StateStore) -> Self {
        Self {
            limits: limits.clone(),
            is_shared: state_store.shares_limits(),
            subjects: Mutex::default(),
            addresses: Mutex::new(LruMap::new(MAX_ANONYMOUS_CLIENTS)),
            hosts: Mutex::new(LruMap::new(MAX_ANONYMOUS_CLIENTS)),
        }
    }

    /// Reads what a subject has used from the database, unless that was done before. Blocks.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn load(
        &self,
        state_store: &StateStore,
        subject: &Subject,
        scope: LimitScope,
    ) -> Result<(), StoreError> {
        if scope.limit(&self.limits) == 0 {
            return Ok(());
        }
        if self.is_shared {
            return self.ask_database(state_store, (subject, scope), Counting::Look).map(|_| ());
        }
        let windows = self.windows(subject);
        let _order = windows.order();
        self.load_in_order(state_store, &windows, (subject, scope))
    }

    fn load_in_order(
        &self,
        state_store: &StateStore,
        windows: &SubjectWindows,
        (subject, scope): (&Subject, LimitScope),
    ) -> Result<(), StoreError> {
        if windows.memory().get_mut(scope).is_some() {
            return Ok(());
        }
        let hits = if scope.is_persisted() {
            state_store.hits(subject.as_str(), scope.kind())?
        } else {
            Vec::new()
        };
        self.restore(windows, scope, hits);
        Ok(())
    }

    /// Makes the window of a scope unless there is one, with hits of an earlier process.
    fn restore(&self, windows: &SubjectWindows, scope: LimitScope, hits: Vec<DateTime<Utc>>) {
        let mut memory = windows.memory();
        if memory.get_mut(scope).is_some() {
            return;
        }
        let limit = scope.limit(&self.limits);
        let mut sliding = SlidingWindow::new(limit, scope.span());
        for at in hits {
            sliding.restore(at);
        }
        // What an earlier process has left is removed with the first hit.
        memory.0.push((scope, Window::Own { sliding, added: limit }));
    }

    /// What is left of a limit, from memory alone: `None` if the limit is lifted or not loaded.
    ///
    /// The clock is read under the lock, as for [`admit`](Self::admit).
    pub(crate) fn left(
        &self,
        subject: &Subject,
        scope: LimitScope,
        clock: impl FnOnce() -> DateTime<Utc>,
    ) -> Option<Remaining> {
        if scope.limit(&self.limits) == 0 {
            return None;
        }
        let windows = self.windows(subject);
        let mut memory = windows.memory();
        memory.get_mut(scope).map(|window| window.remaining(clock()))
    }

    /// Whether requests are counted by all nodes together, in the database, which blocks.
    pub(crate) fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Whether [`load`](Self::load) has nothing to do: other nodes may have counted since.
    pub(crate) fn is_loaded(&self, subject: &Subject, scope: LimitScope) -> bool {
        scope.limit(&self.limits) == 0
            || !self.is_shared && self.windows(subject).memory().get_mut(scope).is_some()
    }

    /// Says whether a request would be admitted, without counting it. Blocks if the limit is not loaded.
    ///
    /// # Errors
    ///
    /// [`LimitError`].
    pub(crate) fn check(
        &self,
        state_store: &StateStore,
        subject: &Subject,
        scope: LimitScope,
        clock: impl FnOnce() -> DateTime<Utc>,
    ) -> Result<(), LimitError> {
        if !self.is_loaded(subject, scope) {
            self.load(state_store, subject, scope)?;
        }
        self.check_loaded(subject, scope, clock)
    }

    /// The same, from memory alone, for a limit that is loaded.
    ///
    /// # Errors
    ///
    /// [`LimitError::Reached`].
    pub(crate) fn check_loaded(
        &self,
        subject: &Subject,
        scope: LimitScope,
        clock: impl FnOnce() -> DateTime<Utc>,
    ) -> Result<(), LimitError> {
        let windows = self.windows(subject);
        let mut memory = windows.memory();
        let Some(window) = memory.get_mut(scope) else { return Ok(()) };
        window.check(clock()).map_err(|wait| self.reached(scope, wait))
    }

    /// Admits a request and counts it, here and in the database; nothing is counted for a limit that is
    /// lifted. Blocks.
    ///
    /// The clock is read once it is the request's turn: a time from before would look like a clock that
    /// was set back if another request was faster, and shorten the window by as much.
    ///
    /// # Errors
    ///
    /// [`LimitError`]; the request does not count then.
    pub(crate) fn admit(
        &self,
        state_store: &StateStore,
        subject: &Subject,
        scope: LimitScope,
        clock: impl FnOnce() -> DateTime<Utc>,
    ) -> Result<Option<Admission>, LimitError> {
        let limit = scope.limit(&self.limits);
        if limit == 0 {
            return Ok(None);
        }
        if self.is_shared {
            return self.admit_shared(state_store, subject, scope);
        }
        let windows = self.windows(subject);
        let _order = windows.order();
        self.load_in_order(state_store, &windows, (subject, scope))?;
        let Some((admission, is_prune_due)) = self.count(&windows, scope, clock)? else {
            return Ok(None);
        };
        if !scope.is_persisted() {
            return Ok(Some(admission));
        }
        let (subject, kind) = (subject.as_str(), scope.kind());
        let mut kept = state_store.add_hit(subject, kind, admission.kept_at);
        if kept.is_ok() && is_prune_due {
            kept = state_store.prune_hits(subject, kind, limit);
        }
        if let Err(error) = kept {
            // It counts as long as the process lives. A batch of a store that is full is refused
            // later, for that reason.
            tracing::warn!(
                subject,
                error = &error as &dyn std::error::Error,
                "cannot store a request for the limits"
            );
        }
        Ok(Some(admission))
    }

    /// Counts an admission in memory, and says whether old hits are to be removed.
    fn count(
        &self,
        windows: &SubjectWindows,
        scope: LimitScope,
        clock: impl FnOnce() -> DateTime<Utc>,
    ) -> Result<Option<(Admission, bool)>, LimitError> {
        let mut memory = windows.memory();
        let Some(Window::Own { sliding, added }) = memory.get_mut(scope) else { return Ok(None) };
        let kept_at = clock();
        sliding.admit(kept_at).map_err(|wait| self.reached(scope, wait))?;
        *added += 1;
        let is_prune_due = *added >= scope.limit(&self.limits);
        if is_prune_due {
            *added = 0;
        }
        let counted_at = sliding.latest().unwrap_or(kept_at);
        Ok(Some((Admission { scope, counted_at, kept_at }, is_prune_due)))
    }

    /// Takes an admission back in memory: what it was for did not happen.
    pub(crate) fn undo(&self, subject: &Subject, admission: Admission) {
        self.windows(subject).undo(admission);
    }

    /// Removes an admission that was taken back from the database. Blocks.
    pub(crate) fn delete(&self, state_store: &StateStore, subject: &Subject, admission: Admission) {
        let Admission { scope, kept_at, .. } = admission;
        if !scope.is_persisted() && !self.is_shared {
            return;
        }
        let windows = self.windows(subject);
        let _order = windows.order();
        let removed = state_store.remove_hit(subject.as_str(), scope.kind(), kept_at);
        if let Err(error) = removed {
            // It counts after the next start.
            tracing::warn!(%subject, error = &error as &dyn std::error::Error, "cannot remove a request from the limits");
        }
    }

    fn windows(&self, subject: &Subject) -> Arc<SubjectWindows> {
        let strangers = match subject.kind() {
            SubjectKind::Known => None,
            SubjectKind::Address => Some(&self.addresses),
            SubjectKind::Host => Some(&self.hosts),
        };
        if let Some(strangers) = strangers {
            // What is forgotten goes when others may ask again.
            let mut strangers = strangers.lock().unwrap_or_else(PoisonError::into_inner);
            let (windows, _forgotten) = strangers.get_or_insert(subject);
            drop(strangers);
            return windows;
        }
        let mut subjects = self.subjects.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(windows) = subjects.get(subject) {
            return Arc::clone(windows);
        }
        Arc::clone(subjects.entry(subject.clone()).or_default())
    }

    fn reached(&self, scope: LimitScope, wait: TimeDelta) -> LimitError {
        let wait = wait.to_std().unwrap_or(Duration::ZERO);
        LimitError::Reached { scope, limit: scope.limit(&self.limits), wait }
    }
}

#[cfg(test)]
mod tests {
    use visibility_core::accounts::tenant::TenantSlug;

    use super::*;
    use crate::stores::state::testing::TestStore;

    fn limiter_of(state_store: &StateStore, burst: u32, batches_per_hour: u32) -> Limiter {
        Limiter::new(&Limits { batches_per_hour, burst, ..Limits::default() }, state_store)
    }

    fn at(milliseconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(1_700_000_000_000 + milliseconds).unwrap()
    }

    fn tenant(name: &str) -> Subject {
        Subject::from(&name.parse::<TenantSlug>().unwrap())
    }

    fn wait<T>(result: Result<T, LimitError>) -> Option<Duration> {
        match result {
            Ok(_) => None,
            Err(LimitError::Reached { wait, .. }) => Some(wait),
            Err(LimitError::Store(error)) => panic!("{error}"),
        }
    }

    #[test]
    fn windows_survive_reopening_the_store() {
        let state_store = TestStore::new();
        let acme = tenant("acme");
        for n in 0..10 {
            let limiter = limiter_of(&state_store, 10, 60);
            assert_eq!(
                wait(limiter.admit(&state_store, &acme, LimitScope::Burst, || at(n * 100))),
                None
            );
        }
        let limiter = limiter_of(&state_store, 10, 60);
        let admit = |milliseconds| {
            wait(limiter.admit(&state_store, &acme, LimitScope::Burst, || at(milliseconds)))
        };
        assert_eq!(admit(1_000), Some(Duration::from_secs(9)));
        assert_eq!(admit(9_999), Some(Duration::from_millis(1)));
        assert_eq!(admit(10_000), None);
        assert_eq!(admit(10_000), Some(Duration::from_millis(100)));
    }

    #[test]
    fn a_clock_that_was_set_back_before_a_restart_locks_no_one_out() {
        let state_store = TestStore::new();
        let acme = tenant("acme");
        let a_year = 365 * 86_400_000;
        let limiter = limiter_of(&state_store, 2, 60);
        for _ in 0..2 {
            assert_eq!(
                wait(limiter.admit(&state_store, &acme, LimitScope::Burst, || at(a_year))),
                None
            );
        }
        let state_store = state_store.reopened();
        let limiter = limiter_of(&state_store, 2, 60);
        let admit = |milliseconds| {
            wait(limiter.admit(&state_store, &acme, LimitScope::Burst, || at(milliseconds)))
        };
        assert_eq!(admit(0), Some(Duration::from_secs(10)));
        assert_eq!(admit(10_000), None);
    }

    #[test]
    fn tenants_and_scopes_have_windows_of_their_own() {
        let state_store = TestStore::new();
        let limiter = limiter_of(&state_store, 1, 1);
        for tenant in [tenant("acme"), tenant("globex")] {
            for scope in [LimitScope::Burst, LimitScope::Hour] {
                assert_eq!(wait(limiter.admit(&state_store, &tenant, scope, || at(0))), None);
                assert!(wait(limiter.check(&state_store, &tenant, scope, || at(0))).is_some());
            }
        }
        let hour = wait(limiter.check(&state_store, &tenant("acme"), LimitScope::Hour, || at(1)));
        assert_eq!(hour, Some(Duration::from_millis(3_599_999)));
    }

    #[test]
    fn of_strangers_so_many_are_remembered_as_have_asked_last() {
        let state_store = TestStore::new();
        let limiter = limiter_of(&state_store, 1, 1);
        let stranger = |number: u32| Subject::anonymous(format!("address/{number:032}"));
        let is_used_up = |subject: &Subject| {
            limiter.load(&state_store, subject, LimitScope::AuditMinute).unwrap();
            wait(limiter.check(&state_store, subject, LimitScope::AuditMinute, || at(0))).is_some()
        };
        let busy = stranger(0);
        for _ in 0..Limits::default().audits_per_minute {
            let windows = limiter.windows(&busy);
            limiter
                .load_in_order(&state_store, &windows, (&busy, LimitScope::AuditMinute))
                .unwrap();
            limiter.count(&windows, LimitScope::AuditMinute, || at(0)).unwrap();
        }
        for number in 1..300_000 {
            if number % 1_000 == 0 {
                assert!(is_used_up(&busy), "{number}");
            }
            assert!(!is_used_up(&stranger(number)));
        }
        assert!(limiter.addresses.lock().unwrap().len() <= MAX_ANONYMOUS_CLIENTS);
        for number in 0..150_000 {
            limiter.windows(&Subject::host(format!("host/{number}.example")));
        }
        assert!(is_used_up(&busy), "hosts push no address out");
        assert!(limiter.hosts.lock().unwrap().len() <= MAX_ANONYMOUS_CLIENTS);
        assert!(limiter.subjects.lock().unwrap().is_empty());
    }

    #[test]
    fn the_clock_is_read_when_it_is_the_turn_of_a_request() {
        let state_store = TestStore::new();
        let limiter = limiter_of(&state_store, 1, 60);
        let acme = tenant("acme");
        let is_free = || limiter.windows(&acme).order.try_lock().is_ok();
        let mut was_free = None;
        let clock = || {
            was_free = Some(is_free());
            at(0)
        };
        assert_eq!(wait(limiter.admit(&state_store, &acme, LimitScope::Burst, clock)), None);
        assert_eq!(was_free, Some(false));
    }

    #[test]
    fn a_check_does_not_count() {
        let state_store = TestStore::new();
        let limiter = limiter_of(&state_store, 1, 1);
        let acme = tenant("acme");
        for _ in 0..3 {
            assert_eq!(wait(limiter.check(&state_store, &acme, LimitScope::Hour, || at(0))), None);
        }
        assert_eq!(wait(limiter.admit(&state_store, &acme, LimitScope::Hour, || at(0))), None);
    }

    #[test]
    fn rows_that_no_window_needs_are_removed() {
        let state_store = TestStore::new();
        let limiter = limiter_of(&state_store, 10, 60);
        let acme = tenant("acme");
        for n in 0..200 {
            assert_eq!(
                wait(limiter.admit(&state_store, &acme, LimitScope::Burst, || at(n * 1_001))),
                None
            );
        }
        let kept = state_store.hits(acme.as_str(), LimitScope::Burst.kind()).unwrap();
        assert!((10..20).contains(&kept.len()), "{}", kept.len());
        assert_eq!(kept.last(), Some(&at(199 * 1_001)));
    }

    #[test]
    fn a_limit_of_zero_writes_nothing() {
        let state_store = TestStore::new();
        let limiter = limiter_of(&state_store, 0, 0);
        let acme = tenant("acme");
        for _ in 0..100 {
            assert_eq!(wait(limiter.admit(&state_store, &acme, LimitScope::Burst, || at(0))), None);
        }
        assert!(state_store.hits(acme.as_str(), LimitScope::Burst.kind()).unwrap().is_empty());
    }

    #[test]
    fn who_only_looks_does_not_wait_for_the_database() {
        let state_store = TestStore::new();
        let limiter = limiter_of(&state_store, 2, 60);
        let acme = tenant("acme");
        assert!(!limiter.is_loaded(&acme, LimitScope::Burst));
        assert_eq!(limiter.left(&acme, LimitScope::Burst, || at(0)), None);
        limiter.load(&state_store, &acme, LimitScope::Burst).unwrap();
        assert_eq!(wait(limiter.admit(&state_store, &acme, LimitScope::Burst, || at(0))), None);
        // As if another request were being kept, and the database busy.
        let windows = limiter.windows(&acme);
        let _order = windows.order();
        state_store.while_writing(|_statements| {
            assert_eq!(wait(limiter.check(&state_store, &acme, LimitScope::Burst, || at(0))), None);
            assert_eq!(limiter.left(&acme, LimitScope::Burst, || at(0)).unwrap().count, 1);
        });
    }

    #[test]
    fn an_admission_that_is_taken_back_is_forgotten_for_good() {
        let state_store = TestStore::new();
        let acme = tenant("acme");
        let limiter = limiter_of(&state_store, 2, 60);
        let first =
            limiter.admit(&state_store, &acme, LimitScope::Burst, || at(0)).unwrap().unwrap();
        limiter.admit(&state_store, &acme, LimitScope::Burst, || at(1_000)).unwrap();
        limiter.undo(&acme, first);
        limiter.delete(&state_store, &acme, first);
        assert_eq!(state_store.hits(acme.as_str(), 0).unwrap(), [at(1_000)]);
        let state_store = state_store.reopened();
        let limiter = limiter_of(&state_store, 2, 60);
        assert_eq!(wait(limiter.admit(&state_store, &acme, LimitScope::Burst, || at(1_000))), None);
        let refused = wait(limiter.admit(&state_store, &acme, LimitScope::Burst, || at(2_000)));
        assert_eq!(refused, Some(Duration::from_secs(9)));
    }

    #[test]
    fn a_tenant_and_its_keys_are_different_subjects() {
        let state_store = TestStore::new();
        let limits = Limits { burst: 1, scans_per_day: 1, ..Limits::default() };
        let limiter = Limiter::new(&limits, &state_store);
        let slug = "acme".parse().unwrap();
        let of = |name: &str| Subject::credential(&slug, &name.parse().unwrap());
        for subject in [Subject::from(&slug), of("default"), of("ci")] {
            for scope in [LimitScope::Burst, LimitScope::Day] {
                assert_eq!(wait(limiter.admit(&state_store, &subject, scope, || at(0))), None);
                assert!(wait(limiter.check(&state_store, &subject, scope, || at(0))).is_some());
            }
        }
    }
}
