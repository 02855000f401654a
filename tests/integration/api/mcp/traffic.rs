//! Bot traffic is shown to the tenant whose sites were visited, and to no one else.

use chrono::{SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};
use uuid::Uuid;
use visibility_core::accounts::token::{RANDOM_BYTES, Token, TokenKind};
use visibility_server::stores::state::credentials::NewToken;
use visibility_tests::client::Message;

use crate::api::server::{Server, TENANT};

const OTHER: &str = "globex";

impl Server {
    /// Sends records of a tenant: so many for each path, of a host.
    async fn send_logs(&self, tenant: &str, host: &str, paths: &[(&str, usize, u32)]) {
        let mut random = [0; RANDOM_BYTES];
        random[..16].copy_from_slice(Uuid::now_v7().as_bytes());
        let token = Token::generate(TokenKind::Ingestion, &random);
        let now = Utc::now();
        self.stores
            .state_store()
            .create_token(&NewToken {
                id: Uuid::now_v7(),
                tenant: tenant.parse().unwrap(),
                digest: token.digest(),
                created_at: now,
                expires_at: now + TimeDelta::days(1),
            })
            .unwrap();
        let timestamp = (now - TimeDelta::minutes(1)).to_rfc3339_opts(SecondsFormat::Secs, true);
        let mut body = String::new();
        for (path, count, bytes) in paths {
            let record = json!({
                "timestamp": timestamp, "user_agent": "GPTBot/1.2", "request_method": "GET",
                "request_path": path, "status_code": 200, "response_bytes": bytes, "referrer": "",
                "host": host, "client_ip_hash": "9f86d081884c7d659a2feaa0c55ad015",
            });
            body.push_str(&format!("{record}\n").repeat(*count));
        }
        let reply = Message::new("POST", "/v1/logs")
            .with("authorization", &format!("Bearer {}", token.reveal()))
            .with("content-type", "application/x-ndjson")
            .with("x-service-tenant", tenant)
            .with("x-service-schema", "1")
            .with("x-service-batch-id", &Uuid::now_v7().to_string())
            .body(body)
            .send(self.address)
            .await;
        assert_eq!(reply.status, 202, "{reply:?}");
    }

    /// The traffic that a key of a tenant may see.
    async fn traffic(&self, key: &str, arguments: Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "query_bot_traffic", "arguments": arguments } });
        let mut request = self.message("/mcp", body.to_string()).build().unwrap();
        request.headers_mut().insert("authorization", format!("Bearer {key}").parse().unwrap());
        let response = self.client.execute(request).await.unwrap();
        assert_eq!(response.status(), 200);
        let body: Value = response.json().await.unwrap();
        assert_eq!(body["result"]["isError"], false, "{body}");
        body["result"]["structuredContent"].clone()
    }
}

/// A server with the logs of two tenants, and a key of each.
async fn two_tenants() -> (Server, String, String) {
    let server = Server::start().await;
    server.stores.state_store().create_tenant(&OTHER.parse().unwrap(), Utc::now()).unwrap();
    server
        .send_logs(TENANT, "www.acme.example", &[("/a", 3, 10), ("/b/1", 2, 100), ("/b/2", 1, 1)])
        .await;
    server.send_logs(OTHER, "www.globex.example", &[("/secret", 7, 5)]).await;
    let other = server.key_with(|key| key.tenant = OTHER.parse().unwrap());
    let own = server.key.clone();
    (server, own, other)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_tenant_sees_what_happened_to_another() {
    let (server, own, other) = two_tenants().await;
    for group in ["agent", "day", "purpose", "host", "status", "path"] {
        let arguments = json!({ "group_by": group });
        let mine = server.traffic(&own, arguments.clone()).await;
        let theirs = server.traffic(&other, arguments).await;
        assert_eq!(mine["total_requests"], 6, "{group}: {mine}");
        assert_eq!(mine["total_bytes"], 231, "{group}: {mine}");
        assert_eq!(theirs["total_requests"], 7, "{group}: {theirs}");
        assert_eq!(theirs["total_bytes"], 35, "{group}: {theirs}");
        assert!(!mine.to_string().contains("globex") && !mine.to_string().contains("secret"));
        assert!(!theirs.to_string().contains("acme"), "{theirs}");
    }
    let asked = json!({ "group_by": "path", "host": "www.globex.example" });
    assert_eq!(server.traffic(&own, asked).await["total_requests"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_sorted_by_what_is_asked_for_and_cut() {
    let (server, own, _) = two_tenants().await;
    let keys = async |arguments: Value| -> (Vec<String>, bool) {
        let traffic = server.traffic(&own, arguments).await;
        let rows = traffic["rows"].as_array().unwrap().iter();
        let keys = rows.map(|row| row["key"].as_str().unwrap().to_owned()).collect();
        (keys, traffic["truncated"].as_bool().unwrap())
    };
    let (by_requests, is_cut) = keys(json!({ "group_by": "path" })).await;
    assert_eq!((by_requests.len(), is_cut), (3, false));
    assert!(by_requests[0].contains("/a"), "{by_requests:?}");
    let (by_bytes, is_cut) =
        keys(json!({ "group_by": "path", "metric": "bytes", "limit": 1 })).await;
    assert_eq!((by_bytes.len(), is_cut), (1, true));
    assert!(by_bytes[0].contains("/b/1"), "{by_bytes:?}");
    let below = json!({ "group_by": "path", "path_prefix": "/b/" });
    let traffic = server.traffic(&own, below).await;
    assert_eq!((&traffic["total_requests"], &traffic["total_bytes"]), (&json!(3), &json!(201)));
    assert_eq!(traffic["rows"].as_array().unwrap().len(), 2, "{traffic}");
    let day = server.traffic(&own, json!({ "group_by": "day" })).await;
    assert_eq!(day["rows"][0]["requests"], 6, "{day}");
}
