//! Writes results in the requested format, each as soon as its turn has come.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use visibility_core::report::github;
use visibility_core::report::junit::FailOn;
use visibility_core::text::escape::{self, MarkdownContext, markdown_sentence, printable};

use crate::args::{OutputArgs, ReportFormat};
use crate::console::json::to_json;
use crate::console::output::{Output, Paint};
use crate::console::page::Detail;
use crate::console::style::{ERROR, HINT, paint};
use crate::console::{self, Console, brief};
use crate::error::CommandError;
use crate::error::target_error::{TargetError, TargetOutcome};
use crate::run::report::{Overview, Report, ReportEntry};

/// Writes results.
#[derive(Debug)]
pub(crate) struct ResultWriter<R> {
    console: Console,
    output: Output,
    format: ReportFormat,
    is_list: bool,
    fail_on: FailOn,
    detail: Detail,
    /// How several results become one report, if they do.
    overview: Option<Overview<R>>,
    written: usize,
    has_result: bool,
    /// What comes before the first result depends on all of them in some forms.
    kept: Vec<ReportEntry<R>>,
}

impl<R: Report> ResultWriter<R> {
    /// Opens the output.
    pub(crate) fn new(
        console: &Console,
        arguments: &OutputArgs,
        fail_on: FailOn,
        is_list: bool,
    ) -> Result<Self, CommandError> {
        Ok(Self {
            console: console.clone(),
            output: console.output(arguments.output.as_deref())?,
            format: arguments.format,
            is_list,
            fail_on,
            detail: if arguments.verbose { Detail::Whole } else { Detail::Brief },
            overview: R::overview(arguments.format).filter(|_| is_list),
            written: 0,
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
        if self.overview.is_some()
            || matches!(self.format, ReportFormat::Junit | ReportFormat::Sarif)
        {
            let outcome = outcome.map_err(|target_error| target_error.missing(&subject));
            self.kept.push(ReportEntry { file, outcome });
            return Ok(());
        }
        match self.format {
            // Kept above.
            ReportFormat::Junit | ReportFormat::Sarif => {}
            ReportFormat::Json => self.write_json(&subject, &outcome)?,
            ReportFormat::Ndjson => {
                let line = match &outcome {
                    Ok(result) => serde_json::to_string(result),
                    Err(target_error) => {
                        serde_json::to_string(&error_line::<R>(&subject, target_error))
                    }
                };
                let line =
                    line.map_err(|error| CommandError::internal("cannot write JSON", error))?;
                self.output.write(&format!("{}\n", escape::json(&line)), Paint::Plain)?;
            }
            ReportFormat::Human => self.write_human(&subject, &outcome)?,
            ReportFormat::Markdown | ReportFormat::Prompt => self.write_text(&subject, &outcome)?,
            ReportFormat::Github => {
                let text = match &outcome {
                    Ok(result) => result.github(file.as_deref()),
                    Err(target_error) => github::failed_target(&target_error.missing(&subject)),
                };
                self.output.write(&text, Paint::Plain)?;
            }
            ReportFormat::Html => {
                if let Ok(result) = &outcome {
                    self.output.write(&result.html(), Paint::Plain)?;
                }
            }
        }
        self.written += 1;
        Ok(())
    }

    /// Writes what belongs behind the last result, and puts the file in its place. A file that was
    /// there before stays if there was one thing and it has no result; forms of CI systems say why,
    /// and replace it.
    pub(crate) fn finish(mut self, summary: Option<&str>) -> Result<(), CommandError> {
        self.write_end(summary)?;
        let is_for_ci =
            matches!(self.format, ReportFormat::Junit | ReportFormat::Sarif | ReportFormat::Github);
        if self.has_result || self.is_list || is_for_ci {
            self.output.finish()?;
        }
        Ok(())
    }

    fn write_end(&mut self, summary: Option<&str>) -> Result<(), CommandError> {
        let text = match self.format {
            ReportFormat::Json if self.is_list && self.written == 0 => "[]\n".to_owned(),
            ReportFormat::Json if self.is_list => "\n]\n".to_owned(),
            ReportFormat::Junit => R::junit(&self.kept, self.fail_on)?,
            ReportFormat::Sarif => R::sarif(&self.kept)?,
            _ if self.overview.is_some() => {
                let render = self.overview.map(|render| render(&self.kept, self.console.lang()));
                render.unwrap_or_default()
            }
            ReportFormat::Human => match summary {
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

    /// In a list for people, its line says it already.
    fn say(&self, subject: &str, target_error: &TargetError) {
        if self.is_list && self.format == ReportFormat::Human {
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
