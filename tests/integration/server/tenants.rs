//! `tenants`.

use std::os::unix::process::CommandExt;

use serde_json::json;

use crate::server::program::{Place, Run};

#[test]
fn a_tenant_is_created_listed_disabled_and_enabled() {
    let place = Place::new();
    let created = place.json(&["tenants", "create", "acme"]);
    assert_eq!(created["tenant"], "acme");
    assert_eq!((&created["disabled_at"], &created["active_tokens"]), (&json!(null), &json!(0)));
    place.json(&["tokens", "create", "acme"]);
    place.json(&["tenants", "create", "another"]);
    let listed = place.json(&["tenants", "list"]);
    assert_eq!([&listed[0]["tenant"], &listed[1]["tenant"]], ["acme", "another"]);
    assert_eq!(listed[0]["active_tokens"], 1);
    let disabled = place.json(&["tenants", "disable", "acme"]);
    assert!(disabled["disabled_at"].is_string());
    assert_eq!(disabled["active_tokens"], 0);
    assert_eq!(place.json(&["tokens", "list", "acme"])[0]["state"], "tenant_disabled");
    let enabled = place.json(&["tenants", "enable", "acme"]);
    assert_eq!((&enabled["disabled_at"], &enabled["active_tokens"]), (&json!(null), &json!(1)));
}

#[test]
fn for_people_there_is_a_table() {
    let place = Place::new();
    let created = place.run(&["tenants", "create", "acme"]);
    assert_eq!(created.stdout, "Created tenant acme.\n");
    assert_eq!(
        created.stderr,
        "Next: visibility-server tokens create acme, to send logs\n      \
         visibility-server keys create acme, to use the API\n"
    );
    place.run(&["tenants", "create", "another"]);
    place.run(&["tenants", "disable", "another"]);
    let listed = place.run(&["tenants", "list"]).stdout;
    let lines: Vec<&str> = listed.lines().map(|line| line.trim_end_matches(is_date)).collect();
    let expected = [
        "tenant   state     active tokens  created",
        "acme     active    0              ",
        "another  disabled  0              ",
    ];
    assert_eq!(lines, expected);
}

fn is_date(c: char) -> bool {
    c.is_ascii_digit() || c == '-'
}

#[test]
fn commands_to_paste_begin_as_the_program_was_called() {
    let place = Place::new();
    let called = "/opt/my programs/visibility-server";
    let run =
        |arguments: &[&str]| Run::from(place.command(arguments).arg0(called).output().unwrap());
    let said = |arguments: &[&str]| run(arguments).stderr;
    let begins = |text: &str, command: &str| {
        assert!(text.contains(&format!("'{called}' {command}")), "{text}");
        assert!(!text.contains("visibility-server tenants"), "{text}");
    };
    let created = said(&["tenants", "create", "acme"]);
    begins(&created, "tokens create acme");
    begins(&created, "keys create acme");
    for (list, next) in [
        (["tokens", "list"], "tokens create TENANT"),
        (["keys", "list"], "keys create TENANT"),
        (["users", "list"], "users create TENANT NAME"),
    ] {
        begins(&said(&list), next);
    }
    begins(&said(&["tenants", "disable", "other"]), "tenants list");
    begins(&said(&["--set", "nothing.like.it=1", "tenants", "list"]), "config show");
}

#[test]
fn an_empty_list_says_what_to_do() {
    let place = Place::new();
    place.json(&["tenants", "create", "acme"]);
    let run = place.run(&["tokens", "list"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    assert!(run.stderr.contains("visibility-server tokens create"), "{}", run.stderr);
    assert_eq!(place.run(&["tokens", "list", "--format", "json"]).stdout, "[]\n");
}

#[test]
fn what_cannot_be_done_says_why_and_what_to_do() {
    let place = Place::new();
    let without_data = place.run(&["tenants", "list"]);
    assert_eq!(without_data.code, Some(2));
    assert!(without_data.stderr.starts_with("error: the data directory `/"));
    assert!(!place.data().exists(), "a list creates nothing");
    place.json(&["tenants", "create", "acme"]);
    place.json(&["tenants", "create", "off"]);
    place.json(&["tenants", "disable", "off"]);
    let cases: [&[&str]; 5] = [
        &["tenants", "create", "acme"],
        &["tenants", "disable", "unknown"],
        &["tokens", "create", "unknown"],
        &["tokens", "create", "off"],
        &["tokens", "revoke", "00000000-0000-0000-0000-000000000000"],
    ];
    let mut said = String::new();
    for case in cases {
        let run = place.run(case);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{case:?}");
        said.push_str(&format!("{}\n{}\n", case.join(" "), run.stderr));
    }
    insta::assert_snapshot!(said);
    let bad = place.run(&["tenants", "create", "Not A Slug"]);
    assert_eq!(bad.code, Some(2));
    assert!(bad.stderr.contains("a tenant name has 1 to 63 characters of"), "{}", bad.stderr);
}

#[test]
fn a_database_of_another_kind_is_damaged() {
    let place = Place::new();
    place.json(&["tenants", "create", "acme"]);
    for name in ["state.sqlite-wal", "state.sqlite-shm"] {
        let _ = std::fs::remove_file(place.data().join(name));
    }
    std::fs::write(place.data().join("state.sqlite"), "no database, but long enough ".repeat(99))
        .unwrap();
    let run = place.run(&["tenants", "list"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("error: the database is damaged"), "{}", run.stderr);
    assert!(run.stderr.contains("cause: file is not a database"), "{}", run.stderr);
    assert!(run.stderr.contains("hint: stop the server, and restore"), "{}", run.stderr);
}
