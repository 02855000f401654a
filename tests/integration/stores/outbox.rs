//! The outbox: a consumer that takes its events knows the live files, whatever happens beside it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use chrono::{NaiveDate, TimeDelta};
use tempfile::TempDir;
use visibility_core::store::{Ledger as _, NewFile, PublishOutcome};
use visibility_server::settings::Retention;
use visibility_server::stores::Stores;
use visibility_server::stores::state::StateStore;
use visibility_server::stores::state::outbox::{Consumer, ConsumerProgress, FileChange, FileEvent};
use visibility_tests::contract::{arrival, day, publication, row, tenant};
use visibility_tests::database;

const CONSUMER: Consumer = Consumer::Delta;
const SLUG: &str = "acme";

fn opened() -> (TempDir, Stores) {
    let folder = tempfile::tempdir().expect("a folder");
    let stores = Stores::open(database::location(folder.path())).expect("it opens");
    (folder, stores)
}

fn publish(state_store: &StateStore, number: u128) {
    let batch = publication(SLUG, number, vec![row("a.example", 2)]);
    assert_eq!(state_store.publish(&batch).expect("it publishes"), PublishOutcome::First);
}

fn live(state_store: &StateStore) -> BTreeSet<i64> {
    let always = NaiveDate::MIN..=NaiveDate::MAX;
    let files = state_store.live_files(&tenant(SLUG), &always).expect("they are read");
    files.iter().map(|file| file.id).collect()
}

/// Replaces files by one with the same records.
fn replace(state_store: &StateStore, ids: &[i64], name: &str) -> Result<(), String> {
    let micros = arrival().timestamp_micros();
    let file = NewFile {
        name: format!("tenant={SLUG}/day={}/{name}.parquet", day()),
        partial: None,
        rows: 2 * ids.len() as u64,
        bytes: 7,
        min_timestamp_micros: micros - 1_000_000,
        max_timestamp_micros: micros,
        day: Some(day()),
        ..NewFile::default()
    };
    let replaced = state_store.replace(&tenant(SLUG), ids, &[file], arrival());
    replaced.map_err(|error| error.to_string())
}

/// Something that knows the files only by its events.
struct Reader {
    progress: ConsumerProgress,
    files: BTreeSet<i64>,
}

impl Reader {
    fn begin(state_store: &StateStore) -> Self {
        let progress = state_store.begin(CONSUMER, &tenant(SLUG)).expect("it begins");
        Self { progress, files: BTreeSet::new() }
    }

    fn waiting(state_store: &StateStore, most: usize) -> Vec<FileEvent> {
        state_store.events(CONSUMER, &tenant(SLUG), most).expect("they are read")
    }

    /// Takes some events. Says how many.
    fn take(&mut self, state_store: &StateStore, most: usize) -> usize {
        let events = Self::waiting(state_store, most);
        for event in &events {
            let id = event.file.id;
            let fits = match event.change {
                FileChange::Published | FileChange::Replacement | FileChange::Restored => {
                    self.files.insert(id)
                }
                FileChange::Replaced | FileChange::Forgotten | FileChange::Damaged => {
                    self.files.remove(&id)
                }
            };
            assert!(fits, "{:?} of file {id}", event.change);
        }
        let version = Some(self.progress.version.map_or(0, |version| version + 1));
        let consumer = (CONSUMER, &tenant(SLUG));
        let moved = state_store.advance(consumer, (self.progress, version), &events, arrival());
        assert!(moved.expect("it is noted"));
        self.progress.version = version;
        events.len()
    }
}

#[test]
fn a_consumer_learns_of_every_change() {
    let (_folder, stores) = opened();
    let state_store = stores.state_store();
    publish(state_store, 1);
    assert_eq!(state_store.waiting_events(CONSUMER).expect("it counts"), 0, "no one listens");

    state_store.create_tenant(&tenant(SLUG), arrival()).expect("it is created");
    state_store.create_tenant(&tenant("other"), arrival()).expect("it is created");
    let to_consume = || state_store.tenants_to_consume(CONSUMER).expect("they are read");
    assert_eq!(to_consume(), [tenant(SLUG), tenant("other")], "it has not begun with them");
    let mut reader = Reader::begin(state_store);
    state_store.begin(CONSUMER, &tenant("other")).expect("it begins");
    publish(state_store, 2);
    assert_eq!(to_consume(), [tenant(SLUG)]);
    reader.take(state_store, 10);
    assert_eq!(to_consume(), []);
    assert_eq!((&reader.files, reader.files.len()), (&live(state_store), 2));

    let ids: Vec<i64> = live(state_store).into_iter().collect();
    replace(state_store, &ids, "merged").expect("it is replaced");
    let changes: Vec<_> =
        Reader::waiting(state_store, 10).iter().map(|event| event.change).collect();
    assert_eq!(changes, [FileChange::Replaced, FileChange::Replaced, FileChange::Replacement]);
    replace(state_store, &ids, "again").expect_err("they are not live any more");
    assert_eq!(Reader::waiting(state_store, 10).len(), 3, "what is refused is no event");
    let seen: BTreeSet<i64> = consumed(state_store);
    assert_eq!(seen, reader.files, "as of what was taken");
    reader.take(state_store, 10);
    assert_eq!(reader.files, live(state_store));

    let much_later = arrival() + TimeDelta::days(500);
    state_store.apply_retention(&Retention::default(), much_later).expect("it is applied");
    assert_eq!(consumed(state_store), reader.files);
    reader.take(state_store, 10);
    assert_eq!(reader.files, BTreeSet::new());
    assert_eq!(consumed(state_store), BTreeSet::new());
}

