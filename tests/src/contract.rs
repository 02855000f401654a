//! What every implementation of the stores has to keep.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::time::SystemTime;

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;
use visibility_core::accounts::tenant::{BatchKey, TenantSlug};
use visibility_core::limits;
use visibility_core::store::Counts;
use visibility_core::store::digest::Digest;
use visibility_core::store::sums::{
    HourRow, KindDayRow, OTHER_HOST, RejectionRow, RollupRow, SeenRow, Sums, status_group,
};
use visibility_core::store::{
    Ledger, NewFile, Objects, Publication, PublishOutcome, ResponseBody, StoreErrorKind,
    StoredObject, StoredResponse,
};
use visibility_core::traffic::{PathKind, ResponseClass};
use visibility_server::stores::ObjectFiles;

use crate::wait::until_blocking;

/// A tenant.
pub fn tenant(slug: &str) -> TenantSlug {
    slug.parse().expect("a slug")
}

/// The time at which the batches of [`publication`] arrive.
pub fn arrival() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).expect("a time")
}

/// The day of [`arrival`].
pub fn day() -> NaiveDate {
    arrival().date_naive()
}

/// Counts of records for one host.
pub fn row(host: &str, records: u64) -> RollupRow {
    RollupRow {
        day: day(),
        agent: "gptbot".to_owned(),
        host: host.to_owned(),
        status: 200,
        records,
        bytes: 100 * records,
    }
}

/// All sums of the records of some rollups, which read pages in the first second of their day, and of some lines that were
/// rejected on a day.
pub fn sums_of(rollups: Vec<RollupRow>, day: NaiveDate, rejected: u64) -> Sums {
    let mut rows = Sums::default();
    if rejected > 0 {
        let reason = "invalid_field".to_owned();
        rows.rejections.push(RejectionRow { day, reason, records: rejected });
    }
    for RollupRow { day, agent, host, status, records, bytes } in &rollups {
        let of_class = |class| if ResponseClass::of(*status) == class { *records } else { 0 };
        let days = day.to_epoch_days();
        let micros = i64::from(days) * 86_400_000_000;
        let (agent, host) = (agent.clone(), host.clone());
        rows.kinds.push(KindDayRow {
            day: *day,
            agent: agent.clone(),
            host: host.clone(),
            kind: PathKind::Page,
            status_group: status_group(*status),
            records: *records,
            bytes: *bytes,
        });
        rows.hours.push(HourRow {
            hour: days * 24,
            agent: agent.clone(),
            host: host.clone(),
            records: *records,
            refused: of_class(ResponseClass::Refused),
            missing: of_class(ResponseClass::Missing),
            failed: of_class(ResponseClass::Failed),
        });
        rows.seen.push(SeenRow { agent, host, first_micros: micros, last_micros: micros });
    }
    rows.rollups = rollups;
    let mut sums = Sums::default();
    sums.add(&rows);
    sums
}

/// A batch with one rejection and these counts; its file is named after its number.
pub fn publication(slug: &str, number: u128, rollups: Vec<RollupRow>) -> Publication {
    let tenant = tenant(slug);
    let accepted = rollups.iter().map(|row| row.records).sum();
    let micros = arrival().timestamp_micros();
    let file = NewFile {
        name: format!("tenant={tenant}/new/{number}.parquet"),
        partial: Some(format!("tenant={tenant}/new/{number}.partial.parquet")),
        rows: accepted,
        bytes: 1234,
        min_timestamp_micros: micros - 1_000_000,
        max_timestamp_micros: micros,
        digest: Some(Digest::of(b"records")),
        ..NewFile::default()
    };
    Publication {
        key: BatchKey { tenant, batch_id: Uuid::from_u128(number) },
        received_at: arrival(),
        response: StoredResponse {
            counts: Counts { received: accepted + 1, accepted, rejected: 1 },
            body: ResponseBody::Inline(format!("answer {number}").into_bytes()),
        },
        file: (accepted > 0).then_some(file),
        sums: sums_of(rollups, day(), 1),
    }
}

