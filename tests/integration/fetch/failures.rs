//! What is said when no response comes.

use std::time::Duration;

use axum::Router;
use axum::response::AppendHeaders;
use tokio::io::AsyncWriteExt;
use visibility_core::fetch::http::{HttpClient, HttpSettings};
use visibility_core::fetch::{FetchError, TlsError};
use visibility_tests::closed_port::ClosedPort;
use visibility_tests::tls::{Alpn, Leaf, Server, TestCa};

use crate::fetch::fixture::{
    NAME, canned, get, read_head, session_to, session_with, settings, tls_site,
};

#[tokio::test]
async fn a_bad_certificate_says_what_is_bad_about_it() {
    let ca = TestCa::new();
    let other = TestCa::named("Another authority");
    for (signer, names, leaf, problem) in [
        (&ca, [NAME], Leaf::Expired, TlsError::Expired),
        (&ca, [NAME], Leaf::NotYetValid, TlsError::NotYetValid),
        (&ca, ["other.example.com"], Leaf::Good, TlsError::WrongName),
        (&ca, [NAME], Leaf::SelfSigned, TlsError::UnknownIssuer),
        (&other, [NAME], Leaf::Good, TlsError::UnknownIssuer),
    ] {
        let config = signer.server_config(&names, leaf, Alpn::Both);
        let server = Server::tls(config, Router::new()).await;
        let settings = HttpSettings { extra_roots: vec![ca.root()], ..settings() };
        let error = get(&session_with(&server, settings), &format!("https://{NAME}/")).await;
        let host = format!("{NAME}:443");
        assert_eq!(error.unwrap_err(), FetchError::Tls { host, problem }, "{leaf:?}");
    }
}

#[tokio::test]
async fn plain_http_on_the_port_of_tls_is_a_failed_handshake() {
    let hangs_up = Server::raw(|_stream| async {}).await;
    let another_protocol = Server::raw(|mut stream| async move {
        drop(stream.write_all(b"220 mail.example.com ESMTP\r\n").await);
        read_head(&mut stream).await;
    })
    .await;
    for server in [Server::plain(Router::new()).await, another_protocol, hangs_up] {
        let error = get(&session_to(&server), &format!("https://{NAME}/")).await.unwrap_err();
        let is_expected = match &error {
            FetchError::Tls { problem, .. } => *problem == TlsError::Handshake,
            // A server that closes with unread bytes resets the connection.
            FetchError::Connect { .. } => true,
            _ => false,
        };
        assert!(is_expected, "{error:?}");
    }
}

#[tokio::test]
async fn a_closed_port_is_no_connection() {
    let closed = ClosedPort::bind();
    let rule = format!("::{closed}").parse().unwrap();
    let settings = HttpSettings { connect_to: vec![rule], ..settings() };
    let session = HttpClient::new(settings).unwrap().session();
    for (scheme, port) in [("http", 80), ("https", 443)] {
        let error = get(&session, &format!("{scheme}://{NAME}/")).await.unwrap_err();
        assert_eq!(error, FetchError::Connect { host: format!("{NAME}:{port}") });
    }
}

#[tokio::test]
async fn what_is_not_http_is_said_so() {
    let reset = Server::raw(|mut stream| async move {
        read_head(&mut stream).await;
        stream.set_zero_linger().unwrap();
    })
    .await;
    let many = "x: y\r\n".repeat(1_001);
    let long = format!("x: {}\r\n", "a".repeat(100 * 1024));
    let endless = format!("x: {}", "a".repeat(1024 * 1024));
    for server in [
        reset,
        canned("").await,
        canned("HTTP/1.1 200").await,
        canned("HTTP/1.1 200 OK\r\nx: y\r\n").await,
        canned("SSH-2.0-OpenSSH\r\n\r\n").await,
        canned("HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n").await,
        canned(format!("HTTP/1.1 200 OK\r\n{many}\r\n")).await,
        canned(format!("HTTP/1.1 200 OK\r\n{long}\r\n")).await,
        canned(format!("HTTP/1.1 200 OK\r\n{endless}")).await,
    ] {
        let error = get(&session_to(&server), &format!("http://{NAME}/")).await.unwrap_err();
        let FetchError::Protocol { reason } = &error else { panic!("{error:?}") };
        assert!(!reason.is_empty() && reason.len() <= 200, "{reason}");
    }
}

