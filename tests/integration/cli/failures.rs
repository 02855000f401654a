//! What goes wrong outside of a scan.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use visibility_tests::site::good;

use crate::cli::program::{Folder, Run, command, finish, mixed, recorded, run};

#[test]
fn arguments_that_cannot_be_are_refused_with_a_hint() {
    let folder = recorded(&mixed());
    let all = folder.all();
    let empty = Folder::new();
    let unwritable = folder.path("no/such/folder/report.html");
    let empty = empty.all();
    let file = folder.file("file", "");
    let under_file = folder.path("file/sites");
    let cases: [(&[&str], &str); 18] = [
        (&["scan", "a.com", "--record", &file], "cannot write"),
        (&["scan", "a.com", "--record", &under_file], "cannot write"),
        (&["scan", "--replay", &all, "--only", "sitemap", "--skip", "sitemap"], "no check to run"),
        (&["badge", "no-such-file.json"], "cannot read `no-such-file.json`"),
        (&["robots", "check", "nofile.txt", "--as", "GPTBot", "/"], "cannot read `nofile.txt`"),
        (&["scan"], "required arguments were not provided"),
        (
            &["scan", "--replay", &all, "--only", "robots-tx"],
            "a similar value exists: 'robots-txt'",
        ),
        (&["scan", "--replay", &all, "--min-score", "101"], "101 is not in 0..=100"),
        (&["scan", "--replay", &all, "--only", "robots-txt", "--min-score", "5"], "cannot be used"),
        (&["scan", "--replay", &all, "--record", "x"], "cannot be used with"),
        (&["scan", "--replay", &empty], "there is no recording in"),
        (&["scan", "--replay", "/no/such/folder"], "cannot read"),
        (&["scan", "--replay", &all, "-o", &unwritable], "cannot write"),
        (
            &["scan", "--replay", &all, "other.example.com"],
            "other.example.com: there is no recording of this domain",
        ),
        (&["scan", "a.com", "--connect-to", "nonsense"], "HOST"),
        (&["scan", "a.com", "--ca-cert", "/no/such/file"], "cannot read"),
        (&["explain", "sitemp"], "did you mean `sitemap`?"),
        (&["agents", "show", "unknown"], "agents list --all"),
    ];
    for (arguments, message) in cases {
        let run = run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{arguments:?}");
    }
}

/// Runs with these variables in the environment.
fn run_with(arguments: &[&str], variables: &[(&str, &str)]) -> Run {
    let mut command = command(arguments);
    command.envs(variables.iter().copied());
    finish(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn())
}

#[test]
fn the_flag_for_a_proxy_needs_one() {
    for arguments in [
        &["scan", "a.com"][..],
        &["audit", "https://a.com/"],
        &["badge", "a.com"],
        &["robots", "check", "a.com", "--as", "GPTBot", "/"],
        &["mcp"],
    ] {
        let arguments = [arguments, &["--proxy-from-env"]].concat();
        for (variables, message) in [
            (&[][..], "none of `HTTPS_PROXY`, `HTTP_PROXY` and `ALL_PROXY` is set"),
            (&[("HTTP_PROXY", ""), ("NO_PROXY", "*")], "none of `HTTPS_PROXY`, `HTTP_PROXY`"),
            (&[("HTTP_PROXY", "ht!tp://::::")], "`HTTP_PROXY` is not the address of a proxy"),
            (
                &[("all_proxy", "socks5://127.0.0.1:1080")],
                "`all_proxy` names a proxy of the kind `socks5`",
            ),
        ] {
            let run = run_with(&arguments, variables);
            assert_eq!(run.code, Some(2), "{arguments:?} {variables:?}: {}", run.stderr);
            assert!(run.stderr.contains(message), "{arguments:?}: {}", run.stderr);
            assert_eq!(run.stdout, "", "{arguments:?}");
        }
    }
}

#[test]
fn a_proxy_hears_nothing_of_an_address_that_is_refused() {
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    proxy.set_nonblocking(true).unwrap();
    for (arguments, code) in [
        (&["audit", "http://10.0.0.7/"][..], "URL_NOT_ALLOWED"),
        (&["audit", &address], "URL_NOT_ALLOWED"),
        (&["audit", "http://printer.local/"], "URL_NOT_ALLOWED"),
        (&["scan", "http://localhost"], "DOMAIN_NOT_ALLOWED"),
    ] {
        let arguments = [arguments, &["--proxy-from-env", "--format", "json"]].concat();
        let run = run_with(&arguments, &[("ALL_PROXY", &address)]);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        assert!(run.stdout.contains(code), "{arguments:?}: {}", run.stdout);
        let run = run_with(&arguments[..arguments.len() - 2], &[("ALL_PROXY", &address)]);
        assert!(run.stderr.contains("in NO_PROXY"), "{arguments:?}: {}", run.stderr);
        assert!(!run.stderr.contains("add --proxy-from-env"), "{arguments:?}: {}", run.stderr);
        assert!(proxy.accept().is_err(), "{arguments:?}");
    }
}

#[test]
fn a_file_is_replaced_by_a_result_and_by_nothing_else() {
    let folder = recorded(&mixed());
    let all = folder.all();
    let file = folder.file("report", "old");
    for format in ["human", "html", "json", "markdown"] {
        let arguments = ["scan", "gone.example.com", "--replay", &all, "--format", format];
        let run = run(&[&arguments[..], &["-o", &file]].concat());
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert_eq!(fs::read_to_string(&file).unwrap(), "old", "{format}");
    }
    let arguments = ["scan", "gone.example.com", "--replay", &all, "--format", "junit"];
    assert_eq!(run(&[&arguments[..], &["-o", &file]].concat()).code, Some(2));
    assert!(fs::read_to_string(&file).unwrap().contains("NOT_RECORDED"));
    assert_eq!(run(&["scan", "--replay", &all, "-o", &file]).code, Some(0));
    assert!(fs::read_to_string(&file).unwrap().contains("/ 100"));
    let left = fs::read_dir(&all)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    assert!(left.into_iter().all(|name| !name.contains(".part")), "no draft is left behind");
}

#[test]
fn a_reader_that_has_enough_is_no_fault() {
    let folder = Folder::new();
    for index in 0..30 {
        folder.record(&good(&format!("site{index}.example.com")));
    }
    let mut child = command(&["scan", "--replay", &folder.all(), "--format", "ndjson"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with('{'));
    let run = finish(Ok(child));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_scan_that_waits() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("slow.example.com:443:127.0.0.1:{}", silent.local_addr().unwrap().port());
    let folder = Folder::new();
    let file = folder.file("report", "old");
    let child = command(&["scan", "slow.example.com", "--connect-to", &target, "-o", &file])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut connection, _) = silent.accept().unwrap();
    connection.read_exact(&mut [0]).unwrap();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let run = finish(Ok(child));
    assert_eq!(
        (run.code, run.stdout.as_str(), run.stderr.as_str()),
        (Some(130), "", "interrupted\n")
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");
    assert_eq!(fs::read_dir(folder.all()).unwrap().count(), 1);
}

#[test]
fn an_address_that_is_not_public_is_refused_before_a_connection() {
    let run = run(&["scan", "127.0.0.1", "--format", "json"]);
    assert_eq!(run.code, Some(2));
    let value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(value["error"]["details"]["reason"], "ip_literal");
}
