//! Makes up a log of AI agents: `generate-logs OUT.ndjson [RECORDS] [SEED] [--now TIME]`.
//!
//! Writes `OUT.ndjson`, `OUT.ndjson.gz` (level 6) and `OUT.truth.json`: what a validator must find when
//! it is given the same time. Without arguments it is a batch of full size, 500,000 records.

use std::error::Error;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use chrono::{DateTime, SubsecRound, Utc};
use flate2::Compression;
use flate2::write::GzEncoder;
use visibility_tests::logs::{Bad, LogPlan, write_log};

const USAGE: &str = "usage: generate-logs OUT.ndjson [RECORDS] [SEED] [--now TIME]";

fn main() -> Result<(), Box<dyn Error>> {
    let mut now = Utc::now().trunc_subsecs(0);
    let mut words = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(word) = arguments.next() {
        if word == "--now" {
            now = arguments.next().ok_or(USAGE)?.parse::<DateTime<Utc>>()?;
        } else {
            words.push(word);
        }
    }
    let mut words = words.into_iter();
    let path = PathBuf::from(words.next().ok_or(USAGE)?);
    let records = words.next().map_or(Ok(500_000), |text| text.parse())?;
    let seed = words.next().map_or(Ok(20_261_120), |text| text.parse())?;

    let plan = LogPlan { records, seed, now, bad: Bad::Some };
    let gzip = GzEncoder::new(File::create(path.with_extension("ndjson.gz"))?, Compression::new(6));
    let mut both = Both(BufWriter::new(File::create(&path)?), BufWriter::new(gzip));
    let truth = write_log(&plan, &mut both)?;
    let Both(mut plain, gzip) = both;
    plain.flush()?;
    gzip.into_inner().map_err(io::IntoInnerError::into_error)?.finish()?;
    let file = File::create(path.with_extension("truth.json"))?;
    serde_json::to_writer_pretty(file, &truth)?;
    Ok(())
}

/// Writes the same bytes to two places.
struct Both<A, B>(A, B);

impl<A: Write, B: Write> Write for Both<A, B> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(bytes)?;
        self.1.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()?;
        self.1.flush()
    }
}
