//! Manifest, retention, check and maintenance on the embedded stores.

use std::fs;
use std::io::Write as _;
use std::sync::Arc;

use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::data_type::Int64Type;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use tempfile::TempDir;
use tokio::sync::watch;
use visibility_core::store::commit::Sweeper;
use visibility_core::store::digest::Digest;
use visibility_core::store::{
    Ledger as _, NewFile, Publication, PublishOutcome, ResponseBody, StoreErrorKind, StoredObject,
};
use visibility_server::ingest::maintenance::Maintenance;
use visibility_server::settings::Settings;
use visibility_server::stores::Stores;
use visibility_server::stores::check::{CheckReport, Difference, check};
use visibility_server::stores::state::manifest::DataFile;
use visibility_server::telemetry::metrics::Metrics;
use visibility_tests::contract::{arrival, day, publication, row, tenant};
use visibility_tests::database;

const ALWAYS: std::ops::RangeInclusive<NaiveDate> = NaiveDate::MIN..=NaiveDate::MAX;

struct Fixture {
    folder: TempDir,
    stores: Arc<Stores>,
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).expect("it is in memory");
    encoder.finish().expect("it is in memory")
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let stores =
            Arc::new(Stores::open_exclusive(database::location(folder.path())).expect("it opens"));
        Self { folder, stores }
    }

    /// Publishes a batch with the objects that it names.
    fn publish(&self, batch: &mut Publication) {
        if let Some(file) = &mut batch.file {
            file.bytes = self.write_file(&file.name, file.rows);
            file.digest = Some(Digest::of(&parquet(file.rows)));
            self.write_file(file.partial.as_ref().expect("a partial"), 1);
        }
        if let ResponseBody::Object(StoredObject { name, .. }) = &batch.response.body {
            self.write(name, &gzip(b"answer"));
        }
        let published = self.stores.state_store().publish(batch).expect("it publishes");
        assert_eq!(published, PublishOutcome::First);
    }

    fn write_file(&self, name: &str, rows: u64) -> u64 {
        self.write(name, &parquet(rows))
    }

    fn write(&self, name: &str, content: &[u8]) -> u64 {
        let mut writer = self.stores.objects().create(name).expect("it starts");
        writer.write_all(content).expect("it writes");
        writer.finish().expect("it finishes")
    }

    fn live(&self, slug: &str) -> Vec<DataFile> {
        self.stores.state_store().live_files(&tenant(slug), &ALWAYS).expect("it reads")
    }

    fn check(&self) -> CheckReport {
        check(&self.stores, arrival()).expect("it reads")
    }

    fn exists(&self, name: &str) -> bool {
        self.stores.objects().read(name).is_ok()
    }

    fn maintenance(&self, change: impl FnOnce(&mut Settings)) -> Maintenance {
        let mut settings = Settings::default();
        change(&mut settings);
        let metrics = Arc::new(Metrics::default());
        Maintenance::new(Arc::clone(&self.stores), metrics, settings, watch::channel(false).1)
    }
}

fn parquet(rows: u64) -> Vec<u8> {
    let schema = parse_message_type("message m { required int64 n; }").expect("a schema");
    let mut writer =
        SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::default()).expect("it starts");
    let mut group = writer.next_row_group().expect("a row group");
    let mut column = group.next_column().expect("it starts").expect("a column");
    let values: Vec<i64> = (0..i64::try_from(rows).expect("few")).collect();
    column.typed::<Int64Type>().write_batch(&values, None, None).expect("it writes");
    column.close().expect("it closes");
    group.close().expect("it closes");
    writer.into_inner().expect("it finishes")
}

fn object(name: &str) -> ResponseBody {
    ResponseBody::Object(StoredObject { name: name.to_owned(), digest: None })
}

fn day_file(name: &str, rows: u64) -> NewFile {
    NewFile {
        name: name.to_owned(),
        partial: None,
        rows,
        bytes: 10,
        min_timestamp_micros: arrival().timestamp_micros(),
        max_timestamp_micros: arrival().timestamp_micros(),
        day: Some(day()),
        ..NewFile::default()
    }
}

