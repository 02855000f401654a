//! Sizes of the database.

use visibility_core::store::StoreError;

use super::{Sqlite, failed};

impl Sqlite {
    /// Bytes of the database, without its write-ahead log.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn bytes(&self) -> Result<u64, StoreError> {
        self.number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
    }

    /// Files of records that exist for readers.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn live_file_count(&self) -> Result<u64, StoreError> {
        self.number("SELECT count(*) FROM data_file WHERE retired_at IS NULL")
    }

    fn number(&self, sql: &str) -> Result<u64, StoreError> {
        let number: i64 = self
            .reader()
            .query_row(sql, [], |row| row.get(0))
            .map_err(failed(|| "measure the database".to_owned()))?;
        Ok(number.unsigned_abs())
    }
}
