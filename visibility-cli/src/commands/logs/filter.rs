//! `visibility logs filter`.

use std::path::PathBuf;

use chrono::{DateTime, TimeDelta, Utc};
use visibility_core::access_log::{
    ExplainedRecord, Filter, FilterSettings, HashPeriod, LineCounts, LineSkipReason,
};
use visibility_core::ingest::{LogRecord, RecordSink, Rejection, Rules};
use visibility_core::limits::MAX_RECORD_AGE_DAYS;
use visibility_core::store::StoreError;

use super::batches::BatchFolder;
use super::log_reading::LogReading;
use super::{check_host, hash_key, identities, sources};
use crate::args::{FilterArgs, HashPeriodArg, Since};
use crate::console::Console;
use crate::console::json::to_json;
use crate::console::output::{Output, Paint};
use crate::console::style::{DIM, paint};
use crate::error::CommandError;
use crate::exit_code::Exit;
use crate::run::network::{self, Threads};

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
    let files = sources(&arguments.files)?;
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
    arguments.host.iter().try_for_each(|host| check_host(host))?;
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

/// Records that get too old on their way would be rejected: an hour is left for it.
fn not_before(since: Option<Since>, now: DateTime<Utc>) -> DateTime<Utc> {
    let default = now - TimeDelta::days(MAX_RECORD_AGE_DAYS) + TimeDelta::hours(1);
    since.map_or(default, |since| since.before(now))
}

/// What is done on a thread of its own.
struct FilterWork {
    reading: LogReading,
    filter: Filter<RecordLines>,
    output: RecordOutput,
    is_checked: bool,
}

impl FilterWork {
    fn new(
        arguments: &FilterArgs,
        settings: FilterSettings,
        output: RecordOutput,
        console: &Console,
    ) -> Self {
        let mut reading = LogReading::new(&arguments.reading, arguments.no_progress, console);
        reading.needs_host = settings.default_host.is_none();
        reading.has_clock = arguments.now.is_none();
        let is_checked = settings.identities.is_some();
        let mut filter = Filter::new(reading.first_parser(), settings, RecordLines::default());
        filter.explain(usize::from(arguments.explain));
        Self { reading, filter, output, is_checked }
    }

    fn run(self, files: &[PathBuf]) -> Result<Filtered, CommandError> {
        let Self { reading, mut filter, mut output, is_checked } = self;
        reading.read(files, &mut filter, &mut |records: &mut RecordLines| {
            if records.0.is_empty() {
                return Ok(());
            }
            let result = output.write(&records.0);
            records.0.clear();
            result
        })?;
        Ok(Filtered {
            counts: filter.counts().clone(),
            explained: filter.explained().to_vec(),
            batches: output.finish()?,
            is_checked,
        })
    }
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
