//! Redirects: followed by hand, each hop checked like a first request.

use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse, Response};
use axum::routing::get as route;
use visibility_core::fetch::{Fetch, FetchError, Redirects};
use visibility_tests::tls::{Alpn, Server};

use crate::fetch::fixture::{
    NAME, canned, get, probe, response, session_to, session_with, settings, tls_site,
};

fn to(status: u16, location: &str) -> Response {
    let status = StatusCode::from_u16(status).unwrap();
    (status, [(LOCATION, location.to_owned())]).into_response()
}

/// `/n` leads to `/n-1`, and `/0` is a page.
async fn countdown(Path(left): Path<u32>) -> Response {
    match left {
        0 => "arrived".into_response(),
        left => to(302, &format!("/{}", left - 1)),
    }
}

#[tokio::test]
async fn five_redirects_are_followed_and_not_six() {
    let router = Router::new().route("/{left}", route(countdown));
    let (_server, session) = tls_site(router, Alpn::Both).await;
    let found = response(&session, &format!("https://{NAME}/5")).await;
    assert_eq!((found.text().as_ref(), found.hops.len()), ("arrived", 5));
    assert_eq!(found.url.path(), "/0");
    assert_eq!(found.hops[0].url.path(), "/5");
    assert_eq!((found.hops[4].status, found.hops[4].location.as_str()), (302, "/0"));
    assert_eq!(session.requests(), 6);
    let error = get(&session, &format!("https://{NAME}/6")).await.unwrap_err();
    assert!(matches!(error, FetchError::TooManyRedirects { .. }), "{error}");
    assert_eq!(error.hops().len(), 6);
    assert_eq!(session.requests(), 12, "the sixth redirect was not followed");
}

