//! Who may not sign in, or not any more.

use std::collections::BTreeMap;

use chrono::Utc;
use visibility_core::accounts::scope::Scope;
use visibility_server::stores::password_hash::{Password, PasswordHash};

use crate::api::browser::{
    self, ADA, Browser, CALLBACK, CLIENT, Form, LOOPBACK, PASSWORD, Page, address, make_user,
    server,
};
use crate::api::server::{Server, TENANT};

/// Status and body of a page, without the name that was sent.
fn without_name(page: &Page, name: &str) -> (u16, String) {
    let body = page.body.replace(&format!("value=\"{name}\""), "value=\"\"");
    (page.status, body)
}

#[tokio::test]
async fn refusals_do_not_reveal_who_has_an_account() {
    let server = server().await;
    make_user(&server, "gone", &Scope::ALL);
    server.stores.state_store().disable_user(&"gone".parse().unwrap(), Utc::now()).unwrap();
    let mut browser = Browser::new(&server);
    let known = browser.sign_in(&address(&[]), ADA, "wrong password").await;
    assert_eq!(known.texts("[role=alert]"), ["The name or the password is wrong."]);
    assert_eq!(known.status, 403);
    for (name, password) in [
        ("unknown@example.com", "wrong password"),
        ("unknown@example.com", PASSWORD),
        ("gone", PASSWORD),
        ("no name", PASSWORD),
        (ADA, ""),
    ] {
        let page = browser.sign_in(&address(&[]), name, password).await;
        assert_eq!(without_name(&page, name), without_name(&known, ADA), "{name}");
        assert_eq!(page.cookies.len(), 0, "{name}");
    }
}

#[tokio::test]
async fn a_name_is_locked_after_five_failures_whether_anybody_has_it_or_not() {
    let server = server().await;
    let mut signed_in = Browser::new(&server);
    signed_in.consent(&address(&[])).await;
    let mut browser = Browser::new(&server);
    let mut locked = Vec::new();
    for name in [ADA, "unknown@example.com"] {
        for _ in 0..5 {
            let page = browser.sign_in(&address(&[]), name, "wrong password").await;
            assert_eq!(page.status, 403, "{name}");
        }
        let page = browser.sign_in(&address(&[]), name, PASSWORD).await;
        let wait: u64 = page.header("retry-after").parse().unwrap();
        assert!((800..=900).contains(&wait), "{wait}");
        assert_eq!(page.texts("[role=alert]"), ["Too many attempts. Try again in 15 minutes."]);
        locked.push(without_name(&page, name));
    }
    assert_eq!(locked[0], locked[1]);
    assert_eq!(locked[0].0, 429);
    let spelled = browser.sign_in(&address(&[]), " ADA@example.com", PASSWORD).await;
    assert_eq!(spelled.status, 429, "it is the same name");
    let page = signed_in.get(&address(&[])).await;
    let approved = signed_in.submit(&page.form(0).with("decision", "approve")).await;
    assert!(approved.answer().1.contains_key("code"), "sessions that are open stay open");
}

/// A server behind a proxy that says who asks.
async fn server_behind_a_proxy() -> Server {
    let server = Server::with(<_>::default(), |settings| {
        settings.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    browser::make_client(&server, CLIENT, "Example client");
    make_user(&server, ADA, &Scope::ALL);
    server
}

/// The answer to a password that comes from an address.
async fn tried(server: &Server, from: &'static str, name: &str, password: &str) -> Page {
    let mut browser = Browser::new(server);
    browser.extra = vec![("x-forwarded-for", from)];
    browser.sign_in(&address(&[]), name, password).await
}

#[tokio::test]
async fn a_stranger_keeps_no_one_else_from_signing_in() {
    let server = server_behind_a_proxy().await;
    for _ in 0..5 {
        assert_eq!(tried(&server, "198.51.100.7", ADA, "wrong password").await.status, 403);
    }
    assert_eq!(tried(&server, "198.51.100.99", ADA, PASSWORD).await.status, 429);
    assert_eq!(tried(&server, "203.0.113.1", ADA, PASSWORD).await.status, 303);
    assert_eq!(tried(&server, "198.51.100.7", ADA, PASSWORD).await.status, 429, "it stays locked");
}

#[tokio::test]
async fn from_many_networks_a_name_has_fifty_failures_whether_anybody_has_it_or_not() {
    let server = server_behind_a_proxy().await;
    let mut locked = Vec::new();
    for name in [ADA, "unknown@example.com"] {
        for network in 0..10 {
            let from: &'static str = format!("198.51.{network}.1").leak();
            for _ in 0..5 {
                assert_eq!(tried(&server, from, name, "wrong password").await.status, 403);
            }
        }
        let page = tried(&server, "203.0.113.1", name, PASSWORD).await;
        let wait: u64 = page.header("retry-after").parse().unwrap();
        assert!((600..=900).contains(&wait), "{wait}");
        locked.push(page);
    }
    assert_eq!(locked[0].status, 429);
    assert_eq!(locked[0].texts("h1"), locked[1].texts("h1"));
    let alert = |page: &Page| page.texts("[role=alert]")[0].split(':').next().unwrap().to_owned();
    assert_eq!(alert(&locked[0]), alert(&locked[1]));
}

#[tokio::test]
async fn a_success_forgets_the_failures() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    for _ in 0..2 {
        for _ in 0..4 {
            let page = browser.sign_in(&address(&[]), ADA, "wrong password").await;
            assert_eq!(page.status, 403);
        }
        let mut other = Browser::new(&server);
        assert_eq!(other.sign_in(&address(&[]), ADA, PASSWORD).await.status, 303);
    }
}

#[tokio::test]
async fn an_address_is_locked_after_fifty_failures() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let page = browser.get(&address(&[])).await;
    for number in 0..50 {
        let form = page.form(0).with("name", &format!("user{number}")).with("password", "x");
        assert_eq!(browser.submit(&form).await.status, 403, "{number}");
    }
    let form = page.form(0).with("name", ADA).with("password", PASSWORD);
    let locked = browser.submit(&form).await;
    assert_eq!(locked.status, 429);
    assert!(locked.header("retry-after").parse::<u64>().unwrap() > 3000);
}

