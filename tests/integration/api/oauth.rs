//! The authorization server: what programs ask, with a browser in which a person decides.

mod attacks;
mod authorize;
mod documents;
mod metadata;
mod tokens;

use std::collections::BTreeMap;

use chrono::Utc;
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::user::User;
use visibility_server::stores::password_hash::{Password, PasswordHash};

use crate::api::server::{Server, TENANT};

/// RFC 7636 appendix B.
pub(crate) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub(crate) const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
/// Where programs wait for the browser.
pub(crate) const CALLBACK: &str = "http://localhost:51234/callback";
const USER: &str = "ada";
const PASSWORD: &str = "correct horse battery";

impl Server {
    /// Makes the user whom browsers sign in.
    pub(crate) fn make_user(&self, scopes: &[Scope]) {
        let user = User {
            id: Uuid::now_v7().into(),
            tenant: TENANT.parse().unwrap(),
            name: USER.parse().unwrap(),
            scopes: scopes.iter().copied().collect(),
            disabled_at: None,
        };
        let password = Password::new(PASSWORD, &user.name).unwrap();
        let hash = PasswordHash::new(&password).unwrap();
        self.stores.state_store().create_user(&user, &hash, Utc::now()).unwrap();
    }

    pub(crate) async fn post_form(&self, path: &str, fields: &[(&str, &str)]) -> Response {
        form(self.client.post(self.url(path)), fields).send().await.unwrap()
    }

    pub(crate) async fn post_json(&self, path: &str, body: &Value) -> Response {
        self.client.post(self.url(path)).json(body).send().await.unwrap()
    }

    /// Registers a client that waits at [`CALLBACK`], and gives its id.
    pub(crate) async fn register(&self) -> String {
        let body = json!({ "client_name": "Client", "redirect_uris": [CALLBACK] });
        let answer = self.post_json("/register", &body).await;
        assert_eq!(answer.status(), 201);
        let answer: Value = answer.json().await.unwrap();
        answer["client_id"].as_str().unwrap().to_owned()
    }

    /// What a program presents with a code.
    pub(crate) async fn redeem(&self, client: &str, code: &str) -> Response {
        let fields = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("client_id", client),
            ("redirect_uri", CALLBACK),
            ("code_verifier", VERIFIER),
        ];
        self.post_form("/token", &fields).await
    }

    pub(crate) async fn refresh(&self, client: &str, token: &str) -> Response {
        let fields =
            [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", client)];
        self.post_form("/token", &fields).await
    }

    /// Asks the API with a token: 404 for a result that there is not, if the token is taken.
    pub(crate) async fn ask_api(&self, token: &str) -> Response {
        let request = self.client.get(self.url("/api/v1/agent-readiness/example.com"));
        request.bearer_auth(token).send().await.unwrap()
    }
}

/// A request with a form as its body.
pub(crate) fn form(request: RequestBuilder, fields: &[(&str, &str)]) -> RequestBuilder {
    let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    request.header("content-type", "application/x-www-form-urlencoded").body(body)
}

/// The query of a request for authorization, as it is changed: a value of nothing takes one away.
pub(crate) fn query(client: &str, changes: &[(&str, Option<&str>)]) -> String {
    let mut parameters = vec![
        ("response_type", "code"),
        ("client_id", client),
        ("redirect_uri", CALLBACK),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("state", "a b&c=\u{e9}"),
    ];
    for (name, value) in changes {
        parameters.retain(|(own, _)| own != name);
        parameters.extend(value.map(|value| (*name, value)));
    }
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish()
}

/// The body of an OAuth error with a status.
pub(crate) async fn refused(answer: Response, status: u16) -> String {
    assert_eq!(answer.status(), status);
    assert_eq!(answer.headers()["cache-control"], "no-store");
    let body: Value = answer.json().await.unwrap();
    assert!(!body["error_description"].as_str().unwrap().is_empty());
    body["error"].as_str().unwrap().to_owned()
}

/// The parameters of an address that a browser is sent to.
pub(crate) fn parameters(location: &str) -> BTreeMap<String, String> {
    Url::parse(location).unwrap().query_pairs().into_owned().collect()
}

