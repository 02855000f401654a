//! Runs the service inside another application.

use std::convert;
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use chrono::TimeDelta;
use rmcp::ServerHandler;
use tokio::net::TcpListener;
use tokio::sync::watch;
use uuid::Uuid;
use visibility_core::accounts::token::TokenKind;
use visibility_core::mcp::McpServer;
use visibility_core::store::StoreError;

use crate::ingest::maintenance::Maintenance;
use crate::mcp::McpService;
use crate::runtime::{clock, random};
use crate::service::listener;
use crate::service::router::Endpoints;
use crate::settings::Settings;
use crate::state::{AppState, StateError};
use crate::stores::Stores;
use crate::stores::location::{LocationError, StoreLocation};
use crate::stores::state::credentials::CredentialError;
use crate::stores::state::keys::{KeyError, NewKey};
use crate::telemetry::metrics::Metrics;

pub use crate::access::auth::signed_in::SignedIn;
pub use crate::mcp::host::ServiceHost;
#[doc(inline)]
pub use visibility_core::accounts::api_key::KeyName;
#[doc(inline)]
pub use visibility_core::accounts::scope::Scope;
#[doc(inline)]
pub use visibility_core::accounts::tenant::TenantSlug;
#[doc(inline)]
pub use visibility_core::accounts::token::Token;

/// A service that another application runs.
///
/// Its [router](Self::router) can be nested below a path that `base_url` of the settings then ends with; or
/// merged at the root into one without a fallback, where the service then answers whatever has no other
/// route: axum panics when both routers have a fallback. Agents look for `/robots.txt`, `/llms.txt` and `/.well-known/` at the root of
/// a host alone: an application that nests the service answers there itself.
///
/// ```no_run
/// use axum::Router;
/// use axum::routing::get;
/// use tokio::net::TcpListener;
/// use visibility_server::embedded::Embedded;
/// use visibility_server::settings::Settings;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let settings = Settings {
///     base_url: Some("https://app.example.com/visibility".to_owned()),
///     data_dir: "app-data/visibility".into(),
///     ..Settings::default()
/// };
/// let service = Embedded::open(settings)?;
/// let key = service.ensure_key(&"acme".parse()?, &"laptop".parse()?)?;
/// println!("{}", key.reveal());
/// let app = Router::new()
///     .route("/", get(async || "Everything else of the application"))
///     .nest("/visibility", service.router());
/// service.serve(TcpListener::bind("127.0.0.1:8080").await?, app).await;
/// service.close().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Embedded {
    settings: Settings,
    stores: Arc<Stores>,
    metrics: Arc<Metrics>,
    endpoints: Endpoints,
    stop: watch::Sender<bool>,
}

type Cause = Box<dyn Error + Send + Sync>;

/// Why a service cannot be embedded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddedError {
    /// The data directory cannot be read or written, or is in use.
    #[error(transparent)]
    DataDir(Cause),
    /// The settings ask for what is not there, such as a file of certificates or a name server.
    #[error(transparent)]
    Settings(Cause),
}

impl From<StoreError> for EmbeddedError {
    fn from(error: StoreError) -> Self {
        Self::DataDir(error.into())
    }
}

impl From<LocationError> for EmbeddedError {
    fn from(error: LocationError) -> Self {
        Self::Settings(error.into())
    }
}

impl From<StateError> for EmbeddedError {
    fn from(error: StateError) -> Self {
        match error {
            StateError::Store(error) => error.into(),
            StateError::Client(error) => Self::Settings(error.into()),
            StateError::External(error) => Self::Settings(error.into()),
        }
    }
}

/// A service that did not end in time.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} is still in use after {seconds} s: drop all routers of the service first",
    data_dir.display()
)]
#[non_exhaustive]
pub struct CloseError {
    /// The data directory.
    pub data_dir: PathBuf,
    /// How long it was waited for.
    pub seconds: u64,
}

/// How long the key before the one that [`Embedded::ensure_key`] returns still works.
const OLD_KEY_LIFETIME: TimeDelta = TimeDelta::days(1);

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnsureKeyError {
    /// The operating system gave no random numbers.
    #[error("the system has no randomness")]
    Randomness(#[source] Cause),
    /// The tenant is disabled, so that a key would be of no use.
    #[error("tenant `{0}` is disabled")]
    TenantDisabled(TenantSlug),
    /// The database failed.
    #[error(transparent)]
    Database(Cause),
}

impl From<KeyError> for EnsureKeyError {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::TenantDisabled(tenant) => Self::TenantDisabled(tenant),
            error => Self::Database(error.into()),
        }
    }
}

