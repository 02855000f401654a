//! Writes results as one report or several, each result as soon as its turn has come.

mod format_writer;

use std::path::Path;

use visibility_core::report::junit::FailOn;
use visibility_core::text::escape::printable;

use self::format_writer::FormatWriter;
use crate::args::{OutputArgs, ReportFile, ReportFormat};
use crate::console::Console;
use crate::console::style::{ERROR, HINT, paint};
use crate::error::CommandError;
use crate::error::target_error::{TargetError, TargetOutcome};
use crate::run::report::{Report, ReportEntry};

/// Writes results.
#[derive(Debug)]
pub(crate) struct ResultWriter<R> {
    console: Console,
    /// The main report, then those beside it.
    reports: Vec<FormatWriter<R>>,
    is_list: bool,
    /// Whether the main report is for people, and says itself what has no result.
    is_for_people: bool,
    has_result: bool,
    /// Some formats begin with what depends on all results.
    kept: Vec<ReportEntry<R>>,
}

impl<R: Report> ResultWriter<R> {
    /// Opens the files.
    pub(crate) fn new(
        console: &Console,
        arguments: &OutputArgs,
        fail_on: FailOn,
        is_list: bool,
    ) -> Result<Self, CommandError> {
        check_files(arguments)?;
        let open = |format: ReportFormat, path: Option<&Path>| {
            let output = console.output(path)?;
            let writer = FormatWriter::new(console, output, format, is_list);
            Ok(writer.with_fail_on(fail_on).with_verbose(arguments.verbose))
        };
        let main = open(arguments.format, arguments.output.as_deref());
        let beside = arguments.also.iter().map(|also| open(also.format, Some(&also.path)));
        Ok(Self {
            console: console.clone(),
            reports: std::iter::once(main).chain(beside).collect::<Result<_, CommandError>>()?,
            is_list,
            is_for_people: arguments.format == ReportFormat::Human,
            has_result: false,
            kept: Vec::new(),
        })
    }

    /// Whether there may be several results.
    pub(crate) fn is_list(&self) -> bool {
        self.is_list
    }

    /// Writes the outcome for one target. Failures go to standard error, too.
    pub(crate) fn write(&mut self, finished: TargetOutcome<R>) -> Result<(), CommandError> {
        let TargetOutcome { subject, file, outcome } = finished;
        if let Err(target_error) = &outcome {
            self.say(&subject, target_error);
        }
        self.has_result |= outcome.is_ok();
        for report in &mut self.reports {
            report.write(&subject, file.as_deref(), &outcome)?;
        }
        if self.reports.iter().any(FormatWriter::needs_all_results) {
            let outcome = outcome.map_err(|target_error| target_error.missing(&subject));
            self.kept.push(ReportEntry { file, outcome });
        }
        Ok(())
    }

    /// Writes what belongs behind the last result, and puts the files in their places. A file that was
    /// there before stays if there was one thing and it has no result; forms of CI systems say why,
    /// and replace it.
    pub(crate) fn finish(self, summary: Option<&str>) -> Result<(), CommandError> {
        for report in self.reports {
            report.finish(&self.kept, summary, self.has_result)?;
        }
        Ok(())
    }

    /// In a list for people, its line says it already.
    fn say(&self, subject: &str, target_error: &TargetError) {
        if self.is_list && self.is_for_people {
            return;
        }
        let subject: String = subject.chars().take(R::MAX_SUBJECT).collect();
        let labels = self.console.labels();
        let mut text = format!(
            "{} {}: {}",
            paint(ERROR, &labels.label("error-mark")),
            printable(&subject),
            printable(&target_error.message)
        );
        if let Some(hint) = &target_error.hint {
            let hint = printable(hint);
            text.push_str(&format!("\n  {} {hint}", paint(HINT, &labels.label("hint-mark"))));
        }
        self.console.say(&text);
    }
}

/// Two reports in one file would leave only the last.
fn check_files(arguments: &OutputArgs) -> Result<(), CommandError> {
    let mut seen: Vec<&Path> = arguments.output.as_deref().into_iter().collect();
    for ReportFile { path, .. } in &arguments.also {
        if seen.contains(&path.as_path()) {
            return Err(CommandError::usage_with(
                format!("two reports cannot be one file: `{}`", path.display()),
                "give each report a file of its own",
            ));
        }
        seen.push(path);
    }
    Ok(())
}
