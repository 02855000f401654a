//! Sites that ask for peace.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use tokio::io::AsyncWriteExt;
use visibility_core::fetch::http::HttpFetch;
use visibility_core::fetch::{Fetch, FetchError, Resource, SkipReason};
use visibility_tests::tls::Server;
use visibility_tests::wait::{LEEWAY, in_time};

use crate::fetch::fixture::{NAME, get, probe, read_head, response, session_to};

/// A site that answers 429 so many times, and then 200.
async fn tired_site(times: usize, retry_after: &'static str) -> (Server, HttpFetch) {
    let asked = Arc::new(AtomicUsize::new(0));
    let page = move || {
        let asked = Arc::clone(&asked);
        async move { answer(asked.fetch_add(1, Ordering::SeqCst) < times, retry_after) }
    };
    let server = Server::plain(Router::new().fallback(page)).await;
    let session = session_to(&server);
    (server, session)
}

fn answer(is_tired: bool, retry_after: &'static str) -> Response {
    match (is_tired, retry_after) {
        (false, _) => "rested".into_response(),
        (true, "") => StatusCode::TOO_MANY_REQUESTS.into_response(),
        (true, wait) => (StatusCode::TOO_MANY_REQUESTS, [("retry-after", wait)]).into_response(),
    }
}

const SKIPPED: FetchError = FetchError::Skipped { reason: SkipReason::RateLimited };

#[tokio::test]
async fn a_short_wait_is_kept_and_the_question_asked_again() {
    let (_server, session) = tired_site(1, "1").await;
    let started = Instant::now();
    let found = response(&session, &format!("http://{NAME}/llms.txt")).await;
    assert_eq!((found.status, found.text().as_ref()), (200, "rested"));
    assert!(started.elapsed() >= Duration::from_secs(1));
    assert_eq!(session.requests(), 2);
    assert_eq!(response(&session, &format!("http://{NAME}/auth.md")).await.status, 200);
}

#[tokio::test]
async fn a_429_without_a_time_is_asked_again_after_a_second() {
    let (_server, session) = tired_site(1, "").await;
    let started = Instant::now();
    let found = response(&session, &format!("http://{NAME}/llms.txt")).await;
    assert_eq!((found.status, found.retries), (200, 1));
    assert!(started.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn a_second_refusal_or_a_long_wait_ends_the_questions_about_well_known_paths() {
    for (times, retry_after, requests) in
        [(2, "0", 2), (1, "3", 1), (1, "3600", 1), (1, "Wed, 21 Oct 2015 07:28:00 GMT", 1)]
    {
        let (_server, session) = tired_site(times, retry_after).await;
        let asked = format!("http://{NAME}/llms.txt");
        let found = in_time("an answer without the long wait", response(&session, &asked)).await;
        assert_eq!(found.status, 429, "{retry_after}");
        assert_eq!(session.requests(), requests, "{retry_after}");
        let error = get(&session, &format!("http://{NAME}/.well-known/ucp")).await.unwrap_err();
        assert_eq!(error, SKIPPED, "{retry_after}");
        for path in ["", "robots.txt"] {
            assert_eq!(response(&session, &format!("http://{NAME}/{path}")).await.status, 200);
        }
        assert_eq!(session.requests(), requests + 2);
    }
}

#[tokio::test]
async fn each_probe_is_sent_again_once_and_no_more() {
    let (_server, session) = tired_site(usize::MAX, "0").await;
    for path in ["", "robots.txt", ""] {
        let found = response(&session, &format!("http://{NAME}/{path}")).await;
        assert_eq!((found.status, found.retries), (429, 1));
    }
    assert_eq!(session.requests(), 6);
}

#[tokio::test]
async fn after_a_429_no_more_than_five_requests_a_second_are_sent() {
    let (_server, session) = tired_site(1, "0").await;
    assert_eq!(response(&session, &format!("http://{NAME}/")).await.status, 200);
    let started = Instant::now();
    let urls = ["a", "b", "c", "d"].map(|path| format!("http://{NAME}/{path}"));
    let answers = urls.iter().map(|url| response(&session, url));
    for found in futures_util::future::join_all(answers).await {
        assert_eq!((found.status, found.retries), (200, 0));
    }
    assert!(started.elapsed() >= Duration::from_millis(600), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_refusal_of_another_agent_does_not_stop_our_own_probes() {
    let (_server, session) = tired_site(1, "600").await;
    let mut probe = probe(&format!("http://{NAME}/"));
    probe.resource = Resource::HomeAsAgent("openai-gptbot".to_owned());
    probe.user_agent = "GPTBot/1.2".to_owned();
    assert_eq!(session.fetch(&probe).await.unwrap().status, 429);
    assert_eq!(response(&session, &format!("http://{NAME}/llms.txt")).await.status, 200);
}

/// Challenges that come with status 429: one that a header field shows, one that the page shows.
fn challenge(by_header: bool) -> Response {
    if by_header {
        let fields = [("x-vercel-mitigated", "challenge"), ("retry-after", "1")];
        (StatusCode::TOO_MANY_REQUESTS, fields).into_response()
    } else {
        let page = "<html><title>Vercel Security Checkpoint</title></html>";
        let html = [("content-type", "text/html; charset=utf-8")];
        (StatusCode::TOO_MANY_REQUESTS, html, page).into_response()
    }
}

#[tokio::test]
async fn a_challenge_page_with_429_is_a_wall_and_neither_retried_nor_a_reason_to_slow_down() {
    for by_header in [true, false] {
        let page = move || async move { challenge(by_header) };
        let server = Server::plain(Router::new().fallback(page)).await;
        let session = session_to(&server);
        let started = Instant::now();
        let paths = ["", "robots.txt", "llms.txt", ".well-known/ucp", "auth.md", "sitemap.xml"];
        for path in paths.into_iter().cycle().take(58) {
            let found = response(&session, &format!("http://{NAME}/{path}")).await;
            assert_eq!((found.status, found.retries), (429, 0), "{path}");
        }
        assert_eq!(session.requests(), 58);
        // Milliseconds; five requests a second, as after another 429, would take eleven seconds.
        assert!(started.elapsed() < LEEWAY, "{:?}", started.elapsed());
    }
}

/// A site that answers its first request with 429, and closes the connection of all others.
async fn breaking_site() -> Server {
    let asked = Arc::new(AtomicUsize::new(0));
    Server::raw(move |mut stream| {
        let asked = Arc::clone(&asked);
        async move {
            read_head(&mut stream).await;
            if asked.fetch_add(1, Ordering::SeqCst) == 0 {
                let answer = b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 0\r\n\
                    content-length: 0\r\nconnection: close\r\n\r\n";
                stream.write_all(answer).await.unwrap();
            }
        }
    })
    .await
}

#[tokio::test]
async fn if_the_second_request_fails_the_429_is_the_answer() {
    let server = breaking_site().await;
    let session = session_to(&server);
    let found = response(&session, &format!("http://{NAME}/llms.txt")).await;
    assert_eq!((found.status, found.retries), (429, 1));
    assert_eq!(session.requests(), 2);
    let error = get(&session, &format!("http://{NAME}/.well-known/ucp")).await.unwrap_err();
    assert_eq!(error, SKIPPED);
}
