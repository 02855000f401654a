//! The one test command and what is written about it.

use std::collections::BTreeSet;
use std::fs;

use super::root;

/// The steps of a list in `tests/run`.
fn list(name: &str) -> Vec<String> {
    let script = fs::read_to_string(root().join("tests/run")).expect("tests/run");
    let (_, list) = script.split_once(&format!("readonly {name}=(")).expect("a list of steps");
    let (list, _) = list.split_once(')').expect("its end");
    list.split_whitespace().map(str::to_owned).collect()
}

fn steps_of_a_whole_run() -> Vec<String> {
    [list("computing"), list("waiting")].concat()
}

fn guide() -> String {
    fs::read_to_string(root().join("CONTRIBUTING.md")).expect("CONTRIBUTING.md")
}

#[test]
fn each_step_is_a_program() {
    for step in steps_of_a_whole_run().into_iter().chain(list("only_named")) {
        let program = root().join("tests/steps").join(&step);
        let text = fs::read_to_string(program).unwrap_or_else(|error| panic!("{step}: {error}"));
        assert!(text.starts_with("#!/usr/bin/env bash\n"), "{step}");
    }
}

#[test]
fn each_step_is_in_the_table() {
    let steps: BTreeSet<String> =
        steps_of_a_whole_run().into_iter().chain(list("only_named")).collect();
    let guide = guide();
    let (_, table) = guide.split_once("| Step | What it does |").expect("a table of steps");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let names = rows.filter_map(|row| row.split('|').nth(1)).flat_map(|cell| cell.split(','));
    let written: Vec<String> = names.map(|name| name.trim().trim_matches('`').to_owned()).collect();
    let distinct: BTreeSet<String> = written.iter().cloned().collect();
    assert_eq!(distinct, steps);
    assert_eq!(written.len(), steps.len(), "one is written twice: {written:?}");
}

#[test]
fn each_step_is_in_one_job_of_the_workflow() {
    let workflow = root().join(".github/workflows/ci.yml");
    let workflow = fs::read_to_string(workflow).expect("the workflow");
    let commands =
        workflow.lines().filter_map(|line| line.trim().strip_prefix("- run: tests/run "));
    let mut run: Vec<&str> = commands.flat_map(|steps| steps.split(' ')).collect();
    // Each job needs the first two, and installs what it needs.
    run.retain(|step| !["tools", "build"].contains(step));
    let mut steps: Vec<String> = steps_of_a_whole_run();
    steps.retain(|step| !["tools", "build", "install"].contains(&step.as_str()));
    steps.push("fuzz".to_owned());
    run.sort_unstable();
    steps.sort_unstable();
    assert_eq!(run, steps);
}

#[test]
fn each_step_of_a_whole_run_has_a_figure() {
    let testing = fs::read_to_string(root().join("docs/testing.md")).expect("docs/testing.md");
    let (_, table) = testing.split_once("step            seconds").expect("a table of a run");
    let rows = table.lines().skip(1).take_while(|line| !line.starts_with("```"));
    let mut figures: Vec<&str> = rows.filter_map(|row| row.split_whitespace().next()).collect();
    assert_eq!(figures.pop(), Some("total"));
    assert_eq!(figures, steps_of_a_whole_run());
}

#[test]
fn each_folder_is_in_the_layout() {
    let guide = guide();
    let (_, layout) = guide.split_once("## Layout").expect("the layout");
    for entry in fs::read_dir(root()).expect("the repository") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_built = name == "target" || name.starts_with('.') || name.ends_with("-data");
        if entry.path().is_dir() && !is_built {
            assert!(layout.contains(&format!("| `{name}/")), "{name}");
        }
    }
}
