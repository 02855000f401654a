//! Asks a server, with a key that is in no argument.

use std::env;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;
use visibility_core::accounts::scope::Scope;
use visibility_core::fetch::http::{
    HttpClientError, HttpSettings, ServiceClient, ServiceError, ServiceRequest, ServiceResponse,
};

use crate::args::ServiceArgs;
use crate::error::CommandError;
use crate::run::network::{self, Threads};
use crate::run::secret_file;

/// The variable with the API key.
const KEY_VARIABLE: &str = "VISIBILITY_KEY";
const USER_AGENT: &str = concat!("visibility/", env!("CARGO_PKG_VERSION"));
const TOO_MANY_REQUESTS: u16 = 429;

/// A question to a server, which it has not been asked yet.
pub(crate) struct ServiceQuestion {
    url: Url,
    key: String,
    client: ServiceClient,
}

/// An answer of a server.
pub(crate) struct ServiceAnswer {
    url: Url,
    pub(crate) body: Vec<u8>,
}

impl ServiceQuestion {
    /// A question with everything that it needs: a path such as `/api/v1/logs/summary`, parameters, and a key with a scope.
    pub(crate) fn new(
        arguments: &ServiceArgs,
        scope: Scope,
        path: &str,
        parameters: &[(&str, &str)],
    ) -> Result<Self, CommandError> {
        let mut url = address(arguments, path)?;
        url.query_pairs_mut().extend_pairs(parameters);
        Ok(Self { url, key: key(arguments, scope)?, client: client(arguments)? })
    }

    /// Asks, and waits for the answer in a form.
    pub(crate) fn ask(self, accept: &str) -> Result<ServiceAnswer, CommandError> {
        let Self { url, key, client } = self;
        let response = network::block_on(Threads::One, async {
            let request = ServiceRequest { url: &url, token: &key, accept };
            client.get(request).await.map_err(|error| not_reached(&error, &url))
        })?;
        let body = answered(response, &url)?;
        Ok(ServiceAnswer { url, body })
    }
}

impl ServiceAnswer {
    /// The answer, read.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, CommandError> {
        serde_json::from_slice(&self.body).map_err(|error| CommandError::Unreachable {
            message: format!("{} is no answer of this kind: {error}", shown(&self.url)),
        })
    }
}

/// The address of a path of the server.
fn address(arguments: &ServiceArgs, path: &str) -> Result<Url, CommandError> {
    let mut url = arguments.server.clone();
    let has_more = url.query().is_some() || url.fragment().is_some();
    let has_user = !url.username().is_empty() || url.password().is_some();
    if !matches!(url.scheme(), "http" | "https") || has_more || has_user {
        return Err(CommandError::usage_with(
            "--server is not the address of a server",
            "give an address such as `https://visibility.example.com`",
        ));
    }
    let path = format!("{}{path}", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Ok(url)
}

/// The API key, which needs a scope.
fn key(arguments: &ServiceArgs, scope: Scope) -> Result<String, CommandError> {
    let key = match &arguments.api_key_file {
        Some(path) => String::from_utf8_lossy(&secret_file::read(path)?).into_owned(),
        None => env::var(KEY_VARIABLE).unwrap_or_default(),
    };
    let key = key.trim();
    // What a field of a request can have; the server says whether it is a key.
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        let place = arguments.api_key_file.as_ref().map_or_else(
            || format!("the variable {KEY_VARIABLE} has no API key"),
            |path| format!("`{}` has no API key", path.display()),
        );
        return Err(CommandError::usage_with(
            place,
            format!(
                "make one on the server: visibility-server keys create TENANT --scope {}",
                scope.as_str()
            ),
        ));
    }
    Ok(key.to_owned())
}

fn client(arguments: &ServiceArgs) -> Result<ServiceClient, CommandError> {
    let mut settings = HttpSettings::default();
    network::trust_files(&mut settings, &arguments.ca_cert)?;
    let client = ServiceClient::new(USER_AGENT, &settings.extra_roots);
    client.map_err(|error: HttpClientError| {
        CommandError::internal("cannot create the HTTP client", error)
    })
}

/// The body of an answer, if it is one.
fn answered(response: ServiceResponse, url: &Url) -> Result<Vec<u8>, CommandError> {
    let ServiceResponse { status, location, retry_after, body } = response;
    match status {
        200 => Ok(body),
        300..=399 => {
            let to = location.map_or_else(String::new, |to| format!(" to {to}"));
            Err(CommandError::usage_with(
                format!("{} redirects{to}, and a key is not sent on", shown(url)),
                "give --server the address at which the API is",
            ))
        }
        TOO_MANY_REQUESTS | 500.. => {
            let said = said(&body).0;
            let wait = retry_after.map(Duration::from_secs);
            let again = wait
                .map_or_else(String::new, |wait| format!("; try again in {} s", wait.as_secs()));
            Err(CommandError::Unreachable {
                message: format!("{} cannot answer now: status {status}{said}{again}", shown(url)),
            })
        }
        _ => {
            let (said, hint) = said(&body);
            let message = format!("{} refused the question: status {status}{said}", shown(url));
            let hint = hint.unwrap_or_else(|| {
                "see whether --server is the address of a visibility server".to_owned()
            });
            Err(CommandError::usage_with(message, hint))
        }
    }
}

/// What an error of the API says, and its hint.
fn said(body: &[u8]) -> (String, Option<String>) {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let text = |name: &str| body.pointer(&format!("/error/{name}")).and_then(Value::as_str);
    let said = text("message").map_or_else(String::new, |message| format!(": {message}"));
    (said, text("hint").map(str::to_owned))
}

fn not_reached(error: &ServiceError, url: &Url) -> CommandError {
    match error {
        ServiceError::Unencrypted => CommandError::usage_with(
            error.to_string(),
            "give an `https://` address, or one of this machine",
        ),
        _ => CommandError::Unreachable { message: format!("{}: {error}", shown(url)) },
    }
}

/// The address without its parameters.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.to_string()
}
