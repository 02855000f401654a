//! The forms of a report, each as a golden file.

use crate::program::{mixed, recorded, run};

/// Scans the mixed site in this form.
fn output(arguments: &[&str]) -> String {
    let folder = recorded(&mixed());
    let folder = folder.all();
    let mut all = vec!["scan", "--replay", &folder];
    all.extend(arguments);
    let run = run(&all);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stderr, "");
    run.stdout
}

#[test]
fn the_human_report_is_stable() {
    insta::assert_snapshot!(output(&[]));
}

#[test]
fn the_turkish_report_is_stable() {
    insta::assert_snapshot!(output(&["--lang", "tr"]));
}

#[test]
fn the_json_report_is_stable() {
    insta::assert_snapshot!(output(&["--format", "json"]));
}

#[test]
fn the_markdown_report_is_stable() {
    insta::assert_snapshot!(output(&["--format", "markdown"]));
}

#[test]
fn the_html_report_is_stable() {
    insta::assert_snapshot!(output(&["--format", "html"]));
}

#[test]
fn the_junit_report_is_stable() {
    insta::assert_snapshot!(output(&["--format", "junit"]));
}

#[test]
fn the_prompt_is_stable() {
    insta::assert_snapshot!(output(&["--format", "prompt"]));
}

#[test]
fn the_sarif_log_is_stable() {
    insta::assert_snapshot!(output(&["--format", "sarif"]));
}

#[test]
fn the_annotations_are_stable() {
    insta::assert_snapshot!(output(&["--format", "github"]));
}

#[test]
fn ndjson_is_the_json_in_one_line() {
    let line = output(&["--format", "ndjson"]);
    assert_eq!(line.matches('\n').count(), 1);
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(read(&line), read(&output(&["--format", "json"])));
}

#[test]
fn a_replay_gives_the_same_bytes_each_time() {
    for format in ["json", "human", "html"] {
        assert_eq!(output(&["--format", format]), output(&["--format", format]));
    }
}

#[test]
fn a_pipe_gets_no_escapes_unless_it_asks_for_them() {
    assert!(!output(&[]).contains('\u{1b}'));
    assert!(output(&["--color", "always"]).contains("\u{1b}["));
}

#[test]
fn no_form_passes_control_characters_of_strangers_on() {
    for format in ["human", "markdown", "html", "junit", "prompt", "sarif", "github"] {
        let text = output(&["--format", format]);
        let bad = text.chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
        assert_eq!(bad, None, "{format}");
    }
}

#[test]
fn the_matrix_fits_eighty_columns() {
    for lang in ["en", "tr"] {
        let text = output(&["--lang", lang]);
        let rows = text.lines().skip_while(|line| !line.starts_with("  Googlebot")).take(27);
        for row in rows {
            assert!(row.chars().count() <= 80, "{row}");
            assert!(!row.contains('…'), "{row}");
        }
    }
}

#[test]
fn quiet_leaves_the_score() {
    let text = output(&["--quiet"]);
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains(" / 100  "), "{text}");
}
