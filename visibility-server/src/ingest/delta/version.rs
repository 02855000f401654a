//! One version of a Delta log: a line of JSON for each action, as the
//! [protocol](https://github.com/delta-io/delta/blob/master/PROTOCOL.md) of Delta Lake describes it.

use std::collections::BTreeSet;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use parquet::basic::{LogicalType, Type as PhysicalType};
use serde_json::{Value, json};
use uuid::Uuid;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

use crate::ingest::columns;
use crate::stores::state::manifest::DataFile;
use crate::stores::state::outbox::{FileChange, FileEvent};

/// Events that a version may have, and a few of the last change more.
pub(super) const MOST_EVENTS: usize = 10_000;
/// The oldest versions of the protocol that a reader and a writer may know.
pub(super) const READER_VERSION: i32 = 1;
pub(super) const WRITER_VERSION: i32 = 2;

/// A version that is to be written.
pub(super) struct Version<'a> {
    pub(super) tenant: &'a TenantSlug,
    /// The id of the table.
    pub(super) id: Uuid,
    pub(super) number: u64,
    pub(super) now: DateTime<Utc>,
}

impl Version<'_> {
    /// Its lines.
    pub(super) fn text(&self, events: &[FileEvent]) -> Result<String, StoreError> {
        let millis = self.now.timestamp_millis();
        let operation = json!({"commitInfo": {
            "timestamp": millis,
            "operation": "WRITE",
            "operationParameters": {},
            "engineInfo": concat!("visibility-server/", env!("CARGO_PKG_VERSION")),
        }});
        let mut lines = vec![operation];
        if self.number == 0 {
            lines.push(json!({"protocol": {
                "minReaderVersion": READER_VERSION,
                "minWriterVersion": WRITER_VERSION,
            }}));
            lines.push(json!({"metaData": {
                "id": self.id,
                "format": {"provider": "parquet", "options": {}},
                "schemaString": schema()?,
                "partitionColumns": [],
                "configuration": {},
            }}));
        }
        lines.extend(events.iter().map(|event| {
            let path = path(self.tenant, &event.file);
            // Records that were rewritten are the same records: who follows the log does not see them again.
            let data_change =
                !matches!(event.change, FileChange::Replaced | FileChange::Replacement);
            if event.change.is_addition() {
                json!({"add": {
                    "path": path,
                    "partitionValues": {},
                    "size": event.file.file.bytes,
                    "modificationTime": event.file.created_at.timestamp_millis(),
                    "dataChange": data_change,
                    "stats": stats(&event.file),
                }})
            } else {
                json!({"remove": {
                    "path": path,
                    "deletionTimestamp": millis,
                    "dataChange": data_change,
                    "extendedFileMetadata": true,
                    "partitionValues": {},
                    "size": event.file.file.bytes,
                }})
            }
        }));
        Ok(lines.iter().map(|line| format!("{line}\n")).collect())
    }

    /// The events that made a version, as a crash has left it: nothing if it was made by anything else.
    pub(super) fn events_of(&self, text: &[u8], events: &[FileEvent]) -> Option<Vec<FileEvent>> {
        let mut actions = BTreeSet::new();
        for line in serde_json::Deserializer::from_slice(text).into_iter::<Value>() {
            let line = line.ok()?;
            if let Some(id) = line.pointer("/metaData/id") {
                (id.as_str()? == self.id.to_string()).then_some(())?;
            }
            for (action, is_addition) in [("add", true), ("remove", false)] {
                if let Some(action) = line.get(action) {
                    actions.insert((action["path"].as_str()?.to_owned(), is_addition));
                }
            }
        }
        let made: Vec<FileEvent> = events
            .iter()
            .filter(|event| {
                let path = path(self.tenant, &event.file);
                actions.contains(&(path, event.change.is_addition()))
            })
            .cloned()
            .collect();
        (!made.is_empty() && made.len() == actions.len()).then_some(made)
    }
}

/// The first events, as many as one version may have: a file is added or removed in it, not both, and other files
/// that replace some are in the same version as those.
pub(super) fn whole_changes(events: &[FileEvent]) -> &[FileEvent] {
    let mut added = BTreeSet::new();
    let mut end = 0;
    for (index, event) in events.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| events.get(before));
        let is_start = match event.change {
            FileChange::Published
            | FileChange::Forgotten
            | FileChange::Damaged
            | FileChange::Restored => true,
            FileChange::Replaced => {
                before.is_none_or(|before| before.change != FileChange::Replaced)
            }
            FileChange::Replacement => false,
        };
        if is_start {
            end = index;
        }
        if event.change.is_addition() {
            added.insert(event.file.id);
        } else if added.contains(&event.file.id) {
            return events.get(..end).unwrap_or_default();
        }
    }
    let is_whole = events.len() < MOST_EVENTS;
    if is_whole || end == 0 { events } else { events.get(..end).unwrap_or_default() }
}

/// The path of a file, below the folder of its tenant. None of its characters needs to be encoded.
pub(super) fn path(tenant: &TenantSlug, file: &DataFile) -> String {
    let folder = format!("tenant={tenant}/");
    file.file.name.strip_prefix(&folder).unwrap_or(&file.file.name).to_owned()
}

/// What readers know of a file without opening it. Times have milliseconds there, so the latest is rounded up.
pub(super) fn stats(file: &DataFile) -> String {
    let earliest = DateTime::from_timestamp_micros(file.file.min_timestamp_micros);
    let latest = DateTime::from_timestamp_micros(file.file.max_timestamp_micros)
        .and_then(|latest| latest.checked_add_signed(TimeDelta::microseconds(999)));
    let text = |time: Option<DateTime<Utc>>| {
        time.map(|time| time.to_rfc3339_opts(SecondsFormat::Millis, true))
    };
    json!({
        "numRecords": file.file.rows,
        "minValues": {"timestamp": text(earliest)},
        "maxValues": {"timestamp": text(latest)},
        "nullCount": {"timestamp": 0},
    })
    .to_string()
}

