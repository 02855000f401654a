//! `logs query` against a server of the tests with real TLS, and without any server.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output};

use axum::Router;
use axum::http::header::{AUTHORIZATION, LOCATION, RETRY_AFTER};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use tempfile::TempDir;
use visibility_tests::closed_port::ClosedPort;
use visibility_tests::program::program;
use visibility_tests::tls::{Alpn, Leaf, Server, TestCa};

const KEY: &str = "service_live_0123456789abcdef0123456789abcdefABCD";

/// Answers by the agent that is asked for.
async fn answer(uri: Uri, headers: HeaderMap) -> Response {
    let query = uri.query().unwrap_or_default();
    let is_known =
        headers.get(AUTHORIZATION).is_some_and(|value| value == &format!("Bearer {KEY}"));
    let error = r#"{"error":{"code":"X","message":"it is \u001b[1mnot\u202e so","hint":"do it otherwise"}}"#;
    let found = |kind: &str| query.contains(&format!("agent={kind}&"));
    if !is_known || found("refused") {
        return (StatusCode::BAD_REQUEST, error).into_response();
    }
    if found("moved") {
        let elsewhere = [(LOCATION, "https://elsewhere.example/")];
        return (StatusCode::MOVED_PERMANENTLY, elsewhere).into_response();
    }
    if found("waiting") {
        return (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, "7")], error).into_response();
    }
    if found("away") {
        return (StatusCode::BAD_GATEWAY, "<h1>Bad gateway</h1>").into_response();
    }
    if found("page") {
        return "<h1>Welcome</h1>".into_response();
    }
    let path = uri.path();
    format!(r#"{{"path":"{path}","query":"{query}","agents":[],"next":null}}"#).into_response()
}

/// A server, and the folder with what a command needs to ask it.
struct QueriedServer {
    folder: TempDir,
    _server: Server,
    address: SocketAddr,
}

