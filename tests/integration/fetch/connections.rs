//! Protocols, reuse of connections, and what a request carries.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::get as route;
use futures_util::future::join_all;
use tokio::sync::watch;
use visibility_core::fetch::http::HttpSettings;
use visibility_core::fetch::{BodyEnd, Fetch, Resource};
use visibility_tests::tls::{Alpn, Server};
use visibility_tests::wait::in_time;

use crate::fetch::fixture::{
    NAME, get, probe, response, session_to, session_with, settings, tls_site,
};

async fn echo(headers: HeaderMap) -> String {
    let field = |(name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
        format!("{name}: {}\n", value.to_str().unwrap())
    };
    headers.iter().map(field).collect()
}

fn echo_everywhere() -> Router {
    Router::new().fallback(echo)
}

#[tokio::test]
async fn http_2_is_negotiated_and_the_certificate_is_kept() {
    let (_server, session) = tls_site(echo_everywhere(), Alpn::Both).await;
    let response = response(&session, &format!("https://{NAME}/")).await;
    assert_eq!(response.version, "HTTP/2.0");
    assert_eq!(response.status, 200);
    assert_eq!(response.body_end, BodyEnd::Complete);
    assert_eq!(response.wire_bytes, response.body.len() as u64);
    let tls = response.tls.unwrap();
    assert_eq!(tls.issuer.as_deref(), Some("Test authority"));
    assert_eq!(tls.not_after, 4_070_908_800, "2099-01-01");
}

#[tokio::test]
async fn http_1_1_is_spoken_where_nothing_better_is_offered() {
    let (_server, session) = tls_site(echo_everywhere(), Alpn::Http1).await;
    let over_tls = response(&session, &format!("https://{NAME}/")).await;
    assert_eq!(over_tls.version, "HTTP/1.1");
    assert!(over_tls.tls.is_some());
    let server = Server::plain(echo_everywhere()).await;
    let plain = response(&session_to(&server), &format!("http://{NAME}/")).await;
    assert_eq!((plain.version.as_str(), plain.tls), ("HTTP/1.1", None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parallel_probes_share_one_http_2_connection() {
    let (server, session) = tls_site(echo_everywhere(), Alpn::Both).await;
    let urls: Vec<String> = (0..22).map(|n| format!("https://{NAME}/{n}")).collect();
    let answers = join_all(urls.iter().map(|url| get(&session, url))).await;
    assert!(answers.iter().all(|answer| answer.as_ref().unwrap().version == "HTTP/2.0"));
    assert_eq!(server.connections(), 1);
    assert_eq!(session.requests(), 22);
}

#[tokio::test]
async fn connections_are_kept_for_later_probes() {
    let (server, session) = tls_site(echo_everywhere(), Alpn::Http1).await;
    for path in ["a", "b", "c"] {
        response(&session, &format!("https://{NAME}/{path}")).await;
    }
    assert_eq!(server.connections(), 1);
}

/// Pages that answer when so many requests wait for them, again and again.
#[derive(Clone)]
struct Crowd {
    size: usize,
    come: watch::Sender<usize>,
    /// Requests that wait, and the most that ever did.
    waiting: Arc<Mutex<(usize, usize)>>,
}

impl Crowd {
    fn of(size: usize) -> Self {
        Self { size, come: watch::channel(0).0, waiting: Arc::default() }
    }

    fn pages(&self) -> Router {
        let crowd = self.clone();
        Router::new().fallback(move || crowd.clone().wait())
    }

    async fn wait(self) {
        {
            let mut waiting = self.waiting.lock().unwrap();
            waiting.0 += 1;
            waiting.1 = waiting.1.max(waiting.0);
        }
        let mut number = 0;
        self.come.send_modify(|come| {
            *come += 1;
            number = *come;
        });
        let full = number.next_multiple_of(self.size);
        self.come.subscribe().wait_for(|come| *come >= full).await.unwrap();
        // Time for one more than there should be; a busy machine sees fewer that are too many, and never more.
        tokio::time::sleep(Duration::from_millis(30)).await;
        self.waiting.lock().unwrap().0 -= 1;
    }

    fn peak(&self) -> usize {
        self.waiting.lock().unwrap().1
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_is_asked_six_things_at_a_time() {
    let crowd = Crowd::of(6);
    let (_server, session) = tls_site(crowd.pages(), Alpn::Both).await;
    let urls: Vec<String> = (0..18).map(|n| format!("https://{NAME}/{n}")).collect();
    in_time("requests come by sixes", join_all(urls.iter().map(|url| get(&session, url)))).await;
    assert_eq!(crowd.peak(), 6);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn probes_in_the_name_of_others_go_two_at_a_time() {
    let crowd = Crowd::of(2);
    let server = Server::plain(crowd.pages()).await;
    let session = session_to(&server);
    let probes: Vec<_> = (0..6)
        .map(|n| {
            let mut probe = probe(&format!("http://{NAME}/"));
            probe.resource = Resource::HomeAsAgent(n.to_string());
            probe
        })
        .collect();
    let fetched = join_all(probes.iter().map(|probe| session.fetch(probe)));
    in_time("requests come in pairs", fetched).await;
    assert_eq!(crowd.peak(), 2);
}

#[tokio::test]
async fn a_request_carries_what_the_probe_says_and_nothing_that_follows_people() {
    let server = Server::plain(echo_everywhere()).await;
    let session = session_to(&server);
    let page = response(&session, &format!("http://user:pw@{NAME}/#part")).await;
    let ours = HttpSettings::default().scanned_by;
    let mut fields: Vec<&str> = std::str::from_utf8(&page.body).unwrap().lines().collect();
    fields.sort_unstable();
    let agent = format!("user-agent: {ours}");
    let host = format!("host: {NAME}");
    assert_eq!(fields, ["accept-encoding: gzip, br", "accept: text/html", &host, &agent]);
    assert_eq!(page.url.as_str(), format!("http://{NAME}/"));
}

#[tokio::test]
async fn a_request_in_another_name_says_who_is_behind_it() {
    let server = Server::plain(echo_everywhere()).await;
    let settings = HttpSettings { scanned_by: "Ours/1 (+https://us.example)".into(), ..settings() };
    let session = session_with(&server, settings);
    let mut probe = probe(&format!("http://{NAME}/"));
    probe.user_agent = "GPTBot/1.2".to_owned();
    let page = session.fetch(&probe).await.unwrap();
    let text = String::from_utf8(page.body.into()).unwrap();
    assert!(text.contains("user-agent: GPTBot/1.2\n"), "{text}");
    assert!(text.contains("x-scanned-by: Ours/1 (+https://us.example)\n"), "{text}");
}

#[tokio::test]
async fn fields_of_a_response_are_kept_as_text_in_their_order() {
    let page = || async { [("x-a", "1"), ("Vary", "Accept")] };
    let server = Server::plain(Router::new().route("/", route(page))).await;
    let page = response(&session_to(&server), &format!("http://{NAME}/")).await;
    assert_eq!(page.headers.all("vary"), ["Accept"]);
    assert_eq!(page.headers.first("x-a"), Some("1"));
}

#[tokio::test]
async fn a_scan_sends_at_most_its_budget_of_requests() {
    let server = Server::plain(echo_everywhere()).await;
    let session = session_to(&server);
    for _ in 0..60 {
        assert!(get(&session, &format!("http://{NAME}/")).await.is_ok());
    }
    let error = get(&session, &format!("http://{NAME}/")).await.unwrap_err();
    assert_eq!(error.to_string(), "the request was not sent: the scan has used all its requests");
    assert_eq!(session.requests(), 60);
}
