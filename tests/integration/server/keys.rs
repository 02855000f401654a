//! `keys`.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use visibility_core::accounts::token::{Token, TokenKind};

use crate::server::program::{contents, days_left, exchange, with_tenant};

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn a_key_has_its_form_and_its_scope() {
    let place = with_tenant();
    let made = place.json(&["keys", "create", "acme"]);
    let members: Vec<&String> = made.as_object().unwrap().keys().collect();
    assert_eq!(members, ["allow", "expires_at", "id", "key", "name", "scopes", "tenant"]);
    let key: Token = text(&made["key"]).parse().unwrap();
    assert_eq!(key.kind(), TokenKind::ApiKey);
    assert!(text(&made["id"]).starts_with("key_"), "{made}");
    assert_eq!((&made["name"], &made["tenant"]), (&json!("default"), &json!("acme")));
    assert_eq!((&made["scopes"], &made["allow"]), (&json!(["scan:read"]), &json!([])));
    assert_eq!(made["expires_at"], Value::Null);
}

#[test]
fn everything_about_a_key_can_be_chosen() {
    let place = with_tenant();
    let made = place.json(&[
        "keys",
        "create",
        "acme",
        "--name",
        "web app",
        "--scope",
        "logs:read",
        "--scope",
        "scan:read",
        "--scope",
        "logs:read",
        "--expires-in",
        "30",
        "--allow",
        "192.0.2.0/24",
        "--allow",
        "2001:db8::1",
    ]);
    assert_eq!(made["name"], "web app");
    assert_eq!(made["scopes"], json!(["scan:read", "logs:read"]));
    assert_eq!(made["allow"], json!(["192.0.2.0/24", "2001:db8::1/128"]));
    assert_eq!(days_left(&made["expires_at"]), 30);
}

#[test]
fn a_key_is_shown_once_and_never_kept() {
    let place = with_tenant();
    let made = place.json(&["keys", "create", "acme"]);
    let key = text(&made["key"]);
    let listed = place.run(&["keys", "list", "--format", "json"]).stdout;
    let token: Token = key.parse().unwrap();
    assert!(!listed.contains(key) && listed.contains(&token.abbreviated()), "{listed}");
    let mut files = Vec::new();
    contents(&place.data(), &mut files);
    let has = |needle: &[u8]| {
        files.iter().any(|file| file.windows(needle.len()).any(|window| window == needle))
    };
    assert!(has(token.digest().as_bytes()), "the digest is kept");
    assert!(!has(&key.as_bytes()[13..30]), "the key is not");
}

#[test]
fn for_people_the_key_alone_is_the_result() {
    let place = with_tenant();
    let run = place.run(&["keys", "create", "acme"]);
    assert!(run.stdout.trim_end().parse::<Token>().is_ok(), "{}", run.stdout);
    assert!(run.stderr.contains("valid until it is revoked. It is not shown again"));
    assert!(!run.stderr.contains(run.stdout.trim_end()));
}

#[test]
fn a_list_tells_keys_apart() {
    let place = with_tenant();
    let made = place.json(&["keys", "create", "acme", "--expires-in", "90"]);
    let listed = place.json(&["keys", "list", "acme"]);
    let members: BTreeSet<&str> =
        listed[0].as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "allow",
        "created_at",
        "created_by",
        "expires_at",
        "hint",
        "id",
        "last_used_at",
        "last_used_from",
        "name",
        "replaced_by",
        "revoked_at",
        "scopes",
        "state",
        "tenant",
    ];
    assert_eq!(members, BTreeSet::from(expected));
    let user = Command::new("id").arg("-un").output().unwrap().stdout;
    let user = String::from_utf8(user).unwrap();
    assert_eq!(listed[0]["created_by"], user.trim_end());
    let shown = place.run(&["keys", "list"]).stdout;
    let lines: Vec<Vec<&str>> =
        shown.lines().map(|line| line.split("  ").map(str::trim).collect()).collect();
    let cells = |line: usize| lines[line].iter().copied().filter(|cell| !cell.is_empty());
    let titles: Vec<&str> = cells(0).collect();
    let expected =
        ["tenant", "name", "key", "scopes", "state", "created", "expires", "last used", "id"];
    assert_eq!(titles, expected);
    let row: Vec<&str> = cells(1).collect();
    let hint = text(&listed[0]["hint"]);
    assert_eq!(row[..5], ["acme", "default", hint, "scan:read", "active"]);
    assert_eq!(row[7..], ["never", text(&made["id"])]);
    assert_eq!(hint.chars().count(), "service_live_".len() + 9, "{hint}");
}

