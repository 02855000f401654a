//! API keys in the settings.

use chrono::Utc;
use visibility_core::accounts::scope::Scope;
use visibility_tests::server::Hosts;
use visibility_tests::site::Site;

use super::{BOB, EVE, run, secret, server, signed_in};
use crate::api::browser::{ADA, Browser, Form, Page};
use crate::api::server::{Server, TENANT};

const PATH: &str = "/settings/keys";

async fn create(browser: &mut Browser<'_>, name: &str) -> Page {
    let form = browser.get("/settings").await.form_of(PATH, "create").with("name", name);
    browser.submit(&form).await
}

/// The form of the first key.
async fn form(browser: &mut Browser<'_>, button: &str) -> Form {
    browser.get("/settings").await.form_of(PATH, button)
}

fn without_key_of_the_server(server: &Server) {
    for key in server.stores.state_store().keys(Some(&TENANT.parse().unwrap())).unwrap() {
        server.stores.state_store().revoke_key(key.key.id, Utc::now()).unwrap();
    }
}

#[tokio::test]
async fn a_key_is_made_shown_once_and_works() {
    let server = server().await;
    without_key_of_the_server(&server);
    let mut browser = signed_in(&server, ADA).await;
    let page = create(&mut browser, "ci").await;
    assert_eq!(page.texts("h1"), ["Your new key “ci”"]);
    let (key, _command) = secret(&page);
    assert_eq!(server.ask_api(&key).await.status(), 404, "the key works: there is no such result");
    let settings = browser.get("/settings").await;
    assert!(!settings.body.contains(&key));
    let [heading] = &settings.texts(".items h3")[..] else { panic!("{}", settings.body) };
    let (begin, end) = heading.strip_prefix("ci ").unwrap().split_once('…').unwrap();
    assert!(key.starts_with(begin) && key.ends_with(end), "{heading}");
    assert_eq!((begin.len(), end.len()), ("service_live_".len() + 4, 4));
    let facts = settings.texts(".items dd");
    assert_eq!(facts[0].trim(), "scan:read");
    assert!(facts[1].ends_with(" by ada@example.com"), "{facts:?}");
    let kept = server.stores.state_store().keys(Some(&TENANT.parse().unwrap())).unwrap();
    let kept = kept.iter().find(|key| key.revoked_at.is_none()).unwrap();
    assert_eq!(kept.key.created_by.as_deref(), Some(ADA));
    assert_eq!(kept.key.lifetime.unwrap().num_days(), 90);
    let files = std::fs::read(server.stores.data_dir().join("state.sqlite")).unwrap();
    assert!(!files.windows(key.len()).any(|part| part == key.as_bytes()), "a digest is kept");
}

#[tokio::test]
async fn what_was_chosen_is_what_the_key_has() {
    let server = server().await;
    without_key_of_the_server(&server);
    let mut browser = signed_in(&server, ADA).await;
    let form = form(&mut browser, "create").await;
    assert_eq!(form.fields["lifetime"], "90");
    let form = form
        .with("name", " two words ")
        .with("scope-logs:read", "yes")
        .with("lifetime", "")
        .with("networks", "192.0.2.0/24\r\n2001:db8::1");
    secret(&browser.submit(&form).await);
    let keys = server.stores.state_store().keys(Some(&TENANT.parse().unwrap())).unwrap();
    let key = &keys.iter().find(|key| key.revoked_at.is_none()).unwrap().key;
    assert_eq!(key.name.as_str(), "two words");
    assert_eq!(key.scopes, [Scope::ScanRead, Scope::LogsRead].into());
    assert_eq!(key.lifetime, None);
    let networks: Vec<String> = key.networks.iter().map(ToString::to_string).collect();
    assert_eq!(networks, ["192.0.2.0/24", "2001:db8::1/128"]);
}