#[test]
fn files_are_replaced_in_one_step() {
    let fixture = Fixture::new();
    fixture.publish(&mut publication("acme", 1, vec![row("a.example", 2)]));
    fixture.publish(&mut publication("acme", 2, vec![row("a.example", 3)]));
    let old: Vec<i64> = fixture.live("acme").iter().map(|file| file.id).collect();
    let merged = NewFile {
        bytes: fixture.write_file("tenant=acme/day=2026-09-21/3.parquet", 5),
        ..day_file("tenant=acme/day=2026-09-21/3.parquet", 5)
    };
    let state_store = fixture.stores.state_store();
    state_store
        .replace(&tenant("acme"), &old, std::slice::from_ref(&merged), arrival())
        .expect("done");
    let live = fixture.live("acme");
    assert_eq!(live.iter().map(|file| file.file.clone()).collect::<Vec<_>>(), [merged]);
    assert_eq!(state_store.tenants_with_files().expect("it reads"), [tenant("acme")]);
    assert!(fixture.check().is_clean(), "{:?}", fixture.check());

    assert_eq!(state_store.retired_files(arrival()).expect("it reads").len(), 2);
    let before = arrival() - TimeDelta::microseconds(1);
    assert_eq!(state_store.retired_files(before).expect("it reads").len(), 0);
    let names = ["tenant=acme/new/1.parquet".to_owned()];
    let unnamed = state_store.unnamed(&names).expect("it reads");
    assert!(unnamed.is_empty(), "readers may still have its name");
}

#[test]
fn a_replacement_that_is_not_right_changes_nothing() {
    let fixture = Fixture::new();
    fixture.publish(&mut publication("acme", 1, vec![row("a.example", 2)]));
    fixture.publish(&mut publication("other", 2, vec![row("a.example", 2)]));
    let mine = fixture.live("acme");
    let yours = fixture.live("other");
    let state_store = fixture.stores.state_store();
    let cases: [(&[i64], u64); 5] = [
        (&[mine[0].id], 3),
        (&[mine[0].id], 1),
        (&[yours[0].id], 2),
        (&[mine[0].id, mine[0].id], 4),
        (&[4711], 0),
    ];
    for (retire, rows) in cases {
        let add = [day_file("tenant=acme/day=2026-09-21/3.parquet", rows)];
        let error =
            state_store.replace(&tenant("acme"), retire, &add, arrival()).expect_err("wrong");
        assert_eq!(error.kind, StoreErrorKind::Unchanged);
        assert_eq!((fixture.live("acme"), fixture.live("other")), (mine.clone(), yours.clone()));
    }
    assert!(state_store.retired_files(arrival()).expect("it reads").is_empty());
}

#[test]
fn files_are_found_by_the_days_of_their_records() {
    let fixture = Fixture::new();
    let mut spanning = publication("acme", 1, vec![row("a.example", 2)]);
    let file = spanning.file.as_mut().expect("a file");
    let midnight = day().and_hms_opt(0, 0, 0).expect("midnight").and_utc().timestamp_micros();
    (file.min_timestamp_micros, file.max_timestamp_micros) = (midnight - 1, midnight);
    fixture.publish(&mut spanning);
    let found = |from: NaiveDate, to: NaiveDate| {
        let files = fixture.stores.state_store().live_files(&tenant("acme"), &(from..=to));
        files.expect("it reads").len()
    };
    let (yesterday, tomorrow) =
        (day().pred_opt().expect("a day"), day().succ_opt().expect("a day"));
    assert_eq!(found(yesterday, yesterday), 1);
    assert_eq!(found(day(), day()), 1);
    assert_eq!(found(tomorrow, tomorrow), 0);
    assert_eq!(
        found(yesterday.pred_opt().expect("a day"), yesterday.pred_opt().expect("a day")),
        0
    );
}

