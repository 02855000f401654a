//! `visibility mcp`: the real process over pipes, on sites of the tests' own.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use visibility_tests::pages;
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::site::{Reply, good};
use visibility_tests::wait::{LEEWAY, in_time};

use crate::cli::program::{Folder, command};

const HOST: &str = "shop.example.com";
const PAGE: &str = "https://shop.example.com/jackets/aurora";
/// A site that takes connections and says nothing.
const SILENT: &str = "silent.example.com";
/// A site on a port without a listener.
const CLOSED: &str = "closed.example.com";

/// Sites, and how to get to them.
struct World {
    server: FixtureServer,
    folder: Folder,
    silent: TcpListener,
}

impl World {
    async fn open() -> Self {
        let site = good(HOST).with("/jackets/aurora", Reply::html(pages::product()));
        let server = FixtureServer::start(Hosts::new([site])).await;
        let folder = Folder::new();
        folder.file("ca.pem", server.authority().pem());
        let silent = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        Self { server, folder, silent }
    }

    /// The next connection to the silent site.
    async fn connection(&self) -> TcpStream {
        let accepted = in_time("the scan connects", self.silent.accept()).await;
        accepted.expect("a connection").0
    }

    fn client(&self, era: Era) -> Client {
        let silent = self.silent.local_addr().expect("an address").port();
        let mut arguments =
            vec!["mcp".to_owned(), "--ca-cert".to_owned(), self.folder.path("ca.pem")];
        for (host, from, to) in [
            (HOST, 443, self.server.https().port()),
            (HOST, 80, self.server.http().port()),
            (SILENT, 443, silent),
            (SILENT, 80, silent),
            (CLOSED, 443, 1),
            (CLOSED, 80, 1),
        ] {
            arguments.extend(["--connect-to".to_owned(), format!("{host}:{from}:127.0.0.1:{to}")]);
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        Client::start(&arguments, era)
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Era {
    Initialize,
    Stateless,
}

/// A client of a process.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
    era: Era,
}

impl Client {
    fn start(arguments: &[&str], era: Era) -> Self {
        let mut child = command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut client = Self { child, input, output, last: 0, era };
        if era == Era::Initialize {
            let asked = json!({
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            });
            let begun = client.result("initialize", asked);
            assert_eq!(begun["protocolVersion"], "2025-06-18");
            client.write(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
        }
        client
    }

    fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().expect("open").write_all(bytes).expect("the binary reads");
    }

    fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.last += 1;
        if self.era == Era::Stateless {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let message =
            json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.write(format!("{message}\n").as_bytes());
        self.last
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("UTF-8");
        serde_json::from_str(&line).expect("each line is JSON")
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let answer = self.hear();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(id)), "{answer}");
        answer
    }

    fn result(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params);
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].take()
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let called = self.result("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_ne!(called["isError"], true, "{called}");
        called
    }

    /// Closes its input, and waits for the end; what it still says is read.
    fn end(mut self) -> End {
        drop(self.input.take());
        let began = Instant::now();
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("UTF-8");
        let code = self.child.wait().expect("the binary ends").code();
        let mut stderr = String::new();
        let errors = self.child.stderr.take().expect("a pipe");
        BufReader::new(errors).read_to_string(&mut stderr).expect("UTF-8");
        End { code, rest, stderr, took: began.elapsed() }
    }
}

/// How a process ended.
#[derive(Debug)]
struct End {
    code: Option<i32>,
    rest: String,
    stderr: String,
    took: Duration,
}

