//! How long the transaction of a batch takes, the wait for the disk included.

#![expect(clippy::expect_used, reason = "a benchmark stops where something fails")]

use chrono::{DateTime, Days, Utc};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use uuid::Uuid;
use visibility_core::accounts::tenant::BatchKey;
use visibility_core::store::sums::{HourRow, KindDayRow, RollupRow, SeenRow, Sums};
use visibility_core::store::{
    Counts, Ledger as _, NewFile, Publication, ResponseBody, StoredResponse,
};
use visibility_core::traffic::PathKind;
use visibility_server::stores::Stores;

/// A batch of these days, 27 agents, 4 hosts and 10 statuses.
fn publication(days: u64) -> Publication {
    let now = Utc::now();
    let tenant = "acme".parse().expect("a slug");
    let row = |number: u64| RollupRow {
        day: now.date_naive() - Days::new(number / 1080),
        agent: format!("agent-{:02}", number % 1080 / 40),
        host: format!("h{}.example", number % 40 / 10),
        status: 200 + u16::try_from(number % 10).unwrap_or(0),
        records: 10,
        bytes: 1000,
    };
    let rollups: Vec<RollupRow> = (0..1080 * days).map(row).collect();
    let accepted = 10 * rollups.len() as u64;
    let micros = now.timestamp_micros();
    let mut rows = Sums { rollups, ..Sums::default() };
    for RollupRow { day, agent, host, status, records, bytes } in rows.rollups.clone() {
        let kind = PathKind::ALL.get(usize::from(status) % 8).copied().unwrap_or(PathKind::Page);
        rows.kinds.push(KindDayRow {
            day,
            agent: agent.clone(),
            host: host.clone(),
            kind,
            status_group: 200,
            records,
            bytes,
        });
        rows.hours.push(HourRow {
            hour: day.to_epoch_days() * 24 + i32::from(status % 24),
            agent: agent.clone(),
            host: host.clone(),
            records,
            refused: 0,
            missing: 0,
            failed: 0,
        });
        rows.seen.push(SeenRow { agent, host, first_micros: micros, last_micros: micros });
    }
    let mut sums = Sums::default();
    sums.add(&rows);
    Publication {
        key: BatchKey { tenant, batch_id: Uuid::now_v7() },
        received_at: DateTime::from_timestamp_micros(micros).unwrap_or_default(),
        response: StoredResponse {
            counts: Counts { received: accepted, accepted, rejected: 0 },
            body: ResponseBody::Inline(vec![b' '; 90]),
        },
        file: Some(NewFile {
            name: format!("tenant=acme/new/{}.parquet", Uuid::now_v7()),
            partial: None,
            rows: accepted,
            bytes: 1,
            min_timestamp_micros: micros,
            max_timestamp_micros: micros,
            ..NewFile::default()
        }),
        sums,
    }
}

fn publish(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let stores = Stores::open_exclusive(folder.path()).expect("it opens");
    let mut group = criterion.benchmark_group("publish");
    group.sample_size(10);
    for (name, days) in [("one day, 1,080 groups", 1), ("90 days, 97,200 groups", 90)] {
        group.bench_function(name, |bencher| {
            bencher.iter_batched(
                || publication(days),
                |publication| stores.state_store().publish(&publication).expect("it publishes"),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, publish);
criterion_main!(benches);
