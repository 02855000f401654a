//! A file of log records to a Parquet file, as the server does it, without HTTP and a ledger.
//!
//! `file-to-parquet IN.ndjson[.gz] OUT.parquet [--now TIME] [--counts OUT.partial.parquet]` judges the
//! records as of a time, keeps those that are accepted, and prints their counts. With `--counts`
//! it also counts them, as the server does for its statistics. It is compared with other engines in
//! `tests/benches/ingest_engines.sh`.

use std::env;
use std::error::Error;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use chrono::{DateTime, Utc};
use visibility_core::ingest::{ContentCoding, LogRecord, RecordSink, Rejection, Rules, read_batch};
use visibility_core::store::Counts;
use visibility_core::store::{ObjectWriter, StoreError};
use visibility_server::ingest::columns::{PartialWriter, RecordFileWriter};

/// What the command line says.
struct Arguments {
    source: String,
    target: String,
    now: DateTime<Utc>,
    counts: Option<String>,
}

/// A file that is written as an object is.
struct PlainFile {
    file: File,
    bytes: u64,
}

/// Takes accepted records.
struct Sink {
    records: RecordFileWriter,
    counts: Option<PartialWriter>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse(env::args().skip(1))?;
    let records = RecordFileWriter::new(PlainFile::create(&arguments.target)?)?;
    let counts = match &arguments.counts {
        Some(path) => Some(PartialWriter::new(PlainFile::create(path)?)?),
        None => None,
    };
    let mut sink = Sink { records, counts };
    let is_gzip = Path::new(&arguments.source).extension().is_some_and(|found| found == "gz");
    let coding = if is_gzip { ContentCoding::Gzip } else { ContentCoding::Identity };
    let source = File::open(&arguments.source)?;
    let read = read_batch(source, coding, &Rules::at(arguments.now), &mut sink)?;
    sink.finish(read)
}

impl Arguments {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        const USAGE: &str =
            "usage: file-to-parquet IN.ndjson[.gz] OUT.parquet [--now TIME] [--counts OUT]";
        let (source, target) = words.next().zip(words.next()).ok_or(USAGE)?;
        let mut arguments = Self { source, target, now: Utc::now(), counts: None };
        while let Some(option) = words.next() {
            let value = words.next().ok_or(USAGE)?;
            match option.as_str() {
                "--now" => arguments.now = value.parse()?,
                "--counts" => arguments.counts = Some(value),
                _ => return Err(USAGE.into()),
            }
        }
        Ok(arguments)
    }
}

impl PlainFile {
    fn create(path: &str) -> io::Result<Box<Self>> {
        Ok(Box::new(Self { file: File::create(path)?, bytes: 0 }))
    }
}

impl Write for PlainFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl ObjectWriter for PlainFile {
    fn finish(self: Box<Self>) -> Result<u64, StoreError> {
        Ok(self.bytes)
    }
}

impl Sink {
    fn finish(self, read: Counts) -> Result<(), Box<dyn Error>> {
        let file = self.records.finish()?;
        let mut said = serde_json::to_value(read)?;
        if let Some(said) = said.as_object_mut() {
            said.insert("bytes".to_owned(), file.bytes.into());
            if let Some(partial) = self.counts {
                let (partial, sums) = partial.finish()?;
                said.insert("rollups".to_owned(), sums.rollups.len().into());
                said.insert("partials".to_owned(), partial.rows.into());
                said.insert("partial_bytes".to_owned(), partial.bytes.into());
            }
        }
        writeln!(io::stdout(), "{said}")?;
        Ok(())
    }
}

impl RecordSink for Sink {
    fn accept(&mut self, record: &LogRecord<'_>) -> Result<(), StoreError> {
        self.records.push(record)?;
        if let Some(partial) = &mut self.counts {
            partial.push(record)?;
        }
        Ok(())
    }

    fn reject(&mut self, _rejection: &Rejection<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}
