//! `visibility checks` and `visibility explain`.

use visibility_core::scan::checks::CHECKS;

use crate::cli::program::{json_of, run};

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
