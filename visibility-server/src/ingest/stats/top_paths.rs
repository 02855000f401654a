//! The busiest paths: a merge of sorted partial counts, so that the counts are exact and the memory
//! does not depend on how many paths there are.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fs::File;

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use visibility_core::store::StoreError;

use super::{Count, MAX_TOP, StatsQuery, StatusFilter};
use crate::ingest::columns::{self, PartialMerge, PartialRow, PartialRun};
use crate::ingest::sound;
use crate::runtime::clock;
use crate::stores::Stores;
use crate::stores::state::manifest::DataFile;

/// Runs that are merged at once. Each holds one row group, less than a mebibyte.
const MAX_RUNS: usize = 256;
/// Paths that are kept for each one that is listed, when more runs are merged in turns.
const SPARE: usize = 10;

/// The busiest paths.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct TopPaths {
    /// Whether these are the busiest, with their true counts. Not if compaction is so far behind that
    /// there are too many files to merge at once, and not if counts are left out.
    pub exact: bool,
    /// What is left out because it is damaged.
    pub left_out: Option<LeftOut>,
    /// Records of all paths: those of files that are still there.
    pub records: u64,
    /// Bytes that were answered to them.
    #[serde(skip)]
    pub bytes: u64,
    /// The busiest first.
    pub paths: Vec<PathCount>,
}

/// Records that are left out.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct LeftOut {
    /// Their number, of all days of their files.
    pub records: u64,
    /// The earliest of them.
    #[schema(value_type = String, format = DateTime)]
    pub from: DateTime<Utc>,
    /// The latest of them.
    #[schema(value_type = String, format = DateTime)]
    pub to: DateTime<Utc>,
}

/// Which paths are listed.
#[derive(Clone, Copy, Debug, Default)]
pub struct PathQuery<'a> {
    /// What they begin with.
    pub prefix: &'a str,
    /// What makes one busier than another.
    pub by: PathOrder,
}

/// What makes one path busier than another.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum PathOrder {
    /// More records.
    #[default]
    Records,
    /// More bytes.
    Bytes,
}

impl PathOrder {
    fn value(self, count: Count) -> u64 {
        match self {
            Self::Records => count.records,
            Self::Bytes => count.bytes,
        }
    }
}

/// The count of a path.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, ToSchema)]
pub struct PathCount {
    /// Path without its query.
    pub path: String,
    /// Its records.
    #[serde(flatten)]
    pub count: Count,
}

/// What makes a path busy, the path, its records and its bytes; the least busy is the greatest.
type RankedPath = Reverse<(u64, Reverse<String>, u64, u64)>;

/// The busiest paths that have been seen.
struct TopPathsHeap {
    most: usize,
    by: PathOrder,
    all: Count,
    /// By what makes them busy.
    heap: BinaryHeap<RankedPath>,
}

/// The busiest paths of a tenant: merges the partial counts of all files that may have records of the
/// days.
///
/// # Errors
///
/// When a store cannot be read.
pub fn top_paths(
    stores: &Stores,
    query: &StatsQuery,
    wish: PathQuery<'_>,
) -> Result<TopPaths, StoreError> {
    let most = query.top.min(MAX_TOP);
    let mut runs: Vec<PartialRun<File>> = Vec::new();
    let mut merged: Vec<TopPathsHeap> = Vec::new();
    let days = query.from..=query.to;
    let mut left_out = None;
    for file in stores.state_store().damaged_files(&query.tenant, &days)? {
        leave_out(&mut left_out, &file);
    }
    for file in stores.state_store().live_files(&query.tenant, &days)? {
        let Some(known) = file.known_partial(&query.tenant) else { continue };
        let object =
            if file.is_partial_damaged { None } else { sound::open(stores, &known, clock::now())? };
        let Some(object) = object else {
            leave_out(&mut left_out, &file);
            continue;
        };
        let more = columns::partial_runs(object)?;
        if !runs.is_empty() && runs.len() + more.len() > MAX_RUNS {
            merged.push(merge(std::mem::take(&mut runs), (query, wish), most * SPARE)?);
        }
        runs.extend(more);
    }
    let is_one_merge = merged.is_empty();
    merged.push(merge(runs, (query, wish), if is_one_merge { most } else { most * SPARE })?);
    let exact = is_one_merge && left_out.is_none();
    let records = merged.iter().map(|top| top.all.records).sum();
    let bytes = merged.iter().map(|top| top.all.bytes).sum();
    Ok(TopPaths { exact, left_out, records, bytes, paths: sum(merged, wish.by, most) })
}

/// Adds the records of a file to those that are left out.
fn leave_out(left_out: &mut Option<LeftOut>, file: &DataFile) {
    let time = |micros| DateTime::from_timestamp_micros(micros).unwrap_or_default();
    let from = time(file.file.min_timestamp_micros);
    let to = time(file.file.max_timestamp_micros);
    let sum = left_out.get_or_insert(LeftOut { records: 0, from, to });
    sum.records = sum.records.saturating_add(file.file.rows);
    sum.from = sum.from.min(from);
    sum.to = sum.to.max(to);
}

fn merge(
    runs: Vec<PartialRun<File>>,
    (query, wish): (&StatsQuery, PathQuery<'_>),
    most: usize,
) -> Result<TopPathsHeap, StoreError> {
    let mut top =
        TopPathsHeap { most, by: wish.by, all: Count::default(), heap: BinaryHeap::new() };
    let mut path = String::new();
    let mut count = Count::default();
    PartialMerge::new(runs)?.for_each(|row| {
        if row.path != path {
            top.push(&path, count);
            row.path.clone_into(&mut path);
            count = Count::default();
        }
        if row.path.starts_with(wish.prefix) && query.matches_partial(row) {
            count.add(row.records, row.bytes);
        }
        Ok(())
    })?;
    top.push(&path, count);
    Ok(top)
}

/// Adds up what was merged in turns.
fn sum(merged: Vec<TopPathsHeap>, by: PathOrder, most: usize) -> Vec<PathCount> {
    let mut paths: BTreeMap<String, Count> = BTreeMap::new();
    for Reverse((_, Reverse(path), records, bytes)) in merged.into_iter().flat_map(|top| top.heap) {
        paths.entry(path).or_default().add(records, bytes);
    }
    let mut paths: Vec<PathCount> =
        paths.into_iter().map(|(path, count)| PathCount { path, count }).collect();
    paths.sort_by_key(|path| Reverse(by.value(path.count)));
    paths.truncate(most);
    paths
}

impl TopPathsHeap {
    /// Adds a path with all its records. Of those with as many, the first by name are kept.
    fn push(&mut self, path: &str, count: Count) {
        self.all.add(count.records, count.bytes);
        let busy = self.by.value(count);
        let is_short = self.heap.len() < self.most;
        // Paths come in their order, so a later one with as many never displaces an earlier one.
        let is_busier = self.heap.peek().is_some_and(|Reverse((least, ..))| busy > *least);
        if count.records > 0 && (is_short || is_busier) {
            let path = Reverse(path.to_owned());
            self.heap.push(Reverse((busy, path, count.records, count.bytes)));
            if self.heap.len() > self.most {
                self.heap.pop();
            }
        }
    }
}

impl StatsQuery {
    fn matches_partial(&self, row: &PartialRow<'_>) -> bool {
        let day = columns::date(row.day);
        let is_class = match self.status {
            None => true,
            Some(StatusFilter::Class(class)) => class == row.status_class,
            Some(StatusFilter::One(_)) => false,
        };
        is_class && self.from <= day && day <= self.to && self.matches(row.agent, row.host)
    }
}
