//! The trees of elements of the pages on which a person signs in and decides.

use std::fmt::Write as _;

use scraper::{ElementRef, Html};

use crate::api::browser::{self, ADA, Browser, CLIENT, LOOPBACK, PASSWORD, address, make_user};
use crate::api::server::Server;
use visibility_core::accounts::scope::Scope;

/// A page as lines: an element with its attributes, or a text, each indented below its parent.
fn tree(server: &Server, html: &str) -> String {
    let mut lines = String::new();
    write_element(Html::parse_document(html).root_element(), 0, &mut lines);
    let escaped = server.url("").replace(':', "%3A").replace('/', "%2F");
    lines.replace(&server.url(""), "BASE").replace(&escaped, "BASE")
}

fn write_element(element: ElementRef<'_>, depth: usize, lines: &mut String) {
    let indent = "  ".repeat(depth);
    let value = element.value();
    let is_random = value.attr("name") == Some("csrf");
    let mut attributes: Vec<String> = value
        .attrs()
        .filter(|(name, _)| !(is_random && *name == "value"))
        .map(|(name, value)| format!(" {name}={value:?}"))
        .collect();
    attributes.sort();
    writeln!(lines, "{indent}<{}{}>", value.name(), attributes.concat()).unwrap();
    for child in element.children() {
        if let Some(child) = ElementRef::wrap(child) {
            write_element(child, depth + 1, lines);
        } else if let Some(text) = child.value().as_text() {
            // A line end between elements is how the source is laid out.
            let is_layout = text.trim().is_empty() && text.contains('\n');
            if !is_layout {
                writeln!(lines, "{indent}  {:?}", text.trim_matches('\n')).unwrap();
            }
        }
    }
}

#[tokio::test]
async fn pages_of_authorization_have_these_elements() {
    let server = browser::server().await;
    make_user(&server, "bob", &[Scope::ScanRead]);
    let mut all = String::new();
    for lang in ["en", "tr"] {
        let mut browser = Browser { languages: lang, ..Browser::new(&server) };
        let mut pages = Vec::new();
        pages.push(browser.get(&address(&[])).await);
        pages.push(browser.sign_in(&address(&[]), "\"><b>", "wrong password").await);
        let foreign = browser.get(&address(&[])).await.form(0).without("csrf");
        pages.push(browser.submit(&foreign).await);
        pages.push(browser.get(&address(&[("scope", "no-such-scope")])).await);
        pages.push(browser.get(&address(&[("client_id", "no such client")])).await);
        pages.push(browser.consent(&address(&[])).await);
        pages.push(browser.get(&address(&[("redirect_uri", LOOPBACK)])).await);
        let form = browser.get(&address(&[])).await.form(1).without("request");
        pages.push(browser.submit(&form).await);
        browser.sign_in(&address(&[]), "bob", PASSWORD).await;
        pages.push(browser.get(&address(&[("scope", "scan:read logs:read")])).await);
        for _ in 0..6 {
            let mut browser = Browser { languages: lang, ..Browser::new(&server) };
            let name = format!("{lang}{ADA}");
            let locked = browser.sign_in(&address(&[]), &name, "wrong password").await;
            if locked.status == 429 {
                pages.push(locked);
            }
        }
        for page in pages {
            writeln!(all, "{} {lang}\n{}", page.status, tree(&server, &page.body)).unwrap();
        }
    }
    insta::assert_snapshot!("authorization", all.replace(CLIENT, "CLIENT"));
}
