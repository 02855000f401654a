//! Reads the Delta log of a tenant as its protocol says.

#![expect(clippy::expect_used, reason = "a test stops where something is not as it should be")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// What a reader of a log sees.
#[derive(Debug, Default, Eq, PartialEq)]
pub struct DeltaTable {
    /// The id of the table.
    pub id: String,
    /// The newest version.
    pub version: u64,
    /// Rows by path.
    pub files: BTreeMap<String, u64>,
    /// Rows that were new in each version, and those that were taken away for good.
    pub changed: Vec<(u64, u64)>,
}

impl DeltaTable {
    /// Reads the log of a folder.
    pub fn read(log: &Path) -> Option<Self> {
        Self::of_versions(|name| fs::read_to_string(log.join(name)).ok())
    }

    /// Reads all versions of a log from its beginning, as the protocol says, and refuses what it forbids.
    pub fn of_versions(mut read: impl FnMut(&str) -> Option<String>) -> Option<Self> {
        let mut table = Self::default();
        for version in 0.. {
            let Some(text) = read(&format!("{version:020}.json")) else { break };
            table.version = version;
            table.changed.push((0, 0));
            let mut paths = Vec::new();
            for line in text.lines() {
                let action: Value = serde_json::from_str(line).expect("a line is JSON");
                table.apply(&action, &mut paths);
            }
            let actions = paths.len();
            paths.sort();
            paths.dedup();
            assert_eq!(paths.len(), actions, "a path is in one action of version {version}");
        }
        (!table.id.is_empty()).then_some(table)
    }

    fn apply(&mut self, action: &Value, paths: &mut Vec<String>) {
        let changed = self.changed.last_mut().expect("a version");
        if let Some(id) = action.pointer("/metaData/id").and_then(Value::as_str) {
            assert_eq!(self.id, "", "one table");
            id.clone_into(&mut self.id);
        }
        if let Some(add) = action.get("add") {
            let path = add.get("path").and_then(Value::as_str).expect("a path");
            let rows = rows_of(add.get("stats").and_then(Value::as_str).expect("stats"));
            if is_data_change(add) {
                changed.0 += rows;
            }
            assert_eq!(self.files.insert(path.to_owned(), rows), None, "{path} is new");
            paths.push(path.to_owned());
        }
        if let Some(remove) = action.get("remove") {
            let path = remove.get("path").and_then(Value::as_str).expect("a path");
            let rows = self.files.remove(path).expect("it was there");
            if is_data_change(remove) {
                changed.1 += rows;
            }
            paths.push(path.to_owned());
        }
    }
}

/// The rows that the statistics of a file say.
pub fn rows_of(stats: &str) -> u64 {
    let stats: Value = serde_json::from_str(stats).expect("stats are JSON");
    stats.get("numRecords").and_then(Value::as_u64).expect("rows")
}

fn is_data_change(action: &Value) -> bool {
    action.get("dataChange").and_then(Value::as_bool).expect("it says so")
}
