//! Renders a result in each output format.

use serde::Serialize;
use visibility_core::audit::result::AuditResult;
use visibility_core::limits::MAX_URL_BYTES;
use visibility_core::report::audit::Audited;
use visibility_core::report::junit::{FailOn, FailedTarget};
use visibility_core::report::{audit, github, html, junit, markdown, prompt, sarif};
use visibility_core::scan::result::ScanResult;
use visibility_core::text::locale::Lang;

use crate::args::ReportFormat;
use crate::console::page::Detail;
use crate::console::{self, brief, report};
use crate::error::CommandError;

/// The outcome for one target, and its file if it is one.
#[derive(Debug)]
pub(crate) struct ReportEntry<R> {
    pub(crate) file: Option<String>,
    pub(crate) outcome: Result<R, FailedTarget>,
}

/// Renders several results as one report, with an overview in this language.
pub(crate) type Overview<R> = fn(&[ReportEntry<R>], Lang) -> String;

/// A result that can be shown.
pub(crate) trait Report: Serialize + Sized {
    /// The member of the JSON that says what was judged.
    const SUBJECT: &'static str;
    /// Characters of a subject that are worth showing.
    const MAX_SUBJECT: usize;

    /// The whole report for a terminal, under the name that the subject was given.
    /// `again` is the command that leads to it once more; `None` if there is none.
    fn page(&self, subject: &str, again: Option<&str>, width: usize, detail: Detail) -> String;
    /// The score alone.
    fn score_line(&self) -> String;
    /// One line of a list.
    fn line(&self, subject: &str, width: usize) -> String;
    /// Markdown.
    fn markdown(&self) -> String;
    /// A task for a coding agent, which proves its work with a command.
    fn prompt(&self, again: Option<&str>) -> String;
    /// A page of HTML.
    fn html(&self) -> String;
    /// An annotation of GitHub for each thing to look at, in the file that the result is about.
    fn github(&self, file: Option<&str>) -> String;
    /// JUnit, for several results.
    fn junit(results: &[ReportEntry<Self>], fail_on: FailOn) -> Result<String, CommandError>;
    /// SARIF, for several results.
    fn sarif(results: &[ReportEntry<Self>]) -> Result<String, CommandError>;

    /// Several results as one report behind an overview, if this form has one.
    fn overview(format: ReportFormat) -> Option<Overview<Self>> {
        let _ = format;
        None
    }
}

fn outcomes<R>(results: &[ReportEntry<R>]) -> Vec<Result<&R, &FailedTarget>> {
    results.iter().map(|entry| entry.outcome.as_ref()).collect()
}

impl Report for ScanResult {
    const SUBJECT: &'static str = "domain";
    const MAX_SUBJECT: usize = 253;

    fn page(&self, _subject: &str, again: Option<&str>, width: usize, detail: Detail) -> String {
        report::render(self, again, width, detail)
    }

    fn score_line(&self) -> String {
        report::score_line(self)
    }

    fn line(&self, _subject: &str, width: usize) -> String {
        brief::result(self, width)
    }

    fn markdown(&self) -> String {
        markdown::render(self)
    }

    fn prompt(&self, again: Option<&str>) -> String {
        again.map_or_else(|| prompt::render(self), |command| prompt::render_with(self, command))
    }

    fn html(&self) -> String {
        html::render(self).into_string()
    }

    fn github(&self, _file: Option<&str>) -> String {
        github::scan(self)
    }

    fn junit(results: &[ReportEntry<Self>], fail_on: FailOn) -> Result<String, CommandError> {
        let results = outcomes(results);
        junit::render(&results, fail_on).map_err(|error| CommandError::unwritable("JUnit", error))
    }

    fn sarif(results: &[ReportEntry<Self>]) -> Result<String, CommandError> {
        let results = outcomes(results);
        sarif::scans(&results).map_err(|error| CommandError::unwritable("SARIF", error))
    }

    fn overview(format: ReportFormat) -> Option<Overview<Self>> {
        match format {
            ReportFormat::Html => {
                Some(|results, lang| html::render_several(&outcomes(results), lang).into_string())
            }
            ReportFormat::Markdown => {
                Some(|results, lang| markdown::render_several(&outcomes(results), lang))
            }
            _ => None,
        }
    }
}

impl Report for AuditResult {
    const SUBJECT: &'static str = "url";
    const MAX_SUBJECT: usize = MAX_URL_BYTES;

    fn page(&self, subject: &str, again: Option<&str>, width: usize, detail: Detail) -> String {
        console::audit::render(self, subject, again, width, detail)
    }

    fn score_line(&self) -> String {
        console::audit::score_line(self)
    }

    fn line(&self, subject: &str, width: usize) -> String {
        brief::audit(self, subject, width)
    }

    fn markdown(&self) -> String {
        audit::markdown::render(self)
    }

    fn prompt(&self, again: Option<&str>) -> String {
        again.map_or_else(
            || audit::prompt::render(self),
            |command| audit::prompt::render_with(self, command),
        )
    }

    fn html(&self) -> String {
        audit::html::render(self).into_string()
    }

    fn github(&self, file: Option<&str>) -> String {
        github::audit(&Audited { result: self, file })
    }

    fn junit(results: &[ReportEntry<Self>], fail_on: FailOn) -> Result<String, CommandError> {
        let results = outcomes(results);
        audit::junit::render(&results, fail_on)
            .map_err(|error| CommandError::unwritable("JUnit", error))
    }

    fn sarif(results: &[ReportEntry<Self>]) -> Result<String, CommandError> {
        let audited: Vec<_> = results
            .iter()
            .map(|entry| {
                let file = entry.file.as_deref();
                entry.outcome.as_ref().map(|result| Audited { result, file })
            })
            .collect();
        sarif::audits(&audited).map_err(|error| CommandError::unwritable("SARIF", error))
    }

    fn overview(format: ReportFormat) -> Option<Overview<Self>> {
        match format {
            ReportFormat::Html => Some(|results, lang| {
                audit::html::render_several(&outcomes(results), lang).into_string()
            }),
            ReportFormat::Markdown => {
                Some(|results, lang| audit::markdown::render_several(&outcomes(results), lang))
            }
            _ => None,
        }
    }
}
