//! `visibility robots check`.

use serde_json::json;

use crate::cli::program::{Folder, run, run_with_input};

const FILE: &str = "\
User-agent: *
Allow: /
Disallow: /private

User-agent: GPTBot
Disallow: /
";

#[test]
fn the_group_and_the_line_that_decided_are_named() {
    let folder = Folder::new();
    let file = folder.file("robots.txt", FILE);
    let run = run(&["robots", "check", &file, "--as", "GPTBot", "/pricing", "--format", "json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        value,
        json!({
            "agent": "GPTBot", "path": "/pricing", "allowed": false,
            "state": "parsed", "group_line": 5, "line": 6
        })
    );
}

#[test]
fn each_agent_is_asked_about_each_path() {
    let arguments =
        ["robots", "check", "-", "--as", "OAI-SearchBot,GPTBot,unknown", "/a", "/private/b"];
    let run = run_with_input(&arguments, FILE);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    insta::assert_snapshot!(run.stdout);
}

#[test]
fn all_allowed_is_exit_code_zero() {
    let arguments = ["robots", "check", "-", "--as", "ClaudeBot", "/", "https://a.com/b?c=d"];
    let run = run_with_input(&arguments, FILE);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[test]
fn a_file_that_is_html_has_no_rules() {
    let arguments = ["robots", "check", "-", "--as", "GPTBot", "/", "--format", "json"];
    let run = run_with_input(&arguments, "<!doctype html><title>Not found</title>");
    let value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(value["state"], "not-text");
    assert_eq!(value["allowed"], true);
}

#[test]
fn an_unknown_agent_is_refused() {
    for name in ["", "Claude Bot", "Mozilla/5.0 (X11)"] {
        let run = run_with_input(&["robots", "check", "-", "--as", name, "/"], FILE);
        assert_eq!(run.code, Some(2), "{name}: {}", run.stderr);
        assert!(run.stderr.contains("give a token such as `GPTBot`"), "{name}: {}", run.stderr);
    }
}

#[test]
fn what_is_no_path_and_no_address_is_refused() {
    for (arguments, message) in [
        (["robots", "check", "a.com", "--as", "GPTBot", "pricing"], "`/pricing`"),
        (["robots", "check", "a.com", "--as", "GPTBot", "https://b.com/"], "check `b.com`"),
        (["robots", "check", "https:", "--as", "GPTBot", "/"], "error:"),
        (["robots", "check", "./no-such-file", "--as", "GPTBot", "/"], "cannot read"),
    ] {
        let run = run(&arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{arguments:?}: {}", run.stderr);
    }
}
