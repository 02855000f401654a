//! Results in the form that was asked for, each as soon as it may be shown.

use serde::Serialize;
use visibility_core::report::escape::{Place, markdown_sentence, printable};
use visibility_core::report::junit::{self, FailOn, Missing};
use visibility_core::report::{html, markdown, prompt};
use visibility_core::scan::result::ScanResult;

use super::site::{DomainFailure, Scanned};
use crate::args::{ScanArgs, ScanFormat};
use crate::commands::json;
use crate::console::output::{Output, Paint};
use crate::console::style::{ERROR, HINT, paint};
use crate::console::{self, Console, brief, report};
use crate::failure::CommandFailure;

/// Writes results.
#[derive(Debug)]
pub(super) struct Writer {
    console: Console,
    output: Output,
    format: ScanFormat,
    is_list: bool,
    fail_on: FailOn,
    written: usize,
    has_result: bool,
    /// JUnit reports count before they list.
    kept: Vec<Result<ScanResult, Missing>>,
}

/// A domain without a result, for machines.
#[derive(Serialize)]
struct ErrorLine<'a, T> {
    domain: &'a str,
    error: T,
}

impl Writer {
    /// Opens the output.
    pub(super) fn new(
        console: &Console,
        arguments: &ScanArgs,
        is_list: bool,
    ) -> Result<Self, CommandFailure> {
        Ok(Self {
            console: console.clone(),
            output: console.output(arguments.output.output.as_deref())?,
            format: arguments.output.format,
            is_list,
            fail_on: arguments.gates.fail_on.map(FailOn::from).unwrap_or_default(),
            written: 0,
            has_result: false,
            kept: Vec::new(),
        })
    }

    /// Whether there may be several results.
    pub(super) fn is_list(&self) -> bool {
        self.is_list
    }

    /// Writes what came of a domain. Failures are said on standard error, too.
    pub(super) fn write(&mut self, scanned: Scanned) -> Result<(), CommandFailure> {
        let Scanned { domain, outcome } = scanned;
        if let Err(failure) = &outcome {
            self.say(&domain, failure);
        }
        self.has_result |= outcome.is_ok();
        match self.format {
            ScanFormat::Junit => {
                let kept = outcome.map_err(|failure| failure.missing(&domain));
                self.kept.push(kept);
                return Ok(());
            }
            ScanFormat::Json => self.write_json(&domain, &outcome)?,
            ScanFormat::Ndjson => {
                let line = match &outcome {
                    Ok(result) => serde_json::to_string(result),
                    Err(failure) => serde_json::to_string(&ErrorLine {
                        domain: &domain,
                        error: failure.error_object(),
                    }),
                };
                let line = line.map_err(|error| {
                    CommandFailure::internal("JSON could not be written", error)
                })?;
                self.output.write(&format!("{line}\n"), Paint::Plain)?;
            }
            ScanFormat::Human => self.write_human(&domain, &outcome)?,
            ScanFormat::Markdown | ScanFormat::Prompt => self.write_text(&domain, &outcome)?,
            ScanFormat::Html => {
                if let Ok(result) = &outcome {
                    self.output.write(&html::render(result), Paint::Plain)?;
                }
            }
        }
        self.written += 1;
        Ok(())
    }

    /// Writes what belongs behind the last result, and puts the file in its place. A file that was
    /// there before stays if its one domain has no result; JUnit reports say why, and replace it.
    pub(super) fn finish(mut self) -> Result<(), CommandFailure> {
        self.write_end()?;
        if self.has_result || self.is_list || self.format == ScanFormat::Junit {
            self.output.finish()?;
        }
        Ok(())
    }

    fn write_end(&mut self) -> Result<(), CommandFailure> {
        match self.format {
            ScanFormat::Json if self.is_list => {
                let end = if self.written == 0 { "[]\n" } else { "\n]\n" };
                self.output.write(end, Paint::Plain)
            }
            ScanFormat::Junit => {
                let results: Vec<_> = self.kept.iter().map(Result::as_ref).collect();
                let xml = junit::render(&results, self.fail_on).map_err(|error| {
                    CommandFailure::internal("the JUnit report could not be written", error)
                })?;
                self.output.write(&xml, Paint::Plain)
            }
            _ => Ok(()),
        }
    }

    fn write_json(
        &mut self,
        domain: &str,
        outcome: &Result<ScanResult, DomainFailure>,
    ) -> Result<(), CommandFailure> {
        let text = match outcome {
            Ok(result) => json(result)?,
            Err(failure) => json(&ErrorLine { domain, error: failure.error_object() })?,
        };
        let text = match (self.is_list, self.written) {
            (false, _) => text,
            (true, 0) => format!("[\n{}", text.trim_end()),
            (true, _) => format!(",\n{}", text.trim_end()),
        };
        self.output.write(&text, Paint::Plain)
    }

    fn write_human(
        &mut self,
        domain: &str,
        outcome: &Result<ScanResult, DomainFailure>,
    ) -> Result<(), CommandFailure> {
        let width = console::width();
        let text = match (outcome, self.is_list) {
            (Ok(result), false) if self.console.is_quiet() => {
                format!("{}\n", report::score_line(result, self.console.words()))
            }
            (Ok(result), false) => report::render(result, width),
            (Ok(result), true) => brief::result(result, width),
            (Err(failure), true) => {
                brief::failure(domain, &failure.message, failure.hint.as_deref(), width)
            }
            (Err(_), false) => return Ok(()),
        };
        self.output.write(&text, Paint::Styled)
    }

    fn write_text(
        &mut self,
        domain: &str,
        outcome: &Result<ScanResult, DomainFailure>,
    ) -> Result<(), CommandFailure> {
        let text = match outcome {
            Ok(result) if self.format == ScanFormat::Prompt => prompt::render(result),
            Ok(result) => markdown::render(result),
            Err(failure) => {
                let prose = |text| markdown_sentence(text, Place::Start);
                format!("# {}\n\n{}\n", prose(domain), prose(&failure.message))
            }
        };
        let gap = if self.written == 0 { "" } else { "\n" };
        self.output.write(&format!("{gap}{text}"), Paint::Plain)
    }

    /// In a list for people, the line of the domain says it already.
    fn say(&self, domain: &str, failure: &DomainFailure) {
        if self.is_list && self.format == ScanFormat::Human {
            return;
        }
        let domain: String = domain.chars().take(253).collect();
        let mut text = format!(
            "{} {}: {}",
            paint(ERROR, "error:"),
            printable(&domain),
            printable(&failure.message)
        );
        if let Some(hint) = &failure.hint {
            let hint = printable(hint);
            text.push_str(&format!("\n  {} {hint}", paint(HINT, "hint:")));
        }
        self.console.say(&text);
    }
}
