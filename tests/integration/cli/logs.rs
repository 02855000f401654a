//! `visibility logs validate`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use chrono::{DateTime, Utc};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use visibility_tests::logs::{Bad, LogPlan, Truth, log};

use crate::cli::program::{Folder, Run, command, run, run_with_input};

const NOW: &str = "2026-11-20T23:00:00Z";
const GPTBOT: &str = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)";

fn validate(file: &str, arguments: &[&str]) -> Run {
    let mut all = vec!["logs", "validate", file, "--now", NOW];
    all.extend(arguments);
    run(&all)
}

fn piped(input: impl AsRef<[u8]>, arguments: &[&str]) -> Run {
    let mut all = vec!["logs", "validate", "-", "--now", NOW];
    all.extend(arguments);
    run_with_input(&all, input)
}

fn plan(seed: u64, records: u64, bad: Bad) -> (Vec<u8>, Truth) {
    let now = NOW.parse::<DateTime<Utc>>().unwrap();
    log(&LogPlan { records, seed, now, bad })
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// What the endpoint would answer to a log whose truth is known.
fn expected(truth: &Truth) -> Value {
    let rejections: Vec<Value> = truth
        .rejections
        .iter()
        .map(|rejection| match rejection.field {
            Some(field) => {
                json!({ "line": rejection.line, "reason": rejection.reason, "field": field })
            }
            None => json!({ "line": rejection.line, "reason": rejection.reason }),
        })
        .collect();
    let mut answer = json!({
        "received": truth.received, "accepted": truth.accepted, "rejected": truth.rejected
    });
    if !rejections.is_empty() {
        answer["rejections"] = json!(rejections);
    }
    answer
}

/// A record with some fields replaced; `null` takes one away.
fn record(changes: &Value) -> String {
    let mut record = json!({
        "timestamp": "2026-11-20T22:00:00Z", "user_agent": GPTBOT, "request_method": "GET",
        "request_path": "/products/item-1", "status_code": 200, "response_bytes": 5123,
        "referrer": "", "host": "www.example.com", "client_ip_hash": "sha256:0123456789abcdef"
    });
    let members = record.as_object_mut().unwrap();
    for (name, value) in changes.as_object().unwrap() {
        if value.is_null() {
            members.remove(name);
        } else {
            members.insert(name.clone(), value.clone());
        }
    }
    record.to_string()
}

/// One record for each reason, some blank lines, and two that are good.
fn mixed() -> String {
    let long = format!("/{}", "a".repeat(8_192));
    let changes = [
        json!({}),
        json!({"cookie": "SECRET-1"}),
        json!({"cookie": "SECRET-2"}),
        json!({"x\u{1b}[31m<b>\u{202e}": "SECRET-3"}),
        json!({"host": null}),
        json!({"status_code": "SECRET-4"}),
        json!({"user_agent": "SECRET-5"}),
        json!({"timestamp": "2026-08-01T00:00:00Z"}),
        json!({"timestamp": "2026-11-20T23:00:06Z"}),
        json!({ "request_path": long }),
        json!({"request_path": "/?password=SECRET-6"}),
        json!({"timestamp": "2026-11-20T23:00:05Z"}),
    ];
    let lines: Vec<String> = changes.iter().map(record).collect();
    format!("{}\r\n\n  \n{}\n", lines[..2].join("\n"), lines[2..].join("\n"))
}

#[test]
fn exactly_what_is_bad_is_rejected() {
    let folder = Folder::new();
    for (seed, bad) in [(1, Bad::Some), (2, Bad::Some), (3, Bad::All), (4, Bad::None)] {
        let (bytes, truth) = plan(seed, 5_000, bad);
        let file = folder.file("log.ndjson.gz", gzip(&bytes));
        let run = validate(&file, &["--format", "json"]);
        let code = if truth.rejected == 0 { 0 } else { 5 };
        assert_eq!((run.code, run.stderr.as_str()), (Some(code), ""));
        let answer: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(answer, expected(&truth), "seed {seed}");
        assert!(run.stdout.starts_with("{\"received\":5000,\"accepted\":"), "seed {seed}");
    }
}

#[test]
fn a_batch_is_the_same_plain_compressed_in_members_and_from_a_pipe() {
    let (bytes, truth) = plan(5, 2_000, Bad::Some);
    let (start, end) = bytes.split_at(12_345);
    let members = [gzip(start), gzip(b""), gzip(end)].concat();
    let marked = [b"\xef\xbb\xbf".as_slice(), &bytes].concat();
    let folder = Folder::new();
    let answers = [
        validate(&folder.file("plain", &bytes), &["--format", "json"]),
        validate(&folder.file("members", &members), &["--format", "json"]),
        validate(&folder.file("mark.gz", gzip(&marked)), &["--format", "json"]),
        piped(&bytes, &["--format", "json"]),
        piped(&members, &["--format", "json"]),
        run_with_input(&["logs", "validate", "--now", NOW, "--format", "json"], &bytes),
    ];
    for run in answers {
        assert_eq!((run.code, run.stderr.as_str()), (Some(5), ""));
        assert_eq!(serde_json::from_str::<Value>(&run.stdout).unwrap(), expected(&truth));
    }
}

#[test]
fn the_page_for_people_is_stable() {
    let run = validate(&Folder::new().file("mixed.ndjson", mixed()), &[]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(5), ""));
    insta::assert_snapshot!(run.stdout);
}

