//! The history of scans: what is kept of the last scan of each domain and day.

use chrono::{DateTime, NaiveDate, Utc};
use visibility_core::scan::day::ScanDay;
use visibility_core::store::StoreError;

use super::StateStore;
use super::column::{day, time};
use super::scans::StoredScan;
use crate::stores::database::{Row, SqlError, Statements, failed, params};

/// More days than are kept of a domain.
pub(crate) const ALL_DAYS: u32 = 1_200;
/// Domains of which the first is read at a time.
const DOMAINS_AT_ONCE: u32 = 500;

/// The last scan of a day.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct StoredDay {
    /// UTC.
    pub(crate) day: NaiveDate,
    pub(crate) scanned_at: DateTime<Utc>,
    pub(crate) scan: ScanDay,
}

/// Keeps the day of a scan, in the place of an earlier scan of that day.
pub(super) fn store_day(statements: &dyn Statements, stored: &StoredScan) -> Result<(), SqlError> {
    let StoredScan { domain, scanned_at, tag, day: scan, .. } = stored;
    statements.execute(
        "INSERT INTO scan_day (domain, day, scanned_at, rubric, score, tier, tag, checks, agents)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (domain, day) DO UPDATE SET
             scanned_at = excluded.scanned_at, rubric = excluded.rubric, score = excluded.score,
             tier = excluded.tier, tag = excluded.tag, checks = excluded.checks, agents = excluded.agents",
        params![
            domain,
            scanned_at.date_naive().to_epoch_days(),
            scanned_at.timestamp_micros(),
            scan.rubric,
            scan.score.map(i64::from),
            scan.tier,
            tag,
            scan.checks.as_slice(),
            scan.agents.as_slice()
        ],
    )?;
    Ok(())
}

impl StateStore {
    /// The last days of a domain, at most so many, the oldest first.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn scan_days(&self, domain: &str, most: u32) -> Result<Vec<StoredDay>, StoreError> {
        let found = self.read(|statements| {
            statements.query_all(
                "SELECT day, scanned_at, rubric, score, tier, checks, agents FROM scan_day
                 WHERE domain = ?1 ORDER BY day DESC LIMIT ?2",
                params![domain, most],
                day_of,
            )
        });
        let mut days: Vec<StoredDay> =
            found.map_err(failed(|| format!("read the history of {domain}")))?;
        days.reverse();
        Ok(days)
    }

    /// Forgets all days before one.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn forget_scan_days(&self, first_kept: NaiveDate) -> Result<u64, StoreError> {
        let first_kept = first_kept.to_epoch_days();
        self.write(|statements| {
            statements.execute("DELETE FROM scan_day WHERE day < ?1", params![first_kept])
        })
        .map_err(failed(|| "forget old days of scans".to_owned()))
    }

    /// Forgets the results and the histories of domains. Says how many domains there were.
    ///
    /// # Errors
    ///
    /// When the database fails; some may be forgotten then.
    pub(crate) fn forget_domains(
        &self,
        is_forgotten: impl Fn(&str) -> bool,
    ) -> Result<u64, StoreError> {
        let mut after = String::new();
        let mut forgotten = 0;
        loop {
            let part: Vec<String> = self
                .read(|statements| {
                    statements.query_all(
                        "SELECT DISTINCT domain FROM scan_day WHERE domain > ?1 ORDER BY domain LIMIT ?2",
                        params![after, DOMAINS_AT_ONCE],
                        |row| row.get(0),
                    )
                })
                .map_err(failed(|| "read the domains of scans".to_owned()))?;
            let Some(last) = part.last().cloned() else { return Ok(forgotten) };
            for domain in part.iter().filter(|domain| is_forgotten(domain)) {
                self.forget_domain(domain)?;
                forgotten += 1;
            }
            after = last;
        }
    }

    fn forget_domain(&self, domain: &str) -> Result<(), StoreError> {
        self.write(|statements| {
            statements.execute("DELETE FROM scan_day WHERE domain = ?1", params![domain])?;
            statements.execute("DELETE FROM scan WHERE domain = ?1", params![domain])
        })
        .map(|_rows| ())
        .map_err(failed(|| format!("forget {domain}")))
    }
}

