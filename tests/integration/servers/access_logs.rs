//! The logs of real servers say exactly what was asked.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::Value;
use tempfile::TempDir;
use visibility_core::access_log::{
    Filter, FilterSettings, HashKey, HashPeriod, KeyMap, LineParser, LineSkipReason, detect,
};
use visibility_core::agents::Registry;
use visibility_core::ingest::{LogRecord, RecordSink, Rejection, Rules, strip_denied};
use visibility_core::store::StoreError;
use visibility_tests::free_port::free_port;
use visibility_tests::wait::until_blocking;

const HOST: &str = "www.example.com";
/// The status of a request that a server does not read to its end: it logs no user agent for it, or nothing at all.
const BAD_REQUEST: u16 = 400;

/// A request, and the status of its answer.
#[derive(Clone, Debug)]
struct SentRequest {
    target: String,
    user_agent: String,
    referrer: String,
    status: u16,
}

/// A server that runs until it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The lines of records.
#[derive(Default)]
struct RecordLines(Vec<Value>);

impl RecordSink for RecordLines {
    fn accept(&mut self, record: &LogRecord<'_>) -> Result<(), StoreError> {
        let mut line = Vec::new();
        record.write_json(&mut line);
        self.0.push(serde_json::from_slice(&line).expect("a record"));
        Ok(())
    }

