//! What others would like to do with our pages.

use crate::api::browser::{ADA, Browser, CALLBACK, CLIENT, PASSWORD, address, make_client, server};

#[tokio::test]
async fn a_form_counts_only_with_the_sign_of_its_browser() {
    let server = server().await;
    let mut other = Browser::new(&server);
    let stolen = other.get(&address(&[])).await.form(0).fields["csrf"].clone();
    let mut browser = Browser::new(&server);
    let page = browser.get(&address(&[])).await;
    let good = page.form(0).with("name", ADA).with("password", PASSWORD);
    let foreign = [good.clone().with("csrf", &stolen), good.clone().without("csrf")];
    for form in &foreign {
        let refused = browser.submit(form).await;
        assert_eq!(refused.status, 403);
        assert_eq!(refused.texts("h1"), ["Please start again"]);
        assert_eq!(refused.texts("main a"), ["Start again"]);
        assert_eq!(refused.cookies.len(), 0);
    }
    let mut without_cookies = Browser::new(&server);
    assert_eq!(without_cookies.submit(&good).await.status, 403);
    assert_eq!(browser.submit(&good).await.status, 303, "the same form with its sign");
}

#[tokio::test]
async fn a_decision_counts_only_with_the_sign_of_its_session() {
    let server = server().await;
    let mut attacker = Browser::new(&server);
    let visitor = attacker.get(&address(&[])).await.form(0).fields["csrf"].clone();
    let session = attacker.consent(&address(&[])).await.form(0).fields["csrf"].clone();
    let mut browser = Browser::new(&server);
    let page = browser.consent(&address(&[])).await;
    let good = page.form(0).with("decision", "approve");
    for sign in [session.as_str(), &visitor, "", &good.fields["csrf"].to_uppercase()] {
        let refused = browser.submit(&good.clone().with("csrf", sign)).await;
        assert_eq!((refused.status, refused.header("location")), (403, ""), "{sign}");
        let stays = browser.submit(&page.form(1).with("csrf", sign)).await;
        assert_eq!((stays.status, stays.cookies.len()), (403, 0), "no one signs others out");
    }
    assert_eq!(browser.submit(&good.clone().without("csrf")).await.status, 403);
    assert_eq!(attacker.submit(&good).await.status, 403, "a form of another session");
    assert_eq!(browser.submit(&good).await.answer().0, CALLBACK);
}

#[tokio::test]
async fn what_a_browser_says_of_another_page_is_believed() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let page = browser.consent(&address(&[])).await;
    let good = page.form(0).with("decision", "approve");
    for field in [
        ("origin", "https://evil.example"),
        ("origin", "http://127.0.0.1:1"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ] {
        browser.extra = vec![field];
        assert_eq!(browser.submit(&good).await.status, 403, "{field:?}");
    }
    // What browsers send with our own forms, as our pages have `no-referrer`.
    browser.extra = vec![("origin", "null"), ("sec-fetch-site", "same-origin")];
    assert_eq!(browser.submit(&good).await.status, 303);
}

#[tokio::test]
async fn no_page_can_be_framed_scripted_or_kept() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let sign_in = browser.get(&address(&[])).await;
    let wrong = browser.sign_in(&address(&[]), ADA, "wrong password").await;
    let foreign = browser.post(&address(&[]), "").await;
    let refused = browser.get("/authorize").await;
    let consent = browser.consent(&address(&[])).await;
    let all = [(&sign_in, true), (&wrong, true), (&foreign, true), (&refused, true)];
    for (page, is_strict) in all.into_iter().chain([(&consent, false)]) {
        let policy = page.header("content-security-policy");
        for part in ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"] {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!policy.contains("script") && !policy.contains("unsafe"), "{policy}");
        // A form that ends at a client is stopped by it; a password goes nowhere else than here.
        assert_eq!(policy.contains("form-action 'self'"), is_strict, "{policy}");
        for (name, value) in [
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            ("x-robots-tag", "noindex"),
            ("access-control-allow-origin", ""),
        ] {
            assert_eq!(page.header(name), value, "{name}");
        }
        assert!(!page.body.contains("<script") && !page.body.contains("style="), "{}", page.body);
    }
}

#[tokio::test]
async fn the_name_of_a_program_is_no_html() {
    let server = server().await;
    let hostile = "</p><script>alert(1)</script>\"'&amp;<img src=x>";
    make_client(&server, "client_hostile", hostile);
    let mut browser = Browser::new(&server);
    let asked = address(&[("client_id", "client_hostile")]);
    let sign_in = browser.get(&asked).await;
    let consent = browser.consent(&asked).await;
    for page in [&sign_in, &consent] {
        assert_eq!(page.texts("script, img").len(), 0, "{}", page.body);
        assert!(page.texts("main").concat().contains(hostile), "{}", page.body);
    }
}

