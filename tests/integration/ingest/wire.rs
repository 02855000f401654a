//! Connections: what every answer has, and senders that are slow, cut off, early or too many.

use std::time::{Duration, Instant};

use uuid::Uuid;
use visibility_tests::vectors::noise;

use crate::ingest::server::{Server, record};
use visibility_tests::client::{Connection, Message};
use visibility_tests::wait::{PATIENCE, eventually};

/// As much as a full batch has on the wire.
const FULL_BATCH: usize = 21 << 20;

/// A head that says that so many bytes follow, and the bytes.
fn announced(message: &Message, bytes: usize) -> (Vec<u8>, Vec<u8>) {
    (message.clone().with("content-length", &bytes.to_string()).head(), noise(bytes))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_has_its_headers_and_every_refusal_an_error_object() {
    let server = Server::start().await;
    let get = |path: &str| Message::new("GET", path);
    for (message, status, code) in [
        (get("/healthz"), 200, None),
        (get("/readyz"), 200, None),
        (server.post_one(), 202, None),
        (get("/none"), 404, Some("NOT_FOUND")),
        (get("/v1/logs"), 405, Some("METHOD_NOT_ALLOWED")),
        (server.post(), 400, Some("EMPTY_BATCH")),
        (server.post().without("authorization"), 401, Some("UNAUTHORIZED")),
        (server.post().and("host", "a").and("host", "b"), 400, Some("INVALID_REQUEST")),
        (server.post().with("x", &"a".repeat(40_000)), 431, Some("HEADERS_TOO_LARGE")),
        (
            (0..150).fold(server.post(), |message, n| message.and(&format!("x-{n}"), "a")),
            431,
            Some("HEADERS_TOO_LARGE"),
        ),
        (Message::new("B@D{}", "/").without("content-length"), 400, Some("INVALID_REQUEST")),
    ] {
        let reply = message.send(server.address).await;
        assert_eq!(reply.status, status, "{reply:?}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(reply.header("cache-control"), Some("no-store"));
        assert_eq!(reply.header("content-type"), Some("application/json"));
        if let Some(code) = code {
            assert_eq!(reply.code(), code);
        }
        if status == 405 {
            assert_eq!(reply.header("allow"), Some("POST,OPTIONS"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_carry_the_id_of_the_request() {
    let server = Server::start().await;
    let ask = Message::new("GET", "/v1/logs");
    let reply = ask.clone().with("x-request-id", "abc-DEF_1234").send(server.address).await;
    assert_eq!(reply.header("x-request-id"), Some("abc-DEF_1234"));
    let reply = ask.with("x-request-id", "<script>alert(1)</script>").send(server.address).await;
    assert_eq!(reply.header("x-request-id").unwrap().len(), 36);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_coding_is_chunked_or_refused() {
    let server = Server::start().await;
    let body = record();
    let chunked = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    for (coding, status) in
        [("chunked", 202), ("gzip, chunked", 400), ("chunked, chunked", 400), ("identity", 400)]
    {
        let message = server.post().with("transfer-encoding", coding).body(chunked.clone());
        assert_eq!(message.send(server.address).await.status, status, "{coding}");
    }
    assert_eq!(server.kept(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_takes_many_requests() {
    let server = Server::start().await;
    let mut connection = Connection::open(server.address).await;
    let one = server.post_one();
    let bytes = [one.head(), one.body.clone()].concat();
    for _ in 0..3 {
        connection.send(&bytes).await;
        assert_eq!(connection.reply().await.unwrap().status, 202);
    }
    // Without waiting for the answers.
    connection.send(&bytes.repeat(5)).await;
    for _ in 0..5 {
        assert_eq!(connection.reply().await.unwrap().status, 202);
    }
    assert_eq!(server.kept(), 8);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_waits_for_a_hundred_is_asked_for_only_if_it_is_wanted() {
    let server = Server::start().await;
    let wanted = server.post_one().with("expect", "100-continue");
    let mut connection = Connection::open(server.address).await;
    connection.send(&wanted.head()).await;
    assert_eq!(connection.read_reply().await.unwrap().status, 100);
    connection.send(&wanted.body).await;
    assert_eq!(connection.read_reply().await.unwrap().status, 202);

    let unwanted = wanted.with("authorization", "Bearer no");
    let mut connection = Connection::open(server.address).await;
    connection.send(&unwanted.head()).await;
    assert_eq!(connection.read_reply().await.unwrap().status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_head_ends_the_connection() {
    let server = Server::with(|settings| settings.timeouts.head = 1).await;
    let started = Instant::now();
    let mut silent = Connection::open(server.address).await;
    let mut dripping = Connection::open(server.address).await;
    let head = server.post_one().head();
    for byte in head.chunks(1).take(30) {
        dripping.send(byte).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(silent.is_closed().await);
    assert!(dripping.is_closed().await);
    // Three seconds; an idle connection would be kept for more than a minute.
    assert!(started.elapsed() < Duration::from_secs(40));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_connection_is_kept_longer_than_a_head_may_take_and_then_ends() {
    let server = Server::with(|settings| {
        settings.timeouts.head = 1;
        settings.timeouts.keep_alive = 60;
    })
    .await;
    let one = server.post_one();
    let bytes = [one.head(), one.body.clone()].concat();
    let mut connection = Connection::open(server.address).await;
    connection.send(&bytes).await;
    assert_eq!(connection.reply().await.unwrap().status, 202);
    tokio::time::sleep(Duration::from_secs(2)).await;
    connection.send(&bytes).await;
    assert_eq!(connection.reply().await.unwrap().status, 202);

    let server = Server::with(|settings| settings.timeouts.keep_alive = 1).await;
    let one = server.post_one();
    let mut connection = Connection::open(server.address).await;
    connection.send(&[one.head(), one.body.clone()].concat()).await;
    assert_eq!(connection.reply().await.unwrap().status, 202);
    assert!(connection.is_closed().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_body_is_a_timeout_and_keeps_nothing() {
    let server = Server::with(|settings| settings.timeouts.body_idle = 1).await;
    let id = Uuid::now_v7();
    let one = server.post_one().with("x-service-batch-id", &id.to_string());
    let mut connection = Connection::open(server.address).await;
    connection.send(&one.head()).await;
    connection.send(&one.body[..one.body.len() - 1]).await;
    let reply = connection.reply().await.unwrap();
    assert_eq!((reply.status, reply.code().as_str()), (408, "TIMEOUT"));
    assert!(connection.is_closed().await);
    assert_eq!((server.kept(), server.files()), (0, vec![]));
    assert!(!server.knows(id));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_drips_for_ever_is_a_timeout_too() {
    let server = Server::with(|settings| {
        settings.timeouts.body_idle = 1;
        settings.timeouts.body = 2;
    })
    .await;
    let one = server.post_one();
    let mut connection = Connection::open(server.address).await;
    connection.send(&one.head()).await;
    for byte in one.body.chunks(1).take(30) {
        connection.send(byte).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(connection.reply().await.unwrap().status, 408);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_is_cut_within_a_body_leaves_nothing() {
    let server = Server::start().await;
    let id = Uuid::now_v7();
    let one = server.post_one().with("x-service-batch-id", &id.to_string());
    for half_closes in [true, false] {
        let mut connection = Connection::open(server.address).await;
        connection.send(&one.head()).await;
        connection.send(&one.body[..one.body.len() / 2]).await;
        if half_closes {
            connection.half_close().await;
            let reply = connection.reply().await.unwrap();
            assert_eq!((reply.status, reply.code().as_str()), (400, "INVALID_REQUEST"));
        }
    }
    // The same batch flies next, so the cut one has ended.
    assert_eq!(one.send(server.address).await.status, 202);
    assert_eq!(server.kept(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sender_of_a_full_batch_that_reads_last_sees_an_early_answer() {
    let server = Server::with(|settings| settings.limits.burst = 2).await;
    let bad_token = server.post().with("authorization", "Bearer no");
    let bad_schema = server.post().with("x-service-schema", "2");
    for (message, status, bytes) in [
        (&bad_token, 401, FULL_BATCH),
        (&server.post(), 413, 53_000_000),
        (&bad_schema, 400, FULL_BATCH),
        (&server.post(), 429, FULL_BATCH),
    ] {
        let (head, body) = announced(message, bytes);
        let mut connection = Connection::open(server.address).await;
        connection.send(&head).await;
        connection.send(&body).await;
        let error = connection.send_error().map(ToString::to_string);
        let reply = connection.reply().await;
        assert_eq!(reply.map(|reply| reply.status), Some(status));
        assert_eq!(error, None, "{status}: the sender may write to its end");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sender_that_never_ends_is_cut_off() {
    let server = Server::start().await;
    let message =
        server.post().with("authorization", "Bearer no").with("transfer-encoding", "chunked");
    let mut connection = Connection::open(server.address).await;
    connection.send(&message.head()).await;
    let chunk =
        [format!("{:x}\r\n", 1 << 20).into_bytes(), noise(1 << 20), b"\r\n".to_vec()].concat();
    let started = Instant::now();
    while connection.send_error().is_none() {
        connection.send(&chunk).await;
        assert!(started.elapsed() < PATIENCE, "it is still read");
    }
    assert_eq!(connection.reply().await.map(|reply| reply.status), Some(401));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chunked_body_is_counted_as_it_comes() {
    let server = Server::start().await;
    let message = server.post().with("transfer-encoding", "chunked");
    let mut connection = Connection::open(server.address).await;
    connection.send(&message.head()).await;
    let chunk =
        [format!("{:x}\r\n", 1 << 20).into_bytes(), noise(1 << 20), b"\r\n".to_vec()].concat();
    for _ in 0..51 {
        connection.send(&chunk).await;
    }
    let reply = connection.reply().await.unwrap();
    assert_eq!((reply.status, reply.code().as_str()), (413, "PAYLOAD_TOO_LARGE"));
    assert_eq!(server.files(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_with_too_many_connections_gets_an_error() {
    let server = Server::with(|settings| settings.limits.connections_per_address = 2).await;
    let ask = Message::new("GET", "/healthz");
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut connection = Connection::open(server.address).await;
        connection.send(&ask.head()).await;
        assert_eq!(connection.reply().await.unwrap().status, 200);
        held.push(connection);
    }
    let refused = Connection::open(server.address).await.reply().await.unwrap();
    assert_eq!((refused.status, refused.code().as_str()), (503, "SERVICE_UNAVAILABLE"));
    assert!(refused.header("retry-after").is_some());
    drop(held.pop());
    // The server sees the end of a connection a little later.
    eventually("there is room again", async || {
        let mut connection = Connection::open(server.address).await;
        connection.send(&ask.head()).await;
        connection.reply().await.is_some_and(|reply| reply.status == 200)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_beyond_the_limit_wait_for_their_turn() {
    let server = Server::with(|settings| settings.limits.connections = 1).await;
    let ask = Message::new("GET", "/healthz");
    let mut first = Connection::open(server.address).await;
    first.send(&ask.head()).await;
    assert_eq!(first.reply().await.unwrap().status, 200);
    let mut second = Connection::open(server.address).await;
    second.send(&ask.head()).await;
    drop(first);
    assert_eq!(second.reply().await.unwrap().status, 200);
}
