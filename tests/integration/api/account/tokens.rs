//! Tokens for ingestion in the settings.

use chrono::{TimeDelta, Utc};
use reqwest::StatusCode;
use visibility_server::stores::state::credentials::TokenState;

use super::{EVE, OTHER, run, secret, server, signed_in};
use crate::api::browser::{ADA, Browser};
use crate::api::server::{Server, TENANT};

const PATH: &str = "/settings/tokens";

/// Sends a batch of one record, as a server of the tenant does.
async fn send(server: &Server, token: &str) -> StatusCode {
    let record = format!(
        "{{\"timestamp\":\"{}\",\"user_agent\":\"GPTBot/1.2\",\"request_method\":\"GET\",\
         \"request_path\":\"/\",\"status_code\":200,\"response_bytes\":1,\"referrer\":\"\",\
         \"host\":\"a.example\",\"client_ip_hash\":\"9f86d081884c7d659a2feaa0\"}}\n",
        Utc::now().format("%FT%TZ")
    );
    let request = server
        .client
        .post(server.url("/v1/logs"))
        .bearer_auth(token)
        .header("content-type", "application/x-ndjson")
        .header("x-service-tenant", TENANT)
        .header("x-service-schema", "1");
    request.body(record).send().await.unwrap().status()
}

async fn submit(browser: &mut Browser<'_>, button: &str) -> crate::api::browser::Page {
    let form = browser.get("/settings").await.form_of(PATH, button);
    browser.submit(&form).await
}

#[tokio::test]
async fn a_token_is_rotated_while_a_sender_goes_on() {
    let server = server().await;
    let mut browser = signed_in(&server, ADA).await;
    let page = submit(&mut browser, "create").await;
    let (old, command) = secret(&page);
    let output = run(command.clone()).await;
    assert!(output.contains("\"tenant\":\"acme\""), "{command}\n{output}");
    assert_eq!(send(&server, &old).await, 202);
    let settings = browser.get("/settings").await;
    assert!(!settings.body.contains(&old));
    assert!(settings.body.contains("(97 days are left)"), "{}", settings.body);
    assert_eq!(settings.forms_of(PATH, "create").len(), 0, "there is one already");

    let rotate = settings.form_of(PATH, "rotate");
    let page = browser.submit(&rotate).await;
    let (new, _) = secret(&page);
    assert!(page.body.contains("The old token works until "), "{}", page.body);
    for token in [&old, &new] {
        assert_eq!(send(&server, token).await, 202);
    }
    let settings = browser.get("/settings").await;
    assert_eq!(settings.forms_of(PATH, "revoke").len(), 2);
    assert_eq!(settings.forms_of(PATH, "rotate").len(), 0);
    assert_eq!(settings.texts(".warn").len(), 1, "the old one ends soon");

    // The form of another tab, whose page is older.
    let again = browser.submit(&rotate).await;
    assert_eq!(again.status, 409);
    assert!(again.texts("[role=alert]")[0].contains("there cannot be a third"), "{}", again.body);
    assert_eq!(again.forms_of(PATH, "revoke").len(), 2, "the page shows both");

    let done = browser.submit(&settings.form_of(PATH, "revoke")).await;
    assert_eq!(done.status, 303);
    assert_eq!(browser.get("/settings").await.texts("[role=status]"), ["The token is revoked."]);
    assert_eq!(send(&server, &old).await, 401);
    assert_eq!(send(&server, &new).await, 202);
}

#[tokio::test]
async fn without_a_token_there_is_nothing_to_rotate() {
    let server = server().await;
    let mut browser = signed_in(&server, ADA).await;
    let form = browser.get("/settings").await.form_of(PATH, "create");
    for (action, status) in [("rotate", 400), ("", 400), ("x", 400)] {
        let page = browser.submit(&form.clone().with("action", action)).await;
        assert_eq!(page.status, status, "{action}: a field is missing, or the action is unknown");
    }
    let page = browser.submit(&form.clone().with("action", "rotate").with("overlap", "7")).await;
    assert_eq!(page.status, 409);
    assert!(page.texts("[role=alert]")[0].starts_with("There is no active token"));
    assert_eq!(server.stores.state_store().tokens(None).unwrap().len(), 0);
    for _ in 0..2 {
        secret(&browser.submit(&form).await);
    }
    assert_eq!(browser.submit(&form).await.status, 409, "not a third");
    let now = Utc::now();
    let tokens = server.stores.state_store().tokens(None).unwrap();
    assert!(tokens.iter().all(|token| token.state(now) == TokenState::Active));
    let days = TimeDelta::days(97);
    assert!(
        tokens.iter().all(|token| (token.expires_at - token.created_at - days).num_seconds() == 0)
    );
}

#[tokio::test]
async fn tokens_of_another_tenant_are_neither_seen_nor_changed() {
    let server = server().await;
    let mut ada = signed_in(&server, ADA).await;
    submit(&mut ada, "create").await;
    let mut eve = signed_in(&server, EVE).await;
    assert_eq!(eve.get("/settings").await.forms_of(PATH, "revoke").len(), 0);
    submit(&mut eve, "create").await;
    let own = eve.get("/settings").await.form_of(PATH, "revoke");
    let tokens = server.stores.state_store().tokens(Some(&TENANT.parse().unwrap())).unwrap();
    let foreign = tokens[0].id.to_string();
    for id in [foreign.as_str(), "00000000-0000-0000-0000-000000000000", "x", ""] {
        let page = eve.submit(&own.clone().with("id", id)).await;
        assert_eq!(page.status, 409, "{id}");
        assert!(page.texts("[role=alert]")[0].contains("no longer exists"), "{}", page.body);
    }
    // A field or an address cannot name another tenant.
    let forged = own.with("tenant", TENANT);
    assert_eq!(eve.submit(&forged).await.status, 303);
    let tokens = server.stores.state_store().tokens(None).unwrap();
    let revoked: Vec<&str> = tokens
        .iter()
        .filter(|token| token.revoked_at.is_some())
        .map(|token| token.tenant.as_str())
        .collect();
    assert_eq!(revoked, [OTHER]);
}