impl QueriedServer {
    async fn start() -> Self {
        let authority = TestCa::new();
        let config = authority.server_config(&["localhost"], Leaf::Good, Alpn::Both);
        let router = Router::new().route("/{*path}", get(answer));
        let server = Server::tls(config, router).await;
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("ca.pem"), authority.root_pem()).unwrap();
        fs::write(folder.path().join("key"), format!("{KEY}\n")).unwrap();
        let owner_only = fs::Permissions::from_mode(0o600);
        fs::set_permissions(folder.path().join("key"), owner_only).unwrap();
        let address = server.address();
        Self { folder, _server: server, address }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program("visibility"));
        command.env_clear().current_dir(self.folder.path());
        command.args(["logs", "query"]).args(arguments);
        command
    }

    async fn run(&self, mut command: Command) -> (Option<i32>, String, String) {
        let run = tokio::task::spawn_blocking(move || command.output().unwrap());
        let Output { status, stdout, stderr } = run.await.unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (status.code(), text(stdout), text(stderr))
    }

    /// Asks the server for its agents.
    async fn ask(&self, more: &[&str]) -> (Option<i32>, String, String) {
        let server = format!("https://localhost:{}/visibility/", self.address.port());
        let arguments = ["agents", "--server", &server, "--ca-cert", "ca.pem"];
        let mut command = self.command(&arguments);
        command.args(more).env("VISIBILITY_KEY", KEY);
        self.run(command).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_and_the_question_arrive_as_they_were_given() {
    let asked = QueriedServer::start().await;
    let arguments = ["--host", "a&b.example", "--all", "--lang", "tr", "--format", "json"];
    let (code, stdout, stderr) = asked.ask(&arguments).await;
    assert_eq!(code, Some(0), "{stderr}");
    let answer: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(answer["path"], "/visibility/api/v1/logs/agents");
    assert_eq!(answer["query"], "host=a%26b.example&all=true&lang=tr");
    let from_file = ["--api-key-file", "key", "--format", "json", "-o", "answer.json"];
    let (code, stdout, stderr) = asked.ask(&from_file).await;
    assert_eq!((code, stdout.as_str()), (Some(0), ""), "{stderr}");
    let written = fs::read_to_string(asked.folder.path().join("answer.json")).unwrap();
    assert!(written.starts_with("{\"path\"") && written.ends_with("}\n"), "{written}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_says_instead_of_an_answer_is_said() {
    let asked = QueriedServer::start().await;
    for (agent, expected, said) in [
        ("refused", 2, "refused the question: status 400: it is"),
        ("refused", 2, "hint: do it otherwise"),
        ("moved", 2, "redirects to https://elsewhere.example/, and a key is not sent on"),
        ("waiting", 3, "cannot answer now: status 429"),
        ("waiting", 3, "try again in 7 s"),
        ("away", 3, "status 502"),
        ("page", 3, "is no answer of this kind"),
    ] {
        let (code, stdout, stderr) = asked.ask(&["--agent", agent]).await;
        assert_eq!((code, stdout.as_str()), (Some(expected), ""), "{agent}: {stderr}");
        assert!(stderr.contains(said), "{agent}: {stderr}");
        assert!(!stderr.contains(KEY) && !stderr.contains('\u{202e}'), "{stderr:?}");
        assert!(!stderr.contains('\u{1b}'), "{stderr:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_there_or_not_trusted_is_not_reached() {
    let asked = QueriedServer::start().await;
    let closed = ClosedPort::bind();
    let untrusted = format!("https://localhost:{}", asked.address.port());
    let other_name = format!("https://127.0.0.1:{}", asked.address.port());
    for (server, said) in [
        (format!("http://{closed}"), "Connection refused"),
        (untrusted, "certificate"),
        (other_name, "certificate"),
        ("https://does-not-exist.invalid".to_owned(), "does-not-exist.invalid"),
    ] {
        let mut command = asked.command(&["summary", "--server", &server]);
        command.env("VISIBILITY_KEY", KEY);
        let (code, _, stderr) = asked.run(command).await;
        assert_eq!(code, Some(3), "{server}: {stderr}");
        assert!(stderr.contains(said), "{server}: {stderr}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_goes_nowhere_unencrypted_and_comes_from_no_argument() {
    let asked = QueriedServer::start().await;
    let plain = ["summary", "--server", "http://192.0.2.1"];
    let mut command = asked.command(&plain);
    command.env("VISIBILITY_KEY", KEY);
    let (code, _, stderr) = asked.run(command).await;
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("for this machine alone"), "{stderr}");
    let open = asked.folder.path().join("open");
    fs::write(&open, KEY).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(asked.folder.path().join("empty"), "").unwrap();
    let empty = fs::Permissions::from_mode(0o600);
    fs::set_permissions(asked.folder.path().join("empty"), empty).unwrap();
    let server = ["summary", "--server", "https://localhost"];
    for (more, said) in [
        (&[][..], "the variable VISIBILITY_KEY has no API key"),
        (&["--api-key-file", "open"], "others can read `open`"),
        (&["--api-key-file", "empty"], "`empty` has no API key"),
        (&["--api-key-file", "none"], "cannot read `none`"),
        (&["--api-key", KEY], "unexpected argument"),
        (&["--server", "ftp://localhost"], "cannot be used multiple times"),
    ] {
        let (code, _, stderr) = asked.run(asked.command(&[&server, more].concat())).await;
        assert_eq!(code, Some(2), "{more:?}: {stderr}");
        assert!(stderr.contains(said), "{more:?}: {stderr}");
    }
    for server in
        ["ftp://localhost", "https://a:b@localhost", "https://localhost/?x=1", "localhost"]
    {
        let mut command = asked.command(&["summary", "--server", server]);
        command.env("VISIBILITY_KEY", KEY);
        let (code, _, stderr) = asked.run(command).await;
        assert_eq!(code, Some(2), "{server}: {stderr}");
    }
}
