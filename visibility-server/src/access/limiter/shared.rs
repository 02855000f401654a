//! Limits that all nodes count together, in their database.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use visibility_core::accounts::sliding_window::Remaining;
use visibility_core::store::StoreError;

use super::subject::Subject;
use super::{Admission, LimitError, LimitScope, Limiter, Window};
use crate::runtime::clock;
use crate::stores::state::StateStore;
use crate::stores::state::hits::SubjectLimit;

/// Whether a question counts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Counting {
    Look,
    Count,
}

/// What the database said last about a limit, by the clock of this node. It is a moment old: other nodes may have
/// counted since.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedView {
    left: u32,
    frees_at: DateTime<Utc>,
}

impl SharedView {
    pub(super) fn check(self, now: DateTime<Utc>) -> Result<(), TimeDelta> {
        if self.left == 0 && now < self.frees_at { Err(self.frees_at - now) } else { Ok(()) }
    }

    pub(super) fn remaining(self, now: DateTime<Utc>) -> Remaining {
        Remaining { count: self.left, frees_in: (self.frees_at - now).max(TimeDelta::zero()) }
    }

    pub(super) fn undo(&mut self) {
        self.left = self.left.saturating_add(1);
    }
}

impl Limiter {
    /// Asks the database about a limit, and counts a request if that is wanted and the limit is not reached; gives its
    /// admission then. Blocks.
    pub(super) fn ask_database(
        &self,
        state_store: &StateStore,
        (subject, scope): (&Subject, LimitScope),
        counting: Counting,
    ) -> Result<Option<Admission>, StoreError> {
        let most = scope.limit(&self.limits);
        let limit = SubjectLimit {
            subject: subject.as_str(),
            kind: scope.kind(),
            most,
            span: scope.span(),
        };
        let answer = state_store.count_hit(&limit, counting == Counting::Count)?;
        let view = SharedView {
            left: most.saturating_sub(answer.used),
            frees_at: clock::now() + answer.frees_in,
        };
        let windows = self.windows(subject);
        let mut memory = windows.memory();
        match memory.get_mut(scope) {
            Some(window) => *window = Window::Shared(view),
            None => memory.0.push((scope, Window::Shared(view))),
        }
        let admission = |at| Admission { scope, counted_at: at, kept_at: at };
        Ok(answer.admitted_at.map(admission))
    }

    /// Admits a request and counts it in the database. Blocks.
    pub(super) fn admit_shared(
        &self,
        state_store: &StateStore,
        subject: &Subject,
        scope: LimitScope,
    ) -> Result<Option<Admission>, LimitError> {
        let admission = self.ask_database(state_store, (subject, scope), Counting::Count)?;
        if admission.is_none() {
            // It was refused, if its wait is not over by now.
            self.check_loaded(subject, scope, clock::now)?;
            let wait = Duration::from_millis(1);
            return Err(LimitError::Reached { scope, limit: scope.limit(&self.limits), wait });
        }
        Ok(admission)
    }
}

#[cfg(all(test, feature = "postgres"))]
mod tests {
    use std::thread;
    use std::time::Instant;

    use super::*;
    use crate::settings::Limits;
    use crate::stores::state::testing::TestStore;

    fn limits(burst: u32, batches_per_hour: u32) -> Limits {
        Limits { batches_per_hour, burst, ..Limits::default() }
    }

    #[test]
    #[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
    fn a_limit_is_exact_over_all_nodes() {
        let nodes = TestStore::new().nodes(3);
        let subject = Subject::anonymous("acme".to_owned());
        let start = Instant::now();
        let admitted: Vec<Instant> = thread::scope(|scope| {
            let askers: Vec<_> = (0..6)
                .map(|asker| {
                    let (store, subject) = (&nodes[asker % 3], &subject);
                    scope.spawn(move || {
                        let limiter = Limiter::new(&limits(5, 60), store);
                        let mut admitted = Vec::new();
                        while start.elapsed() < Duration::from_millis(10_500) {
                            let asked =
                                limiter.admit(store, subject, LimitScope::Burst, clock::now);
                            match asked {
                                Ok(_) => admitted.push(Instant::now()),
                                Err(LimitError::Reached { wait, .. }) => {
                                    assert!(wait <= Duration::from_secs(10), "{wait:?}");
                                }
                                Err(LimitError::Store(error)) => panic!("{error:?}"),
                            }
                        }
                        admitted
                    })
                })
                .collect();
            askers.into_iter().flat_map(|asker| asker.join().unwrap()).collect()
        });
        let early = admitted.iter().filter(|at| **at - start < Duration::from_secs(9)).count();
        assert_eq!((early, admitted.len()), (5, 10));
    }

    #[test]
    #[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
    fn what_one_node_counts_another_one_sees_and_takes_back() {
        let nodes = TestStore::new().nodes(2);
        let subject = Subject::anonymous("acme".to_owned());
        let [first, second] = [0, 1].map(|node| Limiter::new(&limits(2, 60), &nodes[node]));
        let scope = LimitScope::Hour;
        let admission = first.admit(&nodes[0], &subject, scope, clock::now).unwrap().unwrap();
        second.load(&nodes[1], &subject, scope).unwrap();
        assert_eq!(second.left(&subject, scope, clock::now).unwrap().count, 59);
        first.undo(&subject, admission);
        first.delete(&nodes[0], &subject, admission);
        assert_eq!(first.left(&subject, scope, clock::now).unwrap().count, 60);
        second.load(&nodes[1], &subject, scope).unwrap();
        assert_eq!(second.left(&subject, scope, clock::now).unwrap().count, 60);
    }

    #[test]
    #[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
    fn hits_of_a_clock_that_was_ahead_keep_no_one_out() {
        let store = TestStore::new();
        let subject = Subject::anonymous("acme".to_owned());
        let limiter = Limiter::new(&limits(1, 60), &store);
        limiter.admit(&store, &subject, LimitScope::Burst, clock::now).unwrap();
        store.execute("UPDATE hit SET at = at + 3600000000", &[]);
        let refused = limiter.admit(&store, &subject, LimitScope::Burst, clock::now).unwrap_err();
        let LimitError::Reached { wait, .. } = refused else { panic!("{refused}") };
        assert!(wait <= Duration::from_secs(10), "{wait:?}");
    }
}
