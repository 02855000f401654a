//! What attackers try, each with what must become of it.

use serde_json::{Value, json};
use visibility_core::accounts::scope::Scope;
use visibility_tests::server::Hosts;

use super::{
    Browser, CALLBACK, CHALLENGE, Tokens, VERIFIER, form, parameters, query, refused, signed_in,
};
use crate::api::server::Server;

/// Where an attacker waits.
const EVIL: &str = "https://evil.example/callback";

/// The answer to a request for authorization, of a browser without a session.
async fn asked(server: &Server, query: &str) -> reqwest::Response {
    Browser::new(server).open(query).await
}

/// Sees that a request is refused on our own page, and leads nowhere.
async fn is_refused_here(server: &Server, query: &str) {
    let answer = asked(server, query).await;
    assert_eq!(answer.status(), 400, "{query}");
    assert!(!answer.headers().contains_key("location"), "{query}");
    assert_eq!(answer.headers()["content-type"], "text/html; charset=utf-8", "{query}");
    let page = answer.text().await.unwrap();
    // The link to the same page in the other language has the query.
    assert!(!page.contains("=\"https://evil.example"), "{page}");
}

/// The error of a redirect to the client, which has the state and the issuer.
async fn redirected_error(server: &Server, query: &str) -> String {
    let answer = asked(server, query).await;
    assert_eq!(answer.status(), 303, "{query}");
    let location = answer.headers()["location"].to_str().unwrap().to_owned();
    assert!(location.starts_with(&format!("{CALLBACK}?error=")), "{location}");
    let mut found = parameters(&location);
    assert_eq!(found["iss"], server.url(""), "{location}");
    assert_eq!(found.get("state").map(String::as_str), Some("a b&c=\u{e9}"), "{location}");
    assert!(!found.contains_key("code"), "{location}");
    found.remove("error").unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_that_is_replayed_ends_what_it_began() {
    let server = Server::start().await;
    let (client, mut browser) = signed_in(&server, &Scope::ALL).await;
    let code = browser.code(&query(&client, &[])).await;
    let tokens = Tokens::of(server.redeem(&client, &code).await).await;
    assert_eq!(refused(server.redeem(&client, &code).await, 400).await, "invalid_grant");
    assert_eq!(server.ask_api(&tokens.access).await.status(), 401);
    let answer = server.refresh(&client, &tokens.refresh).await;
    assert_eq!(refused(answer, 400).await, "invalid_grant");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_is_of_no_use_to_who_intercepts_it() {
    let server = Server::start().await;
    let (client, mut browser) = signed_in(&server, &Scope::ALL).await;
    let other = server.register().await;
    let code = browser.code(&query(&client, &[])).await;
    let good = [
        ("grant_type", "authorization_code"),
        ("code", code.as_str()),
        ("client_id", client.as_str()),
        ("redirect_uri", CALLBACK),
        ("code_verifier", VERIFIER),
    ];
    let with = |name: &'static str, value: Option<&'static str>| {
        let kept = good.iter().copied().filter(move |(own, _)| *own != name);
        kept.chain(value.map(|value| (name, value))).collect::<Vec<_>>()
    };
    let wrong = "wrong-verifier-wrong-verifier-wrong-verifier";
    for (fields, status, error) in [
        (with("code_verifier", Some(wrong)), 400, "invalid_grant"),
        // That would be `plain`.
        (with("code_verifier", Some(CHALLENGE)), 400, "invalid_grant"),
        (with("code_verifier", Some("short")), 400, "invalid_request"),
        (with("code_verifier", None), 400, "invalid_request"),
        (with("redirect_uri", Some("http://localhost:51234/other")), 400, "invalid_grant"),
        (with("redirect_uri", Some("http://localhost:51235/callback")), 400, "invalid_grant"),
        (with("client_id", Some("client_unknown")), 401, "invalid_client"),
        (with("client_id", None), 401, "invalid_client"),
        (with("grant_type", Some("password")), 400, "unsupported_grant_type"),
        (with("grant_type", None), 400, "invalid_request"),
        (with("code", None), 400, "invalid_request"),
        (with("code", Some("service_oac_x")), 400, "invalid_grant"),
    ] {
        let answer = server.post_form("/token", &fields).await;
        assert_eq!(refused(answer, status).await, error, "{fields:?}");
    }
    assert_eq!(refused(server.redeem(&other, &code).await, 400).await, "invalid_grant");
    let twice = [&good[..], &[("code", "a")]].concat();
    let answer = server.post_form("/token", &twice).await;
    assert_eq!(refused(answer, 400).await, "invalid_request");
    Tokens::of(server.redeem(&client, &code).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_without_a_client_and_its_address_leads_nowhere() {
    let server = Server::start().await;
    let client = server.register().await;
    let two = json!({ "redirect_uris": ["https://a.example/1", "https://a.example/2"] });
    let two: Value = server.post_json("/register", &two).await.json().await.unwrap();
    let two = two["client_id"].as_str().unwrap();
    for query in [
        query(&client, &[("redirect_uri", Some(EVIL))]),
        query(&client, &[("redirect_uri", Some("javascript:alert(1)"))]),
        query(&client, &[("redirect_uri", Some("http://localhost:51234/callback/../evil"))]),
        query(&client, &[("redirect_uri", Some("http://localhost:51234@evil.example/callback"))]),
        query(&client, &[("redirect_uri", Some("//evil.example"))]),
        query("client_unknown", &[("redirect_uri", Some(EVIL))]),
        query("", &[("redirect_uri", Some(EVIL))]),
        query(two, &[("redirect_uri", None)]),
        format!("{}&redirect_uri=https%3A%2F%2Fevil.example", query(&client, &[])),
        format!("{}&client_id={two}", query(&client, &[])),
        // Whatever else is wrong, too.
        query(&client, &[("redirect_uri", Some(EVIL)), ("response_type", Some("token"))]),
        query(&client, &[("redirect_uri", Some(EVIL)), ("scope", Some("admin"))]),
        "redirect_uri=https%3A%2F%2Fevil.example&client_id=%ff".to_owned(),
    ] {
        is_refused_here(&server, &query).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_errors_go_to_the_client_with_its_state() {
    let server = Server::start().await;
    let client = server.register().await;
    let own = server.url("");
    let changed = |name, value| query(&client, &[(name, value)]);
    for (query, error) in [
        (changed("code_challenge_method", Some("plain")), "invalid_request"),
        (changed("code_challenge_method", None), "invalid_request"),
        (changed("code_challenge", None), "invalid_request"),
        (changed("code_challenge", Some(VERIFIER.get(1..).unwrap())), "invalid_request"),
        (changed("response_type", Some("token")), "unsupported_response_type"),
        (changed("response_type", None), "invalid_request"),
        (changed("response_mode", Some("fragment")), "invalid_request"),
        (changed("scope", Some("scan:read admin")), "invalid_scope"),
        (changed("resource", Some("https://evil.example/mcp")), "invalid_target"),
        (format!("{}&scope=a&scope=b", changed("scope", None)), "invalid_request"),
        (
            format!("{}&resource=https%3A%2F%2Fa.example", changed("resource", Some(&own))),
            "invalid_target",
        ),
    ] {
        assert_eq!(redirected_error(&server, &query).await, error, "{query}");
    }
    let long = "a".repeat(2049);
    let changed = |name, value| query(&client, &[(name, value)]);
    let answer = asked(&server, &changed("state", Some(&long))).await;
    let found = parameters(answer.headers()["location"].to_str().unwrap());
    assert_eq!((found["error"].as_str(), found.get("state")), ("invalid_request", None));
    for extra in ["prompt=consent&nonce=a&application_type=native", "resource=&scope=&state="] {
        let query = format!("{}&{extra}", query(&client, &[("state", None)]));
        assert_eq!(asked(&server, &query).await.status(), 200, "{extra}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_gives_back_nothing_of_another() {
    let server = Server::start().await;
    let (client, mut browser) = signed_in(&server, &Scope::ALL).await;
    let other = server.register().await;
    let tokens = browser.tokens(&client, &query(&client, &[])).await;
    for token in [&tokens.access, &tokens.refresh] {
        let fields = [("token", token.as_str()), ("client_id", other.as_str())];
        assert_eq!(server.post_form("/revoke", &fields).await.status(), 200);
        let anonymous = server.post_form("/revoke", &fields[..1]).await;
        assert_eq!(refused(anonymous, 401).await, "invalid_client");
    }
    assert_eq!(server.ask_api(&tokens.access).await.status(), 404);
    let answer = server.refresh(&other, &tokens.refresh).await;
    assert_eq!(refused(answer, 400).await, "invalid_grant");
    Tokens::of(server.refresh(&client, &tokens.refresh).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_in_the_query_or_in_a_form_is_none() {
    let server = Server::start().await;
    let (client, mut browser) = signed_in(&server, &Scope::ALL).await;
    let tokens = browser.tokens(&client, &query(&client, &[])).await;
    let path = format!("/api/v1/agent-readiness/example.com?access_token={}", tokens.access);
    let answer = server.get(&path).await;
    assert_eq!(answer.status(), 401);
    assert_eq!(answer.headers()["www-authenticate"], "Bearer", "nothing was presented");
    let path = format!("/api/mcp/v1/mcp?access_token={}", tokens.access);
    let answer = server.client.post(server.url(&path)).body("{}").send().await.unwrap();
    assert_eq!(answer.status(), 401);
    assert!(!answer.headers()["www-authenticate"].to_str().unwrap().contains("error="));
    let fields = [("access_token", tokens.access.as_str()), ("domain", "example.com")];
    assert_eq!(server.post_form("/api/v1/agent-readiness", &fields).await.status(), 401);
    // Nor are the parameters of `/token`.
    let code = browser.code(&query(&client, &[])).await;
    let query = format!(
        "/token?grant_type=authorization_code&code={code}&client_id={client}&code_verifier={VERIFIER}"
    );
    let answer = server.post_form(&query, &[("client_id", &client)]).await;
    assert_eq!(refused(answer, 400).await, "invalid_request");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_registers_so_many_clients_in_an_hour() {
    let server = Server::with(Hosts::default(), |settings| {
        settings.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    let body = json!({ "redirect_uris": [CALLBACK] });
    let register = async |path: &str, from: &str| {
        let request = server.client.post(server.url(path)).json(&body);
        request.header("x-forwarded-for", from).send().await.unwrap()
    };
    for number in 0..20 {
        let path = if number % 2 == 0 { "/register" } else { "/oauth/register" };
        assert_eq!(register(path, "192.0.2.1").await.status(), 201, "{number}");
    }
    let answer = register("/register", "192.0.2.1").await;
    let wait: u64 = answer.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((3500..=3600).contains(&wait), "{wait}");
    assert_eq!(refused(answer, 429).await, "temporarily_unavailable");
    assert_eq!(register("/register", "192.0.2.2").await.status(), 201, "another address");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registration_is_small_json_of_a_public_client() {
    let server = Server::with(Hosts::default(), |settings| {
        settings.limits.registrations_per_hour = 0;
    })
    .await;
    let post = async |media_type: &str, body: String| {
        let request = server.client.post(server.url("/register"));
        request.header("content-type", media_type).body(body).send().await.unwrap()
    };
    let good = json!({
        "client_name": "Cursor",
        "redirect_uris": ["cursor://anysphere.cursor-mcp/oauth/callback", CALLBACK, EVIL],
        "token_endpoint_auth_method": "client_secret_post",
        "scope": "scan:read openid",
    });
    let answer = post("application/json; charset=utf-8", good.to_string()).await;
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["cache-control"]),
        (201, &"no-store".parse().unwrap())
    );
    let body: Value = answer.json().await.unwrap();
    assert_eq!(body["redirect_uris"], json!([CALLBACK, EVIL]));
    assert_eq!(body["token_endpoint_auth_method"], "none");
    assert_eq!((&body["scope"], &body["client_secret"]), (&json!("scan:read"), &Value::Null));
    for (media_type, body, status, error) in [
        ("application/json", "{".to_owned(), 400, "invalid_client_metadata"),
        ("application/json", "[]".to_owned(), 400, "invalid_client_metadata"),
        ("application/json", "{}".to_owned(), 400, "invalid_redirect_uri"),
        ("application/json", "[".repeat(10_000), 400, "invalid_client_metadata"),
        (
            "application/json",
            format!("{{\"a\":\"{}\"}}", "a".repeat(17_000)),
            413,
            "invalid_request",
        ),
        ("text/plain", good.to_string(), 415, "invalid_request"),
        ("application/x-www-form-urlencoded", good.to_string(), 415, "invalid_request"),
    ] {
        let answer = post(media_type, body).await;
        assert_eq!(refused(answer, status).await, error, "{media_type} {status}");
    }
    let json = server.post_json("/token", &json!({ "grant_type": "refresh_token" })).await;
    assert_eq!(refused(json, 415).await, "invalid_request");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_client_calls_itself_is_text_and_no_page() {
    let server = Server::start().await;
    let name = "<script>alert(1)</script>\"'><img src=x>";
    let body = json!({ "client_name": name, "redirect_uris": [CALLBACK] });
    let answer: Value = server.post_json("/register", &body).await.json().await.unwrap();
    let client = answer["client_id"].as_str().unwrap();
    server.make_user(&Scope::ALL);
    let mut browser = Browser::new(&server);
    let asked = query(client, &[("state", Some(name))]);
    let before = browser.open(&asked).await.text().await.unwrap();
    browser.sign_in(&asked).await;
    let after = browser.open(&asked).await.text().await.unwrap();
    for page in [before, after] {
        assert!(page.contains("alert(1)"), "the name is shown: {page}");
        assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
    }
    for name in ["a\u{202e}b", "a\nb", "a\u{0}b"] {
        let body = json!({ "client_name": name, "redirect_uris": [CALLBACK] });
        let answer = server.post_json("/register", &body).await;
        assert_eq!(refused(answer, 400).await, "invalid_client_metadata", "{name:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn libraries_that_name_the_client_by_basic_are_understood() {
    let server = Server::start().await;
    let (client, mut browser) = signed_in(&server, &Scope::ALL).await;
    let tokens = browser.tokens(&client, &query(&client, &[])).await;
    let fields = [("grant_type", "refresh_token"), ("refresh_token", tokens.refresh.as_str())];
    let ask = async |user: &str| {
        let request = server.client.post(server.url("/token")).basic_auth(user, Some(""));
        form(request, &fields).send().await.unwrap()
    };
    let unknown = ask("client_unknown").await;
    assert_eq!(unknown.headers()["www-authenticate"], "Basic realm=\"visibility\"");
    assert_eq!(refused(unknown, 401).await, "invalid_client");
    Tokens::of(ask(&client).await).await;
}
