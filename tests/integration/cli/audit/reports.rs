//! The forms of an audit, each as a golden file.

use visibility_tests::pages;

use super::formats::output;
use super::{audit_in, hostile};
use crate::program::Folder;

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