/// The schema of the records as JSON.
pub(super) fn schema() -> Result<String, StoreError> {
    let fields = columns::record_columns()?
        .iter()
        .map(|column| {
            let kind = match (column.physical_type(), column.logical_type_ref()) {
                (PhysicalType::INT64, Some(LogicalType::Timestamp { .. })) => "timestamp",
                (PhysicalType::INT64, _) => "long",
                (PhysicalType::INT32, _) => "integer",
                _ => "string",
            };
            json!({"name": column.name(), "type": kind, "nullable": false, "metadata": {}})
        })
        .collect::<Vec<_>>();
    Ok(json!({"type": "struct", "fields": fields}).to_string())
}

#[cfg(test)]
mod tests {
    use FileChange::{Forgotten, Published, Replaced, Replacement};
    use visibility_core::store::NewFile;

    use super::*;

    fn event(change: FileChange, id: i64) -> FileEvent {
        let file = NewFile {
            name: format!("tenant=acme/new/{id}.parquet"),
            rows: 3,
            bytes: 7,
            min_timestamp_micros: 1_000_001,
            max_timestamp_micros: 2_000_001,
            ..NewFile::default()
        };
        let created_at = DateTime::UNIX_EPOCH;
        let file = DataFile { id, created_at, file, is_partial_damaged: false };
        FileEvent { seq: id, change, file }
    }

    /// How many of some events are in one version.
    fn taken(events: &[(FileChange, i64)]) -> usize {
        let events: Vec<_> = events.iter().map(|(change, id)| event(*change, *id)).collect();
        whole_changes(&events).len()
    }

    #[test]
    fn a_version_ends_before_a_change_that_takes_away_what_it_has_added() {
        assert_eq!(taken(&[]), 0);
        assert_eq!(taken(&[(Published, 1), (Published, 2)]), 2);
        assert_eq!(taken(&[(Replaced, 1), (Replaced, 2), (Replacement, 3), (Published, 4)]), 4);
        let rewritten = [(Published, 2), (Replaced, 1), (Replaced, 2), (Replacement, 3)];
        assert_eq!(taken(&rewritten), 1, "the whole change is in the next version");
        let twice = [(Replaced, 1), (Replacement, 2), (Replaced, 2), (Replacement, 3)];
        assert_eq!(taken(&twice), 2);
        assert_eq!(taken(&[(Published, 1), (Forgotten, 1)]), 1);
    }

    #[test]
    fn a_version_of_many_events_ends_where_a_change_ends() {
        let most = i64::try_from(MOST_EVENTS).unwrap();
        let published: Vec<_> = (0..most).map(|id| (Published, id)).collect();
        assert_eq!(taken(&published), MOST_EVENTS - 1, "the last change may have more events");
        let mut cut = published;
        cut.truncate(MOST_EVENTS - 3);
        cut.extend([(Replaced, most), (Replaced, most + 1), (Replacement, most + 2)]);
        assert_eq!(taken(&cut), MOST_EVENTS - 3);
        let all: Vec<_> = (0..most).map(|id| (Replaced, id)).collect();
        assert_eq!(taken(&all), MOST_EVENTS, "one change is never cut");
    }

    #[test]
    fn the_events_of_a_version_are_found_in_it() {
        let tenant = "acme".parse().unwrap();
        let id = Uuid::from_u128(1);
        let now = DateTime::UNIX_EPOCH;
        let version = |number, id| Version { tenant: &tenant, id, number, now };
        let events = [event(Published, 1), event(Replaced, 2), event(Replacement, 3)];
        let more = [events.as_slice(), &[event(Published, 4), event(Replaced, 3)]].concat();
        for number in [0, 5] {
            let text = version(number, id).text(&events).unwrap();
            let found = version(number, id).events_of(text.as_bytes(), &more);
            assert_eq!(found.as_deref(), Some(events.as_slice()));
            let fewer = events.split_last().unwrap().1;
            assert_eq!(version(number, id).events_of(text.as_bytes(), fewer), None);
            assert_eq!(version(number, id).events_of(text.as_bytes().split_at(30).0, &more), None);
        }
        let text = version(0, Uuid::from_u128(2)).text(&events).unwrap();
        assert_eq!(version(0, id).events_of(text.as_bytes(), &more), None, "another table");
        assert_eq!(version(5, id).events_of(b"", &more), None);
    }

    #[test]
    fn the_latest_time_is_rounded_up_to_milliseconds() {
        let stats: Value = serde_json::from_str(&stats(&event(Published, 1).file)).unwrap();
        assert_eq!(stats["minValues"]["timestamp"], "1970-01-01T00:00:01.000Z");
        assert_eq!(stats["maxValues"]["timestamp"], "1970-01-01T00:00:02.001Z");
    }

    #[test]
    fn the_schema_has_the_columns_of_the_records() {
        let schema: Value = serde_json::from_str(&schema().unwrap()).unwrap();
        let fields = schema["fields"].as_array().unwrap();
        let kinds: Vec<_> = fields
            .iter()
            .map(|field| (&field["name"], &field["type"]))
            .map(|(name, kind)| format!("{name} {kind}"))
            .collect();
        assert_eq!(fields.len(), 11);
        assert!(kinds.contains(&r#""timestamp" "timestamp""#.to_owned()));
        assert!(kinds.contains(&r#""status_code" "integer""#.to_owned()));
        assert!(kinds.contains(&r#""response_bytes" "long""#.to_owned()));
    }
}
