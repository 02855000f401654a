//! Adds up the records of a batch: by status, by kind of path and by hour, each for an agent at a host.

use std::collections::BTreeMap;
use std::mem;

use chrono::{Days, NaiveDate};
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use visibility_core::store::sums::{
    HourRow, KindDayRow, OTHER_HOST, RollupRow, SeenRow, Sums, status_group,
};
use visibility_core::traffic::{PathKind, ResponseClass};

use super::StoredRecord;
use super::values::StringInterner;

/// Hosts that are distinguished in one batch; the rest is [`OTHER_HOST`].
const MAX_HOSTS: usize = 10_000;
const MICROS_A_DAY: i64 = 86_400_000_000;
const MICROS_AN_HOUR: i64 = 3_600_000_000;

/// Adds up records. Bounded by their number.
#[derive(Debug, Default)]
pub struct SumsBuilder {
    agents: StringInterner,
    hosts: StringInterner,
    statuses: HashMap<CountKey, CountSums, RandomState>,
    /// Their statuses are those of [`status_group`].
    kinds: HashMap<(CountKey, PathKind), CountSums, RandomState>,
    hours: HashMap<HourKey, HourSums, RandomState>,
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

/// An hour of an agent at a host.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) struct HourKey {
    pub(super) hour: i32,
    pub(super) agent: u32,
    pub(super) host: u32,
}

/// What an hour has come to, and its first and last moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct HourSums {
    records: u64,
    refused: u64,
    missing: u64,
    failed: u64,
    first_micros: i64,
    last_micros: i64,
}

