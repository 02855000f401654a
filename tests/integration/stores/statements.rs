//! Every statement of the state is one of both databases: it is prepared on each.

#![expect(clippy::string_slice, clippy::unwrap_used, reason = "a test that panics fails")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use visibility_server::stores::Stores;
use visibility_tests::database;

/// What the statements that copy tables name, which are run for every table by the tests of `move`.
const OF_COPIES: &str = "{columns}";
const OF_COUNTS: &str = "{name}";

/// The statements of all modules, with the constants that they are put together from.
fn statements() -> Vec<String> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../visibility-server/src/stores/state");
    let mut files = Vec::new();
    collect(&folder, &mut files);
    let sources: Vec<String> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let mut constants = BTreeMap::new();
    for source in &sources {
        find(source, &mut constants);
    }
    // Once more, as some are of other files. Within a file, the constant that comes last before its use counts.
    sources.iter().flat_map(|source| find(source, &mut constants)).collect()
}

/// The statements of a module. Its constants are kept.
fn find(source: &str, constants: &mut BTreeMap<String, String>) -> Vec<String> {
    let source = source.split("#[cfg(test)]").next().unwrap();
    let mut found = Vec::new();
    for (before, text) in literals(source) {
        if let Some(name) = constant(before) {
            constants.insert(format!("{{{name}}}"), text.clone());
            continue;
        }
        let mut sql = text;
        for (name, value) in &*constants {
            sql = sql.replace(name, value);
        }
        let first = sql.split_whitespace().next().unwrap_or_default();
        let is_statement = ["SELECT", "INSERT", "UPDATE", "DELETE"].contains(&first);
        let is_copy = sql.contains(OF_COPIES) || sql.contains(OF_COUNTS);
        if is_statement && !is_copy {
            found.push(sql);
        }
    }
    found
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if !path.ends_with("tests.rs") && !path.ends_with("testing.rs") {
            files.push(path);
        }
    }
}

/// The texts of some code, each with the code before it.
fn literals(source: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    let mut rest = source.char_indices();
    let mut is_comment = false;
    while let Some((start, character)) = rest.next() {
        if source[start..].starts_with("//") {
            is_comment = true;
        }
        if character == '\n' {
            is_comment = false;
        }
        if character != '"' || is_comment {
            continue;
        }
        let mut text = String::new();
        while let Some((_, character)) = rest.next() {
            match character {
                '"' => break,
                '\\' => {
                    // The end of a line that goes on, or a character that is escaped.
                    if let Some((_, escaped)) = rest.next() {
                        text.push(if escaped == '\n' { ' ' } else { escaped });
                    }
                }
                character => text.push(character),
            }
        }
        found.push((&source[..start], text));
    }
    found
}

/// The name of the constant whose value comes next.
fn constant(before: &str) -> Option<&str> {
    let before = before.trim_end().strip_suffix('=')?.trim_end();
    let declared = before.rsplit("const ").next()?;
    let (name, kind) = declared.split_once(':')?;
    (kind.trim() == "&str").then_some(name)
}

#[test]
fn every_statement_is_one_of_sqlite() {
    let statements = statements();
    assert!(statements.len() > 90, "only {} are found", statements.len());
    let folder = TempDir::new().unwrap();
    drop(Stores::open(folder.path()).unwrap());
    let sqlite = rusqlite::Connection::open(folder.path().join("state.sqlite")).unwrap();
    for sql in statements.iter().filter(|sql| !sql.contains("count_hit")) {
        if let Err(error) = sqlite.prepare(sql) {
            panic!("{error}: {sql}");
        }
    }
}

#[test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
fn every_statement_is_one_of_postgresql() {
    let folder = TempDir::new().unwrap();
    drop(Stores::open(database::location(folder.path())).unwrap());
    let url = database::url(folder.path()).unwrap();
    for sql in statements() {
        if let Err(error) = database::prepare(&url, &sql.replace('?', "$")) {
            panic!("{error}: {sql}");
        }
    }
}
