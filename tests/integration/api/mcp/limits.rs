//! How often a client may ask.

use serde_json::json;
use visibility_tests::server::Hosts;

use super::{ADDRESSES, code};
use crate::api::agent_readiness::hang_up::count;
use crate::api::server::Server;

#[tokio::test]
async fn requests_of_a_minute_are_counted_for_each_key_at_all_addresses_together() {
    let server =
        Server::with(Hosts::default(), |settings| settings.limits.mcp_per_minute = 5).await;
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    for (left, path) in (0..5).rev().zip(ADDRESSES) {
        let response = server.message(path, list).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.headers()["ratelimit-policy"], "\"minute\";q=5;w=60");
        let limits = response.headers()["ratelimit"].to_str().unwrap();
        assert!(limits.starts_with(&format!("\"minute\";r={left};t=")), "{limits}");
    }
    for path in ADDRESSES {
        // It is refused before its form is looked at.
        for body in [list, "{", ""] {
            let response = server.message(path, body).send().await.unwrap();
            assert_eq!(response.status(), 429, "{path}");
            let wait: u64 = response.headers()["retry-after"].to_str().unwrap().parse().unwrap();
            assert!((1..=60).contains(&wait), "{wait}");
            assert_eq!(response.headers()["cache-control"], "no-store");
            assert_eq!(code(response).await, "RATE_LIMITED");
        }
    }
    assert_eq!(count(&server, "visibility_rate_limited_total{scope=\"mcp_minute\"}"), 15);
    assert_eq!(server.mcp(reqwest::Method::GET, "/mcp").send().await.unwrap().status(), 405);
    let other = server.make_key(&visibility_core::accounts::scope::Scope::FOR_PROGRAMS);
    let mut request = server.message("/mcp", list).build().unwrap();
    request.headers_mut().insert("authorization", format!("Bearer {other}").parse().unwrap());
    assert_eq!(server.client.execute(request).await.unwrap().status(), 200, "another key");
    assert_eq!(
        server.result_status("shop.example.com").await,
        404,
        "the API has limits of its own"
    );
}

#[tokio::test]
async fn a_limit_that_is_lifted_is_not_reported() {
    let server =
        Server::with(Hosts::default(), |settings| settings.limits.mcp_per_minute = 0).await;
    for _ in 0..130 {
        let response = server.rpc("tools/list", json!({})).await;
        assert_eq!(response.status(), 200);
        assert!(!response.headers().contains_key("ratelimit"));
    }
}

impl Server {
    /// The status of what is kept of a domain.
    async fn result_status(&self, domain: &str) -> u16 {
        let url = self.url(&format!("/api/v1/agent-readiness/{domain}"));
        self.client.get(url).bearer_auth(&self.key).send().await.unwrap().status().as_u16()
    }
}
