//! A sliding window: at most so many admissions in any span of time.

use std::collections::VecDeque;

use chrono::{DateTime, TimeDelta, Utc};

/// Admits at most `limit` requests in any `span`: exact, no buckets.
///
/// Time never runs backward in it: a clock that was set back counts as one that was still, so no
/// step of the clock admits more, and none keeps a tenant out for longer than the span.
#[derive(Clone, Debug)]
pub struct SlidingWindow {
    limit: usize,
    span: TimeDelta,
    /// Admissions in the window's own time, oldest first; at most `limit`.
    admitted: VecDeque<DateTime<Utc>>,
    /// The latest time seen, in the window's own time.
    latest: Option<DateTime<Utc>>,
    /// What the window's own time is ahead of the clock: the sum of all backward steps.
    ahead: TimeDelta,
}

/// What is left of a [`SlidingWindow`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Remaining {
    /// Requests that would be admitted now.
    pub count: u32,
    /// After what time the oldest admission is forgotten; the span if there is none.
    pub frees_in: TimeDelta,
}

impl SlidingWindow {
    /// A window that has admitted nothing; a limit of 0 admits everything.
    pub fn new(limit: u32, span: TimeDelta) -> Self {
        Self {
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
            span,
            admitted: VecDeque::new(),
            latest: None,
            ahead: TimeDelta::zero(),
        }
    }

    /// Counts an admission that was granted before, such as one that was stored. Takes them in the
    /// order in which they were granted, whatever the clock said then.
    pub fn restore(&mut self, at: DateTime<Utc>) {
        let now = self.advance(at);
        self.count(now);
    }

    /// Says whether a request would be admitted, without counting it.
    ///
    /// # Errors
    ///
    /// The time after which one will be, if nothing else is admitted.
    pub fn check(&mut self, now: DateTime<Utc>) -> Result<(), TimeDelta> {
        let now = self.advance(now);
        self.wait(now).map_or(Ok(()), Err)
    }

