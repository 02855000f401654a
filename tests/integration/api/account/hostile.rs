//! Forms and texts of strangers.

use chrono::Utc;
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use visibility_core::accounts::scope::Scope;
use visibility_server::stores::state::oauth_clients::RegisteredClient;

use super::{EVE, server, signed_in};
use crate::api::browser::{ADA, Browser, CALLBACK, CLIENT, PASSWORD, address, make_user};
use crate::api::server::TENANT;

const KEYS: &str = "/settings/keys";

#[tokio::test]
async fn a_form_counts_only_with_the_sign_of_its_session() {
    let server = server().await;
    let mut ada = signed_in(&server, ADA).await;
    let mut eve = signed_in(&server, EVE).await;
    let form = ada.get("/settings").await.form_of(KEYS, "create").with("name", "web");
    let eves = eve.get("/settings").await.form_of(KEYS, "create").fields["csrf"].clone();
    let visitor = Browser::new(&server).get("/sign-in").await.form(0).fields["csrf"].clone();
    for forged in [
        form.clone().without("csrf"),
        form.clone().with("csrf", ""),
        form.clone().with("csrf", &eves),
        form.clone().with("csrf", &visitor),
        form.clone().with("csrf", &"0".repeat(48)),
    ] {
        let page = ada.submit(&forged).await;
        assert_eq!((page.status, page.texts("h1")), (403, vec!["Please start again".to_owned()]));
        assert!(page.texts("[role=alert]")[0].contains("Nothing was changed."));
        assert_eq!(page.attribute("main p a", "href"), "/settings");
    }
    // A page of another site has the browser send the form, with everything but the right origin.
    for (name, value) in [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")] {
        let mut cross = Browser { cookies: ada.cookies.clone(), ..Browser::new(&server) };
        cross.extra = vec![(name, value)];
        assert_eq!(cross.submit(&form).await.status, 403, "{name}");
    }
    let keys = server.stores.state_store().keys(Some(&TENANT.parse().unwrap())).unwrap();
    assert_eq!(keys.len(), 1, "only the key of the server");
}

#[tokio::test]
async fn a_session_that_is_over_changes_nothing_and_the_page_says_what_to_do() {
    let server = server().await;
    let state_store = server.stores.state_store();
    for over in ["signed out in another tab", "disabled user", "disabled tenant"] {
        make_user(&server, "zoe", &Scope::ALL);
        let mut browser = signed_in(&server, "zoe").await;
        let page = browser.get("/settings").await;
        let form = page.form_of(KEYS, "create").with("name", "web");
        match over {
            "disabled user" => {
                state_store.disable_user(&"zoe".parse().unwrap(), Utc::now()).unwrap();
            }
            "disabled tenant" => {
                let tenant = TENANT.parse().unwrap();
                state_store.set_tenant_disabled(&tenant, Some(Utc::now())).unwrap();
            }
            _ => {
                let mut tab = Browser { cookies: browser.cookies.clone(), ..Browser::new(&server) };
                assert_eq!(tab.submit(&page.form(0)).await.status, 200);
            }
        }
        let refused = browser.submit(&form).await;
        assert_eq!(refused.status, 403, "{over}");
        assert_eq!(refused.attribute("main p a", "href"), "/settings", "{over}");
        let asked = browser.get("/settings").await;
        assert_eq!((asked.status, asked.header("location")), (303, "/sign-in?next=%2Fsettings"));
        if over != "signed out in another tab" {
            let again = browser.sign_in("/sign-in", "zoe", PASSWORD).await;
            assert_eq!(again.status, 403, "{over}");
        }
        state_store.set_tenant_disabled(&TENANT.parse().unwrap(), None).unwrap();
        rename(&server.stores.data_dir().join("state.sqlite"));
    }
    let keys = state_store.keys(Some(&TENANT.parse().unwrap())).unwrap();
    assert_eq!(keys.len(), 1, "only the key of the server");
}

/// Frees the name of a user for the next case.
fn rename(database: &std::path::Path) {
    let connection = rusqlite::Connection::open(database).unwrap();
    let sql = "UPDATE person SET name = lower(hex(randomblob(8))) WHERE name = 'zoe'";
    connection.execute(sql, []).unwrap();
}

#[tokio::test]
async fn bodies_that_are_no_form_have_a_page_that_says_so() {
    let server = server().await;
    let mut browser = signed_in(&server, ADA).await;
    let many: String = (0..64).map(|n| format!("f{n}=&")).collect();
    let huge = format!("csrf={}", "x".repeat(20_000));
    let form = "application/x-www-form-urlencoded";
    for (media_type, body, status) in [
        ("application/json", "{}", 415),
        ("multipart/form-data; boundary=x", "--x--", 415),
        ("text/plain", "csrf=x", 415),
        (form, "csrf=a&csrf=b", 400),
        (form, &many, 400),
        (form, &huge, 413),
        (form, "", 403),
    ] {
        for path in ["/settings/keys", "/sign-in"] {
            let request = browser.request(Method::POST, path);
            let request = request.header(CONTENT_TYPE, media_type).body(body.to_owned());
            let page = browser.send(request).await;
            assert_eq!(page.status, status, "{path} {media_type}");
            assert_eq!(page.texts("h1").len(), 1, "{}", page.body);
            assert_eq!(page.texts("[role=alert]").len(), 1, "{}", page.body);
        }
    }
}

/// No element and no attribute of a page comes from what strangers wrote.
#[tokio::test]
async fn hostile_names_of_programs_are_text() {
    let server = server().await;
    let name = "<script>alert(1)</script>\"><img src=x onerror=alert(1)>&#x3c;b&#x3e;\u{202e}\u{0}\u{1b}[31m";
    let client = RegisteredClient {
        id: CLIENT.to_owned(),
        name: name.to_owned(),
        redirect_uris: vec![CALLBACK.to_owned()],
        created_at: Utc::now(),
    };
    assert!(server.stores.state_store().register_client(&client).unwrap());
    let mut browser = signed_in(&server, ADA).await;
    let consent = browser.get(&address(&[])).await;
    browser.submit(&consent.form(0).with("decision", "approve")).await;
    let settings = browser.get("/settings").await;
    for page in [&consent, &settings] {
        assert_eq!(page.texts("script, img, main b").len(), 0, "{}", page.body);
        assert!(!page.body.contains(['\u{202e}', '\u{0}', '\u{1b}']), "{}", page.body);
    }
    let shown = settings.texts("#programs ~ .items h3").concat();
    assert!(shown.starts_with("<script>alert(1)</script>\"><img"), "{shown}");
}
