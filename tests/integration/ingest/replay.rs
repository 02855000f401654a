//! A batch that is sent again is answered as the first time, byte by byte, and changes nothing.

use uuid::Uuid;

use crate::ingest::server::{OTHER_TENANT, Server, record};
use visibility_tests::client::{Message, Reply};

/// A good record, then so many bad ones.
fn body(bad: usize) -> String {
    let bad_record = record().replacen('{', r#"{"not_allowed":1,"#, 1);
    record() + &bad_record.repeat(bad)
}

fn batch(server: &Server, id: Uuid, bad: usize) -> Message {
    server.post().with("x-service-batch-id", &id.to_string()).body(body(bad))
}

fn is_replay(reply: &Reply) -> bool {
    reply.header("idempotent-replay") == Some("true")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_is_the_first_answer_byte_by_byte() {
    let server = Server::start().await;
    // Without a rejection, with an answer in the ledger, and with one that is an object.
    for (bad, status, is_large) in [(0, 202, false), (3, 207, false), (5_000, 207, true)] {
        let batch = batch(&server, Uuid::now_v7(), bad);
        let kept = server.kept();
        let first = batch.send(server.address).await;
        assert_eq!(first.status, status);
        assert!(!is_replay(&first));
        assert_eq!(first.json()["rejected"], bad);
        for accepted in ["", "identity", "gzip;q=0", "gzip", "gzip, br;q=0.5", "*"] {
            let reply = batch.clone().with("accept-encoding", accepted).send(server.address).await;
            assert_eq!(reply.status, status, "{accepted}");
            assert!(is_replay(&reply), "{accepted}");
            assert!(reply.body() == first.body(), "{accepted}");
            assert_eq!(reply.header("vary"), Some("accept-encoding"));
            let takes_gzip = matches!(accepted, "gzip" | "gzip, br;q=0.5" | "*");
            let is_coded = reply.header("content-encoding") == Some("gzip");
            assert_eq!(is_coded, is_large && takes_gzip, "{accepted}");
        }
        assert_eq!(server.kept(), kept + 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_answer_is_the_same_with_and_without_gzip_the_first_time_too() {
    let server = Server::start().await;
    let id = Uuid::now_v7();
    let first =
        batch(&server, id, 5_000).with("accept-encoding", "gzip").send(server.address).await;
    assert_eq!(first.header("content-encoding"), Some("gzip"));
    let plain = batch(&server, id, 5_000).send(server.address).await;
    assert_eq!(plain.header("content-encoding"), None);
    assert!(plain.bytes == first.body());
    let again =
        batch(&server, id, 5_000).with("accept-encoding", "gzip").send(server.address).await;
    assert!(again.bytes == first.bytes);
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_senders_at_once_get_one_ingestion_and_equal_bytes() {
    let server = Server::start().await;
    let batch = batch(&server, Uuid::now_v7(), 200);
    let address = server.address;
    let senders: Vec<_> = (0..20)
        .map(|_| {
            let batch = batch.clone();
            tokio::spawn(async move { batch.send(address).await })
        })
        .collect();
    let mut replies = Vec::new();
    for sender in senders {
        replies.push(sender.await.unwrap());
    }
    assert!(replies.iter().all(|reply| reply.status == 207));
    assert!(replies.iter().all(|reply| reply.bytes == replies[0].bytes));
    assert_eq!(replies.iter().filter(|reply| !is_replay(reply)).count(), 1);
    assert_eq!(server.kept(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_id_counts_and_not_the_body_nor_its_spelling() {
    let server = Server::start().await;
    let id = Uuid::now_v7();
    let first = batch(&server, id, 1).send(server.address).await;
    let upper = batch(&server, id, 0).with("x-service-batch-id", &id.to_string().to_uppercase());
    for message in [upper.clone(), upper.body("no JSON"), batch(&server, id, 0).body("")] {
        let reply = message.send(server.address).await;
        assert_eq!((reply.status, &reply.bytes), (first.status, &first.bytes));
        assert!(is_replay(&reply));
    }
    assert_eq!(first.json()["batch_id"], id.to_string());
    assert_eq!(server.kept(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_tenant_has_ids_of_its_own() {
    let server = Server::start().await;
    let id = Uuid::now_v7();
    assert_eq!(batch(&server, id, 0).send(server.address).await.status, 202);
    let other = batch(&server, id, 0)
        .with("authorization", &format!("Bearer {}", server.tokens.other_tenant))
        .with("x-service-tenant", OTHER_TENANT)
        .send(server.address)
        .await;
    assert_eq!(other.status, 202);
    assert!(!is_replay(&other));
    assert_eq!(server.kept(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_batch_leaves_its_id_free() {
    let server = Server::start().await;
    let id = Uuid::now_v7();
    for (message, status) in [
        (batch(&server, id, 0).body("{"), 400),
        (batch(&server, id, 0).body(""), 400),
        (batch(&server, id, 0).with("content-encoding", "gzip"), 400),
        (batch(&server, id, 0).with("x-service-schema", "2"), 400),
        (batch(&server, id, 0).with("authorization", "Bearer x"), 401),
    ] {
        assert_eq!(message.send(server.address).await.status, status);
        assert!(!server.knows(id));
    }
    assert_eq!(server.files(), Vec::<String>::new());
    let reply = batch(&server, id, 0).send(server.address).await;
    assert_eq!(reply.status, 202);
    assert!(!is_replay(&reply));
    assert!(server.knows(id));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_keeps_nothing_and_knows_nothing() {
    let server = Server::start().await;
    let id = Uuid::now_v7();
    let test = |bad| batch(&server, id, bad).with("x-service-mode", "test");
    for bad in [0, 2, 5_000] {
        let reply = test(bad).send(server.address).await;
        assert_eq!(reply.status, if bad == 0 { 202 } else { 207 });
        assert_eq!(reply.json()["rejected"], bad);
        assert_eq!(reply.json()["batch_id"], id.to_string());
        let coded = test(bad).with("accept-encoding", "gzip").send(server.address).await;
        assert!(coded.body() == reply.body());
    }
    assert_eq!(server.files(), Vec::<String>::new());
    assert!(!server.knows(id));
    let real = batch(&server, id, 1).send(server.address).await;
    assert!(!is_replay(&real));
    let rehearsed = test(0).send(server.address).await;
    assert_eq!(rehearsed.status, 202, "a test does not read the ledger");
    assert_eq!(server.kept(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_without_an_id_gets_one() {
    let server = Server::start().await;
    let ids: Vec<Uuid> = {
        let mut ids = Vec::new();
        for _ in 0..2 {
            let reply = server.post_one().send(server.address).await;
            ids.push(reply.json()["batch_id"].as_str().unwrap().parse().unwrap());
        }
        ids
    };
    assert_ne!(ids[0], ids[1]);
    assert!(ids.iter().all(|id| server.knows(*id) && id.get_version_num() == 7));
    let again = server.post_one().with("x-service-batch-id", &ids[0].to_string());
    assert!(is_replay(&again.send(server.address).await));
}
