//! The Delta log has the live files, through compaction and retention, crashes and restored databases.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::RowAccessor as _;
use tokio::sync::watch;
use visibility_server::ingest::delta::DeltaLogs;
use visibility_server::ingest::maintenance::Maintenance;
use visibility_server::ingest::scrub::check_deeply;
use visibility_server::settings::{Retention, Settings};
use visibility_server::stores::check;
use visibility_server::stores::state::outbox::Consumer;
use visibility_tests::database;
use visibility_tests::delta::{DeltaTable, rows_of};

use crate::files::Ingested;

impl Ingested {
    pub(super) fn table_folder(&self) -> PathBuf {
        self.folder.path().join("objects/tenant=acme")
    }

    fn log(&self) -> PathBuf {
        self.table_folder().join("_delta_log")
    }

    fn table(&self) -> DeltaTable {
        DeltaTable::read(&self.log()).expect("there is a log")
    }

    /// Writes the next version, as the first round after a start does.
    pub(super) fn write_delta_log(&self) {
        self.delta_logs(300).round(self.now);
    }

    /// Writes versions until there is no change that is not in one.
    pub(super) fn write_whole_delta_log(&self) {
        let mut logs = self.delta_logs(300);
        logs.round(self.now);
        while self.waiting() > 0 {
            logs.round(self.now);
        }
    }

    fn waiting(&self) -> u64 {
        self.stores.state_store().waiting_events(Consumer::Delta).expect("it counts")
    }

    fn delta_logs(&self, interval: u64) -> DeltaLogs {
        DeltaLogs::new(Arc::clone(&self.stores), interval, watch::channel(false).1)
    }

    /// Forgets the records of the day before, as happens a day later: of batches that arrived before, as those of today are
    /// kept as a whole.
    pub(super) fn forget_yesterday(&self) {
        let sql = "UPDATE data_file SET newest_batch = max_time";
        database::execute(self.folder.path(), sql);
        let retention = Retention { raw_days: 1, ..Retention::default() };
        let tomorrow = self.now + TimeDelta::days(1);
        let state_store = self.stores.state_store();
        state_store.apply_retention(&retention, tomorrow).expect("it is forgotten");
    }

    /// The log has the live files, and nothing waits.
    fn assert_even(&self) {
        let live: BTreeMap<String, u64> = self
            .files()
            .iter()
            .map(|file| {
                let path = file.path.split("tenant=acme/").nth(1).expect("a path of the tenant");
                (path.to_owned(), file.rows)
            })
            .collect();
        assert_eq!(self.table().files, live);
        assert_eq!(
            self.stores.state_store().waiting_events(Consumer::Delta).expect("it counts"),
            0
        );
    }

    fn maintenance(&self, change: impl FnOnce(&mut Settings)) -> Maintenance {
        let mut settings = Settings::default();
        change(&mut settings);
        let stores = Arc::clone(&self.stores);
        Maintenance::new(stores, Arc::default(), settings, watch::channel(false).1)
    }

    /// A round of maintenance at a time that nothing doubts.
    fn maintain(&self, maintenance: &mut Maintenance, now: DateTime<Utc>) {
        self.stores.trust_clock(now).expect("it is trusted");
        maintenance.round(now);
    }

    fn ingest_one(&mut self, seed: u64) {
        self.ingest(seed, 40);
    }
}

#[test]
fn a_log_has_the_live_files_at_each_of_its_versions() {
    let mut ingested = Ingested::new(0, 0);
    let mut logs = ingested.delta_logs(300);
    logs.round(ingested.now);
    assert_eq!(DeltaTable::read(&ingested.log()), None, "without a file there is no log");

    ingested.ingest(1, 3000);
    ingested.ingest(2, 3000);
    logs.round(ingested.now);
    ingested.assert_even();
    let first = ingested.table();
    assert_eq!(first.changed, [(ingested.accepted, 0)]);
    logs.round(ingested.now);
    assert_eq!(ingested.table(), first, "nothing has changed");

    let before = ingested.accepted;
    ingested.ingest(3, 3000);
    ingested.compact();
    logs.round(ingested.now);
    logs.round(ingested.now);
    ingested.assert_even();
    let second = ingested.table();
    assert_eq!(second.changed, [(before, 0), (ingested.accepted - before, 0), (0, 0)]);

    ingested.forget_yesterday();
    logs.round(ingested.now);
    ingested.assert_even();
    let third = ingested.table();
    let left: u64 = third.files.values().sum();
    assert!(left < ingested.accepted);
    assert_eq!(third.changed.last(), Some(&(0, ingested.accepted - left)));
    assert_eq!(third.id, first.id);
}

