//! The one test command and what is written about it.

use std::collections::BTreeSet;
use std::fs;

use super::root;

#[test]
fn each_step_of_the_test_command_is_in_the_table() {
    let script = fs::read_to_string(root().join("tests/run")).expect("tests/run");
    let (_, list) = script.split_once("all_steps=(").expect("a list of steps");
    let (list, _) = list.split_once(')').expect("its end");
    let (_, named) =
        script.split_once("only_named=\"").expect("a list of steps that run when named");
    let (named, _) = named.split_once('"').expect("its end");
    let steps: BTreeSet<&str> = list.split_whitespace().chain(named.split(' ')).collect();
    let defined: BTreeSet<&str> = script
        .lines()
        .filter_map(|line| line.strip_prefix("step_")?.split_once("()"))
        .map(|(name, _)| name)
        // The tests of areas, which have names of their own.
        .filter(|name| *name != "area")
        .collect();
    assert_eq!(steps, defined);

    let guide = fs::read_to_string(root().join("CONTRIBUTING.md")).expect("CONTRIBUTING.md");
    let (_, table) = guide.split_once("| Step | What it does |").expect("a table of steps");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let names = rows.filter_map(|row| row.split('|').nth(1)).flat_map(|cell| cell.split(','));
    let written: Vec<&str> = names.map(|name| name.trim().trim_matches('`')).collect();
    let distinct: BTreeSet<&str> = written.iter().copied().collect();
    assert_eq!(distinct, steps);
    assert_eq!(written.len(), steps.len(), "one is written twice: {written:?}");
}

#[test]
fn each_folder_is_in_the_layout() {
    let guide = fs::read_to_string(root().join("CONTRIBUTING.md")).expect("CONTRIBUTING.md");
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
