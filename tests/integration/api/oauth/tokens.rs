//! Codes, tokens, and what they are good for.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::Value;
use tokio::time::sleep;
use visibility_core::accounts::scope::Scope;

use super::{Tokens, parameters, query, refused, signed_in};
use crate::api::server::Server;

/// For longer than a token is remembered without a look.
const FORGOTTEN: Duration = Duration::from_secs(1);

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_let_in_asks_the_api() {
    let server = Server::start().await;
    let (client, mut browser) = signed_in(&server, &Scope::ALL).await;
    let location = browser.decide(&query(&client, &[]), "approve").await;
    assert!(
        location.starts_with("http://localhost:51234/callback?code=service_oac_"),
        "{location}"
    );
    let found = parameters(&location);
    assert_eq!(found["state"], "a b&c=\u{e9}", "byte by byte");
    assert_eq!(found["iss"], server.url(""));
    let tokens = Tokens::of(server.redeem(&client, &found["code"]).await).await;
    assert!(tokens.access.starts_with("service_oat_"), "{tokens:?}");
    assert!(tokens.refresh.starts_with("service_ort_"), "{tokens:?}");
    assert_eq!(tokens.scope, "scan:read audit:read logs:read");
    assert_eq!(server.ask_api(&tokens.access).await.status(), 404, "no result is kept");
    for text in [&tokens.refresh, &found["code"]] {
        assert_eq!(server.ask_api(text).await.status(), 401);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_denies_is_heard() {
    let server = Server::start().await;
    let (client, mut browser) = signed_in(&server, &Scope::ALL).await;
    let found = parameters(&browser.decide(&query(&client, &[]), "deny").await);
    assert_eq!(found["error"], "access_denied");
    assert_eq!((found["state"].as_str(), &found["iss"]), ("a b&c=\u{e9}", &server.url("")));
    assert!(!found.contains_key("code"));
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_are_for_every_spelling_of_our_address_and_for_no_other() {
    let server = Server::start().await;
    let (client, mut browser) = signed_in(&server, &Scope::ALL).await;
    for path in ["", "/", "/mcp", "/api/mcp/v1", "/api/mcp/v1/mcp", "/api/mcp/v1/sse/"] {
        let resource = server.url(path);
        let asked = query(&client, &[("resource", Some(&resource))]);
        let tokens = browser.tokens(&client, &asked).await;
        for transport in ["/mcp", "/api/mcp/v1/mcp", "/api/mcp/v1/http", "/api/mcp/v1/sse"] {
            let request = server.client.get(server.url(transport)).bearer_auth(&tokens.access);
            let answer = request.send().await.unwrap();
            assert_eq!(answer.status(), 405, "{path} {transport}: known, and no GET");
        }
    }
    let asked = query(&client, &[("resource", Some("https://elsewhere.example/mcp"))]);
    let location = browser.open(&asked).await.headers()["location"].to_str().unwrap().to_owned();
    assert_eq!(parameters(&location)["error"], "invalid_target");
    let code = browser.code(&query(&client, &[])).await;
    let fields = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("client_id", &client),
        ("code_verifier", super::VERIFIER),
        ("resource", "https://elsewhere.example/mcp"),
    ];
    let answer = server.post_form("/token", &fields).await;
    assert_eq!(refused(answer, 400).await, "invalid_target");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_does_no_more_than_was_granted() {
    let server = Server::start().await;
    let (client, mut browser) = signed_in(&server, &[Scope::LogsRead, Scope::AuditRead]).await;
    let tokens = browser.tokens(&client, &query(&client, &[])).await;
    assert_eq!(tokens.scope, "audit:read logs:read", "what the person may");
    let answer = server.ask_api(&tokens.access).await;
    assert_eq!(answer.status(), 403);
    let challenge = answer.headers()["www-authenticate"].to_str().unwrap();
    assert_eq!(challenge, "Bearer error=\"insufficient_scope\", scope=\"scan:read\"");
    let body: Value = answer.json().await.unwrap();
    assert_eq!(body["error"]["code"], "INSUFFICIENT_SCOPE");
    let asked = query(&client, &[("scope", Some("audit:read offline_access"))]);
    assert_eq!(browser.tokens(&client, &asked).await.scope, "audit:read");
    let asked = query(&client, &[("scope", Some("scan:read"))]);
    let page = browser.open(&asked).await.text().await.unwrap();
    assert!(!page.contains("value=\"approve\""), "nothing can be granted");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_lost_an_answer_refreshes_again() {
    let server = Server::start().await;
    let (client, mut browser) = signed_in(&server, &Scope::ALL).await;
    let first = browser.tokens(&client, &query(&client, &[])).await;
    let mut seen = vec![first.access.clone()];
    for _ in 0..3 {
        let again = Tokens::of(server.refresh(&client, &first.refresh).await).await;
        assert_ne!(again.refresh, first.refresh);
        assert_eq!(server.ask_api(&again.access).await.status(), 404);
        let next = Tokens::of(server.refresh(&client, &again.refresh).await).await;
        seen.extend([again.access, next.access]);
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 7, "all tokens are new ones");
    let fields = [
        ("grant_type", "refresh_token"),
        ("refresh_token", &first.refresh),
        ("client_id", &client),
        ("scope", "scan:read"),
        ("resource", "https://elsewhere.example/mcp"),
    ];
    let narrow = server.post_form("/token", &fields[..4]).await;
    assert_eq!(Tokens::of(narrow).await.scope, "scan:read");
    let moved = server.post_form("/oauth/token", &fields).await;
    assert_eq!(refused(moved, 400).await, "invalid_grant", "and not `invalid_target`");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_programs_that_redeem_a_code_at_once_one_gets_tokens() {
    let server = Server::start().await;
    let (client, mut browser) = signed_in(&server, &Scope::ALL).await;
    let code = browser.code(&query(&client, &[])).await;
    let answers = join_all((0..8).map(|_| server.redeem(&client, &code))).await;
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status().as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 400, 400, 400, 400, 400, 400, 400]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_program_gives_back_works_no_more() {
    let server = Server::start().await;
    let (client, mut browser) = signed_in(&server, &Scope::ALL).await;
    let first = browser.tokens(&client, &query(&client, &[])).await;
    let give_back = async |token: &str| {
        let fields = [("token", token), ("client_id", client.as_str())];
        server.post_form("/revoke", &fields).await.status()
    };
    assert_eq!(give_back(&first.access).await, 200);
    assert_eq!(give_back("service_oat_unknown").await, 200);
    let answer = server.ask_api(&first.access).await;
    assert_eq!(answer.status(), 401);
    assert_eq!(answer.headers()["www-authenticate"], "Bearer error=\"invalid_token\"");
    let body: Value = answer.json().await.unwrap();
    assert_eq!(body["error"]["details"]["reason"], "revoked");
    let second = Tokens::of(server.refresh(&client, &first.refresh).await).await;
    assert_eq!(server.ask_api(&second.access).await.status(), 404);
    assert_eq!(give_back(&second.refresh).await, 200);
    sleep(FORGOTTEN).await;
    assert_eq!(server.ask_api(&second.access).await.status(), 401);
    let answer = server.refresh(&client, &second.refresh).await;
    assert_eq!(refused(answer, 400).await, "invalid_grant");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_may_nothing_any_more_has_no_programs() {
    let server = Server::start().await;
    let (client, mut browser) = signed_in(&server, &Scope::ALL).await;
    let tokens = browser.tokens(&client, &query(&client, &[])).await;
    assert_eq!(server.ask_api(&tokens.access).await.status(), 404);
    let now = chrono::Utc::now();
    server.stores.state_store().disable_user(&"ada".parse().unwrap(), now).unwrap();
    sleep(FORGOTTEN).await;
    assert_eq!(server.ask_api(&tokens.access).await.status(), 401);
    let answer = server.refresh(&client, &tokens.refresh).await;
    assert_eq!(refused(answer, 400).await, "invalid_grant");
}

#[tokio::test(flavor = "multi_thread")]
async fn logs_are_not_sent_with_a_token_of_oauth() {
    let server = Server::start().await;
    let (client, mut browser) = signed_in(&server, &Scope::ALL).await;
    let tokens = browser.tokens(&client, &query(&client, &[])).await;
    let request = server.client.post(server.url("/v1/logs")).bearer_auth(&tokens.access);
    let answer = request.header("x-service-tenant", "acme").body("").send().await.unwrap();
    assert_eq!(answer.status(), 401);
    assert_eq!(answer.headers()["www-authenticate"], "Bearer");
    let body: Value = answer.json().await.unwrap();
    assert!(body["error"]["hint"].as_str().unwrap().contains("looks like an OAuth token"));
}