/// The rules of a [`Ledger`], on an empty one. `sums` reads all sums of a tenant.
pub fn check_ledger(ledger: &dyn Ledger, sums: &dyn Fn(&TenantSlug) -> Sums) {
    a_batch_is_published_once(ledger, sums);
    an_id_counts_within_its_tenant(ledger);
    an_answer_may_be_an_object(ledger);
    a_batch_without_records_has_no_file(ledger);
    sums_that_differ_are_refused(ledger);
    bytes_stop_at_the_highest_number(ledger, sums);
    hosts_beyond_the_limit_are_added_up(ledger, sums);
}

fn a_batch_is_published_once(ledger: &dyn Ledger, sums: &dyn Fn(&TenantSlug) -> Sums) {
    let first = publication("once", 1, vec![row("a.example", 2), row("b.example", 3)]);
    assert_eq!(ledger.response(&first.key).expect("it reads"), None);
    assert_eq!(ledger.publish(&first).expect("it publishes"), PublishOutcome::First);
    assert_eq!(ledger.response(&first.key).expect("it reads"), Some(first.response.clone()));

    let mut second = publication("once", 2, vec![row("c.example", 70)]);
    second.key = first.key.clone();
    let published = ledger.publish(&second).expect("it publishes");
    assert_eq!(published, PublishOutcome::Before(first.response.clone()));
    assert_eq!(ledger.response(&first.key).expect("it reads"), Some(first.response));
    assert_eq!(sums(&first.key.tenant), first.sums, "the second copy changed nothing");
    let file = first.file.expect("a file");
    let second = second.file.expect("a file").name;
    let names = [file.name, file.partial.expect("a partial"), second.clone()];
    assert_eq!(ledger.unnamed(&names).expect("it reads"), BTreeSet::from([second]));

    let more = publication("once", 3, vec![row("a.example", 5)]);
    assert_eq!(ledger.publish(&more).expect("it publishes"), PublishOutcome::First);
    let rows = vec![row("a.example", 7), row("b.example", 3)];
    assert_eq!(sums(&more.key.tenant), sums_of(rows, day(), 2));
}

fn an_id_counts_within_its_tenant(ledger: &dyn Ledger) {
    for slug in ["mine", "yours"] {
        let mut copy = publication(slug, 10, vec![row("a.example", 1)]);
        copy.response.body = ResponseBody::Inline(slug.as_bytes().to_vec());
        assert_eq!(ledger.publish(&copy).expect("it publishes"), PublishOutcome::First);
        assert_eq!(ledger.response(&copy.key).expect("it reads"), Some(copy.response));
    }
}

fn an_answer_may_be_an_object(ledger: &dyn Ledger) {
    let mut batch = publication("large", 20, vec![row("a.example", 1)]);
    let name = "answers/tenant=large/20.json.gz";
    batch.response.body = ResponseBody::Object(StoredObject {
        name: name.to_owned(),
        digest: Some(Digest::of(b"answer")),
    });
    assert_eq!(ledger.publish(&batch).expect("it publishes"), PublishOutcome::First);
    assert_eq!(ledger.response(&batch.key).expect("it reads"), Some(batch.response));
    let others: Vec<String> = (0..40).map(|number| format!("answers/{number}")).collect();
    let names = [vec![name.to_owned()], others.clone()].concat();
    assert_eq!(ledger.unnamed(&names).expect("it reads"), others.into_iter().collect());
}

fn a_batch_without_records_has_no_file(ledger: &dyn Ledger) {
    let batch = publication("empty", 30, Vec::new());
    assert_eq!(ledger.publish(&batch).expect("it publishes"), PublishOutcome::First);
    assert_eq!(ledger.response(&batch.key).expect("it reads"), Some(batch.response));
    let names: Vec<String> = batch.file.into_iter().map(|file| file.name).collect();
    assert_eq!(ledger.unnamed(&names).expect("it reads").len(), names.len());
}

fn sums_that_differ_are_refused(ledger: &dyn Ledger) {
    let mut batch = publication("sums", 40, vec![row("a.example", 2)]);
    batch.sums.rollups.push(row("b.example", 1));
    let error = ledger.publish(&batch).expect_err("the sums differ");
    assert_eq!(error.kind, StoreErrorKind::Unchanged);
    assert_eq!(ledger.response(&batch.key).expect("it reads"), None);
}