/// Flips a bit of a file, or puts back what was there.
fn flip(path: &str) {
    let mut bytes = fs::read(path).expect("it is read");
    *bytes.get_mut(39).expect("a byte") ^= 1 << 6;
    fs::write(path, bytes).expect("it is written");
}

#[test]
fn a_log_has_no_damaged_file() {
    let mut ingested = Ingested::new(2, 300);
    ingested.write_delta_log();
    let look = |ingested: &Ingested| {
        check_deeply(&ingested.stores, None, ingested.now, &|_| ()).expect("it looks").damaged
    };
    let path = ingested.files()[0].path.clone();
    for _ in 0..2 {
        flip(&path);
        assert_eq!((look(&ingested), ingested.files().len()), (1, 1));
        ingested.write_delta_log();
        ingested.assert_even();
        flip(&path);
        assert_eq!((look(&ingested), ingested.files().len()), (0, 2));
        ingested.write_delta_log();
        ingested.assert_even();
    }
    flip(&path);
    look(&ingested);
    flip(&path);
    look(&ingested);
    ingested.assert_even();

    // One that the log has not come to yet.
    ingested.ingest_one(7);
    let path = ingested.files()[2].path.clone();
    flip(&path);
    assert_eq!(look(&ingested), 1);
    ingested.write_delta_log();
    assert_eq!((ingested.table().files.len(), ingested.waiting()), (2, 1));
    ingested.compact();
    ingested.write_delta_log();
    flip(&path);
    assert_eq!(look(&ingested), 0);
    ingested.write_delta_log();
    ingested.assert_even();

    // One that is forgotten while it is damaged.
    ingested.ingest_one(8);
    ingested.write_delta_log();
    let path = ingested.files().last().expect("a file").path.clone();
    flip(&path);
    assert_eq!(look(&ingested), 1);
    let retention = Retention { raw_days: 1, ..Retention::default() };
    let later = ingested.now + TimeDelta::days(9);
    let state_store = ingested.stores.state_store();
    state_store.apply_retention(&retention, later).expect("it is forgotten");
    ingested.write_delta_log();
    ingested.assert_even();
    assert_eq!(ingested.table().files.len(), 0);
    let check = check::check(&ingested.stores, ingested.now).expect("it checks");
    assert!(check.is_clean(), "{check:?}");
}

#[test]
fn objects_stay_until_the_log_does_not_name_them() {
    let ingested = Ingested::new(2, 1000);
    ingested.write_delta_log();
    let old = ingested.files();
    ingested.compact();
    let is_there = || old.iter().all(|file| Path::new(&file.path).exists());
    let mut maintenance = ingested.maintenance(|settings| {
        settings.maintenance.grace = 3600;
        settings.maintenance.compact_after = 86_400;
    });
    let much_later = ingested.now + TimeDelta::hours(5);
    ingested.maintain(&mut maintenance, much_later);
    assert!(is_there(), "the log names them");
    ingested.delta_logs(300).round(much_later);
    ingested.maintain(&mut maintenance, much_later + TimeDelta::minutes(59));
    assert!(is_there(), "a reader may have read the log before");
    ingested.maintain(&mut maintenance, much_later + TimeDelta::minutes(61));
    assert!(old.iter().all(|file| !Path::new(&file.path).exists()));
    ingested.assert_even();
}

#[test]
fn a_log_that_is_gone_is_written_again() {
    let mut ingested = Ingested::new(2, 500);
    ingested.write_delta_log();
    let before = ingested.table();
    let mut logs = ingested.delta_logs(300);
    fs::remove_dir_all(ingested.log()).expect("it is removed");
    logs.round(ingested.now);
    ingested.assert_even();
    let after = ingested.table();
    assert_eq!((after.version, after.files), (0, before.files));
    assert_ne!(after.id, before.id, "readers see that it is another table");

    fs::remove_dir_all(ingested.log()).expect("it is removed");
    ingested.ingest_one(7);
    logs.round(ingested.now);
    ingested.assert_even();
    assert_eq!(ingested.table().version, 0);
}