fn day_of(row: Row<'_>) -> Result<StoredDay, SqlError> {
    let score: Option<i64> = row.get(3)?;
    Ok(StoredDay {
        day: day(row, 0)?,
        scanned_at: time(row, 1)?,
        scan: ScanDay {
            rubric: row.get(2)?,
            score: score.and_then(|score| u8::try_from(score).ok()),
            tier: row.get(4)?,
            checks: row.get(5)?,
            agents: row.get(6)?,
        },
    })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use chrono::TimeDelta;

    use super::super::scans::OlderResults;
    use super::super::testing::TestStore;
    use super::*;

    /// A scan so many hours after the beginning of time, with this score.
    fn scan(domain: &str, hour: i64, score: u8) -> StoredScan {
        let scanned_at = DateTime::UNIX_EPOCH + TimeDelta::hours(hour);
        StoredScan {
            domain: domain.to_owned(),
            scanned_at,
            expires_at: scanned_at + TimeDelta::hours(24),
            rubric: "1".to_owned(),
            tag: format!("{domain}{hour}"),
            en: Bytes::from_static(b"en"),
            tr: Bytes::from_static(b"tr"),
            day: ScanDay {
                rubric: "1".to_owned(),
                score: Some(score),
                tier: Some("readable".to_owned()),
                checks: vec![score; 21],
                agents: vec![1; 27],
            },
        }
    }

    fn keep(state_store: &StateStore, scan: &StoredScan) {
        state_store.store_scan(scan, OlderResults::Keep).unwrap();
    }

    fn scores(state_store: &StateStore, domain: &str) -> Vec<(i32, Option<u8>)> {
        let days = state_store.scan_days(domain, ALL_DAYS).unwrap().into_iter();
        days.map(|day| (day.day.to_epoch_days(), day.scan.score)).collect()
    }

    #[test]
    fn the_last_scan_of_a_day_is_kept_across_midnight_and_when_the_clock_goes_back() {
        let state_store = TestStore::new();
        assert!(scores(&state_store, "a.com").is_empty());
        for (hour, score) in [(1, 10), (23, 20), (24, 30), (24 * 31, 40), (5, 50)] {
            keep(&state_store, &scan("a.com", hour, score));
        }
        keep(&state_store, &scan("b.com", 0, 1));
        assert_eq!(scores(&state_store, "a.com"), [(0, Some(50)), (1, Some(30)), (31, Some(40))]);
        let days = state_store.scan_days("a.com", ALL_DAYS).unwrap();
        assert_eq!(days[0].scan, scan("a.com", 5, 50).day);
        let last = state_store.scan_days("a.com", 1).unwrap();
        assert_eq!(last, days[2..]);
        assert_eq!(days[0].scanned_at, scan("a.com", 5, 50).scanned_at);
    }

    #[test]
    fn fifty_scans_of_a_day_are_one_row() {
        let state_store = TestStore::new();
        for score in 0..50 {
            keep(&state_store, &scan("a.com", 12, score));
        }
        assert_eq!(scores(&state_store, "a.com"), [(0, Some(49))]);
    }

    #[test]
    fn old_days_and_whole_domains_are_forgotten() {
        let state_store = TestStore::new();
        for day in 0..10 {
            keep(&state_store, &scan("a.com", 24 * day, 1));
            keep(&state_store, &scan("www.b.com", 24 * day, 2));
        }
        let first_kept = DateTime::UNIX_EPOCH.date_naive() + TimeDelta::days(8);
        assert_eq!(state_store.forget_scan_days(first_kept).unwrap(), 16);
        assert_eq!(scores(&state_store, "a.com").len(), 2);
        assert_eq!(state_store.forget_domains(|domain| domain.ends_with("b.com")).unwrap(), 1);
        assert!(scores(&state_store, "www.b.com").is_empty());
        assert_eq!(scores(&state_store, "a.com").len(), 2);
        assert_eq!(state_store.forget_domains(|_| false).unwrap(), 0);
    }

    #[test]
    fn a_result_that_takes_the_place_of_all_leaves_their_history() {
        let state_store = TestStore::new();
        keep(&state_store, &scan("a.com", 0, 1));
        state_store.store_scan(&scan("b.com", 0, 2), OlderResults::Remove).unwrap();
        assert_eq!(scores(&state_store, "a.com"), [(0, Some(1))]);
    }
}