    fn reject(&mut self, _: &Rejection<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Every listed user agent, and requests that are hard to log.
fn requests() -> Vec<SentRequest> {
    let agents = Registry::embedded();
    let asked = |target: &str, user_agent: &str, referrer: &str| SentRequest {
        target: target.to_owned(),
        user_agent: user_agent.to_owned(),
        referrer: referrer.to_owned(),
        status: 0,
    };
    let tokens = agents.agents.iter().flat_map(|agent| &agent.user_agent_tokens);
    let user_agents = tokens
        .map(|token| format!("Mozilla/5.0 (compatible; {token}/1.0; +https://example.com/bot)"))
        .filter(|user_agent| agents.match_listed_user_agent(user_agent).is_some());
    let mut all: Vec<SentRequest> =
        user_agents.map(|user_agent| asked("/", &user_agent, "")).collect();
    let agent = "Mozilla/5.0 (\"quoted\" back\\slash \u{30dc}; GPTBot/1.3)";
    for target in [
        "/p?a=1&b=2",
        "/p?page=2&token=s3cr3t&email=a%40b.com",
        "/cb?code=SECRET&state=x",
        "/missing/%E2%9C%93?q=a%20b",
        "/a\"b",
        "/a\\b",
        "/ü",
        "/'x'",
        "/[x]",
        "http://www.example.com/absolute?x=1",
        "/%00",
        "/..%2f..%2fetc%2fpasswd",
    ] {
        all.push(asked(target, agent, "https://a.example/\"x\""));
    }
    all
}

fn ask(port: u16, asked: &SentRequest) -> u16 {
    let mut connection = TcpStream::connect(("127.0.0.1", port)).expect("a server");
    connection.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
    let referrer = match asked.referrer.as_str() {
        "" => String::new(),
        referrer => format!("Referer: {referrer}\r\n"),
    };
    let SentRequest { target, user_agent, .. } = asked;
    let request = format!(
        "GET {target} HTTP/1.1\r\nHost: {HOST}:{port}\r\nUser-Agent: {user_agent}\r\n{referrer}Connection: close\r\n\r\n"
    );
    connection.write_all(request.as_bytes()).expect("a request");
    let mut response = Vec::new();
    connection.read_to_end(&mut response).expect("a response");
    let head = String::from_utf8_lossy(&response).into_owned();
    head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status")
}

/// Starts a server, and asks it everything.
fn asked(command: &mut Command, port: u16) -> (Running, Vec<SentRequest>) {
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let server = Running(child.expect("an installed server"));
    until_blocking("it listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    let mut all = requests();
    for asked in &mut all {
        asked.status = ask(port, asked);
    }
    (server, all)
}

/// Asserts that a log has the records of these requests, and no others.
fn assert_log(path: &Path, default_host: Option<&str>, asked: &[SentRequest]) {
    let count = |path: &Path| fs::read_to_string(path).map_or(0, |log| log.lines().count());
    until_blocking("all is logged", || count(path) >= asked.len());
    let log = fs::read(path).expect("a log");
    let format = detect(&log, true, &KeyMap::default()).expect("a known format").format;
    let now: DateTime<Utc> = Utc::now();
    let settings = FilterSettings {
        key: HashKey::new(b"a key of the source of logs").expect("a key"),
        period: HashPeriod::NinetyDays,
        joins_ipv6_networks: false,
        default_host: default_host.map(str::to_owned),
        proxies: Vec::new(),
        identities: None,
        drops_impostors: false,
        not_before: DateTime::UNIX_EPOCH,
        rules: Rules::at(now),
    };
    let parser = LineParser::new(format, KeyMap::default());
    let mut filter = Filter::new(parser, settings, RecordLines::default());
    filter.feed(&log).expect("a sink that takes everything");
    filter.end_file().expect("a sink that takes everything");
    let text = String::from_utf8_lossy(&log);
    assert_eq!(filter.counts().skipped(LineSkipReason::Unreadable), 0, "{text}");
    let read = asked.iter().filter(|asked| asked.status != BAD_REQUEST);
    let expected: BTreeSet<String> = read.map(expected).collect();
    assert!(expected.len() > 80, "{expected:?}");
    let records = std::mem::take(&mut filter.sink_mut().0);
    let found: BTreeSet<String> = records
        .iter()
        .filter(|record| record["status_code"] != BAD_REQUEST)
        .map(|record| {
            assert_eq!(record["host"], HOST);
            let text = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
            let status = record["status_code"].to_string();
            [text("request_path"), status, text("user_agent"), text("referrer")].join(" | ")
        })
        .collect();
    let differences: Vec<_> = found.symmetric_difference(&expected).collect();
    assert!(differences.is_empty(), "{format:?}\n{differences:#?}\n{text}");
}

fn expected(asked: &SentRequest) -> String {
    let target = asked.target.strip_prefix("http://www.example.com").unwrap_or(&asked.target);
    let stripped = strip_denied(target, false).expect("a path that may be sent");
    [stripped.target.as_ref(), &asked.status.to_string(), &asked.user_agent, &asked.referrer]
        .join(" | ")
}

#[test]
#[ignore = "needs nginx: `tests/run servers` runs it"]
fn nginx_logs_what_was_asked() {
    let folder = TempDir::new().expect("a folder");
    let (here, port) = (folder.path().display(), free_port());
    let json = "'{\"time\":\"$time_iso8601\",\"remote_addr\":\"$remote_addr\",\"host\":\"$host\",\"request_method\":\"$request_method\",\"request_uri\":\"$request_uri\",\"status\":$status,\"body_bytes_sent\":$body_bytes_sent,\"http_referer\":\"$http_referer\",\"http_user_agent\":\"$http_user_agent\"}'";
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {here}/temp;\n"))
        .concat();
    let config = format!(
        "daemon off;\nmaster_process off;\npid {here}/pid;\nerror_log {here}/error.log;\nevents {{}}\n\
         http {{\n{temporary}log_format bots escape=json {json};\n\
         access_log {here}/combined.log;\naccess_log {here}/json.log bots;\n\
         server {{ listen 127.0.0.1:{port}; server_name {HOST}; root {here}; }}\n}}\n"
    );
    fs::write(folder.path().join("nginx.conf"), config).expect("a file");
    let mut command = Command::new("nginx");
    command.args(["-e", "stderr", "-c"]).arg(folder.path().join("nginx.conf"));
    let (_server, asked) = asked(&mut command, port);
    assert_log(&folder.path().join("combined.log"), Some(HOST), &asked);
    // The address as it is kept by nginx has no scheme and host, and the same path.
    assert_log(&folder.path().join("json.log"), None, &asked);
}

#[test]
#[ignore = "needs Apache: `tests/run servers` runs it"]
fn apache_logs_what_was_asked() {
    let folder = TempDir::new().expect("a folder");
    let (here, port) = (folder.path().display(), free_port());
    let modules: String = ["mpm_event", "authz_core"]
        .map(|name| format!("LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n"))
        .concat();
    // As Debian has them in apache2.conf.
    let formats = concat!(
        r#"LogFormat "%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"" vhost_combined"#,
        "\n",
        r#"LogFormat "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\"" combined"#,
    ).replace("%O", "%B");
    let config = format!(
        "ServerRoot {here}\nServerName {HOST}\nPidFile {here}/pid\nErrorLog {here}/error.log\n{modules}\
         User www-data\nGroup www-data\nListen 127.0.0.1:{port}\nDocumentRoot {here}\n{formats}\n\
         CustomLog {here}/combined.log combined\nCustomLog {here}/vhost.log vhost_combined\n\
         <Directory {here}>\nRequire all granted\n</Directory>\n"
    );
    fs::write(folder.path().join("apache.conf"), config).expect("a file");
    let mut command = Command::new("apache2");
    command.arg("-X").arg("-f").arg(folder.path().join("apache.conf"));
    let (_server, asked) = asked(&mut command, port);
    assert_log(&folder.path().join("combined.log"), Some(HOST), &asked);
    assert_log(&folder.path().join("vhost.log"), None, &asked);
}

#[test]
#[ignore = "needs Caddy: `tests/run servers` runs it"]
fn caddy_logs_what_was_asked() {
    let folder = TempDir::new().expect("a folder");
    let (here, port) = (folder.path().display(), free_port());
    let config = format!(
        "{{\n\tadmin off\n\tauto_https off\n}}\nhttp://{HOST}:{port} {{\n\tbind 127.0.0.1\n\tlog {{\n\t\toutput file {here}/access.log\n\t}}\n\
         \troot * {here}\n\tfile_server\n}}\n"
    );
    fs::write(folder.path().join("Caddyfile"), config).expect("a file");
    let mut command = Command::new("caddy");
    command.env("HOME", folder.path()).env("XDG_DATA_HOME", folder.path());
    command
        .args(["run", "--adapter", "caddyfile", "--config"])
        .arg(folder.path().join("Caddyfile"));
    let (_server, mut asked) = asked(&mut command, port);
    // A whole address names the site without the port, and Caddy keeps another log for that.
    asked.retain(|asked| asked.status != BAD_REQUEST && asked.target.starts_with('/'));
    assert_log(&folder.path().join("access.log"), None, &asked);
}
