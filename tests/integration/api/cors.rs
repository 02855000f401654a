//! What pages of other origins may ask and read, and what `OPTIONS` says.

use crate::api::server::Server;
use visibility_tests::client::{Message, Reply};

const EXPOSED: &str = "WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, ETag, Age, Link, Location";

async fn ask(server: &Server, method: &str, path: &str) -> Reply {
    Message::new(method, path)
        .with("origin", "https://page.example")
        .with("access-control-request-method", "POST")
        .with("access-control-request-headers", "authorization,content-type")
        .send(server.address)
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_any_origin_read_the_api_and_its_errors_without_credentials() {
    let server = Server::start().await;
    for (method, path, status) in [
        ("GET", "/api/v1", 200),
        ("GET", "/api/v1/health", 200),
        ("GET", "/api/v1/openapi.json", 200),
        ("GET", "/.well-known/api-catalog", 200),
        ("GET", "/api/v1/none", 404),
        ("GET", "/.well-known/none", 404),
        ("GET", "/api/v1/agent-readiness", 405),
        ("POST", "/api/v1/agent-readiness", 401),
        ("POST", "/api/public/audit", 400),
        ("GET", "/api/public/audit/none", 404),
    ] {
        let reply = ask(&server, method, path).await;
        assert_eq!(reply.status, status, "{path}");
        assert_eq!(reply.header("access-control-allow-origin"), Some("*"), "{path}");
        assert_eq!(reply.header("access-control-expose-headers"), Some(EXPOSED), "{path}");
        assert_eq!(reply.header("access-control-allow-credentials"), None, "{path}");
        assert_eq!(reply.header("access-control-max-age"), None, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ingestion_is_for_servers() {
    let server = Server::start().await;
    for (method, path, status) in [
        ("POST", "/v1/logs", 401),
        ("OPTIONS", "/v1/logs", 204),
        ("OPTIONS", "/v1/logs/stats", 204),
        ("GET", "/v1/logs/stats", 401),
        ("GET", "/v1/none", 404),
        ("GET", "/healthz", 200),
    ] {
        let reply = ask(&server, method, path).await;
        assert_eq!(reply.status, status, "{path}");
        let shared = reply.headers.iter().find(|(name, _)| name.starts_with("access-control"));
        assert_eq!(shared, None, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn options_says_the_methods_and_what_a_page_may_send() {
    let server = Server::start().await;
    for (path, allow) in [
        ("/api/v1", "GET,HEAD,OPTIONS"),
        ("/api/v1/agent-readiness", "POST,OPTIONS"),
        ("/api/v1/agent-readiness/example.com", "GET,HEAD,OPTIONS"),
        ("/v1/logs", "POST,OPTIONS"),
        ("/healthz", "GET,HEAD,OPTIONS"),
    ] {
        let reply = ask(&server, "OPTIONS", path).await;
        assert_eq!((reply.status, reply.header("allow")), (204, Some(allow)), "{path}");
        assert_eq!(reply.bytes, b"", "{path}");
        assert_eq!(reply.header("content-length"), None, "{path}");
        assert!(reply.header("x-request-id").is_some());
        let is_shared = path.starts_with("/api");
        for (name, value) in [
            ("access-control-allow-origin", "*"),
            ("access-control-allow-methods", allow),
            ("access-control-allow-headers", "authorization,content-type"),
            ("access-control-max-age", "86400"),
        ] {
            assert_eq!(reply.header(name), is_shared.then_some(value), "{path} {name}");
        }
    }
    assert_eq!(ask(&server, "OPTIONS", "/api/v1/none").await.status, 404);
    let reply = Message::new("OPTIONS", "*").send(server.address).await;
    assert_eq!((reply.status, reply.header("access-control-allow-origin")), (204, None));
}
