//! The forms of an audit, each as a golden file.

use visibility_core::report::audit;
use visibility_tests::pages;

use super::formats::output;
use super::{audit_in, hostile, json};
use crate::cli::program::Folder;

#[test]
fn the_human_report_is_stable() {
    insta::assert_snapshot!(output(&[]));
}

#[test]
fn the_turkish_report_is_stable() {
    let folder = Folder::new();
    folder.file("yayla.html", pages::turkish_product());
    let url = "https://kahve.example.com/filtre/yayla";
    let run = audit_in(&folder, &["yayla.html", "--lang", "tr", "--url", url]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!(run.stdout);
}

#[test]
fn the_report_of_a_page_with_faults_is_stable() {
    let folder = Folder::new();
    folder.file("hostile.html", hostile());
    let run = audit_in(&folder, &["hostile.html"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!(run.stdout);
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
fn the_html_report_is_that_of_the_result() {
    let result = serde_json::from_str(&output(&["--format", "json"])).expect("a result");
    assert_eq!(output(&["--format", "html"]), audit::html::render(&result).into_string());
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
fn a_report_of_a_good_page_has_sixty_lines_and_of_a_bad_one_a_hundred() {
    let folder = Folder::new();
    let pages = [
        ("product", pages::product()),
        ("article", pages::article()),
        ("turkish", pages::turkish_product()),
        ("large", pages::large_product(500_000)),
        ("landing", pages::landing()),
        ("shell", pages::shell()),
        ("hostile", hostile()),
        ("empty", "<title>x</title>".to_owned()),
    ];
    for (name, html) in pages {
        folder.file("page.html", html);
        let score = json(&audit_in(&folder, &["page.html", "--format", "json"]));
        let score = score["gpt_visibility_score"].as_u64().expect("a score");
        let most = if score >= 75 { 60 } else { 100 };
        for lang in ["en", "tr"] {
            let run = audit_in(&folder, &["page.html", "--lang", lang]);
            let count = run.stdout.lines().count();
            assert!(count <= most, "{name} {lang}, score {score}: {count} lines\n{}", run.stdout);
        }
    }
}
