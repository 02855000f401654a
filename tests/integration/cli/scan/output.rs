//! The forms of a report, each as a golden file.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use visibility_core::report::html;
use visibility_tests::typical;

use crate::cli::program::{Folder, command, finish, mixed, recorded, run};

/// Scans the mixed site in this form.
fn output(arguments: &[&str]) -> String {
    let folder = recorded(&mixed());
    let folder = folder.all();
    let mut all = vec!["scan", "--replay", &folder];
    all.extend(arguments);
    let run = run(&all);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stderr, "");
    // The commands at the end of a report name the recording.
    run.stdout.replace(&folder, "RECORDING")
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
fn the_html_report_is_that_of_the_result() {
    let result = serde_json::from_str(&output(&["--format", "json"])).expect("a result");
    assert_eq!(output(&["--format", "html"]), html::render(&result).into_string());
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
    let folder = recorded(&mixed());
    for format in ["json", "human", "html", "prompt"] {
        let replay = || run(&["scan", "--replay", &folder.all(), "--format", format]).stdout;
        assert_eq!(replay(), replay());
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
        // Files to paste may be indented with tabs.
        let bad = text
            .chars()
            .find(|c| (c.is_control() && !matches!(c, '\n' | '\t')) || *c == '\u{202e}');
        assert_eq!(bad, None, "{format}");
    }
}

#[test]
fn the_matrix_fits_eighty_columns() {
    for lang in ["en", "tr"] {
        let text = output(&["--lang", lang, "--verbose"]);
        let rows = text.lines().skip_while(|line| !line.starts_with("  Googlebot")).take(27);
        for row in rows {
            assert!(row.chars().count() <= 80, "{row}");
            assert!(!row.contains('…'), "{row}");
        }
    }
}

#[test]
fn the_verbose_report_is_stable() {
    insta::assert_snapshot!(output(&["--verbose"]));
}

#[test]
fn a_report_of_a_good_site_has_sixty_lines_and_of_a_bad_one_a_hundred() {
    let typical = typical::all().into_iter().map(|one| (one.name, one.site));
    let expected = typical::expected().into_iter().map(|one| (one.name, one.site));
    for (name, site) in typical.chain(expected) {
        let folder = recorded(&site);
        for lang in ["en", "tr"] {
            let run = run(&["scan", "--replay", &folder.all(), "--lang", lang]);
            let score: u8 = run
                .stdout
                .lines()
                .find_map(|line| line.split_once(" / 100"))
                .and_then(|(score, _)| score.trim().parse().ok())
                .unwrap_or_default();
            let most = if score >= 75 { 60 } else { 100 };
            let count = run.stdout.lines().count();
            assert!(count <= most, "{name} {lang}: {count} lines\n{}", run.stdout);
        }
    }
}

#[test]
fn a_locale_without_utf8_has_signs_of_ascii_alone() {
    let folder = Folder::new();
    let report = folder.path("report.txt");
    let scan = ["scan", "--demo"];
    let whole = ["scan", "--demo", "--verbose"];
    let file = ["scan", "--demo", "-o", &report];
    let audit = ["audit", "--demo", "--verbose"];
    let pass = ["robots", "check", "-", "--as", "GPTBot", "/"];
    let in_locale = |arguments: &[&str], name: &str, locale: &str| {
        let mut command = command(arguments);
        command.env(name, locale).stdout(Stdio::piped()).stderr(Stdio::piped());
        finish(command.spawn())
    };
    for arguments in [&scan[..], &whole, &file, &audit, &pass] {
        for (name, locale) in [("LC_ALL", "C"), ("LC_CTYPE", "POSIX"), ("LANG", "en_US.ISO-8859-1")]
        {
            let run = in_locale(arguments, name, locale);
            assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
            let written = fs::read_to_string(&report).unwrap_or_default();
            for text in [run.stdout, run.stderr, written] {
                // Lines to paste stay as they are.
                for line in text.lines().filter(|line| !line.trim_start().starts_with("| ")) {
                    assert!(line.is_ascii(), "{arguments:?} {name}={locale}: {line}");
                }
            }
        }
    }
    let drawn = in_locale(&scan, "LC_ALL", "C").stdout;
    assert!(drawn.contains("\n  ###") && drawn.contains("\n  * "), "{drawn}");
    for (name, locale) in [("LC_ALL", ""), ("LC_ALL", "C.UTF-8"), ("LANG", "tr_TR.utf8")] {
        assert!(in_locale(&scan, name, locale).stdout.contains('█'), "{name}={locale}");
    }
}