#[test]
fn the_turkish_page_is_stable() {
    let run = piped(mixed(), &["--lang", "tr"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(5), ""));
    insta::assert_snapshot!(run.stdout);
}

#[test]
fn the_json_is_stable() {
    insta::assert_snapshot!(piped(mixed(), &["--format", "json"]).stdout);
}

#[test]
fn the_junit_report_is_stable() {
    insta::assert_snapshot!(piped(mixed(), &["--format", "junit"]).stdout);
}

#[test]
fn a_batch_without_a_fault_is_exit_code_zero() {
    let (bytes, _) = plan(6, 100, Bad::None);
    for (format, part) in [
        ("human", "✓ standard input: all 100 records would be accepted\n"),
        ("json", "{\"received\":100,\"accepted\":100,\"rejected\":0}\n"),
        ("junit", "<testcase name=\"All records are accepted\"/>"),
    ] {
        let run = piped(&bytes, &["--format", format]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{format}");
        assert!(run.stdout.contains(part), "{format}: {}", run.stdout);
    }
}

#[test]
fn quiet_leaves_one_line() {
    let run = piped(mixed(), &["--quiet"]);
    assert_eq!(run.stdout, "✗ standard input: 10 of 12 records would be rejected\n");
}

#[test]
fn no_form_shows_a_value_or_passes_control_characters_on() {
    let spoiled = format!("{}\n{{\"a\":\"SECRET-7\",}}\n", record(&json!({})));
    for format in ["human", "json", "junit"] {
        for lang in ["en", "tr"] {
            for input in [mixed(), spoiled.clone()] {
                let run = piped(input, &["--format", format, "--lang", lang]);
                let all = format!("{}{}", run.stdout, run.stderr);
                assert!(!all.contains("SECRET"), "{format}: {all}");
                assert!(!all.contains('\u{1b}'), "{format}: {all}");
            }
        }
    }
}

#[test]
fn colors_depend_on_the_environment() {
    let always = piped(mixed(), &["--color", "always"]);
    assert!(always.stdout.contains("\u{1b}["));
    let file = Folder::new();
    let path = file.file("mixed.ndjson", mixed());
    let mut command = command(&["logs", "validate", &path, "--now", NOW]);
    let output = command.env("NO_COLOR", "1").env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(!output.stdout.contains(&0x1b));
}

#[test]
fn a_page_fits_eighty_columns() {
    for lang in ["en", "tr"] {
        let run = piped(mixed(), &["--lang", lang]);
        assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
    }
}

#[test]
fn a_line_that_is_not_an_object_refuses_the_batch() {
    let good = record(&json!({}));
    for (line, place) in [
        ("[]", "line 2, column 1"),
        ("{\"a\":1} x", "line 2, column 9"),
        ("{\"a\":", "line 2, column 6"),
        ("\u{feff}{}", "line 2, column 1"),
        ("nul", "line 2, column 1"),
    ] {
        let run = piped(format!("{good}\n{line}\n{good}\n"), &["--format", "json"]);
        assert_eq!(run.code, Some(2), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(place), "{line}: {}", run.stderr);
        assert!(run.stderr.contains("hint: write one JSON object"), "{line}: {}", run.stderr);
        let error = &serde_json::from_str::<Value>(&run.stdout).unwrap()["error"];
        assert_eq!(error["code"], "MALFORMED_PAYLOAD", "{line}");
        assert_eq!(error["details"]["line"], 2, "{line}");
        assert!(error["details"]["expected"].is_string(), "{line}");
    }
}

#[test]
fn a_batch_that_cannot_be_used_is_exit_code_two() {
    let folder = Folder::new();
    let (bytes, _) = plan(7, 500, Bad::Some);
    let whole = gzip(&bytes);
    let cases = [
        (folder.file("cut.gz", &whole[..whole.len() - 9]), "it ends too early"),
        (folder.file("start.gz", &whole[..2]), "the gzip stream is broken"),
        (folder.file("garbage.gz", [&whole[..], b"x"].concat()), "the gzip stream is broken"),
        (folder.file("zeros.gz", [&whole[..], &[0; 512]].concat()), "the gzip stream is broken"),
        (folder.file("sum.gz", [&whole[..whole.len() - 8], &[0; 8]].concat()), "checksum"),
        (folder.file("empty", ""), "there are no records"),
        (folder.file("blank", "\n \r\n\n"), "there are no records"),
        (folder.file("empty.gz", gzip(b"")), "there are no records"),
        (folder.file("binary", [0, 159, 146, 150]), "line 1, column 1"),
        (folder.path("missing"), "cannot read"),
        (folder.all(), "cannot read"),
    ];
    for (path, message) in cases {
        let run = validate(&path, &[]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{path}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{path}: {}", run.stderr);
    }
}

#[test]
fn an_output_file_stays_when_the_batch_is_refused_but_for_junit() {
    let folder = Folder::new();
    for (format, is_replaced) in [("human", false), ("json", false), ("junit", true)] {
        let out = folder.file("out", "before");
        let run = piped("x\n", &["--format", format, "-o", &out]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
        let text = fs::read_to_string(&out).unwrap();
        assert_eq!(text != "before", is_replaced, "{format}: {text}");
        assert!(!is_replaced || text.contains("type=\"MALFORMED_PAYLOAD\""), "{text}");
        let run = piped(mixed(), &["--format", format, "-o", &out]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(5), ""));
        assert_eq!(fs::read_to_string(&out).unwrap(), piped(mixed(), &["--format", format]).stdout);
    }
    assert_eq!(fs::read_dir(folder.all()).unwrap().count(), 1, "no draft is left");
}

#[test]
fn arguments_that_mean_nothing_are_refused() {
    for arguments in [
        ["--now", "yesterday"],
        ["--now", "2026-11-20"],
        ["--future-skew", "-1"],
        ["--future-skew", "5s"],
        ["--format", "html"],
        ["--output", "/no/such/folder/out"],
    ] {
        let run = run_with_input(&[&["logs", "validate", "-"], &arguments[..]].concat(), "");
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
    }
}

#[test]
fn the_time_and_the_skew_decide_what_is_in_the_future() {
    let line = record(&json!({"timestamp": "2026-11-20T23:00:30Z"}));
    for (arguments, code) in [
        (&[][..], 5),
        (&["--future-skew", "30"][..], 0),
        (&["--future-skew", "29"], 5),
        (&["--future-skew", "0", "--now", "2026-11-21T02:00:30+03:00"], 0),
        (&["--now", "2027-03-01T00:00:00Z"], 5),
    ] {
        let mut all = vec!["logs", "validate"];
        if !arguments.contains(&"--now") {
            all.extend(["--now", NOW]);
        }
        all.extend(arguments);
        assert_eq!(run_with_input(&all, &line).code, Some(code), "{arguments:?}");
    }
}

#[test]
fn half_a_million_rejections_are_listed_and_not_kept_in_memory() {
    let folder = Folder::new();
    let file = folder.file("many.ndjson", "{}\n".repeat(500_000));
    let mut child = command(&["logs", "validate", &file, "--format", "json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let head = lines.next().unwrap().unwrap();
    assert_eq!(head, r#"{"received":500000,"accepted":0,"rejected":500000,"rejections":["#);
    // The pipe is full, so the program waits with everything judged.
    if let Ok(status) = fs::read_to_string(format!("/proc/{}/status", child.id())) {
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(kib < 40 * 1024, "{kib} KiB");
    }
    let last = r#"{"line":500000,"reason":"missing_required_field","field":"timestamp"}"#;
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert_eq!(rest.len(), 500_001);
    assert_eq!(rest[499_999], last);
    assert_eq!(child.wait().unwrap().code(), Some(5));
}

#[test]
fn more_records_than_a_batch_may_have_are_refused() {
    let run = piped("{}\n".repeat(500_001), &[]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("more than 500000 records"), "{}", run.stderr);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_fault() {
    let folder = Folder::new();
    let file = folder.file("many.ndjson", "{}\n".repeat(100_000));
    let mut child = command(&["logs", "validate", &file, "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn a_writer_that_goes_on_is_not_waited_for() {
    let mut child = command(&["logs", "validate", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The pipe stays open: the first line is bad enough.
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"no object\n").unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(2));
    drop(stdin);
}
