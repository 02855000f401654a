//! A browser without scripts: it keeps cookies, reads pages and sends their forms.

use std::collections::BTreeMap;

use chrono::Utc;
use reqwest::header::{ACCEPT_LANGUAGE, CONTENT_TYPE, COOKIE, LOCATION, SET_COOKIE};
use reqwest::{Method, RequestBuilder};
use scraper::{Html, Selector};
use url::Url;
use url::form_urlencoded::Serializer;
use uuid::Uuid;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::user::User;
use visibility_server::stores::password_hash::{Password, PasswordHash};
use visibility_server::stores::state::oauth_clients::RegisteredClient;

use crate::api::server::{Server, TENANT};

pub(crate) const CLIENT: &str = "client_0197f0c0de0a7b3c8d4e5f6071829304";
pub(crate) const CALLBACK: &str = "https://client.example/callback";
pub(crate) const LOOPBACK: &str = "http://127.0.0.1:33418/callback";
pub(crate) const ADA: &str = "ada@example.com";
pub(crate) const PASSWORD: &str = "correct horse battery";

/// A server with a client and a user.
pub(crate) async fn server() -> Server {
    let server = Server::start().await;
    make_client(&server, CLIENT, "Example client");
    make_user(&server, ADA, &Scope::ALL);
    server
}

pub(crate) fn make_client(server: &Server, id: &str, name: &str) {
    let client = RegisteredClient {
        id: id.to_owned(),
        name: name.to_owned(),
        redirect_uris: vec![CALLBACK.to_owned(), LOOPBACK.to_owned()],
        created_at: Utc::now(),
    };
    assert!(server.stores.state_store().register_client(&client).unwrap());
}

pub(crate) fn make_user(server: &Server, name: &str, scopes: &[Scope]) {
    make_user_of(server, TENANT, name, scopes);
}

pub(crate) fn make_user_of(server: &Server, tenant: &str, name: &str, scopes: &[Scope]) {
    let user = User {
        id: Uuid::now_v7().into(),
        tenant: tenant.parse().unwrap(),
        name: name.parse().unwrap(),
        scopes: scopes.iter().copied().collect(),
        disabled_at: None,
    };
    let hash = PasswordHash::new(&Password::new(PASSWORD, &user.name).unwrap()).unwrap();
    server.stores.state_store().create_user(&user, &hash, Utc::now()).unwrap();
}

/// The address of a good request, with parameters that are changed or added.
pub(crate) fn address(changes: &[(&str, &str)]) -> String {
    let mut parameters = BTreeMap::from([
        ("client_id", CLIENT),
        ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
        ("code_challenge_method", "S256"),
        ("redirect_uri", CALLBACK),
        ("response_type", "code"),
        ("state", "a b&c"),
    ]);
    parameters.extend(changes.iter().copied());
    format!("/authorize?{}", Serializer::new(String::new()).extend_pairs(parameters).finish())
}

/// A browser.
pub(crate) struct Browser<'a> {
    pub(crate) server: &'a Server,
    pub(crate) cookies: BTreeMap<String, String>,
    pub(crate) languages: &'static str,
    /// Fields that every form is sent with.
    pub(crate) extra: Vec<(&'static str, &'static str)>,
}

/// What a browser got.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) cookies: Vec<String>,
    pub(crate) body: String,
}

/// A form of a page.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) action: String,
    pub(crate) fields: BTreeMap<String, String>,
}

impl<'a> Browser<'a> {
    pub(crate) fn new(server: &'a Server) -> Self {
        Self { server, cookies: BTreeMap::new(), languages: "en", extra: Vec::new() }
    }

    pub(crate) async fn get(&mut self, address: &str) -> Page {
        let request = self.request(Method::GET, address);
        self.send(request).await
    }

    pub(crate) async fn post(&mut self, address: &str, body: &str) -> Page {
        let form = "application/x-www-form-urlencoded";
        let request = self.request(Method::POST, address).header(CONTENT_TYPE, form);
        self.send(request.body(body.to_owned())).await
    }

    /// Sends a form as it is.
    pub(crate) async fn submit(&mut self, form: &Form) -> Page {
        let body = Serializer::new(String::new()).extend_pairs(&form.fields).finish();
        self.post(&form.action, &body).await
    }

    pub(crate) fn request(&self, method: Method, address: &str) -> RequestBuilder {
        let cookies: Vec<String> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut request = self
            .server
            .client
            .request(method, self.server.url(address))
            .header(ACCEPT_LANGUAGE, self.languages);
        if !cookies.is_empty() {
            request = request.header(COOKIE, cookies.join("; "));
        }
        for (name, value) in &self.extra {
            request = request.header(*name, *value);
        }
        request
    }

