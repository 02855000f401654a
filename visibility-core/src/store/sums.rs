//! Everything of a batch that is added up, in the same transaction as the batch: so it is as exact as the ledger.
//!
//! Senders name the hosts, so their number is bounded: the first [`limits::MAX_ROLLUP_HOSTS`] of a tenant have rows of
//! their own, those of all others are added up as [`OTHER_HOST`].

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::Counts;
use crate::limits;
use crate::traffic::{PathKind, ResponseClass};

/// The name for all hosts that have no rows of their own. No host is called so.
pub const OTHER_HOST: &str = "(other)";

/// Where the bytes of one row stop: at the highest number of a column. Senders choose the bytes of
/// a record, so a few of them can get there.
pub const MAX_ROLLUP_BYTES: u64 = i64::MAX.unsigned_abs();

/// Counts of one day, agent, host and status.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct RollupRow {
    /// Day of the records, UTC.
    pub day: NaiveDate,
    /// Id of the agent.
    pub agent: String,
    /// Host, or `(other)`.
    pub host: String,
    /// HTTP status.
    pub status: u16,
    /// Number of records.
    pub records: u64,
    /// Sum of their `response_bytes`.
    pub bytes: u64,
}

/// Counts of one day, agent, host, kind of path and group of statuses.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct KindDayRow {
    /// Day of the records, UTC.
    pub day: NaiveDate,
    /// Id of the agent.
    pub agent: String,
    /// Host, or `(other)`.
    pub host: String,
    /// What their paths lead to.
    pub kind: PathKind,
    /// The status that stands for their group, see [`status_group`].
    pub status_group: u16,
    /// Number of records.
    pub records: u64,
    /// Sum of their `response_bytes`.
    pub bytes: u64,
}

/// Counts of one hour, agent and host.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct HourRow {
    /// Hours since 1970.
    pub hour: i32,
    /// Id of the agent.
    pub agent: String,
    /// Host, or `(other)`.
    pub host: String,
    /// Number of records.
    pub records: u64,
    /// Those that were refused, by [`ResponseClass`].
    pub refused: u64,
    /// Those whose page was missing.
    pub missing: u64,
    /// Those at which the server failed.
    pub failed: u64,
}

/// When an agent was first and last seen at a host, by the times of its records.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct SeenRow {
    /// Id of the agent.
    pub agent: String,
    /// Host, or `(other)`.
    pub host: String,
    /// The earliest time, microseconds since 1970.
    pub first_micros: i64,
    /// The latest time.
    pub last_micros: i64,
}

/// Lines of one day that were rejected for one reason.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct RejectionRow {
    /// The day on which they arrived, UTC: their own time may be what is wrong with them.
    pub day: NaiveDate,
    /// The reason, as responses name it.
    pub reason: String,
    /// Number of lines.
    pub records: u64,
}

/// The rows of a batch, or of all batches of a tenant. In each list they are sorted, and no two have the same key.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Sums {
    /// By day, agent, host and status.
    pub rollups: Vec<RollupRow>,
    /// By day, agent, host, kind of path and group of statuses.
    pub kinds: Vec<KindDayRow>,
    /// By hour, agent and host.
    pub hours: Vec<HourRow>,
    /// By agent and host.
    pub seen: Vec<SeenRow>,
    /// By day of arrival and reason.
    pub rejections: Vec<RejectionRow>,
}

/// Sums as they are added to those of a tenant.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FoldedSums<'a> {
    /// The sums.
    pub sums: Cow<'a, Sums>,
    /// Hosts that get rows of their own with them.
    pub new_hosts: Vec<&'a str>,
}

/// The status that stands for all statuses of the same first digit and the same [`ResponseClass`], such as 404 for 404 and
/// 410. It keeps rows few and answers both questions.
pub fn status_group(status: u16) -> u16 {
    match (ResponseClass::of(status), status) {
        (ResponseClass::Served, 304) => 304,
        (ResponseClass::Refused, _) => 403,
        (ResponseClass::Missing, _) => 404,
        _ => status / 100 * 100,
    }
}

impl Sums {
    /// Adds other rows.
    pub fn add(&mut self, other: &Self) {
        add_rows(&mut self.rollups, &other.rollups);
        add_rows(&mut self.kinds, &other.kinds);
        add_rows(&mut self.hours, &other.hours);
        add_rows(&mut self.seen, &other.seen);
        add_rows(&mut self.rejections, &other.rejections);
    }

