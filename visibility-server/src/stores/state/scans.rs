//! Results of scans, one for each domain, in both languages.

use bytes::Bytes;
use chrono::{DateTime, Utc};
use visibility_core::scan::day::ScanDay;
use visibility_core::store::StoreError;
use visibility_core::text::locale::Lang;

use super::StateStore;
use super::column::time;
use super::scan_days::store_day;
use crate::stores::database::{Row, SqlError, failed, params};

/// Rows that one transaction removes, so that it does not block others for long.
const REMOVED_AT_ONCE: u64 = 256;

/// A result that is kept.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct StoredScan {
    pub(crate) domain: String,
    pub(crate) scanned_at: DateTime<Utc>,
    pub(crate) expires_at: DateTime<Utc>,
    /// Version of the rules that it was judged by.
    pub(crate) rubric: String,
    /// Changes with the result; the languages share it.
    pub(crate) tag: String,
    /// In English, as gzip.
    pub(crate) en: Bytes,
    /// In Turkish, as gzip.
    pub(crate) tr: Bytes,
    /// What is kept for years.
    pub(crate) day: ScanDay,
}

/// A result in one language, of a scan or of an audit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct StoredBody {
    pub(crate) taken_at: DateTime<Utc>,
    pub(crate) expires_at: DateTime<Utc>,
    pub(crate) tag: String,
    /// As gzip.
    pub(crate) body: Vec<u8>,
}

/// Which results [`StateStore::store_scan`] leaves of those before.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum OlderResults {
    Keep,
    Remove,
}

/// How the rows of a table are counted, and how some of the oldest are removed.
pub(super) struct Excess {
    pub(super) count: &'static str,
    pub(super) remove: &'static str,
}

impl StateStore {
    /// The result of a domain in a language, if it was judged by these rules.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn find_scan(
        &self,
        domain: &str,
        lang: Lang,
        rubric: &str,
    ) -> Result<Option<StoredBody>, StoreError> {
        let sql = match lang {
            Lang::En => {
                "SELECT scanned_at, expires_at, tag, en FROM scan WHERE domain = ?1 AND rubric = ?2"
            }
            Lang::Tr => {
                "SELECT scanned_at, expires_at, tag, tr FROM scan WHERE domain = ?1 AND rubric = ?2"
            }
        };
        self.read(|statements| statements.query_opt(sql, params![domain, rubric], body_of))
            .map_err(failed(|| format!("read the result of {domain}")))
    }

    /// Keeps a result in the place of an earlier one of its domain, and its day in the history.
    ///
    /// # Errors
    ///
    /// When the database fails; everything is as before then.
    pub(crate) fn store_scan(
        &self,
        scan: &StoredScan,
        others: OlderResults,
    ) -> Result<(), StoreError> {
        self.write(|statements| {
            if others == OlderResults::Remove {
                statements.execute("DELETE FROM scan", &[])?;
            }
            statements.execute(
                "INSERT INTO scan (domain, scanned_at, expires_at, rubric, tag, en, tr)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT (domain) DO UPDATE SET
                     scanned_at = excluded.scanned_at, expires_at = excluded.expires_at,
                     rubric = excluded.rubric, tag = excluded.tag, en = excluded.en, tr = excluded.tr",
                params![
                    scan.domain,
                    scan.scanned_at.timestamp_micros(),
                    scan.expires_at.timestamp_micros(),
                    scan.rubric,
                    scan.tag,
                    scan.en.as_ref(),
                    scan.tr.as_ref()
                ],
            )?;
            store_day(statements, scan)
        })
        .map_err(failed(|| format!("keep the result of {}", scan.domain)))
    }

    /// Removes all results that expired before a time, and the oldest of those that are more than
    /// `most`. Says how many they were.
    ///
    /// # Errors
    ///
    /// When the database fails; some may be removed then.
    pub(crate) fn remove_scans(&self, until: DateTime<Utc>, most: u64) -> Result<u64, StoreError> {
        let expired = "DELETE FROM scan WHERE domain IN
            (SELECT domain FROM scan WHERE expires_at < ?1 ORDER BY expires_at LIMIT ?2)";
        let excess = Excess {
            count: "SELECT count(*) FROM scan",
            remove: "DELETE FROM scan WHERE domain IN
                (SELECT domain FROM scan ORDER BY expires_at LIMIT ?1)",
        };
        Ok(self.remove_in_parts(expired, until)? + self.remove_excess(&excess, most)?)
    }

    /// Removes the rows before a time that a statement finds, which takes it and a number of rows, some rows at a time.
    pub(super) fn remove_in_parts(
        &self,
        sql: &str,
        until: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        let mut removed = 0;
        loop {
            let part = self
                .write(|statements| {
                    statements.execute(sql, params![until.timestamp_micros(), REMOVED_AT_ONCE])
                })
                .map_err(failed(|| "remove old results".to_owned()))?;
            removed += part;
            if part < REMOVED_AT_ONCE {
                return Ok(removed);
            }
        }
    }

    /// Removes the oldest rows of those that are more than `most`, some at a time.
    pub(super) fn remove_excess(&self, excess: &Excess, most: u64) -> Result<u64, StoreError> {
        let mut removed = 0;
        loop {
            let part = self
                .write(|statements| {
                    let count: u64 = statements.query_one(excess.count, &[], |row| row.get(0))?;
                    let rows = count.saturating_sub(most).min(REMOVED_AT_ONCE);
                    statements.execute(excess.remove, params![rows])
                })
                .map_err(failed(|| "remove old results".to_owned()))?;
            removed += part;
            if part < REMOVED_AT_ONCE {
                return Ok(removed);
            }
        }
    }
}

