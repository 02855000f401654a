//! The top-level modules of a crate have an order: each imports only those before it.

use std::fs;

use super::{files, root};

/// Top-level modules of the core, in import order.
const CORE: [&str; 16] = [
    "limits",
    "text",
    "error",
    "manual",
    "accounts",
    "agents",
    "fetch",
    "documents",
    "page",
    "rubric",
    "scan",
    "audit",
    "store",
    "ingest",
    "report",
    "mcp",
];
/// Top-level modules of the server, in import order.
const SERVER: [&str; 17] = [
    "settings",
    "runtime",
    "telemetry",
    "fetch",
    "stores",
    "http",
    "access",
    "jobs",
    "ingest",
    "state",
    "mcp",
    "site",
    "oauth",
    "api",
    "service",
    "embedded",
    "cli",
];

/// The top-level modules that a source names, outside comments and unit tests.
fn named(source: &str) -> Vec<String> {
    let source = source.split("\nmod tests {").next().unwrap_or_default();
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let parts = code.flat_map(|line| line.split("crate::").skip(1));
    parts
        .map(|part| part.split(|ch: char| !(ch == '_' || ch.is_alphanumeric())))
        .filter_map(|mut words| words.next().map(str::to_owned))
        .collect()
}

#[test]
fn a_module_imports_only_those_before_it() {
    let mut wrong = Vec::new();
    for (folder, modules) in
        [("visibility-core/src", CORE.as_slice()), ("visibility-server/src", SERVER.as_slice())]
    {
        let folder = root().join(folder);
        let place = |name: &str| modules.iter().position(|module| *module == name);
        for path in files(&folder, "rs") {
            let relative = path.strip_prefix(&folder).expect("below it").to_string_lossy();
            let module = relative.split(['/', '.']).next().unwrap_or_default();
            if ["lib", "main"].contains(&module) || relative.contains("tests") {
                continue;
            }
            let own = place(module).unwrap_or_else(|| panic!("{module} has no place in the order"));
            for name in named(&fs::read_to_string(&path).expect("a source")) {
                if place(&name).is_none_or(|other| other > own) {
                    wrong.push(format!("{}: {name}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