    /// Compares all lists with what a batch counts, and with each other.
    ///
    /// # Errors
    ///
    /// When two numbers differ: says which.
    pub fn check(&self, counts: Counts) -> Result<(), String> {
        let Counts { accepted, rejected, .. } = counts;
        for (name, counted, expected) in [
            ("by status", total(&self.rollups), accepted),
            ("by kind", total(&self.kinds), accepted),
            ("by hour", total(&self.hours), accepted),
            ("by reason", total(&self.rejections), rejected),
        ] {
            if counted != expected {
                return Err(format!("{counted} records counted {name}, {expected} expected"));
            }
        }
        let of_hours: BTreeSet<_> = self.hours.iter().map(|row| (&row.agent, &row.host)).collect();
        if !of_hours.into_iter().eq(self.seen.iter().map(|row| (&row.agent, &row.host))) {
            return Err("agents were seen at other hosts than those counted by hour".to_owned());
        }
        Ok(())
    }

    /// Folds the hosts beyond the limit into one, the same in all lists. Hosts that are new get the places that are left,
    /// the busiest first.
    pub fn fold_hosts(&self, known: &BTreeSet<String>) -> FoldedSums<'_> {
        let mut unknown: BTreeMap<&str, u64> = BTreeMap::new();
        for row in &self.rollups {
            if !known.contains(&row.host) && row.host != OTHER_HOST {
                let records = unknown.entry(&row.host).or_default();
                *records = records.saturating_add(row.records);
            }
        }
        let room = limits::MAX_ROLLUP_HOSTS.saturating_sub(known.len());
        let mut new_hosts: Vec<(&str, u64)> = unknown.into_iter().collect();
        if new_hosts.len() <= room {
            let new_hosts = new_hosts.into_iter().map(|(host, _)| host).collect();
            return FoldedSums { sums: Cow::Borrowed(self), new_hosts };
        }
        new_hosts.sort_by_key(|&(host, records)| (Reverse(records), host));
        new_hosts.truncate(room);
        let new_hosts: Vec<&str> = new_hosts.into_iter().map(|(host, _)| host).collect();
        let own: BTreeSet<&str> =
            known.iter().map(String::as_str).chain(new_hosts.iter().copied()).collect();
        FoldedSums { sums: Cow::Owned(self.with_hosts(&own)), new_hosts }
    }

    /// The same sums, in which only these hosts have rows of their own.
    #[must_use]
    pub fn with_hosts(&self, own: &BTreeSet<&str>) -> Self {
        Self {
            rollups: fold(&self.rollups, own),
            kinds: fold(&self.kinds, own),
            hours: fold(&self.hours, own),
            seen: fold(&self.seen, own),
            rejections: self.rejections.clone(),
        }
    }
}

/// A row that is added up.
trait AdditiveRow: Clone + Ord {
    /// How many records it counts.
    fn records(&self) -> u64;

    /// Adds a row of the same key; does nothing and is false for one of another.
    fn add(&mut self, other: &Self) -> bool;

    /// The row, with no more bytes than a column has room for.
    fn capped(self) -> Self {
        self
    }
}

/// A row of one host.
trait HostRow: AdditiveRow {
    fn host(&mut self) -> &mut String;
}

fn total(rows: &[impl AdditiveRow]) -> u64 {
    rows.iter().map(AdditiveRow::records).fold(0, u64::saturating_add)
}

fn add_rows<R: AdditiveRow>(rows: &mut Vec<R>, others: &[R]) {
    rows.extend(others.iter().cloned().map(AdditiveRow::capped));
    add_equal(rows);
}

/// Sorts rows, and makes one of those of the same key.
fn add_equal<R: AdditiveRow>(rows: &mut Vec<R>) {
    // Keys come first in each row, so that those of the same key are neighbours.
    rows.sort_unstable();
    rows.dedup_by(|later, earlier| earlier.add(later));
}

fn fold<R: HostRow>(rows: &[R], own: &BTreeSet<&str>) -> Vec<R> {
    let mut folded = rows.to_vec();
    for row in &mut folded {
        let host = row.host();
        if !own.contains(host.as_str()) {
            OTHER_HOST.clone_into(host);
        }
    }
    add_equal(&mut folded);
    folded
}

fn add_bytes(bytes: &mut u64, others: u64) {
    *bytes = bytes.saturating_add(others).min(MAX_ROLLUP_BYTES);
}

