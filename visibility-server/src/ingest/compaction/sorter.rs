//! Sorts records in memory, with every distinct string stored once.

use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::commit::StagedObjects;
use visibility_core::store::{NewFile, StoreError};

use super::day_file::{DayFile, refuse_other_sums};
use crate::ingest::columns::{
    self, Label, PartialWriter, RecordFileWriter, RecordSums, StoredRecord, StringInterner,
};

/// Bytes that are held before records are written.
const MAX_HELD: usize = 48 * 1024 * 1024;
/// Bytes that a name costs beside its own.
const NAME_BYTES: usize = 16;

/// Records that wait to be sorted.
#[derive(Debug, Default)]
pub(super) struct Sorter {
    rows: Vec<SortRow>,
    hosts: StringInterner,
    agents: StringInterner,
    // All other strings, whatever they are.
    words: StringInterner,
}

/// A record, its strings by their numbers.
#[derive(Clone, Copy, Debug)]
struct SortRow {
    day: i32,
    host: u32,
    agent: u32,
    timestamp_micros: i64,
    response_bytes: i64,
    user_agent: u32,
    request_method: u32,
    request_path: u32,
    referrer: u32,
    client_ip_hash: u32,
    status_code: u16,
}

impl Sorter {
    /// Adds a record.
    pub(super) fn push(&mut self, record: &StoredRecord<'_>) {
        self.rows.push(SortRow {
            day: columns::day_number(record.timestamp_micros),
            host: self.hosts.intern(record.host),
            agent: self.agents.intern(record.agent),
            timestamp_micros: record.timestamp_micros,
            response_bytes: record.response_bytes,
            user_agent: self.words.intern(record.user_agent),
            request_method: self.words.intern(record.request_method),
            request_path: self.words.intern(record.request_path),
            referrer: self.words.intern(record.referrer),
            client_ip_hash: self.words.intern(record.client_ip_hash),
            status_code: record.status_code,
        });
    }

    /// Whether the records should be written now.
    pub(super) fn is_full(&self) -> bool {
        let names = self.hosts.len() + self.agents.len() + self.words.len();
        let bytes = self.hosts.byte_len() + self.agents.byte_len() + self.words.byte_len();
        bytes + names * NAME_BYTES + self.rows.len() * size_of::<SortRow>() >= MAX_HELD
    }

    /// Writes the records, one file a day, and forgets them. Says what was written.
    pub(super) fn write(
        &mut self,
        staged: &mut StagedObjects<'_>,
        tenant: &TenantSlug,
        label: &Label,
    ) -> Result<(Vec<NewFile>, RecordSums), StoreError> {
        let (hosts, agents) = (self.hosts.sorted(), self.agents.sorted());
        let rank = |ranks: &[u32], number: u32| ranks.get(number as usize).copied().unwrap_or(0);
        self.rows.sort_by_key(|row| {
            let host = rank(&hosts.ranks, row.host);
            (row.day, host, rank(&agents.ranks, row.agent), row.timestamp_micros)
        });
        let mut files = Vec::new();
        let mut sums = RecordSums::default();
        for rows in self.rows.chunk_by(|one, other| one.day == other.day) {
            let day = columns::date(rows.first().map_or(0, |row| row.day));
            let (file, (records, partial)) = DayFile::create(staged, tenant, day)?;
            let mut records = RecordFileWriter::new(records)?;
            let mut partial = PartialWriter::new(partial)?;
            for row in rows {
                let record = self.record(row);
                records.push_stored(&record)?;
                partial.push_stored(&record)?;
            }
            let written = records.so_far().sums();
            let label = label.clone().with_sums(written);
            records.set_label(&label);
            partial.set_label(&label);
            let (counted, _) = partial.finish()?;
            refuse_other_sums(written, counted.sums, "the counts by path")?;
            sums.add(written);
            files.push(file.into_new_file(records.finish()?, staged));
        }
        *self = Self::default();
        Ok((files, sums))
    }

    fn record(&self, row: &SortRow) -> StoredRecord<'_> {
        StoredRecord {
            host: self.hosts.resolve(row.host),
            agent: self.agents.resolve(row.agent),
            timestamp_micros: row.timestamp_micros,
            user_agent: self.words.resolve(row.user_agent),
            request_method: self.words.resolve(row.request_method),
            request_path: self.words.resolve(row.request_path),
            status_code: row.status_code,
            response_bytes: row.response_bytes,
            referrer: self.words.resolve(row.referrer),
            client_ip_hash: self.words.resolve(row.client_ip_hash),
        }
    }
}
