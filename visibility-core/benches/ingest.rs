//! Time to validate a gzipped batch, beside the time to inflate it and do nothing: the floor.

#![expect(clippy::unwrap_used, reason = "the batch is our own")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{Read as _, Write as _};

use chrono::{DateTime, TimeDelta, Utc};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use flate2::Compression;
use flate2::write::GzEncoder;
use visibility_core::ingest::{
    ContentCoding, Inflate, LogRecord, RecordSink, Rejection, Rules, read_batch,
};
use visibility_core::store::StoreError;

const RECORDS: u64 = 50_000;
const USER_AGENTS: [&str; 5] = [
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
    "CCBot/2.0 (https://commoncrawl.org/faq/)",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36",
];
const HOSTS: [&str; 3] = ["www.example.com", "shop.example.com", "docs.example.com"];

struct Total(i64);

impl RecordSink for Total {
    fn accept(&mut self, record: &LogRecord<'_>) -> Result<(), StoreError> {
        self.0 += black_box(record).response_bytes;
        Ok(())
    }

    fn reject(&mut self, rejection: &Rejection<'_>) -> Result<(), StoreError> {
        black_box(rejection);
        Ok(())
    }
}

/// Numbers without a pattern that a compressor would find: `SplitMix64`.
fn scatter(number: u64) -> u64 {
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^ (mixed >> 31)
}

fn pick<'t>(texts: &[&'t str], number: u64) -> &'t str {
    let index = usize::try_from(number % texts.len() as u64).unwrap();
    texts.get(index).copied().unwrap_or_default()
}

fn batch(now: DateTime<Utc>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let mut line = String::new();
    for number in 0..RECORDS {
        let random = scatter(number);
        let time = now - TimeDelta::milliseconds(i64::try_from((RECORDS - number) * 100).unwrap());
        let query =
            if random.is_multiple_of(10) { "?variant=5&utm_source=chatgpt.com" } else { "" };
        line.clear();
        writeln!(
            line,
            r#"{{"timestamp":"{}","user_agent":"{}","request_method":"GET","request_path":"/products/summer-jacket-{}{query}","status_code":200,"response_bytes":{},"referrer":"","host":"{}","client_ip_hash":"sha256:{:064x}"}}"#,
            time.format("%Y-%m-%dT%H:%M:%S%.3fZ"),
            pick(&USER_AGENTS, random >> 8),
            random % 20_000,
            random >> 48,
            pick(&HOSTS, random >> 16),
            scatter(random % 4_000),
        )
        .unwrap();
        encoder.write_all(line.as_bytes()).unwrap();
    }
    encoder.finish().unwrap()
}

fn benches(criterion: &mut Criterion) {
    let now = DateTime::from_timestamp(1_795_000_000, 0).unwrap();
    let body = batch(now);
    let mut group = criterion.benchmark_group("ingest");
    group.throughput(Throughput::Elements(RECORDS));
    group.sample_size(20);
    group.bench_function("inflate alone", |bencher| {
        let mut chunk = vec![0; 64 * 1024];
        bencher.iter(|| {
            let mut inflate = Inflate::new(body.as_slice(), ContentCoding::Gzip);
            while inflate.read(&mut chunk).unwrap() > 0 {
                black_box(&chunk);
            }
        });
    });
    group.bench_function("inflate and validate", |bencher| {
        bencher.iter(|| {
            let mut total = Total(0);
            read_batch(body.as_slice(), ContentCoding::Gzip, &Rules::at(now), &mut total).unwrap()
        });
    });
    group.finish();
}

criterion_group!(ingest, benches);
criterion_main!(ingest);
