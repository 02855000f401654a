//! Reads access logs one after the other into a filter.

use std::path::{Path, PathBuf};

use chrono::Utc;
use visibility_core::access_log::{
    AccessLogFormat, DetectedFormat, Filter, KeyMap, LineParser, LogSink,
};
use visibility_core::ingest::BatchError;
use visibility_core::report::labels::Labels;

use super::log_input::{self, Chunks, LogInput, WireLimit};
use super::log_start::LogStart;
use crate::args::ReadingArgs;
use crate::console::Console;
use crate::console::progress::ByteBar;
use crate::console::signs::Signs;
use crate::error::CommandError;
use crate::run::demo::DEMO_LOG;

/// How files are read.
pub(super) struct LogReading {
    /// The format that was given.
    source: Option<AccessLogFormat>,
    keys: KeyMap,
    /// Whether each line has to say which site was requested.
    pub(super) needs_host: bool,
    /// Whether time goes on while files are read.
    pub(super) has_clock: bool,
    is_shown: bool,
    signs: Signs,
    labels: Labels,
}

/// What is done after each part of a file.
type AfterPart<'a, S> = &'a mut dyn FnMut(&mut S) -> Result<(), CommandError>;

impl LogReading {
    pub(super) fn new(arguments: &ReadingArgs, no_progress: bool, console: &Console) -> Self {
        Self {
            source: arguments.source,
            keys: arguments.keys(),
            needs_host: false,
            has_clock: false,
            is_shown: console.can_show_progress() && !no_progress,
            signs: console.signs(),
            labels: console.labels(),
        }
    }

    /// A parser for the time before the first line is read: each file gets one of its own.
    pub(super) fn first_parser(&self) -> LineParser {
        LineParser::new(AccessLogFormat::Combined, self.keys.clone())
    }

    /// Reads files to their ends.
    pub(super) fn read<S: LogSink>(
        &self,
        files: &[PathBuf],
        filter: &mut Filter<S>,
        after_part: AfterPart<'_, S>,
    ) -> Result<(), CommandError> {
        for path in files {
            self.check(path)?;
        }
        let mut reader = FileReader { reading: self, filter, after_part };
        files.iter().try_for_each(|path| reader.file(path))
    }

    /// Reads the log of the example.
    pub(super) fn read_demo<S: LogSink>(&self, filter: &mut Filter<S>) -> Result<(), CommandError> {
        let mut after_part = |_: &mut S| Ok(());
        let mut reader = FileReader { reading: self, filter, after_part: &mut after_part };
        reader.input(LogInput::embedded("demo", DEMO_LOG.log))
    }

    /// Looks at the start of a file, so that nothing is written before all files are known to be readable. What comes
    /// through a pipe can be read once only.
    fn check(&self, path: &Path) -> Result<(), CommandError> {
        let is_file = path != Path::new("-") && path.metadata().is_ok_and(|found| found.is_file());
        if !is_file || self.source.is_some() {
            return Ok(());
        }
        let unreadable = |error| log_input::failed(path, error);
        let mut chunks = LogInput::open(path)?.inflate(WireLimit::None).map_err(unreadable)?;
        let start = LogStart::read(&mut chunks).map_err(unreadable)?;
        match start.detect(path, &self.keys)? {
            Some(detected) => self.parser(detected.format, Some(detected)).map(drop),
            None => Ok(()),
        }
    }

    /// A parser for a format, if agents can be found in it.
    fn parser(
        &self,
        format: AccessLogFormat,
        detected: Option<DetectedFormat>,
    ) -> Result<LineParser, CommandError> {
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
        if !has_host && self.needs_host {
            return Err(CommandError::usage_with(
                "the log does not say which site was requested",
                "give --host www.example.com",
            ));
        }
        Ok(LineParser::new(format, self.keys.clone()))
    }
}

/// Hands the parts of files to a filter.
struct FileReader<'a, S> {
    reading: &'a LogReading,
    filter: &'a mut Filter<S>,
    after_part: AfterPart<'a, S>,
}

impl<S: LogSink> FileReader<'_, S> {
    fn file(&mut self, path: &Path) -> Result<(), CommandError> {
        self.input(LogInput::open(path)?)
    }

    fn input(&mut self, input: LogInput) -> Result<(), CommandError> {
        let LogReading { labels, signs, is_shown, .. } = *self.reading;
        let path = input.path().to_owned();
        let label = labels.sentence("log-reading", &[("name", &input.name(labels))]);
        let mut bar = ByteBar::new(is_shown, input.len(), label, signs);
        let result = self.read(input, &path, &mut bar);
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
        if let Some(format) = self.reading.source {
            self.filter.set_parser(self.reading.parser(format, None)?);
        } else {
            self.begin(&mut chunks, path)?;
        }
        while let Some(chunk) = chunks.next().map_err(unreadable)? {
            self.feed(chunk)?;
            bar.set(chunks.bytes_read());
            if self.reading.has_clock {
                self.filter.set_now(Utc::now());
            }
        }
        self.filter.end_file().map_err(internal)?;
        (self.after_part)(self.filter.sink_mut())
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), CommandError> {
        self.filter.feed(bytes).map_err(internal)?;
        (self.after_part)(self.filter.sink_mut())
    }

    /// Reads the start of a file, to its first lines, and sets the format that it has.
    fn begin(&mut self, chunks: &mut Chunks, path: &Path) -> Result<(), CommandError> {
        loop {
            let start = LogStart::read(chunks).map_err(|error| log_input::failed(path, error))?;
            let detected = start.detect(path, &self.reading.keys)?;
            if let Some(detected) = detected {
                self.filter.set_parser(self.reading.parser(detected.format, Some(detected))?);
            }
            // Lines before the first that can be looked at are none in any format: blank, too long, a comment.
            self.feed(&start.bytes)?;
            if start.is_whole || detected.is_some() {
                return Ok(());
            }
        }
    }
}

/// The sinks take everything.
fn internal(error: BatchError) -> CommandError {
    CommandError::internal("a line could not be counted", error)
}