impl AdditiveRow for RollupRow {
    fn records(&self) -> u64 {
        self.records
    }

    fn add(&mut self, other: &Self) -> bool {
        let is_same = (self.day, self.status) == (other.day, other.status)
            && self.agent == other.agent
            && self.host == other.host;
        if is_same {
            self.records = self.records.saturating_add(other.records);
            add_bytes(&mut self.bytes, other.bytes);
        }
        is_same
    }

    fn capped(self) -> Self {
        Self { bytes: self.bytes.min(MAX_ROLLUP_BYTES), ..self }
    }
}

impl HostRow for RollupRow {
    fn host(&mut self) -> &mut String {
        &mut self.host
    }
}

impl AdditiveRow for KindDayRow {
    fn records(&self) -> u64 {
        self.records
    }

    fn add(&mut self, other: &Self) -> bool {
        let is_same = (self.day, self.kind, self.status_group)
            == (other.day, other.kind, other.status_group)
            && self.agent == other.agent
            && self.host == other.host;
        if is_same {
            self.records = self.records.saturating_add(other.records);
            add_bytes(&mut self.bytes, other.bytes);
        }
        is_same
    }

    fn capped(self) -> Self {
        Self { bytes: self.bytes.min(MAX_ROLLUP_BYTES), ..self }
    }
}

impl HostRow for KindDayRow {
    fn host(&mut self) -> &mut String {
        &mut self.host
    }
}

impl AdditiveRow for HourRow {
    fn records(&self) -> u64 {
        self.records
    }

    fn add(&mut self, other: &Self) -> bool {
        let is_same =
            self.hour == other.hour && self.agent == other.agent && self.host == other.host;
        if is_same {
            self.records = self.records.saturating_add(other.records);
            self.refused = self.refused.saturating_add(other.refused);
            self.missing = self.missing.saturating_add(other.missing);
            self.failed = self.failed.saturating_add(other.failed);
        }
        is_same
    }
}

impl HostRow for HourRow {
    fn host(&mut self) -> &mut String {
        &mut self.host
    }
}

impl AdditiveRow for SeenRow {
    fn records(&self) -> u64 {
        0
    }

    fn add(&mut self, other: &Self) -> bool {
        let is_same = self.agent == other.agent && self.host == other.host;
        if is_same {
            self.first_micros = self.first_micros.min(other.first_micros);
            self.last_micros = self.last_micros.max(other.last_micros);
        }
        is_same
    }
}

impl HostRow for SeenRow {
    fn host(&mut self) -> &mut String {
        &mut self.host
    }
}

impl AdditiveRow for RejectionRow {
    fn records(&self) -> u64 {
        self.records
    }

