//! `visibility logs filter`.

use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use visibility_core::access_log::{
    AccessLogFormat, DetectedFormat, ExplainedRecord, Filter, FilterSettings, HashPeriod,
    LineCounts, LineParser, LineSkipReason,
};
use visibility_core::agents::ranges::IdentityCheck;
use visibility_core::ingest::{BatchError, LogRecord, RecordSink, Rejection, Rules};
use visibility_core::limits::MAX_RECORD_AGE_DAYS;
use visibility_core::report::labels::Labels;
use visibility_core::store::StoreError;

use super::batches::BatchFolder;
use super::log_input::{self, Chunks, LogInput, WireLimit};
use super::log_start::LogStart;
use super::{hash_key, source};
use crate::args::{FilterArgs, HashPeriodArg, Since};
use crate::console::Console;
use crate::console::json::to_json;
use crate::console::output::{Output, Paint};
use crate::console::progress::ByteBar;
use crate::console::style::{DIM, paint};
use crate::error::CommandError;
use crate::exit_code::Exit;
use crate::run::network::{self, Threads};
use crate::run::range_file;

/// Records as lines, until they are written.
#[derive(Debug, Default)]
struct RecordLines(Vec<u8>);

impl RecordSink for RecordLines {
    fn accept(&mut self, record: &LogRecord<'_>) -> Result<(), StoreError> {
        record.write_json(&mut self.0);
        Ok(())
    }

