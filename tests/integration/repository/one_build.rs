//! Programs, tests and `cargo test` by hand are one build: their dependencies have the same features.

use std::collections::BTreeSet;
use std::process::Command;

use super::root;

/// `name version [features]` of everything that is built.
fn built(arguments: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--prefix", "none", "--format", "{p} [{f}]"])
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    text.lines().map(|line| line.replace(" (*)", "")).collect()
}

#[test]
fn tests_need_no_feature_that_the_programs_are_built_without() {
    let programs = built(&["--edges", "normal,build"]);
    let tests = built(&["--edges", "normal,build,dev"]);
    let twice: Vec<&String> = programs.difference(&tests).collect();
    assert!(
        twice.is_empty(),
        "these are built twice; give visibility-tests the features that they have in tests: {twice:#?}"
    );
    assert!(programs.len() > 300, "{programs:#?}");
}

#[test]
fn a_build_without_options_has_all_members_and_all_features() {
    let plain = built(&["--edges", "normal,build,dev"]);
    let all = built(&["--edges", "normal,build,dev", "--workspace", "--all-features"]);
    assert_eq!(plain, all);
}
