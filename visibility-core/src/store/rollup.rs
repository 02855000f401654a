//! Limits how many hosts of a tenant have rollups of their own.
//!
//! Senders name the hosts, so their number is bounded: the first [`limits::MAX_ROLLUP_HOSTS`] of a
//! tenant have rows of their own, those of all others are added up as [`OTHER_HOST`].

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::RollupRow;
use crate::limits;

/// The name for all hosts that have no rows of their own. No host is called so.
pub const OTHER_HOST: &str = "(other)";

/// Where the bytes of one row stop: at the highest number of a column. Senders choose the bytes of
/// a record, so a few of them can get there.
pub const MAX_ROLLUP_BYTES: u64 = i64::MAX.unsigned_abs();

/// Rows as they are added to the rollups of a tenant.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FoldedRows<'a> {
    /// The rows; no two have the same day, agent, host and status if none had before.
    pub rows: Cow<'a, [RollupRow]>,
    /// Hosts that get rows of their own with them.
    pub new_hosts: Vec<&'a str>,
}

/// Folds the hosts beyond the limit into one. Hosts that are new get the places that are left, the
/// busiest first.
pub fn fold_hosts<'a>(rows: &'a [RollupRow], known: &BTreeSet<String>) -> FoldedRows<'a> {
    let mut unknown: BTreeMap<&str, u64> = BTreeMap::new();
    for row in rows {
        if !known.contains(&row.host) && row.host != OTHER_HOST {
            let records = unknown.entry(&row.host).or_default();
            *records = records.saturating_add(row.records);
        }
    }
    let room = limits::MAX_ROLLUP_HOSTS.saturating_sub(known.len());
    let mut new_hosts: Vec<(&str, u64)> = unknown.into_iter().collect();
    if new_hosts.len() <= room {
        let new_hosts = new_hosts.into_iter().map(|(host, _)| host).collect();
        return FoldedRows { rows: Cow::Borrowed(rows), new_hosts };
    }
    new_hosts.sort_by_key(|&(host, records)| (Reverse(records), host));
    new_hosts.truncate(room);
    let new_hosts: Vec<&str> = new_hosts.into_iter().map(|(host, _)| host).collect();
    let own: BTreeSet<&str> =
        known.iter().map(String::as_str).chain(new_hosts.iter().copied()).collect();
    FoldedRows { rows: Cow::Owned(fold(rows, &own)), new_hosts }
}

fn fold(rows: &[RollupRow], own: &BTreeSet<&str>) -> Vec<RollupRow> {
    let mut folded = BTreeMap::new();
    for row in rows {
        let host = if own.contains(row.host.as_str()) { row.host.as_str() } else { OTHER_HOST };
        let (records, bytes): &mut (u64, u64) =
            folded.entry((row.day, row.agent.as_str(), host, row.status)).or_default();
        *records = records.saturating_add(row.records);
        *bytes = bytes.saturating_add(row.bytes);
    }
    folded
        .into_iter()
        .map(|((day, agent, host, status), (records, bytes))| RollupRow {
            day,
            agent: agent.to_owned(),
            host: host.to_owned(),
            status,
            records,
            bytes,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::*;

    fn row(host: &str, records: u64) -> RollupRow {
        RollupRow {
            day: NaiveDate::default(),
            agent: "gptbot".to_owned(),
            host: host.to_owned(),
            status: 200,
            records,
            bytes: 10 * records,
        }
    }

    fn known(count: usize) -> BTreeSet<String> {
        (0..count).map(|number| format!("h{number}.example")).collect()
    }

    #[test]
    fn rows_stay_as_they_are_while_there_is_room() {
        let rows = [row("h0.example", 1), row("new.example", 2)];
        let folded = fold_hosts(&rows, &known(limits::MAX_ROLLUP_HOSTS - 1));
        assert_eq!(
            folded,
            FoldedRows { rows: Cow::Borrowed(&rows), new_hosts: vec!["new.example"] }
        );
    }

    #[test]
    fn the_busiest_new_hosts_get_the_last_places() {
        let rows = [row("a.example", 1), row("b.example", 5), row("c.example", 3)];
        let folded = fold_hosts(&rows, &known(limits::MAX_ROLLUP_HOSTS - 1));
        assert_eq!(folded.new_hosts, ["b.example"]);
        assert_eq!(*folded.rows, [row(OTHER_HOST, 4), row("b.example", 5)]);
    }

    #[test]
    fn known_hosts_keep_their_rows_when_the_places_are_taken() {
        let rows = [row("h3.example", 7), row("x.example", 1), row(OTHER_HOST, 2)];
        let folded = fold_hosts(&rows, &known(limits::MAX_ROLLUP_HOSTS));
        assert!(folded.new_hosts.is_empty());
        assert_eq!(*folded.rows, [row(OTHER_HOST, 3), row("h3.example", 7)]);
    }

    #[test]
    fn half_a_million_hosts_add_up() {
        let rows: Vec<RollupRow> =
            (0..500_000).map(|number| row(&format!("{number:06}.example"), 1)).collect();
        let folded = fold_hosts(&rows, &BTreeSet::new());
        assert_eq!(folded.new_hosts.len(), limits::MAX_ROLLUP_HOSTS);
        assert_eq!(folded.rows.len(), limits::MAX_ROLLUP_HOSTS + 1);
        assert_eq!(folded.rows.iter().map(|row| row.records).sum::<u64>(), 500_000);
    }
}
