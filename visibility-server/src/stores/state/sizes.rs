//! Sizes of the database.

use visibility_core::store::StoreError;

use super::StateStore;
use crate::stores::database::failed;

impl StateStore {
    /// Bytes of the database, without its write-ahead log.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn bytes(&self) -> Result<u64, StoreError> {
        self.database.bytes().map_err(failed(measure))
    }

    /// Files of records that exist for readers.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn live_file_count(&self) -> Result<u64, StoreError> {
        self.read(|statements| {
            statements.query_one(
                "SELECT count(*) FROM data_file WHERE retired_at IS NULL",
                &[],
                |row| row.get(0),
            )
        })
        .map_err(failed(measure))
    }
}

fn measure() -> String {
    "measure the database".to_owned()
}
