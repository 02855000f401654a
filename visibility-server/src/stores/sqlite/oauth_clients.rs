//! Programs that registered themselves.
//!
//! Anyone may register, so there is a bound: when it is reached, the oldest of those that were never
//! let in make room.

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, params};
use visibility_core::store::StoreError;

use super::column::time;
use super::{Sqlite, begin, failed};

/// Clients that are kept.
const MAX_CLIENTS: i64 = 10_000;

/// A client that registered itself.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RegisteredClient {
    /// Its id. No secret.
    pub id: String,
    /// What it calls itself.
    pub name: String,
    /// Where browsers may be sent back to. None has a space.
    pub redirect_uris: Vec<String>,
    /// When it registered.
    pub created_at: DateTime<Utc>,
}

impl Sqlite {
    /// Keeps a client. `false` if there are too many of which all are in use.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn register_client(&self, client: &RegisteredClient) -> Result<bool, StoreError> {
        self.register_client_up_to(client, MAX_CLIENTS)
    }

    fn register_client_up_to(
        &self,
        client: &RegisteredClient,
        most: i64,
    ) -> Result<bool, StoreError> {
        let describe = || "keep a client".to_owned();
        let mut writer = self.writer();
        let transaction = begin(&mut writer)?;
        let count: i64 = transaction
            .query_row("SELECT count(*) FROM oauth_client", [], |row| row.get(0))
            .map_err(failed(describe))?;
        if count >= most {
            let room = "
                DELETE FROM oauth_client WHERE id IN (
                    SELECT id FROM oauth_client WHERE last_used_at IS NULL
                    ORDER BY created_at LIMIT ?1)";
            let freed = transaction.execute(room, [count - most + 1]).map_err(failed(describe))?;
            if freed == 0 {
                return Ok(false);
            }
        }
        transaction
            .execute(
                "INSERT INTO oauth_client (id, name, redirect_uris, created_at)
                 VALUES (?1, ?2, ?3, ?4)",
                params![
                    client.id,
                    client.name,
                    client.redirect_uris.join(" "),
                    client.created_at.timestamp_micros()
                ],
            )
            .map_err(failed(describe))?;
        self.commit(transaction, describe)?;
        Ok(true)
    }

    /// The client with an id.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn registered_client(&self, id: &str) -> Result<Option<RegisteredClient>, StoreError> {
        let sql = "SELECT id, name, redirect_uris, created_at FROM oauth_client WHERE id = ?1";
        let reader = self.reader();
        let found = reader.prepare_cached(sql).and_then(|mut statement| {
            statement
                .query_row([id], |row| {
                    Ok(RegisteredClient {
                        id: row.get(0)?,
                        name: row.get(1)?,
                        redirect_uris: row
                            .get::<_, String>(2)?
                            .split_whitespace()
                            .map(str::to_owned)
                            .collect(),
                        created_at: time(row, 3)?,
                    })
                })
                .optional()
        });
        found.map_err(failed(|| "look up a client".to_owned()))
    }

    /// Removes clients without a grant that were not used since a time. Returns how many.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn remove_unused_clients(&self, until: DateTime<Utc>) -> Result<usize, StoreError> {
        let sql = "
            DELETE FROM oauth_client
            WHERE coalesce(last_used_at, created_at) < ?1
              AND NOT EXISTS (SELECT 1 FROM oauth_grant WHERE client_id = oauth_client.id)";
        let removed = self.writer().execute(sql, [until.timestamp_micros()]);
        removed.map_err(failed(|| "remove unused clients".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    fn database() -> (Sqlite, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let sqlite = Sqlite::open(&folder.path().join("state.sqlite")).unwrap();
        (sqlite, folder)
    }

    fn after(days: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::days(20_000 + days)
    }

    fn client(number: i64) -> RegisteredClient {
        RegisteredClient {
            id: format!("client_{number}"),
            name: format!("Client {number}"),
            redirect_uris: vec!["https://a.example/1".into(), "http://localhost/".into()],
            created_at: after(number),
        }
    }

    #[test]
    fn a_client_is_found_as_it_was_kept() {
        let (sqlite, _folder) = database();
        assert!(sqlite.register_client(&client(1)).unwrap());
        assert_eq!(sqlite.registered_client("client_1").unwrap(), Some(client(1)));
        assert_eq!(sqlite.registered_client("client_2").unwrap(), None);
    }

    #[test]
    fn the_oldest_unused_client_is_removed() {
        let (sqlite, _folder) = database();
        let has = |id: &str| sqlite.registered_client(id).unwrap().is_some();
        for number in [1, 2, 3] {
            assert!(sqlite.register_client_up_to(&client(number), 3).unwrap());
        }
        let used = "UPDATE oauth_client SET last_used_at = 1 WHERE id = ?1";
        sqlite.writer().execute(used, ["client_1"]).unwrap();
        assert!(sqlite.register_client_up_to(&client(4), 3).unwrap());
        assert_eq!(
            [1, 2, 3, 4].map(|number| has(&format!("client_{number}"))),
            [true, false, true, true]
        );
        for id in ["client_3", "client_4"] {
            sqlite.writer().execute(used, [id]).unwrap();
        }
        assert!(!sqlite.register_client_up_to(&client(5), 3).unwrap());
        assert!(has("client_1") && !has("client_5"));
    }

    #[test]
    fn unused_clients_are_removed() {
        let (sqlite, _folder) = database();
        for number in [1, 2, 3] {
            sqlite.register_client(&client(number)).unwrap();
        }
        sqlite
            .writer()
            .execute(
                "UPDATE oauth_client SET last_used_at = ?1 WHERE id = 'client_1'",
                [after(90).timestamp_micros()],
            )
            .unwrap();
        assert_eq!(sqlite.remove_unused_clients(after(3)).unwrap(), 1);
        assert!(sqlite.registered_client("client_2").unwrap().is_none());
        assert!(sqlite.registered_client("client_1").unwrap().is_some());
    }
}
