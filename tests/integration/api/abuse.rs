//! Strangers that ask for too much: bounded, answered, and forgotten a second later.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use visibility_core::accounts::token::{RANDOM_BYTES, Token, TokenKind};
use visibility_tests::closed_port::ClosedPort;
use visibility_tests::random::Random;
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::site::good;

use crate::api::program::{Program, operate};
use crate::api::server::Server;
use visibility_tests::client::{Connection, Message, Reply};
use visibility_tests::wait::{LEEWAY, eventually};

const SCAN: &str = "/api/v1/agent-readiness";
/// How long it may say that it is not well.
const DISK_PATIENCE: Duration = Duration::from_secs(5);
/// Memory that a service may have had at most, of a build that is not optimized.
const MOST_KIB: u64 = 160 * 1024;

/// Asks for the health of a service until it is asked to stop; returns the longest wait.
async fn watch_health(address: SocketAddr, mut stop: watch::Receiver<bool>) -> Duration {
    let mut longest = Duration::ZERO;
    let mut well = Instant::now();
    while !*stop.borrow() {
        let started = Instant::now();
        let reply = Message::new("GET", "/api/v1/health").send(address).await;
        assert_eq!(reply.status, 200);
        if reply.json()["status"] == "ok" {
            well = started;
        }
        // A disk of a machine that others use may hang for a moment, which the service says.
        assert!(well.elapsed() < DISK_PATIENCE, "{:?}", reply.json());
        longest = longest.max(started.elapsed());
        let _ = tokio::time::timeout(Duration::from_millis(50), stop.changed()).await;
    }
    longest
}

/// A key that was never issued, well formed or nearly so.
fn any_key(random: &mut Random) -> String {
    let bytes: [u8; RANDOM_BYTES] =
        std::array::from_fn(|_| u8::try_from(random.below(256)).unwrap());
    let kind = *random.pick(&[TokenKind::ApiKey, TokenKind::Access, TokenKind::Ingestion]);
    let token = Token::generate(kind, &bytes).reveal().to_owned();
    match random.below(6) {
        0 => token.chars().skip(1).collect(),
        1 => format!("{token}{}", "x".repeat(1000)),
        2 => token.to_uppercase(),
        3 => String::new(),
        _ => token,
    }
}