fn bytes_stop_at_the_highest_number(ledger: &dyn Ledger, sums: &dyn Fn(&TenantSlug) -> Sums) {
    let most = i64::MAX.unsigned_abs();
    for (number, bytes) in [(50, most - 1), (51, 7), (52, u64::MAX)] {
        let huge = RollupRow { bytes, ..row("a.example", 1) };
        let batch = publication("bytes", number, vec![huge]);
        assert_eq!(ledger.publish(&batch).expect("it publishes"), PublishOutcome::First);
    }
    let sums = sums(&tenant("bytes"));
    assert_eq!(sums.rollups, [RollupRow { bytes: most, ..row("a.example", 3) }]);
    assert_eq!(sums.kinds.iter().map(|row| row.bytes).collect::<Vec<_>>(), [most]);
}

fn hosts_beyond_the_limit_are_added_up(ledger: &dyn Ledger, sums: &dyn Fn(&TenantSlug) -> Sums) {
    let many: Vec<RollupRow> = (0..limits::MAX_ROLLUP_HOSTS)
        .map(|number| row(&format!("h{number:04}.example"), 1))
        .collect();
    let full = publication("hosts", 60, many);
    assert_eq!(ledger.publish(&full).expect("it publishes"), PublishOutcome::First);
    let next = vec![row("h0001.example", 4), row("y.example", 1), row("z.example", 2)];
    let more = publication("hosts", 61, next);
    assert_eq!(ledger.publish(&more).expect("it publishes"), PublishOutcome::First);
    let sums = sums(&more.key.tenant);
    assert_eq!(sums.rollups.len(), limits::MAX_ROLLUP_HOSTS + 1);
    assert!(sums.rollups.contains(&row("h0001.example", 5)));
    assert!(sums.rollups.contains(&row(OTHER_HOST, 3)));
    // The same hosts in all lists, with the same numbers.
    assert_eq!(sums, sums_of(sums.rollups.clone(), day(), 2));
}

/// The rules of [`ObjectFiles`], on an empty store.
///
/// # Panics
///
/// When one is broken.
pub fn check_object_files(objects: &dyn ObjectFiles) {
    let name = "tenant=a/new/1.parquet";
    for missing in [objects.open(name).err(), objects.read_range(name, 0..1).err()] {
        missing.expect("there is none");
    }
    assert!(!objects.exists(name).expect("it looks"));
    let all = content(9 * 1024 * 1024);
    let mut writer = objects.create(name).expect("it starts");
    writer.write_all(&all).expect("it writes");
    writer.finish().expect("it finishes");
    assert!(objects.exists(name).expect("it looks"));
    let mut read = Vec::new();
    objects.open(name).expect("it opens").read_to_end(&mut read).expect("it reads");
    assert!(read == all);
    let empty = "tenant=a/new/2.parquet";
    objects.create(empty).expect("it starts").finish().expect("it finishes");
    assert_eq!(objects.open(empty).expect("it opens").read_to_end(&mut read).expect("it reads"), 0);
    objects.discard(&[empty.to_owned(), "tenant=a/new/3.parquet".to_owned()]);
    until_blocking("it is removed", || !objects.exists(empty).expect("it looks"));
    let size = all.len() as u64;
    let end = objects.read_range(name, size - 3..size).expect("it reads");
    assert_eq!(Some(end.as_slice()), all.last_chunk::<3>().map(<[u8; 3]>::as_slice));
    objects.read_range(name, size - 3..size + 1).expect_err("it ends before");
    assert!(objects.address(name).expect("an address").ends_with(name));
    objects.delete(name).expect("it is removed");

    let version = "tenant=a/_delta_log/00000000000000000000.json";
    assert_eq!(objects.list_all_below("tenant=a/_delta_log").expect("it lists"), []);
    assert!(objects.create_mark(version, b"version").expect("it writes"));
    assert!(!objects.create_mark(version, b"another").expect("there is one"));
    let log = objects.list_all_below("tenant=a/_delta_log").expect("it lists");
    assert_eq!(log.iter().map(|mark| mark.name.as_str()).collect::<Vec<_>>(), [version]);
    assert_eq!(objects.list_all().expect("it lists"), [], "a log is no object");
    objects.remove_mark(version).expect("it is removed");

    let mark = format!("node-{}", Uuid::from_u128(1));
    assert_eq!(objects.mark(&mark).expect("it reads"), None);
    assert!(objects.create_mark(&mark, b"first").expect("it writes"));
    assert!(!objects.create_mark(&mark, b"second").expect("there is one"));
    assert_eq!(objects.mark(&mark).expect("it reads").as_deref(), Some(b"first".as_slice()));
    objects.replace_mark(&mark, b"third").expect("it writes");
    assert_eq!(objects.mark(&mark).expect("it reads").as_deref(), Some(b"third".as_slice()));
    assert_eq!(objects.list_all().expect("it lists"), [], "marks are no objects");
    assert_eq!(objects.remove_leftovers(Some(SystemTime::UNIX_EPOCH)).expect("it looks"), 0);
    assert_eq!(objects.remove_leftovers(None).expect("it removes"), 1);
    for _ in 0..2 {
        objects.remove_mark(&mark).expect("it is removed");
        assert_eq!(objects.mark(&mark).expect("it reads"), None);
    }
}

