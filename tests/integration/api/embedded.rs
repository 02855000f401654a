//! The service inside another application: at its root, or below a path.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::map_request;
use axum::routing::get;
use chrono::Utc;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use visibility_server::embedded::{Embedded, EmbeddedError, EnsureKeyError, Scope, SignedIn};
use visibility_server::settings::Settings;
use visibility_tests::client::{Message, Reply};

/// An application with a service inside.
struct Application {
    address: SocketAddr,
    running: JoinHandle<()>,
    _folder: TempDir,
}

impl Application {
    async fn start(base_url: &str, build: impl FnOnce(Router) -> Router) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings {
            base_url: Some(base_url.to_owned()),
            data_dir: folder.path().join("data"),
            ..Settings::default()
        };
        let service = Embedded::open(settings).unwrap();
        let app = build(service.router());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let running = tokio::spawn(async move { service.serve(listener, app).await });
        Self { address, running, _folder: folder }
    }

    async fn get(&self, path: &str) -> Reply {
        Message::new("GET", path).send(self.address).await
    }
}

impl Drop for Application {
    fn drop(&mut self) {
        self.running.abort();
    }
}

fn own_routes() -> Router {
    Router::new().route("/own", get(async || "own"))
}

#[tokio::test(flavor = "multi_thread")]
async fn at_the_root_the_service_answers_what_the_application_has_no_route_for() {
    let app =
        Application::start("https://app.example.com", |service| own_routes().merge(service)).await;
    assert_eq!(app.get("/own").await.bytes, b"own");
    assert_eq!(app.get("/api/v1").await.json()["name"], "visibility");
    assert_eq!(app.get("/robots.txt").await.status, 200);
    let nothing = app.get("/nothing").await;
    assert_eq!((nothing.status, nothing.code().as_str()), (404, "NOT_FOUND"));
    assert!(nothing.header("x-request-id").is_some());
}

#[test]
fn two_routers_with_fallbacks_are_not_merged() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { data_dir: folder.path().join("data"), ..Settings::default() };
    let service = Embedded::open(settings).unwrap().router();
    let app = own_routes().fallback(async || "everything else");
    let merged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| app.merge(service)));
    assert!(merged.is_err(), "the documentation says that axum refuses it");
}

#[tokio::test(flavor = "multi_thread")]
async fn below_a_path_the_application_keeps_the_rest() {
    let app = Application::start("https://app.example.com/visibility", |service| {
        own_routes().nest("/visibility", service).fallback(async || "everything else")
    })
    .await;
    assert_eq!(app.get("/own").await.bytes, b"own");
    assert_eq!(app.get("/nothing").await.bytes, b"everything else");
    let index = app.get("/visibility/api/v1").await;
    assert_eq!(index.json()["openapi"], "https://app.example.com/visibility/api/v1/openapi.json");
    let links = index.header("link").unwrap();
    assert!(links.contains("</visibility/docs>; rel=\"service-doc\""), "{links}");
    let nothing = app.get("/visibility/nothing").await;
    assert_eq!((nothing.status, nothing.code().as_str()), (404, "NOT_FOUND"));
}

/// The status of a scan of something that is no domain: 400 for a request that may scan.
async fn scan_status(address: SocketAddr, headers: &[(&str, &str)]) -> u16 {
    let message = Message::new("POST", "/api/v1/agent-readiness")
        .with("content-type", "application/json")
        .body(r#"{"domain":"-"}"#);
    let message = headers.iter().fold(message, |message, (name, value)| message.with(name, value));
    message.send(address).await.status
}

#[tokio::test(flavor = "multi_thread")]
async fn each_start_has_a_key_that_works() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { data_dir: folder.path().join("data"), ..Settings::default() };
    let (acme, laptop) = ("acme".parse().unwrap(), "laptop".parse().unwrap());
    let mut keys = Vec::new();
    for _ in 0..3 {
        let service = Embedded::open(settings.clone()).unwrap();
        keys.push(service.ensure_key(&acme, &laptop).unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = service.router();
        let service = Arc::new(service);
        let serving = Arc::clone(&service);
        let running = tokio::spawn(async move { serving.serve(listener, app).await });
        let mut statuses = Vec::new();
        for key in keys.iter().rev() {
            let key = format!("Bearer {}", key.reveal());
            statuses.push(scan_status(address, &[("authorization", &key)]).await);
        }
        let expected = [400, 400, 401];
        assert_eq!(statuses, expected[..keys.len()], "the newest two work");
        service.stop();
        running.await.unwrap();
        Arc::into_inner(service).unwrap().close().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_whose_router_lives_on_is_not_closed_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = Settings { data_dir: folder.path().join("data"), ..Settings::default() };
    settings.timeouts.shutdown = 1;
    let service = Embedded::open(settings.clone()).unwrap();
    let router = service.router();
    let error = service.close().await.unwrap_err();
    assert_eq!(error.data_dir, settings.data_dir);
    assert!(error.to_string().contains("drop all routers of the service first"), "{error}");
    assert!(matches!(Embedded::open(settings.clone()), Err(EmbeddedError::DataDir(_))));
    drop(router);
    Embedded::open(settings).unwrap().close().await.unwrap();
}

#[test]
fn a_disabled_tenant_gets_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { data_dir: folder.path().join("data"), ..Settings::default() };
    let service = Embedded::open(settings).unwrap();
    let acme = "acme".parse().unwrap();
    service.ensure_tenant(&acme).unwrap();
    service.stores().state_store().set_tenant_disabled(&acme, Some(Utc::now())).unwrap();
    let error = service.ensure_key(&acme, &"laptop".parse().unwrap()).unwrap_err();
    assert!(matches!(error, EnsureKeyError::TenantDisabled(tenant) if tenant == acme));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_signed_in_to_the_application_needs_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { data_dir: folder.path().join("data"), ..Settings::default() };
    let service = Embedded::open(settings).unwrap();
    service.ensure_tenant(&"acme".parse().unwrap()).unwrap();
    service.ensure_tenant(&"acme".parse().unwrap()).unwrap();
    let sign_in = |mut request: Request| async {
        let tenant = request.headers().get("x-tenant").map(|name| name.to_str().unwrap().parse());
        let scopes = request.headers().get("x-scopes").map(|_| Scope::ScanRead);
        if let Some(Ok(tenant)) = tenant {
            request.extensions_mut().insert(SignedIn::new(tenant, "ada", scopes));
        }
        request
    };
    let app = service.router().layer(map_request(sign_in));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let running = tokio::spawn(async move { service.serve(listener, app).await });
    for (headers, status) in [
        (&[][..], 401),
        (&[("x-tenant", "acme"), ("x-scopes", "scan")], 400),
        (&[("x-tenant", "acme")], 403),
        (&[("x-tenant", "globex"), ("x-scopes", "scan")], 401),
    ] {
        assert_eq!(scan_status(address, headers).await, status, "{headers:?}");
    }
    running.abort();
}
