//! `logs stats`, `files` and `check`, beside a service that takes batches.

use std::fs;
use std::path::PathBuf;

use chrono::{SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};

use crate::server::program::{Place, Service, exchange};

const GPTBOT: &str = "Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)";

/// A service with a tenant, to which these paths were reported as one batch.
fn with_batch(place: &Place, paths: &[&str]) -> Service {
    let service = place.serve(&[]);
    place.json(&["tenants", "create", "acme"]);
    let made = place.json(&["tokens", "create", "acme"]);
    let answer = send(&service, made["token"].as_str().unwrap(), paths);
    assert!(answer.starts_with("HTTP/1.1 202 "), "{answer}");
    service
}

fn send(service: &Service, token: &str, paths: &[&str]) -> String {
    let hour_ago = Utc::now() - TimeDelta::hours(1);
    let record = |path: &&str| {
        let record = json!({
            "timestamp": hour_ago.to_rfc3339_opts(SecondsFormat::Secs, true),
            "user_agent": GPTBOT,
            "request_method": "GET",
            "request_path": path,
            "status_code": 200,
            "response_bytes": 100,
            "referrer": "",
            "host": "www.example.com",
            "client_ip_hash": "9f86d081884c7d659a2feaa0",
        });
        format!("{record}\n")
    };
    let body: String = paths.iter().map(record).collect();
    let head = format!(
        "POST /v1/logs HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {}\r\n\
         Authorization: Bearer {token}\r\nContent-Type: application/x-ndjson\r\n\
         X-Service-Tenant: acme\r\nX-Service-Schema: 1\r\n\r\n",
        body.len()
    );
    exchange(&service.address(), &format!("{head}{body}"))
}

fn paths_of(files: &Value) -> Vec<PathBuf> {
    let files = files.as_array().unwrap().iter();
    files.map(|file| PathBuf::from(file["path"].as_str().unwrap())).collect()
}

#[test]
fn what_was_sent_is_counted() {
    let place = Place::new();
    let _service = with_batch(&place, &["/a", "/a?b=c", "/d"]);
    let stats = place.json(&["logs", "stats", "acme"]);
    assert_eq!((&stats["records"], &stats["bytes"]), (&json!(3), &json!(300)));
    assert_eq!(stats["agents"][0]["name"], "GPTBot");
    assert_eq!(stats["hosts"][0]["host"], "www.example.com");
    assert_eq!(stats["statuses"][0]["status"], 200);
    let first = &stats["top_paths"]["paths"][0];
    assert_eq!((&first["path"], &first["records"]), (&json!("/a"), &json!(2)));
    let none = place.json(&["logs", "stats", "acme", "--status", "4xx"]);
    assert_eq!(none["records"], 0);
    let human = place.run(&["logs", "stats", "acme", "--top", "1"]).stdout;
    assert!(human.contains("(UTC): 3 records, 300 bytes\n"), "{human}");
    assert!(human.contains("2        200    /a\n"), "{human}");
}

#[test]
fn days_that_cannot_be_counted_are_refused() {
    let place = Place::new();
    place.json(&["tenants", "create", "acme"]);
    for days in [["2026-02-02", "2026-02-01"], ["1926-02-02", "2026-02-01"]] {
        let run = place.run(&["logs", "stats", "acme", "--from", days[0], "--to", days[1]]);
        assert_eq!(run.code, Some(2), "{days:?}");
        assert!(run.stderr.contains("cannot be counted"), "{}", run.stderr);
    }
    let unknown = place.run(&["logs", "stats", "unknown"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("there is no tenant `unknown`"), "{}", unknown.stderr);
}

#[test]
fn files_are_listed_with_their_whole_path() {
    let place = Place::new();
    let service = with_batch(&place, &["/a", "/b"]);
    drop(service);
    let mut command = place.command(&["files", "acme", "--format", "json", "--data-dir", "data"]);
    let files = crate::server::program::Run::from(command.output().unwrap()).json();
    assert_eq!((&files[0]["tenant"], &files[0]["rows"]), (&json!("acme"), &json!(2)));
    let paths = paths_of(&files);
    assert_eq!(paths.len(), 1);
    assert!(paths[0].is_absolute() && paths[0].is_file(), "{paths:?}");
    assert!(fs::read(&paths[0]).unwrap().starts_with(b"PAR1"));
    assert_eq!(place.json(&["files"]), files);
    assert!(place.run(&["files"]).stdout.contains(paths[0].to_str().unwrap()));
}

#[test]
fn check_says_what_is_lost_and_fails() {
    let place = Place::new();
    let _service = with_batch(&place, &["/a", "/b"]);
    let good = place.run(&["check"]);
    assert_eq!(good.code, Some(0), "{}", good.stderr);
    assert!(good.stdout.contains("acme    2       2      2\nok: 1 files,"), "{}", good.stdout);
    assert_eq!(place.json(&["check"])["ok"], true);
    let file = paths_of(&place.json(&["files"])).remove(0);
    fs::remove_file(&file).unwrap();
    let bad = place.run(&["check"]);
    assert_eq!(bad.code, Some(1), "{}", bad.stderr);
    assert!(bad.stdout.contains("DIFFERENT  tenant=acme/new/"), "{}", bad.stdout);
    let machine = place.run(&["check", "--format", "json"]);
    assert_eq!(machine.code, Some(1));
    let report: Value = serde_json::from_str(&machine.stdout).unwrap();
    assert_eq!(report["ok"], false);
    assert_eq!(report["differences"][0]["kind"], "missing");
}

#[test]
fn revoked_tokens_and_disabled_tenants_are_refused_at_once() {
    let place = Place::new();
    let service = with_batch(&place, &["/a"]);
    let token = place.json(&["tokens", "create", "acme"]);
    let text = token["token"].as_str().unwrap();
    let status = |answer: String| answer.get(9..12).map(str::to_owned);
    assert_eq!(status(send(&service, text, &["/b"])).as_deref(), Some("202"));
    place.json(&["tenants", "disable", "acme"]);
    assert_eq!(status(send(&service, text, &["/c"])).as_deref(), Some("401"));
    place.json(&["tenants", "enable", "acme"]);
    assert_eq!(status(send(&service, text, &["/d"])).as_deref(), Some("202"));
    place.json(&["tokens", "revoke", token["id"].as_str().unwrap()]);
    assert_eq!(status(send(&service, text, &["/e"])).as_deref(), Some("401"));
    assert_eq!(place.json(&["logs", "stats", "acme"])["records"], 3);
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
    let get = |address: &str| crate::server::program::get(address, "/v1/logs");
    assert!(get(&service.address()).starts_with("HTTP/1.1 404"));
    assert!(get(&crate::server::program::address(&line)).starts_with("HTTP/1.1 405"));
}