    pub(crate) async fn send(&mut self, request: RequestBuilder) -> Page {
        let response = request.send().await.unwrap();
        let text = |value: &reqwest::header::HeaderValue| value.to_str().unwrap().to_owned();
        let cookies: Vec<String> =
            response.headers().get_all(SET_COOKIE).iter().map(text).collect();
        for cookie in &cookies {
            let (name, rest) = cookie.split_once('=').unwrap();
            let value = rest.split(';').next().unwrap();
            if rest.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        let named = response.headers().iter();
        let headers = named.map(|(name, value)| (name.to_string(), text(value))).collect();
        let status = response.status().as_u16();
        Page { status, headers, cookies, body: response.text().await.unwrap() }
    }

    /// Fills in the form to sign in.
    pub(crate) async fn sign_in(&mut self, address: &str, name: &str, password: &str) -> Page {
        let page = self.get(address).await;
        assert_eq!(page.status, 200, "{}", page.body);
        let form = page.form(0).with("name", name).with("password", password);
        self.submit(&form).await
    }

    /// Signs Ada in, and gives the page on which she decides.
    pub(crate) async fn consent(&mut self, address: &str) -> Page {
        let signed_in = self.sign_in(address, ADA, PASSWORD).await;
        assert_eq!(signed_in.status, 303, "{}", signed_in.body);
        self.get(signed_in.header("location")).await
    }
}

impl Page {
    /// The value of a header; empty if there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// A form of the page.
    pub(crate) fn form(&self, number: usize) -> Form {
        let html = Html::parse_document(&self.body);
        let form = Selector::parse("form[method=post]").unwrap();
        let input = Selector::parse("input").unwrap();
        let form = html.select(&form).nth(number).unwrap_or_else(|| panic!("{}", self.body));
        let field = |field: scraper::ElementRef<'_>| {
            let value = |name| field.value().attr(name).unwrap_or_default().to_owned();
            (value("name"), value("value"))
        };
        let action = form.value().attr("action").unwrap().to_owned();
        Form { action, fields: form.select(&input).map(field).collect() }
    }

    /// The form that is sent to a path with a button of a value, as a browser sends it.
    pub(crate) fn form_of(&self, path: &str, button: &str) -> Form {
        self.forms_of(path, button).into_iter().next().unwrap_or_else(|| panic!("{}", self.body))
    }

    /// All such forms.
    pub(crate) fn forms_of(&self, path: &str, button: &str) -> Vec<Form> {
        let html = Html::parse_document(&self.body);
        let form = Selector::parse(&format!("form[method=post][action=\"{path}\"]")).unwrap();
        let pressed = Selector::parse(&format!("button[value=\"{button}\"]")).unwrap();
        let field = Selector::parse("input, textarea, select").unwrap();
        let selected = Selector::parse("option[selected]").unwrap();
        let mut found = Vec::new();
        for form in html.select(&form) {
            let Some(pressed) = form.select(&pressed).next() else { continue };
            let mut fields = BTreeMap::new();
            for field in form.select(&field) {
                let value = field.value();
                if value.attr("type") == Some("checkbox") && value.attr("checked").is_none() {
                    continue;
                }
                let text = match value.name() {
                    "textarea" => field.text().collect(),
                    "select" => {
                        let option = field.select(&selected).next().unwrap();
                        option.value().attr("value").unwrap().to_owned()
                    }
                    _ => value.attr("value").unwrap_or_default().to_owned(),
                };
                fields.insert(value.attr("name").unwrap().to_owned(), text);
            }
            fields.insert(pressed.value().attr("name").unwrap().to_owned(), button.to_owned());
            let action = form.value().attr("action").unwrap().to_owned();
            found.push(Form { action, fields });
        }
        found
    }

    /// The text of the elements that a selector finds.
    pub(crate) fn texts(&self, selector: &str) -> Vec<String> {
        let html = Html::parse_document(&self.body);
        let found = Selector::parse(selector).unwrap();
        html.select(&found).map(|element| element.text().collect()).collect()
    }

    /// An attribute of the first element that a selector finds.
    pub(crate) fn attribute(&self, selector: &str, name: &str) -> String {
        let html = Html::parse_document(&self.body);
        let selector = Selector::parse(selector).unwrap();
        let found = html.select(&selector).next().unwrap_or_else(|| panic!("{}", self.body));
        found.value().attr(name).unwrap().to_owned()
    }

    /// Where the browser is sent, and with what.
    pub(crate) fn answer(&self) -> (String, BTreeMap<String, String>) {
        assert_eq!(self.status, 303, "{}", self.body);
        let url = Url::parse(self.header(LOCATION.as_str())).unwrap();
        let before = url.as_str().split('?').next().unwrap().to_owned();
        (before, url.query_pairs().into_owned().collect())
    }
}

impl Form {
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.fields.insert(name.to_owned(), value.to_owned());
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.fields.remove(name);
        self
    }
}
