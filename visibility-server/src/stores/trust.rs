//! Whether batches may be given to the database: not while it is damaged, and not if it does not know what was published
//! last.

use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use visibility_core::store::StoreError;

use super::Stores;
use super::database::Inspection;
use super::identity::IdentityError;
#[cfg(feature = "postgres")]
use super::postgres;
use super::sqlite;
use crate::runtime::fault;

/// What was found out about the database of open stores.
#[derive(Debug, Default)]
pub(super) struct DatabaseTrust {
    /// What is damaged of it.
    damage: Mutex<Option<String>>,
    /// The object that it does not know.
    older: Mutex<Option<IdentityError>>,
    /// How many connections had been made when it was last compared with the objects.
    compared_at: AtomicU64,
}

impl Stores {
    /// Why no batches are to be given to the database, as far as it was found out.
    pub(crate) fn database_faults(&self) -> Vec<String> {
        let damage = lock(&self.trust.damage)
            .as_ref()
            .map(|damage| format!("the database is damaged: {damage}"));
        let older = lock(&self.trust.older).as_ref().map(ToString::to_string);
        damage.into_iter().chain(older).collect()
    }

    /// Looks whether the database is damaged, for as long as the limit says, and tells the operator. Blocks.
    ///
    /// # Errors
    ///
    /// When it cannot be read for another reason.
    pub(crate) fn inspect_database(&self, limit: Duration) -> Result<(), StoreError> {
        let damage = match self.state_store.inspect(limit)? {
            Inspection::Sound => None,
            Inspection::Damaged(damage) => Some(damage),
            Inspection::Unfinished => {
                tracing::warn!(
                    seconds = limit.as_secs(),
                    "the database was not inspected to its end"
                );
                return Ok(());
            }
        };
        lock(&self.trust.damage).clone_from(&damage);
        if let Some(damage) = &damage {
            tracing::error!(
                damage,
                "the database is damaged: new batches are refused, and nothing is merged or deleted, \
                    until you stop the server and restore a backup"
            );
        }
        Ok(())
    }

    /// Refuses a database that does not know what was published last. Looks for that after each new connection, behind which
    /// another server may have taken its place. Blocks.
    ///
    /// # Errors
    ///
    /// [`IdentityError::OlderDatabase`], and when a store cannot be read.
    pub(crate) fn refuse_older_database(&self) -> Result<(), StoreError> {
        if let Some(older) = lock(&self.trust.older).clone() {
            return Err(StoreError::unchanged("use the database", older));
        }
        if self.state_store.connections() == self.trust.compared_at.load(Ordering::Acquire) {
            return Ok(());
        }
        self.compare_newest()
    }

    /// Compares the database with the objects that were published last, and tells the operator.
    fn compare_newest(&self) -> Result<(), StoreError> {
        // A connection that is made meanwhile is not the one that answers, perhaps.
        let connections = self.state_store.connections();
        let compared = self.pair().verify_last_published();
        let older = match &compared {
            Ok(()) => None,
            Err(error) => match IdentityError::of(error) {
                Some(older) => Some(older.clone()),
                None => return compared,
            },
        };
        let before = std::mem::replace(&mut *lock(&self.trust.older), older.clone());
        match (older, before) {
            (Some(problem), None) => tracing::error!(
                %problem,
                "the database is older than the objects: new batches are refused, and nothing is merged or deleted; \
                    stop all servers, then {}",
                problem.hint()
            ),
            (None, Some(_)) => tracing::info!("the database knows the newest object again"),
            _ => {}
        }
        self.trust.compared_at.store(connections, Ordering::Release);
        compared
    }

    /// Looks once more at a database that was older, and at one behind a new connection. Says whether it knows what was
    /// published last. Blocks.
    ///
    /// # Errors
    ///
    /// When a store cannot be read.
    pub(crate) fn is_database_current(&self) -> Result<bool, StoreError> {
        let is_older = lock(&self.trust.older).is_some();
        let compared = if is_older { self.compare_newest() } else { self.refuse_older_database() };
        match compared {
            Err(error) if IdentityError::of(&error).is_some() => Ok(false),
            compared => compared.map(|()| true),
        }
    }

    /// Notes beside the objects which one was published last, unless the database is older than the note. Blocks.
    ///
    /// # Errors
    ///
    /// When a store cannot be read or written.
    pub(crate) fn note_newest(&self) -> Result<(), StoreError> {
        let newest = self.state_store.newest_file()?;
        let Some(newest) = newest.filter(|newest| self.last_published.is_news(newest)) else {
            return Ok(());
        };
        // After the name was read: it is that of a database which knows what the note says.
        if !self.is_database_current()? {
            return Ok(());
        }
        fault::point(fault::BEFORE_NEWEST)?;
        self.last_published.write_mark(self.objects(), &newest)?;
        fault::point(fault::AFTER_NEWEST)
    }
}

/// What an error says of a damaged database, if it says so.
pub(crate) fn database_damage(error: &StoreError) -> Option<String> {
    let source: &(dyn Error + 'static) = error.source.as_deref()?;
    #[cfg(feature = "postgres")]
    if postgres::is_damage(source) {
        return Some(source.to_string());
    }
    sqlite::is_damage(source).then(|| source.to_string())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
