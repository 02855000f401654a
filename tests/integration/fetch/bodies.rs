//! Codings, caps, and bodies that do not end well.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::get as route;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use futures_util::future::join_all;
use tokio::io::AsyncWriteExt;
use visibility_core::fetch::http::HttpSettings;
use visibility_core::fetch::{BodyEnd, Fetch};
use visibility_tests::tls::{Alpn, Server};

use crate::fetch::fixture::{
    NAME, canned, coded, probe, read_head, response, session_to, session_with, settings, tls_site,
};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// 50 times `<p>brotli `.
const BROTLI: [u8; 31] = [
    0x1b, 0xf3, 0x01, 0xf8, 0x9d, 0x09, 0x36, 0x2e, 0xa8, 0x77, 0xc7, 0x78, 0xc9, 0x23, 0x06, 0x57,
    0x20, 0x74, 0xe5, 0x23, 0x97, 0x69, 0x6c, 0x6f, 0x41, 0x60, 0x28, 0x00, 0xa9, 0xf5, 0x01,
];

#[tokio::test]
async fn codings_that_are_known_are_decoded() {
    let text = "<p>gzip ".repeat(500);
    let mut members = gzip(&text.as_bytes()[..1000]);
    members.extend(gzip(&text.as_bytes()[1000..]));
    let one = gzip(text.as_bytes());
    let twice = gzip(&one);
    let mut deflated = DeflateEncoder::new(Vec::new(), Compression::default());
    deflated.write_all(text.as_bytes()).unwrap();
    let deflated = deflated.finish().unwrap();
    let brotli = "<p>brotli ".repeat(50);
    for (coding, wire, expected) in [
        ("X-GZip", one.clone(), &text),
        ("gzip", members, &text),
        ("br", BROTLI.to_vec(), &brotli),
        ("identity", text.clone().into_bytes(), &text),
        ("", text.clone().into_bytes(), &text),
        ("deflate", deflated, &text),
        ("gzip, gzip", twice, &text),
        ("gzip, utf-8", one.clone(), &text),
        ("aws-chunked", text.clone().into_bytes(), &text),
        ("binary", one.clone(), &text),
        ("gzip", one, &text),
    ] {
        let (length, page) = (wire.len() as u64, coded(coding, wire));
        let router = Router::new().route("/", route(move || async { page }));
        let (_server, session) = tls_site(router, Alpn::Both).await;
        let found = response(&session, &format!("https://{NAME}/")).await;
        assert_eq!(found.text(), **expected, "{coding}");
        assert_eq!((found.body_end, found.wire_bytes), (BodyEnd::Complete, length), "{coding}");
        assert_eq!(found.headers.first("content-encoding"), Some(coding));
    }
}

#[tokio::test]
async fn other_codings_leave_nothing_decoded() {
    for coding in ["zstd", "compress", "gzip, zstd", "gzip, gzip, gzip", "br,dcz"] {
        let page = coded(coding, gzip(b"text"));
        let server = Server::plain(Router::new().route("/", route(|| async { page }))).await;
        let found = response(&session_to(&server), &format!("http://{NAME}/")).await;
        assert_eq!((found.status, found.body_end), (200, BodyEnd::Undecodable), "{coding}");
        assert!(found.body.is_empty(), "{coding}");
    }
}

#[tokio::test]
async fn a_body_that_was_cut_keeps_what_was_decoded() {
    let text = (0..20_000).map(|n| n.to_string()).collect::<Vec<_>>().join("\n");
    let mut wire = gzip(text.as_bytes());
    wire.truncate(wire.len() / 2);
    let server =
        Server::plain(Router::new().route("/", route(|| async { coded("gzip", wire) }))).await;
    let mut probe = probe(&format!("http://{NAME}/"));
    probe.max_body_bytes = 1_000_000;
    let found = session_to(&server).fetch(&probe).await.unwrap();
    assert_eq!(found.body_end, BodyEnd::Undecodable);
    assert!(found.body.len() > 40_000, "{}", found.body.len());
    assert!(text.as_bytes().starts_with(&found.body));
}

