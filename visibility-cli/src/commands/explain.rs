//! `visibility explain`.

use serde::Serialize;
use visibility_core::finding::Verdict;
use visibility_core::report::words::{Words, sign};
use visibility_core::scan::check::Check;
use visibility_core::scan::checks;

use super::checks::{CheckEntry, title};
use crate::args::{ExplainArgs, ListFormat};
use crate::commands::print_json;
use crate::console::style::{DIM, HEADING, HINT, of_verdict, paint};
use crate::console::text::wrap;
use crate::console::{self, Console};
use crate::exit_code::Exit;
use crate::failure::CommandFailure;

/// A check with all its texts, for machines.
#[derive(Debug, Serialize)]
struct Explained {
    #[serde(flatten)]
    check: CheckEntry,
    why: String,
    logic: String,
    outcomes: Vec<OutcomeEntry>,
}

/// One thing that a check can say.
#[derive(Debug, Serialize)]
struct OutcomeEntry {
    id: &'static str,
    status: Verdict,
    text: String,
    fix: Option<String>,
}

/// Runs the command.
pub(super) fn run(arguments: &ExplainArgs, console: &Console) -> Result<Exit, CommandFailure> {
    let words = console.words();
    let Some(check) = checks::find(&arguments.check) else {
        return Err(CommandFailure::usage(format!("there is no check `{}`", arguments.check)));
    };
    let explained = Explained {
        check: CheckEntry::of(check, words),
        why: words.catalog().text(&["checks", check.id, "why"]),
        logic: words.catalog().text(&["checks", check.id, "logic"]),
        outcomes: outcomes(check, words),
    };
    if arguments.list.format == ListFormat::Json {
        print_json(&explained, console)?;
    } else {
        console.print(&text(check, &explained, words, console::width()))?;
    }
    Ok(Exit::Ok)
}

/// Sentences with their placeholders open: there is no site to fill them from.
fn outcomes(check: &Check, words: Words) -> Vec<OutcomeEntry> {
    let entries = check.outcomes.iter().map(|outcome| {
        let sentence = |part| {
            let path = ["checks", check.id, "outcomes", outcome.id, part];
            words.catalog().find(&path).map(str::to_owned)
        };
        OutcomeEntry {
            id: outcome.id,
            status: outcome.verdict,
            text: sentence("text").unwrap_or_default(),
            fix: sentence("fix"),
        }
    });
    entries.collect()
}

fn text(check: &Check, explained: &Explained, words: Words, width: usize) -> String {
    let surfaces: Vec<String> =
        check.surfaces.iter().map(|surface| words.surface(*surface)).collect();
    let surfaces =
        if surfaces.is_empty() { words.label("every-site") } else { surfaces.join(", ") };
    let mut text = format!("{}  {}\n", paint(HEADING, &title(check, words)), check.id);
    for (label, value) in [
        ("category", words.category(check.category)),
        ("weight", words.sentence("score-of", &[("score", &check.weight)])),
        ("maturity", words.maturity(check.maturity)),
        ("effort", words.effort(check.effort)),
        ("surfaces", surfaces),
    ] {
        text.push_str(&format!("  {} {value}\n", paint(DIM, &format!("{}:", words.label(label)))));
    }
    text.push('\n');
    text.push_str(&paragraph(&explained.why, width));
    text.push_str(&format!("\n{}\n", paint(HEADING, &words.label("logic"))));
    text.push_str(&paragraph(&explained.logic, width));
    text.push_str(&format!("\n{}\n", paint(HEADING, &words.label("outcomes"))));
    for outcome in &explained.outcomes {
        text.push_str(&self::outcome(outcome, words, width));
    }
    text.push_str(&format!("\n{}\n", paint(HEADING, &words.label("specs"))));
    for spec in check.specs {
        text.push_str(&format!("  {}  {}\n", spec.name, paint(HINT, spec.url)));
    }
    text
}

fn paragraph(text: &str, width: usize) -> String {
    wrap(text, width).iter().map(|line| format!("{line}\n")).collect()
}

fn outcome(outcome: &OutcomeEntry, words: Words, width: usize) -> String {
    let style = of_verdict(outcome.status);
    let verdict = words.verdict(outcome.status);
    let mut text = format!(
        "  {} {} {}\n",
        paint(style.bold(), sign(outcome.status)),
        paint(style, &verdict),
        paint(DIM, outcome.id)
    );
    for line in wrap(&outcome.text, width.saturating_sub(4)) {
        text.push_str(&format!("    {line}\n"));
    }
    if let Some(fix) = &outcome.fix {
        let label = words.label("fix");
        let lines = wrap(&format!("{label} {fix}"), width.saturating_sub(4));
        let lines: String = lines.iter().map(|line| format!("    {line}\n")).collect();
        text.push_str(&lines.replacen(&label, &paint(HINT, &label), 1));
    }
    text
}
