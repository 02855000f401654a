//! Secrets that are generated once and never leave the service.

use rusqlite::params;
use visibility_core::store::StoreError;

use super::{Sqlite, failed};

/// Bytes of a secret.
const BYTES: usize = 32;

impl Sqlite {
    /// The secret with a name. Creates it if it does not exist.
    ///
    /// # Errors
    ///
    /// When the database fails, or the operating system gives no random numbers.
    pub(crate) fn secret(&self, name: &str) -> Result<[u8; BYTES], StoreError> {
        let describe = || format!("read the secret {name}");
        let mut random = [0; BYTES];
        getrandom::fill(&mut random)
            .map_err(|error| StoreError::unchanged(describe(), error.to_string()))?;
        let writer = self.writer();
        let find = "SELECT value FROM secret WHERE name = ?1";
        writer
            .execute(
                "INSERT INTO secret (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING",
                params![name, random],
            )
            .and_then(|_rows| writer.query_row(find, params![name], |row| row.get(0)))
            .map_err(failed(describe))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_made_once_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.sqlite");
        let first = Sqlite::open(&path).unwrap().secret("a").unwrap();
        let sqlite = Sqlite::open(&path).unwrap();
        assert_eq!(sqlite.secret("a").unwrap(), first);
        assert_ne!(sqlite.secret("b").unwrap(), first);
        assert_ne!(first, [0; BYTES]);
    }
}