#[test]
fn a_version_of_a_crash_is_taken_for_what_it_is() {
    let mut ingested = Ingested::new(2, 500);
    ingested.write_delta_log();
    ingested.ingest_one(7);
    let crashed = ingested.saved();
    ingested.write_delta_log();
    let written = ingested.table();
    ingested.restore(&crashed);
    ingested.ingest_one(8);
    ingested.write_delta_log();
    assert_eq!(ingested.table(), written, "the version that was there");
    ingested.write_delta_log();
    ingested.assert_even();
    assert_eq!(ingested.table().id, written.id);
    assert_eq!(ingested.table().version, 2);
}

#[test]
fn a_log_that_is_longer_than_a_restored_database_knows_is_written_again() {
    let mut ingested = Ingested::new(2, 500);
    ingested.write_delta_log();
    let backup = ingested.saved();
    for seed in [7, 8, 9] {
        ingested.ingest_one(seed);
        ingested.write_delta_log();
    }
    let before = ingested.table();
    ingested.restore(&backup);
    ingested.write_delta_log();
    ingested.assert_even();
    assert_ne!(ingested.table().id, before.id);

    // One version more, which is not what a crash would have left.
    let backup = ingested.saved();
    ingested.ingest_one(10);
    ingested.write_delta_log();
    ingested.restore(&backup);
    ingested.ingest_one(11);
    let mut logs = ingested.delta_logs(300);
    logs.round(ingested.now);
    ingested.assert_even();
}

#[test]
fn logs_that_are_switched_off_are_removed() {
    let mut ingested = Ingested::new(2, 500);
    ingested.write_delta_log();
    ingested.delta_logs(0).round(ingested.now);
    assert_eq!(DeltaTable::read(&ingested.log()), None);
    ingested.ingest_one(7);
    assert_eq!(ingested.waiting(), 0);
    ingested.write_delta_log();
    ingested.assert_even();
}

#[test]
fn what_is_written_beside_a_log_is_no_orphan() {
    let ingested = Ingested::new(1, 100);
    ingested.write_delta_log();
    let much_later = Utc::now() + TimeDelta::days(3);
    let mut maintenance = ingested.maintenance(|settings| settings.maintenance.grace = 0);
    ingested.maintain(&mut maintenance, much_later);
    ingested.delta_logs(300).round(much_later);
    ingested.maintain(&mut maintenance, much_later + TimeDelta::days(3));
    ingested.assert_even();
}

#[test]
fn readers_begin_at_a_checkpoint() {
    let mut ingested = Ingested::new(1, 100);
    let mut logs = ingested.delta_logs(300);
    logs.round(ingested.now);
    for seed in 100..150 {
        ingested.ingest_one(seed);
        logs.round(ingested.now);
    }
    let table = ingested.table();
    assert_eq!(table.version, 50);
    let last = fs::read_to_string(ingested.log().join("_last_checkpoint")).expect("there is one");
    assert_eq!(last, r#"{"size":53,"version":50}"#);
    assert_eq!(checkpoint(&ingested.log(), 50), (table.id.clone(), table.files.clone()));

    // Those before it are removed a week later.
    logs.round(ingested.now);
    let much_later: DateTime<Utc> = Utc::now() + TimeDelta::days(8);
    for seed in 200..250 {
        ingested.ingest_one(seed);
        if seed == 230 {
            ingested.compact();
        }
        logs.round(much_later);
    }
    ingested.write_whole_delta_log();
    assert!(!ingested.log().join(format!("{:020}.json", 99)).exists());
    assert!(!ingested.log().join(format!("{:020}.checkpoint.parquet", 50)).exists());
    assert!(ingested.log().join(format!("{:020}.json", 100)).exists());
    let (id, files) = checkpoint(&ingested.log(), 100);
    assert_eq!(id, table.id);
    assert!(files.len() < 53, "the compacted files are not in it");
}

/// The id and the files of a checkpoint.
fn checkpoint(log: &Path, version: u64) -> (String, BTreeMap<String, u64>) {
    let file = fs::File::open(log.join(format!("{version:020}.checkpoint.parquet")));
    let reader = SerializedFileReader::new(file.expect("it is there")).expect("it is Parquet");
    let mut id = String::new();
    let mut files = BTreeMap::new();
    for row in reader.get_row_iter(None).expect("it has rows") {
        let row = row.expect("a row");
        if let Ok(meta_data) = row.get_group(1) {
            id.clone_from(meta_data.get_string(0).expect("an id"));
        }
        if let Ok(add) = row.get_group(2) {
            let rows = rows_of(add.get_string(5).expect("stats"));
            files.insert(add.get_string(0).expect("a path").clone(), rows);
        }
    }
    (id, files)
}
