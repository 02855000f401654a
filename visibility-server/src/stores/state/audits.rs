//! Results of page audits in both languages: by id, and for a while by the name of their page.

use bytes::Bytes;
use chrono::{DateTime, Utc};
use visibility_core::store::StoreError;
use visibility_core::text::locale::Lang;

use super::StateStore;
use super::scans::{Excess, OlderResults, StoredBody, body_of};
use crate::stores::database::{failed, params};

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

impl StateStore {
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
        self.read(|statements| statements.query_opt(sql, params![name, rubric], body_of))
            .map_err(failed(|| "read the audit of a page".to_owned()))
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
        self.read(|statements| statements.query_opt(sql, params![id], body_of))
            .map_err(failed(|| format!("read the audit {id}")))
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
        self.write(|statements| {
            if others == OlderResults::Remove {
                statements.execute("UPDATE audit SET name = NULL WHERE name IS NOT NULL", &[])?;
            }
            let release = "UPDATE audit SET name = NULL WHERE name = ?1";
            statements.execute(release, params![audit.name])?;
            statements.execute(
                "INSERT INTO audit (id, name, created_at, expires_at, rubric, en, tr)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    audit.id,
                    audit.name,
                    audit.created_at.timestamp_micros(),
                    audit.expires_at.timestamp_micros(),
                    audit.rubric,
                    audit.en.as_ref(),
                    audit.tr.as_ref()
                ],
            )?;
            Ok(())
        })
        .map_err(failed(|| format!("keep the audit {}", audit.id)))
    }

    /// Removes all results that were made before a time, and the oldest of those that are more than
    /// `most`. Says how many they were.
    ///
    /// # Errors
    ///
    /// When the database fails; some may be removed then.
    pub(crate) fn remove_audits(&self, until: DateTime<Utc>, most: u64) -> Result<u64, StoreError> {
        let old = "DELETE FROM audit WHERE id IN
            (SELECT id FROM audit WHERE created_at < ?1 ORDER BY created_at LIMIT ?2)";
        let excess = Excess {
            count: "SELECT count(*) FROM audit",
            remove: "DELETE FROM audit WHERE id IN
                (SELECT id FROM audit ORDER BY created_at LIMIT ?1)",
        };
        Ok(self.remove_in_parts(old, until)? + self.remove_excess(&excess, most)?)
    }

    /// Removes what was counted for addresses before a time. Says how many hits they were.
    ///
    /// # Errors
    ///
    /// When the database fails; some may be removed then.
    pub(crate) fn remove_anonymous_hits(&self, until: DateTime<Utc>) -> Result<u64, StoreError> {
        let old = "DELETE FROM hit WHERE seq IN
            (SELECT seq FROM hit WHERE kind = 5 AND at < ?1 ORDER BY at LIMIT ?2)";
        self.remove_in_parts(old, until)
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::super::testing::TestStore;
    use super::*;

    fn database() -> TestStore {
        TestStore::new()
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
        let state_store = database();
        let of_page = |lang, rubric| state_store.audit_of_page("p", lang, rubric).unwrap();
        assert_eq!(of_page(Lang::En, "1"), None);
        for (id, name) in [("a", Some("p")), ("b", Some("p")), ("c", None), ("d", None)] {
            state_store.store_audit(&audit(id, name, 0), OlderResults::Keep).unwrap();
        }
        let found = of_page(Lang::Tr, "1").unwrap();
        assert_eq!((found.tag.as_str(), found.body.as_slice()), ("b", &b"tr"[..]));
        assert_eq!(of_page(Lang::En, "2"), None, "other rules");
        for id in ["a", "b", "c", "d"] {
            assert_eq!(state_store.audit(id, Lang::En).unwrap().unwrap().body, b"en");
        }
        assert_eq!(state_store.audit("e", Lang::En).unwrap(), None);
        state_store.store_audit(&audit("e", Some("q"), 0), OlderResults::Remove).unwrap();
        assert_eq!(of_page(Lang::En, "1"), None);
        assert!(state_store.audit("b", Lang::En).unwrap().is_some(), "it is found by its id");
        state_store.store_audit(&audit("e", None, 0), OlderResults::Keep).unwrap_err();
    }

    #[test]
    fn what_is_too_old_goes_and_then_the_oldest() {
        let state_store = database();
        for hour in 0..700 {
            state_store
                .store_audit(&audit(&hour.to_string(), None, hour), OlderResults::Keep)
                .unwrap();
        }
        let until = DateTime::UNIX_EPOCH + TimeDelta::hours(300);
        let is_there = |id| state_store.audit(id, Lang::En).unwrap().is_some();
        assert_eq!(state_store.remove_audits(until, 1000).unwrap(), 300);
        assert!(!is_there("299") && is_there("300"));
        assert_eq!(state_store.remove_audits(until, 10).unwrap(), 390);
        assert!(!is_there("689") && is_there("690"));
        assert_eq!(state_store.remove_audits(until, 10).unwrap(), 0);
    }
}
