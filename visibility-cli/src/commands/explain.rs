//! `visibility explain`.

use serde::Serialize;
use visibility_core::audit::signal::Signal;
use visibility_core::audit::signals;
use visibility_core::report::labels::{Labels, sign};
use visibility_core::rubric::Spec;
use visibility_core::rubric::finding::{Outcome, Verdict};
use visibility_core::scan::check::Check;
use visibility_core::scan::checks::{self, CHECKS};
use visibility_core::text::locale::Lang;
use visibility_core::text::nearest::nearest;

use crate::args::{ExplainArgs, ListFormat};
use crate::console::check_entry::{self, CheckEntry};
use crate::console::json::print_json;
use crate::console::signal_entry::{self, SignalEntry};
use crate::console::style::{DIM, HEADING, HINT, for_verdict, paint};
use crate::console::text::wrap;
use crate::console::{self, Console};
use crate::error::CommandError;
use crate::exit_code::Exit;

/// A check or a signal with all its texts, for machines.
#[derive(Debug, Serialize)]
struct Explained<T> {
    #[serde(flatten)]
    entry: T,
    why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    logic: Option<String>,
    outcomes: Vec<OutcomeEntry>,
}

/// One thing that it can say.
#[derive(Debug, Serialize)]
struct OutcomeEntry {
    id: &'static str,
    status: Verdict,
    text: String,
    fix: Option<String>,
}

/// Runs the command.
pub(super) fn run(arguments: &ExplainArgs, console: &Console) -> Result<Exit, CommandError> {
    let labels = console.labels();
    let name = by_title(&arguments.id).unwrap_or(&arguments.id);
    if let Some(check) = checks::find(name) {
        let entry = CheckEntry::new(check, labels);
        let explained = Explained::new(entry, ["checks", check.id], check.outcomes, labels);
        show(&check_head(check, labels), &explained, check.specs, arguments, console)?;
    } else if let Some(signal) = signals::find(name) {
        let entry = SignalEntry::new(signal, labels);
        let explained = Explained::new(entry, ["signals", signal.id], signal.outcomes, labels);
        show(&signal_head(signal, labels), &explained, signal.sources, arguments, console)?;
    } else {
        return Err(unknown(name));
    }
    Ok(Exit::Ok)
}

/// The id of a check or a signal by its title, in any language and case.
fn by_title(text: &str) -> Option<&'static str> {
    let text = folded(text);
    let mut entries = Lang::ALL.into_iter().flat_map(|lang| {
        let labels = Labels::new(lang);
        let checks = CHECKS.iter().map(move |check| (check.id, check_entry::title(check, labels)));
        let signals =
            signals::all().map(move |signal| (signal.id, signal_entry::title(signal, labels)));
        checks.chain(signals)
    });
    entries.find(|(_, title)| folded(title) == text).map(|(id, _)| id)
}

/// A text in lower case; the dotted and the dotless letter of Turkish are one, as shells and keyboards
/// mix them.
fn folded(text: &str) -> String {
    text.trim().to_lowercase().replace("i\u{307}", "i").replace('ı', "i")
}

/// A name that neither a check nor a signal has, with the nearest one.
fn unknown(name: &str) -> CommandError {
    let names = CHECKS
        .iter()
        .map(|check| check.id)
        .chain(signals::all().flat_map(|signal| [signal.id, signal.code]));
    let hint = match nearest(name, names) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "see `visibility checks` and `visibility signals` for all ids".to_owned(),
    };
    CommandError::usage_with(format!("there is no check or signal `{name}`"), hint)
}

fn show<T: Serialize>(
    head: &str,
    explained: &Explained<T>,
    specs: &[Spec],
    arguments: &ExplainArgs,
    console: &Console,
) -> Result<(), CommandError> {
    match arguments.list.format {
        ListFormat::Json => print_json(explained, console),
        ListFormat::Human => console.print(&text(head, explained, specs, console)),
    }
}

