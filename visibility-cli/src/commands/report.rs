//! What a command shows of one result, in each of its forms.

use serde::Serialize;
use visibility_core::report::junit::{FailOn, Missing};
use visibility_core::report::{html, junit, markdown, prompt};
use visibility_core::scan::result::ScanResult;

use crate::console::{brief, report};
use crate::failure::CommandFailure;

/// A result that can be shown.
pub(crate) trait Report: Serialize + Sized {
    /// The member of the JSON that says what was judged.
    const SUBJECT: &'static str;
    /// Characters of a subject that are worth showing.
    const MAX_SUBJECT: usize;

    /// The whole report for a terminal, under the name that the subject was given.
    fn page(&self, subject: &str, width: usize) -> String;
    /// The score alone.
    fn score_line(&self) -> String;
    /// One line of a list.
    fn line(&self, subject: &str, width: usize) -> String;
    /// Markdown.
    fn markdown(&self) -> String;
    /// A task for a coding agent.
    fn prompt(&self) -> String;
    /// A page of HTML.
    fn html(&self) -> String;
    /// JUnit, for several results.
    fn junit(
        results: &[Result<&Self, &Missing>],
        fail_on: FailOn,
    ) -> Result<String, CommandFailure>;
}

impl Report for ScanResult {
    const SUBJECT: &'static str = "domain";
    const MAX_SUBJECT: usize = 253;

    fn page(&self, _subject: &str, width: usize) -> String {
        report::render(self, width)
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

    fn prompt(&self) -> String {
        prompt::render(self)
    }

    fn html(&self) -> String {
        html::render(self)
    }

    fn junit(
        results: &[Result<&Self, &Missing>],
        fail_on: FailOn,
    ) -> Result<String, CommandFailure> {
        junit::render(results, fail_on).map_err(CommandFailure::junit)
    }
}
