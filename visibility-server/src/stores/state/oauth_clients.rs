//! Programs that registered themselves.
//!
//! Anyone may register, so there is a bound: when it is reached, the oldest of those that were never
//! let in make room.

use chrono::{DateTime, Utc};
use visibility_core::store::StoreError;

use super::StateStore;
use super::column::time;
use crate::stores::database::{Row, SqlError, failed, params};

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

impl StateStore {
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
        self.write(|statements| {
            let count: i64 =
                statements.query_one("SELECT count(*) FROM oauth_client", &[], |row| row.get(0))?;
            if count >= most {
                let freed = statements.execute(
                    "DELETE FROM oauth_client WHERE id IN (
                         SELECT id FROM oauth_client WHERE last_used_at IS NULL
                         ORDER BY created_at LIMIT ?1)",
                    params![count - most + 1],
                )?;
                if freed == 0 {
                    return Ok(false);
                }
            }
            statements.execute(
                "INSERT INTO oauth_client (id, name, redirect_uris, created_at)
                 VALUES (?1, ?2, ?3, ?4)",
                params![
                    client.id,
                    client.name,
                    client.redirect_uris.join(" "),
                    client.created_at.timestamp_micros()
                ],
            )?;
            Ok(true)
        })
        .map_err(failed(|| "keep a client".to_owned()))
    }

    /// The client with an id.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn registered_client(&self, id: &str) -> Result<Option<RegisteredClient>, StoreError> {
        let sql = "SELECT id, name, redirect_uris, created_at FROM oauth_client WHERE id = ?1";
        self.read(|statements| statements.query_opt(sql, params![id], registered_client))
            .map_err(failed(|| "look up a client".to_owned()))
    }

    /// Removes clients without a grant that were not used since a time. Returns how many.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn remove_unused_clients(&self, until: DateTime<Utc>) -> Result<u64, StoreError> {
        let sql = "
            DELETE FROM oauth_client
            WHERE coalesce(last_used_at, created_at) < ?1
              AND NOT EXISTS (SELECT 1 FROM oauth_grant WHERE client_id = oauth_client.id)";
        self.write(|statements| statements.execute(sql, params![until.timestamp_micros()]))
            .map_err(failed(|| "remove unused clients".to_owned()))
    }
}

fn registered_client(row: Row<'_>) -> Result<RegisteredClient, SqlError> {
    let redirect_uris: String = row.get(2)?;
    Ok(RegisteredClient {
        id: row.get(0)?,
        name: row.get(1)?,
        redirect_uris: redirect_uris.split_whitespace().map(str::to_owned).collect(),
        created_at: time(row, 3)?,
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
        let state_store = database();
        assert!(state_store.register_client(&client(1)).unwrap());
        assert_eq!(state_store.registered_client("client_1").unwrap(), Some(client(1)));
        assert_eq!(state_store.registered_client("client_2").unwrap(), None);
    }

    #[test]
    fn the_oldest_unused_client_is_removed() {
        let state_store = database();
        let has = |id: &str| state_store.registered_client(id).unwrap().is_some();
        for number in [1, 2, 3] {
            assert!(state_store.register_client_up_to(&client(number), 3).unwrap());
        }
        let used = "UPDATE oauth_client SET last_used_at = 1 WHERE id = ?1";
        state_store.execute(used, params!["client_1"]);
        assert!(state_store.register_client_up_to(&client(4), 3).unwrap());
        assert_eq!(
            [1, 2, 3, 4].map(|number| has(&format!("client_{number}"))),
            [true, false, true, true]
        );
        for id in ["client_3", "client_4"] {
            state_store.execute(used, params![id]);
        }
        assert!(!state_store.register_client_up_to(&client(5), 3).unwrap());
        assert!(has("client_1") && !has("client_5"));
    }

    #[test]
    fn unused_clients_are_removed() {
        let state_store = database();
        for number in [1, 2, 3] {
            state_store.register_client(&client(number)).unwrap();
        }
        state_store.execute(
            "UPDATE oauth_client SET last_used_at = ?1 WHERE id = 'client_1'",
            params![after(90).timestamp_micros()],
        );
        assert_eq!(state_store.remove_unused_clients(after(3)).unwrap(), 1);
        assert!(state_store.registered_client("client_2").unwrap().is_none());
        assert!(state_store.registered_client("client_1").unwrap().is_some());
    }
}
