//! Signing in and out.

use visibility_core::accounts::scope::Scope;

use super::{server, signed_in};
use crate::api::browser::{ADA, Browser, CLIENT, PASSWORD, address, make_client, make_user};
use crate::api::server::Server;

#[tokio::test]
async fn the_page_says_when_there_is_no_user_yet() {
    let server = Server::start().await;
    let mut browser = Browser::new(&server);
    let page = browser.get("/sign-in").await;
    let command = page.texts("pre").concat();
    assert!(command.contains("visibility-server users create acme you@example.com"), "{command}");
    make_user(&server, ADA, &Scope::ALL);
    assert_eq!(browser.get("/sign-in").await.texts("pre").len(), 0);
}

#[tokio::test]
async fn a_person_is_asked_to_sign_in_and_comes_back() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let asked = browser.get("/settings?lang=tr").await;
    assert_eq!(asked.status, 303);
    let sign_in = asked.header("location").to_owned();
    assert_eq!(sign_in, "/sign-in?next=%2Fsettings%3Flang%3Dtr");
    let page = browser.sign_in(&sign_in, ADA, PASSWORD).await;
    assert_eq!((page.status, page.header("location")), (303, "/settings?lang=tr"));
    let settings = browser.get("/settings").await;
    assert_eq!(settings.status, 200);
    let again = browser.get(&sign_in).await;
    assert_eq!((again.status, again.header("location")), (303, "/settings?lang=tr"));
}

#[tokio::test]
async fn a_session_of_one_is_a_session_of_the_other() {
    let server = server().await;
    make_client(&server, CLIENT, "Example client");
    let mut browser = signed_in(&server, ADA).await;
    let consent = browser.get(&address(&[])).await;
    assert_eq!(consent.texts("h1"), ["Access for Example client"]);
    let mut browser = Browser::new(&server);
    browser.consent(&address(&[])).await;
    assert_eq!(browser.get("/settings").await.status, 200);
}

#[tokio::test]
async fn who_signs_out_is_signed_out_everywhere() {
    let server = server().await;
    make_client(&server, CLIENT, "Example client");
    let mut browser = signed_in(&server, ADA).await;
    let settings = browser.get("/settings").await;
    let old = browser.cookies.clone();
    let page = browser.submit(&settings.form(0)).await;
    assert_eq!((page.status, page.texts("h1")), (200, vec!["Signed out".to_owned()]));
    assert_eq!(page.attribute("main a", "href"), "/sign-in");
    let mut thief = Browser { cookies: old, ..Browser::new(&server) };
    assert_eq!(thief.get("/settings").await.status, 303);
    assert_eq!(thief.get(&address(&[])).await.texts("h1"), ["Sign in"]);
}

#[tokio::test]
async fn wrong_passwords_are_refused_with_the_limits_of_oauth() {
    let server = server().await;
    make_client(&server, CLIENT, "Example client");
    let mut browser = Browser::new(&server);
    for _ in 0..3 {
        let page = browser.sign_in("/sign-in?next=/settings", ADA, "wrong password").await;
        assert_eq!(page.status, 403);
        assert_eq!(page.texts("[role=alert]"), ["The name or the password is wrong."]);
        assert_eq!(page.form(0).action, "/sign-in?next=/settings");
    }
    for _ in 0..2 {
        browser.sign_in(&address(&[]), ADA, "wrong password").await;
    }
    let locked = browser.sign_in("/sign-in", ADA, PASSWORD).await;
    assert_eq!(locked.status, 429);
    assert!(locked.header("retry-after").parse::<u64>().unwrap() > 800);
}

/// Whatever `next` says, the browser stays on this service.
#[tokio::test]
async fn no_form_leads_away() {
    let server = server().await;
    let long = format!("/{}", "a".repeat(600));
    let hostile = [
        "https://evil.example",
        "https://evil.example/settings",
        "http://127.0.0.1.evil.example/",
        "HTTPS://evil.example",
        "http:evil.example",
        "https:/evil.example",
        "//evil.example",
        "///evil.example",
        "////evil.example/%2f..",
        "/\\evil.example",
        "/\\/evil.example",
        "\\evil.example",
        "\\\\evil.example",
        "\\/\\/evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        "/\r/evil.example",
        "\t//evil.example",
        " //evil.example",
        "/ /evil.example",
        "/\u{0}/evil.example",
        "/\u{b}/evil.example",
        "/\u{7f}",
        "/\u{85}/evil.example",
        "/\u{a0}/evil.example",
        "/\u{2028}/evil.example",
        "/\u{202e}elpmaxe.live",
        "／／evil.example",
        "/ü",
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "mailto:a@evil.example",
        "evil.example",
        "@evil.example",
        ":80",
        "..//evil.example",
        "?next=//evil.example",
        "#//evil.example",
        "/a\r\nSet-Cookie: visibility_session=x",
        "/a\r\n\r\n<script>alert(1)</script>",
        &long,
    ];
    assert!(hostile.len() > 40);
    for next in hostile {
        let query =
            url::form_urlencoded::Serializer::new(String::new()).append_pair("next", next).finish();
        let mut browser = Browser::new(&server);
        let page = browser.sign_in(&format!("/sign-in?{query}"), ADA, PASSWORD).await;
        assert_eq!((page.status, page.header("location")), (303, "/"), "{next:?}");
        assert!(page.cookies.iter().all(|cookie| !cookie.contains("=x")), "{:?}", page.cookies);
    }
    let mut browser = Browser::new(&server);
    let page = browser.sign_in("/sign-in", ADA, PASSWORD).await;
    assert_eq!(page.header("location"), "/settings");
}