fn consumed(state_store: &StateStore) -> BTreeSet<i64> {
    let files = state_store.consumed_files(CONSUMER, &tenant(SLUG)).expect("they are read");
    files.iter().map(|file| file.id).collect()
}

#[test]
fn files_can_be_deleted_once_their_events_were_taken() {
    let (_folder, stores) = opened();
    let state_store = stores.state_store();
    publish(state_store, 1);
    let mut reader = Reader::begin(state_store);
    reader.take(state_store, 10);
    let ids: Vec<i64> = live(state_store).into_iter().collect();
    replace(state_store, &ids, "merged").expect("it is replaced");
    let deletable = |minutes| {
        let until = arrival() + TimeDelta::minutes(minutes);
        state_store.retired_files(until).expect("they are read").len()
    };
    assert_eq!(deletable(1000), 0);
    let events = Reader::waiting(state_store, 10);
    let later = arrival() + TimeDelta::minutes(7);
    let consumer = (CONSUMER, &tenant(SLUG));
    let before = ConsumerProgress { version: Some(5), ..reader.progress };
    let moved = state_store.advance(consumer, (before, Some(6)), &events, later);
    assert!(!moved.expect("it reads"), "another node has gone on");
    assert_eq!(deletable(1000), 0);
    let moved = state_store.advance(consumer, (reader.progress, Some(1)), &events, later);
    assert!(moved.expect("it is noted"));
    assert_eq!(deletable(6), 0, "readers have seen it until then");
    assert_eq!(deletable(7), 1);
}

#[test]
fn a_consumer_can_begin_once_more_and_end() {
    let (_folder, stores) = opened();
    let state_store = stores.state_store();
    publish(state_store, 1);
    let mut first = Reader::begin(state_store);
    first.take(state_store, 10);
    publish(state_store, 2);
    let mut second = Reader::begin(state_store);
    assert_ne!(first.progress.id, second.progress.id);
    let progress = state_store.progress(CONSUMER, &tenant(SLUG)).expect("it reads");
    assert_eq!(progress, Some(second.progress));
    assert_eq!(second.take(state_store, 10), 2, "all live files, each once");
    let moved =
        state_store.advance((CONSUMER, &tenant(SLUG)), (first.progress, Some(9)), &[], arrival());
    assert!(!moved.expect("it reads"), "the first beginning is over");

    assert_eq!(state_store.consumed_tenants(CONSUMER).expect("they are read"), [tenant(SLUG)]);
    publish(state_store, 3);
    state_store.end(CONSUMER).expect("it ends");
    assert_eq!(state_store.consumed_tenants(CONSUMER).expect("they are read"), []);
    assert_eq!(state_store.waiting_events(CONSUMER).expect("it counts"), 0);
    publish(state_store, 4);
    assert_eq!(state_store.waiting_events(CONSUMER).expect("it counts"), 0);
}

/// Batches are published and merged while a consumer begins, reads a few events at a time and begins again.
#[test]
fn no_change_is_skipped_while_others_write() {
    let (_folder, stores) = opened();
    let state_store = stores.state_store();
    let is_done = AtomicBool::new(false);
    let mut reader = thread::scope(|scope| {
        let writers = [0_u128, 1, 2].map(|writer| {
            scope.spawn(move || {
                for number in 0..40 {
                    publish(state_store, 1000 * writer + number);
                }
            })
        });
        let is_done = &is_done;
        let merging = scope.spawn(move || {
            let mut merged = 0;
            while !is_done.load(Ordering::Relaxed) {
                let fresh: Vec<i64> = state_store
                    .live_files(&tenant(SLUG), &(NaiveDate::MIN..=NaiveDate::MAX))
                    .expect("they are read")
                    .iter()
                    .filter(|file| file.file.day.is_none())
                    .map(|file| file.id)
                    .collect();
                if !fresh.is_empty() {
                    replace(state_store, &fresh, &merged.to_string()).expect("it is replaced");
                    merged += 1;
                }
            }
        });
        let reading = scope.spawn(move || {
            let mut reader = Reader::begin(state_store);
            let mut taken = 0;
            while !is_done.load(Ordering::Relaxed) {
                taken += reader.take(state_store, 7);
                if taken > 60 {
                    reader = Reader::begin(state_store);
                    taken = 0;
                }
            }
            reader
        });
        for writer in writers {
            writer.join().expect("it publishes");
        }
        is_done.store(true, Ordering::Relaxed);
        merging.join().expect("it merges");
        reading.join().expect("it reads")
    });
    while reader.take(state_store, 7) > 0 {}
    assert_eq!(reader.files, live(state_store));
}
