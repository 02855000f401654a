//! Takes what is judged: rejections are summed up, and kept one by one only for machines.

use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use tempfile::SpooledTempFile;
use visibility_core::ingest::{Counts, LogRecord, RecordSink, Rejection};
use visibility_core::report::batch::Rejections;
use visibility_core::store::StoreError;

use crate::console::output::Output;
use crate::failure::CommandFailure;

/// Octets of rejections that are kept in memory; more go to a file without a name.
const MAX_IN_MEMORY: usize = 1024 * 1024;
/// Octets that are copied at a time.
const CHUNK: usize = 64 * 1024;

/// What was found in a batch.
#[derive(Debug)]
pub(super) struct Findings {
    rejections: Rejections,
    /// The rejections as members of a JSON array: the counts stand before them.
    spool: Option<BufWriter<SpooledTempFile>>,
    is_empty: bool,
}

impl Findings {
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

    /// Writes the answer of the endpoint: its members, in its order.
    pub(super) fn write(self, counts: &Counts, output: &mut Output) -> Result<(), CommandFailure> {
        let Counts { received, accepted, rejected } = counts;
        let head = format!(
            "{{\n  \"received\": {received},\n  \"accepted\": {accepted},\n  \"rejected\": {rejected}"
        );
        output.write_part(head.as_bytes())?;
        if let Some(spool) = self.spool.filter(|_| *rejected > 0) {
            output.write_part(b",\n  \"rejections\": [\n")?;
            let file = spool.into_inner().map_err(io::IntoInnerError::into_error);
            copy(file, output)?;
            output.write_part(b"\n  ]")?;
        }
        output.write_part(b"\n}\n")
    }

    fn spool(&mut self, rejection: &Rejection<'_>) -> io::Result<()> {
        if let Some(spool) = &mut self.spool {
            spool.write_all(if self.is_empty { b"    " } else { b",\n    " })?;
            serde_json::to_writer(spool, rejection)?;
            self.is_empty = false;
        }
        Ok(())
    }
}

impl RecordSink for Findings {
    fn accept(&mut self, _: &LogRecord<'_>) -> Result<(), StoreError> {
        Ok(())
    }

    fn reject(&mut self, rejection: &Rejection<'_>) -> Result<(), StoreError> {
        self.rejections.add(rejection);
        self.spool(rejection)
            .map_err(|error| StoreError::unchanged("rejections could not be kept", error))
    }
}

fn copy(file: io::Result<SpooledTempFile>, output: &mut Output) -> Result<(), CommandFailure> {
    let unreadable = |source| CommandFailure::Read { path: std::env::temp_dir(), source };
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
