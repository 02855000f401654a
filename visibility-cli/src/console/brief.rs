//! One line for each of several domains or pages.

use anstyle::Style;
use visibility_core::audit::result::AuditResult;
use visibility_core::report::audit::{band, lost};
use visibility_core::report::labels::{Labels, sign};
use visibility_core::report::scale;
use visibility_core::rubric::finding::Verdict;
use visibility_core::scan::result::ScanResult;

use crate::console::style::{BAD, for_band, for_tier, for_verdict, paint};
use crate::console::text::{columns, cut, cut_start, pad, wrap};

/// Columns of a domain; longer ones push the rest aside.
const DOMAIN: usize = 24;
/// Columns of a tier.
const TIER: usize = 13;
/// Columns of a page, of which the end tells more than the beginning.
const PAGE: usize = 36;
/// Columns of a band.
const BAND: usize = 10;
/// Fewer columns say nothing about a check.
const LEAST: usize = 16;
/// The indent of lines below a row.
const INDENT: &str = "      ";

/// A result in one line: score, domain, tier and what costs most.
pub(crate) fn result(result: &ScanResult, width: usize) -> String {
    let labels = Labels::for_result(result);
    let tier = match (&result.tier_label, &result.tier) {
        (Some(label), _) => cut(label, 16),
        (None, Some(tier)) => labels.tier(tier),
        (None, None) => String::new(),
    };
    let label = pad(&tier, TIER);
    let row = Row {
        score: result.score.map(|score| score.to_string()),
        name: pad(&cut(&result.domain, 253), DOMAIN.min(room_for_name(&label, width))),
        label,
        style: for_tier(result.tier.as_deref()),
    };
    let worst = scale::worst_problem(result).map(|(verdict, title, summary)| {
        (verdict, summary.map_or_else(|| title.to_owned(), |summary| worst_of(title, summary)))
    });
    row.render(worst, width)
}

/// An audit in one line: score, page, band and what costs most.
pub(crate) fn audit(result: &AuditResult, name: &str, width: usize) -> String {
    let labels = Labels::for_lang(&result.lang);
    let has_page = result.status.has_page();
    let label = pad(&cut(&band(result, labels), 16), BAND);
    let columns = PAGE.min(room_for_name(&label, width));
    let row = Row {
        score: has_page.then(|| result.gpt_visibility_score.to_string()),
        name: pad(&cut_start(name, columns), columns),
        label,
        style: for_band(result.band.as_deref()),
    };
    let worst = lost::worst(result);
    let worst = worst.first().map(|worst| (worst.status, worst_of(&worst.title, &worst.summary)));
    let why = (!has_page).then(|| (Verdict::Fail, result.summary.clone()));
    row.render(why.or(worst), width)
}

/// Columns between the score and a label.
fn room_for_name(label: &str, width: usize) -> usize {
    width.saturating_sub(columns(label.trim_end()) + 5)
}

fn worst_of(title: &str, summary: &str) -> String {
    format!("{title}: {summary}")
}

/// The beginning of a line.
struct Row {
    score: Option<String>,
    name: String,
    label: String,
    style: Style,
}

impl Row {
    /// The line, with what costs most if there is room for it.
    fn render(&self, worst: Option<(Verdict, String)>, width: usize) -> String {
        let Self { score, name, label, style } = self;
        let score = score.as_deref().unwrap_or("–");
        let start = format!("{score:>3} {name} {label} ");
        let room = width.saturating_sub(columns(&start) + 2);
        let worst = worst.filter(|_| room >= LEAST).map(|(verdict, text)| {
            format!("{} {}", paint(for_verdict(verdict), sign(verdict)), cut(&text, room))
        });
        let line = format!(
            "{} {name} {} {}",
            paint(style.bold(), &format!("{score:>3}")),
            paint(*style, label),
            worst.unwrap_or_default()
        );
        format!("{}\n", line.trim_end())
    }
}

/// A domain or a page without a result, why, and what to do about it.
pub(crate) fn failure(domain: &str, message: &str, hint: Option<&str>, width: usize) -> String {
    let domain = pad(&cut(domain, 253), DOMAIN);
    let room = width.saturating_sub(columns(&domain) + 5).max(INDENT.len());
    let mut lines = wrap(message, room).into_iter();
    let first = lines.next().unwrap_or_default();
    let mut text = format!("{} {domain} {first}\n", paint(BAD, "  ✗"));
    let hint = hint.map(|hint| wrap(hint, width.saturating_sub(INDENT.len())));
    for line in lines.chain(hint.into_iter().flatten()) {
        text.push_str(&format!("{INDENT}{line}\n"));
    }
    text
}
