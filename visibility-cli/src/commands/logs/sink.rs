//! Collects the rejections of a batch: a summary for people, every one for machine-readable output.

use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use tempfile::SpooledTempFile;
use visibility_core::ingest::response::{write_head, write_rejection, write_tail};
use visibility_core::ingest::{LogRecord, RecordSink, Rejection};
use visibility_core::report::batch::Rejections;
use visibility_core::store::Counts;
use visibility_core::store::StoreError;

use crate::console::output::Output;
use crate::error::CommandError;

/// Bytes of rejections that are kept in memory; more go to a file without a name.
const MAX_IN_MEMORY: usize = 1024 * 1024;
/// Bytes that are copied at a time.
const CHUNK: usize = 64 * 1024;

/// What was found in a batch.
#[derive(Debug)]
pub(super) struct RejectionCollector {
    rejections: Rejections,
    /// The rejections as members of a JSON array; the counts come before them.
    spool: Option<BufWriter<SpooledTempFile>>,
    is_empty: bool,
}

impl RejectionCollector {
    /// Nothing found yet; keeps rejections one by one, or only their sum.
    pub(super) fn new(keeps_all: bool) -> Self {
        let spool = || BufWriter::with_capacity(CHUNK, SpooledTempFile::new(MAX_IN_MEMORY));
        let spool = keeps_all.then(spool);
        Self { rejections: Rejections::default(), spool, is_empty: true }
    }

    /// The rejections, summed up.
    pub(super) fn rejections(&self) -> &Rejections {
        &self.rejections
    }

    /// Writes the answer of the endpoint, a rejection a line.
    pub(super) fn write(self, counts: Counts, output: &mut Output) -> Result<(), CommandError> {
        let mut part = Vec::new();
        let unwritten = |error| CommandError::internal("cannot write the response", error);
        write_head(&mut part, None, counts).map_err(unwritten)?;
        output.write_part(&part)?;
        if let Some(spool) = self.spool.filter(|_| counts.rejected > 0) {
            copy(spool.into_inner().map_err(io::IntoInnerError::into_error), output)?;
            output.write_part(b"\n")?;
        }
        part.clear();
        write_tail(&mut part, counts).map_err(unwritten)?;
        part.push(b'\n');
        output.write_part(&part)
    }

    fn spool(&mut self, rejection: &Rejection<'_>) -> io::Result<()> {
        if let Some(spool) = &mut self.spool {
            spool.write_all(if self.is_empty { b"\n" } else { b",\n" })?;
            write_rejection(spool, rejection)?;
            self.is_empty = false;
        }
        Ok(())
    }
}

impl RecordSink for RejectionCollector {
    fn accept(&mut self, _: &LogRecord<'_>) -> Result<(), StoreError> {
        Ok(())
    }

    fn reject(&mut self, rejection: &Rejection<'_>) -> Result<(), StoreError> {
        self.rejections.add(rejection);
        self.spool(rejection)
            .map_err(|error| StoreError::unchanged("cannot store the rejections", error))
    }
}

fn copy(file: io::Result<SpooledTempFile>, output: &mut Output) -> Result<(), CommandError> {
    let unreadable = |source| CommandError::Read { path: std::env::temp_dir(), source };
    let mut file = file.map_err(unreadable)?;
    file.rewind().map_err(unreadable)?;
    let mut file = BufReader::with_capacity(CHUNK, file);
    let mut chunk = vec![0; CHUNK];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(count) => output.write_part(chunk.get(..count).unwrap_or_default())?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unreadable(error)),
        }
    }
}