#[tokio::test]
async fn no_parameter_is_html() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    browser.consent(&address(&[])).await;
    let hostile = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>";
    let names = [
        "client_id",
        "code_challenge",
        "code_challenge_method",
        "redirect_uri",
        "response_type",
        "state",
        "scope",
        "resource",
        "lang",
        "ui_locales",
        "prompt",
        "x",
    ];
    for name in names {
        let asked = address(&[(name, hostile)]);
        // As a browser would never send it: without any coding.
        let raw = format!("{}&{name}=\"'><x>", address(&[]));
        for asked in [&asked, &raw] {
            for page in [browser.get(asked).await, Browser::new(&server).get(asked).await] {
                assert!(!page.body.contains("<script") && !page.body.contains("<x>"), "{name}");
                assert!(page.texts("script, img, x").is_empty(), "{name}: {}", page.body);
            }
        }
    }
    let page = Browser::new(&server).sign_in(&address(&[]), hostile, "wrong password").await;
    assert!(page.texts("script, img").is_empty(), "{}", page.body);
}

#[tokio::test]
async fn signing_in_or_out_never_redirects_to_another_site() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let page = browser.get(&address(&[])).await;
    let form = page.form(0).with("name", ADA).with("password", PASSWORD);
    let form = form.with("redirect_uri", "https://evil.example").with("request", "//evil.example");
    let signed_in = browser.submit(&form).await;
    assert_eq!(signed_in.header("location"), address(&[]));
    let consent = browser.get(&address(&[])).await;
    for target in ["//evil.example", "https://evil.example", "\\\\evil.example", "@evil.example"] {
        let signed_out = browser.submit(&consent.form(1).with("request", target)).await;
        let to = signed_out.header("location");
        assert!(signed_out.status == 303 && to.starts_with("/authorize?"), "{target}: {to}");
    }
    let split = consent.form(1).with("request", "a\r\nset-cookie: b=c");
    let refused = browser.submit(&split).await;
    assert_eq!((refused.status, refused.header("location")), (400, ""));
}

#[tokio::test]
async fn a_session_is_never_one_that_was_there_before() {
    let server = server().await;
    let planted = "0123456789abcdef".repeat(4);
    let mut browser = Browser::new(&server);
    browser.cookies.insert("visibility_session".to_owned(), planted.clone());
    assert_eq!(browser.get(&address(&[])).await.texts("h1"), ["Sign in"]);
    browser.sign_in(&address(&[]), ADA, PASSWORD).await;
    let first = browser.cookies["visibility_session"].clone();
    assert_ne!(first, planted);
    let mut attacker = Browser::new(&server);
    attacker.cookies.insert("visibility_session".to_owned(), planted);
    assert_eq!(attacker.get(&address(&[])).await.texts("h1"), ["Sign in"]);
    // Signing in once more ends the session that the browser had.
    let mut again = Browser::new(&server);
    let form = again.get(&address(&[])).await.form(0);
    again.cookies.insert("visibility_session".to_owned(), first.clone());
    let form = form.with("name", ADA).with("password", PASSWORD);
    assert_eq!(again.submit(&form).await.status, 303);
    assert_ne!(again.cookies["visibility_session"], first);
    assert_eq!(browser.get(&address(&[])).await.texts("h1"), ["Sign in"]);
}

#[tokio::test]
async fn a_form_is_small_and_says_everything_once() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let page = browser.get(&address(&[])).await;
    let sign = &page.form(0).fields["csrf"];
    let large = format!("csrf={sign}&name={ADA}&password={}", "x".repeat(16 * 1024));
    assert_eq!(browser.post(&address(&[]), &large).await.status, 413);
    let twice = format!("csrf={sign}&name={ADA}&name=bob&password={PASSWORD}");
    let refused = browser.post(&address(&[]), &twice).await;
    assert_eq!((refused.status, refused.cookies.len()), (400, 0));
    for media_type in ["text/plain", "application/json", "multipart/form-data; boundary=x"] {
        let request = browser
            .request(reqwest::Method::POST, &address(&[]))
            .header("content-type", media_type)
            .body(format!("csrf={sign}"));
        let refused = browser.send(request).await;
        assert_eq!(refused.status, 415, "{media_type}");
        assert_eq!(refused.header("content-type"), "text/html; charset=utf-8");
    }
    let long = "x".repeat(1025);
    let refused = browser.sign_in(&address(&[]), ADA, &long).await;
    assert_eq!(refused.status, 403);
    assert!(!refused.body.contains(&long), "a password is never echoed");
    assert!(CLIENT.starts_with("client_"));
}
