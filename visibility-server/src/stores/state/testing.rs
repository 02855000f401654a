//! A store for tests.

use std::ops::Deref;

use tempfile::TempDir;

use super::StateStore;
use crate::stores::database::{Statements, Value};

/// An empty store that goes away with its owner.
pub(crate) struct TestStore {
    store: StateStore,
    folder: TempDir,
}

impl TestStore {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = StateStore::open(&folder.path().join("state.sqlite")).unwrap();
        Self { store, folder }
    }

    /// The store after another start of its process.
    pub(crate) fn reopened(self) -> Self {
        let Self { store, folder } = self;
        drop(store);
        let store = StateStore::open(&folder.path().join("state.sqlite")).unwrap();
        Self { store, folder }
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
        let files = std::fs::read_dir(self.folder.path()).unwrap();
        files.flat_map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect()
    }
}

impl Deref for TestStore {
    type Target = StateStore;

    fn deref(&self) -> &StateStore {
        &self.store
    }
}
