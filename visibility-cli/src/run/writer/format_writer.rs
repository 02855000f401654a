//! Writes results in one format.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use visibility_core::report::github;
use visibility_core::report::junit::FailOn;
use visibility_core::text::escape::{self, MarkdownContext, markdown_sentence};

use crate::args::ReportFormat;
use crate::console::json::to_json;
use crate::console::output::{Output, Paint};
use crate::console::page::Detail;
use crate::console::{self, Console, brief};
use crate::error::CommandError;
use crate::error::target_error::TargetError;
use crate::run::report::{Overview, Report, ReportEntry};

/// Writes one report.
#[derive(Debug)]
pub(super) struct FormatWriter<R> {
    console: Console,
    output: Output,
    format: ReportFormat,
    is_list: bool,
    fail_on: FailOn,
    detail: Detail,
    /// How several results become one report, if they do.
    overview: Option<Overview<R>>,
    written: usize,
}

impl<R: Report> FormatWriter<R> {
    pub(super) fn new(
        console: &Console,
        output: Output,
        format: ReportFormat,
        is_list: bool,
    ) -> Self {
        Self {
            console: console.clone(),
            output,
            format,
            is_list,
            fail_on: FailOn::default(),
            detail: Detail::Brief,
            overview: R::overview(format).filter(|_| is_list),
            written: 0,
        }
    }

    /// Which verdicts are failures, where the format has such.
    #[must_use]
    pub(super) fn with_fail_on(self, fail_on: FailOn) -> Self {
        Self { fail_on, ..self }
    }

    /// Whether everything is shown, where the format can be brief.
    #[must_use]
    pub(super) fn with_verbose(self, is_verbose: bool) -> Self {
        let detail = if is_verbose { Detail::Whole } else { Detail::Brief };
        Self { detail, ..self }
    }

    /// Whether nothing can be written before the last result is there.
    pub(super) fn needs_all_results(&self) -> bool {
        self.overview.is_some() || matches!(self.format, ReportFormat::Junit | ReportFormat::Sarif)
    }

    /// Writes the outcome for one target, unless the format needs all of them.
    pub(super) fn write(
        &mut self,
        subject: &str,
        file: Option<&str>,
        outcome: &Result<R, TargetError>,
    ) -> Result<(), CommandError> {
        if self.needs_all_results() {
            return Ok(());
        }
        match self.format {
            // Returned above.
            ReportFormat::Junit | ReportFormat::Sarif => {}
            ReportFormat::Json => self.write_json(subject, outcome)?,
            ReportFormat::Ndjson => {
                let line = match outcome {
                    Ok(result) => serde_json::to_string(result),
                    Err(target_error) => {
                        serde_json::to_string(&error_line::<R>(subject, target_error))
                    }
                };
                let line =
                    line.map_err(|error| CommandError::internal("cannot write JSON", error))?;
                self.output.write(&format!("{}\n", escape::json(&line)), Paint::Plain)?;
            }
            ReportFormat::Human => self.write_human(subject, outcome)?,
            ReportFormat::Markdown | ReportFormat::Prompt => self.write_text(subject, outcome)?,
            ReportFormat::Github => {
                let text = match outcome {
                    Ok(result) => result.github(file),
                    Err(target_error) => github::failed_target(&target_error.missing(subject)),
                };
                self.output.write(&text, Paint::Plain)?;
            }
            ReportFormat::Html => {
                if let Ok(result) = outcome {
                    self.output.write(&result.html(), Paint::Plain)?;
                }
            }
        }
        self.written += 1;
        Ok(())
    }

    /// Writes what belongs behind the last result, and puts the file in its place, if it shall have one.
    pub(super) fn finish(
        mut self,
        all: &[ReportEntry<R>],
        summary: Option<&str>,
        has_result: bool,
    ) -> Result<(), CommandError> {
        self.write_end(all, summary)?;
        let is_for_ci =
            matches!(self.format, ReportFormat::Junit | ReportFormat::Sarif | ReportFormat::Github);
        if has_result || self.is_list || is_for_ci {
            self.output.finish()?;
        }
        Ok(())
    }

