//! Stores that fail, and senders that wait for each other: nothing is lost, and the reason is not revealed.

use std::fs;

use uuid::Uuid;

use crate::ingest::server::Server;
use visibility_tests::client::{Connection, Message, Reply};

fn assert_not_now(reply: &Reply) {
    assert_eq!((reply.status, reply.code().as_str()), (503, "SERVICE_UNAVAILABLE"));
    let wait: u64 = reply.header("retry-after").unwrap().parse().unwrap();
    assert!(wait > 0);
    let text = String::from_utf8(reply.body()).unwrap();
    for secret in ["spool", "sqlite", "No such file", "/"] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_cannot_be_written_is_a_503_and_leaves_the_id_free() {
    let server = Server::start().await;
    let id = Uuid::now_v7();
    let batch = server.post_one().with("x-service-batch-id", &id.to_string());
    let data = server.folder.path().join("data");
    for folder in ["spool", "objects"] {
        fs::rename(data.join(folder), data.join("away")).unwrap();
        // A file where the folder was, so that it is not created again.
        fs::write(data.join(folder), b"").unwrap();
        assert_not_now(&batch.send(server.address).await);
        assert!(!server.knows(id));
        fs::remove_file(data.join(folder)).unwrap();
        fs::rename(data.join("away"), data.join(folder)).unwrap();
    }
    let reply = batch.send(server.address).await;
    assert_eq!((reply.status, reply.header("idempotent-replay")), (202, None));
    assert_eq!(server.kept(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_cannot_write_lives_and_is_not_ready() {
    let server = Server::start().await;
    fs::remove_dir(server.folder.path().join("data/spool")).unwrap();
    assert_not_now(&Message::new("GET", "/readyz").send(server.address).await);
    assert_eq!(Message::new("GET", "/healthz").send(server.address).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sender_waits_for_another_one_of_the_same_batch_only_so_long() {
    let server = Server::with(|settings| settings.timeouts.same_batch = 1).await;
    let id = Uuid::now_v7();
    let batch = server.post_one().with("x-service-batch-id", &id.to_string());
    let slow = batch.clone().with("expect", "100-continue");
    let mut connection = Connection::open(server.address).await;
    connection.send(&slow.head()).await;
    assert_eq!(connection.read_reply().await.unwrap().status, 100);
    assert_not_now(&batch.send(server.address).await);
    let other = server.post_one().with("x-service-batch-id", &Uuid::now_v7().to_string());
    assert_eq!(other.send(server.address).await.status, 202);
    let test = batch.clone().with("x-service-mode", "test");
    assert_eq!(test.send(server.address).await.status, 202);
    connection.send(&slow.body).await;
    assert_eq!(connection.read_reply().await.unwrap().status, 202);
    let replay = batch.send(server.address).await;
    assert_eq!((replay.status, replay.header("idempotent-replay")), (202, Some("true")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sender_that_is_cut_off_lets_the_next_one_of_the_batch_go_on() {
    let server = Server::start().await;
    let id = Uuid::now_v7();
    let batch = server.post_one().with("x-service-batch-id", &id.to_string());
    let first = batch.clone().with("expect", "100-continue");
    let mut connection = Connection::open(server.address).await;
    connection.send(&first.head()).await;
    assert_eq!(connection.read_reply().await.unwrap().status, 100);
    let address = server.address;
    let second = tokio::spawn(async move { batch.send(address).await });
    drop(connection);
    assert_eq!(second.await.unwrap().status, 202);
    assert_eq!(server.kept(), 1);
}
