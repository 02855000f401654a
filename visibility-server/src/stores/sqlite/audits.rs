//! Results of page audits in both languages: by id, and for a while by the name of their page.

use bytes::Bytes;
use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension as _, params};
use visibility_core::store::StoreError;
use visibility_core::text::locale::Lang;

use super::scans::{OlderResults, StoredBody, body_of};
use super::{Sqlite, begin, failed};

/// A result that is kept.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct StoredAudit {
    pub(crate) id: String,
    /// The name of its page, if the result may be reused for another audit of it.
    pub(crate) name: Option<String>,
    pub(crate) created_at: DateTime<Utc>,
    /// Until when it may.
    pub(crate) expires_at: DateTime<Utc>,
    /// Version of the rules that it was judged by.
    pub(crate) rubric: String,
    /// In English, as gzip.
    pub(crate) en: Bytes,
    /// In Turkish, as gzip.
    pub(crate) tr: Bytes,
}

impl Sqlite {
    /// The reusable result for a page in a language, if it was judged by these rules. Its
    /// tag is its id.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn audit_of_page(
        &self,
        name: &str,
        lang: Lang,
        rubric: &str,
    ) -> Result<Option<StoredBody>, StoreError> {
        let sql = match lang {
            Lang::En => {
                "SELECT created_at, expires_at, id, en FROM audit WHERE name = ?1 AND rubric = ?2"
            }
            Lang::Tr => {
                "SELECT created_at, expires_at, id, tr FROM audit WHERE name = ?1 AND rubric = ?2"
            }
        };
        let reader = self.reader();
        let found = reader
            .prepare_cached(sql)
            .and_then(|mut read| read.query_row(params![name, rubric], body_of).optional());
        found.map_err(failed(|| "read the audit of a page".to_owned()))
    }

    /// The result with an id, in a language. Its tag is its id.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn audit(&self, id: &str, lang: Lang) -> Result<Option<StoredBody>, StoreError> {
        let sql = match lang {
            Lang::En => "SELECT created_at, expires_at, id, en FROM audit WHERE id = ?1",
            Lang::Tr => "SELECT created_at, expires_at, id, tr FROM audit WHERE id = ?1",
        };
        let reader = self.reader();
        let found = reader
            .prepare_cached(sql)
            .and_then(|mut read| read.query_row(params![id], body_of).optional());
        found.map_err(failed(|| format!("read the audit {id}")))
    }

    /// Keeps a result. The one before of its page is found by its id alone from now on; so are all others
    /// if they shall not stay.
    ///
    /// # Errors
    ///
    /// When the database fails; everything is as before then.
    pub(crate) fn store_audit(
        &self,
        audit: &StoredAudit,
        others: OlderResults,
    ) -> Result<(), StoreError> {
        let describe = || format!("keep the audit {}", audit.id);
        let mut writer = self.writer();
        let transaction = begin(&mut writer)?;
        if others == OlderResults::Remove {
            transaction
                .execute("UPDATE audit SET name = NULL WHERE name IS NOT NULL", [])
                .map_err(failed(describe))?;
        }
        transaction
            .prepare_cached("UPDATE audit SET name = NULL WHERE name = ?1")
            .and_then(|mut release| release.execute(params![audit.name]))
            .map_err(failed(describe))?;
        transaction
            .prepare_cached(
                "INSERT INTO audit (id, name, created_at, expires_at, rubric, en, tr)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )
            .and_then(|mut keep| {
                keep.execute(params![
                    audit.id,
                    audit.name,
                    audit.created_at.timestamp_micros(),
                    audit.expires_at.timestamp_micros(),
                    audit.rubric,
                    audit.en.as_ref(),
                    audit.tr.as_ref()
                ])
            })
            .map_err(failed(describe))?;
        self.commit(transaction, describe)
    }

    /// Removes all results that were made before a time, and the oldest of those that are more than
    /// `most`. Says how many they were.
    ///
    /// # Errors
    ///
    /// When the database fails; some may be removed then.
    pub(crate) fn remove_audits(&self, until: DateTime<Utc>, most: u64) -> Result<u64, StoreError> {
        let old = "DELETE FROM audit WHERE rowid IN
            (SELECT rowid FROM audit WHERE created_at < ?1 ORDER BY created_at LIMIT ?2)";
        let oldest = "DELETE FROM audit WHERE rowid IN
            (SELECT rowid FROM audit ORDER BY created_at
             LIMIT max(0, min((SELECT count(*) FROM audit) - ?1, ?2)))";
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let removed = self.remove_in_parts(old, until.timestamp_micros())?;
        Ok(removed + self.remove_in_parts(oldest, most)?)
    }

    /// Removes what was counted for addresses before a time. Says how many hits they were.
    ///
    /// # Errors
    ///
    /// When the database fails; some may be removed then.
    pub(crate) fn remove_anonymous_hits(&self, until: DateTime<Utc>) -> Result<u64, StoreError> {
        let old = "DELETE FROM hit WHERE rowid IN
            (SELECT rowid FROM hit WHERE kind = 5 AND at < ?1 ORDER BY at LIMIT ?2)";
        self.remove_in_parts(old, until.timestamp_micros())
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use tempfile::TempDir;

    use super::*;

    fn database() -> (TempDir, Sqlite) {
        let folder = tempfile::tempdir().unwrap();
        let sqlite = Sqlite::open(&folder.path().join("state.sqlite")).unwrap();
        (folder, sqlite)
    }

    fn audit(id: &str, name: Option<&str>, hour: i64) -> StoredAudit {
        let created_at = DateTime::UNIX_EPOCH + TimeDelta::hours(hour);
        StoredAudit {
            id: id.to_owned(),
            name: name.map(str::to_owned),
            created_at,
            expires_at: created_at + TimeDelta::minutes(10),
            rubric: "1".to_owned(),
            en: Bytes::from_static(b"en"),
            tr: Bytes::from_static(b"tr"),
        }
    }

    #[test]
    fn a_page_has_its_newest_result_and_every_result_its_id() {
        let (_folder, sqlite) = database();
        let of_page = |lang, rubric| sqlite.audit_of_page("p", lang, rubric).unwrap();
        assert_eq!(of_page(Lang::En, "1"), None);
        for (id, name) in [("a", Some("p")), ("b", Some("p")), ("c", None), ("d", None)] {
            sqlite.store_audit(&audit(id, name, 0), OlderResults::Keep).unwrap();
        }
        let found = of_page(Lang::Tr, "1").unwrap();
        assert_eq!((found.tag.as_str(), found.body.as_slice()), ("b", &b"tr"[..]));
        assert_eq!(of_page(Lang::En, "2"), None, "other rules");
        for id in ["a", "b", "c", "d"] {
            assert_eq!(sqlite.audit(id, Lang::En).unwrap().unwrap().body, b"en");
        }
        assert_eq!(sqlite.audit("e", Lang::En).unwrap(), None);
        sqlite.store_audit(&audit("e", Some("q"), 0), OlderResults::Remove).unwrap();
        assert_eq!(of_page(Lang::En, "1"), None);
        assert!(sqlite.audit("b", Lang::En).unwrap().is_some(), "it is found by its id");
        sqlite.store_audit(&audit("e", None, 0), OlderResults::Keep).unwrap_err();
    }

    #[test]
    fn what_is_too_old_goes_and_then_the_oldest() {
        let (_folder, sqlite) = database();
        for hour in 0..700 {
            sqlite.store_audit(&audit(&hour.to_string(), None, hour), OlderResults::Keep).unwrap();
        }
        let until = DateTime::UNIX_EPOCH + TimeDelta::hours(300);
        let is_there = |id| sqlite.audit(id, Lang::En).unwrap().is_some();
        assert_eq!(sqlite.remove_audits(until, 1000).unwrap(), 300);
        assert!(!is_there("299") && is_there("300"));
        assert_eq!(sqlite.remove_audits(until, 10).unwrap(), 390);
        assert!(!is_there("689") && is_there("690"));
        assert_eq!(sqlite.remove_audits(until, 10).unwrap(), 0);
    }
}