#[tokio::test(flavor = "multi_thread")]
async fn both_eras_scan_audit_and_read() {
    let world = World::open().await;
    for era in [Era::Initialize, Era::Stateless] {
        let mut client = world.client(era);
        let tools = client.result("tools/list", json!({}));
        let names: Vec<&str> = tools["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert!(
            names.contains(&"audit_page") && !names.contains(&"query_bot_traffic"),
            "{names:?}"
        );

        let first = client.call("scan_domain", &json!({"domain": HOST}));
        let first = &first["structuredContent"];
        assert_eq!((&first["domain"], &first["cached"]), (&json!(HOST), &json!(false)));
        let asked = world.server.requests();
        let again = client.call("scan_domain", &json!({"domain": HOST}));
        let again = &again["structuredContent"];
        assert_eq!((&again["cached"], &again["score"]), (&json!(true), &first["score"]));
        let uri = format!("visibility://scan/{HOST}");
        let scan = client.result("resources/read", json!({"uri": uri}));
        let whole = scan["contents"][1]["text"].as_str().unwrap();
        let whole: Value = serde_json::from_str(whole).unwrap();
        assert_eq!((&whole["cached"], &whole["score"]), (&json!(true), &first["score"]));
        let fix = json!({"domain": HOST, "check_id": "ai-catalog", "platform": "nginx"});
        client.call("get_fix", &fix);
        assert_eq!(world.server.requests(), asked, "a cached result needs no request");

        let audit = client.call("audit_page", &json!({"url": PAGE}));
        let audit = &audit["structuredContent"];
        assert_eq!(audit["status"], "completed");
        let asked = world.server.requests();
        let again = client.call("audit_page", &json!({"url": PAGE, "lang": "tr"}));
        assert_eq!(again["structuredContent"]["id"], audit["id"]);
        assert_ne!(again["structuredContent"]["summary"], audit["summary"]);
        let kept = client.call("get_audit", &json!({"audit_id": audit["id"]}));
        assert_eq!(kept["structuredContent"], *audit);
        assert_eq!(world.server.requests(), asked);
        let other = client.call("audit_page", &json!({"url": PAGE, "profile": "article"}));
        assert_ne!(other["structuredContent"]["id"], audit["id"], "another kind is another audit");

        let prompt = json!({"name": "fix_agent_readiness", "arguments": {"domain": HOST}});
        let prompt = client.result("prompts/get", prompt);
        assert!(prompt.to_string().contains(HOST));
        let reference = json!({"type": "ref/prompt", "name": "fix_agent_readiness"});
        let typed = json!({"ref": reference, "argument": {"name": "platform", "value": "ng"}});
        let found = client.result("completion/complete", typed);
        assert_eq!(found["completion"]["values"], json!(["nginx"]));

        let end = client.end();
        assert_eq!((end.code, end.rest.as_str(), end.stderr.as_str()), (Some(0), "", ""));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_may_not_be_asked_for_names_the_flags() {
    let mut client = Client::start(&["mcp"], Era::Stateless);
    let page = json!({"name": "audit_page", "arguments": {"url": "http://127.0.0.1/"}});
    let refused = client.result("tools/call", page);
    let text = refused["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("URL_NOT_ALLOWED: ") && text.contains("--allow-network"), "{text}");
    assert_eq!(client.end().code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_could_not_be_reached_is_asked_for_again() {
    let world = World::open().await;
    let mut client = world.client(Era::Stateless);
    let url = json!({"url": format!("https://{CLOSED}/")});
    let first = client.call("audit_page", &url);
    assert_eq!(first["structuredContent"]["status"], "unreachable");
    let second = client.call("audit_page", &url);
    assert_ne!(first["structuredContent"]["id"], second["structuredContent"]["id"]);
    client.call("get_audit", &json!({"audit_id": first["structuredContent"]["id"]}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_scan_lets_go_of_the_site() {
    let world = World::open().await;
    for era in [Era::Initialize, Era::Stateless] {
        let mut client = world.client(era);
        let uri = json!({"uri": format!("visibility://scan/{SILENT}")});
        let id = client.send("resources/read", uri);
        let stream = world.connection().await;
        let params = json!({"requestId": id, "reason": "enough"});
        let cancelled =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        client.write(format!("{cancelled}\n").as_bytes());
        wait_for_end(stream).await;
        client.result("tools/list", json!({}));
        let end = client.end();
        assert_eq!((end.code, end.rest.as_str()), (Some(0), ""), "{end:?}");
        while let Ok(Ok(_)) =
            tokio::time::timeout(Duration::from_millis(50), world.silent.accept()).await
        {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn when_the_input_ends_a_running_scan_does_not_keep_the_process() {
    let world = World::open().await;
    let mut client = world.client(Era::Stateless);
    client.send("resources/read", json!({"uri": format!("visibility://scan/{SILENT}")}));
    let stream = world.connection().await;
    let end = tokio::task::spawn_blocking(move || client.end()).await.expect("it ends");
    assert_eq!((end.code, end.rest.as_str(), end.stderr.as_str()), (Some(0), "", ""));
    // It takes a moment; the scan has a minute.
    assert!(end.took < LEEWAY, "{end:?}");
    wait_for_end(stream).await;
}

/// Waits until the other side has closed a connection.
async fn wait_for_end(mut stream: TcpStream) {
    use tokio::io::AsyncReadExt;
    let mut bytes = [0; 4096];
    let end = async { while !matches!(stream.read(&mut bytes).await, Ok(0) | Err(_)) {} };
    in_time("the scan lets go", end).await;
}

#[test]
fn lines_that_are_no_messages_are_answered_and_take_no_memory() {
    let mut client = Client::start(&["mcp"], Era::Initialize);
    client.write(b"no json\n");
    assert_eq!(client.hear()["error"]["code"], -32700);
    let block = vec![b'x'; 1 << 20];
    for _ in 0..100 {
        client.write(&block);
    }
    client.write(b"\n");
    assert_eq!(client.hear()["error"]["code"], -32600);
    #[cfg(target_os = "linux")]
    {
        let path = format!("/proc/{}/status", client.child.id());
        let status = std::fs::read_to_string(path).expect("the process runs");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        let kib: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
        assert!(kib < 80_000, "{kib} KiB");
    }
    client.result("tools/list", json!({}));
    client.write(b"{\"jsonrpc\":\"2.0\",\"id\":99,\"method\":\"ping\"}");
    let end = client.end();
    assert!(end.rest.contains("\"id\":99"), "the last line needs no end: {end:?}");
    assert_eq!((end.code, end.stderr.as_str()), (Some(0), ""));
}

#[test]
fn nothing_at_all_is_no_failure() {
    let end = Client::start(&["mcp"], Era::Stateless).end();
    assert_eq!((end.code, end.rest.as_str(), end.stderr.as_str()), (Some(0), "", ""));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it() {
    let mut client = Client::start(&["mcp"], Era::Initialize);
    let id = client.child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.expect("kill runs").success());
    assert_eq!(client.child.wait().expect("the binary ends").code(), Some(130));
}

#[test]
fn a_client_that_goes_away_is_no_failure() {
    let mut client = Client::start(&["mcp"], Era::Initialize);
    client.send("tools/list", json!({}));
    drop(client.output);
    drop(client.input.take());
    assert_eq!(client.child.wait().expect("the binary ends").code(), Some(0));
}
