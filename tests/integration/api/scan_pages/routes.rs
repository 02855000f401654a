//! What each route answers, by who asks.

use visibility_tests::server::Hosts;

use super::{ADA, BOB, Browser, Page, SITES, ScanPage as _, Server, make_user, signed_in};
use crate::api::audit::id;
use crate::api::browser::make_user_of;

const EVE: &str = "eve@example.com";

/// Who asks, and whether visitors may scan and see results.
const ASKERS: [(Option<&str>, bool); 5] =
    [(None, false), (None, true), (Some(BOB), false), (Some(ADA), false), (Some(EVE), false)];

/// What each asks for; and what a stranger with everything off, a stranger with public scans and results, a person without
/// the scope, a person, and a person of another tenant get: the status, for how long it may be kept, and where it leads.
const ROUTES: [(&str, &str, [&str; 5]); 25] = [
    (
        "GET",
        "/",
        [
            "200 public, max-age=300",
            "200 private, no-store",
            "200 no-store",
            "200 private, no-store",
            "200 private, no-store",
        ],
    ),
    (
        "GET",
        "/tr",
        [
            "200 public, max-age=300",
            "200 private, no-store",
            "200 no-store",
            "200 private, no-store",
            "200 private, no-store",
        ],
    ),
    (
        "GET",
        "/?target=a.example.com",
        [
            "200 public, max-age=300",
            "200 private, no-store",
            "200 no-store",
            "200 private, no-store",
            "200 private, no-store",
        ],
    ),
    ("GET", "/scan", ["303 no-store to /"; 5]),
    (
        "POST",
        "/scan",
        [
            "403 no-store",
            "303 no-store to /scan/c.example.com",
            "403 no-store",
            "303 no-store to /scan/c.example.com",
            "303 no-store to /scan/c.example.com",
        ],
    ),
    (
        "GET",
        "/scan/a.example.com",
        [
            "303 no-store to /sign-in?next=%2Fscan%2Fa.example.com",
            "200 public, max-age=60",
            "403 no-store",
            "200 private, no-cache",
            "200 private, no-cache",
        ],
    ),
    (
        "GET",
        "/scan/b.example.com",
        [
            "303 no-store to /sign-in?next=%2Fscan%2Fb.example.com",
            "404 no-store",
            "403 no-store",
            "404 no-store",
            "404 no-store",
        ],
    ),
    ("GET", "/scan/A.Example.com", ["303 no-store to /scan/a.example.com"; 5]),
    ("GET", "/scan/127.0.0.1", ["400 no-store"; 5]),
    (
        "GET",
        "/scan/a.example.com/result.json",
        [
            "303 no-store to /sign-in?next=%2Fscan%2Fa.example.com",
            "200 private, no-cache",
            "403 no-store",
            "200 private, no-cache",
            "200 private, no-cache",
        ],
    ),
    (
        "GET",
        "/scan/a.example.com/fixes.zip",
        [
            "303 no-store to /sign-in?next=%2Fscan%2Fa.example.com",
            "200 private, no-cache",
            "403 no-store",
            "200 private, no-cache",
            "200 private, no-cache",
        ],
    ),
    (
        "GET",
        "/scan/a.example.com/history",
        [
            "303 no-store to /sign-in?next=%2Fscan%2Fa.example.com%2Fhistory",
            "200 no-store",
            "403 no-store",
            "200 no-store",
            "200 no-store",
        ],
    ),
    (
        "GET",
        "/scan/a.example.com/history.json",
        [
            "303 no-store to /sign-in?next=%2Fscan%2Fa.example.com%2Fhistory",
            "200 private, no-cache",
            "403 no-store",
            "200 private, no-cache",
            "200 private, no-cache",
        ],
    ),
    (
        "GET",
        "/compare",
        [
            "303 no-store to /sign-in?next=%2Fcompare",
            "200 no-store",
            "403 no-store",
            "200 no-store",
            "200 no-store",
        ],
    ),
    (
        "GET",
        "/compare?a=a.example.com&b=b.example.com",
        [
            "303 no-store to /sign-in?next=%2Fcompare%3Fa%3Da.example.com%26b%3Db.example.com",
            "404 no-store",
            "403 no-store",
            "404 no-store",
            "404 no-store",
        ],
    ),
    ("POST", "/compare", ["405 no-store"; 5]),
    ("GET", "/scan/a.example.com/result.pdf", ["404 no-store"; 5]),
    ("POST", "/scan/a.example.com", ["405 no-store"; 5]),
    ("GET", "/audit", ["200 private, no-store"; 5]),
    ("POST", "/audit", ["303 no-store to /audit/AUDIT"; 5]),
    (
        "GET",
        "/audit/AUDIT",
        [
            "200 public, max-age=60",
            "200 public, max-age=60",
            "200 private, no-cache",
            "200 private, no-cache",
            "200 private, no-cache",
        ],
    ),
    ("GET", "/audit/AUDIT/result.json", ["200 private, no-cache"; 5]),
    ("GET", "/audit/AUDIT/result.html", ["200 private, no-cache"; 5]),
    ("GET", "/audit/aud_0000000000000000000001", ["404 no-store"; 5]),
    ("POST", "/audit/AUDIT", ["405 no-store"; 5]),
];

