//! What is true of the store as a whole: small values by name, as JSON.

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension as _, params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use visibility_core::store::StoreError;

use super::{Sqlite, column, failed};

impl Sqlite {
    /// A value.
    ///
    /// # Errors
    ///
    /// When the database cannot be read, or has another value than is expected.
    pub(crate) fn state<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, StoreError> {
        let describe = || format!("read the state `{name}`");
        let json: Option<String> = self
            .reader()
            .prepare_cached("SELECT value FROM store_state WHERE name = ?1")
            .and_then(|mut select| select.query_row(params![name], |row| row.get(0)).optional())
            .map_err(failed(describe))?;
        json.map(|json| serde_json::from_str(&json))
            .transpose()
            .map_err(|error| StoreError::unchanged(describe(), error))
    }

    /// Keeps a value, in place of the one before.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub(crate) fn set_state(&self, name: &str, value: &impl Serialize) -> Result<(), StoreError> {
        self.write_state("UPDATE SET value = excluded.value", name, value)
    }

    /// Keeps a value unless there is one.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub(crate) fn init_state(&self, name: &str, value: &impl Serialize) -> Result<(), StoreError> {
        self.write_state("NOTHING", name, value)
    }

    fn write_state(
        &self,
        on_conflict: &str,
        name: &str,
        value: &impl Serialize,
    ) -> Result<(), StoreError> {
        let describe = || format!("keep the state `{name}`");
        let json = serde_json::to_string(value)
            .map_err(|error| StoreError::unchanged(describe(), error))?;
        self.writer()
            .execute(
                &format!(
                    "INSERT INTO store_state (name, value) VALUES (?1, ?2)
                     ON CONFLICT (name) DO {on_conflict}"
                ),
                params![name, json],
            )
            .map(|_rows| ())
            .map_err(failed(describe))
    }

    /// When the newest batch arrived.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn newest_batch(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.reader()
            .query_row("SELECT max(received_at) FROM batch", [], |row| {
                column::optional_time(row, 0)
            })
            .map_err(failed(|| "read the time of the newest batch".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stays_until_it_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let sqlite = Sqlite::open(&folder.path().join("state.sqlite")).unwrap();
        assert_eq!(sqlite.state::<u32>("a").unwrap(), None);
        sqlite.init_state("a", &1).unwrap();
        sqlite.init_state("a", &2).unwrap();
        assert_eq!(sqlite.state("a").unwrap(), Some(1));
        sqlite.set_state("a", &3).unwrap();
        assert_eq!(sqlite.state("a").unwrap(), Some(3));
        assert_eq!(sqlite.state::<u32>("b").unwrap(), None);
        sqlite.state::<String>("a").unwrap_err();
    }
}
