//! The core is pure: no runtime, no network, no clock, no files in its default build.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use super::{files, root};

/// Crates that do I/O, tell the time or draw random numbers.
const IMPURE: [&str; 23] = [
    "async-std",
    "curl",
    "fastrand",
    "getrandom",
    "h2",
    "hickory-resolver",
    "hyper",
    "hyper-util",
    "iana-time-zone",
    "mio",
    "native-tls",
    "openssl-sys",
    "rand",
    "rand_core",
    "reqwest",
    "ring",
    "rmcp",
    "rustls",
    "socket2",
    "tempfile",
    "tokio",
    "ureq",
    "webpki-roots",
];

/// `name` and `name feature "x"` of everything that visibility-core is built with.
fn tree(arguments: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--prefix", "none"])
        .args(["--package", "visibility-core", "--edges", "normal,features"])
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    text.lines().map(|line| line.replace(" (*)", "")).collect()
}

fn names(tree: &BTreeSet<String>) -> BTreeSet<&str> {
    tree.iter().filter_map(|line| line.split_whitespace().next()).collect()
}

#[test]
fn the_default_build_of_the_core_has_no_crate_that_does_io() {
    let tree = tree(&[]);
    let names = names(&tree);
    assert!(names.contains("html5ever"), "not a tree of the core: {names:?}");
    let impure: Vec<&str> = IMPURE.into_iter().filter(|name| names.contains(name)).collect();
    assert!(impure.is_empty(), "{impure:?}");
}

#[test]
fn the_fetcher_is_what_brings_the_network() {
    // Shows that the test above can fail.
    let tree = tree(&["--features", "http"]);
    let names = names(&tree);
    assert!(["reqwest", "rustls", "tokio"].iter().all(|name| names.contains(name)), "{names:?}");
}

#[test]
fn the_core_has_no_clock() {
    let tree = tree(&[]);
    assert!(tree.iter().any(|line| line.starts_with("chrono ")), "no chrono in {tree:?}");
    let clock: Vec<&String> = tree
        .iter()
        .filter(|line| line.starts_with("chrono feature") && line.contains("\"clock\""))
        .chain(tree.iter().filter(|line| line.contains("\"now\"")))
        .collect();
    assert!(clock.is_empty(), "{clock:?}");
}

#[test]
fn only_the_fetcher_may_silence_the_lists_of_what_the_core_must_not_touch() {
    let core = root().join("visibility-core/src");
    let mut silenced = Vec::new();
    for path in files(&core, "rs") {
        let text = fs::read_to_string(&path).expect("a source");
        let relative = path.strip_prefix(&core).expect("below it").to_string_lossy().into_owned();
        let fetcher = relative == "fetch/http.rs" || relative.starts_with("fetch/http/");
        if !fetcher && text.contains("clippy::disallowed_") && relative != "lib.rs" {
            silenced.push(relative);
        }
    }
    assert!(silenced.is_empty(), "{silenced:?}");
    let crate_root = fs::read_to_string(core.join("lib.rs")).expect("a source");
    assert!(crate_root.contains("#![deny(clippy::disallowed_methods, clippy::disallowed_types)]"));
}

#[test]
fn the_core_names_no_module_that_does_io() {
    const NAMES: [&str; 7] = [
        "std::env",
        "std::fs",
        "std::net::Tcp",
        "std::process",
        "std::thread",
        "std::time::Instant",
        "SystemTime",
    ];
    let core = root().join("visibility-core/src");
    let mut found = Vec::new();
    for path in files(&core, "rs") {
        let relative = path.strip_prefix(&core).expect("below it").to_string_lossy().into_owned();
        if relative == "fetch/http.rs" || relative.starts_with("fetch/http/") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source");
        // Unit tests may read files.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            let comment = line.trim_start().starts_with("//");
            if !comment && NAMES.iter().any(|name| line.contains(name)) {
                found.push(format!("{relative}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn no_module_is_called_mod() {
    let mut wrong = Vec::new();
    for path in files(root(), "rs") {
        if path.file_name().is_some_and(|name| name == "mod.rs") {
            wrong.push(path.display().to_string());
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn only_the_fetcher_and_mcp_name_the_runtime() {
    let source = root().join("visibility-core/src");
    let mut naming = BTreeSet::new();
    for path in files(&source, "rs") {
        let text = fs::read_to_string(&path).expect("a source");
        if text.contains("tokio::") {
            let relative = path.strip_prefix(&source).expect("below it");
            naming.insert(relative.to_string_lossy().into_owned());
        }
    }
    let may = |path: &String| path.starts_with("fetch/http") || path.starts_with("mcp");
    assert!(naming.iter().any(may), "the names are not found: {naming:?}");
    assert!(naming.iter().all(may), "{naming:?}");
}