#[tokio::test]
async fn a_long_address_is_not_followed() {
    let origin = format!("http://{NAME}").len();
    let path = |bytes: usize| format!("/{}", "x".repeat(bytes - 1));
    // Two bytes each here, and six in a URL.
    let coded = format!("/{}", "é".repeat(700));
    let cases = [(path(2_048 - origin), true), (path(2_049 - origin), false), (coded, false)];
    for (location, is_followed) in cases {
        let target = location.clone();
        let router = Router::new()
            .route("/", route(move || async move { to(302, &target) }))
            .fallback(|| async { "arrived" });
        let server = Server::plain(router).await;
        let found = get(&session_to(&server), &format!("http://{NAME}/")).await;
        match found {
            Ok(_) => assert!(is_followed, "{}", location.len()),
            Err(FetchError::BadRedirect { .. }) => assert!(!is_followed, "{}", location.len()),
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn every_kind_of_redirect_is_followed_and_no_other_status() {
    for status in [301, 302, 303, 307, 308] {
        let router = Router::new()
            .route("/", route(move || async move { to(status, "/next#part") }))
            .route("/next", route(|| async { "arrived" }));
        let server = Server::plain(router).await;
        let found = response(&session_to(&server), &format!("http://{NAME}/")).await;
        assert_eq!((found.status, found.hops[0].status), (200, status));
        assert_eq!(found.url.as_str(), format!("http://{NAME}/next"));
    }
    for status in [200, 201, 300, 304, 305, 404] {
        let router = Router::new().route("/", route(move || async move { to(status, "/next") }));
        let server = Server::plain(router).await;
        let found = response(&session_to(&server), &format!("http://{NAME}/")).await;
        assert_eq!((found.status, found.hops.len()), (status, 0));
    }
}

#[tokio::test]
async fn a_loop_is_distinguished_from_a_long_chain() {
    let router = Router::new()
        .route("/a", route(|| async { to(301, "/b") }))
        .route("/b", route(|| async { to(301, "/a") }))
        .route("/self", route(|| async { to(301, "#here") }));
    let server = Server::plain(router).await;
    let session = session_to(&server);
    for (path, hops) in [("a", 2), ("self", 1)] {
        let error = get(&session, &format!("http://{NAME}/{path}")).await.unwrap_err();
        assert!(matches!(error, FetchError::RedirectLoop { .. }), "{error}");
        assert_eq!(error.hops().len(), hops);
    }
}

#[tokio::test]
async fn a_probe_can_stop_at_the_redirect() {
    let server =
        Server::plain(Router::new().fallback(|| async { to(301, "https://x.example/") })).await;
    let mut probe = probe(&format!("http://{NAME}/"));
    probe.redirects = Redirects::Stop;
    let found = session_to(&server).fetch(&probe).await.unwrap();
    assert_eq!((found.status, found.headers.first("location")), (301, Some("https://x.example/")));
    assert!(found.hops.is_empty());
}

#[tokio::test]
async fn a_redirect_to_nowhere_keeps_its_trail() {
    for location in [
        "",
        "ftp://x.example/",
        "javascript:alert(1)",
        "data:text/html,x",
        "http://",
        "file:///etc/passwd",
        "http://[::1",
    ] {
        let server =
            Server::plain(Router::new().fallback(move || async move { to(302, location) })).await;
        let error = get(&session_to(&server), &format!("http://{NAME}/")).await.unwrap_err();
        assert!(matches!(error, FetchError::BadRedirect { .. }), "{location}: {error}");
        assert_eq!(error.hops()[0].location, location);
    }
    let server = canned("HTTP/1.1 302 Found\r\ncontent-length: 0\r\n\r\n").await;
    let error = get(&session_to(&server), &format!("http://{NAME}/")).await.unwrap_err();
    assert!(matches!(error, FetchError::BadRedirect { .. }), "{error}");
}

#[tokio::test]
async fn a_long_location_is_cut_in_the_evidence() {
    let location = format!("/{}", "a".repeat(5000));
    let router = Router::new()
        .route("/", route(move || async move { to(302, &location) }))
        .fallback(|| async { "arrived" });
    let server = Server::plain(router).await;
    let error = get(&session_to(&server), &format!("http://{NAME}/")).await.unwrap_err();
    assert!(matches!(error, FetchError::BadRedirect { .. }), "{error}");
    assert_eq!(error.hops()[0].location.len(), 2048);
}

/// Names are led elsewhere by the test's own rule; addresses in a URL never are.
#[tokio::test]
async fn a_redirect_to_an_address_that_is_not_public_is_denied() {
    let secret = Server::plain(Router::new().fallback(|| async { "secret" })).await;
    let port = secret.port();
    for target in [
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        format!("http://127.0.0.1:{port}/"),
        format!("http://127.1:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://0x7f.1:{port}/"),
        format!("http://[::1]:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        "http://[fd00:ec2::254]/".to_owned(),
        "https://10.0.0.1/".to_owned(),
        "//0.0.0.0/".to_owned(),
        "http://8.8.8.8:22/".to_owned(),
        "http://8.8.8.8:8080/".to_owned(),
    ] {
        let shown = target.clone();
        let server =
            Server::plain(Router::new().fallback(move || async move { to(302, &target) })).await;
        let error = get(&session_to(&server), &format!("http://{NAME}/")).await.unwrap_err();
        assert_eq!(error, FetchError::Denied { after_redirect: true }, "{shown}");
    }
    assert_eq!(secret.connections(), 0);
}

#[tokio::test]
async fn a_host_that_is_refused_is_refused_behind_a_redirect_too() {
    let router = Router::new()
        .route("/", route(|| async { to(301, "http://a.denied.example.com./shop") }))
        .fallback(|| async { "arrived" });
    let server = Server::plain(router).await;
    let mut settings = settings();
    settings.denied_hosts.deny_with_subdomains("denied.example.com");
    let session = session_with(&server, settings);
    let error = get(&session, &format!("http://{NAME}/")).await.unwrap_err();
    assert_eq!(error, FetchError::Denied { after_redirect: true });
    assert_eq!(session.requests(), 1, "the host is not asked");
    let error = get(&session, "http://denied.example.com/").await.unwrap_err();
    assert_eq!(error, FetchError::Denied { after_redirect: false });
    assert_eq!(response(&session, &format!("http://{NAME}/other")).await.text(), "arrived");
}
