//! Scans beside each other: of several domains, and of two days of one.

use std::sync::Arc;

use serde_json::Value;
use tempfile::TempDir;
use visibility_tests::database;
use visibility_tests::server::Hosts;
use visibility_tests::site::{Reply, good};

use super::history::{start, stop, written};
use super::{ADA, BOB, Browser, Page, Scope, Server, make_user, public, scanned, signed_in};

const A: &str = "a.example.com";
const B: &str = "b.example.com";
const C: &str = "c.example.com";
const UNSCANNED: &str = "d.example.com";

/// Three sites that differ in what is known: `b` has no sitemap and lets GPTBot in no more, `c` refuses a user's agent.
async fn server_of_three(is_public: bool) -> Server {
    let b = good(B)
        .with("/sitemap.xml", Reply::error(404))
        .with("/robots.txt", Reply::text("User-agent: GPTBot\nDisallow: /\n".to_owned()));
    let c = good(C).for_user_agent("Claude-User", Reply::error(403));
    let sites = Hosts::new([good(A), b, c, good(UNSCANNED)]);
    Server::with(sites, |settings| {
        settings.web.public_scans = is_public;
        settings.web.public_results = is_public;
    })
    .await
}

async fn scan_three(server: &Server) -> Vec<Value> {
    let mut results = Vec::new();
    for host in [A, B, C] {
        results.push(server.result("", host).await);
    }
    results
}

async fn json(server: &Server, query: &str) -> (u16, Value) {
    let page = Browser::new(server).get(&format!("/compare.json?{query}")).await;
    (page.status, serde_json::from_str(&page.body).unwrap())
}

/// The values that the results have for a row, which is listed if they differ.
fn values(results: &[&Value], list: &str, id: &Value, read: fn(&Value) -> Value) -> Vec<Value> {
    let of = |result: &Value| {
        let rows = result[list].as_array().unwrap();
        rows.iter().find(|row| row["id"] == *id).map(read).unwrap_or_default()
    };
    results.iter().map(|result| of(result)).collect()
}

/// Checks a comparison against the results that it is of.
pub(super) fn check(comparison: &Value, results: &[&Value]) {
    let all_differ = |values: &[Value]| values.windows(2).any(|pair| pair[0] != pair[1]);
    for (list, key, read) in [
        ("checks", "verdicts", (|row| row["status"].clone()) as fn(&Value) -> Value),
        (
            "agents",
            "meets",
            |row| serde_json::json!({ "access": row["access"], "effective": row["effective"] }),
        ),
    ] {
        let listed = comparison[list].as_array().unwrap();
        for row in results[0][list].as_array().unwrap() {
            let expected = values(results, list, &row["id"], read);
            let found = listed.iter().find(|one| one["id"] == row["id"]);
            match found {
                Some(found) => {
                    assert_eq!(found[key], Value::Array(expected.clone()), "{}", row["id"]);
                    assert!(all_differ(&expected), "{}", row["id"]);
                }
                None => assert!(!all_differ(&expected), "{}: {expected:?}", row["id"]),
            }
        }
    }
    for (scan, result) in comparison["scans"].as_array().unwrap().iter().zip(results) {
        for field in ["domain", "score", "tier", "rubric_version"] {
            assert_eq!(scan[field], result[field], "{field}");
        }
        let categories = scan["categories"].as_array().unwrap();
        for category in result["categories"].as_array().unwrap() {
            let found = categories.iter().find(|one| one["id"] == category["id"]).unwrap();
            assert_eq!(found["points"], category["score_points"], "{category}");
            assert_eq!(found["max_points"], category["max_score_points"], "{category}");
        }
    }
}

#[tokio::test]
async fn domains_differ_in_exactly_what_their_results_say() {
    let server = server_of_three(true).await;
    let results = scan_three(&server).await;
    let [a, b, c] = [&results[0], &results[1], &results[2]];
    for (query, results) in [
        ("a=a.example.com&b=b.example.com", &[a, b][..]),
        ("a=b.example.com&b=c.example.com", &[b, c]),
        ("a=C.Example.com.&b=a.example.com&e=b.example.com", &[c, a, b]),
    ] {
        let (status, comparison) = json(&server, query).await;
        assert_eq!(status, 200, "{query}: {comparison}");
        assert_eq!(comparison["has_same_rules"], true);
        check(&comparison, results);
        let found = comparison["checks"].as_array().unwrap();
        assert!(found.iter().all(|check| check["found"][0].is_string()), "{query}: {found:?}");
    }

    let page = Browser::new(&server).get("/compare?a=a.example.com&b=b.example.com").await;
    assert_eq!(page.status, 200);
    assert!(page.body.contains("Only a.example.com passes: "), "{}", page.body);
    assert!(page.body.contains("Only a.example.com is open to: GPTBot."), "{}", page.body);
    assert!(!page.body.contains("your server"), "{}", page.body);
    assert_eq!(page.texts("form").len(), 1);
    assert_eq!(page.texts("input[type=text]").len(), 3, "one more than there are");
    assert_eq!(page.texts("script, style, [style], iframe, object").len(), 0);
    let turkish =
        Browser::new(&server).get("/compare?a=a.example.com&b=b.example.com&lang=tr").await;
    assert!(turkish.body.contains("Yalnızca a.example.com geçiyor: "), "{}", turkish.body);
}

