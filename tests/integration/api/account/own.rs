//! What belongs to a person: programs, sessions, password and language.

use visibility_core::accounts::scope::Scope;

use super::{BOB, server, signed_in};
use crate::api::browser::{ADA, Browser, PASSWORD, address, make_client, make_user};
use crate::api::oauth::{self, CALLBACK};
use crate::api::server::Server;

const NEW_PASSWORD: &str = "staple battery horse correct";

/// A program that a user lets in with a browser, and its access token.
async fn let_in(server: &Server, browser: &mut Browser<'_>) -> String {
    let client = server.register().await;
    let query = oauth::query(&client, &[("redirect_uri", Some(CALLBACK))]);
    let page = browser.get(&format!("/authorize?{query}")).await;
    let approved = browser.submit(&page.form(0).with("decision", "approve")).await;
    let code = approved.answer().1["code"].clone();
    let tokens: serde_json::Value = server.redeem(&client, &code).await.json().await.unwrap();
    tokens["access_token"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_access_of_a_program_is_listed_and_ended() {
    let server = server().await;
    let mut ada = signed_in(&server, ADA).await;
    let mut bob = signed_in(&server, BOB).await;
    let (ada_token, bob_token) = (let_in(&server, &mut ada).await, let_in(&server, &mut bob).await);
    let page = ada.get("/settings").await;
    let forms = page.forms_of("/settings/programs", "end");
    assert_eq!(forms.len(), 1, "that of another user is not seen");
    assert!(page.texts(".items h3").contains(&"Client".to_owned()), "{}", page.body);
    assert_eq!(page.texts(".plain code"), ["scan:read", "audit:read", "logs:read"]);
    let account = bob.get("/settings/account").await;
    let theirs = account.form_of("/settings/programs", "end").fields["id"].clone();
    for id in [theirs.as_str(), "grant_00000000000000000000000000000000", ""] {
        let page = ada.submit(&forms[0].clone().with("id", id)).await;
        assert_eq!(page.status, 409, "{id}");
    }
    assert_eq!(ada.submit(&forms[0]).await.status, 303);
    let page = ada.get("/settings").await;
    assert_eq!(page.texts("[role=status]"), ["The program no longer has access."]);
    assert_eq!(page.forms_of("/settings/programs", "end").len(), 0);
    assert_eq!(server.ask_api(&ada_token).await.status(), 401);
    assert_eq!(server.ask_api(&bob_token).await.status(), 404, "it works");
}

#[tokio::test]
async fn a_program_shows_only_what_its_person_still_may() {
    let server = server().await;
    let mut ada = signed_in(&server, ADA).await;
    let_in(&server, &mut ada).await;
    let state_store = server.stores.state_store();
    let lost = [Scope::LogsRead].into();
    state_store.change_scopes(&ADA.parse().unwrap(), &[].into(), &lost).unwrap();
    assert_eq!(ada.get("/settings").await.texts(".plain code"), ["scan:read", "audit:read"]);
}

#[tokio::test]
async fn sessions_are_listed_and_ended_one_by_one_or_all_others() {
    let server = server().await;
    let mut first = signed_in(&server, ADA).await;
    let page = first.get("/settings").await;
    assert_eq!(page.texts(".row strong"), ["This session"]);
    assert_eq!(page.forms_of("/settings/sessions", "end").len(), 0, "not the own one");
    let mut second = signed_in(&server, ADA).await;
    let mut third = signed_in(&server, ADA).await;
    let mut bob = signed_in(&server, BOB).await;
    let page = first.get("/settings").await;
    let forms = page.forms_of("/settings/sessions", "end");
    assert_eq!((page.texts(".row").len(), forms.len()), (3, 2));
    for cookies in [&second.cookies, &third.cookies] {
        assert!(!page.body.contains(&cookies["visibility_session"]), "no secret is shown");
    }
    // No user ends the session of another.
    let foreign = bob.get("/settings/account").await.form(0).with("action", "end");
    let foreign = crate::api::browser::Form {
        action: "/settings/sessions".to_owned(),
        fields: foreign.with("id", &forms[0].fields["id"]).fields,
    };
    assert_eq!(bob.submit(&foreign).await.status, 409);
    assert_eq!(first.submit(&forms[0]).await.status, 303);
    let again = first.submit(&forms[0]).await;
    assert_eq!(again.status, 409);
    assert!(again.texts("[role=alert]")[0].contains("already ended"), "{}", again.body);
    assert_eq!(first.get("/settings").await.texts(".row").len(), 2);
    let others = first.get("/settings").await.form_of("/settings/sessions", "end-others");
    assert_eq!(first.submit(&others).await.status, 303);
    assert_eq!(second.get("/settings").await.status, 303);
    assert_eq!(third.get("/settings").await.status, 303);
    assert_eq!(first.get("/settings").await.status, 200);
    assert_eq!(bob.get("/settings/account").await.status, 200);
}

#[tokio::test]
async fn a_password_is_changed_by_who_knows_it() {
    let server = server().await;
    let mut browser = signed_in(&server, ADA).await;
    let mut other = signed_in(&server, ADA).await;
    let token = let_in(&server, &mut other).await;
    let page = browser.get("/settings").await;
    let form = {
        let forms = page.forms_of("/settings/sessions", "end-others");
        crate::api::browser::Form {
            action: "/settings/password".to_owned(),
            fields: forms[0].fields.clone(),
        }
    };
    let change = |current: &str, new: &str| form.clone().with("current", current).with("new", new);
    for (current, new, status, alert) in [
        (PASSWORD, "short", 400, "A password needs at least 12 characters."),
        (PASSWORD, "ada@example.com", 400, "The password must not be your name."),
        (PASSWORD, &*"x".repeat(2000), 400, "A password has at most 1,024 bytes."),
        ("wrong password", NEW_PASSWORD, 403, "The current password is wrong."),
        ("", NEW_PASSWORD, 403, "The current password is wrong."),
    ] {
        let page = browser.submit(&change(current, new)).await;
        assert_eq!((page.status, page.texts("[role=alert]")[0].as_str()), (status, alert));
        for secret in [current, new] {
            assert!(secret.is_empty() || !page.texts("input").contains(&secret.to_owned()));
        }
    }
    let before = browser.cookies["visibility_session"].clone();
    let done = browser.submit(&change(PASSWORD, NEW_PASSWORD)).await;
    assert_eq!(done.status, 303, "{}", done.body);
    assert_ne!(browser.cookies["visibility_session"], before, "a session of its own");
    let page = browser.get("/settings").await;
    assert!(page.texts("[role=status]")[0].starts_with("The password is changed."));
    assert_eq!(page.texts(".row").len(), 1);
    assert_eq!(other.get("/settings").await.status, 303, "all other sessions have ended");
    assert_eq!(server.ask_api(&token).await.status(), 401, "programs have lost their access");
    let mut again = Browser::new(&server);
    assert_eq!(again.sign_in("/sign-in", ADA, PASSWORD).await.status, 403);
    assert_eq!(again.sign_in("/sign-in", ADA, NEW_PASSWORD).await.status, 303);
}

#[tokio::test]
async fn guessing_the_current_password_has_the_limits_of_signing_in() {
    let server = server().await;
    let mut browser = signed_in(&server, ADA).await;
    let page = browser.get("/settings").await;
    let sign = page.form(0).fields["csrf"].clone();
    let mut last = None;
    for _ in 0..6 {
        let body = format!("csrf={sign}&current=wrong+password&new=staple+battery+horse");
        last = Some(browser.post("/settings/password", &body).await);
    }
    let last = last.unwrap();
    assert_eq!(last.status, 429);
    assert!(last.header("retry-after").parse::<u64>().unwrap() > 800);
}

#[tokio::test]
async fn a_language_that_was_chosen_is_kept() {
    let server = server().await;
    make_client(&server, crate::api::browser::CLIENT, "Example client");
    make_user(&server, "zoe", &Scope::ALL);
    let mut browser = signed_in(&server, "zoe").await;
    let page = browser.get("/settings").await;
    let turkish = page.forms_of("/settings/language", "tr");
    let done = browser.submit(&turkish[0].clone().with("language", "tr")).await;
    assert_eq!(done.status, 303);
    assert_eq!(browser.get("/settings").await.texts("h1"), ["Ayarlar"]);
    assert_eq!(browser.get(&address(&[])).await.texts("button")[0], "Onayla");
    // A link of the page changes it as well.
    assert_eq!(browser.get("/settings?lang=en").await.texts("h1"), ["Settings"]);
    assert_eq!(browser.get("/settings").await.texts("h1"), ["Settings"]);
    let forged = browser.submit(&turkish[0].clone().with("language", "xx")).await;
    assert_eq!(forged.status, 400);
}
