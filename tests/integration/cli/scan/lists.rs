//! Several domains: order, errors among them, standard input.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use visibility_tests::injection::outside_of_fences;
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::site::good;
use visibility_tests::wait::until;

use crate::cli::program::{Folder, command, finish, run, run_with_input};

fn three() -> Folder {
    let folder = Folder::new();
    for host in ["b.example.com", "a.example.com", "c.example.com"] {
        folder.record(&good(host));
    }
    folder
}

fn domains(values: &[Value]) -> Vec<&str> {
    values.iter().map(|value| value["domain"].as_str().unwrap()).collect()
}

#[test]
fn results_come_in_the_order_given() {
    let folder = three();
    let folder = folder.all();
    let order = ["c.example.com", "a.example.com", "b.example.com"];
    let mut arguments = vec!["scan", "--replay", &folder, "--format", "json"];
    arguments.extend(order);
    let json = run(&arguments);
    assert_eq!(json.code, Some(0), "{}", json.stderr);
    let values: Vec<Value> = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(domains(&values), order);
    assert_eq!(json.stderr, "3 domains: 3 scanned, 0 failed\n");
}

#[test]
fn everything_that_was_recorded_is_scanned_without_names() {
    let folder = three();
    let run = run(&["scan", "--replay", &folder.all(), "--format", "ndjson", "--quiet"]);
    let values: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(domains(&values), ["a.example.com", "b.example.com", "c.example.com"]);
    assert_eq!(run.stderr, "");
}

#[test]
fn standard_input_has_a_domain_a_line() {
    let folder = three();
    let input = "\u{feff}# sites\n\nb.example.com\r\nno/such\n  a.example.com  \n#c.example.com\n";
    let arguments = ["scan", "-", "--replay", &folder.all(), "--format", "ndjson"];
    let run = run_with_input(&arguments, input);
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    let values: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(domains(&values), ["b.example.com", "no/such", "a.example.com"]);
    let error = &values[1]["error"];
    assert_eq!(error["code"], "INVALID_DOMAIN");
    assert_eq!(error["details"]["reason"], "not_a_bare_host");
    assert!(error["message"].is_string() && error["hint"].is_string(), "{error}");
    assert!(run.stderr.ends_with("3 domains: 2 scanned, 1 failed\n"), "{}", run.stderr);
}

#[test]
fn a_line_that_is_too_long_is_one_bad_domain() {
    let folder = three();
    let input = format!("{}\n# {}\na.example.com\n", "x".repeat(10_000), "y ".repeat(5_000));
    let arguments = ["scan", "-", "--replay", &folder.all(), "--format", "ndjson"];
    let run = run_with_input(&arguments, &input);
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    assert!(run.stderr.ends_with("2 domains: 1 scanned, 1 failed\n"), "{}", run.stderr);
}

#[test]
fn a_list_of_one_is_a_list() {
    let folder = three();
    let arguments = ["scan", "-", "--replay", &folder.all(), "--format", "json"];
    let run = run_with_input(&arguments, "a.example.com\n");
    let values: Vec<Value> = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(domains(&values), ["a.example.com"]);
}

#[test]
fn an_empty_list_is_a_mistake() {
    let folder = three();
    let arguments = ["scan", "-", "--replay", &folder.all()];
    let run = run_with_input(&arguments, "# nothing\n");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("the list has no domain"), "{}", run.stderr);
}

#[test]
fn the_lines_of_a_list_for_people_are_stable() {
    let folder = three();
    let folder = folder.all();
    let run = run(&["scan", "--replay", &folder, "a.example.com", "127.0.0.1", "b.example.com"]);
    assert_eq!(run.code, Some(5));
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
    insta::assert_snapshot!(run.stdout);
}