impl CountSums {
    pub(super) fn add(&mut self, other: Self) {
        self.records = self.records.saturating_add(other.records);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

impl HourSums {
    /// An hour without records.
    pub(super) const NONE: Self = Self {
        records: 0,
        refused: 0,
        missing: 0,
        failed: 0,
        first_micros: i64::MAX,
        last_micros: i64::MIN,
    };

    /// Adds a record.
    pub(super) fn push(&mut self, status: u16, timestamp_micros: i64) {
        self.records += 1;
        match ResponseClass::of(status) {
            ResponseClass::Refused => self.refused += 1,
            ResponseClass::Missing => self.missing += 1,
            ResponseClass::Failed => self.failed += 1,
            ResponseClass::Served | ResponseClass::Redirected | ResponseClass::Other => {}
        }
        self.first_micros = self.first_micros.min(timestamp_micros);
        self.last_micros = self.last_micros.max(timestamp_micros);
    }

    fn add(&mut self, other: Self) {
        self.records = self.records.saturating_add(other.records);
        self.refused = self.refused.saturating_add(other.refused);
        self.missing = self.missing.saturating_add(other.missing);
        self.failed = self.failed.saturating_add(other.failed);
        self.first_micros = self.first_micros.min(other.first_micros);
        self.last_micros = self.last_micros.max(other.last_micros);
    }
}

impl SumsBuilder {
    /// Adds a record whose path is of this kind.
    pub(crate) fn push(&mut self, record: &StoredRecord<'_>, kind: PathKind) {
        let (agent, host) = self.numbers(record.agent, record.host);
        let status = record.status_code;
        let key = CountKey { day: day_number(record.timestamp_micros), agent, host, status };
        let sums = CountSums { records: 1, bytes: record.counted_bytes() };
        self.add(key, sums);
        self.add_kind(key, kind, sums);
        let mut hour = HourSums::NONE;
        hour.push(status, record.timestamp_micros);
        self.add_hour(HourKey { hour: hour_number(record.timestamp_micros), agent, host }, hour);
    }

    /// The numbers of an agent and of a host. The first hosts have numbers of their own.
    pub(super) fn numbers(&mut self, agent: &str, host: &str) -> (u32, u32) {
        (self.agents.intern(agent), self.host(host))
    }

    /// Adds records of a status.
    pub(super) fn add(&mut self, key: CountKey, sums: CountSums) {
        self.statuses.entry(key).or_default().add(sums);
    }

    /// Adds records of a status and a kind of path.
    pub(super) fn add_kind(&mut self, key: CountKey, kind: PathKind, sums: CountSums) {
        let key = CountKey { status: status_group(key.status), ..key };
        self.kinds.entry((key, kind)).or_default().add(sums);
    }

    /// Adds records of an hour.
    pub(super) fn add_hour(&mut self, key: HourKey, sums: HourSums) {
        self.hours.entry(key).or_insert(HourSums::NONE).add(sums);
    }

    /// What all of them come to.
    pub fn finish(mut self) -> Sums {
        // Rows take more memory than what they are made of, so each table goes before the next rows are made.
        let seen = self.seen();
        let hours = mem::take(&mut self.hours);
        let hours = sorted(hours.into_iter().map(|(key, sums)| self.hour(key, sums)));
        let kinds = mem::take(&mut self.kinds);
        let kinds = sorted(kinds.into_iter().map(|(key, sums)| self.kind(key, sums)));
        let statuses = mem::take(&mut self.statuses);
        let rollups = sorted(statuses.into_iter().map(|(key, sums)| self.rollup(key, sums)));
        Sums { rollups, kinds, hours, seen, rejections: Vec::new() }
    }

    fn host(&mut self, host: &str) -> u32 {
        // The last place is for all that come later.
        if self.hosts.len() < MAX_HOSTS {
            return self.hosts.intern(host);
        }
        self.hosts.get(host).unwrap_or_else(|| self.hosts.intern(OTHER_HOST))
    }

    fn rollup(&self, key: CountKey, sums: CountSums) -> RollupRow {
        RollupRow {
            day: date(key.day),
            agent: self.agents.resolve(key.agent).to_owned(),
            host: self.hosts.resolve(key.host).to_owned(),
            status: key.status,
            records: sums.records,
            bytes: sums.bytes,
        }
    }

    fn kind(&self, (key, kind): (CountKey, PathKind), sums: CountSums) -> KindDayRow {
        KindDayRow {
            day: date(key.day),
            agent: self.agents.resolve(key.agent).to_owned(),
            host: self.hosts.resolve(key.host).to_owned(),
            kind,
            status_group: key.status,
            records: sums.records,
            bytes: sums.bytes,
        }
    }

    fn hour(&self, key: HourKey, sums: HourSums) -> HourRow {
        HourRow {
            hour: key.hour,
            agent: self.agents.resolve(key.agent).to_owned(),
            host: self.hosts.resolve(key.host).to_owned(),
            records: sums.records,
            refused: sums.refused,
            missing: sums.missing,
            failed: sums.failed,
        }
    }

    fn seen(&self) -> Vec<SeenRow> {
        let mut seen: BTreeMap<(u32, u32), HourSums> = BTreeMap::new();
        for (key, sums) in &self.hours {
            seen.entry((key.agent, key.host)).or_insert(HourSums::NONE).add(*sums);
        }
        let row = |((agent, host), sums): ((u32, u32), HourSums)| SeenRow {
            agent: self.agents.resolve(agent).to_owned(),
            host: self.hosts.resolve(host).to_owned(),
            first_micros: sums.first_micros,
            last_micros: sums.last_micros,
        };
        sorted(seen.into_iter().map(row))
    }
}

fn sorted<R: Ord>(rows: impl Iterator<Item = R>) -> Vec<R> {
    let mut rows: Vec<R> = rows.collect();
    rows.sort_unstable();
    rows
}

/// The day of a time, in days since 1970.
pub(crate) fn day_number(micros: i64) -> i32 {
    let day = micros.div_euclid(MICROS_A_DAY);
    // 2^63 microseconds are 10^8 days.
    i32::try_from(day).unwrap_or(i32::MAX)
}

/// The hour of a time, in hours since 1970. One beyond the year 246,000 is the last there is.
pub(crate) fn hour_number(micros: i64) -> i32 {
    let hour = micros.div_euclid(MICROS_AN_HOUR);
    i32::try_from(hour).unwrap_or(if hour < 0 { i32::MIN } else { i32::MAX })
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
