//! A store for tests, in the database that `VISIBILITY_TEST_DATABASE` names, or in SQLite without it.

use std::ops::Deref;

use tempfile::TempDir;

use super::StateStore;
use crate::stores::database::{Statements, Value};

/// An empty store that goes away with its owner.
pub(crate) struct TestStore {
    store: StateStore,
    place: Place,
}

enum Place {
    Folder(TempDir),
    Elsewhere,
    #[cfg(feature = "postgres")]
    Schema(String),
}

impl TestStore {
    pub(crate) fn new() -> Self {
        let place = Place::new();
        Self { store: place.open(), place }
    }

    /// A store in SQLite, whatever the environment says.
    pub(crate) fn in_files() -> Self {
        let place = Place::Folder(tempfile::tempdir().unwrap());
        Self { store: place.open(), place }
    }

    /// The store after another start of its process.
    pub(crate) fn reopened(self) -> Self {
        let Self { store, place } = self;
        drop(store);
        Self { store: place.open(), place }
    }

    /// The store as other processes open it, and this one.
    pub(crate) fn nodes(self, nodes: usize) -> Vec<Self> {
        let Self { store, place } = self;
        let mut opened: Vec<_> =
            (1..nodes).map(|_| Self { store: place.open(), place: Place::Elsewhere }).collect();
        // The last one that goes away takes it along.
        opened.push(Self { store, place });
        opened
    }

    /// Runs a statement that no rule of the store runs.
    pub(crate) fn execute(&self, sql: &str, values: &[Value<'_>]) -> u64 {
        self.store.write(|statements| statements.execute(sql, values)).unwrap()
    }

    /// The number that a statement finds.
    pub(crate) fn number(&self, sql: &str) -> i64 {
        self.store.read(|statements| statements.query_one(sql, &[], |row| row.get(0))).unwrap()
    }

    /// Does something in the middle of a transaction.
    pub(crate) fn while_writing(&self, work: impl Fn(&dyn Statements)) {
        self.store
            .write(|statements| {
                work(statements);
                Ok(())
            })
            .unwrap();
    }

    /// All bytes of its files.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let Place::Folder(folder) = &self.place else { panic!("it is not in files") };
        let files = std::fs::read_dir(folder.path()).unwrap();
        files.flat_map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect()
    }
}

impl Deref for TestStore {
    type Target = StateStore;

    fn deref(&self) -> &StateStore {
        &self.store
    }
}

impl Place {
    #[cfg(feature = "postgres")]
    fn new() -> Self {
        let Ok(database) = std::env::var("VISIBILITY_TEST_DATABASE") else {
            return Self::Folder(tempfile::tempdir().unwrap());
        };
        let name = format!("t{}", uuid::Uuid::new_v4().simple());
        administer(&database, &format!("CREATE SCHEMA {name}"));
        Self::Schema(format!("{database}?options=-csearch_path%3D{name}"))
    }

    #[cfg(not(feature = "postgres"))]
    fn new() -> Self {
        Self::Folder(tempfile::tempdir().unwrap())
    }

    fn open(&self) -> StateStore {
        match self {
            Self::Elsewhere => panic!("it is of another store"),
            Self::Folder(folder) => StateStore::open(&folder.path().join("state.sqlite")).unwrap(),
            #[cfg(feature = "postgres")]
            Self::Schema(address) => {
                StateStore::open_postgres(&address.parse().unwrap(), 4).unwrap()
            }
        }
    }
}

#[cfg(feature = "postgres")]
impl Drop for Place {
    fn drop(&mut self) {
        let Self::Schema(address) = self else { return };
        if let Some((database, name)) = address.split_once("?options=-csearch_path%3D") {
            administer(database, &format!("DROP SCHEMA {name} CASCADE"));
        }
    }
}

/// Runs a statement for the whole database.
#[cfg(feature = "postgres")]
fn administer(database: &str, sql: &str) {
    let run = async || {
        let (client, connection) =
            tokio_postgres::connect(database, tokio_postgres::NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        client.batch_execute(sql).await.unwrap();
        drop(client);
        connection.await.unwrap().unwrap();
    };
    // The test may be one of a runtime, on whose thread no other may run.
    std::thread::scope(|scope| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        scope.spawn(move || runtime.block_on(run())).join().unwrap();
    });
}
