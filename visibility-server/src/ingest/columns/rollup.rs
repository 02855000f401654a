//! Counts of a batch by day, agent, host and status.

use chrono::{Days, NaiveDate};
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use visibility_core::store::RollupRow;

use super::values::StringInterner;

/// Hosts that are distinguished in one batch; the rest is [`OTHER_HOST`].
const MAX_HOSTS: usize = 10_000;
/// Replaces every host that has no rows of its own. It is not a valid host name.
const OTHER_HOST: &str = "(other)";
const MICROS_A_DAY: i64 = 86_400_000_000;

/// Adds up the records of a batch. Bounded by their number.
#[derive(Debug, Default)]
pub struct Rollup {
    agents: StringInterner,
    hosts: StringInterner,
    groups: HashMap<CountKey, CountSums, RandomState>,
}

/// What records are counted for. Agent and host are numbers of [`StringInterner`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) struct CountKey {
    pub(super) day: i32,
    pub(super) agent: u32,
    pub(super) host: u32,
    pub(super) status: u16,
}

/// What a slot has come to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CountSums {
    pub(super) records: u64,
    pub(super) bytes: u64,
}

impl CountSums {
    pub(super) fn add(&mut self, other: Self) {
        self.records = self.records.saturating_add(other.records);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

impl Rollup {
    /// Adds the records of a slot whose agent and host have these names. The first hosts have
    /// rows of their own.
    pub(super) fn add(&mut self, slot: &CountKey, agent: &str, host: &str, sums: CountSums) {
        let slot = CountKey { agent: self.agents.intern(agent), host: self.host(host), ..*slot };
        self.groups.entry(slot).or_default().add(sums);
    }

    /// The counts, sorted.
    pub fn rows(&self) -> Vec<RollupRow> {
        let mut rows: Vec<RollupRow> =
            self.groups.iter().map(|(group, sums)| self.row(*group, *sums)).collect();
        rows.sort_unstable();
        rows
    }

    fn host(&mut self, host: &str) -> u32 {
        // The last place is for all that come later.
        if self.hosts.len() < MAX_HOSTS {
            return self.hosts.intern(host);
        }
        self.hosts.get(host).unwrap_or_else(|| self.hosts.intern(OTHER_HOST))
    }

    fn row(&self, group: CountKey, sums: CountSums) -> RollupRow {
        RollupRow {
            day: date(group.day),
            agent: self.agents.resolve(group.agent).to_owned(),
            host: self.hosts.resolve(group.host).to_owned(),
            status: group.status,
            records: sums.records,
            bytes: sums.bytes,
        }
    }
}

/// The day of a time, in days since 1970.
pub(crate) fn day_number(micros: i64) -> i32 {
    let day = micros.div_euclid(MICROS_A_DAY);
    // 2^63 microseconds are 10^8 days.
    i32::try_from(day).unwrap_or(i32::MAX)
}

/// The day with a number; a number beyond the calendar gives its end.
pub(crate) fn date(day: i32) -> NaiveDate {
    let days = Days::new(day.unsigned_abs().into());
    let epoch = NaiveDate::default();
    if day < 0 {
        epoch.checked_sub_days(days).unwrap_or(NaiveDate::MIN)
    } else {
        epoch.checked_add_days(days).unwrap_or(NaiveDate::MAX)
    }
}