/// The rules of [`Objects`], on an empty store.
pub fn check_objects(objects: &dyn Objects) {
    assert_eq!(objects.list_all().expect("it lists"), []);
    let cases: [(&str, usize); 4] = [
        ("tenant=a/day=2026-01-02/1.parquet", 5),
        // More than two parts of an upload to a bucket.
        ("tenant=a/new/1.parquet", 11 * 1024 * 1024 + 7),
        ("tenant=a/new/2.parquet", 0),
        ("z.json.gz", 1024 * 1024),
    ];
    for (name, bytes) in cases {
        let content = content(bytes);
        let mut writer = objects.create(name).expect("it starts");
        for chunk in content.chunks(10_000) {
            writer.write_all(chunk).expect("it writes");
        }
        let names: Vec<String> = listed(objects);
        assert!(!names.iter().any(|listed| listed == name), "{name} is not finished yet");
        objects.read(name).expect_err("it is not finished yet");
        assert_eq!(writer.finish().expect("it finishes"), bytes as u64);
        assert_eq!(objects.read(name).expect("it reads"), content);
    }
    let all: Vec<(String, u64)> = objects
        .list_all()
        .expect("it lists")
        .into_iter()
        .map(|object| (object.name, object.bytes))
        .collect();
    assert_eq!(all, cases.map(|(name, bytes)| (name.to_owned(), bytes as u64)));

    let mut dropped = objects.create("tenant=a/new/3.parquet").expect("it starts");
    dropped.write_all(&content(6_000_000)).expect("it writes");
    drop(dropped);
    objects.create("tenant=a/new/4.parquet").expect("it starts");
    assert_eq!(objects.list_all().expect("it lists").len(), cases.len());

    // At the latest when it would get its name.
    let second = objects.create(cases[0].0).and_then(|mut writer| {
        writer.write_all(b"other").expect("it writes");
        writer.finish()
    });
    second.expect_err("it exists");
    assert_eq!(objects.read(cases[0].0).expect("it reads"), content(cases[0].1));
    objects.read("tenant=a/new/5.parquet").expect_err("there is none");
    objects.delete("tenant=a/new/5.parquet").expect("it is gone anyway");

    let (name, bytes) = cases[0];
    let moved = format!("trash/2026-01-03/{name}");
    objects.rename(name, &moved).expect("it moves");
    objects.rename(name, &moved).expect("it has moved already");
    objects.read(name).expect_err("it has another name");
    assert_eq!(objects.read(&moved).expect("it reads"), content(bytes));
    assert_eq!(objects.list_all().expect("it lists").len(), cases.len() - 1);
    let trash = objects.list_all_below("trash").expect("it lists");
    assert_eq!(trash.iter().map(|object| &object.name).collect::<Vec<_>>(), [&moved]);
    assert_eq!(objects.list_all_below("set-aside").expect("it lists"), []);
    objects.rename(&moved, name).expect("it moves back");
    assert_eq!(objects.list_all().expect("it lists").len(), cases.len());
    assert_eq!(objects.list_all_below("trash").expect("it lists"), []);
    for (name, _) in cases {
        objects.delete(name).expect("it is removed");
        objects.read(name).expect_err("it is removed");
    }
    assert_eq!(objects.list_all().expect("it lists"), []);
}

fn content(bytes: usize) -> Vec<u8> {
    (0..=250_u8).cycle().take(bytes).collect()
}

fn listed(objects: &dyn Objects) -> Vec<String> {
    objects.list_all().expect("it lists").into_iter().map(|object| object.name).collect()
}
