//! The tests that run once more with another database or another store of objects: `tests/steps/lists`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// The names of all tests of this executable.
fn all_tests() -> String {
    let executable = std::env::current_exe().expect("this executable");
    let output = Command::new(executable).args(["--list", "--format", "terse"]).output();
    let names = String::from_utf8(output.expect("it runs").stdout).expect("text");
    names.lines().filter_map(|line| line.strip_suffix(": test")).fold(
        String::new(),
        |mut all, name| {
            all.push_str(name);
            all.push('\n');
            all
        },
    )
}

/// Those of them that a list has.
fn selected(list: &str, names: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut select = Command::new("tests/steps/select")
        .args([list, "service"])
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    select.stdin.take().expect("a pipe").write_all(names.as_bytes()).expect("it is read");
    let output = select.wait_with_output().expect("it ends");
    assert!(output.status.success(), "a line of the list {list} names no test");
    String::from_utf8(output.stdout).expect("text")
}

/// What is new in a module of a list runs there, too; then the snapshot shows it, and whether it belongs there can be
/// seen.
#[test]
fn these_tests_run_once_more_in_another_place() {
    let names = all_tests();
    let mut all = String::new();
    for list in ["postgres", "s3", "moto"] {
        let selected = selected(list, &names);
        writeln!(all, "{list}: {} tests\n{selected}", selected.lines().count()).expect("text");
    }
    insta::assert_snapshot!(all);
}
