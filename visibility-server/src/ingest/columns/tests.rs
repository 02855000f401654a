//! Round trips: records that are written are read back, and all sums are equal.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use visibility_core::agents::Registry;
use visibility_core::ingest::LogRecord;
use visibility_core::store::sums::Sums;
use visibility_core::store::{Counts, ObjectWriter, StoreError, StoreErrorKind};
use visibility_core::traffic::PathKind;

use super::*;

/// An object in memory.
#[derive(Clone, Debug, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    fn writer(&self) -> Box<dyn ObjectWriter> {
        Box::new(self.clone())
    }

    fn bytes(&self) -> Bytes {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone().into()
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ObjectWriter for Memory {
    fn finish(self: Box<Self>) -> Result<u64, StoreError> {
        Ok(self.bytes().len() as u64)
    }
}

/// A disk without room.
struct Full;

impl Write for Full {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ObjectWriter for Full {
    fn finish(self: Box<Self>) -> Result<u64, StoreError> {
        Ok(0)
    }
}

/// The strings of a made-up record.
#[derive(Debug)]
struct Sample {
    timestamp_micros: i64,
    agent_index: u16,
    status_code: u16,
    response_bytes: i64,
    texts: [String; 6],
}

impl Sample {
    fn record(&self) -> LogRecord<'_> {
        let [user_agent, method, path, referrer, host, hash] = &self.texts;
        LogRecord {
            timestamp_micros: self.timestamp_micros,
            agent: &Registry::embedded().agents[usize::from(self.agent_index)],
            agent_index: self.agent_index,
            user_agent,
            request_method: method,
            request_path: path,
            status_code: self.status_code,
            response_bytes: self.response_bytes,
            referrer,
            host,
            client_ip_hash: hash,
        }
    }
}

/// Records of all kinds from a seed: few and many different values, empty, long and not ASCII.
fn samples(seed: u64, count: usize) -> Vec<Sample> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut below = |limit: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % limit
    };
    let mut sample = || {
        let paths = 1 + below(500);
        let query = if below(3) == 0 { format!("?page={}", below(9)) } else { String::new() };
        let long = if below(200) == 0 { "ü".repeat(4000) } else { String::new() };
        Sample {
            timestamp_micros: 1_700_000_000_000_000
                + i64::try_from(below(300_000_000_000)).unwrap(),
            agent_index: u16::try_from(below(5)).unwrap(),
            status_code: u16::try_from(100 + below(500)).unwrap(),
            response_bytes: if below(100) == 0 {
                i64::MAX
            } else {
                i64::try_from(below(9)).unwrap()
            },
            texts: [
                format!("Agent/{}", below(30)),
                ["GET", "HEAD", "PROPFIND"][usize::try_from(below(3)).unwrap()].to_owned(),
                format!("/p{}{long}{query}", below(paths)),
                if below(5) == 0 {
                    format!("https://r{}.example/", below(50))
                } else {
                    String::new()
                },
                format!("h{}.example", below(4)),
                format!("sha256:{:016}", below(10_000)),
            ],
        }
    };
    (0..count).map(|_| sample()).collect()
}

fn record_file(samples: &[Sample]) -> (RecordFile, Bytes) {
    let memory = Memory::default();
    let mut writer = RecordFileWriter::new(memory.writer()).unwrap();
    for sample in samples {
        writer.push(&sample.record()).unwrap();
    }
    (writer.finish().unwrap(), memory.bytes())
}

fn partial_file(samples: &[Sample]) -> (PartialFile, Bytes) {
    let memory = Memory::default();
    let mut writer = PartialWriter::new(memory.writer()).unwrap();
    for sample in samples {
        writer.push(&sample.record()).unwrap();
    }
    (writer.finish().unwrap().0, memory.bytes())
}

fn sums(samples: &[Sample]) -> Sums {
    let mut writer = PartialWriter::new(Memory::default().writer()).unwrap();
    for sample in samples {
        writer.push(&sample.record()).unwrap();
    }
    writer.finish().unwrap().1
}