#[tokio::test]
async fn a_key_is_rotated_while_the_old_one_works_and_not_twice() {
    let server = server().await;
    without_key_of_the_server(&server);
    let mut browser = signed_in(&server, ADA).await;
    let (old, _) = secret(&create(&mut browser, "ci").await);
    let rotate = form(&mut browser, "rotate").await;
    let page = browser.submit(&rotate).await;
    let (new, _) = secret(&page);
    assert!(page.body.contains("The old key works until "), "{}", page.body);
    for key in [&old, &new] {
        assert_eq!(server.ask_api(key).await.status(), 404);
    }
    // The form of another tab, whose page is older.
    let again = browser.submit(&rotate).await;
    assert_eq!(again.status, 409);
    assert!(again.texts("[role=alert]")[0].contains("“ci” was rotated"), "{}", again.body);
    assert_eq!(again.texts(".items h3").len(), 2, "the page shows both");
    let settings = browser.get("/settings").await;
    assert_eq!(settings.forms_of(PATH, "rotate").len(), 1, "only the new one can be rotated");
    assert_eq!(settings.texts(".warn"), ["replaced by a new key"]);
    // Without an overlap the old one ends at once.
    let revoke = settings.form_of(PATH, "revoke");
    assert_eq!(browser.submit(&revoke).await.status, 303);
    let rotate = form(&mut browser, "rotate").await.with("overlap", "0");
    let page = browser.submit(&rotate).await;
    assert!(page.body.contains("The old key no longer works."), "{}", page.body);
}

#[tokio::test]
async fn a_revoked_key_is_refused_and_listed_as_such() {
    let server = server().await;
    without_key_of_the_server(&server);
    let mut browser = signed_in(&server, ADA).await;
    let (key, _) = secret(&create(&mut browser, "ci").await);
    let revoke = form(&mut browser, "revoke").await;
    let done = browser.submit(&revoke).await;
    assert_eq!((done.status, done.header("location")), (303, "/settings"));
    let settings = browser.get("/settings").await;
    assert_eq!(settings.texts("[role=status]"), ["The key is revoked."]);
    assert_eq!(settings.texts("#keys ~ .items li").len(), 0);
    assert!(settings.texts("details li").concat().contains("ci service_live_"));
    assert_eq!(server.ask_api(&key).await.status(), 401);
    assert_eq!(browser.get("/settings").await.texts("[role=status]").len(), 0, "said once");
    let again = browser.submit(&revoke).await;
    assert_eq!(again.status, 303, "a second time changes nothing");
}

#[tokio::test]
async fn what_is_wrong_is_said_at_its_field_and_nothing_is_lost() {
    let server = server().await;
    without_key_of_the_server(&server);
    let mut browser = signed_in(&server, ADA).await;
    secret(&create(&mut browser, "ci").await);
    let empty = form(&mut browser, "create").await.with("name", "web");
    let long = "x".repeat(8192);
    let cases = [
        ("name", "", 400, "key-name"),
        ("name", "a/b", 400, "key-name"),
        ("name", "a\nb", 400, "key-name"),
        ("name", "a\u{202e}b", 400, "key-name"),
        ("name", "a\0b", 400, "key-name"),
        ("name", "<script>alert(1)</script>", 400, "key-name"),
        ("name", &long, 400, "key-name"),
        ("name", "ci", 409, "key-name"),
        ("networks", "example.com", 400, "key-networks"),
        ("networks", "192.0.2.7/24", 400, "key-networks"),
        ("networks", "</textarea><script>alert(1)</script>", 400, "key-networks"),
        ("networks", &long, 400, "key-networks"),
    ];
    for (field, value, status, id) in cases {
        let page = browser.submit(&empty.clone().with(field, value)).await;
        assert_eq!(page.status, status, "{field} {value:?}");
        let described = page.attribute(&format!("#{id}[aria-invalid=true]"), "aria-describedby");
        assert!(described.starts_with(&format!("{id}-fault ")), "{described}");
        assert_eq!(page.texts(&format!("#{id}-fault[role=alert]")).len(), 1);
        assert_eq!(page.texts("script").len(), 0);
        assert!(page.form_of(PATH, "create").fields.contains_key("scope-scan:read"));
        if field == "networks" {
            assert_eq!(page.form_of(PATH, "create").fields["name"], "web");
        }
    }
    let none = browser.submit(&empty.clone().without("scope-scan:read")).await;
    assert_eq!(
        (none.status, none.texts("[role=alert]")[0].as_str()),
        (400, "Choose at least one scope.")
    );
    for forged in [("lifetime", "1"), ("lifetime", "x"), ("action", "destroy"), ("action", "")] {
        let page = browser.submit(&empty.clone().with(forged.0, forged.1)).await;
        assert_eq!(page.status, 400, "{forged:?}");
        assert_eq!(page.texts("[role=alert]").len(), 1, "{forged:?}");
    }
    let keys = server.stores.state_store().keys(Some(&TENANT.parse().unwrap())).unwrap();
    assert_eq!(keys.iter().filter(|key| key.revoked_at.is_none()).count(), 1, "nothing was made");
}

