//! Errors as pages, for people.

use reqwest::Method;
use reqwest::header::ACCEPT;
use visibility_tests::server::Hosts;

use crate::api::browser::{Browser, Page};
use crate::api::server::Server;

/// What Chromium sends.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

async fn ask(server: &Server, method: Method, path: &str, accept: &str) -> Page {
    let mut browser = Browser::new(server);
    let request = browser.request(method, path).header(ACCEPT, accept);
    browser.send(request).await
}

#[tokio::test]
async fn a_person_gets_a_page_and_a_program_the_error_object() {
    let server = Server::start().await;
    for (method, path, status, code, title) in [
        (Method::GET, "/no-such-page", 404, "NOT_FOUND", "Page not found"),
        (Method::GET, "/docs/no-such-page", 404, "NOT_FOUND", "Page not found"),
        (Method::GET, "/settings/no-such-page", 404, "NOT_FOUND", "Page not found"),
        (Method::POST, "/docs", 405, "METHOD_NOT_ALLOWED", "This request cannot continue"),
        (Method::GET, "/sign-out", 405, "METHOD_NOT_ALLOWED", "This request cannot continue"),
    ] {
        let page = ask(&server, method.clone(), path, BROWSER).await;
        assert_eq!(
            (page.status, page.header("content-type")),
            (status, "text/html; charset=utf-8")
        );
        assert_eq!(page.texts("h1"), [title], "{path}");
        assert_eq!(page.texts("main small code"), [page.header("x-request-id")], "{path}");
        assert_eq!(page.header("x-robots-tag"), "noindex", "{path}");
        assert_eq!(page.header("cache-control"), "no-store", "{path}");
        assert!(page.header("content-security-policy").starts_with("default-src 'none'"), "{path}");
        for accept in ["application/json", "*/*", "application/json, text/html;q=0.9", ""] {
            let object = ask(&server, method.clone(), path, accept).await;
            assert_eq!(
                (object.status, object.header("content-type")),
                (status, "application/json")
            );
            assert_eq!(page.header("allow"), object.header("allow"), "{path}");
            let object: serde_json::Value = serde_json::from_str(&object.body).unwrap();
            assert_eq!(object["error"]["code"], code, "{path} {accept}");
            let message = object["error"]["message"].as_str().unwrap().replace('`', "");
            assert_eq!(page.texts("[role=alert]"), [message], "{path}");
        }
    }
}

#[tokio::test]
async fn a_path_of_the_api_has_no_pages() {
    let server = Server::start().await;
    for path in [
        "/api",
        "/api/no-such",
        "/api/v1/agent-readiness/example.com",
        "/api/v1/openapi.json/x",
        "/v1/logs",
        "/v1/no-such",
        "/token",
        "/oauth/token",
        "/register",
        "/.well-known/no-such",
        "/mcp/x",
    ] {
        let answer = ask(&server, Method::GET, path, BROWSER).await;
        assert!(answer.status >= 400, "{path} {}", answer.status);
        assert_eq!(answer.header("content-type"), "application/json", "{path}");
    }
}

#[tokio::test]
async fn a_page_is_in_the_language_of_its_reader() {
    let server = Server::start().await;
    let mut browser = Browser { languages: "tr", ..Browser::new(&server) };
    browser.extra = vec![("accept", "text/html")];
    let page = browser.get("/x").await;
    assert_eq!(page.texts("h1"), ["Sayfa bulunamadı"]);
    assert_eq!(page.attribute("footer a[href*=lang]", "href"), "/x?lang=en");
    assert_eq!(browser.get("/x?lang=en").await.texts("h1"), ["Page not found"]);
}

/// A stranger chooses the path and the query: neither becomes markup, nor a link that leads away.
#[tokio::test]
async fn a_hostile_address_is_text() {
    let server = Server::start().await;
    for path in [
        "//evil.example/",
        "/%3Cscript%3Ealert(1)%3C/script%3E",
        "/\"><script>alert(1)</script>",
        "/x?\"><script>alert(1)</script>",
        "/x?lang=tr&a=</title><script>",
    ] {
        let address = format!("http://{}{path}", server.address);
        let request = server.client.get(address).header(ACCEPT, "text/html");
        let page = Browser::new(&server).send(request).await;
        assert_eq!(page.status, 404, "{path}");
        assert_eq!(page.texts("script").len(), 0, "{path}");
        assert!(!page.body.contains("href=\"//"), "{path}: {}", page.body);
    }
}

#[tokio::test]
async fn a_service_without_pages_for_people_links_to_none() {
    let server = Server::with(Hosts::default(), |settings| settings.web.enabled = false).await;
    for path in ["/audit", "/settings", "/settings/keys", "/settings/account", "/sign-in"] {
        assert_eq!(ask(&server, Method::GET, path, BROWSER).await.status, 404, "{path}");
    }
    for path in [
        "/",
        "/tr",
        "/docs",
        "/docs/api",
        "/docs/ingestion",
        "/no-such-page",
        "/llms.txt",
        "/index.md",
    ] {
        let page = ask(&server, Method::GET, path, BROWSER).await;
        for link in [server.url("/settings"), "=\"/settings".to_owned(), "/sign-in".to_owned()] {
            assert!(!page.body.contains(&link), "{path} {link}");
        }
    }
    let mut browser = Browser::new(&server);
    let page = browser.post("/sign-out", "").await;
    assert_eq!((page.status, page.texts("main a").len()), (200, 0));
}
