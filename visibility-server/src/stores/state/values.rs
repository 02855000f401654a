//! What is true of the store as a whole: small values by name, as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde::de::DeserializeOwned;
use visibility_core::store::StoreError;

use super::StateStore;
use super::column::optional_time;
use crate::stores::database::{failed, params};

impl StateStore {
    /// A value.
    ///
    /// # Errors
    ///
    /// When the database cannot be read, or has another value than is expected.
    pub(crate) fn value<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, StoreError> {
        let describe = || format!("read the value `{name}`");
        let json: Option<String> = self
            .read(|statements| {
                statements.query_opt(
                    "SELECT value FROM store_state WHERE name = ?1",
                    params![name],
                    |row| row.get(0),
                )
            })
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
    pub(crate) fn set_value(&self, name: &str, value: &impl Serialize) -> Result<(), StoreError> {
        self.write_value(
            "INSERT INTO store_state (name, value) VALUES (?1, ?2)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            name,
            value,
        )
    }

    /// Keeps a value unless there is one.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub(crate) fn init_value(&self, name: &str, value: &impl Serialize) -> Result<(), StoreError> {
        self.write_value(
            "INSERT INTO store_state (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING",
            name,
            value,
        )
    }

    fn write_value(&self, sql: &str, name: &str, value: &impl Serialize) -> Result<(), StoreError> {
        let describe = || format!("keep the value `{name}`");
        let json = serde_json::to_string(value)
            .map_err(|error| StoreError::unchanged(describe(), error))?;
        self.write(|statements| statements.execute(sql, params![name, json]))
            .map(|_rows| ())
            .map_err(failed(describe))
    }

    /// When the newest batch arrived.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn newest_batch(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.read(|statements| {
            statements
                .query_one("SELECT max(received_at) FROM batch", &[], |row| optional_time(row, 0))
        })
        .map_err(failed(|| "read the time of the newest batch".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::TestStore;

    #[test]
    fn a_value_stays_until_it_is_replaced() {
        let state_store = TestStore::new();
        assert_eq!(state_store.value::<u32>("a").unwrap(), None);
        state_store.init_value("a", &1).unwrap();
        state_store.init_value("a", &2).unwrap();
        assert_eq!(state_store.value("a").unwrap(), Some(1));
        state_store.set_value("a", &3).unwrap();
        assert_eq!(state_store.value("a").unwrap(), Some(3));
        assert_eq!(state_store.value::<u32>("b").unwrap(), None);
        state_store.value::<String>("a").unwrap_err();
    }
}