/// The answer to a request on a connection, or on the next one: an early answer may have ended this one.
async fn ask(connection: &mut Connection, address: SocketAddr, message: &Message) -> Reply {
    for _ in 0..5 {
        connection.send(&[message.head(), message.body.clone()].concat()).await;
        let reply = connection.reply().await;
        if reply.as_ref().is_none_or(|reply| reply.header("connection") == Some("close")) {
            *connection = Connection::open(address).await;
        }
        if let Some(reply) = reply {
            return reply;
        }
    }
    panic!("five connections ended without an answer");
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_unknown_keys_are_refused_while_others_are_served() {
    const CONNECTIONS: u64 = 20;
    const EACH: usize = 500;
    let folder = tempfile::tempdir().unwrap();
    let program = Program::start(&folder.path().join("data"), &["--set", "log.level=warn"]);
    let address = program.address;
    let (stop, stopped) = watch::channel(false);
    let watching = tokio::spawn(watch_health(address, stopped));
    let mut senders = JoinSet::new();
    for seed in 0..CONNECTIONS {
        senders.spawn(async move {
            let mut random = Random::new(seed);
            let mut connection = Connection::open(address).await;
            for _ in 0..EACH {
                let message = Message::new("POST", SCAN)
                    .with("authorization", &format!("Bearer {}", any_key(&mut random)))
                    .body(r#"{"domain":"example.com"}"#);
                let reply = ask(&mut connection, address, &message).await;
                assert_eq!((reply.status, reply.code().as_str()), (401, "UNAUTHORIZED"));
            }
            EACH
        });
    }
    let answered: usize = senders.join_all().await.into_iter().sum();
    assert_eq!(answered, 10_000);
    stop.send(true).unwrap();
    let longest = watching.await.unwrap();
    // Milliseconds on a quiet machine; behind all others it would be far longer.
    assert!(longest < LEEWAY, "{longest:?}");
    assert!(program.peak_kib() < MOST_KIB, "{} KiB", program.peak_kib());
}

#[tokio::test(flavor = "multi_thread")]
async fn half_heads_take_places_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let settings = ["--set", "timeouts.head=1", "--set", "limits.connections_per_address=200"];
    let program = Program::start(&folder.path().join("data"), &settings);
    let mut halves = Vec::new();
    for _ in 0..100 {
        let mut connection = Connection::open(program.address).await;
        connection.send(b"GET /api/v1 HTTP/1.1\r\nhost: a\r\nx: ").await;
        halves.push(connection);
    }
    for _ in 0..3 {
        assert_eq!(Message::new("GET", "/api/v1").send(program.address).await.status, 200);
    }
    let started = Instant::now();
    for mut connection in halves {
        assert!(connection.reply().await.is_none());
    }
    // A second for a head, and not one after the other.
    assert!(started.elapsed() < LEEWAY, "{:?}", started.elapsed());
    assert!(program.peak_kib() < MOST_KIB, "{} KiB", program.peak_kib());
}

#[tokio::test(flavor = "multi_thread")]
async fn heads_at_the_limit_do_not_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let settings = ["--set", "log.level=warn", "--set", "limits.connections_per_address=1000"];
    let program = Program::start(&folder.path().join("data"), &settings);
    let address = program.address;
    let mut senders = JoinSet::new();
    for _ in 0..30 {
        senders.spawn(async move {
            for _ in 0..20 {
                let many = (0..150).fold(Message::new("GET", "/api/v1"), |message, n| {
                    message.and(&format!("x-{n}"), &"a".repeat(200))
                });
                assert_eq!(many.send(address).await.status, 431);
                let long = Message::new("GET", "/api/v1").with("x", &"a".repeat(40_000));
                assert_eq!(long.send(address).await.status, 431);
            }
        });
    }
    senders.join_all().await;
    assert_eq!(Message::new("GET", "/api/v1").send(address).await.status, 200);
    assert!(program.peak_kib() < MOST_KIB, "{} KiB", program.peak_kib());
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_in_one_piece_are_answered_one_by_one_in_their_order() {
    let server = Server::start().await;
    let paths = ["/api/v1/health", "/none", "/api/v1/agent-readiness", "/healthz"];
    let mut piece = Vec::new();
    let ids: Vec<String> = (0..60).map(|n| format!("pipelined-{n:03}")).collect();
    for (n, id) in ids.iter().enumerate() {
        piece.extend(Message::new("GET", paths[n % 4]).with("x-request-id", id).head());
    }
    let mut connection = Connection::open(server.address).await;
    connection.send(&piece).await;
    for (n, id) in ids.iter().enumerate() {
        let reply = connection.reply().await.unwrap();
        assert_eq!(reply.header("x-request-id"), Some(id.as_str()));
        assert_eq!(reply.status, [200, 404, 405, 200][n % 4]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_length_and_chunks_together_are_no_two_requests() {
    let server = Server::start().await;
    let inner = "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n";
    let body = format!("0\r\n\r\n{inner}");
    for framing in [
        format!("content-length: {}\r\ntransfer-encoding: chunked\r\n", body.len()),
        format!("transfer-encoding: chunked\r\ncontent-length: {}\r\n", body.len()),
        format!("transfer-encoding: xchunked\r\ncontent-length: {}\r\n", body.len()),
        "transfer-encoding: identity\r\n".to_owned(),
        "transfer-encoding:\x0bchunked\r\n".to_owned(),
        format!("content-length: +{}\r\n", body.len()),
        format!("content-length: {0}, {0}\r\n", body.len()),
    ] {
        let mut connection = Connection::open(server.address).await;
        let head = format!("POST /api/v1/agent-readiness HTTP/1.1\r\nhost: a\r\n{framing}\r\n");
        connection.send(format!("{head}{body}").as_bytes()).await;
        connection.half_close().await;
        let reply = connection.reply().await.unwrap();
        assert!([400, 401].contains(&reply.status), "{framing}: {reply:?}");
        if let Some(next) = connection.reply().await {
            assert_ne!(next.status, 200, "{framing}: the inner request was served");
        }
    }
}

/// Where nothing is: a port that refuses connections, and one that takes them and never answers.
async fn nowhere() -> (SocketAddr, SocketAddr) {
    let closed = ClosedPort::bind();
    let closed_address = closed.address();
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = silent.local_addr().unwrap();
    tokio::spawn(async move {
        let _closed = closed;
        let mut held = Vec::new();
        while let Ok((stream, _)) = silent.accept().await {
            held.push(stream);
        }
    });
    (closed_address, address)
}

/// Where the hosts of the test are: one good site, some that never answer, and nothing else.
async fn rules(sites: &FixtureServer) -> String {
    const SILENT: usize = 40;
    let (closed, silent) = nowhere().await;
    let mut rules = vec![format!("shop.example.com:443:{}", sites.https())];
    rules.push(format!("shop.example.com:80:{}", sites.http()));
    for n in 0..SILENT {
        rules.extend([443, 80].map(|port| format!("n{n}.example.com:{port}:{silent}")));
    }
    rules.extend([443, 80].map(|port| format!(":{port}:{closed}")));
    rules.join(",")
}

fn scan(key: &str, domain: &str) -> Message {
    Message::new("POST", SCAN)
        .with("authorization", &format!("Bearer {key}"))
        .body(format!(r#"{{"domain":"{domain}"}}"#))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_scans_of_unreachable_hosts_are_answered_and_a_second_later_all_is_well() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let sites = FixtureServer::start(Hosts::new([good("shop.example.com")])).await;
    let ca_cert = folder.path().join("ca.pem");
    std::fs::write(&ca_cert, sites.authority().pem()).unwrap();
    operate(&data_dir, &["tenants", "create", "acme"]);
    let key = operate(&data_dir, &["keys", "create", "acme"])["key"].as_str().unwrap().to_owned();
    let connect_to = format!("fetch.connect_to={}", rules(&sites).await);
    let ca_cert = format!("fetch.ca_cert={}", ca_cert.display());
    let settings = [
        connect_to.as_str(),
        &ca_cert,
        "log.level=warn",
        "limits.scans_per_minute=0",
        "limits.scans_per_day=0",
        "limits.connections=2000",
        "limits.connections_per_address=2000",
        "timeouts.scan=1",
        "timeouts.scan_queue=2",
    ];
    let settings: Vec<&str> = settings.iter().flat_map(|set| ["--set", set]).collect();
    let program = Program::start(&data_dir, &settings);
    let address = program.address;
    let (stop, stopped) = watch::channel(false);
    let watching = tokio::spawn(watch_health(address, stopped));
    let started = Instant::now();
    let mut senders = JoinSet::new();
    for n in 0..1000 {
        let message = scan(&key, &format!("n{n}.example.com"));
        senders.spawn(async move {
            let reply = message.send(address).await;
            let is_later = reply.header("retry-after").is_some();
            assert_eq!(is_later, reply.status == 503, "{reply:?}");
            reply.code()
        });
    }
    let mut codes = BTreeMap::<String, u32>::new();
    for code in senders.join_all().await {
        *codes.entry(code).or_default() += 1;
    }
    let took = started.elapsed();
    stop.send(true).unwrap();
    let longest = watching.await.unwrap();
    let known = ["SERVICE_UNAVAILABLE", "UPSTREAM_SCAN_FAILED"];
    assert_eq!(codes.keys().collect::<Vec<_>>(), known);
    // Three seconds at most for a turn and a scan; if all waited for a turn, 16 at a time would take a minute.
    assert!(took < Duration::from_secs(40), "{took:?}");
    assert!(longest < LEEWAY, "{longest:?}");
    assert!(program.peak_kib() < MOST_KIB, "{} KiB", program.peak_kib());

    // The last scans end a little after their clients have been answered.
    eventually("there is a turn again", async || {
        let reply = scan(&key, "shop.example.com").send(address).await;
        if reply.status == 200 {
            assert_eq!(reply.json()["domain"], "shop.example.com");
            return true;
        }
        assert_eq!(reply.status, 503, "{}", String::from_utf8_lossy(&reply.bytes));
        false
    })
    .await;
}