#[tokio::test]
async fn what_cannot_be_compared_is_said() {
    let server = server_of_three(true).await;
    scan_three(&server).await;
    for (query, status, says) in [
        ("", 200, "Up to five domains"),
        ("a=&b=", 200, "Up to five domains"),
        ("a=a.example.com", 200, "Domain 2"),
        ("a=a.example.com&b=A.example.com", 400, "a.example.com is named twice"),
        ("a=a.example.com&b=127.0.0.1", 400, "role=\"alert\""),
        ("a=a.example.com&b=%3Cscript%3E", 400, "role=\"alert\""),
        ("a=a.example.com&b=https://b.example.com/x", 400, "b.example.com"),
        ("a=a.example.com&b=d.example.com", 404, "No scan of d.example.com is kept"),
        ("domain=d.example.com", 404, "No scan of d.example.com is kept"),
        ("domain=a.example.com", 404, "Only one day of a.example.com is kept"),
        ("domain=a.example.com&from=yesterday", 400, "`yesterday` is no day"),
        ("domain=a.example.com&to=2026-13-01", 400, "`2026-13-01` is no day"),
        ("domain=..", 400, "role=\"alert\""),
        ("a=a.example.com&b=b.example.com&c=%FF%FE", 400, "role=\"alert\""),
    ] {
        let page = Browser::new(&server).get(&format!("/compare?{query}")).await;
        assert_eq!(page.status, status, "{query}: {}", page.body);
        let text = page.body.replace("<code>", "`").replace("</code>", "`");
        assert!(text.contains(says), "{query}: {text}");
        assert!(!page.body.contains("<script"), "{query}: {}", page.body);
        assert!(!page.texts("form").is_empty() || page.body.contains("compare"), "{query}");
        // For a program each of them is an error.
        let (answered, body) = json(&server, query).await;
        assert_eq!(answered, if status == 200 { 400 } else { status }, "{query}");
        assert!(body["error"]["message"].is_string(), "{query}: {body}");
    }
    let page = Browser::new(&server).get("/compare?a=a.example.com&b=d.example.com").await;
    assert!(page.body.contains("/?target=d.example.com"), "a way to scan it: {}", page.body);
}

fn answer(page: &Page) -> (u16, String) {
    (page.status, page.header("location").to_owned())
}

#[tokio::test]
async fn a_comparison_is_seen_by_all_who_may_see_its_results() {
    let server = server_of_three(false).await;
    make_user(&server, ADA, &[Scope::ScanRead]);
    make_user(&server, BOB, &[]);
    scan_three(&server).await;
    let path = "/compare?a=a.example.com&b=b.example.com";
    for path in [path, "/compare", "/compare.json?domain=a.example.com", "/compare?a=.."] {
        let (status, location) = answer(&Browser::new(&server).get(path).await);
        assert_eq!(status, 303, "{path}");
        assert!(location.starts_with("/sign-in?next=%2Fcompare"), "{path}: {location}");
        let mut bob = signed_in(&server, BOB).await;
        assert_eq!(bob.get(path).await.status, 403, "{path}");
    }
    let mut ada = signed_in(&server, ADA).await;
    let page = ada.get(path).await;
    assert_eq!((page.status, page.header("cache-control")), (200, "no-store"));
}

#[tokio::test]
async fn a_visitor_compares_what_they_have_scanned() {
    let sites = Hosts::new([good(A), good(B), good(C)]);
    let server = Server::with(sites, public).await;
    make_user(&server, ADA, &[Scope::ScanRead]);
    let mut browser = Browser::new(&server);
    let mut signs = Vec::new();
    for host in [A, B] {
        let page = scanned(&mut browser, host).await;
        let link = page.attribute("a[href^='/compare?']", "href");
        let form = browser.get(&link).await;
        assert_eq!(form.status, 200, "{link}: {}", form.body);
        signs.push(link.split("for=").nth(1).unwrap().to_owned());
    }
    let both = format!("/compare?a={A}&b={B}&for={}&for={}", signs[0], signs[1]);
    assert_eq!(browser.get(&both).await.status, 200);
    // With the sign of one of them, and for another visitor.
    let one = format!("/compare?a={A}&b={B}&for={}", signs[0]);
    assert_eq!(browser.get(&one).await.status, 303);
    assert_eq!(Browser::new(&server).get(&both).await.status, 303);
}

#[tokio::test]
async fn what_is_left_of_a_result_is_compared_when_it_is_gone() {
    let folder = Arc::new(TempDir::new().unwrap());
    let server = start(&folder, good(A)).await;
    let result = server.result("", A).await;
    written(&server, A, 1).await;
    stop(server).await;
    database::execute(&folder.path().join("data"), "DELETE FROM scan");
    let server = start(&folder, good(B).with("/sitemap.xml", Reply::error(404))).await;
    let other = server.result("", B).await;
    let (status, comparison) = json(&server, "a=a.example.com&b=b.example.com").await;
    assert_eq!(status, 200, "{comparison}");
    check(&comparison, &[&result, &other]);
    let checks = comparison["checks"].as_array().unwrap();
    assert!(!checks.is_empty());
    for check in checks {
        assert!(check["found"][0].is_null() && check["found"][1].is_string(), "{check}");
    }
}
