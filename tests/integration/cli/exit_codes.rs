//! How the process ends, and what it says then.

use std::fs;

use visibility_core::fetch::FetchError;
use visibility_tests::site::{Reply, Site, good};

use crate::cli::program::{Folder, mixed, recorded, run};

fn scan(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String) {
    let folder = folder.all();
    let mut all = vec!["scan", "--format", "json", "--replay", &folder];
    all.extend(arguments);
    let run = run(&all);
    (run.code, run.stderr)
}

#[test]
fn each_gate_passes_and_fails() {
    let folder = recorded(&mixed());
    let cases: [(&[&str], i32, &str); 8] = [
        (&["--min-score", "0"], 0, ""),
        (&["--min-score", "100"], 1, "below 100 (--min-score)"),
        (&["--min-tier", "invisible"], 0, ""),
        (&["--min-tier", "native"], 1, "below Agent-native (--min-tier)"),
        (&["--fail-on", "fail"], 1, "ai-crawler-rules"),
        (&["--fail-on", "warn"], 1, "(--fail-on)"),
        (&["--fail-on", "fail", "--only", "honest-404"], 0, ""),
        (&["--fail-on", "fail", "--only", "ai-crawler-rules"], 1, "ai-crawler-rules (--fail-on)"),
    ];
    for (arguments, code, message) in cases {
        let (found, stderr) = scan(&folder, arguments);
        assert_eq!(found, Some(code), "{arguments:?}: {stderr}");
        assert!(stderr.contains(message), "{arguments:?}: {stderr}");
    }
}

#[test]
fn a_baseline_fails_on_what_is_worse_and_on_nothing_else() {
    let before = recorded(&good("shop.example.com"));
    let after = recorded(&mixed());
    let baseline = before.path("baseline.json");
    let folder = before.all();
    run(&["scan", "--replay", &folder, "--format", "json", "-o", &baseline]);
    assert_eq!(scan(&before, &["--baseline", &baseline]), (Some(0), String::new()));
    let (code, stderr) = scan(&after, &["--baseline", &baseline]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("ai-crawler-rules") && stderr.contains("(--baseline)"), "{stderr}");
}

#[test]
fn a_baseline_of_other_rules_or_without_results_is_refused() {
    let folder = recorded(&mixed());
    let path = folder.path("baseline.json");
    let all = folder.all();
    run(&["scan", "--replay", &all, "--format", "json", "-o", &path]);
    let text = fs::read_to_string(&path).unwrap();
    let partial = folder.path("partial.json");
    run(&["scan", "--replay", &all, "--format", "json", "--only", "sitemap", "-o", &partial]);
    let other = text.replacen("\"rubric_version\": \"", "\"rubric_version\": \"1999.", 1);
    let cases = [
        (folder.file("rubric.json", &other), "uses rubric 1999."),
        (folder.file("text.json", "not json"), "is not a result of a scan"),
        (folder.file("empty.json", "[]"), "has no result"),
        (
            folder.file("other.json", text.replace("shop.example.com", "b.com")),
            "no result for shop",
        ),
        (partial, "has no score for shop.example.com"),
        (folder.path("missing.json"), "cannot read"),
    ];
    for (path, message) in cases {
        let (code, stderr) = scan(&folder, &["--baseline", &path]);
        assert_eq!(code, Some(2), "{path}: {stderr}");
        assert!(stderr.contains(message), "{path}: {stderr}");
    }
}

#[test]
fn an_unreachable_site_is_distinguished_from_an_invalid_domain() {
    let host = "gone.example.com";
    let dns = || FetchError::Dns { host: host.to_owned() };
    let gone = Site::new(host)
        .failing("/", dns())
        .failing(&format!("http://{host}/"), dns())
        .failing("/robots.txt", dns());
    let (code, stderr) = scan(&recorded(&gone), &[]);
    assert_eq!(code, Some(3), "{stderr}");
    assert!(stderr.contains("the name has no address"), "{stderr}");

    let broken = good(host).with("/", Reply::error(503));
    let (code, stderr) = scan(&recorded(&broken), &[]);
    assert_eq!(code, Some(3), "{stderr}");
    assert!(stderr.contains("responds with status 503"), "{stderr}");

    let run = run(&["scan", "https://user@example.com/shop"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("did you mean example.com?"), "{}", run.stderr);
}

#[test]
fn a_scan_that_ran_out_of_time_says_so() {
    let host = "slow.example.com";
    let slow = good(host).failing("/llms.txt", FetchError::Deadline);
    let folder = recorded(&slow);
    let (code, stderr) = scan(&folder, &[]);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("slow.example.com: The time for the scan ran out"), "{stderr}");
    let report = run(&["scan", "--replay", &folder.all()]).stdout;
    assert!(report.contains("Confidence: medium"), "{report}");
    assert!(report.contains("! The time for the scan ran out"), "{report}");
}

#[test]
fn low_confidence_counts_only_when_a_gate_was_asked_for() {
    let challenge = || Reply::error(403).header("cf-mitigated", "challenge");
    let host = "wall.example.com";
    let walled = good(host).otherwise(challenge()).with("/", challenge());
    let folder = recorded(&walled);
    let (code, stderr) = scan(&folder, &[]);
    assert_eq!(code, Some(0), "{stderr}");
    let (code, stderr) = scan(&folder, &["--min-score", "0"]);
    assert_eq!(code, Some(4), "{stderr}");
    assert!(stderr.contains("confidence is low"), "{stderr}");
    let (code, stderr) = scan(&folder, &["--min-tier", "invisible"]);
    assert_eq!(code, Some(4), "no tier is reached: {stderr}");
}
