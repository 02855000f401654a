//! The areas of the test command: what belongs to one, and that nothing belongs to none.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use visibility_core::audit::signals;
use visibility_core::scan::checks::CHECKS;

use super::root;

fn area(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(root().join("tests/area"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("tests/area runs");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it is read");
    child.wait_with_output().expect("it ends")
}

fn lines(output: &Output) -> Vec<&str> {
    std::str::from_utf8(&output.stdout).expect("UTF-8").lines().collect()
}

#[test]
fn each_check_and_each_signal_is_an_area() {
    let listed = area(&["list"], "");
    let listed: BTreeSet<&str> = lines(&listed).into_iter().collect();
    let ids = CHECKS.iter().map(|check| check.id).chain(signals::all().map(|signal| signal.id));
    let missing: Vec<&str> =
        ids.filter(|id| !listed.contains(id.replace('-', "_").as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn an_area_needs_only_the_executables_that_have_tests_of_it() {
    assert_eq!(lines(&area(&["targets", "mcp-server"], "")), ["--test=library"]);
    assert_eq!(lines(&area(&["targets", "crash"], "")), ["--test=service"]);
    let both = area(&["targets", "crash", "mcp-server"], "");
    assert_eq!(lines(&both), ["--test=library", "--test=service"]);
    assert!(lines(&area(&["targets", "robots"], "")).contains(&"--lib"));
    let unknown = area(&["targets", "crash", "nowhere"], "");
    assert_eq!((unknown.status.code(), lines(&unknown)), (Some(2), vec![]));
}

#[test]
fn the_tests_of_an_area_are_those_in_modules_of_its_name() {
    let names = "documents::robots::parse::tests::a_comment_ends_with_its_line\n\
                 scan::checks::robots_txt::tests::what_is_missing\n\
                 scan::plan::tests::robots_come_first\n";
    let robots =
        area(&["filter", "target/debug/deps/visibility_core-0123456789abcdef", "robots"], names);
    assert_eq!(lines(&robots), names.lines().take(2).collect::<Vec<_>>());
    let core = area(&["filter", "visibility_core-0123456789abcdef", "core"], names);
    assert_eq!(lines(&core).len(), 3);
    let names = "api::mcp::slow::a_client\napi::audit_kept::a_restart\ncli::mcp::a_client\nmcp\n";
    let filter =
        |areas: &[&str]| area(&[&["filter", "service-0123456789abcdef"], areas].concat(), names);
    assert_eq!(lines(&filter(&["mcp"])), ["api::mcp::slow::a_client", "cli::mcp::a_client"]);
    assert_eq!(
        lines(&filter(&["audit", "cli"])),
        ["api::audit_kept::a_restart", "cli::mcp::a_client"]
    );
}

#[test]
fn each_module_of_the_integration_tests_is_in_one_executable() {
    let folder = root().join("tests/integration");
    let executables = ["library", "service", "programs", "others"];
    let mut declared = Vec::new();
    for name in executables {
        let text = fs::read_to_string(folder.join(name).with_extension("rs")).expect("its root");
        let modules = text.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
        declared.extend(modules.map(str::to_owned));
    }
    declared.sort();
    let entries =
        fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<String> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .filter(|name| !executables.contains(&name.as_str()))
        .collect();
    files.sort();
    assert_eq!(declared, files);
}
