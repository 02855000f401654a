//! How often a tenant may send.

use std::sync::Arc;

use crate::ingest::server::{OTHER_TENANT, Server};
use visibility_tests::client::Message;

fn other_tenant(server: &Server) -> Message {
    server
        .post_one()
        .with("authorization", &format!("Bearer {}", server.tokens.other_tenant))
        .with("x-service-tenant", OTHER_TENANT)
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_requests_are_taken_in_ten_seconds() {
    let server = Server::with(|settings| settings.limits.burst = 10).await;
    for n in 0..10 {
        assert_eq!(server.post_one().send(server.address).await.status, 202, "{n}");
    }
    let refused = server.post_one().send(server.address).await;
    assert_eq!((refused.status, refused.code().as_str()), (429, "RATE_LIMITED"));
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=10).contains(&wait), "{wait}");
    assert_eq!(server.kept(), 10);
    assert_eq!(other_tenant(&server).send(server.address).await.status, 202);
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_as_long_as_retry_after_says_is_enough() {
    let server = Server::with(|settings| {
        settings.limits.burst = 1;
        settings.limits.batches_per_hour = 3600;
    })
    .await;
    assert_eq!(server.post_one().send(server.address).await.status, 202);
    let refused = server.post_one().send(server.address).await;
    let wait = refused.header("retry-after").unwrap().parse().unwrap();
    // The one wait that the test is about.
    tokio::time::sleep(std::time::Duration::from_secs(wait)).await;
    assert_eq!(server.post_one().send(server.address).await.status, 202);
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_tokens_use_nothing_up() {
    let server = Server::with(|settings| settings.limits.burst = 1).await;
    for token in [&server.tokens.unknown, &server.tokens.expired, &server.tokens.other_tenant] {
        let stranger = server.post_one().with("authorization", &format!("Bearer {token}"));
        for _ in 0..5 {
            assert_eq!(stranger.send(server.address).await.status, 401);
        }
    }
    assert_eq!(server.post_one().send(server.address).await.status, 202);
    assert_eq!(other_tenant(&server).send(server.address).await.status, 202);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_forgives_nothing() {
    let server = Server::with(|settings| settings.limits.batches_per_hour = 2).await;
    for _ in 0..2 {
        assert_eq!(server.post_one().send(server.address).await.status, 202);
    }
    let folder = Arc::clone(&server.folder);
    server.stop.send(true).unwrap();
    server.running.await.unwrap();
    drop(server.stores);
    let server = Server::on(folder, |settings| settings.limits.batches_per_hour = 2).await;
    let refused = server.post_one().send(server.address).await;
    assert_eq!(refused.status, 429);
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((3_500..=3_600).contains(&wait), "{wait}");
    assert_eq!(refused.json()["error"]["details"]["scope"], "hour");
    assert_eq!(server.kept(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn replays_count_for_the_burst_and_not_for_the_hour() {
    let server = Server::with(|settings| {
        settings.limits.batches_per_hour = 1;
        settings.limits.burst = 5;
    })
    .await;
    let batch =
        server.post_one().with("x-service-batch-id", "0b6f2b3c-0000-4000-8000-000000000001");
    for _ in 0..5 {
        assert_eq!(batch.send(server.address).await.status, 202);
    }
    let refused = batch.send(server.address).await;
    assert_eq!(refused.status, 429);
    assert_eq!(refused.json()["error"]["details"]["scope"], "burst");
}
