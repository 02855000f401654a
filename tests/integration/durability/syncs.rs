//! SIGKILL does not lose what the kernel holds, so no crash test sees a missing sync. This one reads
//! the system calls: before an answer leaves, everything that it promises has been synced.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use uuid::Uuid;

use crate::durability::service::{Service, records};

const CALLS: &str = "trace=write,writev,pwrite64,pwritev,fsync,fdatasync,rename,renameat,renameat2,\
                     sendto,sendmsg";
const WAL: &str = "state.sqlite-wal";

/// What matters of a system call that has returned.
#[derive(Clone, Debug, Eq, PartialEq)]
enum Event {
    Write(String),
    Sync(String),
    Rename { from: String, to: String },
    Answer,
}

#[test]
fn everything_is_synced_before_the_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("trace");
    let trace_text = trace.display().to_string();
    let probe = Command::new("strace").args(["-o", "/dev/null", "true"]).status();
    if !probe.is_ok_and(|status| status.success()) {
        eprintln!("skipped: strace is missing or may not trace");
        return;
    }
    let data_dir = folder.path().join("data");
    let strace = ["strace", "-f", "-y", "-s", "16", "-e", CALLS, "-o", &trace_text];
    let service = Service::start(&data_dir, &strace);
    for _ in 0..3 {
        assert_eq!(service.send(Uuid::now_v7(), &records(50)).status, 202);
    }
    stop_traced(service);

    let events = events(&fs::read_to_string(trace).expect("a trace"));
    assert_eq!(complaints(&events), Vec::<String>::new());
    let answers = events.iter().filter(|event| **event == Event::Answer).count();
    assert_eq!(answers, 3);

    // The same trace without some of its syncs is complained about.
    let missing: [fn(&str) -> bool; 4] = [
        |path| path.ends_with(WAL),
        |path| path.ends_with(".parquet#1"),
        |path| path.ends_with("/new"),
        |path| path.ends_with("/objects"),
    ];
    for is_missing in missing {
        let is_kept = |event: &&Event| !matches!(event, Event::Sync(path) if is_missing(path));
        let fewer: Vec<Event> = events.iter().filter(is_kept).cloned().collect();
        assert!(fewer.len() < events.len());
        assert_ne!(complaints(&fewer), Vec::<String>::new());
    }
}

/// Ends the traced service, and waits until its trace is complete.
fn stop_traced(service: Service) {
    let traced = Command::new("pgrep").args(["-P", &service.id().to_string()]).output();
    let traced = String::from_utf8(traced.expect("pgrep runs").stdout).expect("UTF-8");
    let stopped = Command::new("kill").args(["-TERM", traced.trim()]).status();
    assert!(stopped.is_ok_and(|status| status.success()));
    service.wait();
}

/// What is not as it should be before each answer.
fn complaints(events: &[Event]) -> Vec<String> {
    let mut complaints = Vec::new();
    let windows = events.split_inclusive(|event| *event == Event::Answer);
    for (number, window) in
        windows.enumerate().filter(|(_, window)| window.ends_with(&[Event::Answer]))
    {
        let mut complain = |what: String| complaints.push(format!("answer {number}: {what}"));
        let last = |wanted: &dyn Fn(&Event) -> bool| window.iter().rposition(wanted);
        let write =
            |path: &str| last(&|event| matches!(event, Event::Write(at) if at.ends_with(path)));
        let sync =
            |path: &str| last(&|event| matches!(event, Event::Sync(at) if at.ends_with(path)));
        if write(WAL).is_none() || write(WAL) > sync(WAL) {
            complain("the write-ahead log is not synced".to_owned());
        }
        let renames: Vec<(usize, &str, &str)> = window
            .iter()
            .enumerate()
            .filter_map(|(at, event)| match event {
                Event::Rename { from, to } => Some((at, from.as_str(), to.as_str())),
                _ => None,
            })
            .collect();
        if renames.len() < 2 {
            complain(format!("{} objects", renames.len()));
        }
        for (at, from, to) in renames {
            if write(from).is_none() || write(from) > sync(from) || sync(from) > Some(at) {
                complain(format!("{from} is not synced before it gets its name"));
            }
            let folder = to.rsplit_once('/').map_or("", |(folder, _)| folder);
            if sync(folder) < Some(at) {
                complain(format!("{folder} is not synced"));
            }
            if Some(at) > write(WAL) {
                complain(format!("{to} gets its name after the commit"));
            }
        }
        let is_new = number == 0;
        if is_new && (sync("/objects").is_none() || sync("/objects/tenant=acme").is_none()) {
            complain("the new folders are not synced".to_owned());
        }
    }
    complaints
}

/// The events of a trace, as far as they are of batches: their answers, and what the threads do that write their records. A
/// call that others interrupt counts where it returns; one that writes, where it begins.
fn events(trace: &str) -> Vec<Event> {
    let lines = || trace.lines().filter_map(|line| line.split_once(' '));
    let writers: BTreeSet<&str> = lines()
        .filter(|(_, call)| matches!(event(call.trim_start()), Some(Event::Write(path)) if path.ends_with(".parquet#1")))
        .map(|(thread, _)| thread)
        .collect();
    let mut events = Vec::new();
    let mut pending: BTreeMap<&str, Event> = BTreeMap::new();
    for (process, call) in lines() {
        let call = call.trim_start();
        if !writers.contains(process) && event(call) != Some(Event::Answer) {
            continue;
        }
        if call.starts_with("<... ") {
            events.extend(pending.remove(process));
            continue;
        }
        let Some(event) = event(call) else { continue };
        if call.ends_with("<unfinished ...>")
            && matches!(event, Event::Sync(_) | Event::Rename { .. })
        {
            pending.insert(process, event);
        } else {
            events.push(event);
        }
    }
    events
}

fn event(call: &str) -> Option<Event> {
    let (name, rest) = call.split_once('(')?;
    let path = || Some(rest.split_once('<')?.1.split_once('>')?.0.to_owned());
    match name {
        "write" | "writev" | "pwrite64" | "pwritev" | "sendto" | "sendmsg" => {
            if rest.contains("HTTP/1.1 2") {
                return Some(Event::Answer);
            }
            path().filter(|path| path.contains("/data/")).map(Event::Write)
        }
        "fsync" | "fdatasync" => path().map(Event::Sync),
        "rename" | "renameat" | "renameat2" => {
            let mut quoted = rest.split('"').skip(1).step_by(2);
            Some(Event::Rename { from: quoted.next()?.to_owned(), to: quoted.next()?.to_owned() })
        }
        _ => None,
    }
}
