//! `GET /v1/logs/stats`, and what an operator sees of ingestion.

use crate::ingest::server::{Server, TENANT, record};
use visibility_tests::client::Message;

fn ask(server: &Server, query: &str) -> Message {
    Message::new("GET", &format!("/v1/logs/stats{query}"))
        .with("authorization", &format!("Bearer {}", server.tokens.valid))
        .with("x-service-tenant", TENANT)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_reads_its_own_counts() {
    let server = Server::start().await;
    let empty = ask(&server, "").send(server.address).await;
    assert_eq!((empty.status, empty.json()["records"].as_u64()), (200, Some(0)));
    assert_eq!(empty.header("x-service-extension"), Some("logs-stats"));
    let batch = server.post().body(record().repeat(3));
    assert_eq!(batch.send(server.address).await.status, 202);
    let stats = ask(&server, "?top=5&status=2xx").send(server.address).await.json();
    assert_eq!(stats["tenant"], TENANT);
    assert_eq!(stats["records"], 3);
    assert_eq!(stats["agents"][0]["id"], "openai-gptbot");
    assert_eq!(stats["hosts"][0]["host"], "www.example.com");
    let none = ask(&server, "?host=other.example.com").send(server.address).await.json();
    assert_eq!(none["records"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_without_a_token_reads_nothing() {
    let server = Server::start().await;
    for message in [
        ask(&server, "").without("authorization"),
        ask(&server, "?top=x").with("authorization", "Bearer no"),
        ask(&server, "").with("x-service-tenant", "globex"),
        ask(&server, "").without("x-service-tenant"),
    ] {
        let reply = message.send(server.address).await;
        assert_eq!((reply.status, reply.code().as_str()), (401, "UNAUTHORIZED"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parameter_that_is_not_understood_is_named() {
    let server = Server::start().await;
    for (query, field) in [
        ("?from=yesterday", "from"),
        ("?from=2026-02-01&to=2026-01-01", "from"),
        ("?top=1&top=2", "top"),
        ("?group=day", "group"),
        ("?status=%FF", "status"),
    ] {
        let reply = ask(&server, query).send(server.address).await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "INVALID_REQUEST"), "{query}");
        assert_eq!(reply.json()["error"]["details"]["fields"][0]["field"], field);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_sees_what_was_answered() {
    let server = Server::start().await;
    let bad = record().replacen('{', r#"{"not_allowed":1,"#, 1);
    let batch = server
        .post()
        .with("x-service-batch-id", "0b6f2b3c-0000-4000-8000-000000000001")
        .body(record() + &bad);
    for _ in 0..2 {
        assert_eq!(batch.send(server.address).await.status, 207);
    }
    assert_eq!(Message::new("BREW", "/pot").send(server.address).await.status, 404);
    let metrics = server.metrics.render();
    for line in [
        r#"visibility_http_requests_total{route="/v1/logs",method="POST",status="207"} 2"#,
        r#"visibility_http_requests_total{route="other",method="other",status="404"} 1"#,
        r#"visibility_ingest_batches_total{status="207"} 2"#,
        r#"visibility_ingest_records_total{outcome="accepted",reason=""} 1"#,
        r#"visibility_ingest_records_total{outcome="rejected",reason="field_not_allowed"} 1"#,
        "visibility_ingest_idempotent_replays_total 1",
        "visibility_ingest_batches_in_flight 0",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line}\n{metrics}");
    }
}
