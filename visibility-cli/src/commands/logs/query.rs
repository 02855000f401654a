//! `visibility logs query`.

use std::env;
use std::time::Duration;

use serde_json::Value;
use url::Url;
use visibility_core::fetch::http::{
    HttpClientError, HttpSettings, ServiceClient, ServiceError, ServiceRequest, ServiceResponse,
};

use super::query_page;
use crate::args::{LogQueryArgs, QueryFormat, QueryParameters, QueryQuestion};
use crate::console::Console;
use crate::console::output::Paint;
use crate::error::CommandError;
use crate::exit_code::Exit;
use crate::run::network::{self, Threads};
use crate::run::secret_file;

/// The variable with the API key.
const KEY_VARIABLE: &str = "VISIBILITY_KEY";
const USER_AGENT: &str = concat!("visibility/", env!("CARGO_PKG_VERSION"));
const TOO_MANY_REQUESTS: u16 = 429;

/// Runs `logs query`.
pub(super) fn run(arguments: &LogQueryArgs, console: &Console) -> Result<Exit, CommandError> {
    let url = address(arguments, console)?;
    let key = key(arguments)?;
    let client = client(arguments)?;
    let mut output = console.output(arguments.output.as_deref())?;
    let accept = match arguments.format {
        QueryFormat::Csv => "text/csv",
        QueryFormat::Human | QueryFormat::Json => "application/json",
    };
    let response = network::block_on(Threads::One, async {
        let request = ServiceRequest { url: &url, token: &key, accept };
        client.get(request).await.map_err(|error| not_reached(&error, &url))
    })?;
    let body = answered(response, &url)?;
    match arguments.format {
        QueryFormat::Human => {
            let answer: Value =
                serde_json::from_slice(&body).map_err(|error| CommandError::Unreachable {
                    message: format!("{} is no answer of this kind: {error}", shown(&url)),
                })?;
            query_page::write(arguments.question, &answer, (console, &mut output))?;
        }
        QueryFormat::Json => {
            output.write_part(&body)?;
            output.write("\n", Paint::Plain)?;
        }
        QueryFormat::Csv => output.write_part(&body)?,
    }
    output.finish()?;
    Ok(Exit::Ok)
}

/// The address of the answer.
fn address(arguments: &LogQueryArgs, console: &Console) -> Result<Url, CommandError> {
    let mut url = arguments.server.clone();
    let has_more = url.query().is_some() || url.fragment().is_some();
    let has_user = !url.username().is_empty() || url.password().is_some();
    if !matches!(url.scheme(), "http" | "https") || has_more || has_user {
        return Err(CommandError::usage_with(
            "--server is not the address of a server",
            "give an address such as `https://visibility.example.com`",
        ));
    }
    let question = match arguments.question {
        QueryQuestion::Summary => "summary",
        QueryQuestion::Series => "series",
        QueryQuestion::Agents => "agents",
        QueryQuestion::Hosts => "hosts",
        QueryQuestion::Errors => "errors",
        QueryQuestion::Sources => "sources",
    };
    let path = format!("{}/api/v1/logs/{question}", url.path().trim_end_matches('/'));
    url.set_path(&path);
    let QueryParameters {
        from,
        to,
        agent,
        purpose,
        vendor,
        host,
        status,
        kind,
        by,
        group,
        all,
        limit,
        after,
    } = &arguments.parameters;
    let named = [
        ("from", from),
        ("to", to),
        ("agent", agent),
        ("purpose", purpose),
        ("vendor", vendor),
        ("host", host),
        ("status", status),
        ("kind", kind),
        ("by", by),
        ("group", group),
        ("limit", limit),
        ("after", after),
    ];
    {
        let mut query = url.query_pairs_mut();
        let given = named.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        query.extend_pairs(given);
        if *all {
            query.append_pair("all", "true");
        }
        query.append_pair("lang", console.lang().as_str());
    }
    Ok(url)
}

/// The API key.
fn key(arguments: &LogQueryArgs) -> Result<String, CommandError> {
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
            "make one on the server: visibility-server keys create TENANT --scope logs:read",
        ));
    }
    Ok(key.to_owned())
}

fn client(arguments: &LogQueryArgs) -> Result<ServiceClient, CommandError> {
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