#[test]
fn the_books_stay_straight_while_everything_is_forgotten() {
    let fixture = Fixture::new();
    let mut batch = publication("acme", 1, vec![row("a.example", 2), row("b.example", 3)]);
    batch.response.body = object("answers/tenant=acme/1.json.gz");
    fixture.publish(&mut batch);
    let retention = Settings::default().retention;
    let state_store = fixture.stores.state_store();
    let totals =
        [(90, (0, 0, 0)), (91, (0, 1, 0)), (98, (1, 0, 0)), (800, (0, 0, 2)), (900, (0, 0, 0))];
    for (days, expected) in totals {
        let now = arrival() + TimeDelta::days(days);
        let forgotten = state_store.apply_retention(&retention, now).expect("it forgets");
        assert_eq!((forgotten.batches, forgotten.files, forgotten.rollups), expected, "{days}");
        let report = fixture.check();
        assert!(report.is_clean(), "after {days} days: {report:?}");
        let books = report.tenants[&tenant("acme")];
        assert_eq!((books.ledger, books.files, books.rollups), (5, 5, 5), "after {days} days");
    }
    assert!(fixture.live("acme").is_empty());
    assert_eq!(state_store.rollups(&tenant("acme"), &ALWAYS).expect("it reads"), []);
    fixture.publish(&mut publication("acme", 2, vec![row("c.example", 7)]));
    assert!(fixture.check().is_clean());
}

#[test]
fn a_file_that_spans_days_stays_for_its_last() {
    let fixture = Fixture::new();
    let mut spanning = publication("acme", 1, vec![row("a.example", 2)]);
    let file = spanning.file.as_mut().expect("a file");
    file.min_timestamp_micros -= TimeDelta::days(80).num_seconds() * 1_000_000;
    fixture.publish(&mut spanning);
    let retention = Settings::default().retention;
    let at =
        |days| day().checked_add_days(Days::new(days)).expect("a day").and_time(arrival().time());
    let forget =
        |days| fixture.stores.state_store().apply_retention(&retention, at(days).and_utc());
    assert_eq!(forget(90).expect("it forgets").files, 0);
    assert_eq!(forget(91).expect("it forgets").files, 1);
}

#[test]
fn a_clock_that_has_jumped_makes_nothing_forgotten() {
    let fixture = Fixture::new();
    let mut batch = publication("acme", 1, vec![row("a.example", 2)]);
    fixture.publish(&mut batch);
    let mut maintenance = fixture.maintenance(|_| ());
    fixture.stores.trust_clock(arrival()).expect("it writes");
    let ahead = arrival() + TimeDelta::days(120);
    for now in [ahead, ahead, ahead, arrival(), ahead, arrival()] {
        maintenance.round(now);
        assert!(!fixture.live("acme").is_empty());
        assert!(fixture.stores.state_store().response(&batch.key).expect("it reads").is_some());
    }
}

#[test]
fn objects_go_when_their_file_is_retired_and_the_grace_is_over() {
    let fixture = Fixture::new();
    let mut batch = publication("acme", 1, vec![row("a.example", 2)]);
    batch.response.body = object("answers/tenant=acme/1.json.gz");
    fixture.publish(&mut batch);
    let file = batch.file.expect("a file");
    let mut maintenance = fixture.maintenance(|settings| settings.maintenance.grace = 3600);
    let dropped = arrival() + TimeDelta::days(92);
    maintenance.round(dropped);
    assert!(!fixture.live("acme").is_empty(), "the clock is not believed");
    fixture.stores.trust_clock(dropped).expect("it writes");
    maintenance.round(dropped);
    assert!(fixture.live("acme").is_empty(), "readers do not see it");
    assert!(fixture.exists(&file.name), "readers may still have its name");
    maintenance.round(dropped + TimeDelta::seconds(3599));
    assert!(fixture.exists(&file.name), "readers may still have its name");
    maintenance.round(dropped + TimeDelta::seconds(3600));
    assert!(!fixture.exists(&file.name));
    assert!(!fixture.exists(file.partial.as_ref().expect("a partial")));
    assert!(fixture.exists("answers/tenant=acme/1.json.gz"), "the batch may still be sent again");
    assert!(
        fixture
            .stores
            .state_store()
            .retired_files(DateTime::<Utc>::MAX_UTC)
            .expect("it reads")
            .is_empty()
    );
}

#[test]
fn the_object_of_a_forgotten_answer_is_swept() {
    let fixture = Fixture::new();
    let name = "answers/tenant=acme/1.json.gz";
    let mut batch = publication("acme", 1, vec![row("a.example", 2)]);
    batch.received_at = Utc::now() - TimeDelta::days(98);
    batch.response.body = object(name);
    fixture.publish(&mut batch);
    let stores = &fixture.stores;
    let later = Utc::now() + TimeDelta::days(2);
    let mut sweeper = Sweeper::default();
    for _ in 0..3 {
        sweeper
            .sweep(stores.objects(), stores.state_store(), later, &|_| Ok(true))
            .expect("it sweeps");
    }
    assert!(fixture.exists(name), "the ledger names it");
    stores
        .state_store()
        .apply_retention(&Settings::default().retention, Utc::now())
        .expect("it forgets");
    sweeper.sweep(stores.objects(), stores.state_store(), later, &|_| Ok(true)).expect("it sweeps");
    assert!(fixture.exists(name), "once is not enough");
    sweeper.sweep(stores.objects(), stores.state_store(), later, &|_| Ok(true)).expect("it sweeps");
    assert!(!fixture.exists(name));
}

