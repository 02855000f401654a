//! The forms of an audit.

use super::{URL, audit, audit_in, hostile, json, shop};
use crate::cli::program::Folder;

/// Audits the good page in this form.
pub(super) fn output(arguments: &[&str]) -> String {
    let run = audit_in(&shop(), &[&["aurora.html", "--url", URL], arguments].concat());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    run.stdout
}

#[test]
fn the_text_that_engines_read_is_stable() {
    let run = audit_in(&shop(), &["aurora.html", "--url", URL, "--show-text"]);
    assert_eq!(run.code, Some(0));
    insta::assert_snapshot!(run.stdout);
    // What is left out is not among what is read.
    assert!(run.stderr.contains("The largest parts that are left out"), "{}", run.stderr);
    assert!(run.stderr.contains("nav"), "{}", run.stderr);
    let quiet = audit_in(&shop(), &["aurora.html", "--url", URL, "--show-text", "--quiet"]);
    assert_eq!((quiet.stdout, quiet.stderr.as_str()), (run.stdout, ""));
}

#[test]
fn ndjson_is_the_json_in_one_line() {
    let line = output(&["--format", "ndjson"]);
    assert_eq!(line.matches('\n').count(), 1);
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(read(&line), read(&output(&["--format", "json"])));
}

#[test]
fn the_same_page_gives_the_same_bytes_each_time() {
    for format in ["json", "human", "html", "sarif"] {
        assert_eq!(output(&["--format", format]), output(&["--format", format]));
    }
}

#[test]
fn the_first_fields_are_those_of_the_contract() {
    let text = output(&["--format", "json"]);
    let names: Vec<&str> =
        text.lines().skip(1).take(4).filter_map(|line| line.trim().split('"').nth(1)).collect();
    assert_eq!(names, ["id", "url", "gpt_visibility_score", "status"]);
}

#[test]
fn a_pipe_gets_no_escapes_unless_it_asks_for_them() {
    assert!(!output(&[]).contains('\u{1b}'));
    assert!(output(&["--color", "always"]).contains("\u{1b}["));
}

#[test]
fn no_form_passes_control_characters_of_strangers_on() {
    let folder = Folder::new();
    let page = folder.file("hostile.html", hostile());
    for lang in ["en", "tr"] {
        for format in ["human", "markdown", "html", "junit", "prompt", "sarif", "github"] {
            let run = audit(&[&page, "--format", format, "--lang", lang]);
            assert_eq!(run.code, Some(0), "{format}: {}", run.stderr);
            let bad =
                run.stdout.chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
            assert_eq!(bad, None, "{format}");
        }
    }
}

#[test]
fn quiet_leaves_the_score() {
    let text = output(&["--quiet"]);
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains(" / 100  "), "{text}");
}

#[test]
fn a_list_for_people_has_a_line_for_each_page_and_what_they_lose() {
    let folder = shop();
    let run = audit(&["--dir", &folder.all()]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stderr, "2 pages: 2 read, 0 not read\n");
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
    assert!(run.stdout.contains("aurora.html"), "{}", run.stdout);
    assert!(run.stdout.contains("▼ script-shell  Pages: 1"), "{}", run.stdout);
    let quiet = audit(&["--dir", &folder.all(), "--quiet"]);
    assert_eq!((quiet.stdout.lines().count(), quiet.stderr.as_str()), (2, ""));
}

#[test]
fn several_pages_are_one_report_behind_an_overview() {
    let folder = shop();
    let html = audit(&["--dir", &folder.all(), "--format", "html"]);
    assert_eq!(html.code, Some(0), "{}", html.stderr);
    assert_eq!(html.stdout.matches("<!doctype html>").count(), 1);
    assert_eq!(html.stdout.matches("<article class=\"site\"").count(), 2);
    assert!(html.stdout.contains("AI visibility of 2 pages"), "{}", html.stdout);
    let markdown = audit(&["--dir", &folder.all(), "--format", "markdown", "--lang", "tr"]);
    assert_eq!(markdown.stdout.matches("\n<a id=\"page-").count(), 2);
    let title = "# 2 sayfanın yapay zekâ görünürlüğü\n";
    assert!(markdown.stdout.starts_with(title), "{}", markdown.stdout);
}

#[test]
fn places_in_files_are_named_by_the_path_that_was_given() {
    let folder = shop();
    let run = audit(&["--dir", &folder.all(), "--base-url", "https://a.com", "--format", "sarif"]);
    let log = json(&run);
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        let place = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        let uri = place.as_str().unwrap_or_default();
        assert!(uri.ends_with("aurora.html") || uri.ends_with("shell.html"), "{result}");
    }
}

#[test]
fn reports_of_a_folder_are_written_beside_each_other() {
    let (folder, reports) = (shop(), Folder::new());
    let files = ["markdown", "html", "sarif", "json"].map(|format| (format, reports.path(format)));
    let also: Vec<String> =
        files.iter().map(|(format, path)| format!("--also={format}={path}")).collect();
    let more = also.iter().map(String::as_str);
    let call: Vec<&str> = ["--dir", ".", "--format", "github"].into_iter().chain(more).collect();
    let together = audit_in(&folder, &call);
    assert_eq!(together.code, Some(0), "{}", together.stderr);
    assert_eq!(together.stdout, audit_in(&folder, &["--dir", ".", "--format", "github"]).stdout);
    for (format, path) in files {
        let alone = audit_in(&folder, &["--dir", ".", "--format", format]);
        assert_eq!(std::fs::read_to_string(path).expect(format), alone.stdout, "{format}");
    }
}
