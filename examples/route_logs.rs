//! Routes records of a log: those of AI bots go to standard output, and why the others do not to standard error.
//!
//! `cargo run -p visibility-examples --bin route-logs < records.ndjson > bots.ndjson`
//!
//! A record is one line of JSON with the fields of `docs/ingestion.md`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example shows its result")]

use std::collections::BTreeMap;
use std::error::Error;
use std::io;

use chrono::Utc;
use visibility_core::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    let rules = Rules::at(Utc::now());
    let mut bots = BTreeMap::new();
    for (number, line) in (1..).zip(io::stdin().lines()) {
        let line = line?;
        match validate_record(&line, &rules) {
            Ok(RecordVerdict::Accepted(agent)) => {
                println!("{line}");
                *bots.entry(agent.name).or_insert(0) += 1;
            }
            Ok(RecordVerdict::Rejected { reason, .. }) => {
                eprintln!("line {number}: {}", reason.as_str());
            }
            // A verdict that a later version has.
            Ok(verdict) => eprintln!("line {number}: {verdict:?}"),
            Err(error) => eprintln!("line {number} is no record: {error}"),
        }
    }
    for (bot, records) in bots {
        eprintln!("{bot}: {records}");
    }
    Ok(())
}
