//! Who may ask for what: every route, by every kind of person, with the headers of every page.

use reqwest::Method;

use super::{BOB, EVE, server, signed_in};
use crate::api::browser::{ADA, Browser, Page};

/// A route and the statuses that a stranger, a user without the scope, a user, and a user of another tenant get.
type Row = (&'static str, &'static str, [u16; 4]);

/// Forms are sent with the sign of their session, and without any other field. A stranger has none.
const ROUTES: [Row; 20] = [
    ("GET", "/sign-in", [200, 303, 303, 303]),
    ("POST", "/sign-in", [403, 403, 403, 403]),
    ("GET", "/sign-out", [405, 405, 405, 405]),
    ("GET", "/settings", [303, 403, 200, 200]),
    ("POST", "/settings", [405, 405, 405, 405]),
    ("GET", "/settings/account", [303, 200, 200, 200]),
    ("POST", "/settings/account", [405, 405, 405, 405]),
    ("GET", "/settings/keys", [303, 303, 303, 303]),
    ("POST", "/settings/keys", [403, 403, 400, 400]),
    ("GET", "/settings/tokens", [303, 303, 303, 303]),
    ("POST", "/settings/tokens", [403, 403, 400, 400]),
    ("GET", "/settings/programs", [303, 303, 303, 303]),
    ("POST", "/settings/programs", [403, 400, 400, 400]),
    ("GET", "/settings/sessions", [303, 303, 303, 303]),
    ("POST", "/settings/sessions", [403, 400, 400, 400]),
    ("GET", "/settings/password", [303, 303, 303, 303]),
    ("POST", "/settings/password", [403, 400, 400, 400]),
    ("GET", "/settings/language", [303, 303, 303, 303]),
    ("POST", "/settings/language", [403, 400, 400, 400]),
    ("POST", "/sign-out", [200, 200, 200, 200]),
];

fn assert_protected(page: &Page, row: &Row) {
    let header = |name| page.header(name);
    assert_eq!(header("cache-control"), "no-store", "{row:?}");
    assert_eq!(header("x-content-type-options"), "nosniff", "{row:?}");
    assert_eq!(header("referrer-policy"), "no-referrer", "{row:?}");
    if page.status == 303 {
        assert_eq!(page.body, "", "{row:?}");
        return;
    }
    assert_eq!(header("content-type"), "text/html; charset=utf-8", "{row:?}");
    assert_eq!(
        header("content-security-policy"),
        "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        "{row:?}"
    );
    assert_eq!(header("x-frame-options"), "DENY", "{row:?}");
    assert_eq!(header("cross-origin-opener-policy"), "same-origin", "{row:?}");
    assert_eq!(header("x-robots-tag"), "noindex", "{row:?}");
    assert_eq!(page.texts("h1").len(), 1, "{row:?}");
    assert_eq!(page.texts("script, style, [style], iframe, object").len(), 0, "{row:?}");
    for cookie in &page.cookies {
        assert!(cookie.contains("; HttpOnly; SameSite=Lax"), "{cookie}");
    }
}

#[tokio::test]
async fn every_route_answers_every_kind_of_person() {
    let server = server().await;
    for (index, name) in [None, Some(BOB), Some(ADA), Some(EVE)].into_iter().enumerate() {
        for row in &ROUTES {
            let (method, path, statuses) = row;
            let mut browser = match name {
                Some(name) => signed_in(&server, name).await,
                None => Browser::new(&server),
            };
            browser.extra = vec![("accept", "text/html")];
            let page = if *method == "GET" {
                browser.get(path).await
            } else {
                let sign = match name {
                    Some(_) => {
                        browser.get("/settings/account").await.form(0).fields["csrf"].clone()
                    }
                    None => String::new(),
                };
                browser.post(path, &format!("csrf={sign}")).await
            };
            assert_eq!(page.status, statuses[index], "{name:?} {row:?}\n{}", page.body);
            assert_protected(&page, row);
        }
    }
}

#[tokio::test]
async fn nothing_changes_by_get_and_head_has_no_body() {
    let server = server().await;
    let mut browser = signed_in(&server, ADA).await;
    let page = browser.get("/settings").await;
    let before = server.stores.state_store().keys(None).unwrap().len();
    for form in [
        page.form_of("/settings/keys", "create").with("name", "web"),
        page.form_of("/settings/keys", "revoke"),
        page.form_of("/settings/tokens", "create"),
    ] {
        let query = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(&form.fields)
            .finish();
        let answer = browser.get(&format!("{}?{query}", form.action)).await;
        assert_eq!((answer.status, answer.header("location")), (303, "/settings"));
    }
    let keys = server.stores.state_store().keys(None).unwrap();
    assert_eq!(keys.len(), before);
    assert!(keys.iter().all(|key| key.revoked_at.is_none()));
    assert_eq!(server.stores.state_store().tokens(None).unwrap().len(), 0);
    let head = browser.request(Method::HEAD, "/settings");
    let head = browser.send(head).await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
}
