//! `users`.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::server::program::{Place, Run, contents, with_tenant};

const PASSWORD: &str = "correct horse battery";

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// Runs a command that reads a password.
fn run_with(place: &Place, arguments: &[&str], input: &str) -> Run {
    let mut child = place
        .command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its arguments reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap().into()
}

fn create(place: &Place, name: &str) -> Run {
    run_with(place, &["users", "create", "acme", name, "--password-stdin"], PASSWORD)
}

#[test]
fn a_user_has_a_name_in_small_letters_and_all_scopes() {
    let place = with_tenant();
    let arguments = ["users", "create", "acme", "Ada@Example.com", "--password-stdin"];
    let run = run_with(&place, &[&arguments[..], &["--format", "json"]].concat(), PASSWORD);
    let made = run.json();
    let members: Vec<&String> = made.as_object().unwrap().keys().collect();
    assert_eq!(members, ["id", "name", "scopes", "tenant"], "no password that is known");
    assert!(text(&made["id"]).starts_with("usr_"), "{made}");
    assert_eq!((&made["name"], &made["tenant"]), (&json!("ada@example.com"), &json!("acme")));
    assert_eq!(made["scopes"], json!(["scan:read", "audit:read", "logs:read", "manage"]));
}

#[test]
fn scopes_can_be_chosen() {
    let place = with_tenant();
    let made = place.json(&[
        "users",
        "create",
        "acme",
        "ada",
        "--scope",
        "logs:read",
        "--scope",
        "scan:read",
    ]);
    assert_eq!(made["scopes"], json!(["scan:read", "logs:read"]));
    assert!(text(&made["password"]).len() > 24);
}

