//! The nodes that serve from one database, and the work that one of them does at a time.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;
use visibility_core::store::StoreError;

use super::column::parsed;
use super::{StateStore, uncounted};
use crate::runtime::clock;
use crate::stores::database::{failed, params};
use crate::stores::schema::STEPS;

/// How long a node counts as serving that has not been seen. It is seen every few seconds.
const SILENT_FOR: TimeDelta = TimeDelta::seconds(30);
/// How long a node is known after it was seen.
const KNOWN_FOR: TimeDelta = TimeDelta::days(1);

/// A node that serves.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ServingNode {
    /// Its process.
    pub(crate) id: Uuid,
    /// Its machine.
    pub(crate) name: String,
}

impl StateStore {
    /// The time by which nodes agree: that of a database that they share, or else that of this machine.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn agreed_time(&self) -> Result<DateTime<Utc>, StoreError> {
        Ok(self.shared_time()?.unwrap_or_else(clock::now))
    }

    /// The time of a database that nodes share.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn shared_time(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.database.shared_time().map_err(failed(|| "ask the database for its time".to_owned()))
    }

    /// Notes that a node serves, and names the others that do.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn see_node(&self, node: &ServingNode) -> Result<Vec<ServingNode>, StoreError> {
        let now = self.agreed_time()?;
        let id = node.id.to_string();
        self.write(|statements| {
            statements.execute(
                "INSERT INTO node (id, name, started_at, seen_at, schema_version)
                 VALUES (?1, ?2, ?3, ?3, ?4)
                 ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at",
                params![id, node.name, now.timestamp_micros(), STEPS.len()],
            )?;
            uncounted::note_older_nodes(statements)?;
            statements.execute(
                "DELETE FROM node WHERE seen_at < ?1",
                params![(now - KNOWN_FOR).timestamp_micros()],
            )
        })
        .map_err(failed(|| "note that this node serves".to_owned()))?;
        let mut serving = self.serving_nodes_at(now)?;
        serving.retain(|other| other.id != node.id);
        Ok(serving)
    }

    /// The nodes that serve.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn serving_nodes(&self) -> Result<Vec<ServingNode>, StoreError> {
        self.serving_nodes_at(self.agreed_time()?)
    }

    fn serving_nodes_at(&self, now: DateTime<Utc>) -> Result<Vec<ServingNode>, StoreError> {
        self.read(|statements| {
            statements.query_all(
                "SELECT id, name FROM node WHERE seen_at > ?1 ORDER BY started_at, id",
                params![(now - SILENT_FOR).timestamp_micros()],
                |row| Ok(ServingNode { id: parsed(row, 0)?, name: row.get(1)? }),
            )
        })
        .map_err(failed(|| "list the nodes".to_owned()))
    }

    /// Notes that a node does not serve any more, and gives back all that it was doing alone.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn forget_node(&self, id: Uuid) -> Result<(), StoreError> {
        let id = id.to_string();
        self.write(|statements| {
            statements.execute("DELETE FROM lease WHERE holder = ?1", params![id])?;
            statements.execute("DELETE FROM node WHERE id = ?1", params![id])
        })
        .map(|_rows| ())
        .map_err(failed(|| "note that this node has ended".to_owned()))
    }

    /// Makes a holder the only one who does some work until a span is over, unless another one is. Says whether it is.
    /// The same holder may ask again before, and has the whole span then.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn acquire_lease(
        &self,
        name: &str,
        holder: &str,
        span: TimeDelta,
    ) -> Result<bool, StoreError> {
        let now = self.agreed_time()?;
        self.write(|statements| {
            statements.execute(
                "INSERT INTO lease (name, holder, until) VALUES (?1, ?2, ?3)
                 ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
                 WHERE lease.until <= ?4 OR lease.holder = excluded.holder",
                params![name, holder, (now + span).timestamp_micros(), now.timestamp_micros()],
            )
        })
        .map(|rows| rows > 0)
        .map_err(failed(|| format!("acquire the lease {name}")))
    }

    /// Whether some work has a holder at the moment.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn is_leased(&self, name: &str) -> Result<bool, StoreError> {
        let now = self.agreed_time()?.timestamp_micros();
        let sql = "SELECT 1 FROM lease WHERE name = ?1 AND until > ?2";
        self.read(|statements| statements.exists(sql, params![name, now]))
            .map_err(failed(|| format!("look for the lease {name}")))
    }

    /// Gives a lease back, if it is still this holder's.
    ///
    /// # Errors
    ///
    /// When the database fails; it ends by itself then.
    pub(crate) fn release_lease(&self, name: &str, holder: &str) -> Result<(), StoreError> {
        self.write(|statements| {
            let sql = "DELETE FROM lease WHERE name = ?1 AND holder = ?2";
            statements.execute(sql, params![name, holder])
        })
        .map(|_rows| ())
        .map_err(failed(|| format!("release the lease {name}")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::TestStore;
    use super::*;

    fn node(number: u128) -> ServingNode {
        ServingNode { id: Uuid::from_u128(number), name: format!("machine-{number}") }
    }

    #[test]
    fn nodes_see_each_other_until_they_end() {
        let store = TestStore::new();
        assert_eq!(store.see_node(&node(1)).unwrap(), []);
        assert_eq!(store.see_node(&node(2)).unwrap(), [node(1)]);
        assert_eq!(store.see_node(&node(1)).unwrap(), [node(2)]);
        store.forget_node(node(2).id).unwrap();
        assert_eq!(store.see_node(&node(1)).unwrap(), []);
        store.execute("UPDATE node SET seen_at = seen_at - 31000000", &[]);
        assert_eq!(store.serving_nodes().unwrap(), []);
    }

    #[test]
    fn a_lease_has_one_holder_until_it_ends_or_is_given_back() {
        let store = TestStore::new();
        let span = TimeDelta::minutes(1);
        let acquire = |holder| store.acquire_lease("sweep", holder, span).unwrap();
        assert!(acquire("a"));
        assert!(acquire("a"), "it is renewed");
        assert!(!acquire("b"));
        assert!(store.acquire_lease("other", "b", span).unwrap());
        store.release_lease("sweep", "b").unwrap();
        assert!(!acquire("b"), "it was not its own");
        store.release_lease("sweep", "a").unwrap();
        assert!(acquire("b"));
        store.execute("UPDATE lease SET until = until - 61000000 WHERE name = 'sweep'", &[]);
        assert!(acquire("a"), "it was over");
        assert!(!acquire("b"), "who wakes up late has lost it");
    }
}
