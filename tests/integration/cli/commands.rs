//! The commands beside `scan`.

use std::fs;

use serde_json::{Value, json};
use visibility_core::agents::Registry;
use visibility_core::scan::checks::CHECKS;
use visibility_tests::site::good;

use crate::cli::program::{Folder, mixed, recorded, run};

fn json_of(arguments: &[&str]) -> Value {
    let mut all = arguments.to_vec();
    all.extend(["--format", "json"]);
    serde_json::from_str(&run(&all).stdout).unwrap()
}

#[test]
fn checks_lists_every_check() {
    let entries = json_of(&["checks"]);
    let ids: Vec<&str> =
        entries.as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap()).collect();
    let expected: Vec<&str> = CHECKS.iter().map(|check| check.id).collect();
    assert_eq!(ids, expected);
    let text = run(&["checks"]).stdout;
    assert_eq!(text.lines().count(), CHECKS.len() + 1, "{text}");
}

#[test]
fn explain_says_everything_that_a_check_can_say() {
    insta::assert_snapshot!(run(&["explain", "llms-txt"]).stdout);
    for check in CHECKS {
        for lang in ["en", "tr"] {
            let explained = json_of(&["explain", check.id, "--lang", lang]);
            assert_eq!(explained["outcomes"].as_array().unwrap().len(), check.outcomes.len());
            let text = run(&["explain", check.id, "--lang", lang]).stdout;
            for outcome in check.outcomes {
                assert!(text.contains(outcome.id), "{}: {}", check.id, outcome.id);
            }
            assert!(!text.contains("interface."), "{text}");
        }
    }
}

#[test]
fn agents_are_listed_shown_and_identified_by_their_user_agent() {
    let count = |arguments: &[&str]| json_of(arguments).as_array().unwrap().len();
    assert_eq!(count(&["agents", "list"]), 27);
    assert_eq!(count(&["agents", "list", "--all"]), Registry::embedded().agents.len());
    assert_eq!(json_of(&["agents", "show", "gptbot"])["id"], "openai-gptbot");
    let shown = run(&["agents", "show", "PerplexityBot", "--lang", "tr"]);
    assert_eq!(shown.code, Some(0));
    assert!(!shown.stdout.contains("interface."), "{}", shown.stdout);

    let user_agent = "Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)";
    assert_eq!(
        json_of(&["agents", "match", user_agent]),
        json!({"id": "openai-gptbot", "name": "GPTBot", "purpose": "training"})
    );
    let person = run(&["agents", "match", "Mozilla/5.0 Firefox/140.0", "--format", "json"]);
    assert_eq!((person.code, person.stdout.as_str()), (Some(1), "null\n"));
}

#[test]
fn diff_says_what_became_worse() {
    let folder = Folder::new();
    let (before, after) = (folder.path("before.json"), folder.path("after.json"));
    for (site, file) in [(good("shop.example.com"), &before), (mixed(), &after)] {
        let recording = recorded(&site);
        run(&["scan", "--replay", &recording.all(), "--format", "json", "-o", file]);
    }
    let worse = run(&["diff", &before, &after]);
    assert_eq!(worse.code, Some(1), "{}", worse.stderr);
    insta::assert_snapshot!(worse.stdout);
    let difference = json_of(&["diff", &before, &after]);
    assert_eq!(difference["is_regression"], true);
    let same = run(&["diff", &after, &after]);
    assert_eq!(same.code, Some(0));
    assert!(same.stdout.contains("Nothing changed"), "{}", same.stdout);

    let other = fs::read_to_string(&after).unwrap().replace("\"2026.11.2\"", "\"2027.01\"");
    let refused = run(&["diff", &before, &folder.file("other.json", &other)]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("different rules"), "{}", refused.stderr);
}

#[test]
fn a_badge_is_drawn_from_a_result() {
    let folder = recorded(&good("shop.example.com"));
    let result = folder.path("scan.json");
    run(&["scan", "--replay", &folder.all(), "--format", "json", "-o", &result]);
    let badge = run(&["badge", &result]);
    assert_eq!(badge.code, Some(0), "{}", badge.stderr);
    assert!(badge.stdout.starts_with("<svg "), "{}", badge.stdout);
    let missing = run(&["badge", &folder.path("missing.json")]);
    assert_eq!(missing.code, Some(2));
}

#[test]
fn completions_and_manual_pages_are_written() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = run(&["completions", shell]);
        assert_eq!(run.code, Some(0));
        assert!(run.stdout.contains("visibility"), "{shell}");
        let completes_values = matches!(shell, "bash" | "fish" | "zsh");
        assert!(!completes_values || run.stdout.contains("llms-txt"), "{shell}");
    }
    let page = run(&["man"]).stdout;
    for part in [".TH visibility 1", ".SH \"EXIT STATUS\"", "\\fB130\\fR", ".SH EXAMPLES"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let folder = Folder::new();
    assert_eq!(run(&["man", "--dir", &folder.path("man")]).code, Some(0));
    for page in ["visibility.1", "visibility-scan.1", "visibility-robots-check.1"] {
        let text = fs::read_to_string(folder.path(&format!("man/{page}"))).unwrap();
        assert!(text.contains(".SH") && !text.contains("EXTRA"), "{page}");
        if page != "visibility.1" {
            for part in ["[\\-\\-format <FORMAT>]", ".SH \"EXIT STATUS\"", ".SH EXAMPLES"] {
                assert!(text.contains(part), "{page} {part}: {text}");
            }
        }
    }
}