#[tokio::test]
async fn what_ends_the_rights_of_a_user_ends_its_session_at_once() {
    let server = server().await;
    let state_store = server.stores.state_store();
    let name = ADA.parse().unwrap();
    let other = "another battery staple";
    for round in 0..3 {
        let mut browser = Browser::new(&server);
        let password = if round == 0 { PASSWORD } else { other };
        browser.sign_in(&address(&[]), ADA, password).await;
        let page = browser.get(&address(&[])).await;
        assert_eq!(page.texts("dd")[3], ADA, "{round}");
        match round {
            0 => {
                let hash = PasswordHash::new(&Password::new(other, &name).unwrap()).unwrap();
                state_store.set_password(&name, &hash, Utc::now()).unwrap();
            }
            1 => drop(state_store.disable_user(&name, Utc::now()).unwrap()),
            _ => {
                state_store
                    .set_tenant_disabled(&TENANT.parse().unwrap(), Some(Utc::now()))
                    .unwrap();
            }
        }
        let approved = browser.submit(&page.form(0).with("decision", "approve")).await;
        assert_eq!((approved.status, approved.header("location")), (403, ""), "{round}");
        assert_eq!(browser.get(&address(&[])).await.texts("h1"), ["Sign in"], "{round}");
        let mut again = Browser::new(&server);
        let refused = again.sign_in(&address(&[]), ADA, password).await;
        assert_eq!(refused.status, 403, "{round}");
        state_store.enable_user(&name).unwrap();
    }
}

#[tokio::test]
async fn errors_of_a_request_are_shown_here_until_its_client_is_known() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    for changes in [
        &[("client_id", "unknown_client")][..],
        &[("client_id", "")],
        &[("redirect_uri", "https://evil.example/callback")],
        &[("redirect_uri", "https://client.example/callback/../x")],
        &[("redirect_uri", "https://client.example.evil.example/callback")],
        &[("redirect_uri", "javascript:alert(1)")],
        &[("redirect_uri", "//evil.example")],
        &[("redirect_uri", "https://evil.example"), ("response_type", "token")],
    ] {
        for languages in ["en", "tr"] {
            browser.languages = languages;
            let page = browser.get(&address(changes)).await;
            assert_eq!((page.status, page.header("location")), (400, ""), "{changes:?}");
            assert_eq!(page.texts("[role=alert]").len(), 1);
            assert!(page.body.contains(&format!("<html lang=\"{languages}\">")));
        }
    }
    let twice = browser.get(&format!("{}&client_id={CLIENT}", address(&[]))).await;
    assert_eq!(twice.status, 400);
}

#[tokio::test]
async fn no_one_is_redirected_to_a_stranger_without_seeing_the_host() {
    let server = server().await;
    let faulty = address(&[("response_type", "token")]);
    let mut browser = Browser::new(&server);
    for (languages, go_on) in
        [("en", "Continue to client.example"), ("tr", "Şu adrese git: client.example")]
    {
        browser.languages = languages;
        let page = browser.get(&faulty).await;
        assert_eq!((page.status, page.header("location")), (400, ""), "{}", page.body);
        assert_eq!(page.header("refresh"), "");
        assert_eq!(page.texts("dd code"), ["unsupported_response_type", "client.example"]);
        assert_eq!(page.texts("main a"), [go_on]);
        assert_eq!(page.texts("main form").len(), 0);
    }
    let page = browser.get(&faulty).await;
    let link = page.attribute("main a", "href");
    let url = url::Url::parse(&link).unwrap();
    let query: BTreeMap<String, String> = url.query_pairs().into_owned().collect();
    assert!(link.starts_with(&format!("{CALLBACK}?error=")), "{link}");
    assert_eq!(query["error"], "unsupported_response_type");
    assert_eq!((query["state"].as_str(), query["iss"].clone()), ("a b&c", server.url("")));
    // A form of a visitor leads nowhere either.
    let form = browser.get(&address(&[])).await.form(0);
    let form = Form { action: faulty.clone(), ..form };
    let posted = browser.submit(&form.with("name", ADA).with("password", PASSWORD)).await;
    assert_eq!((posted.status, posted.header("location")), (400, ""));
    // Only the user's own programs listen on a loopback address.
    let local = [("response_type", "token"), ("redirect_uri", LOOPBACK)];
    let redirect = browser.get(&address(&local)).await;
    assert_eq!(redirect.answer().0, LOOPBACK);
    let page = browser.consent(&address(&[])).await;
    let redirect = browser.get(&faulty).await.answer();
    assert_eq!(
        (redirect.0.as_str(), redirect.1["error"].as_str()),
        (CALLBACK, "unsupported_response_type")
    );
    let form = Form { action: faulty, ..page.form(0) };
    let redirect = browser.submit(&form.with("decision", "approve")).await.answer();
    assert_eq!((redirect.0.as_str(), redirect.1.contains_key("code")), (CALLBACK, false));
}
