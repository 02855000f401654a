//! A stop ends what runs and takes nothing new.

use std::time::Instant;

use tokio::net::TcpStream;
use uuid::Uuid;

use crate::ingest::server::Server;
use visibility_tests::client::{Connection, Message};
use visibility_tests::wait::{LEEWAY, eventually, in_time};

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_is_being_sent_is_finished() {
    let server = Server::start().await;
    let id = Uuid::now_v7();
    let one = server
        .post_one()
        .with("x-service-batch-id", &id.to_string())
        .with("expect", "100-continue");
    let mut connection = Connection::open(server.address).await;
    connection.send(&one.head()).await;
    // The server has begun to read the body.
    assert_eq!(connection.read_reply().await.unwrap().status, 100);
    server.stop.send(true).unwrap();
    // The listener is gone before the batch has ended.
    eventually("the listener is gone", async || TcpStream::connect(server.address).await.is_err())
        .await;
    connection.send(&one.body).await;
    let reply = connection.read_reply().await.unwrap();
    assert_eq!(reply.status, 202);
    assert_eq!(reply.header("connection"), Some("close"));
    assert!(connection.is_closed().await);
    server.running.await.unwrap();
    let key = visibility_core::accounts::tenant::BatchKey {
        tenant: "acme".parse().unwrap(),
        batch_id: id,
    };
    let answer = visibility_core::store::Ledger::response(server.stores.state_store(), &key);
    assert!(answer.unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_waits_for_nothing_is_closed() {
    let server = Server::start().await;
    let mut connection = Connection::open(server.address).await;
    connection.send(&Message::new("GET", "/healthz").head()).await;
    assert_eq!(connection.reply().await.unwrap().status, 200);
    server.stop.send(true).unwrap();
    assert!(connection.is_closed().await);
    in_time("the service ends", server.running).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_never_ends_is_given_up() {
    let server = Server::with(|settings| settings.timeouts.shutdown = 1).await;
    let one = server.post_one().with("expect", "100-continue");
    let mut connection = Connection::open(server.address).await;
    connection.send(&one.head()).await;
    assert_eq!(connection.read_reply().await.unwrap().status, 100);
    server.stop.send(true).unwrap();
    let started = Instant::now();
    server.running.await.unwrap();
    // The time of a shutdown is a second here, and 25 otherwise.
    assert!(started.elapsed() < LEEWAY);
    assert!(connection.is_closed().await);
}