#[test]
fn several_domains_are_one_html_report_behind_an_overview() {
    let folder = three();
    let folder = folder.all();
    let arguments = ["a.example.com", "127.0.0.1", "b.example.com", "--format", "html"];
    let run = run(&[&["scan", "--replay", &folder][..], &arguments].concat());
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    assert_eq!(run.stdout.matches("<!doctype html>").count(), 1);
    assert_eq!(run.stdout.matches("<h1").count(), 1);
    for part in ["href=\"#site-1\"", "id=\"site-1\"", "href=\"#site-3\"", "id=\"site-3\""] {
        assert_eq!(run.stdout.matches(part).count(), 1, "{part}");
    }
    assert!(run.stdout.contains("<th scope=\"row\">127.0.0.1</th>"), "the failure is listed");
}

#[test]
fn several_domains_are_one_markdown_report_behind_an_overview() {
    let folder = three();
    let folder = folder.all();
    let arguments = ["a.example.com", "127.0.0.1", "--format", "markdown", "--lang", "tr"];
    let run = run(&[&["scan", "--replay", &folder][..], &arguments].concat());
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    let outside = outside_of_fences(&run.stdout);
    assert_eq!(outside.lines().filter(|line| line.starts_with("# ")).count(), 1, "{outside}");
    assert!(run.stdout.contains("| [a.example.com](#site-1) |"), "{}", run.stdout);
    assert!(run.stdout.contains("| `127.0.0.1` | – | sonuç yok |"), "{}", run.stdout);
}

#[test]
fn many_domains_keep_their_order_at_any_concurrency() {
    let folder = three();
    let names = ["a.example.com", "b.example.com", "c.example.com"];
    let bad: Vec<String> = (0..32).map(|index| format!("bad..name{index}")).collect();
    let mut input: Vec<&str> = bad.iter().map(String::as_str).collect();
    for (index, name) in names.into_iter().enumerate() {
        input.insert(index * 10, name);
    }
    for concurrency in ["1", "16"] {
        let all = folder.all();
        let arguments =
            ["scan", "-", "--replay", &all, "--format", "ndjson", "--concurrency", concurrency];
        let run = run_with_input(&arguments, input.join("\n"));
        let values: Vec<Value> =
            run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(domains(&values), input, "{concurrency}");
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_keeps_what_finished_behind_a_domain_that_still_runs() {
    let server =
        FixtureServer::start(Hosts::new(["b.example.com", "c.example.com"].map(good))).await;
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let slow = format!("a.example.com:443:127.0.0.1:{}", silent.local_addr().unwrap().port());
    let https = format!(":443:127.0.0.1:{}", server.https().port());
    let http = format!(":80:127.0.0.1:{}", server.http().port());
    let folder = Folder::new();
    let ca = folder.file("ca.pem", server.authority().pem());
    let (file, record) = (folder.path("scans.json"), folder.path("record"));
    // Nothing outside shows when a scan is judged, which is just after its recording is written.
    let run = async |pause: Duration| {
        let child = command(&["scan", "a.example.com", "b.example.com", "c.example.com"])
            .args(["--connect-to", &slow, "--connect-to", &https, "--connect-to", &http])
            .args(["--ca-cert", &ca, "--timeout", "300", "--record", &record])
            .args(["--format", "json", "-o", &file])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let id = child.id().to_string();
        let is_recorded = |host: &str| Path::new(&record).join(host).join("scan.json").is_file();
        until("two scans are recorded", || {
            is_recorded("b.example.com") && is_recorded("c.example.com")
        })
        .await;
        tokio::time::sleep(pause).await;
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let run = tokio::task::spawn_blocking(|| finish(Ok(child))).await.unwrap();
        fs::remove_dir_all(&record).unwrap();
        assert_eq!((run.code, run.stdout.as_str()), (Some(130), ""), "{}", run.stderr);
        run.stderr
    };
    let both = "2 domains: 2 scanned, 0 failed\ninterrupted\n";
    let mut said = run(Duration::from_secs(1)).await;
    for pause in [10, 60] {
        if said != both {
            said = run(Duration::from_secs(pause)).await;
        }
    }
    assert_eq!(said, both);
    let values: Vec<Value> = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(domains(&values), ["b.example.com", "c.example.com"]);
}