    fn write_end(
        &mut self,
        all: &[ReportEntry<R>],
        summary: Option<&str>,
    ) -> Result<(), CommandError> {
        let text = match (self.format, self.overview) {
            (ReportFormat::Json, _) if self.is_list && self.written == 0 => "[]\n".to_owned(),
            (ReportFormat::Json, _) if self.is_list => "\n]\n".to_owned(),
            (ReportFormat::Junit, _) => R::junit(all, self.fail_on)?,
            (ReportFormat::Sarif, _) => R::sarif(all)?,
            (_, Some(overview)) => overview(all, self.console.lang()),
            (ReportFormat::Human, None) => match summary {
                Some(summary) => return self.output.write(summary, Paint::Styled),
                None => return Ok(()),
            },
            _ => return Ok(()),
        };
        self.output.write(&text, Paint::Plain)
    }

    fn write_json(
        &mut self,
        subject: &str,
        outcome: &Result<R, TargetError>,
    ) -> Result<(), CommandError> {
        let text = match outcome {
            Ok(result) => to_json(result)?,
            Err(target_error) => to_json(&error_line::<R>(subject, target_error))?,
        };
        let text = match (self.is_list, self.written) {
            (false, _) => text,
            (true, 0) => format!("[\n{}", text.trim_end()),
            (true, _) => format!(",\n{}", text.trim_end()),
        };
        self.output.write(&text, Paint::Plain)
    }

    /// The command that leads to the same result once more; none for what came on standard input.
    fn again(&self, subject: &str) -> Option<String> {
        (subject != "-").then(|| self.console.repeat().command(subject))
    }

    fn write_human(
        &mut self,
        subject: &str,
        outcome: &Result<R, TargetError>,
    ) -> Result<(), CommandError> {
        let width = console::width();
        let text = match (outcome, self.is_list) {
            (Ok(result), false) if self.console.is_quiet() => {
                format!("{}\n", result.score_line())
            }
            (Ok(result), false) => {
                let again = self.again(subject);
                result.page(subject, again.as_deref(), width, self.detail)
            }
            (Ok(result), true) => result.line(subject, width),
            (Err(target_error), true) => {
                brief::failure(subject, &target_error.message, target_error.hint.as_deref(), width)
            }
            (Err(_), false) => return Ok(()),
        };
        self.output.write(&text, Paint::Styled)
    }

    fn write_text(
        &mut self,
        subject: &str,
        outcome: &Result<R, TargetError>,
    ) -> Result<(), CommandError> {
        let text = match outcome {
            Ok(result) if self.format == ReportFormat::Prompt => {
                let command = self.console.repeat().live_command(subject);
                result.prompt((subject != "-").then_some(command.as_str()))
            }
            Ok(result) => result.markdown(),
            Err(target_error) => {
                let prose = |text| markdown_sentence(text, MarkdownContext::Start);
                format!("# {}\n\n{}\n", prose(subject), prose(&target_error.message))
            }
        };
        let gap = if self.written == 0 { "" } else { "\n" };
        self.output.write(&format!("{gap}{text}"), Paint::Plain)
    }
}

/// Something without a result, for machines.
fn error_line<R: Report>(subject: &str, target_error: &TargetError) -> impl Serialize {
    ErrorLine { name: R::SUBJECT, subject: subject.to_owned(), error: target_error.error_object() }
}

/// An object of two members, the first of which has the name that results have for their subject.
struct ErrorLine<T> {
    name: &'static str,
    subject: String,
    error: T,
}

impl<T: Serialize> Serialize for ErrorLine<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(Some(2))?;
        members.serialize_entry(self.name, &self.subject)?;
        members.serialize_entry("error", &self.error)?;
        members.end()
    }
}
