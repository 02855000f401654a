//! `serve`: start, ready, metrics, stop.

mod fetching;

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use visibility_tests::program::program;
use visibility_tests::wait::until_blocking;

use crate::server::program::{Place, Service, address, get};
use crate::server::store::send;

#[test]
fn without_settings_it_listens_on_loopback_and_is_alive() {
    let place = Place::new();
    let service = place.serve(&[]);
    assert!(service.ready.starts_with("visibility-server: listening on http://127.0.0.1:"));
    assert!(!service.ready.ends_with(":0\n"), "the real port is shown");
    let answer = get(&service.address(), "/healthz");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
}

#[test]
fn sigterm_and_sigint_end_it_well() {
    for name in ["-TERM", "-INT"] {
        let place = Place::new();
        let service = place.serve(&[]);
        let address = service.address();
        service.signal(name);
        let run = service.wait();
        assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
        assert!(TcpStream::connect(&address).is_err(), "the port is closed");
        let again = place.serve_on(&address, &[]);
        assert_eq!(again.address(), address, "data directory and port are free again");
    }
}

/// A request whose body the service waits for.
fn unfinished_request(place: &Place, service: &Service) -> TcpStream {
    place.json(&["tenants", "create", "acme"]);
    let made = place.json(&["tokens", "create", "acme"]);
    let head = format!(
        "POST /v1/logs HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\
         Authorization: Bearer {}\r\nContent-Type: application/x-ndjson\r\n\
         X-Service-Tenant: acme\r\nX-Service-Schema: 1\r\n\r\n",
        made["token"].as_str().unwrap()
    );
    let mut stream = TcpStream::connect(service.address()).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 100");
    stream
}

#[test]
fn a_request_that_runs_is_answered_before_the_end() {
    let place = Place::new();
    let service = place.serve(&[]);
    let mut request = unfinished_request(&place, &service);
    service.signal("-TERM");
    service.logged("stopping");
    request.write_all(b"{\"a\": 1}\n").unwrap();
    let mut answer = String::new();
    request.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("HTTP/1.1 207 "), "{answer}");
    assert_eq!(service.wait().code, Some(0));
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let place = Place::new();
    let service = place.serve(&["--set", "timeouts.body_idle=3600"]);
    let _request = unfinished_request(&place, &service);
    service.signal("-TERM");
    service.logged("stopping");
    service.signal("-TERM");
    let run = service.wait();
    assert_eq!(run.code, Some(130), "{}", run.stderr);
}

#[test]
fn a_second_service_on_the_same_data_is_refused() {
    let place = Place::new();
    let service = place.serve(&[]);
    let second = place.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!((second.code, second.stdout.as_str()), (Some(2), ""));
    let expected = format!("error: the data directory `{}` is in use\n", place.data().display());
    assert!(second.stderr.starts_with(&expected), "{}", second.stderr);
    assert!(second.stderr.contains("hint: stop that process"), "{}", second.stderr);
    assert!(get(&service.address(), "/healthz").starts_with("HTTP/1.1 200"));
}

#[test]
fn an_address_in_use_is_refused() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let run = Place::new().run(&["serve", "--listen", &address.to_string()]);
    drop(taken);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains(&format!("`listen` cannot be `{address}`")), "{}", run.stderr);
}

#[test]
fn an_address_that_is_reached_from_outside_needs_its_url() {
    let place = Place::new();
    let run = place.run(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("`base_url` is not set"), "{}", run.stderr);
    assert!(!place.data().exists(), "nothing was created");
}

#[test]
fn metrics_have_a_listener_of_their_own() {
    let place = Place::new();
    let service = place.serve(&["--metrics-listen", "127.0.0.1:0"]);
    let line = service.line();
    assert!(line.starts_with("visibility-server: metrics on http://"), "{line}");
    let metrics = get(&address(&line), "/metrics");
    assert!(metrics.contains("openmetrics-text; version=1.0.0"), "{metrics}");
    assert!(metrics.contains("\nvisibility_db_bytes "), "{metrics}");
    assert!(metrics.contains("\nvisibility_files_live 0\n"), "{metrics}");
    assert!(get(&service.address(), "/metrics").starts_with("HTTP/1.1 404"));
    assert!(get(&address(&line), "/healthz").starts_with("HTTP/1.1 404"));
}

