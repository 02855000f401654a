//! Secrets that are generated once and never leave the service.

use visibility_core::store::StoreError;

use super::StateStore;
use crate::stores::database::{failed, params};

/// Bytes of a secret.
const BYTES: usize = 32;

impl StateStore {
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
        self.write(|statements| {
            statements.execute(
                "INSERT INTO secret (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING",
                params![name, random],
            )?;
            let find = "SELECT value FROM secret WHERE name = ?1";
            statements.query_one(find, params![name], |row| row.get(0))
        })
        .map_err(failed(describe))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::TestStore;
    use super::*;

    #[test]
    fn a_secret_is_made_once_and_stays() {
        let state_store = TestStore::new();
        let first = state_store.secret("a").unwrap();
        let state_store = state_store.reopened();
        assert_eq!(state_store.secret("a").unwrap(), first);
        assert_ne!(state_store.secret("b").unwrap(), first);
        assert_ne!(first, [0; BYTES]);
    }
}
