//! Requests in the name of an agent that are not its operator's. They are counted in no agent.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};

use super::paths::{BoundedTable, without_query};
use crate::ingest::LogRecord;

/// Different addresses that are counted for each agent.
pub(super) const MAX_ADDRESSES: usize = 10_000;
/// Paths that are counted one by one, for each agent.
const MAX_PATHS: usize = 1_000;
const MAX_PATH_BYTES: usize = 64 * 1024;

/// What came in the name of one agent.
#[derive(Debug)]
pub(super) struct ImpostorCounts {
    pub(super) requests: u64,
    /// Hashes of addresses.
    pub(super) addresses: HashSet<u64>,
    pub(super) paths: BoundedTable<u64>,
    pub(super) last_millis: i64,
}

/// What came in the names of agents, by their number in the registry.
#[derive(Debug, Default)]
pub(super) struct Impostors {
    pub(super) by_agent: BTreeMap<u16, ImpostorCounts>,
    hasher: RandomState,
}

impl Impostors {
    pub(super) fn count(&mut self, record: &LogRecord<'_>) {
        let counts = self.by_agent.entry(record.agent_index).or_insert_with(|| ImpostorCounts {
            requests: 0,
            addresses: HashSet::new(),
            paths: BoundedTable::new(MAX_PATHS, MAX_PATH_BYTES),
            last_millis: i64::MIN,
        });
        counts.requests += 1;
        counts.last_millis = counts.last_millis.max(record.timestamp_micros / 1_000);
        if counts.addresses.len() < MAX_ADDRESSES {
            counts.addresses.insert(self.hasher.hash_one(record.client_ip_hash));
        }
        if let Some(count) = counts.paths.row(without_query(record.request_path), || 0) {
            *count += 1;
        }
    }
}
