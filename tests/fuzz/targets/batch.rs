//! A batch: the same result however it is cut, and every record is counted once.
#![no_main]

use libfuzzer_sys::fuzz_target;
use visibility_core::agents::Registry;
use visibility_core::ingest::{
    BatchReader, ContentCoding, LogRecord, RecordSink, Rejection, Rules, read_batch,
};
use visibility_core::store::StoreError;

#[derive(Debug, Default, PartialEq)]
struct CollectedRecords {
    accepted: u64,
    rejected: Vec<u64>,
    bytes: usize,
}

impl RecordSink for CollectedRecords {
    fn accept(&mut self, record: &LogRecord<'_>) -> Result<(), StoreError> {
        assert!(record.request_path.starts_with('/'));
        assert!((100..=599).contains(&record.status_code) && record.response_bytes >= 0);
        assert!(!record.host.bytes().any(|byte| byte.is_ascii_uppercase()));
        self.accepted += 1;
        self.bytes += record.request_path.len() + record.referrer.len() + record.host.len();
        Ok(())
    }

    fn reject(&mut self, rejection: &Rejection<'_>) -> Result<(), StoreError> {
        assert!(rejection.field.is_none_or(|field| field.len() <= 64));
        assert!(self.rejected.last().is_none_or(|line| *line < rejection.line));
        self.rejected.push(rejection.line);
        Ok(())
    }
}

fn rules() -> Rules {
    let now = "2026-11-20T23:00:00Z".parse().expect("a time");
    let mut rules = Rules::at(now);
    rules.max_raw_bytes = 1024 * 1024;
    rules
}

fuzz_target!(|input: (bool, Vec<u8>, Vec<u8>)| {
    let (is_coded, cuts, body) = input;
    let coding = if is_coded { ContentCoding::Gzip } else { ContentCoding::Identity };
    let mut whole = CollectedRecords::default();
    let result = read_batch(&body[..], coding, &rules(), &mut whole);
    if let Ok(counts) = &result {
        assert_eq!(counts.received, counts.accepted + counts.rejected);
        assert_eq!((counts.accepted, counts.rejected), (whole.accepted, whole.rejected.len() as u64));
    }
    if is_coded {
        return;
    }
    let mut pieces = CollectedRecords::default();
    let mut reader = BatchReader::new(&rules(), Registry::embedded(), &mut pieces);
    let (mut rest, mut cuts) = (&body[..], cuts.iter().cycle());
    let mut fed = Ok(());
    while fed.is_ok() && !rest.is_empty() {
        let cut = cuts.next().map_or(rest.len(), |cut| usize::from(*cut) + 1).min(rest.len());
        let (chunk, more) = rest.split_at(cut);
        fed = reader.feed(chunk);
        rest = more;
    }
    let cut = fed.and_then(|()| reader.finish());
    assert_eq!(format!("{result:?}"), format!("{cut:?}"));
    assert_eq!(whole, pieces);
});