#[tokio::test]
async fn a_line_of_the_head_that_is_no_field_costs_nothing_but_itself() {
    for (line, name, value) in [
        ("x-info: a\r\n b", "x-info", Some("a b")),
        ("x-info: a\r\n\tb\r\n  c", "x-info", Some("a b c")),
        (
            "content-security-policy: default-src 'self';\r\n script-src 'none'",
            "content-security-policy",
            Some("default-src 'self'; script-src 'none'"),
        ),
        ("x-info : a", "x-info", Some("a")),
        ("no colon at all", "no colon at all", None),
        ("two words: a", "two words", None),
        (": a", "", None),
        ("x-info: a\u{1}b", "x-info", None),
        ("caf\u{e9}: a", "caf\u{e9}", None),
        ("x(info): a", "x(info)", None),
    ] {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n{line}\r\nx-last: z\r\n\r\nfine"
        );
        let found = get(&session_to(&canned(head).await), &format!("http://{NAME}/")).await;
        let found = found.unwrap_or_else(|error| panic!("{line:?}: {error:?}"));
        assert_eq!(found.text(), "fine", "{line:?}");
        assert_eq!(found.headers.first(name), value, "{line:?}");
        assert_eq!(found.headers.first("x-last"), Some("z"), "{line:?}");
    }
}

#[tokio::test]
async fn a_head_that_stays_unreadable_says_what_is_wrong_with_it() {
    for (head, note) in [
        ("HTTP/1.1 200 OK\r\nx-info: a\0b\r\n\r\nfine", "fetch-bad-field"),
        ("HTTP/1.1 200 OK\r\ncontent-length: +12\r\n\r\nfine", "fetch-bad-length"),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\nfine",
            "fetch-bad-length",
        ),
        ("HTTP/1.1 2x0 OK\r\n\r\nfine", "fetch-bad-status"),
        ("SSH-2.0-OpenSSH\r\n\r\n", "fetch-protocol"),
    ] {
        let server = canned(head).await;
        let error = get(&session_to(&server), &format!("http://{NAME}/")).await.unwrap_err();
        assert_eq!(error.note().id, note, "{head:?}: {error:?}");
    }
}

#[tokio::test]
async fn a_head_that_is_too_large_is_refused_over_http_2_too() {
    for (fields, length) in [(1_001, 1), (1, 100 * 1024), (90, 1024)] {
        let page = move || async move {
            let field = |n: usize| (format!("x-{n}"), "a".repeat(length));
            AppendHeaders((0..fields).map(field).collect::<Vec<_>>())
        };
        let (_server, session) = tls_site(Router::new().fallback(page), Alpn::Both).await;
        let error = get(&session, &format!("https://{NAME}/")).await.unwrap_err();
        assert!(matches!(error, FetchError::Protocol { .. }), "{fields} {length}: {error:?}");
    }
}

#[tokio::test]
async fn many_fields_are_taken_as_long_as_their_bytes_are_few() {
    for count in [103, 150, 900] {
        let many = "x: y\r\n".repeat(count);
        let head = format!("HTTP/1.1 200 OK\r\n{many}\r\nfine");
        let found =
            get(&session_to(&canned(head).await), &format!("http://{NAME}/")).await.unwrap();
        assert_eq!((found.status, found.headers.all("x").len()), (200, count));
        assert_eq!(found.text(), "fine");
    }
}

#[tokio::test]
async fn a_head_that_does_not_come_is_a_timeout() {
    let server = Server::raw(|stream| async move {
        tokio::time::sleep(Duration::from_mins(1)).await;
        drop(stream);
    })
    .await;
    let settings = HttpSettings { request_timeout: Duration::from_millis(300), ..settings() };
    let session = session_with(&server, settings);
    for scheme in ["http", "https"] {
        let error = get(&session, &format!("{scheme}://{NAME}/")).await.unwrap_err();
        let FetchError::Timeout { after_ms } = error else { panic!("{error:?}") };
        // Its own time, and not that of the scan, which would be another error.
        assert!(after_ms >= 300, "{after_ms}");
    }
}

#[tokio::test]
async fn the_deadline_of_the_scan_ends_every_probe() {
    let server = Server::raw(|stream| async move {
        tokio::time::sleep(Duration::from_mins(1)).await;
        drop(stream);
    })
    .await;
    let settings = HttpSettings { scan_timeout: Duration::from_millis(500), ..settings() };
    let session = session_with(&server, settings);
    let url = format!("http://{NAME}/");
    for _ in 0..3 {
        assert_eq!(get(&session, &url).await, Err(FetchError::Deadline));
    }
    assert!(session.requests() <= 1, "nothing is sent after the deadline");
}
