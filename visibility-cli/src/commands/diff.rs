//! `visibility diff`.

mod audit;

use anstyle::Style;
use visibility_core::report::diff::{AgentChange, CheckChange, Difference};
use visibility_core::report::labels::{Labels, sign};
use visibility_core::rubric::finding::Verdict;
use visibility_core::scan::result::ScanResult;

use crate::args::{DiffArgs, ListFormat};
use crate::console::Console;
use crate::console::json::print_json;
use crate::console::style::{BAD, DIM, GOOD, HEADING, PLAIN, for_verdict, paint};
use crate::console::text::cut;
use crate::error::CommandError;
use crate::exit_code::Exit;
use crate::saved_results::{self, AnyResult};

/// Runs the command.
pub(super) fn run(arguments: &DiffArgs, console: &Console) -> Result<Exit, CommandError> {
    let before: AnyResult = saved_results::read_one(&arguments.before)?;
    let after: AnyResult = saved_results::read_one(&arguments.after)?;
    match (before, after) {
        (AnyResult::Scan(before), AnyResult::Scan(after)) => {
            scans(&before, &after, arguments, console)
        }
        (AnyResult::Audit(before), AnyResult::Audit(after)) => {
            audit::diff(&before, &after, arguments, console)
        }
        (before, after) => Err(CommandError::usage_with(
            format!(
                "`{}` is {}, and `{}` is {}",
                arguments.before.display(),
                before.kind(),
                arguments.after.display(),
                after.kind()
            ),
            "compare two scans, or two audits",
        )),
    }
}

fn scans(
    before: &ScanResult,
    after: &ScanResult,
    arguments: &DiffArgs,
    console: &Console,
) -> Result<Exit, CommandError> {
    let difference = Difference::between(before, after).map_err(other_rules)?;
    if let Some(other) = &difference.compared_with {
        let message =
            format!("the results are of two different sites, {other} and {}", difference.domain);
        console.note(&cut(&message, 600));
    }
    if arguments.list.format == ListFormat::Json {
        print_json(&difference, console)?;
    } else {
        console.print(&text(&difference, console.labels()))?;
    }
    Ok(if difference.is_regression { Exit::GateFailed } else { Exit::Ok })
}

/// Results that cannot be compared.
fn other_rules(error: impl std::fmt::Display) -> CommandError {
    CommandError::usage_with(
        error.to_string(),
        "create both with the same version of this program: scores of different \
            rubrics cannot be compared",
    )
}

fn text(difference: &Difference, labels: Labels) -> String {
    let mut text = format!("{}\n", paint(HEADING, &cut(&difference.domain, 253)));
    if difference.is_empty() {
        text.push_str(&format!("  {}\n", labels.label("nothing-changed")));
        return text;
    }
    let score = |score: Option<u8>| score.map_or_else(|| "–".to_owned(), |s| s.to_string());
    let tier = |tier: &Option<String>| tier.as_deref().map_or_else(String::new, |t| labels.tier(t));
    let (from, to) = (&difference.score.from, &difference.score.to);
    text.push_str(&format!(
        "  {} → {}\n",
        cut(&format!("{} {}", score(*from), tier(&difference.tier.from)), 60).trim_end(),
        paint(
            if to < from { BAD } else { GOOD },
            cut(&format!("{} {}", score(*to), tier(&difference.tier.to)), 60).trim_end()
        )
    ));
    for check in &difference.checks {
        text.push_str(&check_line(check, labels));
    }
    for agent in &difference.agents {
        text.push_str(&agent_line(agent, labels));
    }
    text.push_str(&listed("new-caps", &difference.new_caps, BAD, labels));
    text.push_str(&listed("lifted-caps", &difference.lifted_caps, GOOD, labels));
    text
}

/// Ids behind a label; nothing without any.
fn listed(label: &str, ids: &[String], style: Style, labels: Labels) -> String {
    if ids.is_empty() {
        return String::new();
    }
    let ids = cut(&ids.join(", "), 400);
    format!("  {}: {}\n", labels.label(label), paint(style, &ids))
}

fn check_line(change: &CheckChange, labels: Labels) -> String {
    verdict_line(&change.title, (change.from, change.to), change.is_regression, labels)
}

/// What a check or a signal said before and after.
fn verdict_line(
    title: &str,
    (from, to): (Option<Verdict>, Option<Verdict>),
    is_regression: bool,
    labels: Labels,
) -> String {
    let name = |verdict: Option<Verdict>| match verdict {
        Some(verdict) => {
            let text = format!("{} {}", sign(verdict), labels.verdict(verdict));
            paint(for_verdict(verdict), &text)
        }
        None => paint(DIM, &labels.label("not-run")),
    };
    let (title, worse) = (cut(title, 60), worse(is_regression, labels));
    format!("  {title} {} → {}  {worse}\n", name(from), name(to))
}

fn agent_line(change: &AgentChange, labels: Labels) -> String {
    format!(
        "  {} {} → {}  {}\n",
        cut(&change.name, 60),
        labels.effective(change.from),
        labels.effective(change.to),
        worse(change.is_regression, labels)
    )
}

fn worse(is_regression: bool, labels: Labels) -> String {
    if is_regression { paint(BAD, &labels.label("worse")) } else { paint(PLAIN, "") }
}
