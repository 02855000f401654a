//! `visibility logs validate`.

use std::io;
use std::path::Path;

use chrono::{TimeDelta, Utc};
use visibility_core::access_log::{AccessLogFormat, KeyMap, detect};
use visibility_core::agents::Registry;
use visibility_core::error::ErrorObject;
use visibility_core::ingest::{BatchError, BatchReader, Rules};
use visibility_core::limits::MAX_BATCH_WIRE_BYTES;
use visibility_core::report::batch::junit;
use visibility_core::report::batch::{batch_error, too_many_wire_bytes};
use visibility_core::report::labels::Labels;
use visibility_core::store::Counts;

use super::log_input::{self, Chunks, LogInput, WireLimit};
use super::page;
use super::sink::RejectionCollector;
use super::source;
use crate::args::{BatchFormat, ValidateArgs};
use crate::console::json::to_json;
use crate::console::output::{Output, Paint};
use crate::console::progress::ByteBar;
use crate::console::{self, Console};
use crate::error::CommandError;
use crate::exit_code::Exit;
use crate::run::network::{self, Threads};

/// Bytes that are kept to see what a file is that is no batch.
const MAX_START_BYTES: usize = 16 * 1024;

/// The outcome of a batch that could be read.
#[derive(Debug)]
struct ValidatedBatch {
    /// The counts, or why the batch is refused as a whole.
    outcome: Result<Counts, ErrorObject>,
    findings: RejectionCollector,
    /// The format, if it is an access log and no batch.
    access_log: Option<AccessLogFormat>,
    /// Whether the endpoint would take it only compressed.
    is_long: bool,
}

/// Runs `logs validate`.
pub(crate) fn run(arguments: &ValidateArgs, console: &Console) -> Result<Exit, CommandError> {
    let path = source(arguments.file.as_deref(), "validate", "to type records")?;
    let labels = console.labels();
    let body = LogInput::open(&path)?;
    let name = body.name(labels);
    let output = console.output(arguments.output.as_deref())?;
    let is_shown = console.can_show_progress() && !arguments.no_progress;
    let label = labels.sentence("judging", &[("name", &name)]);
    let bar = ByteBar::new(is_shown, body.len(), label, console.signs());
    let mut rules = Rules::at(arguments.now.unwrap_or_else(Utc::now));
    rules.future_skew = TimeDelta::seconds(arguments.future_skew);
    rules.extended_denylist = arguments.extended_denylist;
    let findings = RejectionCollector::new(arguments.format == BatchFormat::Json);
    let judged = network::block_on(Threads::One, async {
        let work = tokio::task::spawn_blocking(move || judge(body, &rules, findings, bar, labels));
        work.await
            .map_err(|error| CommandError::internal("the batch could not be checked", error))?
    })?;
    show(judged, &name, arguments, console, output)
}

/// Judges a batch to its end, or to the first thing that spoils it.
fn judge(
    body: LogInput,
    rules: &Rules,
    mut findings: RejectionCollector,
    mut bar: ByteBar,
    labels: Labels,
) -> Result<ValidatedBatch, CommandError> {
    let path = body.path().to_owned();
    let mut chunks =
        body.inflate(WireLimit::OfTheServer).map_err(|error| log_input::failed(&path, error))?;
    let mut start = Vec::new();
    let result = read(&mut chunks, rules, &mut findings, (&mut bar, &mut start));
    bar.finish();
    let is_malformed = matches!(result, Err(BatchError::Malformed { .. }));
    let access_log = detect(&start, false, &KeyMap::default()).ok().filter(|_| is_malformed);
    let outcome = match result {
        Ok(counts) => Ok(counts),
        Err(error) => Err(rejected_batch(error, &path, labels)?),
    };
    // A compressed batch of this length is refused, so this one is plain.
    let is_long = outcome.is_ok() && chunks.bytes_read() > MAX_BATCH_WIRE_BYTES;
    let access_log = access_log.map(|detected| detected.format);
    Ok(ValidatedBatch { outcome, findings, access_log, is_long })
}

fn read(
    chunks: &mut Chunks,
    rules: &Rules,
    findings: &mut RejectionCollector,
    (bar, start): (&mut ByteBar, &mut Vec<u8>),
) -> Result<Counts, BatchError> {
    let mut reader = BatchReader::new(rules, Registry::embedded(), findings);
    while let Some(chunk) = chunks.next()? {
        if start.len() < MAX_START_BYTES {
            start.extend_from_slice(chunk);
        }
        reader.feed(chunk)?;
        bar.set(chunks.bytes_read());
    }
    reader.finish()
}

/// Tells a batch that is refused from one that could not be read.
fn rejected_batch(
    error: BatchError,
    path: &Path,
    labels: Labels,
) -> Result<ErrorObject, CommandError> {
    if let Some(object) = batch_error(&error, labels) {
        return Ok(object);
    }
    match error {
        BatchError::Read(error) => {
            if log_input::is_too_long(&error) {
                return Ok(too_many_wire_bytes(labels));
            }
            Err(log_input::failed(path, error))
        }
        error => {
            Err(CommandError::Write { path: std::env::temp_dir(), source: io::Error::other(error) })
        }
    }
}

fn show(
    judged: ValidatedBatch,
    name: &str,
    arguments: &ValidateArgs,
    console: &Console,
    mut output: Output,
) -> Result<Exit, CommandError> {
    let labels = console.labels();
    let ValidatedBatch { outcome, findings, access_log, is_long } = judged;
    let counts = match outcome {
        Ok(counts) => counts,
        Err(error) => {
            let hint = access_log
                .map(|format| labels.sentence("log-not-a-batch", &[("format", &format.id())]));
            let shown = show_batch_error(error, name, arguments.format, output);
            return shown.map_err(|error| error.with_hint(hint));
        }
    };
    match arguments.format {
        BatchFormat::Human if console.is_quiet() => {
            output.write(&page::title(name, &counts, labels), Paint::Styled)?;
        }
        BatchFormat::Human => {
            let rejections = findings.rejections();
            let text = page::render(name, &counts, rejections, labels, console::width());
            output.write(&text, Paint::Styled)?;
        }
        BatchFormat::Json => findings.write(counts, &mut output)?,
        BatchFormat::Junit => {
            let xml = junit::render(name, &counts, findings.rejections(), labels);
            output.write(&xml.map_err(no_junit)?, Paint::Plain)?;
        }
    }
    output.finish()?;
    if is_long {
        console.note(&labels.sentence("compress", &[("limit", &MAX_BATCH_WIRE_BYTES)]));
    }
    Ok(if counts.rejected == 0 { Exit::Ok } else { Exit::SomeBad })
}

/// Machines get the answer that the endpoint would give; people get it as an error. A file that was
/// there before stays; JUnit reports say what happened, and replace it.
fn show_batch_error(
    error: ErrorObject,
    name: &str,
    format: BatchFormat,
    mut output: Output,
) -> Result<Exit, CommandError> {
    match format {
        BatchFormat::Human => {}
        BatchFormat::Json => {
            output.write(&to_json(&error.clone().into_body())?, Paint::Plain)?;
        }
        BatchFormat::Junit => {
            let xml = junit::render_error(name, &error).map_err(no_junit)?;
            output.write(&xml, Paint::Plain)?;
            output.finish()?;
        }
    }
    let message = format!("{name}: {}", error.message);
    Err(CommandError::Usage { message, hint: error.hint })
}

fn no_junit(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> CommandError {
    CommandError::unwritable("JUnit", error)
}