#[test]
fn a_check_names_what_differs() {
    let fixture = Fixture::new();
    for number in 1..=5 {
        fixture.publish(&mut publication("acme", number, vec![row("a.example", 2)]));
    }
    let mut answered = publication("acme", 6, Vec::new());
    answered.response.body = object("answers/tenant=acme/6.json.gz");
    fixture.publish(&mut answered);
    assert!(fixture.check().is_clean(), "{:?}", fixture.check());

    let objects = fixture.folder.path().join("objects");
    let folder = objects.join("tenant=acme/new");
    let whole = fs::read(folder.join("2.parquet")).expect("it reads");
    fs::remove_file(folder.join("1.parquet")).expect("removed");
    fs::write(folder.join("2.parquet"), &whole[..whole.len() - 1]).expect("cut");
    fs::write(folder.join("3.parquet"), vec![0; whole.len()]).expect("spoiled");
    fs::remove_file(folder.join("4.partial.parquet")).expect("removed");
    fs::remove_file(objects.join("answers/tenant=acme/6.json.gz")).expect("removed");
    database::execute(
        fixture.folder.path(),
        "UPDATE data_file SET rows = 3 WHERE name = 'tenant=acme/new/5.parquet'",
    );

    let report = fixture.check();
    let name = |file: &str| format!("tenant=acme/new/{file}");
    let differences = &report.differences;
    assert_eq!(differences.len(), 7, "{differences:?}");
    assert!(matches!(&differences[0], Difference::Sums { books, .. } if books.files == 11));
    assert!(differences.contains(&Difference::Missing { name: name("1.parquet") }));
    let (expected, found) = (whole.len() as u64, whole.len() as u64 - 1);
    assert!(differences.contains(&Difference::Size { name: name("2.parquet"), expected, found }));
    let spoiled = |difference: &Difference| matches!(difference, Difference::Unreadable { name: file, .. } if *file == name("3.parquet"));
    assert!(differences.iter().any(spoiled));
    assert!(differences.contains(&Difference::Missing { name: name("4.partial.parquet") }));
    let rows = Difference::Rows { name: name("5.parquet"), expected: 3, found: 2 };
    assert!(differences.contains(&rows));
    let answer = "answers/tenant=acme/6.json.gz".to_owned();
    assert!(differences.contains(&Difference::Missing { name: answer }));
}

#[test]
fn a_check_reads_answers_to_their_end() {
    let fixture = Fixture::new();
    let answer = "answers/tenant=acme/1.json.gz".to_owned();
    let mut answered = publication("acme", 1, Vec::new());
    answered.response.body = object(&answer);
    fixture.publish(&mut answered);
    assert!(fixture.check().is_clean(), "{:?}", fixture.check());
    let path = fixture.folder.path().join("objects").join(&answer);
    let whole = fs::read(&path).expect("it reads");
    for spoiled in [&whole[..whole.len() - 1], b"", b"no gzip"] {
        fs::write(&path, spoiled).expect("it is spoiled");
        let differences = fixture.check().differences;
        let [Difference::Unreadable { name, .. }] = differences.as_slice() else {
            panic!("{differences:?}");
        };
        assert_eq!(name, &answer);
    }
}

#[test]
fn an_orphan_is_no_difference() {
    let fixture = Fixture::new();
    fixture.write("tenant=acme/new/1.parquet", b"left behind");
    let now = Utc::now();
    assert!(
        check(&fixture.stores, now).expect("it reads").orphans.is_empty(),
        "it may be published"
    );
    let report = check(&fixture.stores, now + TimeDelta::hours(25)).expect("it reads");
    assert!(report.is_clean());
    assert_eq!(report.orphans, ["tenant=acme/new/1.parquet"]);
}