/// A user lets no key do more than the user may do, be it a new one or a successor.
#[tokio::test]
async fn no_user_makes_a_key_that_may_do_more_than_the_user() {
    let server = server().await;
    crate::api::browser::make_user(&server, "carl", &[Scope::ScanRead, Scope::Manage]);
    let mut browser = signed_in(&server, "carl").await;
    let settings = browser.get("/settings").await;
    assert_eq!(settings.forms_of(PATH, "rotate").len(), 0, "the key of the server can read logs");
    let form = settings.form_of(PATH, "create").with("name", "web").with("scope-logs:read", "yes");
    let form = form.with("scope-manage", "yes");
    secret(&browser.submit(&form).await);
    let keys = server.stores.state_store().keys(Some(&TENANT.parse().unwrap())).unwrap();
    let made = keys.iter().find(|key| key.key.name.as_str() == "web").unwrap();
    assert_eq!(made.key.scopes, [Scope::ScanRead].into());
    let above = keys.iter().find(|key| key.key.name.as_str() != "web").unwrap();
    let rotate = browser.get("/settings").await.form_of(PATH, "rotate");
    let page = browser.submit(&rotate.with("id", &above.key.id.to_string())).await;
    assert_eq!(page.status, 403);
    assert!(page.texts("[role=alert]")[0].contains("you cannot rotate it"), "{}", page.body);
    assert_eq!(server.stores.state_store().keys(None).unwrap().len(), keys.len());
}

#[tokio::test]
async fn keys_of_another_tenant_are_neither_seen_nor_changed() {
    let server = server().await;
    let mut ada = signed_in(&server, ADA).await;
    secret(&create(&mut ada, "ci").await);
    let id = form(&mut ada, "revoke").await.fields["id"].clone();
    let mut eve = signed_in(&server, EVE).await;
    secret(&create(&mut eve, "eves").await);
    let settings = eve.get("/settings").await;
    assert_eq!(settings.texts(".items h3").len(), 1, "{}", settings.body);
    assert!(!settings.body.contains("acme") && !settings.body.contains(&id), "{}", settings.body);
    for button in ["rotate", "revoke"] {
        let form = settings.form_of(PATH, button);
        for id in [id.as_str(), "key_00000000000000000000000000000000", "", "' OR 1=1"] {
            let page = eve.submit(&form.clone().with("id", id)).await;
            assert_eq!(page.status, 409, "{button} {id}");
            assert!(page.texts("[role=alert]")[0].contains("no longer exists"), "{}", page.body);
        }
    }
    let keys = server.stores.state_store().keys(Some(&TENANT.parse().unwrap())).unwrap();
    assert!(keys.iter().all(|key| key.revoked_at.is_none() && key.replaced_by.is_none()));
}

#[tokio::test]
async fn a_person_without_the_scope_learns_who_gives_it() {
    let server = server().await;
    let mut browser = signed_in(&server, BOB).await;
    let page = browser.get("/settings").await;
    assert_eq!(page.status, 403);
    assert_eq!(page.texts("pre"), ["visibility-server users scopes bob --add manage"]);
    let name = BOB.parse().unwrap();
    let manage = [Scope::Manage].into();
    server.stores.state_store().change_scopes(&name, &manage, &[].into()).unwrap();
    assert_eq!(browser.get("/settings").await.status, 200, "at once, in the same session");
    let form = form(&mut browser, "create").await.with("name", "web");
    server.stores.state_store().change_scopes(&name, &[].into(), &manage).unwrap();
    assert_eq!(browser.submit(&form).await.status, 403, "at once, too");
}

/// Each command that is shown with a new key does what the page says.
#[tokio::test]
async fn the_commands_of_new_keys_run_as_they_are_shown() {
    let server = Server::with(Hosts::new([Site::new("example.com")]), |_| {}).await;
    crate::api::browser::make_user(&server, ADA, &Scope::ALL);
    let mut browser = signed_in(&server, ADA).await;
    let empty = form(&mut browser, "create").await.without("scope-scan:read");
    for (scope, expected) in [
        ("scan:read", "\"domain\":\"example.com\""),
        ("audit:read", "\"gpt_visibility_score\":"),
        ("logs:read", "\"structuredContent\":"),
    ] {
        let form = empty.clone().with("name", &scope.replace(':', " "));
        let form = form.with(&format!("scope-{scope}"), "yes");
        let (key, command) = secret(&browser.submit(&form).await);
        assert!(command.contains(&key), "{command}");
        let output = run(command.clone()).await;
        assert!(output.contains(expected), "{command}\n{output}");
    }
}
