//! What goes wrong outside of a scan.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use visibility_tests::site::good;

use crate::program::{Folder, command, finish, mixed, recorded, run};

#[test]
fn arguments_that_cannot_be_are_refused_with_a_hint() {
    let folder = recorded(&mixed());
    let all = folder.all();
    let empty = Folder::new();
    let unwritable = folder.path("no/such/folder/report.html");
    let empty = empty.all();
    let cases: [(&[&str], &str); 13] = [
        (&["scan"], "required arguments were not provided"),
        (
            &["scan", "--replay", &all, "--only", "robots-tx"],
            "a similar value exists: 'robots-txt'",
        ),
        (&["scan", "--replay", &all, "--min-score", "101"], "101 is not in 0..=100"),
        (&["scan", "--replay", &all, "--only", "robots-txt", "--min-score", "5"], "cannot be used"),
        (&["scan", "--replay", &all, "--record", "x"], "cannot be used with"),
        (&["scan", "--replay", &empty], "there is no recording in"),
        (&["scan", "--replay", "/no/such/folder"], "could not be read"),
        (&["scan", "--replay", &all, "-o", &unwritable], "could not be written"),
        (&["scan", "--replay", &all, "other.example.com"], "no recording of other.example.com"),
        (&["scan", "a.com", "--connect-to", "nonsense"], "HOST"),
        (&["scan", "a.com", "--ca-cert", "/no/such/file"], "could not be read"),
        (&["explain", "sitemp"], "llms-txt"),
        (&["agents", "show", "nobody"], "agents list --all"),
    ];
    for (arguments, message) in cases {
        let run = run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{arguments:?}");
    }
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
    let child = command(&["scan", "slow.example.com", "--connect-to", &target])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut connection, _) = silent.accept().unwrap();
    connection.read_exact(&mut [0]).unwrap();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let run = finish(Ok(child));
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(130), "", ""));
}

#[test]
fn an_address_that_is_not_public_is_refused_before_a_connection() {
    let run = run(&["scan", "127.0.0.1", "--format", "json"]);
    assert_eq!(run.code, Some(2));
    let value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(value["error"]["details"]["reason"], "ip_literal");
}
