//! Gates and exit codes.

use std::fs;

use super::{URL, audit, json, shop};
use crate::cli::program::{Folder, run};

#[test]
fn each_gate_passes_and_fails() {
    let folder = shop();
    let (good, shell) = (folder.path("aurora.html"), folder.path("shell.html"));
    let open = folder.file("robots.txt", "User-agent: *\nAllow: /\n");
    let cases: [(&str, &[&str], i32, &str); 11] = [
        (&good, &["--min-score", "75"], 0, ""),
        (&shell, &["--min-score", "26"], 1, "below 26 (--min-score)"),
        (&shell, &["--min-score", "1"], 0, ""),
        (&shell, &["--min-score", "100"], 1, "(--min-score)"),
        (&shell, &["--fail-on", "fail"], 1, "main-text"),
        (&shell, &["--fail-on", "warn"], 1, "(--fail-on)"),
        (&good, &["--fail-on-gate"], 0, ""),
        (&shell, &["--fail-on-gate"], 1, "script-shell (--fail-on-gate)"),
        (&shell, &["--fail-on-gate", "noindex,script-shell"], 1, "script-shell (--fail-on-gate)"),
        (&shell, &["--fail-on-gate=noindex,nosnippet"], 0, ""),
        (&good, &["--fail-on", "fail"], 0, ""),
    ];
    for (page, gate, code, message) in cases {
        let all = [&[page, "--url", URL, "--robots", &open, "--format", "json"], gate].concat();
        let run = audit(&all);
        assert_eq!(run.code, Some(code), "{page} {gate:?}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{page} {gate:?}: {}", run.stderr);
        assert_eq!(run.stderr.is_empty(), message.is_empty(), "{page} {gate:?}: {}", run.stderr);
    }
}

#[test]
fn a_page_that_was_not_read_is_3_and_has_no_points_for_gates() {
    let folder = Folder::new();
    let empty = folder.file("empty.html", "");
    assert_eq!(audit(&[&empty]).code, Some(3));
    assert_eq!(audit(&[&empty, "--min-score", "0"]).code, Some(3));
    assert_eq!(audit(&[&empty, "--min-score", "1"]).code, Some(1));
    let shop = shop();
    let good = shop.path("aurora.html");
    assert_eq!(audit(&[&good, &empty, "--quiet"]).code, Some(5));
    assert_eq!(audit(&[&good, &empty, "--quiet", "--min-score", "1"]).code, Some(1));
}

#[test]
fn a_baseline_fails_on_what_is_worse_and_on_nothing_else() {
    let folder = shop();
    let (good, baseline) = (folder.path("aurora.html"), folder.path("baseline.json"));
    let page = |arguments: &[&str]| {
        audit(&[&[good.as_str(), "--url", URL, "--format", "json"], arguments].concat())
    };
    assert_eq!(page(&["-o", &baseline]).code, Some(0));
    let open = folder.file("robots.txt", "User-agent: *\nAllow: /\n");
    let same = page(&["--baseline", &baseline, "--robots", &open]);
    assert_eq!((same.code, same.stderr.as_str()), (Some(0), ""));
    let text = fs::read_to_string(&good).unwrap();
    fs::write(&good, text.replace("max-snippet:-1", "nosnippet")).unwrap();
    let worse = page(&["--baseline", &baseline]);
    assert_eq!(worse.code, Some(1));
    for part in ["nosnippet", "snippet-eligibility", " → 35", "(--baseline)"] {
        assert!(worse.stderr.contains(part), "{part}: {}", worse.stderr);
    }
}

