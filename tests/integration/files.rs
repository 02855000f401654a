//! Files of records and what is counted of them, before and after compaction.

#![expect(clippy::expect_used, reason = "a test stops where something is not as it should be")]

mod clickhouse;
mod delta;
mod engines;
mod questions;
mod sums;
mod top_paths;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use tempfile::TempDir;
use uuid::Uuid;
use visibility_core::accounts::tenant::{BatchKey, TenantSlug};
use visibility_core::ingest::{ContentCoding, Rules};
use visibility_server::ingest::batch::{self, BatchRequest, Mode};
use visibility_server::ingest::columns::{RecordFileReader, RecordRows, StoredRecord};
use visibility_server::ingest::compaction::{self, Compacted};
use visibility_server::ingest::live_files::{LiveFile, live_files};
use visibility_server::ingest::scrub::check_deeply;
use visibility_server::ingest::stats::{Stats, StatsQuery, StatusFilter, stats};
use visibility_server::stores::Stores;
use visibility_tests::database;
use visibility_tests::logs::{Bad, LogPlan, log};

/// Stores with some batches of one tenant.
struct Ingested {
    stores: Arc<Stores>,
    tenant: TenantSlug,
    now: DateTime<Utc>,
    accepted: u64,
    folder: TempDir,
}

/// The strings and numbers of a record, to be compared.
type Row = (String, NaiveDate, u16, i64, String, [String; 6]);

impl Ingested {
    fn new(batches: u64, records: u64) -> Self {
        let mut ingested = Self::at("2026-11-20T12:00:00Z".parse().expect("a time"));
        for seed in 0..batches {
            ingested.ingest(seed, records);
        }
        ingested
    }

    /// Stores without a batch, at some time.
    fn at(now: DateTime<Utc>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let stores = Arc::new(opened(&folder));
        let tenant = "acme".parse().expect("a slug");
        stores.state_store().create_tenant(&tenant, now).expect("it is created");
        Self { stores, tenant, now, accepted: 0, folder }
    }

    /// The database, to be restored later.
    fn saved(&mut self) -> TempDir {
        let saved = tempfile::tempdir().expect("a folder");
        self.copy_database(saved.path(), |own, saved| (own, saved));
        saved
    }

    fn restore(&mut self, saved: &TempDir) {
        self.copy_database(saved.path(), |own, saved| (saved, own));
    }

    /// Copies the database one way or the other, while it is closed.
    fn copy_database(
        &mut self,
        saved: &Path,
        direction: fn(PathBuf, PathBuf) -> (PathBuf, PathBuf),
    ) {
        let elsewhere = tempfile::tempdir().expect("a folder");
        self.stores = Arc::new(opened(&elsewhere));
        let (from, to) =
            direction(self.folder.path().join("state.sqlite"), saved.join("state.sqlite"));
        fs::copy(from, to).expect("it is copied");
        let location = database::location(self.folder.path());
        Stores::reconcile(location, self.now).expect("they fit each other again");
        self.stores = Arc::new(opened(&self.folder));
    }

    fn ingest(&mut self, seed: u64, records: u64) {
        self.ingest_log(seed, records, Bad::Some);
    }

    fn ingest_log(&mut self, seed: u64, records: u64, bad: Bad) {
        let (body, truth) = log(&LogPlan { records, seed, now: self.now, bad });
        let mut spooled = tempfile::tempfile().expect("a file");
        spooled.write_all(&body).and_then(|()| spooled.rewind()).expect("it is written");
        let key = BatchKey { tenant: self.tenant.clone(), batch_id: Uuid::from_u128(seed.into()) };
        let rules = Rules::at(self.now);
        let coding = ContentCoding::Identity;
        let request = BatchRequest { key, coding, rules, mode: Mode::Ingest };
        let answered = batch::ingest(&request, spooled, &self.stores).expect("it is kept");
        assert_eq!(answered.counts.accepted, truth.accepted);
        self.accepted += truth.accepted;
    }

    fn compact(&self) -> Compacted {
        compaction::compact(&self.stores, self.now, self.now, &|| false).expect("it compacts")
    }

    fn files(&self) -> Vec<LiveFile> {
        live_files(&self.stores, &self.tenant).expect("they are listed")
    }