    /// Admits a request and counts it. A request that is refused does not count.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    pub fn admit(&mut self, now: DateTime<Utc>) -> Result<(), TimeDelta> {
        let now = self.advance(now);
        if let Some(wait) = self.wait(now) {
            return Err(wait);
        }
        self.count(now);
        Ok(())
    }

    /// How much is left: what would be admitted now, and after what time there will be more.
    pub fn remaining(&mut self, now: DateTime<Utc>) -> Remaining {
        let now = self.advance(now);
        let count = self.limit.saturating_sub(self.admitted.len());
        let frees_in =
            self.admitted.front().map_or(self.span, |oldest| self.span - (now - *oldest));
        Remaining { count: u32::try_from(count).unwrap_or(u32::MAX), frees_in }
    }

    /// The latest time seen, in the window's own time: just after an admission, when that was.
    pub fn latest(&self) -> Option<DateTime<Utc>> {
        self.latest
    }

    /// Takes back an admission by its time in the window's own time; nothing if it has left the window.
    pub fn undo(&mut self, at: DateTime<Utc>) {
        if let Some(place) = self.admitted.iter().rposition(|admitted| *admitted == at) {
            self.admitted.remove(place);
        }
    }

    /// The clock's time as the window's own, and never before the latest.
    fn advance(&mut self, clock: DateTime<Utc>) -> DateTime<Utc> {
        let mut now = clock.checked_add_signed(self.ahead).unwrap_or(DateTime::<Utc>::MAX_UTC);
        if let Some(latest) = self.latest
            && now < latest
        {
            self.ahead += latest - now;
            now = latest;
        }
        self.latest = Some(now);
        while self.admitted.front().is_some_and(|oldest| now - *oldest >= self.span) {
            self.admitted.pop_front();
        }
        now
    }

    fn wait(&self, now: DateTime<Utc>) -> Option<TimeDelta> {
        if self.limit == 0 || self.admitted.len() < self.limit {
            return None;
        }
        // All that are left are younger than the span; the oldest leaves first.
        self.admitted.front().map(|oldest| self.span - (now - *oldest))
    }

    fn count(&mut self, now: DateTime<Utc>) {
        if self.limit == 0 {
            return;
        }
        if self.admitted.len() >= self.limit {
            self.admitted.pop_front();
        }
        self.admitted.push_back(now);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(milliseconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(1_700_000_000_000 + milliseconds).unwrap()
    }

    fn burst() -> SlidingWindow {
        SlidingWindow::new(10, TimeDelta::seconds(10))
    }

    #[test]
    fn ten_are_admitted_in_any_ten_seconds() {
        let mut window = burst();
        for n in 0..10 {
            assert_eq!(window.admit(at(n * 900)), Ok(()), "{n}");
        }
        assert_eq!(window.admit(at(9_999)), Err(TimeDelta::milliseconds(1)));
        assert_eq!(window.admit(at(10_000)), Ok(()));
        assert_eq!(window.admit(at(10_000)), Err(TimeDelta::milliseconds(900)));
    }

    #[test]
    fn a_refused_request_does_not_count() {
        let mut window = burst();
        for _ in 0..10 {
            assert_eq!(window.admit(at(0)), Ok(()));
        }
        for n in 0..100 {
            assert!(window.admit(at(n)).is_err());
        }
        assert_eq!(window.admit(at(10_000)), Ok(()));
        assert_eq!(window.admitted.len(), 1);
    }

    #[test]
    fn a_clock_that_is_set_back_admits_no_more_and_locks_no_one_out() {
        let mut window = burst();
        for _ in 0..10 {
            assert_eq!(window.admit(at(0)), Ok(()));
        }
        let an_hour_back = -3_600_000;
        let wait = window.admit(at(an_hour_back)).unwrap_err();
        assert_eq!(wait, TimeDelta::seconds(10));
        assert!(window.admit(at(an_hour_back + 9_999)).is_err());
        assert_eq!(window.admit(at(an_hour_back + 10_000)), Ok(()));
    }

    #[test]
    fn a_limit_of_zero_admits_everything_and_remembers_nothing() {
        let mut window = SlidingWindow::new(0, TimeDelta::hours(1));
        for _ in 0..1000 {
            assert_eq!(window.admit(at(0)), Ok(()));
        }
        assert!(window.admitted.is_empty());
    }

    #[test]
    fn restored_admissions_count_in_the_order_in_which_they_were_granted() {
        let mut window = SlidingWindow::new(3, TimeDelta::seconds(10));
        for milliseconds in [100_000, 0, 1_000] {
            window.restore(at(milliseconds));
        }
        assert_eq!(window.admit(at(1_000)), Err(TimeDelta::seconds(9)));
        assert_eq!(window.admit(at(10_000)), Ok(()));
    }

    #[test]
    fn what_is_left_is_what_is_admitted() {
        let mut window = SlidingWindow::new(3, TimeDelta::seconds(10));
        let left = |count, milliseconds| Remaining {
            count,
            frees_in: TimeDelta::milliseconds(milliseconds),
        };
        assert_eq!(window.remaining(at(0)), left(3, 10_000));
        assert_eq!(window.admit(at(0)), Ok(()));
        assert_eq!(window.admit(at(4_000)), Ok(()));
        assert_eq!(window.remaining(at(4_000)), left(1, 6_000));
        assert_eq!(window.admit(at(9_999)), Ok(()));
        assert_eq!(window.remaining(at(9_999)), left(0, 1));
        assert_eq!(window.remaining(at(10_000)), left(1, 4_000));
        assert_eq!(window.remaining(at(30_000)), left(3, 10_000));
    }

    #[test]
    fn what_is_taken_back_was_never_admitted() {
        let mut window = SlidingWindow::new(2, TimeDelta::seconds(10));
        assert_eq!(window.admit(at(0)), Ok(()));
        let first = window.latest().unwrap();
        assert_eq!(window.admit(at(1_000)), Ok(()));
        window.undo(first);
        window.undo(first);
        assert_eq!(window.remaining(at(1_000)).count, 1);
        assert_eq!(window.admit(at(2_000)), Ok(()));
        assert_eq!(window.check(at(2_000)), Err(TimeDelta::seconds(9)));
    }

    /// All admissions in a list, and time as the sum of the forward steps.
    struct Naive {
        admitted: Vec<i64>,
        time: i64,
        clock: i64,
    }

    impl Naive {
        fn admit(&mut self, clock: i64, limit: usize, span: i64) -> Result<(), i64> {
            self.time += (clock - self.clock).max(0);
            self.clock = clock;
            let recent: Vec<i64> =
                self.admitted.iter().copied().filter(|at| self.time - at < span).collect();
            if recent.len() < limit {
                self.admitted.push(self.time);
                return Ok(());
            }
            Err(recent[recent.len() - limit] + span - self.time)
        }
    }

    proptest! {
        #[test]
        fn a_window_agrees_with_a_list_of_all_admissions(
            limit in 1_u32..8,
            span in 1_i64..2_000,
            steps in prop::collection::vec(-1_500_i64..3_000, 1..200),
        ) {
            let mut window = SlidingWindow::new(limit, TimeDelta::milliseconds(span));
            let mut naive = Naive { admitted: Vec::new(), time: 0, clock: 0 };
            let mut clock = 0;
            for step in steps {
                clock += step / 4;
                let expected = naive.admit(clock, limit as usize, span);
                prop_assert_eq!(window.check(at(clock)).is_ok(), expected.is_ok());
                let found = window.admit(at(clock)).map_err(|wait| wait.num_milliseconds());
                prop_assert_eq!(found, expected);
                if let Err(wait) = expected {
                    prop_assert!(wait > 0 && wait <= span);
                    let mut later = window.clone();
                    prop_assert_eq!(later.admit(at(clock + wait)), Ok(()));
                    let mut sooner = window.clone();
                    prop_assert!(sooner.admit(at(clock + wait - 1)).is_err());
                }
            }
        }
    }
}