/// Reads a whole file and counts its rows; hands over each.
fn read_records(
    file: Bytes,
    rows: u64,
    mut take: impl FnMut(StoredRecord<'_>),
) -> Result<(), StoreError> {
    let mut reader = RecordFileReader::open(file, rows)?;
    let mut some = RecordRows::default();
    while reader.read(&mut some)? {
        some.iter().for_each(&mut take);
    }
    Ok(())
}

type PartialSums = BTreeMap<(String, i32, String, String, u8), (u64, u64)>;

fn read_partials(file: Bytes) -> Result<PartialSums, StoreError> {
    let mut sums = PartialSums::new();
    let mut last = None;
    PartialMerge::new(partial_runs(file)?)?.for_each(|row| {
        let key = (
            row.path.to_owned(),
            row.day,
            row.host.to_owned(),
            row.agent.to_owned(),
            row.status_class,
        );
        assert!(last.as_ref() < Some(&key), "sorted, and every group once");
        last = Some(key.clone());
        sums.insert(key, (row.records, row.bytes));
        Ok(())
    })?;
    Ok(sums)
}

fn expected_partials(samples: &[Sample]) -> PartialSums {
    let mut sums = PartialSums::new();
    for sample in samples {
        let record = sample.record();
        let path = record.request_path.split('?').next().unwrap().to_owned();
        let key = (
            path,
            day_number(record.timestamp_micros),
            record.host.to_owned(),
            record.agent.id.clone(),
            u8::try_from(record.status_code / 100).unwrap(),
        );
        let (records, bytes) = sums.entry(key).or_default();
        *records += 1;
        *bytes = bytes.saturating_add(record.response_bytes.unsigned_abs()).min(i64::MAX as u64);
    }
    sums
}

#[test]
fn what_is_written_is_what_is_read() {
    for (seed, count) in [(1, 0), (2, 1), (3, 1023), (4, 1024), (5, 1025), (6, 5000)] {
        let samples = samples(seed, count);
        let (file, bytes) = record_file(&samples);
        assert_eq!((file.rows, file.bytes), (count as u64, bytes.len() as u64));
        let mut expected = samples.iter().map(Sample::record);
        read_records(bytes, file.rows, |row| {
            assert_eq!(row, StoredRecord::from(&expected.next().unwrap()));
        })
        .unwrap();
        assert!(expected.next().is_none());
        let times = || samples.iter().map(|sample| sample.timestamp_micros);
        assert_eq!(file.min_timestamp_micros, times().min().unwrap_or_default());
        assert_eq!(file.max_timestamp_micros, times().max().unwrap_or_default());
    }
}

#[test]
fn long_paths_make_more_row_groups_and_not_more_memory() {
    let mut samples = samples(7, 4000);
    for (number, sample) in samples.iter_mut().enumerate() {
        sample.texts[2] = format!("/{number:08190}");
    }
    let (file, bytes) = record_file(&samples);
    let reader = decode::open(bytes.clone(), &schema::records().unwrap()).unwrap();
    assert_eq!(parquet::file::reader::FileReader::num_row_groups(&reader), 2);
    read_records(bytes, file.rows, |row| assert_eq!(row.request_path.len(), 8191)).unwrap();
}

#[test]
fn partial_counts_add_up_to_the_records() {
    for (seed, count) in [(11, 0), (12, 1), (13, 3000), (14, 20_000)] {
        let samples = samples(seed, count);
        let (_, bytes) = partial_file(&samples);
        let sums = read_partials(bytes).unwrap();
        assert_eq!(sums.values().map(|(records, _)| records).sum::<u64>(), count as u64);
        assert_eq!(sums, expected_partials(&samples));
    }
}

#[test]
fn runs_of_one_file_are_merged_as_those_of_many() {
    let mut samples = samples(21, 9000);
    // More bytes of different paths than one run may hold, and each path in two runs.
    for (number, sample) in samples.iter_mut().enumerate() {
        sample.texts[2] = format!("/{:08000}", number % 4500);
    }
    let (_, bytes) = partial_file(&samples);
    assert!(partial_runs(bytes.clone()).unwrap().len() > 1);
    assert_eq!(read_partials(bytes).unwrap(), expected_partials(&samples));
}

#[test]
fn rollups_add_up_to_the_records() {
    let samples = samples(31, 20_000);
    let mut expected: BTreeMap<_, (u64, u64)> = BTreeMap::new();
    for sample in &samples {
        let record = sample.record();
        let day = date(day_number(record.timestamp_micros));
        let key = (day, record.agent.id.clone(), record.host.to_owned(), record.status_code);
        let (records, bytes) = expected.entry(key).or_default();
        *records += 1;
        *bytes = bytes.saturating_add(record.response_bytes.unsigned_abs());
    }
    let rows = sums(&samples).rollups;
    assert!(rows.is_sorted());
    let counted: BTreeMap<_, _> = rows
        .into_iter()
        .map(|row| ((row.day, row.agent, row.host, row.status), (row.records, row.bytes)))
        .collect();
    assert_eq!(counted, expected);
}

#[test]
fn sums_are_those_of_each_record_alone() {
    let mut of_many_runs = samples(52, 9000);
    for (number, sample) in of_many_runs.iter_mut().enumerate() {
        sample.texts[2] = format!("/{:08000}/{}.css?a=b", number % 4500, number % 7);
    }
    for samples in [samples(51, 20_000), of_many_runs] {
        let mut expected = SumsBuilder::default();
        for sample in &samples {
            let record = sample.record();
            let path = record.request_path;
            let path = path.split_once('?').map_or(path, |(path, _)| path);
            expected.push(&StoredRecord::from(&record), PathKind::of(path));
        }
        let expected = expected.finish();
        assert_eq!(sums(&samples), expected);
        let accepted = samples.len() as u64;
        let counts = Counts { received: accepted, accepted, rejected: 0 };
        assert_eq!(expected.check(counts), Ok(()));
    }
}

#[test]
fn a_bounded_number_of_hosts_has_rows_the_same_in_all_lists() {
    let mut samples = samples(41, 20_000);
    for (number, sample) in samples.iter_mut().enumerate() {
        sample.texts[4] = format!("{number}.example");
    }
    let sums = sums(&samples);
    let hosts: BTreeSet<&str> = sums.rollups.iter().map(|row| row.host.as_str()).collect();
    assert_eq!(hosts.len(), 10_001);
    assert!(hosts.contains("(other)"));
    assert_eq!(sums.kinds.iter().map(|row| row.host.as_str()).collect::<BTreeSet<_>>(), hosts);
    assert_eq!(sums.hours.iter().map(|row| row.host.as_str()).collect::<BTreeSet<_>>(), hosts);
    assert_eq!(sums.seen.iter().map(|row| row.host.as_str()).collect::<BTreeSet<_>>(), hosts);
    let counts = Counts { received: 20_000, accepted: 20_000, rejected: 0 };
    assert_eq!(sums.check(counts), Ok(()));
}

#[test]
fn a_record_counts_for_the_day_and_the_hour_of_its_time() {
    let mut samples = samples(42, 2);
    for (sample, micros) in samples.iter_mut().zip([1_763_942_399_999_000, 1_763_942_400_000_000]) {
        sample.timestamp_micros = micros;
    }
    let sums = sums(&samples);
    let mut days: Vec<String> = sums.kinds.iter().map(|row| row.day.to_string()).collect();
    days.sort();
    assert_eq!(days, ["2025-11-23", "2025-11-24"]);
    let hours: Vec<i32> = sums.hours.iter().map(|row| row.hour).collect();
    assert_eq!(hours, [489_983, 489_984]);
}

#[test]
fn days_have_their_dates() {
    for (micros, day) in [
        (0, "1970-01-01"),
        (-1, "1969-12-31"),
        (86_399_999_999, "1970-01-01"),
        (86_400_000_000, "1970-01-02"),
        (1_764_000_000_000_000, "2025-11-24"),
    ] {
        assert_eq!(date(day_number(micros)).to_string(), day, "{micros}");
    }
    assert!(date(day_number(i64::MAX)) > date(day_number(0)));
    assert!(date(day_number(i64::MIN)) < date(day_number(0)));
}

#[test]
fn a_full_disk_is_reported_as_such() {
    let records = RecordFileWriter::new(Box::new(Full)).and_then(RecordFileWriter::finish);
    assert_eq!(records.unwrap_err().kind, StoreErrorKind::Full);
    let partials = PartialWriter::new(Box::new(Full)).and_then(PartialWriter::finish);
    assert_eq!(partials.unwrap_err().kind, StoreErrorKind::Full);
}

#[test]
fn a_file_with_other_columns_or_rows_is_refused() {
    let samples = samples(51, 100);
    let (file, records) = record_file(&samples);
    let (_, partials) = partial_file(&samples);
    for rows in [0, file.rows - 1, file.rows + 1, u64::MAX] {
        assert!(read_records(records.clone(), rows, |_| ()).is_err(), "{rows}");
    }
    assert!(read_records(partials, file.rows, |_| ()).is_err());
    assert!(partial_runs(records).is_err());
    for bytes in [&b""[..], b"PAR1", b"PAR1PAR1", &[0; 4096]] {
        assert!(read_records(Bytes::new(), 0, |_| ()).is_err());
        assert!(read_records(Bytes::copy_from_slice(bytes), 1, |_| ()).is_err());
        assert!(partial_runs(Bytes::copy_from_slice(bytes)).is_err());
    }
}

#[test]
fn corrupt_files_give_errors_or_rows_and_never_a_panic() {
    let samples = samples(61, 300);
    let (file, records) = record_file(&samples);
    let (_, partials) = partial_file(&samples);
    // What the decoder says of its own panics is of no interest here.
    std::panic::set_hook(Box::new(|_| ()));
    let mut errors = 0;
    for (number, place) in (0..records.len()).step_by(37).enumerate() {
        let mut broken = records.to_vec();
        broken[place] ^= 1 << (number % 8);
        errors += usize::from(read_records(broken.into(), file.rows, |_| ()).is_err());
        let cut = records.slice(..place);
        assert!(read_records(cut, file.rows, |_| ()).is_err(), "{place}");
    }
    for (number, place) in (0..partials.len()).step_by(17).enumerate() {
        let mut broken = partials.to_vec();
        broken[place] ^= 1 << (number % 8);
        errors += usize::from(partial_runs(Bytes::from(broken)).and_then(sum).is_err());
        assert!(partial_runs(partials.slice(..place)).is_err(), "{place}");
    }
    let _ = std::panic::take_hook();
    assert!(errors > 100, "{errors}");
}

fn sum(runs: Vec<PartialRun<Bytes>>) -> Result<u64, StoreError> {
    let mut records = 0_u64;
    PartialMerge::new(runs)?.for_each(|row| {
        records = records.saturating_add(row.records);
        Ok(())
    })?;
    Ok(records)
}