pub(super) fn body_of(row: Row<'_>) -> Result<StoredBody, SqlError> {
    Ok(StoredBody {
        taken_at: time(row, 0)?,
        expires_at: time(row, 1)?,
        tag: row.get(2)?,
        body: row.get(3)?,
    })
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::super::testing::TestStore;
    use super::*;

    fn database() -> TestStore {
        TestStore::new()
    }

    fn scan(domain: &str, hour: i64) -> StoredScan {
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
                score: None,
                tier: None,
                checks: Vec::new(),
                agents: Vec::new(),
            },
        }
    }

    fn kept(state_store: &StateStore, domain: &str) -> Option<StoredBody> {
        state_store.find_scan(domain, Lang::Tr, "1").unwrap()
    }

    #[test]
    fn a_domain_has_its_newest_result_in_both_languages() {
        let state_store = database();
        assert_eq!(kept(&state_store, "a.com"), None);
        state_store.store_scan(&scan("a.com", 0), OlderResults::Keep).unwrap();
        state_store.store_scan(&scan("a.com", 1), OlderResults::Keep).unwrap();
        let found = kept(&state_store, "a.com").unwrap();
        assert_eq!((found.tag.as_str(), found.body.as_slice()), ("a.com1", &b"tr"[..]));
        assert_eq!(found.taken_at, scan("a.com", 1).scanned_at);
        let english = state_store.find_scan("a.com", Lang::En, "1").unwrap().unwrap();
        assert_eq!(english.body, b"en");
        assert_eq!(state_store.find_scan("a.com", Lang::En, "2").unwrap(), None, "other rules");
    }

    #[test]
    fn a_result_may_take_the_place_of_all() {
        let state_store = database();
        state_store.store_scan(&scan("a.com", 0), OlderResults::Keep).unwrap();
        state_store.store_scan(&scan("b.com", 0), OlderResults::Remove).unwrap();
        assert_eq!(kept(&state_store, "a.com"), None);
        assert!(kept(&state_store, "b.com").is_some());
    }

    #[test]
    fn what_has_expired_goes_and_then_the_oldest() {
        let state_store = database();
        for hour in 0..1000 {
            state_store
                .store_scan(&scan(&format!("{hour}.com"), hour), OlderResults::Keep)
                .unwrap();
        }
        let until = DateTime::UNIX_EPOCH + TimeDelta::hours(24 + 300);
        assert_eq!(state_store.remove_scans(until, 1000).unwrap(), 300);
        assert!(kept(&state_store, "299.com").is_none() && kept(&state_store, "300.com").is_some());
        assert_eq!(state_store.remove_scans(until, 10).unwrap(), 690);
        assert!(kept(&state_store, "989.com").is_none() && kept(&state_store, "990.com").is_some());
        assert_eq!(state_store.remove_scans(until, 10).unwrap(), 0);
    }
}