#[test]
fn rotation_keeps_the_old_key_for_the_overlap() {
    let place = with_tenant();
    let old = place.json(&["keys", "create", "acme", "--scope", "logs:read", "--expires-in", "30"]);
    let id = text(&old["id"]);
    let new = place.json(&["keys", "rotate", id]);
    assert_ne!(old["key"], new["key"]);
    assert_eq!((&new["name"], &new["scopes"]), (&old["name"], &old["scopes"]));
    assert_eq!(new["replaces"]["id"], old["id"]);
    assert_eq!(days_left(&new["replaces"]["expires_at"]), 7);
    assert_eq!(days_left(&new["expires_at"]), 30);
    let listed = place.json(&["keys", "list", "acme"]);
    assert_eq!(listed[0]["replaced_by"], new["id"]);
    assert_eq!([&listed[0]["state"], &listed[1]["state"]], ["active", "active"]);
    let third = place.run(&["keys", "rotate", text(&new["id"])]);
    assert_eq!((third.code, third.stdout.as_str()), (Some(2), ""));
    assert!(third.stderr.contains(&format!("keys revoke {id}`")), "{}", third.stderr);
    assert_eq!(place.json(&["keys", "revoke", id])["state"], "revoked");
    let run = place.run(&["keys", "rotate", text(&new["id"]), "--overlap", "0"]);
    assert!(run.stderr.contains("no longer works"), "{}", run.stderr);
    let late = place.run(&["keys", "rotate", id]).stderr;
    let listed = place.json(&["keys", "list"]);
    assert!(late.contains(&format!("`visibility-server keys rotate {}`", text(&listed[2]["id"]))));
    let states: Vec<Value> = place.json(&["keys", "list"]).as_array().unwrap().clone();
    let states: Vec<&str> = states.iter().map(|key| text(&key["state"])).collect();
    assert_eq!(states, ["revoked", "expired", "active"]);
}

#[test]
fn what_cannot_be_done_says_why_and_what_to_do() {
    let place = with_tenant();
    place.json(&["tenants", "create", "off"]);
    place.json(&["tenants", "disable", "off"]);
    let key = place.json(&["keys", "create", "acme", "--name", "web app"]);
    let id = text(&key["id"]).to_owned();
    let missing = format!("key_{}", "0".repeat(32));
    let mut said = String::new();
    let mut refused = |arguments: &[&str]| {
        let run = place.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        let words = format!("{}\n{}\n", arguments.join(" "), run.stderr);
        said.push_str(&words.replace(&id, "key_(id)"));
    };
    refused(&["keys", "create", "unknown"]);
    refused(&["keys", "create", "off"]);
    refused(&["keys", "create", "acme", "--name", "web app"]);
    refused(&["keys", "list", "unknown"]);
    refused(&["keys", "rotate", &missing]);
    refused(&["keys", "revoke", &missing]);
    refused(&["keys", "revoke", "default"]);
    refused(&["keys", "create", "acme", "--scope", "scan:write"]);
    refused(&["keys", "create", "acme", "--name", "a/b"]);
    refused(&["keys", "create", "acme", "--allow", "192.0.2.7/24"]);
    refused(&["keys", "create", "acme", "--expires-in", "never"]);
    place.json(&["keys", "revoke", &id]);
    refused(&["keys", "rotate", &id]);
    insta::assert_snapshot!(said);
}

#[test]
fn many_commands_at_once_make_one_key_of_a_name() {
    let place = with_tenant();
    let children: Vec<_> = (0..6)
        .map(|_| {
            let mut command = place.command(&["keys", "create", "acme"]);
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        })
        .collect();
    let codes = children.into_iter().map(|mut child| child.wait().unwrap().code());
    assert_eq!(codes.filter(|code| *code == Some(0)).count(), 1);
    assert_eq!(place.json(&["keys", "list"]).as_array().unwrap().len(), 1);
}

#[test]
fn a_running_service_knows_what_the_commands_do() {
    let place = with_tenant();
    let service = place.serve(&[]);
    let key = place.json(&["keys", "create", "acme"]);
    let ask = |key: &str| {
        let head = format!(
            "GET /api/v1/agent-readiness/example.com HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\
             Authorization: Bearer {key}\r\n\r\n"
        );
        exchange(&service.address(), &head)
    };
    let known = ask(text(&key["key"]));
    assert!(!known.starts_with("HTTP/1.1 401"), "{known}");
    place.json(&["keys", "revoke", text(&key["id"])]);
    // What a running service may remember of a key.
    std::thread::sleep(std::time::Duration::from_secs(1));
    let refused = ask(text(&key["key"]));
    assert!(refused.starts_with("HTTP/1.1 401"), "{refused}");
    assert!(refused.contains(r#""reason":"revoked""#), "{refused}");
    let listed = place.json(&["keys", "list"]);
    assert_eq!(listed[0]["last_used_from"], "127.0.0.0/24");
    assert!(listed[0]["last_used_at"].is_string());
}
