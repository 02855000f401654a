//! The HTTP interface of ClickHouse.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read as _};
use std::time::Duration;

use futures_util::stream;
use reqwest::{Body, RequestBuilder, Url};
use tokio::runtime::Runtime;
use visibility_core::store::StoreError;

use crate::settings::ClickHouseSettings;
use crate::stores::{secret_file, tls};

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an answer may take, once everything was sent.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(10);
/// How often it is asked whether to go on.
const GO_ON_PAUSE: Duration = Duration::from_secs(10);
/// Bytes of a file that are sent at a time.
const CHUNK: usize = 256 * 1024;
/// Bytes of an answer that are read at most.
const MAX_ANSWER: usize = 64 * 1024;
/// Characters of an error that are shown.
const MAX_ERROR: usize = 500;

/// What asks ClickHouse.
pub(super) struct ClickHouseClient {
    http: reqwest::Client,
    url: Url,
    database: String,
    user: String,
    password: Option<String>,
    runtime: Runtime,
}

/// A statement with its parameters.
pub(super) struct Query {
    /// What it does, for errors.
    action: &'static str,
    sql: String,
    parameters: Vec<(String, String)>,
}

impl Query {
    pub(super) fn new(action: &'static str, sql: &str) -> Self {
        Self { action, sql: sql.to_owned(), parameters: Vec::new() }
    }

    /// Gives a parameter its value.
    pub(super) fn with(mut self, name: &str, value: &dyn Display) -> Self {
        self.parameters.push((format!("param_{name}"), value.to_string()));
        self
    }

    fn failed(&self, cause: impl Display) -> StoreError {
        StoreError::unchanged(format!("{} in ClickHouse", self.action), cause.to_string())
    }
}

impl ClickHouseClient {
    /// What asks the server at an address. The file with the password is read now.
    pub(super) fn new(url: &str, settings: &ClickHouseSettings) -> Result<Self, StoreError> {
        let failed =
            |cause: String| StoreError::unchanged("prepare the connection to ClickHouse", cause);
        let password = settings.password_file.as_deref().map(|path| {
            let text = secret_file::read(path)
                .map_err(|error| failed(format!("cannot read {}: {error}", path.display())))?;
            Ok::<_, StoreError>(text.trim_end_matches(['\r', '\n']).to_owned())
        });
        let mut roots = tls::public_roots();
        if let Some(path) = &settings.ca_cert {
            tls::add_file(&mut roots, path).map_err(failed)?;
        }
        let tls = tls::client_config(roots).map_err(|error| failed(error.to_string()))?;
        let url = Url::parse(url).map_err(|error| failed(error.to_string()))?;
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .http1_only()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(ANSWER_TIMEOUT)
            .user_agent(concat!("visibility/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| failed(error.to_string()))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| failed(error.to_string()))?;
        Ok(Self {
            http,
            url,
            database: settings.database.clone(),
            user: settings.user.clone(),
            password: password.transpose()?,
            runtime,
        })
    }

    /// Runs a statement and returns its answer.
    pub(super) fn run(&self, query: &Query) -> Result<String, StoreError> {
        let request = self.request(query, &[]).body(query.sql.clone());
        self.runtime.block_on(answer(query, request))
    }

    /// Runs a statement whose data is a file. `go_on` is asked from time to time, and if it says no, the statement is
    /// broken off.
    pub(super) fn send(
        &self,
        query: &Query,
        file: File,
        go_on: &dyn Fn() -> bool,
    ) -> Result<(), StoreError> {
        let body = Body::wrap_stream(stream::try_unfold(file, async |mut file| {
            let mut chunk = vec![0; CHUNK];
            let read = file.read(&mut chunk)?;
            chunk.truncate(read);
            Ok::<_, io::Error>((read > 0).then_some((chunk, file)))
        }));
        let request = self.request(query, &[("query", query.sql.as_str())]).body(body);
        self.runtime.block_on(async {
            let mut answer = Box::pin(answer(query, request));
            loop {
                tokio::select! {
                    answer = &mut answer => return answer.map(|_text| ()),
                    () = tokio::time::sleep(GO_ON_PAUSE) => {
                        if !go_on() {
                            return Err(query.failed("this server does not copy records any more"));
                        }
                    }
                }
            }
        })
    }

    fn request(&self, query: &Query, more: &[(&str, &str)]) -> RequestBuilder {
        // Errors after the head of the answer would be missed otherwise.
        let fixed = [("database", self.database.as_str()), ("wait_end_of_query", "1")];
        let mut url = self.url.clone();
        url.query_pairs_mut()
            .extend_pairs(fixed)
            .extend_pairs(more)
            .extend_pairs(&query.parameters);
        let mut request = self.http.post(url).header("X-ClickHouse-User", &self.user);
        if let Some(password) = &self.password {
            request = request.header("X-ClickHouse-Key", password);
        }
        request
    }
}

/// The text of an answer that is no error.
async fn answer(query: &Query, request: RequestBuilder) -> Result<String, StoreError> {
    let failed = |error: reqwest::Error| {
        let error = error.without_url();
        let mut text = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(error) = cause {
            text = format!("{text}: {error}");
            cause = error.source();
        }
        query.failed(text)
    };
    let mut response = request.send().await.map_err(failed)?;
    let status = response.status();
    let mut text = Vec::new();
    while text.len() < MAX_ANSWER
        && let Some(chunk) = response.chunk().await.map_err(failed)?
    {
        text.extend_from_slice(&chunk);
    }
    let text = String::from_utf8_lossy(&text);
    if status.is_success() {
        return Ok(text.into_owned());
    }
    let shown: String = text.trim().chars().take(MAX_ERROR).collect();
    Err(query.failed(format!("{status}: {shown}")))
}
