//! A server in this process with a data directory of its own.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use chrono::{TimeDelta, Utc};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use uuid::Uuid;
use visibility_core::accounts::tenant::{BatchKey, TenantSlug};
use visibility_core::accounts::token::{RANDOM_BYTES, Token, TokenKind};
use visibility_core::store::Ledger;
use visibility_server::service::listener;
use visibility_server::service::router::Endpoints;
use visibility_server::settings::Settings;
use visibility_server::state::AppState;
use visibility_server::stores::Stores;
use visibility_server::stores::location::StoreLocation;
use visibility_server::stores::state::credentials::NewToken;
use visibility_server::telemetry::metrics::Metrics;

use visibility_tests::bucket;
use visibility_tests::client::Message;
use visibility_tests::database;

pub(crate) const TENANT: &str = "acme";
pub(crate) const OTHER_TENANT: &str = "globex";

/// A server that runs until it is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) tokens: Tokens,
    pub(crate) stores: Arc<Stores>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) stop: watch::Sender<bool>,
    pub(crate) running: JoinHandle<()>,
    pub(crate) folder: Arc<TempDir>,
}

/// Tokens by what they are good for.
pub(crate) struct Tokens {
    pub(crate) valid: String,
    pub(crate) second: String,
    pub(crate) expired: String,
    pub(crate) revoked: String,
    pub(crate) other_tenant: String,
    pub(crate) disabled_tenant: String,
    pub(crate) unknown: String,
}

impl Server {
    /// A server without limits of rate.
    pub(crate) async fn start() -> Self {
        Self::with(|_| {}).await
    }

    /// A server without limits of rate and with other settings.
    pub(crate) async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        Self::on(Arc::new(tempfile::tempdir().unwrap()), change).await
    }

    /// A server on a data directory that another one may have used before.
    pub(crate) async fn on(folder: Arc<TempDir>, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = Settings { data_dir: folder.path().join("data"), ..Settings::default() };
        settings.limits.burst = 0;
        settings.limits.batches_per_hour = 0;
        settings.limits.connections_per_address = 1024;
        database::set(&mut settings);
        change(&mut settings);
        let location = StoreLocation::of(&settings).unwrap();
        let stores = Arc::new(Stores::open_exclusive(location).unwrap());
        let tokens = tokens(&stores);
        let metrics = Arc::new(Metrics::default());
        let (stop, stopped) = watch::channel(false);
        let state = AppState::new(
            settings.clone(),
            Arc::clone(&stores),
            Arc::clone(&metrics),
            stopped.clone(),
        )
        .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Endpoints::new(state).unwrap().router();
        let running = tokio::spawn(async move {
            listener::serve(listener, router, &settings, stopped).await;
        });
        Self { address, tokens, stores, metrics, stop, running, folder }
    }

    /// A good request with an empty body.
    pub(crate) fn post(&self) -> Message {
        Message::new("POST", "/v1/logs")
            .with("authorization", &format!("Bearer {}", self.tokens.valid))
            .with("content-type", "application/x-ndjson")
            .with("x-service-tenant", TENANT)
            .with("x-service-schema", "1")
    }

    /// A good request with a batch of one good record.
    pub(crate) fn post_one(&self) -> Message {
        self.post().body(record())
    }

    /// Records of the tenants that are kept.
    pub(crate) fn kept(&self) -> u64 {
        [TENANT, OTHER_TENANT]
            .iter()
            .flat_map(|tenant| {
                self.stores
                    .state_store()
                    .rollups(&slug(tenant), &(chrono::NaiveDate::MIN..=chrono::NaiveDate::MAX))
                    .unwrap()
            })
            .map(|row| row.records)
            .sum()
    }

    /// Whether the ledger knows a batch.
    pub(crate) fn knows(&self, batch_id: Uuid) -> bool {
        let key = BatchKey { tenant: slug(TENANT), batch_id };
        self.stores.state_store().response(&key).unwrap().is_some()
    }

    /// Objects, finished or not, and files of the spool.
    pub(crate) fn files(&self) -> Vec<String> {
        let data_dir = self.folder.path().join("data");
        let mut files = Vec::new();
        if bucket::endpoint().is_some() {
            let objects = self.stores.objects().list_all().unwrap();
            files.extend(objects.into_iter().map(|object| object.name));
        } else {
            collect(&data_dir.join("objects"), &mut files);
        }
        collect(&data_dir.join("spool"), &mut files);
        // The identity of the store.
        files.retain(|name| !name.ends_with("/store.json"));
        files
    }
}

/// One good record, as a line.
pub(crate) fn record() -> String {
    let timestamp =
        (Utc::now() - TimeDelta::hours(1)).to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    format!(
        r#"{{"timestamp":"{timestamp}","user_agent":"GPTBot/1.2","request_method":"GET","request_path":"/a","status_code":200,"response_bytes":1,"referrer":"","host":"www.example.com","client_ip_hash":"9f86d081884c7d659a2feaa0c55ad015"}}{}"#,
        "\n"
    )
}

fn slug(text: &str) -> TenantSlug {
    text.parse().unwrap()
}

fn collect(folder: &Path, files: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), files);
        } else {
            files.push(entry.path().display().to_string());
        }
    }
}

/// Makes the tenants and tokens, unless an earlier server on the same folder did.
fn tokens(stores: &Stores) -> Tokens {
    let state_store = stores.state_store();
    let now = Utc::now();
    let is_new = state_store.tenants(now).unwrap().is_empty();
    if is_new {
        for tenant in [TENANT, OTHER_TENANT, "disabled"] {
            state_store.create_tenant(&slug(tenant), now).unwrap();
        }
    }
    let make = |seed: u8, tenant: &str, days: i64| {
        let token = Token::generate(TokenKind::Ingestion, &[seed; RANDOM_BYTES]);
        let id = Uuid::from_u128(seed.into());
        let created_at = now - TimeDelta::days(100);
        let expires_at = created_at + TimeDelta::days(days);
        let kept =
            NewToken { id, tenant: slug(tenant), digest: token.digest(), created_at, expires_at };
        if is_new {
            state_store.create_token(&kept).unwrap();
        }
        (token.reveal().to_owned(), id)
    };
    let (revoked, id) = make(1, TENANT, 200);
    if is_new {
        state_store.revoke_token(id, now).unwrap();
    }
    let tokens = Tokens {
        expired: make_expired(state_store, is_new),
        valid: make(3, TENANT, 200).0,
        second: make(4, TENANT, 200).0,
        revoked,
        other_tenant: make(5, OTHER_TENANT, 200).0,
        disabled_tenant: make(6, "disabled", 200).0,
        unknown: Token::generate(TokenKind::Ingestion, &[7; RANDOM_BYTES]).reveal().to_owned(),
    };
    if is_new {
        state_store.set_tenant_disabled(&slug("disabled"), Some(now)).unwrap();
    }
    tokens
}

/// A token whose time is over. It was the only one while it lasted.
fn make_expired(
    state_store: &visibility_server::stores::state::StateStore,
    is_new: bool,
) -> String {
    let token = Token::generate(TokenKind::Ingestion, &[2; RANDOM_BYTES]);
    let created_at = Utc::now() - TimeDelta::days(300);
    if is_new {
        let kept = NewToken {
            id: Uuid::from_u128(2),
            tenant: slug(TENANT),
            digest: token.digest(),
            created_at,
            expires_at: created_at + TimeDelta::days(100),
        };
        state_store.create_token(&kept).unwrap();
    }
    token.reveal().to_owned()
}