#[test]
fn a_baseline_of_other_rules_or_without_results_is_refused() {
    let folder = shop();
    let page = folder.path("aurora.html");
    let path = folder.path("baseline.json");
    audit(&[&page, "--url", URL, "--format", "json", "-o", &path]);
    let text = fs::read_to_string(&path).unwrap();
    let other =
        text.replacen("\"rubric_version\": \"audit-", "\"rubric_version\": \"audit-1999.", 1);
    let scan = include_str!("../../../../visibility-core/testdata/reports/hostile.json");
    let cases = [
        (folder.file("rubric.json", &other), "uses rubric audit-1999."),
        (folder.file("text.json", "not json"), "is not a result of an audit"),
        (folder.file("empty.json", "[]"), "has no result"),
        (folder.file("scan.json", scan), "has results of another kind"),
        (folder.file("other.json", text.replace(URL, "https://b.com/")), "no result for "),
        (folder.path("missing.json"), "cannot read"),
    ];
    for (path, message) in cases {
        let run = audit(&[&page, "--url", URL, "--baseline", &path]);
        assert_eq!(run.code, Some(2), "{path}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{path}: {}", run.stderr);
        assert_eq!(run.stdout, "");
    }
}

#[test]
fn a_new_page_of_a_folder_is_no_regression() {
    let folder = shop();
    let baseline = folder.path("baseline.ndjson");
    let all = folder.all();
    assert_eq!(audit(&["--dir", &all, "--format", "ndjson", "-o", &baseline]).code, Some(0));
    folder.file("new.html", "<!doctype html><title>New</title><p>New.");
    let run = audit(&["--dir", &all, "--format", "ndjson", "--baseline", &baseline]);
    assert_ne!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("1 page is not in the baseline"), "{}", run.stderr);
}

#[test]
fn a_baseline_that_knows_none_of_the_pages_proves_nothing() {
    let folder = shop();
    let (baseline, all) = (folder.path("baseline.ndjson"), folder.all());
    let made = ["--base-url", "https://shop.example.com/", "--format", "ndjson", "-o", &baseline];
    assert_eq!(audit(&[&["--dir", all.as_str()][..], &made].concat()).code, Some(0));
    let run = audit(&["--dir", &all, "--format", "ndjson", "--baseline", &baseline]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("--base-url"), "{}", run.stderr);
}

#[test]
fn a_file_is_replaced_by_a_result_and_by_nothing_else() {
    let folder = shop();
    let file = folder.file("report", "old");
    let missing = folder.path("missing.html");
    for format in ["human", "html", "json", "markdown"] {
        assert_eq!(audit(&[&missing, "--format", format, "-o", &file]).code, Some(2));
        assert_eq!(fs::read_to_string(&file).unwrap(), "old", "{format}");
    }
    for format in ["junit", "sarif", "github"] {
        assert_eq!(audit(&[&missing, "--format", format, "-o", &file]).code, Some(2));
        assert!(fs::read_to_string(&file).unwrap().contains("cannot read"), "{format}");
    }
    let page = folder.path("aurora.html");
    assert_eq!(audit(&[&page, "-o", &file]).code, Some(0));
    assert!(fs::read_to_string(&file).unwrap().contains("/ 100"));
}

#[test]
fn diff_knows_audits() {
    let folder = shop();
    let (before, after) = (folder.path("before.json"), folder.path("after.json"));
    let (good, shell) = (folder.path("aurora.html"), folder.path("shell.html"));
    audit(&[&good, "--url", URL, "--format", "json", "-o", &before]);
    audit(&[&shell, "--url", URL, "--format", "json", "-o", &after]);
    let worse = run(&["diff", &before, &after]);
    assert_eq!(worse.code, Some(1), "{}", worse.stderr);
    assert!(worse.stdout.contains("New caps: script-shell"), "{}", worse.stdout);
    assert!(worse.stdout.contains("Product → Not certain"), "{}", worse.stdout);
    let better = run(&["diff", &after, &before, "--lang", "tr"]);
    for text in [&worse.stdout, &better.stdout] {
        assert!(!text.contains("interface.") && !text.contains("audit."), "{text}");
    }
    let same = run(&["diff", &after, &after, "--format", "json"]);
    assert_eq!(same.code, Some(0), "{}", same.stderr);
    assert_eq!(json(&same)["is_regression"], false);
    let scan = include_str!("../../../../visibility-core/testdata/reports/hostile.json");
    let mixed = run(&["diff", &before, &folder.file("scan.json", scan)]);
    assert_eq!(mixed.code, Some(2));
    assert!(mixed.stderr.contains("compare two scans, or two audits"), "{}", mixed.stderr);
}