    fn add(&mut self, other: &Self) -> bool {
        let is_same = self.day == other.day && self.reason == other.reason;
        if is_same {
            self.records = self.records.saturating_add(other.records);
        }
        is_same
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records of one host, each of them at another hour.
    fn sums(hosts: &[(&str, u64)]) -> Sums {
        let mut sums = Sums::default();
        for &(host, records) in hosts {
            let (day, agent, host) = (NaiveDate::default(), "gptbot".to_owned(), host.to_owned());
            let bytes = 10 * records;
            sums.add(&Sums {
                rollups: vec![RollupRow {
                    day,
                    agent: agent.clone(),
                    host: host.clone(),
                    status: 410,
                    records,
                    bytes,
                }],
                kinds: vec![KindDayRow {
                    day,
                    agent: agent.clone(),
                    host: host.clone(),
                    kind: PathKind::Page,
                    status_group: status_group(410),
                    records,
                    bytes,
                }],
                hours: vec![HourRow {
                    hour: 7,
                    agent: agent.clone(),
                    host: host.clone(),
                    records,
                    refused: 0,
                    missing: records,
                    failed: 0,
                }],
                seen: vec![SeenRow {
                    agent,
                    host,
                    first_micros: 100 - records.cast_signed(),
                    last_micros: 100 + records.cast_signed(),
                }],
                rejections: vec![RejectionRow { day, reason: "INVALID_JSON".to_owned(), records }],
            });
        }
        sums
    }

    fn known(count: usize) -> BTreeSet<String> {
        (0..count).map(|number| format!("h{number}.example")).collect()
    }

    #[test]
    fn rows_of_the_same_key_are_added_up() {
        let twice = sums(&[("a.example", 1), ("a.example", 5), ("b.example", 2)]);
        assert_eq!(twice.rollups.len(), 2);
        let row = twice.kinds.first().unwrap();
        assert_eq!((row.records, row.bytes, row.status_group), (6, 60, 404));
        let row = twice.hours.first().unwrap();
        assert_eq!((row.records, row.refused, row.missing, row.failed), (6, 0, 6, 0));
        let row = twice.seen.first().unwrap();
        assert_eq!((row.first_micros, row.last_micros), (95, 105));
        assert_eq!(twice.rejections.first().unwrap().records, 8);
        assert_eq!(twice.rejections.len(), 1);
        let counts = Counts { received: 16, accepted: 8, rejected: 8 };
        assert_eq!(twice.check(counts), Ok(()));
    }

    #[test]
    fn each_list_is_compared() {
        let counts = Counts { received: 4, accepted: 2, rejected: 2 };
        let change: [fn(&mut Sums); 5] = [
            |sums| sums.rollups.clear(),
            |sums| sums.kinds.clear(),
            |sums| sums.hours.clear(),
            |sums| sums.seen.clear(),
            |sums| sums.rejections.clear(),
        ];
        for change in change {
            let mut sums = sums(&[("a.example", 2)]);
            assert_eq!(sums.check(counts), Ok(()));
            change(&mut sums);
            sums.check(counts).unwrap_err();
        }
    }

    #[test]
    fn bytes_stop_at_the_highest_number() {
        let mut most = sums(&[("a.example", 1)]);
        most.kinds.first_mut().unwrap().bytes = u64::MAX;
        most.add(&sums(&[("a.example", 1)]));
        assert_eq!(most.kinds.first().unwrap().bytes, MAX_ROLLUP_BYTES);
    }

    #[test]
    fn a_group_of_statuses_says_digit_and_class() {
        for status in 100..=599 {
            let group = status_group(status);
            assert_eq!(group / 100, status / 100, "{status}");
            assert_eq!(ResponseClass::of(group), ResponseClass::of(status), "{status}");
            assert_eq!(status_group(group), group, "{status}");
        }
    }

    #[test]
    fn rows_stay_as_they_are_while_there_is_room() {
        let sums = sums(&[("h0.example", 1), ("new.example", 2)]);
        let known = known(limits::MAX_ROLLUP_HOSTS - 1);
        let folded = sums.fold_hosts(&known);
        assert_eq!(
            folded,
            FoldedSums { sums: Cow::Borrowed(&sums), new_hosts: vec!["new.example"] }
        );
    }

    #[test]
    fn the_busiest_new_hosts_get_the_last_places() {
        let three = sums(&[("a.example", 1), ("b.example", 5), ("c.example", 3)]);
        let folded = three.fold_hosts(&known(limits::MAX_ROLLUP_HOSTS - 1));
        assert_eq!(folded.new_hosts, ["b.example"]);
        let mut expected = sums(&[(OTHER_HOST, 1), (OTHER_HOST, 3), ("b.example", 5)]);
        expected.rejections = three.rejections.clone();
        assert_eq!(*folded.sums, expected, "the same in all lists");
    }

    #[test]
    fn known_hosts_keep_their_rows_when_the_places_are_taken() {
        let three = sums(&[("h3.example", 7), ("x.example", 1), (OTHER_HOST, 2)]);
        let folded = three.fold_hosts(&known(limits::MAX_ROLLUP_HOSTS));
        assert!(folded.new_hosts.is_empty());
        let hosts: Vec<(&str, u64)> =
            folded.sums.rollups.iter().map(|row| (row.host.as_str(), row.records)).collect();
        assert_eq!(hosts, [(OTHER_HOST, 3), ("h3.example", 7)]);
    }

    #[test]
    fn half_a_million_hosts_add_up() {
        let row = |number| RollupRow {
            day: NaiveDate::default(),
            agent: "gptbot".to_owned(),
            host: format!("{number:06}.example"),
            status: 200,
            records: 1,
            bytes: 10,
        };
        let sums = Sums { rollups: (0..500_000).map(row).collect(), ..Sums::default() };
        let known = BTreeSet::new();
        let folded = sums.fold_hosts(&known);
        assert_eq!(folded.new_hosts.len(), limits::MAX_ROLLUP_HOSTS);
        assert_eq!(folded.sums.rollups.len(), limits::MAX_ROLLUP_HOSTS + 1);
        assert_eq!(total(&folded.sums.rollups), 500_000);
    }
}
