//! What it costs to know who asks: a key that is remembered, and what strangers send instead.

#![expect(clippy::expect_used, reason = "a benchmark stops where something fails")]

use std::cell::Cell;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode};
use axum::{Router, response::Response};
use chrono::Utc;
use criterion::{Criterion, criterion_group, criterion_main};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tower::ServiceExt;
use uuid::Uuid;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::token::{RANDOM_BYTES, Token, TokenKind};
use visibility_server::service::router::Endpoints;
use visibility_server::settings::Settings;
use visibility_server::state::AppState;
use visibility_server::stores::Stores;
use visibility_server::stores::state::keys::NewKey;
use visibility_server::telemetry::metrics::Metrics;

/// Strangers' keys, each of which is asked with once in a round.
const STRANGERS: u16 = 10_000;

fn token(number: u16) -> Token {
    let mut random = [7; RANDOM_BYTES];
    random.iter_mut().zip(number.to_be_bytes()).for_each(|(byte, new)| *byte = new);
    Token::generate(TokenKind::ApiKey, &random)
}

/// Keeps a key that may do everything but scan, so that it is known and then refused.
fn keep(stores: &Stores, token: &Token) {
    let tenant = "acme".parse().expect("a slug");
    stores.state_store().create_tenant(&tenant, Utc::now()).expect("a tenant");
    let key = NewKey {
        id: Uuid::now_v7().into(),
        tenant,
        name: "default".parse().expect("a name"),
        abbreviated: token.abbreviated(),
        digest: token.digest(),
        scopes: [Scope::LogsRead].into(),
        networks: Vec::new(),
        created_by: None,
        created_at: Utc::now(),
        lifetime: None,
    };
    stores.state_store().create_key(&key).expect("a key");
}

/// Asks with a key through the whole router, without a socket.
async fn ask(router: &Router, authorization: &str) -> StatusCode {
    let mut request = Request::get("/api/v1/agent-readiness/example.com")
        .header("host", "a")
        .header("authorization", authorization)
        .body(Body::empty())
        .expect("a request");
    request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 1))));
    let answered: Result<Response, _> = router.clone().oneshot(request).await;
    answered.expect("no error").status()
}

fn principals(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let stores = Arc::new(Stores::open_exclusive(folder.path()).expect("it opens"));
    let known = token(STRANGERS);
    keep(&stores, &known);
    let runtime = Runtime::new().expect("a runtime");
    let (_stop, stopped) = watch::channel(false);
    let settings = Settings { data_dir: folder.path().to_owned(), ..Settings::default() };
    let router = runtime.block_on(async {
        let metrics = Arc::new(Metrics::default());
        let state = AppState::new(settings, Arc::clone(&stores), metrics, stopped);
        Endpoints::new(state.expect("a state")).expect("endpoints").router()
    });
    let strangers: Vec<String> =
        (0..STRANGERS).map(|number| format!("Bearer {}", token(number).reveal())).collect();
    let next = Cell::new(0);
    let mut group = criterion.benchmark_group("principal");
    let known = format!("Bearer {}", known.reveal());
    group.bench_function("a key that is remembered", |bencher| {
        bencher.iter(|| {
            let status = runtime.block_on(ask(&router, &known));
            assert_eq!(status, StatusCode::FORBIDDEN);
        });
    });
    group.bench_function("10,000 unknown keys", |bencher| {
        bencher.iter(|| {
            next.set((next.get() + 1) % strangers.len());
            let stranger = strangers.get(next.get()).expect("one of them");
            let status = runtime.block_on(ask(&router, stranger));
            assert_eq!(status, StatusCode::UNAUTHORIZED);
        });
    });
    group.bench_function("no key at all", |bencher| {
        bencher.iter(|| runtime.block_on(ask(&router, "Basic YTpi")));
    });
    group.finish();
}

criterion_group!(benches, principals);
criterion_main!(benches);