#[test]
fn the_first_steps_work_as_they_are_printed() {
    let place = Place::new();
    let service = place.serve(&[]);
    let mut commands = Vec::new();
    while commands.len() < 2 {
        let line = service.line();
        if line.starts_with("  ") && line.contains(" create acme") {
            commands.push(line.trim().to_owned());
        }
    }
    // In a shell that knows nothing but these lines.
    let script = format!("{}\nprintf '%s' \"$TOKEN\"\n", commands.join("\n"));
    let output = Command::new("sh").args(["-euc", &script]).env_clear().output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let token = stdout.lines().last().unwrap_or_default();
    assert!(token.starts_with("svc_pk_live_"), "{}", String::from_utf8_lossy(&output.stderr));
    drop(service);
    let again = place.serve(&["--metrics-listen", "127.0.0.1:0"]);
    again.line();
    again.signal("-TERM");
    assert_eq!(again.wait().stdout, "", "with a tenant the first steps are known");
}

#[test]
fn only_the_owner_may_read_the_data() {
    fn check(path: &Path) {
        let mode = fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{} {mode:o}", path.display());
        if path.is_dir() {
            for entry in fs::read_dir(path).unwrap() {
                check(&entry.unwrap().path());
            }
        }
    }
    let place = Place::new();
    let service = place.serve(&[]);
    place.json(&["tenants", "create", "acme"]);
    assert!(place.data().join("state.sqlite-wal").exists());
    check(&place.data());
    drop(service);
}

#[test]
fn the_log_is_json_if_wanted() {
    let place = Place::new();
    let service = place.serve(&["--log-format", "json"]);
    get(&service.address(), "/nowhere\u{7f}");
    service.signal("-TERM");
    let run = service.wait();
    assert!(run.stderr.lines().count() >= 3, "{}", run.stderr);
    for line in run.stderr.lines() {
        let event: Value = serde_json::from_str(line).expect(line);
        assert!(event["timestamp"].is_string() && event["level"].is_string(), "{line}");
    }
}

#[test]
fn a_closed_standard_output_does_not_end_it() {
    let place = Place::new();
    let service = place.serve(&[]);
    let (port, arguments) = (service.address(), ["serve", "--log-format", "json"]);
    service.signal("-TERM");
    assert_eq!(service.wait().code, Some(0));
    let script = "exec \"$0\" \"$@\" >&-";
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(program("visibility-server")).args(arguments);
    command.args(["--listen", &port]).arg("--data-dir").arg(place.data()).env_clear();
    let mut child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
    until_blocking("it serves", || TcpStream::connect(&port).is_ok());
    let _ = child.kill();
    let _ = child.wait();
}

#[test]
fn nothing_secret_is_logged() {
    let place = Place::new();
    let service = place.serve(&["--set", "log.level=trace"]);
    place.json(&["tenants", "create", "acme"]);
    let made = place.json(&["tokens", "create", "acme"]);
    let token = made["token"].as_str().unwrap();
    send(&service, token, &["/canary-path?canary=1"]);
    send(&service, "svc_pk_live_canarycanarycanary", &["/canary-path"]);
    service.signal("-TERM");
    let log = service.wait().stderr;
    assert!(log.contains("status=202") && log.contains("status=401"), "{log}");
    for secret in [token, "canary", "9f86d081884c7d65", "GPTBot/1.3"] {
        assert!(!log.contains(secret), "{secret}\n{log}");
    }
}

#[test]
fn ingestion_can_have_a_listener_of_its_own() {
    let place = Place::new();
    let service = place.serve(&["--ingest-listen", "127.0.0.1:0"]);
    let line = service.line();
    assert!(line.starts_with("visibility-server: ingestion on http://"), "{line}");
    let logs = |address: &str| get(address, "/v1/logs");
    assert!(logs(&service.address()).starts_with("HTTP/1.1 404"));
    assert!(logs(&address(&line)).starts_with("HTTP/1.1 405"));
}
