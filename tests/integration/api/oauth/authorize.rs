//! `/authorize`, as a person with a browser meets it: signing in, deciding, signing out.

mod attacks;
mod refused;

use reqwest::Method;
use visibility_core::accounts::scope::Scope;

use crate::api::browser::{
    self, ADA, Browser, CALLBACK, CLIENT, LOOPBACK, PASSWORD, address, make_user, server,
};

#[tokio::test]
async fn a_person_signs_in_approves_and_is_sent_back_with_a_code() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let page = browser.get(&address(&[])).await;
    assert_eq!((page.status, page.texts("h1")), (200, vec!["Sign in".to_owned()]));
    assert!(page.texts("p")[0].contains("“Example client”"), "{}", page.body);
    let form = page.form(0).with("name", "Ada@Example.com").with("password", PASSWORD);
    let signed_in = browser.submit(&form).await;
    assert_eq!((signed_in.status, signed_in.header("location")), (303, form.action.as_str()));
    let page = browser.get(signed_in.header("location")).await;
    assert_eq!(page.texts("h1"), ["Access for Example client"]);
    assert_eq!(
        page.texts("dd"),
        ["Example client", "none; anyone can use this name", "client.example", ADA, "acme"]
    );
    assert_eq!(page.texts("li code"), ["scan:read", "audit:read", "logs:read"]);
    assert_eq!(page.texts(".notice").len(), 0);
    let approved = browser.submit(&page.form(0).with("decision", "approve")).await;
    let (to, answer) = approved.answer();
    assert_eq!(to, CALLBACK);
    assert!(answer["code"].starts_with("service_oac_"), "{answer:?}");
    assert_eq!(answer["state"], "a b&c");
    assert_eq!(answer["iss"], server.url(""));
    // The session lasts, and every approval makes a code of its own.
    let again = browser.get(&address(&[])).await;
    let again = browser.submit(&again.form(0).with("decision", "approve")).await;
    assert_ne!(again.answer().1["code"], answer["code"]);
}

#[tokio::test]
async fn a_denial_is_reported_to_the_client() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let page = browser.consent(&address(&[])).await;
    let denied = browser.submit(&page.form(0).with("decision", "deny")).await;
    let (to, answer) = denied.answer();
    assert_eq!((to.as_str(), answer["error"].as_str()), (CALLBACK, "access_denied"));
    assert_eq!((answer["state"].as_str(), answer.contains_key("code")), ("a b&c", false));
    let neither = browser.submit(&page.form(0).with("decision", "perhaps")).await;
    assert_eq!((neither.status, neither.header("location")), (400, ""));
}

#[tokio::test]
async fn both_addresses_lead_to_the_same_pages() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let page = browser.get(&format!("/oauth{}", address(&[]))).await;
    assert_eq!((page.status, page.form(0).action), (200, address(&[])));
}

#[tokio::test]
async fn pages_are_in_the_language_of_their_reader() {
    let server = server().await;
    for (languages, changes, lang, title) in [
        ("en", &[][..], "en", "Sign in"),
        ("tr-TR,tr;q=0.9,en;q=0.8", &[], "tr", "Oturum aç"),
        ("en", &[("ui_locales", "tr-TR en")], "tr", "Oturum aç"),
        ("tr", &[("lang", "en"), ("ui_locales", "tr")], "en", "Sign in"),
        ("de", &[], "en", "Sign in"),
    ] {
        let mut browser = Browser { languages, ..Browser::new(&server) };
        let page = browser.get(&address(changes)).await;
        assert!(page.body.contains(&format!("<html lang=\"{lang}\">")), "{}", page.body);
        assert_eq!(page.texts("h1"), [title]);
    }
    let mut browser = Browser::new(&server);
    let page = browser.get(&address(&[])).await;
    assert_eq!(page.texts("header a"), ["Türkçe"]);
    let turkish = address(&[]) + "&lang=tr";
    let refused = browser.sign_in(&turkish, ADA, "wrong password").await;
    assert_eq!(refused.texts("[role=alert]"), ["Ad ya da parola yanlış."]);
    let page = browser.consent(&turkish).await;
    assert_eq!(page.texts("h1"), ["Erişim isteği: Example client"]);
    assert_eq!(page.texts("button")[..2], ["Onayla", "Reddet"]);
}

#[tokio::test]
async fn a_program_on_the_machine_of_the_browser_is_warned_of() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let other_port = "http://127.0.0.1:5000/callback";
    let page = browser.consent(&address(&[("redirect_uri", other_port)])).await;
    assert_eq!(page.texts("dd")[2], "http://127.0.0.1:5000");
    assert_eq!(page.texts(".notice").len(), 1);
    let approved = browser.submit(&page.form(0).with("decision", "approve")).await;
    assert_eq!(approved.answer().0, other_port);
    assert!(LOOPBACK.ends_with(":33418/callback"), "the port of a request is its own");
}