/// A browser: it keeps cookies, and posts the forms that it is shown.
#[derive(Clone)]
pub(crate) struct Browser<'a> {
    server: &'a Server,
    cookies: BTreeMap<String, String>,
}

impl<'a> Browser<'a> {
    pub(crate) fn new(server: &'a Server) -> Self {
        Self { server, cookies: BTreeMap::new() }
    }

    /// Opens the page of a request for authorization.
    pub(crate) async fn open(&mut self, query: &str) -> Response {
        let request = self.server.client.get(self.server.url(&format!("/authorize?{query}")));
        self.send(request).await
    }

    async fn send(&mut self, request: RequestBuilder) -> Response {
        let pairs = self.cookies.iter().map(|(name, value)| format!("{name}={value}"));
        let cookie = pairs.collect::<Vec<_>>().join("; ");
        let answer = request.header("cookie", cookie).send().await.unwrap();
        for field in answer.headers().get_all("set-cookie") {
            let pair = field.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
        answer
    }

    /// Fills the form at a request for authorization.
    async fn fill(&mut self, query: &str, fields: &[(&str, &str)]) -> Response {
        let sign = self.sign(query).await;
        let fields: Vec<_> = fields.iter().copied().chain([("csrf", sign.as_str())]).collect();
        self.post(query, &fields).await
    }

    /// The hidden token of the form at a request for authorization.
    pub(crate) async fn sign(&mut self, query: &str) -> String {
        let page = self.open(query).await.text().await.unwrap();
        let sign = page.split("name=\"csrf\" value=\"").nth(1).expect("a form");
        sign.split('"').next().unwrap().to_owned()
    }

    /// Sends a form to a request for authorization.
    pub(crate) async fn post(&mut self, query: &str, fields: &[(&str, &str)]) -> Response {
        let request = self.server.client.post(self.server.url(&format!("/authorize?{query}")));
        self.send(form(request, fields)).await
    }

    /// Signs out, by the sign of a form of the session.
    pub(crate) async fn sign_out(&mut self, sign: &str) -> Response {
        let request = self.server.client.post(self.server.url("/sign-out"));
        self.send(form(request, &[("csrf", sign)])).await
    }

    /// Signs in the user of [`Server::make_user`].
    pub(crate) async fn sign_in(&mut self, query: &str) {
        let answer = self.fill(query, &[("name", USER), ("password", PASSWORD)]).await;
        assert_eq!(answer.status(), 303);
    }

    /// Decides, and gives where the browser is sent.
    pub(crate) async fn decide(&mut self, query: &str, decision: &str) -> String {
        let answer = self.fill(query, &[("decision", decision)]).await;
        assert_eq!(answer.status(), 303);
        answer.headers()["location"].to_str().unwrap().to_owned()
    }
}

/// A server with a user of these scopes, a client, and a browser that is signed in.
pub(crate) async fn signed_in<'a>(server: &'a Server, scopes: &[Scope]) -> (String, Browser<'a>) {
    server.make_user(scopes);
    let client = server.register().await;
    let mut browser = Browser::new(server);
    browser.sign_in(&query(&client, &[])).await;
    (client, browser)
}

impl Browser<'_> {
    /// The code of a request that is approved.
    pub(crate) async fn code(&mut self, query: &str) -> String {
        let location = self.decide(query, "approve").await;
        parameters(&location).remove("code").unwrap_or_else(|| panic!("{location}"))
    }

    /// The tokens of a request that is approved.
    pub(crate) async fn tokens(&mut self, client: &str, query: &str) -> Tokens {
        let code = self.code(query).await;
        Tokens::of(self.server.redeem(client, &code).await).await
    }
}

/// What a program got.
#[derive(Debug)]
pub(crate) struct Tokens {
    pub(crate) access: String,
    pub(crate) refresh: String,
    pub(crate) scope: String,
}

impl Tokens {
    pub(crate) async fn of(answer: Response) -> Self {
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["cache-control"], "no-store");
        let body: Value = answer.json().await.unwrap();
        assert_eq!((&body["token_type"], &body["expires_in"]), (&json!("Bearer"), &json!(3600)));
        let text = |name: &str| body[name].as_str().unwrap().to_owned();
        Self { access: text("access_token"), refresh: text("refresh_token"), scope: text("scope") }
    }
}
