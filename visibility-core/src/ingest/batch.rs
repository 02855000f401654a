//! Splits a batch into numbered lines within limits.

use std::io::Read;

use chrono::{DateTime, Utc};
use memchr::{memchr, memrchr};

use crate::agents::Registry;
use crate::ingest::judgement::Judge;
use crate::ingest::line::{Container, Line, LineSyntaxError};
use crate::ingest::{BatchError, ContentCoding, Inflate, RecordSink, Rejection, Rules};
use crate::store::Counts;

/// Bytes of one line, its end not counted; a line of a record that is taken has far fewer. Our
/// choice: it bounds what one line can make the reader hold.
const MAX_LINE_BYTES: usize = 32 * 1024 * 1024;
/// Decoded bytes that [`read_batch`] judges at a time.
const CHUNK: usize = 64 * 1024;
/// Bytes of the lines that are looked at together before they are read one by one: a processor has
/// them at hand for both.
const LINES: usize = 16 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads one batch from start to end, from one thread.
///
/// The body may be coded. See [`BatchReader`] for what the sink may make of it.
///
/// # Errors
///
/// As [`BatchReader::feed`] and [`BatchReader::finish`], and when the body cannot be read or decoded.
pub fn read_batch<S: RecordSink + ?Sized>(
    body: impl Read,
    coding: ContentCoding,
    rules: &Rules,
    sink: &mut S,
) -> Result<Counts, BatchError> {
    let mut body = Inflate::new(body, coding);
    let mut reader = BatchReader::new(rules, Registry::embedded(), sink);
    let mut chunk = vec![0; CHUNK];
    loop {
        match body.read(&mut chunk) {
            Ok(0) => return reader.finish(),
            Ok(count) => reader.feed(chunk.get(..count).unwrap_or_default())?,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Takes the decoded bytes of a batch, wherever they are cut, and judges its records.
///
/// The result is the same for every way to cut them. Nothing of a batch may be kept before
/// [`finish`](Self::finish) has said its counts, since the last line can spoil it. A reader that has
/// failed is of no further use.
#[derive(Debug)]
pub struct BatchReader<'a, S> {
    judge: Judge<'a>,
    sink: S,
    rules: Rules,
    bytes: u64,
    lines: u64,
    counts: Counts,
    /// The start of a line whose end has not come.
    carried: Vec<u8>,
    open: Vec<Container>,
}

impl<'a, S: RecordSink> BatchReader<'a, S> {
    /// Starts a batch. The sink may be borrowed.
    pub fn new(rules: &Rules, registry: &'a Registry, sink: S) -> Self {
        Self {
            judge: Judge::new(rules, registry),
            sink,
            rules: rules.clone(),
            bytes: 0,
            lines: 0,
            counts: Counts::default(),
            carried: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Takes the next bytes. Lines that lie within a chunk are not copied.
    ///
    /// # Errors
    ///
    /// As soon as the batch as a whole has to be refused.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), BatchError> {
        let room = self.rules.max_raw_bytes - self.bytes;
        let taken = chunk.len().min(usize::try_from(room).unwrap_or(usize::MAX));
        self.bytes += taken as u64;
        let mut rest = chunk.get(..taken).unwrap_or_default();
        if !self.carried.is_empty()
            && let Some(at) = memchr(b'\n', rest)
            && let Some((line, more)) = rest.split_at_checked(at)
        {
            rest = more.get(1..).unwrap_or_default();
            self.carry(line);
            self.carried_line()?;
        }
        while self.carried.is_empty()
            && let Some((lines, more)) = whole_lines(rest)
        {
            rest = more;
            self.whole_lines(lines)?;
        }
        self.carry(rest);
        if taken < chunk.len() {
            return Err(BatchError::TooManyBytes { limit: self.rules.max_raw_bytes });
        }
        Ok(())
    }

    /// Judges the lines that follow as of another time: a reader that lives for long gets old.
    pub fn set_now(&mut self, now: DateTime<Utc>) {
        self.rules.now = now;
        self.judge.set_time(&self.rules);
    }

    /// What takes the records.
    pub fn sink_mut(&mut self) -> &mut S {
        &mut self.sink
    }

    /// Ends the batch; its last line needs no end.
    ///
    /// # Errors
    ///
    /// When the last line spoils the batch or no record came.
    pub fn finish(mut self) -> Result<Counts, BatchError> {
        self.carried_line()?;
        if self.counts.received == 0 { Err(BatchError::Empty) } else { Ok(self.counts) }
    }

    /// Keeps bytes of a line for later, but not more than tell that it is too long.
    fn carry(&mut self, part: &[u8]) {
        let room = (MAX_LINE_BYTES + 1).saturating_sub(self.carried.len());
        self.carried.extend_from_slice(part.get(..room).unwrap_or(part));
    }

    fn carried_line(&mut self) -> Result<(), BatchError> {
        let mut line = std::mem::take(&mut self.carried);
        let result = self.line(&line, None);
        line.clear();
        self.carried = line;
        result
    }

    /// Judges lines with their line feeds.
    fn whole_lines(&mut self, bytes: &[u8]) -> Result<(), BatchError> {
        let text = std::str::from_utf8(bytes).ok();
        let mut start = 0;
        while let Some(rest) = bytes.get(start..).filter(|rest| !rest.is_empty()) {
            // A batch may have hundreds of millions of them.
            let empty = rest.iter().take_while(|byte| **byte == b'\n').count();
            if empty > 0 {
                self.lines += empty as u64;
                start += empty;
                continue;
            }
            let Some(length) = memchr(b'\n', rest) else { break };
            let end = start + length;
            let line = bytes.get(start..end).unwrap_or_default();
            self.line(line, text.and_then(|text| text.get(start..end)))?;
            start = end + 1;
        }
        Ok(())
    }

    /// Judges a line without its line feed; `text` is the line if it is known to be text.
    fn line(&mut self, bytes: &[u8], text: Option<&str>) -> Result<(), BatchError> {
        self.lines += 1;
        if bytes.len() > MAX_LINE_BYTES {
            let expected = "the end of the line: a line has at most 32 MiB";
            return Err(self.malformed(LineSyntaxError { at: MAX_LINE_BYTES, expected }, 0));
        }
        let line = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let mark = if self.lines == 1 && line.starts_with(BYTE_ORDER_MARK) { 3 } else { 0 };
        let text = text.and_then(|text| text.get(mark..line.len()));
        let line = line.get(mark..).unwrap_or_default();
        if line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
            return Ok(());
        }
        if self.counts.received == self.rules.max_records {
            return Err(BatchError::TooManyRecords { limit: self.rules.max_records });
        }
        let mut record = Line::default();
        let result = match text {
            Some(text) => record.read(text, &mut self.open),
            None => read(&mut record, line, &mut self.open),
        };
        match result {
            Ok(()) => {
                self.counts.received += 1;
                self.record(&record)
            }
            Err(fault) => Err(self.malformed(fault, mark)),
        }
    }

    fn record(&mut self, line: &Line<'_>) -> Result<(), BatchError> {
        let kept = match self.judge.judge(line) {
            Ok(record) => {
                self.counts.accepted += 1;
                self.sink.accept(&record)
            }
            Err(refusal) => {
                self.counts.rejected += 1;
                let rejection =
                    Rejection { line: self.lines, reason: refusal.reason, field: refusal.field };
                self.sink.reject(&rejection)
            }
        };
        kept.map_err(BatchError::Sink)
    }

    fn malformed(&self, fault: LineSyntaxError, before: usize) -> BatchError {
        BatchError::Malformed {
            line: self.lines,
            column: (before + fault.at + 1) as u64,
            expected: fault.expected.to_owned(),
        }
    }
}

/// Lines with their line feeds, one or as many as are looked at together, and what follows
/// them.
fn whole_lines(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let near = bytes.get(..LINES).unwrap_or(bytes);
    let last = memrchr(b'\n', near).or_else(|| memchr(b'\n', bytes))?;
    bytes.split_at_checked(last + 1)
}

/// Reads a line that may not even be text.
fn read<'l>(
    record: &mut Line<'l>,
    line: &'l [u8],
    open: &mut Vec<Container>,
) -> Result<(), LineSyntaxError> {
    let error = match std::str::from_utf8(line) {
        Ok(text) => return record.read(text, open),
        Err(error) => error,
    };
    // The text before the bytes that are not text may be wrong already.
    let at = error.valid_up_to();
    let text = line.get(..at).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default();
    match record.read(text, open) {
        Err(fault) if fault.at < at => Err(fault),
        _ => Err(LineSyntaxError { at, expected: "text in UTF-8" }),
    }
}