#[tokio::test]
async fn no_one_grants_more_than_they_may() {
    let server = server().await;
    make_user(&server, "bob", &[Scope::ScanRead]);
    let mut browser = Browser::new(&server);
    let asked = address(&[("scope", "scan:read logs:read offline_access")]);
    browser.sign_in(&asked, "bob", PASSWORD).await;
    let page = browser.get(&asked).await;
    assert_eq!(page.texts("li code"), ["scan:read", "logs:read"]);
    assert_eq!(page.texts("h2").len(), 2, "{}", page.body);
    assert_eq!(page.texts("button")[0], "Approve");
    let nothing = browser.get(&address(&[("scope", "logs:read")])).await;
    assert_eq!(nothing.texts("button")[0], "Deny");
    let forced = browser.submit(&nothing.form(0).with("decision", "approve")).await;
    assert_eq!(forced.answer().1["error"], "invalid_scope");
}

#[tokio::test]
async fn another_user_can_sign_in() {
    let server = server().await;
    make_user(&server, "bob", &Scope::ALL);
    let mut browser = Browser::new(&server);
    let page = browser.consent(&address(&[])).await;
    let old = browser.cookies.clone();
    let signed_out = browser.submit(&page.form(1)).await;
    assert_eq!((signed_out.status, signed_out.header("location")), (303, address(&[]).as_str()));
    assert_eq!(browser.cookies.len(), 0, "{:?}", signed_out.cookies);
    let mut thief = Browser { cookies: old, ..Browser::new(&server) };
    assert_eq!(thief.get(&address(&[])).await.texts("h1"), ["Sign in"]);
    browser.sign_in(&address(&[]), "bob", PASSWORD).await;
    assert_eq!(browser.get(&address(&[])).await.texts("dd")[3], "bob");
}

#[tokio::test]
async fn a_person_who_is_signed_out_sees_it() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let page = browser.consent(&address(&[])).await;
    let signed_out = browser.submit(&page.form(1).without("request")).await;
    assert_eq!((signed_out.status, signed_out.texts("h1")), (200, vec!["Signed out".to_owned()]));
    assert_eq!(browser.get(&address(&[])).await.texts("h1"), ["Sign in"]);
}

#[tokio::test]
async fn cookies_are_for_this_server_and_no_script() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let page = browser.get(&address(&[])).await;
    let [visitor] = &page.cookies[..] else { panic!("{:?}", page.cookies) };
    assert!(visitor.starts_with("visibility_visitor="), "{visitor}");
    assert!(visitor.ends_with("; Path=/; HttpOnly; SameSite=Lax"), "{visitor}");
    assert_eq!(browser.get(&address(&[])).await.cookies.len(), 0, "two tabs have one");
    let signed_in = browser.sign_in(&address(&[]), ADA, PASSWORD).await;
    let [session, forgotten] = &signed_in.cookies[..] else { panic!("{:?}", signed_in.cookies) };
    assert!(session.starts_with("visibility_session="), "{session}");
    assert!(session.ends_with("; Path=/; HttpOnly; SameSite=Lax"), "{session}");
    assert!(forgotten.starts_with("visibility_visitor=;") && forgotten.contains("Max-Age=0"));
    let kept = std::fs::read(server.stores.data_dir().join("state.sqlite")).unwrap();
    let secret = browser.cookies["visibility_session"].as_bytes();
    assert!(!kept.windows(secret.len()).any(|part| part == secret), "only a digest is kept");
}

#[tokio::test]
async fn with_tls_cookies_are_bound_to_the_host() {
    let server = crate::api::server::Server::with(<_>::default(), |settings| {
        settings.base_url = Some("https://visibility.example".to_owned());
    })
    .await;
    browser::make_client(&server, CLIENT, "Example client");
    make_user(&server, ADA, &Scope::ALL);
    let mut browser = Browser::new(&server);
    let signed_in = browser.sign_in(&address(&[]), ADA, PASSWORD).await;
    let session = &signed_in.cookies[0];
    assert!(session.starts_with("__Host-visibility_session="), "{session}");
    assert!(session.ends_with("; Path=/; HttpOnly; SameSite=Lax; Secure"), "{session}");
    assert_eq!(browser.get(&address(&[])).await.texts("h1"), ["Access for Example client"]);
}

#[tokio::test]
async fn other_methods_are_what_they_are_elsewhere() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let head = browser.request(Method::HEAD, &address(&[]));
    let head = browser.send(head).await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert_eq!(head.header("content-type"), "text/html; charset=utf-8");
    for (method, path, allow) in [
        (Method::PUT, "/authorize", "GET,HEAD,POST,OPTIONS"),
        (Method::DELETE, "/oauth/authorize", "GET,HEAD,POST,OPTIONS"),
        (Method::GET, "/sign-out", "POST,OPTIONS"),
    ] {
        let request = browser.request(method, path);
        let page = browser.send(request).await;
        assert_eq!((page.status, page.header("allow")), (405, allow), "{path}");
    }
}