impl Embedded {
    /// Opens the data directory of the settings, which no other process may serve from.
    ///
    /// # Errors
    ///
    /// When it cannot be read or written or is in use, and when sites cannot be fetched as the settings
    /// want it. It is in use for a moment after another service on it was dropped, if work of that one runs on.
    pub fn open(settings: Settings) -> Result<Self, EmbeddedError> {
        Self::with_mcp(settings, convert::identity)
    }

    /// The same, with an MCP server of the application's own, which wraps that of the service and
    /// forwards to it what it does not know. Access to it is the service's to judge.
    ///
    /// # Errors
    ///
    /// The same.
    pub fn with_mcp<S: ServerHandler + Clone>(
        settings: Settings,
        around: impl FnOnce(McpServer<ServiceHost>) -> S,
    ) -> Result<Self, EmbeddedError> {
        let stores = Arc::new(Stores::open_exclusive(StoreLocation::of(&settings)?)?);
        let metrics = Arc::new(Metrics::default());
        let (stop, stopped) = watch::channel(false);
        let state =
            AppState::new(settings.clone(), Arc::clone(&stores), Arc::clone(&metrics), stopped)?;
        let mcp = McpService::new(&settings, around);
        let endpoints = Endpoints::with_mcp(state, mcp).map_err(StateError::from)?;
        Ok(Self { settings, stores, metrics, endpoints, stop })
    }

    /// All routes of the service: the public API, log ingestion and the pages.
    ///
    /// Whatever serves them must say who asks, as [`serve`](Self::serve) does, and as axum does with
    /// `into_make_service_with_connect_info::<SocketAddr>()`.
    pub fn router(&self) -> Router {
        self.endpoints.router()
    }

    /// Serves an application until [`stop`](Self::stop), with the deadlines and the bounds of connections
    /// that the settings have, and does the work between requests meanwhile.
    pub async fn serve(&self, listener: TcpListener, app: Router) {
        let maintenance = tokio::spawn(self.maintenance());
        listener::serve(listener, app, &self.settings, self.stop.subscribe()).await;
        maintenance.abort();
    }

    /// The work between requests, until [`stop`](Self::stop), for an application that serves by itself and spawns
    /// this beside it.
    pub fn maintenance(&self) -> impl Future<Output = ()> + Send + use<> {
        let (stores, metrics) = (Arc::clone(&self.stores), Arc::clone(&self.metrics));
        Maintenance::new(stores, metrics, self.settings.clone(), self.stop.subscribe()).run()
    }

    /// Asks for the end: requests that run are finished, new connections are not taken.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Ends the service and waits until nothing uses its data directory any more, so that it can be opened again.
    /// Its routers hold the directory too and are to be dropped before.
    ///
    /// # Errors
    ///
    /// When something still uses the data directory after the time that the settings allow for the end,
    /// `timeouts.shutdown`.
    pub async fn close(self) -> Result<(), CloseError> {
        self.stop();
        let closed = self.stores.closed();
        let Self { settings, stores, endpoints, .. } = self;
        drop((stores, endpoints));
        let seconds = settings.timeouts.shutdown;
        tokio::time::timeout(Duration::from_secs(seconds), closed)
            .await
            .map_err(|_elapsed| CloseError { data_dir: settings.data_dir, seconds })
    }

    // For `tests/integration/api/embedded.rs`, which disables a tenant.
    #[doc(hidden)]
    pub fn stores(&self) -> &Stores {
        &self.stores
    }

    /// Makes sure that there is a tenant of this name.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub fn ensure_tenant(&self, tenant: &TenantSlug) -> Result<(), EnsureKeyError> {
        match self.stores.state_store().create_tenant(tenant, clock::now()) {
            Ok(()) | Err(CredentialError::TenantExists(_)) => Ok(()),
            Err(error) => Err(EnsureKeyError::Database(error.into())),
        }
    }

    /// A new API key with the scope to scan, and its tenant if it does not exist. This is the only time that the key
    /// can be read, so an application calls this at each start, or keeps the key.
    ///
    /// A key of the same name from an earlier call works for another day; older ones are revoked.
    ///
    /// # Errors
    ///
    /// When the tenant is disabled, or the database fails.
    pub fn ensure_key(&self, tenant: &TenantSlug, name: &KeyName) -> Result<Token, EnsureKeyError> {
        self.ensure_tenant(tenant)?;
        let token = random::token(TokenKind::ApiKey)
            .map_err(|error| EnsureKeyError::Randomness(error.into()))?;
        let now = clock::now();
        let key = NewKey {
            id: Uuid::now_v7().into(),
            tenant: tenant.clone(),
            name: name.clone(),
            abbreviated: token.abbreviated(),
            digest: token.digest(),
            scopes: [Scope::ScanRead].into(),
            networks: Vec::new(),
            created_by: None,
            created_at: now,
            lifetime: None,
        };
        self.stores.state_store().replace_key(&key, now + OLD_KEY_LIFETIME)?;
        Ok(token)
    }
}
