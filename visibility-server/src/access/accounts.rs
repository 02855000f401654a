//! Sign-in of users: passwords, sessions and limits on attempts.

mod attempts;
pub(crate) mod cookies;
pub(crate) mod form;
pub(crate) mod session;
pub(crate) mod sign_in;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use visibility_core::store::StoreError;

use self::attempts::SignInAttempts;
use self::form::FormKey;
use crate::access::limiter::AddressKey;
use crate::http::response::ApiError;
use crate::runtime::bounded_semaphore::BoundedSemaphore;
use crate::stores::Stores;
use crate::stores::state::StateStore;
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
    attempts: SignInAttempts,
    /// What shared attempts name addresses with.
    address_key: Arc<AddressKey>,
    queue: BoundedSemaphore,
    /// What forms are signed with.
    pub(crate) form_key: FormKey,
    /// Whether a user was seen. A service that had one is not being tried out any more, so this stays.
    had_users: AtomicBool,
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
            attempts: SignInAttempts::default(),
            address_key: Arc::new(AddressKey::load_or_create(stores.state_store())?),
            queue: BoundedSemaphore::new(cores.min(MAX_AT_ONCE), MAX_WAITING),
            form_key: FormKey::load_or_create(stores.state_store())?,
            had_users: AtomicBool::new(false),
        })
    }

    /// Whether there is any user, or was one since the service has started.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) async fn has_users(&self) -> Result<bool, ApiError> {
        if self.had_users.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let has_users = self.database(StateStore::has_users).await?;
        self.had_users.fetch_or(has_users, Ordering::Relaxed);
        Ok(has_users)
    }
}