#[test]
fn the_commands_after_a_demo_show_it_again() {
    for command in ["scan", "audit"] {
        let text = run(&[command, "--demo"]).stdout;
        for more in ["--write-fixes DIR", "--verbose"] {
            let line = format!("visibility {command} --demo {more}");
            assert!(text.contains(&line), "{line}: {text}");
        }
    }
}

#[test]
fn the_report_ends_with_the_score_and_the_next_commands() {
    let text = output(&[]);
    let score = text.lines().find(|line| line.contains(" / 100  ")).expect("a score").trim();
    let (_, end) = text.rsplit_once("\n\n").expect("a last part");
    assert!(end.starts_with(score), "{end}");
    for command in ["visibility explain ", " --write-fixes DIR", " --verbose"] {
        assert!(end.contains(command), "{command}: {end}");
    }
}

#[test]
fn what_is_cut_names_the_way_to_the_rest() {
    let text = output(&[]);
    for line in text.lines().filter(|line| line.contains("more lines")) {
        assert!(line.contains("--verbose"), "{line}");
    }
    let whole = output(&["--verbose"]);
    assert!(!whole.contains("more lines"), "{whole}");
}

#[test]
fn all_points_are_shares_of_the_same_hundred() {
    let text = output(&["--verbose"]);
    let result: serde_json::Value =
        serde_json::from_str(&output(&["--format", "json"])).expect("a result");
    let checks = result["checks"].as_array().expect("checks");
    let possible: f64 = checks.iter().filter_map(|check| check["max_points"].as_f64()).sum();
    for check in checks.iter().filter(|check| !check["credit"].is_null()) {
        let id = format!("({})", check["id"].as_str().expect("an id"));
        let max = 100.0 * check["max_points"].as_f64().expect("points") / possible;
        let shown = format!(" / {}", (max * 10.0).round() / 10.0);
        let is_row = |line: &&str| line.contains(&id) && line.ends_with(&shown);
        assert!(text.lines().any(|line| is_row(&line)), "{id}{shown}\n{text}");
    }
    assert!(text.contains("62 of 100 points, which the rules"), "{text}");
    assert!(!text.contains("0 / 0"), "{text}");
}

#[test]
fn quiet_leaves_the_score() {
    let text = output(&["--quiet"]);
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains(" / 100  "), "{text}");
}

#[test]
fn reports_beside_the_main_one_are_those_that_the_formats_print() {
    let folder = Folder::new();
    folder.record(&mixed());
    let all = folder.all();
    let formats =
        ["json", "ndjson", "markdown", "html", "junit", "prompt", "sarif", "github", "human"];
    // One domain, and two of which one has no result.
    for domains in [&["shop.example.com"][..], &["shop.example.com", "gone.example.com"]] {
        let reports = Folder::new();
        let files = formats.map(|format| format!("{format}={}", reports.path(format)));
        let scan = |more: &[&str]| run(&[&["scan", "--replay", &all], domains, more].concat());
        let also: Vec<&str> = files.iter().flat_map(|file| ["--also", file]).collect();
        let together = scan(&[&also[..], &["--format", "json"]].concat());
        for format in formats {
            let alone = scan(&["--format", format]);
            assert_eq!(alone.code, together.code, "{format}");
            let written = fs::read_to_string(reports.path(format)).expect(format);
            assert_eq!(written, alone.stdout, "{format} of {domains:?}");
        }
    }
}

#[test]
fn of_a_domain_without_a_result_only_reports_for_ci_are_written() {
    let (folder, reports) = (Folder::new(), Folder::new());
    folder.record(&mixed());
    let files = ["markdown", "json", "sarif", "github"];
    let also = files.map(|format| format!("--also={format}={}", reports.path(format)));
    let all = folder.all();
    let also = also.iter().map(String::as_str);
    let call: Vec<&str> =
        ["scan", "gone.example.com", "--replay", &all].into_iter().chain(also).collect();
    assert_eq!(run(&call).code, Some(2));
    let is_written = files.map(|format| Path::new(&reports.path(format)).exists());
    assert_eq!(is_written, [false, false, true, true]);
}

#[test]
fn two_reports_are_not_one_file() {
    for reports in
        [&["--also", "json=a", "--also", "sarif=a"][..], &["-o", "a", "--also", "sarif=a"]]
    {
        let run = run(&[&["scan", "example.com"], reports].concat());
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains("two reports cannot be one file: `a`"), "{}", run.stderr);
    }
    let run = run(&["scan", "example.com", "--also", "pdf=a"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("use one of human, json, ndjson"), "{}", run.stderr);
}