#[test]
fn a_password_is_made_for_a_program_and_stands_alone_on_standard_output() {
    let place = with_tenant();
    let run = place.run(&["users", "create", "acme", "ada"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let password = run.stdout.strip_suffix('\n').unwrap();
    assert_eq!(password.split('-').map(str::len).collect::<Vec<_>>(), [6; 4], "{password}");
    assert!(run.stderr.contains("not shown again"), "{}", run.stderr);
    assert!(!run.stderr.contains(password));
    let other = place.run(&["users", "passwd", "ada"]);
    assert_ne!(other.stdout, run.stdout);
}

#[test]
fn a_password_is_never_kept_or_shown() {
    let place = with_tenant();
    let run = create(&place, "ada");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stderr);
    assert_eq!(run.stdout, "User ada of acme.\n");
    let mut kept = Vec::new();
    contents(&place.data(), &mut kept);
    let holds = |text: &str| {
        let is_in = |file: &Vec<u8>| file.windows(text.len()).any(|part| part == text.as_bytes());
        kept.iter().any(is_in)
    };
    assert!(holds("$argon2id$v=19$m=19456,t=2,p=1$"));
    assert!(!holds(PASSWORD));
    assert!(!place.json(&["users", "list"]).to_string().contains("argon2"));
}

#[test]
fn users_are_listed_with_their_state() {
    let place = with_tenant();
    assert_eq!(place.run(&["tenants", "create", "other"]).code, Some(0));
    assert!(place.run(&["users", "list"]).stderr.contains("users create TENANT NAME"));
    create(&place, "bob");
    create(&place, "ada");
    run_with(&place, &["users", "create", "other", "eve", "--password-stdin"], PASSWORD);
    let disabled = place.json(&["users", "disable", "bob"]);
    assert_eq!(disabled["state"], "disabled");
    assert_eq!(disabled["disabled_at"], disabled["credentials_changed_at"]);
    place.run(&["tenants", "disable", "other"]);
    let states = |arguments: &[&str]| -> Vec<(String, String)> {
        let users = place.json(arguments);
        let state =
            |user: &Value| (text(&user["name"]).to_owned(), text(&user["state"]).to_owned());
        users.as_array().unwrap().iter().map(state).collect()
    };
    let pair = |name: &str, state: &str| (name.to_owned(), state.to_owned());
    let all = [pair("ada", "active"), pair("bob", "disabled"), pair("eve", "tenant_disabled")];
    assert_eq!(states(&["users", "list"]), all);
    assert_eq!(states(&["users", "list", "acme"]), all[..2]);
    assert_eq!(place.json(&["users", "enable", "BOB"])["state"], "active");
    let table = place.run(&["users", "list"]).stdout;
    assert!(table.contains("tenant disabled") && table.contains("usr_"), "{table}");
}

#[test]
fn what_cannot_be_done_says_why_and_what_to_do() {
    let place = with_tenant();
    create(&place, "ada@example.com");
    place.run(&["tenants", "create", "gone"]);
    place.run(&["tenants", "disable", "gone"]);
    let long = "x".repeat(1025);
    let cases: [(&[&str], &str); 15] = [
        (&["create", "acme", "ada@example.com", "--password-stdin"], PASSWORD),
        (&["create", "unknown", "bob", "--password-stdin"], PASSWORD),
        (&["create", "gone", "bob", "--password-stdin"], PASSWORD),
        (&["create", "acme", "b b", "--password-stdin"], PASSWORD),
        (&["create", "acme", "bob", "--password-stdin", "--scope", "all"], PASSWORD),
        (&["create", "acme", "bob", "--password-stdin"], "short\n"),
        (&["create", "acme", "bob", "--password-stdin"], &long),
        (&["create", "acme", "bob.the.builder", "--password-stdin"], "Bob.The.Builder\n"),
        (&["passwd", "bob", "--password-stdin"], PASSWORD),
        (&["disable", "bob"], ""),
        (&["enable", "bob"], ""),
        (&["scopes", "bob", "--add", "manage"], ""),
        (&["scopes", "ada@example.com"], ""),
        (&["scopes", "ada@example.com", "--add", "everything"], ""),
        (&["scopes", "ada@example.com", "--add", "manage", "--remove", "manage"], ""),
    ];
    let mut all = String::new();
    for (arguments, input) in cases {
        let run = run_with(&place, &[&["users"], arguments].concat(), input);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        all.push_str(&format!("$ users {}\n{}\n", arguments.join(" "), run.stderr));
    }
    insta::assert_snapshot!(all);
    let known = place.json(&["users", "list"]);
    assert_eq!(known.as_array().unwrap().len(), 1, "nothing was changed");
}

#[test]
fn what_a_user_may_do_is_changed_and_nothing_else() {
    let place = with_tenant();
    let scoped = ["users", "create", "acme", "ada", "--password-stdin", "--scope", "scan:read"];
    assert_eq!(run_with(&place, &scoped, PASSWORD).code, Some(0));
    let before = place.json(&["users", "list"])[0].clone();
    let run = place.run(&["users", "scopes", "ada", "--add", "manage", "--add", "logs:read"]);
    assert_eq!(run.stdout, "User ada now has the scopes scan:read, logs:read, manage.\n");
    let mut after = place.json(&["users", "list"])[0].clone();
    assert_eq!(after["scopes"], json!(["scan:read", "logs:read", "manage"]));
    after["scopes"] = before["scopes"].clone();
    assert_eq!(after, before);
    let removed = place.json(&[
        "users",
        "scopes",
        "ada",
        "--remove",
        "manage",
        "--remove",
        "scan:read",
        "--remove",
        "logs:read",
    ]);
    assert_eq!(removed["scopes"], json!([]));
}

#[test]
fn a_new_user_may_do_everything_and_a_key_cannot_manage() {
    let place = with_tenant();
    create(&place, "ada");
    let all = json!(["scan:read", "audit:read", "logs:read", "manage"]);
    assert_eq!(place.json(&["users", "list"])[0]["scopes"], all);
    let run = place.run(&["keys", "create", "acme", "--scope", "manage"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("`scan:read`, `audit:read` and `logs:read`"), "{}", run.stderr);
    assert_eq!(place.json(&["keys", "list"]), json!([]));
}

#[test]
fn a_password_is_no_argument() {
    let place = with_tenant();
    let run = place.run(&["users", "create", "acme", "ada", "--password", PASSWORD]);
    assert_eq!(run.code, Some(2));
    let known = place.json(&["users", "list"]);
    assert_eq!(known, json!([]));
}
