//! The busiest paths: partial counts of all files, added up by path.

mod path_counts;

use std::fs::File;

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use visibility_core::store::StoreError;

use self::path_counts::{PathRow, PathRows};
use super::{Count, MAX_TOP, StatsError, StatsQuery, StatusFilter};
use crate::ingest::columns::{self, PartialGroup, PartialGroups, PartialSelection};
use crate::ingest::sound;
use crate::runtime::{clock, random};
use crate::stores::Stores;
use crate::stores::state::manifest::DataFile;

/// The busiest paths.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct TopPaths {
    /// Whether these are the busiest, with their true counts. Not if counts are left out.
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

/// The busiest paths of a tenant: adds up the partial counts of all files that may have records of the days.
///
/// # Errors
///
/// When a store cannot be read, or no one waits any more.
pub fn top_paths(
    stores: &Stores,
    query: &StatsQuery,
    wish: PathQuery<'_>,
    is_stopped: &dyn Fn() -> bool,
) -> Result<TopPaths, StatsError> {
    let mut rows = TenantRows::new(stores, query, wish.prefix, is_stopped)?;
    let most = query.top.min(MAX_TOP);
    let secret = random::number().map_err(|error| StoreError::io("make a random number", error))?;
    let paths = path_counts::busiest(&mut rows, most, wish.by, secret)?;
    let TenantRows { left_out, all, .. } = rows;
    Ok(TopPaths {
        exact: left_out.is_none(),
        left_out,
        records: all.records,
        bytes: all.bytes,
        paths,
    })
}

/// The rows of partial counts that a question is about.
struct TenantRows<'a> {
    stores: &'a Stores,
    query: &'a StatsQuery,
    prefix: &'a str,
    is_stopped: &'a dyn Fn() -> bool,
    files: Vec<DataFile>,
    /// The number of the first row of each row group, with its file and its place there.
    groups: Vec<(u64, usize, usize)>,
    left_out: Option<LeftOut>,
    /// What all rows come to; nothing before they were read.
    all: Count,
    is_read: bool,
}

impl<'a> TenantRows<'a> {
    fn new(
        stores: &'a Stores,
        query: &'a StatsQuery,
        prefix: &'a str,
        is_stopped: &'a dyn Fn() -> bool,
    ) -> Result<Self, StoreError> {
        let days = query.from..=query.to;
        let mut left_out = None;
        for file in stores.state_store().damaged_files(&query.tenant, &days)? {
            leave_out(&mut left_out, &file);
        }
        let files = stores.state_store().live_files(&query.tenant, &days)?;
        Ok(Self {
            stores,
            query,
            prefix,
            is_stopped,
            files,
            groups: Vec::new(),
            left_out,
            all: Count::default(),
            is_read: false,
        })
    }

    /// Opens the counts of a file, if it has some that are sound.
    fn open(&self, file: &DataFile) -> Result<Option<PartialGroups<File>>, StoreError> {
        let known = file.known_partial(&self.query.tenant).filter(|_| !file.is_partial_damaged);
        let Some(known) = known else { return Ok(None) };
        let object = sound::open(self.stores, &known, clock::now())?;
        object.map(PartialGroups::open).transpose()
    }

    fn check(&self) -> Result<(), StatsError> {
        if (self.is_stopped)() { Err(StatsError::Stopped) } else { Ok(()) }
    }
}

impl PathRows for TenantRows<'_> {
    type Error = StatsError;

    fn most_rows(&self) -> u64 {
        // A row counts a record or more.
        self.files.iter().map(|file| file.file.rows).fold(0, u64::saturating_add)
    }

    fn for_each(&mut self, mut take: impl FnMut(PathRow<'_>)) -> Result<(), StatsError> {
        self.groups.clear();
        let mut group = PartialGroup::default();
        let mut next_row = 0_u64;
        let mut all = Count::default();
        let mut sound_files = Vec::with_capacity(self.files.len());
        for file in std::mem::take(&mut self.files) {
            self.check()?;
            let Some(groups) = self.open(&file)? else {
                if file.known_partial(&self.query.tenant).is_some() {
                    leave_out(&mut self.left_out, &file);
                }
                continue;
            };
            let is_agent = |agent: &str| self.query.matches_agent(agent);
            let selection = selection(self.query, &file, &is_agent);
            let prefix = self.prefix.as_bytes();
            for number in 0..groups.count() {
                self.groups.push((next_row, sound_files.len(), number));
                // The row before may be one that was not handed over, as its path has another start.
                let mut was_taken = false;
                groups.for_each(number, &selection, &mut group, |row| {
                    let is_same_path = row.is_same_path && was_taken;
                    // To compare nothing takes longer than all the rest: the comparison reads where nothing is.
                    was_taken = prefix.is_empty() || row.path.starts_with(prefix);
                    if !was_taken {
                        return;
                    }
                    let count = Count { records: row.records, bytes: row.bytes };
                    all.add(count.records, count.bytes);
                    let row_number = next_row.saturating_add(row.number as u64);
                    take(PathRow {
                        number: u32::try_from(row_number).unwrap_or(u32::MAX),
                        path: row.path,
                        is_same_path,
                        count,
                    });
                })?;
                next_row = next_row.saturating_add(groups.rows(number));
            }
            sound_files.push(file);
        }
        self.files = sound_files;
        if !self.is_read {
            (self.all, self.is_read) = (all, true);
        }
        Ok(())
    }

    fn paths(&mut self, rows: &[u32]) -> Result<Vec<String>, StatsError> {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_unstable_by_key(|at| rows.get(*at));
        let mut paths = vec![String::new(); rows.len()];
        let mut group = PartialGroup::default();
        let mut opened: Option<(usize, PartialGroups<File>)> = None;
        let mut read = None;
        for at in order {
            let row = rows.get(at).copied().map_or(0, u64::from);
            let place = self.groups.partition_point(|(first, ..)| *first <= row).saturating_sub(1);
            let Some((first, file, number)) = self.groups.get(place).copied() else { continue };
            if opened.as_ref().is_none_or(|(other, _)| *other != file) {
                self.check()?;
                let groups =
                    self.files.get(file).map(|file| self.open(file)).transpose()?.flatten();
                opened = groups.map(|groups| (file, groups));
            }
            let Some((_, groups)) = &opened else { continue };
            if read != Some(place) {
                groups.read_paths(number, &mut group)?;
                read = Some(place);
            }
            let number = usize::try_from(row - first).unwrap_or(usize::MAX);
            if let Some(path) = paths.get_mut(at) {
                *path = group.path(number);
            }
        }
        Ok(paths)
    }
}

/// The rows of a file that a question is about.
fn selection<'a>(
    query: &'a StatsQuery,
    file: &DataFile,
    is_agent: &'a dyn Fn(&str) -> bool,
) -> PartialSelection<'a> {
    let first = columns::day_number(file.file.min_timestamp_micros);
    let last = columns::day_number(file.file.max_timestamp_micros);
    let (from, to) = (query.from.to_epoch_days(), query.to.to_epoch_days());
    PartialSelection {
        days: (first < from || to < last).then_some(from..=to),
        host: query.host.as_deref(),
        agent: query.is_about_some_agents().then_some(is_agent),
        status_class: match query.status {
            None => None,
            Some(StatusFilter::Class(class)) => Some(class),
            // Partial counts know classes, and no class has this digit.
            Some(StatusFilter::One(_)) => Some(0),
        },
    }
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