    fn reject(&mut self, _: &Rejection<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Where records go.
#[derive(Debug)]
enum RecordOutput {
    Lines(Output),
    Batches(Box<BatchFolder>),
}

impl RecordOutput {
    fn write(&mut self, lines: &[u8]) -> Result<(), CommandError> {
        match self {
            Self::Lines(output) => output.write_part(lines),
            Self::Batches(folder) => folder.write(lines),
        }
    }

    fn finish(self) -> Result<Option<u32>, CommandError> {
        match self {
            Self::Lines(output) => output.finish().map(|()| None),
            Self::Batches(mut folder) => folder.finish().map(Some),
        }
    }
}

/// What was made of all files.
struct Filtered {
    counts: LineCounts,
    explained: Vec<ExplainedRecord>,
    /// How many files of records were written into a folder.
    batches: Option<u32>,
    /// Whether addresses were compared with lists.
    is_checked: bool,
}

/// Runs `logs filter`.
pub(super) fn run(arguments: &FilterArgs, console: &Console) -> Result<Exit, CommandError> {
    let files = match arguments.files.as_slice() {
        [] => vec![source(None, "read", "to read standard input")?],
        files => files.to_vec(),
    };
    let settings = settings(arguments)?;
    let output = match &arguments.batches {
        Some(folder) => RecordOutput::Batches(Box::new(BatchFolder::create(folder)?)),
        None => RecordOutput::Lines(console.output(arguments.output.as_deref())?),
    };
    let counts_output = match &arguments.counts {
        Some(path) => Some(console.output(Some(path))?),
        None => None,
    };
    let work = FilterWork::new(arguments, settings, output, console);
    let filtered = network::block_on(Threads::One, async {
        let work = tokio::task::spawn_blocking(move || work.run(&files));
        work.await.map_err(|error| CommandError::internal("the log could not be read", error))?
    })?;
    if let Some(mut output) = counts_output {
        output.write(&to_json(&filtered.counts.to_json())?, Paint::Plain)?;
        output.finish()?;
    }
    say(&filtered, console);
    Ok(if filtered.counts.troubles() == 0 { Exit::Ok } else { Exit::SomeBad })
}

fn settings(arguments: &FilterArgs) -> Result<FilterSettings, CommandError> {
    let now = arguments.now.unwrap_or_else(Utc::now);
    let mut rules = Rules::at(now);
    rules.extended_denylist = arguments.extended_denylist;
    if let Some(host) = &arguments.host
        && !visibility_core::ingest::is_host(host)
    {
        return Err(CommandError::usage_with(
            format!("`{host}` is no host name"),
            "give the name of the site alone, such as www.example.com",
        ));
    }
    Ok(FilterSettings {
        key: hash_key::load(arguments)?,
        period: match arguments.hash_period {
            HashPeriodArg::NinetyDays => HashPeriod::NinetyDays,
            HashPeriodArg::Day => HashPeriod::Day,
        },
        joins_ipv6_networks: arguments.ipv6_prefix.is_some(),
        default_host: arguments.host.clone(),
        proxies: arguments.trusted_proxy.clone(),
        identities: identities(arguments.ranges.as_deref(), now)?,
        drops_impostors: arguments.drop_impostors,
        not_before: not_before(arguments.since, now),
        rules,
    })
}

/// The lists that addresses are compared with.
fn identities(
    path: Option<&Path>,
    now: DateTime<Utc>,
) -> Result<Option<IdentityCheck>, CommandError> {
    let Some(path) = path else { return Ok(None) };
    let ranges = range_file::read(path)?;
    Ok(Some(IdentityCheck::new(&ranges, now)))
}

/// Records that get too old on their way would be rejected: an hour is left for it.
fn not_before(since: Option<Since>, now: DateTime<Utc>) -> DateTime<Utc> {
    match since {
        Some(Since::At(time)) => time,
        Some(Since::Ago(span)) => now.checked_sub_signed(span).unwrap_or(DateTime::UNIX_EPOCH),
        None => now - TimeDelta::days(MAX_RECORD_AGE_DAYS) + TimeDelta::hours(1),
    }
}

/// Reads files one after the other, on a thread of its own.
struct FilterWork {
    filter: Filter<RecordLines>,
    output: RecordOutput,
    /// The format that was given.
    source: Option<AccessLogFormat>,
    keys: visibility_core::access_log::KeyMap,
    has_host: bool,
    is_checked: bool,
    /// Whether time goes on while files are read.
    has_clock: bool,
    is_shown: bool,
    signs: crate::console::signs::Signs,
    labels: Labels,
}

impl FilterWork {
    fn new(
        arguments: &FilterArgs,
        settings: FilterSettings,
        output: RecordOutput,
        console: &Console,
    ) -> Self {
        let keys = arguments.reading.keys();
        let has_host = settings.default_host.is_some();
        // Each file gets a parser of its own.
        let parser = LineParser::new(AccessLogFormat::Combined, keys.clone());
        let mut filter = Filter::new(parser, settings, RecordLines::default());
        filter.explain(usize::from(arguments.explain));
        Self {
            filter,
            output,
            source: arguments.reading.source,
            keys,
            has_host,
            is_checked: arguments.ranges.is_some(),
            has_clock: arguments.now.is_none(),
            is_shown: console.can_show_progress() && !arguments.no_progress,
            signs: console.signs(),
            labels: console.labels(),
        }
    }

    fn run(mut self, files: &[PathBuf]) -> Result<Filtered, CommandError> {
        for path in files {
            self.check(path)?;
        }
        for path in files {
            self.file(path)?;
        }
        let batches = self.output.finish()?;
        Ok(Filtered {
            counts: self.filter.counts().clone(),
            explained: self.filter.explained().to_vec(),
            batches,
            is_checked: self.is_checked,
        })
    }

    /// Looks at the start of a file, so that no record is written before all files are known to be readable. What comes
    /// through a pipe can be read once only.
    fn check(&mut self, path: &Path) -> Result<(), CommandError> {
        let is_file = path != Path::new("-") && path.metadata().is_ok_and(|found| found.is_file());
        if !is_file || self.source.is_some() {
            return Ok(());
        }
        let unreadable = |error| log_input::failed(path, error);
        let mut chunks = LogInput::open(path)?.inflate(WireLimit::None).map_err(unreadable)?;
        let start = LogStart::read(&mut chunks).map_err(unreadable)?;
        match start.detect(path, &self.keys)? {
            Some(detected) => self.use_format(detected.format, Some(detected)),
            None => Ok(()),
        }
    }

    fn file(&mut self, path: &Path) -> Result<(), CommandError> {
        let input = LogInput::open(path)?;
        let label = self.labels.sentence("log-reading", &[("name", &input.name(self.labels))]);
        let mut bar = ByteBar::new(self.is_shown, input.len(), label, self.signs);
        let result = self.read(input, path, &mut bar);
        bar.finish();
        result
    }

    fn read(
        &mut self,
        input: LogInput,
        path: &Path,
        bar: &mut ByteBar,
    ) -> Result<(), CommandError> {
        let unreadable = |error| log_input::failed(path, error);
        let mut chunks = input.inflate(WireLimit::None).map_err(unreadable)?;
        if let Some(format) = self.source {
            self.use_format(format, None)?;
        } else {
            self.begin(&mut chunks, path)?;
        }
        while let Some(chunk) = chunks.next().map_err(unreadable)? {
            self.filter.feed(chunk).map_err(internal)?;
            self.write()?;
            bar.set(chunks.bytes_read());
            if self.has_clock {
                self.filter.set_now(Utc::now());
            }
        }
        self.filter.end_file().map_err(internal)?;
        self.write()
    }

    /// Reads the start of a file, to its first lines, and sets the format that it has.
    fn begin(&mut self, chunks: &mut Chunks, path: &Path) -> Result<(), CommandError> {
        loop {
            let start = LogStart::read(chunks).map_err(|error| log_input::failed(path, error))?;
            let detected = start.detect(path, &self.keys)?;
            if let Some(detected) = detected {
                self.use_format(detected.format, Some(detected))?;
            }
            // Lines before the first that can be looked at are none in any format: blank, too long, a comment.
            self.filter.feed(&start.bytes).map_err(internal)?;
            self.write()?;
            if start.is_whole || detected.is_some() {
                return Ok(());
            }
        }
    }

    /// Reads what follows in a format, if records can be made of it.
    fn use_format(
        &mut self,
        format: AccessLogFormat,
        detected: Option<DetectedFormat>,
    ) -> Result<(), CommandError> {
        let id = format.id();
        let has_user_agent =
            detected.map_or(format != AccessLogFormat::Common, |found| found.fields.user_agent);
        if !has_user_agent {
            return Err(CommandError::usage_with(
                format!("`{id}` lines of this log have no user agent, so no agent can be found"),
                "log the user agent, too: nginx and Apache do with the format `combined`",
            ));
        }
        let has_host = match (detected, format) {
            (Some(found), _) => found.fields.host,
            (None, AccessLogFormat::Combined) => false,
            (None, _) => true,
        };
        if !has_host && !self.has_host {
            return Err(CommandError::usage_with(
                "the log does not say which site was requested",
                "give --host www.example.com",
            ));
        }
        self.filter.set_parser(LineParser::new(format, self.keys.clone()));
        Ok(())
    }

    fn write(&mut self) -> Result<(), CommandError> {
        let lines = &mut self.filter.sink_mut().0;
        if lines.is_empty() {
            return Ok(());
        }
        let result = self.output.write(lines);
        lines.clear();
        result
    }
}

/// The sink takes everything.
fn internal(error: BatchError) -> CommandError {
    CommandError::internal("a record could not be written", error)
}

/// Says on standard error what became of the lines.
fn say(filtered: &Filtered, console: &Console) {
    let labels = console.labels();
    let Filtered { counts, explained, batches, is_checked } = filtered;
    for record in explained {
        console.say(&format!("{}\n  {}", paint(DIM, &record.before), record.after));
    }
    let mut text = labels
        .sentence("log-counts", &[("lines", &counts.lines()), ("records", &counts.records())]);
    for reason in LineSkipReason::all() {
        let count = counts.skipped(reason);
        if count > 0 {
            let label = labels.label(&format!("log-skipped-{}", reason.name().replace('_', "-")));
            text.push_str(&format!("\n  {count:>9}  {label}"));
        }
    }
    if counts.removed_parameters() > 0 {
        let values: [(&str, &dyn ToString); 2] =
            [("parameters", &counts.removed_parameters()), ("records", &counts.stripped_records())];
        text.push_str(&format!("\n{}", labels.sentence("log-removed", &values)));
    }
    if *is_checked {
        let impostors = counts.impostors() + counts.skipped(LineSkipReason::Impostor);
        let values: [(&str, &dyn ToString); 3] = [
            ("verified", &counts.verified()),
            ("impostors", &impostors),
            ("unchecked", &counts.unchecked()),
        ];
        text.push_str(&format!("\n{}", labels.sentence("log-identity", &values)));
    }
    if let Some(files) = batches {
        text.push_str(&format!("\n{}", labels.sentence("log-batches", &[("files", files)])));
    }
    console.note(&text);
}
