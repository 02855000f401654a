//! `visibility history`.

use visibility_core::accounts::scope::Scope;
use visibility_core::error::Problem;
use visibility_core::fetch::domain::{Domain, DomainError};
use visibility_core::report::history::{HistoryDay, ScanHistory, in_words};
use visibility_core::report::labels::Labels;
use visibility_core::text::escape::printable;

use crate::args::{HistoryArgs, ListFormat};
use crate::console::output::{Output, Paint};
use crate::console::style::{HEADING, paint};
use crate::console::text::wrap;
use crate::console::{self, Console};
use crate::error::CommandError;
use crate::error::target_error::TargetError;
use crate::exit_code::Exit;
use crate::run::service::ServiceQuestion;

/// Runs the command.
pub(super) fn run(arguments: &HistoryArgs, console: &Console) -> Result<Exit, CommandError> {
    let labels = console.labels();
    let domain: Domain = arguments.domain.parse().map_err(|error: DomainError| {
        TargetError::from_problem(&Problem::from(&error), labels).into_command_error()
    })?;
    let path = format!("/api/v1/agent-readiness/{domain}/history");
    let parameters = [("lang", console.lang().as_str())];
    let question = ServiceQuestion::new(&arguments.service, Scope::ScanRead, &path, &parameters)?;
    let mut output = console.output(arguments.output.as_deref())?;
    let answer = question.ask("application/json")?;
    match arguments.format {
        ListFormat::Human => {
            let history: ScanHistory = answer.read()?;
            write(&history, labels, &mut output)?;
        }
        ListFormat::Json => {
            output.write_part(&answer.body)?;
            output.write("\n", Paint::Plain)?;
        }
    }
    output.finish()?;
    Ok(Exit::Ok)
}

/// The days, the newest first, each above what changed on it.
fn write(history: &ScanHistory, labels: Labels, output: &mut Output) -> Result<(), CommandError> {
    let width = console::width().saturating_sub(4);
    let days = history.days.iter().rev().map(|day| {
        let score = day.score.map_or_else(|| "–".to_owned(), |score| score.to_string());
        let tier = day.tier.as_deref().map(|tier| labels.tier(tier)).unwrap_or_default();
        let tier = printable(&tier);
        let date = paint(HEADING, &day.day.to_string());
        let lines = changes(day, labels).into_iter().flat_map(|sentence| wrap(&sentence, width));
        let changes: String = lines.map(|line| format!("    {line}\n")).collect();
        format!("  {date}  {score:>3}  {tier}\n{changes}")
    });
    let domain = paint(HEADING, &printable(&history.domain));
    output.write(&format!("{domain}\n{}", days.collect::<String>()), Paint::Styled)
}

/// What changed on a day, in sentences.
fn changes(day: &HistoryDay, labels: Labels) -> Vec<String> {
    let Some(before) = day.compared_with else { return vec![labels.label("history-first")] };
    let mut sentences = Vec::new();
    if !day.has_same_rules {
        let values: [(&'static str, &dyn ToString); 1] = [("rubric", &day.rubric_version)];
        sentences.push(labels.sentence("history-new-rules", &values));
    }
    if day.changes.is_empty() {
        sentences.push(labels.sentence("history-nothing", &[("day", &before)]));
    }
    sentences.extend(in_words(&day.changes, labels));
    sentences
}
