//! Prints the differences between two audits of a page.

use visibility_core::audit::cap::AuditCap;
use visibility_core::audit::result::AuditResult;
use visibility_core::audit::result::StatedProfile;
use visibility_core::report::audit::diff::AuditDifference;
use visibility_core::report::labels::Labels;

use super::{listed, other_rules, verdict_line};
use crate::args::{DiffArgs, ListFormat};
use crate::console::Console;
use crate::console::json::print_json;
use crate::console::style::{BAD, GOOD, HEADING, paint};
use crate::console::text::cut;
use crate::error::CommandError;
use crate::exit_code::Exit;

/// Compares two audits.
pub(super) fn diff(
    before: &AuditResult,
    after: &AuditResult,
    arguments: &DiffArgs,
    console: &Console,
) -> Result<Exit, CommandError> {
    let difference = AuditDifference::between(before, after).map_err(other_rules)?;
    if let Some(other) = &difference.compared_with {
        let message =
            format!("the results are of two different pages, {other} and {}", difference.url);
        console.note(&cut(&message, 600));
    }
    match arguments.list.format {
        ListFormat::Json => print_json(&difference, console)?,
        ListFormat::Human => console.print(&text(&difference, console.labels()))?,
    }
    Ok(if difference.is_regression { Exit::GateFailed } else { Exit::Ok })
}

fn text(difference: &AuditDifference, labels: Labels) -> String {
    let mut text = format!("{}\n", paint(HEADING, &cut(&difference.url, 253)));
    if difference.is_empty() {
        text.push_str(&format!("  {}\n", labels.label("nothing-changed")));
        return text;
    }
    let score = |score: u8, band: &Option<String>| {
        let band = band.as_deref().map_or_else(String::new, |band| labels.band(band));
        cut(format!("{score} {band}").trim_end(), 60)
    };
    let (from, to) = (&difference.score.from, &difference.score.to);
    text.push_str(&format!(
        "  {} → {}\n",
        score(*from, &difference.band.from),
        paint(if to < from { BAD } else { GOOD }, &score(*to, &difference.band.to))
    ));
    let status = &difference.status;
    if status.from != status.to {
        let style = if status.to.has_page() { GOOD } else { BAD };
        let to = paint(style, &labels.status(status.to));
        text.push_str(&format!("  {} → {to}\n", labels.status(status.from)));
    }
    let kinds = (difference.profile.from, difference.profile.to);
    if let (Some(from), Some(to)) = kinds
        && from != to
    {
        let label = |kind: StatedProfile| labels.catalog().text(&["profiles", kind.as_str()]);
        let change = format!("{} → {}", label(from), label(to));
        let kind = labels.audit_sentence("kind", &[("label", &change)]);
        text.push_str(&format!("  {kind}\n"));
    }
    for signal in &difference.signals {
        let title = format!("{} {}", signal.code, signal.title);
        text.push_str(&verdict_line(
            &title,
            (signal.from, signal.to),
            signal.is_regression,
            labels,
        ));
    }
    let ids =
        |gates: &[AuditCap]| gates.iter().map(|gate| gate.as_str().to_owned()).collect::<Vec<_>>();
    text.push_str(&listed("closed-gates", &ids(&difference.closed_gates), BAD, labels));
    text.push_str(&listed("opened-gates", &ids(&difference.opened_gates), GOOD, labels));
    text
}
