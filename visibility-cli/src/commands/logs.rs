//! `visibility logs`.

mod body;
mod page;
mod sink;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use chrono::{TimeDelta, Utc};
use visibility_core::agents::Registry;
use visibility_core::error::ErrorObject;
use visibility_core::ingest::{BatchError, BatchReader, Rules};
use visibility_core::limits::MAX_BATCH_WIRE_BYTES;
use visibility_core::report::batch::junit;
use visibility_core::report::batch::{batch_error, too_many_wire_bytes};
use visibility_core::report::labels::Labels;
use visibility_core::store::Counts;

use self::body::{Body, Chunks};
use self::sink::Findings;
use crate::args::{BatchFormat, ValidateArgs};
use crate::commands::json;
use crate::commands::network::{self, Threads};
use crate::console::output::{Output, Paint};
use crate::console::progress::OctetBar;
use crate::console::{self, Console};
use crate::exit_code::Exit;
use crate::failure::CommandFailure;

/// What came of a batch that could be read.
#[derive(Debug)]
struct Judged {
    /// The counts, or why the batch is refused as a whole.
    outcome: Result<Counts, ErrorObject>,
    findings: Findings,
    /// Whether the endpoint would take it only compressed.
    is_long: bool,
}

/// Runs `logs validate`.
pub(super) fn validate(
    arguments: &ValidateArgs,
    console: &Console,
) -> Result<Exit, CommandFailure> {
    let path = source(arguments)?;
    let words = console.words();
    let body = Body::open(&path)?;
    let name = body.name(words);
    let output = console.output(arguments.output.as_deref())?;
    let is_shown = console.can_show_progress() && !arguments.no_progress;
    let label = words.sentence("judging", &[("name", &name)]);
    let bar = OctetBar::new(is_shown, body.len(), label, console.signs());
    let mut rules = Rules::at(arguments.now.unwrap_or_else(Utc::now));
    rules.future_skew = TimeDelta::seconds(arguments.future_skew);
    rules.extended_denylist = arguments.extended_denylist;
    let findings = Findings::new(arguments.format == BatchFormat::Json);
    let judged = network::block_on(Threads::One, async {
        let work = tokio::task::spawn_blocking(move || judge(body, &rules, findings, bar, words));
        work.await.map_err(|error| CommandFailure::internal("the batch was not judged", error))?
    })?;
    show(judged, &name, arguments, console, output)
}

/// The file to read; a person who forgot to name one is not kept waiting.
fn source(arguments: &ValidateArgs) -> Result<PathBuf, CommandFailure> {
    match &arguments.file {
        Some(path) => Ok(path.clone()),
        None if io::stdin().is_terminal() => Err(CommandFailure::usage_with(
            "there is no file to validate",
            "name a file, or `-` to type records",
        )),
        None => Ok(PathBuf::from("-")),
    }
}

/// Judges a batch to its end, or to the first thing that spoils it.
fn judge(
    body: Body,
    rules: &Rules,
    mut findings: Findings,
    mut bar: OctetBar,
    words: Labels,
) -> Result<Judged, CommandFailure> {
    let path = body.path().to_owned();
    let mut chunks = body.inflate().map_err(|error| body::failed(&path, error))?;
    let result = read(&mut chunks, rules, &mut findings, &mut bar);
    bar.finish();
    let outcome = match result {
        Ok(counts) => Ok(counts),
        Err(error) => Err(refused(error, &path, words)?),
    };
    // A compressed batch of this length is refused, so this one is plain.
    let is_long = outcome.is_ok() && chunks.octets_read() > MAX_BATCH_WIRE_BYTES;
    Ok(Judged { outcome, findings, is_long })
}

fn read(
    chunks: &mut Chunks,
    rules: &Rules,
    findings: &mut Findings,
    bar: &mut OctetBar,
) -> Result<Counts, BatchError> {
    let mut reader = BatchReader::new(rules, Registry::embedded(), findings);
    while let Some(chunk) = chunks.next()? {
        reader.feed(chunk)?;
        bar.at(chunks.octets_read());
    }
    reader.finish()
}

/// Tells a batch that is refused from one that could not be read.
fn refused(error: BatchError, path: &Path, words: Labels) -> Result<ErrorObject, CommandFailure> {
    if let Some(object) = batch_error(&error, words) {
        return Ok(object);
    }
    match error {
        BatchError::Read(error) => {
            if body::is_too_long(&error) {
                return Ok(too_many_wire_bytes(words));
            }
            Err(body::failed(path, error))
        }
        error => Err(CommandFailure::Write {
            path: std::env::temp_dir(),
            source: io::Error::other(error),
        }),
    }
}

fn show(
    judged: Judged,
    name: &str,
    arguments: &ValidateArgs,
    console: &Console,
    mut output: Output,
) -> Result<Exit, CommandFailure> {
    let words = console.words();
    let Judged { outcome, findings, is_long } = judged;
    let counts = match outcome {
        Ok(counts) => counts,
        Err(error) => return show_refusal(error, name, arguments.format, output),
    };
    match arguments.format {
        BatchFormat::Human if console.is_quiet() => {
            output.write(&page::title(name, &counts, words), Paint::Styled)?;
        }
        BatchFormat::Human => {
            let rejections = findings.rejections();
            let text = page::render(name, &counts, rejections, words, console::width());
            output.write(&text, Paint::Styled)?;
        }
        BatchFormat::Json => findings.write(counts, &mut output)?,
        BatchFormat::Junit => {
            let xml = junit::render(name, &counts, findings.rejections(), words);
            output.write(&xml.map_err(no_junit)?, Paint::Plain)?;
        }
    }
    output.finish()?;
    if is_long {
        console.note(&words.sentence("compress", &[("limit", &MAX_BATCH_WIRE_BYTES)]));
    }
    Ok(if counts.rejected == 0 { Exit::Ok } else { Exit::SomeBad })
}

/// Machines get the answer that the endpoint would give; people get it as an error. A file that was
/// there before stays; JUnit reports say what happened, and replace it.
fn show_refusal(
    error: ErrorObject,
    name: &str,
    format: BatchFormat,
    mut output: Output,
) -> Result<Exit, CommandFailure> {
    match format {
        BatchFormat::Human => {}
        BatchFormat::Json => {
            output.write(&json(&error.clone().into_body())?, Paint::Plain)?;
        }
        BatchFormat::Junit => {
            let xml = junit::render_error(name, &error).map_err(no_junit)?;
            output.write(&xml, Paint::Plain)?;
            output.finish()?;
        }
    }
    let message = format!("{name}: {}", error.message);
    Err(CommandFailure::Usage { message, hint: error.hint })
}

fn no_junit(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> CommandFailure {
    CommandFailure::unwritable("JUnit", error)
}