    /// All records, sorted.
    fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for file in self.files() {
            each_record(&file, |record| rows.push(row(&record)));
        }
        rows.sort_unstable();
        rows
    }

    fn query(&self) -> StatsQuery {
        let today = self.now.date_naive();
        StatsQuery {
            tenant: self.tenant.clone(),
            from: today - TimeDelta::days(90),
            to: today,
            agent: None,
            purpose: None,
            host: None,
            status: None,
            top: 25,
        }
    }

    fn stats(&self, query: &StatsQuery) -> Stats {
        stats(&self.stores, query, &|| false).expect("it counts")
    }
}

fn opened(folder: &TempDir) -> Stores {
    Stores::open(database::location(folder.path())).expect("it opens")
}

fn each_record(file: &LiveFile, mut take: impl FnMut(StoredRecord<'_>)) {
    let object = File::open(&file.path).expect("it is there");
    let mut reader = RecordFileReader::open(object, file.rows).expect("it is ours");
    let mut rows = RecordRows::default();
    while reader.read(&mut rows).expect("it is whole") {
        rows.iter().for_each(&mut take);
    }
}

fn row(record: &StoredRecord<'_>) -> Row {
    let time = DateTime::from_timestamp_micros(record.timestamp_micros).expect("a time");
    let texts = [
        record.host,
        record.request_path,
        record.user_agent,
        record.request_method,
        record.referrer,
        record.client_ip_hash,
    ];
    (
        record.agent.to_owned(),
        time.date_naive(),
        record.status_code,
        record.response_bytes,
        time.to_rfc3339(),
        texts.map(str::to_owned),
    )
}

/// Records by some part of them.
fn count<K: Ord>(rows: &[Row], part: impl Fn(&Row) -> K) -> BTreeMap<K, u64> {
    let mut counts = BTreeMap::new();
    for row in rows {
        *counts.entry(part(row)).or_default() += 1;
    }
    counts
}

/// Checks all groups of the stats against the records.
fn check(stats: &Stats, rows: &[Row]) {
    assert_eq!(stats.total.records, rows.len() as u64);
    let bytes: i64 = rows.iter().map(|row| row.3).sum();
    assert_eq!(stats.total.bytes, u64::try_from(bytes).expect("a sum"));
    let days = stats.days.iter().map(|day| (day.day, day.count.records));
    assert_eq!(days.collect::<BTreeMap<_, _>>(), count(rows, |row| row.1));
    let agents = stats.agents.iter().map(|agent| (agent.id.clone(), agent.count.records));
    assert_eq!(agents.collect::<BTreeMap<_, _>>(), count(rows, |row| row.0.clone()));
    let hosts = stats.hosts.iter().map(|host| (host.host.clone(), host.count.records));
    assert_eq!(hosts.collect::<BTreeMap<_, _>>(), count(rows, |row| row.5[0].clone()));
    let statuses = stats.statuses.iter().map(|status| (status.status, status.count.records));
    assert_eq!(statuses.collect::<BTreeMap<_, _>>(), count(rows, |row| row.2));
    let purposes: u64 = stats.purposes.iter().map(|purpose| purpose.count.records).sum();
    assert_eq!(purposes, rows.len() as u64);

    let top = stats.top_paths.as_ref().expect("paths");
    assert!(top.exact);
    assert_eq!(top.records, rows.len() as u64);
    let paths = count(rows, |row| row.5[1].split('?').next().unwrap_or_default().to_owned());
    let mut paths: Vec<(String, u64)> = paths.into_iter().collect();
    // The busiest first, those with as many by name.
    paths.sort_by_key(|(path, records)| (std::cmp::Reverse(*records), path.clone()));
    paths.truncate(top.paths.len().max(1));
    let listed: Vec<(String, u64)> =
        top.paths.iter().map(|path| (path.path.clone(), path.count.records)).collect();
    assert_eq!(listed, paths);
}

#[test]
fn compaction_keeps_every_record_and_all_counts() {
    let ingested = Ingested::new(3, 4000);
    let (before, counted) = (ingested.rows(), ingested.stats(&ingested.query()));
    assert_eq!(before.len() as u64, ingested.accepted);
    check(&counted, &before);

    let done = ingested.compact();
    assert_eq!(done.retired, 3);
    let files = ingested.files();
    assert_eq!(done.added, files.len());
    assert_eq!(ingested.rows(), before);
    assert_eq!(ingested.stats(&ingested.query()), counted);

    let days: std::collections::BTreeSet<_> = files.iter().filter_map(|file| file.day).collect();
    assert_eq!(days.len(), files.len(), "one file a day");
    for file in &files {
        let day = file.day.expect("a day");
        assert!(file.path.contains(&format!("tenant=acme/day={day}/")));
        let mut last = None;
        each_record(file, |record| {
            let time = DateTime::from_timestamp_micros(record.timestamp_micros).expect("a time");
            assert_eq!(time.date_naive(), day);
            let key = (record.host.to_owned(), record.agent.to_owned(), record.timestamp_micros);
            assert!(last.as_ref() <= Some(&key), "sorted by host, agent and time");
            last = Some(key);
        });
    }
    assert_eq!(ingested.compact(), Compacted::default(), "nothing is left to do");
}

#[test]
fn later_batches_are_merged_into_the_files_of_their_day() {
    let mut ingested = Ingested::new(1, 1500);
    ingested.compact();
    for seed in 10..14 {
        ingested.ingest(seed, 1500);
        ingested.compact();
    }
    let files = ingested.files();
    let days: std::collections::BTreeSet<_> = files.iter().filter_map(|file| file.day).collect();
    assert_eq!(days.len(), files.len(), "one file a day");
    let rows = ingested.rows();
    assert_eq!(rows.len() as u64, ingested.accepted);
    check(&ingested.stats(&ingested.query()), &rows);
}

#[test]
fn a_file_that_is_younger_is_left_alone() {
    let ingested = Ingested::new(1, 100);
    let until = ingested.now - TimeDelta::seconds(1);
    let done = compaction::compact(&ingested.stores, until, ingested.now, &|| false);
    assert_eq!(done.expect("it runs"), Compacted::default());
    let done = compaction::compact(&ingested.stores, ingested.now, ingested.now, &|| true);
    assert_eq!(done.expect("it stops"), Compacted::default());
    assert_eq!(ingested.files().len(), 1);
}

#[test]
fn a_file_that_is_broken_stays_and_the_others_are_compacted() {
    let mut ingested = Ingested::new(2, 300);
    let broken = ingested.files().remove(0);
    let bytes = fs::read(&broken.path).expect("it reads");
    let half = bytes.get(..bytes.len() / 2).expect("half");
    fs::write(&broken.path, half).expect("it is cut");
    let of_tenant = std::mem::replace(&mut ingested.tenant, "globex".parse().expect("a slug"));
    ingested.ingest(3, 300);
    ingested.compact();
    assert!(ingested.files().iter().all(|file| file.day.is_some()));
    ingested.tenant = of_tenant;
    let merged = ingested.files();
    assert!(merged.iter().all(|file| file.day.is_some()), "{merged:?}");
    let left: u64 = merged.iter().map(|file| file.rows).sum();

    fs::write(&broken.path, bytes).expect("it is repaired");
    let look = check_deeply(&ingested.stores, None, ingested.now, &|_| ()).expect("it looks");
    assert_eq!(look.damaged, 0);
    assert_eq!(ingested.rows().len() as u64, left + broken.rows);
    ingested.compact();
    assert_eq!(ingested.rows().len() as u64, left + broken.rows);
    assert!(ingested.files().iter().all(|file| file.day.is_some()));
}

#[test]
fn stats_of_a_part_are_those_of_its_records() {
    let ingested = Ingested::new(2, 3000);
    let rows = ingested.rows();
    let row = rows.first().expect("a record");
    let part = |filter: &dyn Fn(&Row) -> bool| -> Vec<Row> {
        rows.iter().filter(|row| filter(row)).cloned().collect()
    };
    let query = StatsQuery { agent: Some(row.0.clone()), ..ingested.query() };
    check(&ingested.stats(&query), &part(&|one| one.0 == row.0));
    let query = StatsQuery { host: Some(row.5[0].clone()), ..ingested.query() };
    check(&ingested.stats(&query), &part(&|one| one.5[0] == row.5[0]));
    let query = StatsQuery { from: row.1, to: row.1, ..ingested.query() };
    check(&ingested.stats(&query), &part(&|one| one.1 == row.1));
    let query = StatsQuery { status: Some(StatusFilter::Class(4)), ..ingested.query() };
    check(&ingested.stats(&query), &part(&|one| one.2 / 100 == 4));
    let query = StatsQuery { agent: Some("unknown".to_owned()), ..ingested.query() };
    assert_eq!(ingested.stats(&query).total.records, 0);
    let query = StatsQuery { status: Some(StatusFilter::One(404)), ..ingested.query() };
    let counted = ingested.stats(&query);
    assert_eq!(counted.total.records, part(&|one| one.2 == 404).len() as u64);
    assert_eq!(counted.top_paths, None, "paths are counted by classes");
}