impl<T> Explained<T> {
    /// The texts below a path. Sentences keep their placeholders: there is no site to fill them from.
    fn new(entry: T, [section, id]: [&str; 2], outcomes: &[Outcome], labels: Labels) -> Self {
        let catalog = labels.catalog();
        let outcomes = outcomes.iter().map(|outcome| {
            let sentence = |part| catalog.template(&[section, id, "outcomes", outcome.id, part]);
            OutcomeEntry {
                id: outcome.id,
                status: outcome.verdict,
                text: sentence("text").unwrap_or_default(),
                fix: sentence("fix"),
            }
        });
        Self {
            entry,
            why: catalog.text(&[section, id, "why"]),
            logic: catalog.find(&[section, id, "logic"]).map(str::to_owned),
            outcomes: outcomes.collect(),
        }
    }
}

fn check_head(check: &Check, labels: Labels) -> String {
    let surfaces: Vec<String> =
        check.surfaces.iter().map(|surface| labels.surface(*surface)).collect();
    let surfaces =
        if surfaces.is_empty() { labels.label("every-site") } else { surfaces.join(", ") };
    let facts = [
        ("category", labels.category(check.category)),
        ("weight", labels.sentence("score-of", &[("score", &check.weight)])),
        ("maturity", labels.maturity(check.maturity)),
        ("effort", labels.effort(check.effort)),
        ("surfaces", surfaces),
        ("covers", check.covers.join(", ")),
    ];
    head(
        &check_entry::title(check, labels),
        check.id,
        facts.map(|(id, fact)| (labels.label(id), fact)),
    )
}

fn signal_head(signal: &Signal, labels: Labels) -> String {
    let grade = format!("{}: {}", signal.grade.as_str(), labels.grade(signal.grade));
    let name = format!("{}  {}", signal.code, signal.id);
    let facts = [
        (labels.label("pillar"), signal_entry::pillar(signal.pillar, labels)),
        (labels.label("weights"), signal_entry::weights(signal)),
        (labels.audit("grade"), grade),
        (labels.label("effort"), labels.effort(signal.effort)),
    ];
    head(&signal_entry::title(signal, labels), &name, facts)
}

fn head<const N: usize>(title: &str, name: &str, facts: [(String, String); N]) -> String {
    let mut text = format!("{}  {name}\n", paint(HEADING, title));
    for (label, fact) in facts {
        text.push_str(&format!("  {} {fact}\n", paint(DIM, &format!("{label}:"))));
    }
    text
}

fn text<T>(head: &str, explained: &Explained<T>, specs: &[Spec], console: &Console) -> String {
    let (labels, width) = (console.labels(), console::width());
    let mut text = format!("{head}\n{}", paragraph(&explained.why, width));
    if let Some(logic) = &explained.logic {
        text.push_str(&format!("\n{}\n", paint(HEADING, &labels.label("logic"))));
        text.push_str(&paragraph(logic, width));
    }
    text.push_str(&format!("\n{}\n", paint(HEADING, &labels.label("outcomes"))));
    for outcome in &explained.outcomes {
        text.push_str(&self::outcome(outcome, labels, width));
    }
    text.push_str(&format!("\n{}\n", paint(HEADING, &labels.label("specs"))));
    for spec in specs {
        text.push_str(&format!("  {}  {}\n", spec.name, paint(HINT, spec.url)));
    }
    text
}

fn paragraph(text: &str, width: usize) -> String {
    wrap(text, width).iter().map(|line| format!("{line}\n")).collect()
}

fn outcome(outcome: &OutcomeEntry, labels: Labels, width: usize) -> String {
    let style = for_verdict(outcome.status);
    let verdict = labels.verdict(outcome.status);
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
        let label = labels.label("fix");
        let lines: String = wrap(&format!("{label} {fix}"), width.saturating_sub(4))
            .iter()
            .map(|line| format!("    {line}\n"))
            .collect();
        text.push_str(&lines.replacen(&label, &paint(HINT, &label), 1));
    }
    text
}
