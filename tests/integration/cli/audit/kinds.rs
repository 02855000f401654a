//! The commands that know the signals: `signals`, `explain`, `badge`.

use std::collections::BTreeSet;

use visibility_core::audit::signals;

use super::{json, shop};
use crate::cli::program::{Folder, run};

#[test]
fn signals_lists_every_signal() {
    let entries = json(&run(&["signals", "--format", "json"]));
    let of = |member: &str| -> Vec<String> {
        let entries = entries.as_array().unwrap().iter();
        entries.map(|entry| entry[member].as_str().unwrap().to_owned()).collect()
    };
    let expected: Vec<&str> = signals::all().map(|signal| signal.id).collect();
    assert_eq!(of("id"), expected);
    assert_eq!(of("code").iter().collect::<BTreeSet<_>>().len(), expected.len());
    for lang in ["en", "tr"] {
        let text = run(&["signals", "--lang", lang]).stdout;
        assert_eq!(text.lines().count(), expected.len() + 1, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}

#[test]
fn explain_says_everything_that_a_signal_can_say() {
    insta::assert_snapshot!(run(&["explain", "AC03"]).stdout);
    for signal in signals::all() {
        let by_id = run(&["explain", signal.id]);
        assert_eq!(by_id.stdout, run(&["explain", &signal.code.to_lowercase()]).stdout);
        for lang in ["en", "tr"] {
            let explained =
                json(&run(&["explain", signal.code, "--format", "json", "--lang", lang]));
            assert_eq!(explained["outcomes"].as_array().unwrap().len(), signal.outcomes.len());
            let text = run(&["explain", signal.id, "--lang", lang]).stdout;
            for outcome in signal.outcomes {
                assert!(text.contains(outcome.id), "{}: {}", signal.id, outcome.id);
            }
            for section in ["interface.", "signals.", "audit.", "pillars."] {
                assert!(!text.contains(section), "{text}");
            }
        }
    }
    let unknown = run(&["explain", "answer-bot-acces"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("did you mean `answer-bot-access`?"), "{}", unknown.stderr);
}

#[test]
fn a_badge_is_drawn_from_an_audit_and_from_a_page() {
    let folder = shop();
    let (page, result) = (folder.path("aurora.html"), folder.path("audit.json"));
    run(&["audit", &page, "--format", "json", "-o", &result]);
    let badge = run(&["badge", &result]);
    assert_eq!(badge.code, Some(0), "{}", badge.stderr);
    assert!(badge.stdout.starts_with("<svg ") && badge.stdout.contains("AI visibility"));
    assert_eq!(run(&["badge", &page]).stdout, badge.stdout);
    let missing = Folder::new();
    assert_eq!(run(&["badge", &missing.path("missing.html")]).code, Some(2));
    let refused = run(&["badge", "https://127.0.0.1/"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("--allow-network"), "{}", refused.stderr);
}