#[tokio::test]
async fn a_body_is_read_to_its_cap_and_no_further() {
    for (length, cap, end) in [
        (1000, 1000, BodyEnd::Complete),
        (1001, 1000, BodyEnd::Capped),
        (5_000_000, 1000, BodyEnd::Capped),
    ] {
        let text = vec![b'a'; length];
        let router = Router::new().route("/", route(|| async { text }));
        let (_server, session) = tls_site(router, Alpn::Both).await;
        let mut probe = probe(&format!("https://{NAME}/"));
        probe.max_body_bytes = cap;
        let found = session.fetch(&probe).await.unwrap();
        assert_eq!((found.body.len(), found.body_end), (cap, end), "{length}");
        assert!(found.wire_bytes <= 100_000, "{}", found.wire_bytes);
    }
}

/// A gzip stream of 1 GiB of zeros, in members of 1 MiB.
async fn bomb() -> Server {
    let member: Arc<[u8]> = gzip(&vec![0; 1 << 20]).into();
    Server::raw(move |mut stream| {
        let member = Arc::clone(&member);
        async move {
            read_head(&mut stream).await;
            let head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n";
            let mut sent = stream.write_all(head).await;
            for _ in 0..1024 {
                if sent.is_ok() {
                    sent = stream.write_all(&member).await;
                }
            }
        }
    })
    .await
}

#[tokio::test]
async fn a_bomb_of_a_gibibyte_gives_no_more_than_the_cap() {
    let server = bomb().await;
    let found = response(&session_to(&server), &format!("http://{NAME}/")).await;
    assert_eq!((found.body.len(), found.body_end), (100_000, BodyEnd::Capped));
    assert!(found.wire_bytes < 50_000, "{}", found.wire_bytes);
}

#[tokio::test]
async fn a_body_that_never_ends_is_kept_as_far_as_it_came() {
    let bodies = [
        (Duration::ZERO, vec![b'a'; 4096], BodyEnd::Capped),
        (Duration::from_millis(20), b"a".to_vec(), BodyEnd::TimedOut),
        (Duration::from_mins(10), b"a".to_vec(), BodyEnd::TimedOut),
    ];
    let found = bodies.map(async |(pause, piece, end)| {
        let server = Server::raw(move |mut stream| {
            let piece = piece.clone();
            async move {
                read_head(&mut stream).await;
                let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
                let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
                chunk.extend(piece);
                chunk.extend(b"\r\n");
                let mut sent = stream.write_all(head).await;
                while sent.is_ok() {
                    sent = stream.write_all(&chunk).await;
                    tokio::time::sleep(pause).await;
                }
            }
        })
        .await;
        let settings = HttpSettings { request_timeout: Duration::from_secs(2), ..settings() };
        let found = response(&session_with(&server, settings), &format!("http://{NAME}/")).await;
        assert_eq!(found.body_end, end, "{pause:?}");
        assert!(!found.body.is_empty() && found.body.len() <= 100_000, "{pause:?}");
    });
    join_all(found).await;
}

#[tokio::test]
async fn a_body_whose_connection_breaks_is_kept_as_far_as_it_came() {
    for answer in [
        "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\nnonsense\r\n",
    ] {
        let server = canned(answer).await;
        let found = response(&session_to(&server), &format!("http://{NAME}/")).await;
        assert_eq!((found.text().as_ref(), found.body_end), ("half", BodyEnd::Broken), "{answer}");
    }
}

#[tokio::test]
async fn a_body_without_length_ends_with_its_connection() {
    let server = canned("HTTP/1.0 200 OK\r\n\r\nold style").await;
    let found = response(&session_to(&server), &format!("http://{NAME}/")).await;
    assert_eq!(found.version, "HTTP/1.0");
    assert_eq!((found.text().as_ref(), found.body_end), ("old style", BodyEnd::Complete));
}
