//! People who sign in: their passwords, their sessions, and how often they may try.

pub(crate) mod cookies;
pub(crate) mod form;
pub(crate) mod sign_in;
mod tries;

use std::num::NonZeroUsize;
use std::sync::Arc;

use visibility_core::store::StoreError;

use self::form::FormKey;
use self::tries::Tries;
use crate::runtime::queue::Queue;
use crate::stores::Stores;
use crate::telemetry::metrics::Metrics;

/// Passwords that are looked at the same time, at most: each takes a core and 19 MiB.
const MAX_AT_ONCE: usize = 4;
/// Sign-ins that wait for their turn; more are refused with 503.
const MAX_WAITING: usize = 64;

/// What signing in needs.
#[derive(Debug)]
pub(crate) struct Accounts {
    stores: Arc<Stores>,
    metrics: Arc<Metrics>,
    tries: Tries,
    queue: Queue,
    /// What forms are signed with.
    pub(crate) form_key: FormKey,
}

impl Accounts {
    /// That of a service with this database.
    ///
    /// # Errors
    ///
    /// When the database fails, or the operating system gives no random numbers.
    pub(crate) fn new(stores: &Arc<Stores>, metrics: &Arc<Metrics>) -> Result<Self, StoreError> {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Ok(Self {
            stores: Arc::clone(stores),
            metrics: Arc::clone(metrics),
            tries: Tries::default(),
            queue: Queue::new(cores.min(MAX_AT_ONCE), MAX_WAITING),
            form_key: FormKey::of(stores.sqlite())?,
        })
    }
}
