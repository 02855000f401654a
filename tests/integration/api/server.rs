//! A server in this process, with a data directory and sites of its own.

use std::net::SocketAddr;
use std::sync::Arc;

use chrono::Utc;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use uuid::Uuid;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::token::{RANDOM_BYTES, Token, TokenKind};
use visibility_server::service::listener;
use visibility_server::service::router::Endpoints;
use visibility_server::settings::Settings;
use visibility_server::state::AppState;
use visibility_server::stores::Stores;
use visibility_server::stores::location::StoreLocation;
use visibility_server::stores::state::keys::NewKey;
use visibility_server::telemetry::metrics::Metrics;
use visibility_tests::database;
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::wait::until;

/// Whose keys are made.
pub(crate) const TENANT: &str = "acme";

/// A server that runs until it is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    /// A valid key with all scopes.
    pub(crate) key: String,
    pub(crate) stores: Arc<Stores>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) sites: FixtureServer,
    pub(crate) client: reqwest::Client,
    pub(crate) stop: watch::Sender<bool>,
    pub(crate) running: JoinHandle<()>,
    pub(crate) folder: Arc<TempDir>,
}

/// The stores of a folder. A server that was stopped in the same process may still end its last work.
async fn opened(location: &StoreLocation) -> Stores {
    let mut stores = None;
    until("the stores can be opened", || {
        stores = Stores::open_exclusive(location.clone()).ok();
        stores.is_some()
    })
    .await;
    stores.unwrap()
}

impl Server {
    /// A server without sites and without limits of rate.
    pub(crate) async fn start() -> Self {
        Self::with(Hosts::default(), |_| {}).await
    }

    /// A server that finds these sites on the internet, without limits of rate.
    pub(crate) async fn with(hosts: Hosts, change: impl FnOnce(&mut Settings)) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        Self::on(folder, FixtureServer::start(hosts).await, change).await
    }

    /// A server on a data directory that another one may have used before.
    pub(crate) async fn on(
        folder: Arc<TempDir>,
        sites: FixtureServer,
        change: impl FnOnce(&mut Settings),
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let ca_cert = folder.path().join("ca.pem");
        std::fs::write(&ca_cert, sites.authority().pem()).unwrap();
        let mut settings = Settings {
            data_dir: folder.path().join("data"),
            listen: address,
            ..Settings::default()
        };
        settings.fetch.connect_to =
            vec![format!(":443:{}", sites.https()), format!(":80:{}", sites.http())];
        settings.fetch.ca_cert = Some(ca_cert);
        settings.limits.scans_per_minute = 0;
        settings.limits.scans_per_day = 0;
        settings.limits.audits_per_minute = 0;
        settings.limits.audits_per_day = 0;
        settings.limits.audits_per_host = 0;
        settings.limits.audits_at_once = 0;
        settings.limits.client_documents_per_hour = 0;
        settings.limits.connections_per_address = 1024;
        database::set(&mut settings);
        change(&mut settings);
        let stores = Arc::new(opened(&StoreLocation::of(&settings).unwrap()).await);
        let _ = stores.state_store().create_tenant(&TENANT.parse().unwrap(), Utc::now());
        let key = make_key(&stores, &Scope::FOR_PROGRAMS, |_| {});
        let metrics = Arc::new(Metrics::default());
        let (stop, stopped) = watch::channel(false);
        let state = AppState::new(
            settings.clone(),
            Arc::clone(&stores),
            Arc::clone(&metrics),
            stopped.clone(),
        )
        .unwrap();
        let router = Endpoints::new(state).unwrap().router();
        let running = tokio::spawn(async move {
            listener::serve(listener, router, &settings, stopped).await;
        });
        // A second server in the process finds it installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap();
        Self { address, key, stores, metrics, sites, client, stop, running, folder }
    }

    /// Another valid key, with these scopes. It has a name of its own, hence limits of its own.
    pub(crate) fn make_key(&self, scopes: &[Scope]) -> String {
        make_key(&self.stores, scopes, |_| {})
    }

    /// Another key, as it is changed before it is kept.
    pub(crate) fn key_with(&self, change: impl FnOnce(&mut NewKey)) -> String {
        make_key(&self.stores, &Scope::FOR_PROGRAMS, change)
    }

    /// The address of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Asks for a path, without a key.
    pub(crate) async fn get(&self, path: &str) -> reqwest::Response {
        self.client.get(self.url(path)).send().await.unwrap()
    }
}

/// Makes a key of [`TENANT`].
fn make_key(stores: &Stores, scopes: &[Scope], change: impl FnOnce(&mut NewKey)) -> String {
    let id = Uuid::now_v7();
    let mut random = [0; RANDOM_BYTES];
    random[..16].copy_from_slice(id.as_bytes());
    let token = Token::generate(TokenKind::ApiKey, &random);
    let mut key = NewKey {
        id: id.into(),
        tenant: TENANT.parse().unwrap(),
        name: id.to_string().parse().unwrap(),
        abbreviated: token.abbreviated(),
        digest: token.digest(),
        scopes: scopes.iter().copied().collect(),
        networks: Vec::new(),
        created_by: None,
        created_at: Utc::now(),
        lifetime: None,
    };
    change(&mut key);
    stores.state_store().create_key(&key).unwrap();
    token.reveal().to_owned()
}

impl Drop for Server {
    fn drop(&mut self) {
        self.running.abort();
    }
}