/// The page that is audited.
const PAGE: &str = "https://a.example.com/";

/// A server with a scan and an audit, and the id of that.
async fn server_for(is_public: bool) -> (Server, String) {
    let server = Server::with(Hosts::new(SITES.map(super::good)), |settings| {
        settings.web.public_scans = is_public;
        settings.web.public_results = is_public;
    })
    .await;
    make_user(&server, ADA, &[super::Scope::ScanRead]);
    make_user(&server, BOB, &[]);
    server
        .stores
        .state_store()
        .create_tenant(&"globex".parse().unwrap(), chrono::Utc::now())
        .unwrap();
    make_user_of(&server, "globex", EVE, &[super::Scope::ScanRead]);
    let body = serde_json::json!({ "domain": "a.example.com" });
    let scan = server.client.post(server.url("/api/v1/agent-readiness")).bearer_auth(&server.key);
    assert_eq!(scan.json(&body).send().await.unwrap().status(), 200);
    // Its day is written a moment after the answer.
    let mut ada = signed_in(&server, ADA).await;
    while ada.get("/scan/a.example.com/history.json").await.status != 200 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    drop(ada);
    let audit = id(&server.audited("", PAGE).await).to_owned();
    (server, audit)
}

/// What the table says of an answer.
fn cell(page: &Page) -> String {
    let parts = [page.status.to_string(), page.header("cache-control").to_owned()];
    let leads_to = match page.header("location") {
        "" => String::new(),
        location => format!(" to {location}"),
    };
    format!("{}{leads_to}", parts.join(" "))
}

/// Sends the form of the home page if there is one, else what it would send.
async fn post(browser: &mut Browser<'_>, path: &str) -> Page {
    if path == "/audit" {
        let page = browser.get(path).await;
        let forms = (0..2).map(|number| page.form(number));
        let form = forms.into_iter().find(|form| form.action == path).expect("the form");
        return browser.submit(&form.with("url", PAGE)).await;
    }
    let home = browser.get("/").await;
    if path != "/scan" || !home.body.contains("id=\"target\"") {
        return browser.post(path, "target=c.example.com").await;
    }
    let form = home.form_of_scan().with("target", "c.example.com");
    browser.submit(&form).await
}

/// What every answer has, to every asker.
fn check_headers(page: &Page, what: &str) {
    if !page.body.is_empty() {
        assert_eq!(page.header("x-content-type-options"), "nosniff", "{what}");
        let policy = page.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'"), "{what}: {policy}");
    }
    // What has the field is for one browser, now.
    if page.body.contains("id=\"target\"") || page.body.contains("id=\"url\"") {
        assert_eq!(page.header("cache-control"), "private, no-store", "{what}");
    }
    if page.header("cache-control").starts_with("public") {
        assert!(page.cookies.is_empty(), "{what}");
    }
}

#[tokio::test]
async fn every_route_answers_every_kind_of_asker() {
    let mut wrong = Vec::new();
    for (index, (name, is_public)) in ASKERS.into_iter().enumerate() {
        let (server, audit) = server_for(is_public).await;
        for (method, path, cells) in ROUTES {
            let mut browser = match name {
                Some(name) => signed_in(&server, name).await,
                None => Browser::new(&server),
            };
            browser.extra = vec![("accept", "text/html")];
            let path = path.replace("AUDIT", &audit);
            let page = match method {
                "GET" => browser.get(&path).await,
                _ => post(&mut browser, &path).await,
            };
            let what = format!("{name:?} {is_public} {method} {path}");
            check_headers(&page, &what);
            let found = cell(&page).replace(&audit, "AUDIT");
            if found != cells[index] {
                wrong.push(format!("{what}: {found}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
