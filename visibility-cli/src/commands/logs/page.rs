//! The outcome of a batch as text for people.

use visibility_core::ingest::Reason;
use visibility_core::report::batch::{
    LineSample, MAX_LINES, ReasonSummary, Rejections, advice, meaning,
};
use visibility_core::report::labels::Labels;
use visibility_core::store::Counts;

use crate::console::style::{BAD, DIM, GOOD, HEADING, paint};
use crate::console::table::{Cell, Table};
use crate::console::text::{columns, pad, wrap};

/// Lines that are shown in a row.
const MAX_SHOWN: usize = 3;
/// Fields of one reason that get a row of their own.
const MAX_ROWS: usize = 8;

/// The result in one line.
pub(super) fn title(name: &str, counts: &Counts, labels: Labels) -> String {
    let values: [(&str, &dyn ToString); 3] =
        [("name", &name), ("received", &counts.received), ("rejected", &counts.rejected)];
    let (sign, style, id) = if counts.rejected == 0 {
        ("✓", GOOD, "batch-good")
    } else {
        ("✗", BAD, "batch-title")
    };
    let text = wrap(&labels.sentence(id, &values), usize::MAX).join(" ");
    format!("{} {}\n", paint(style, sign), paint(HEADING, &text))
}

/// The result with its counts, the reasons, and what to do about each.
pub(super) fn render(
    name: &str,
    counts: &Counts,
    rejections: &Rejections,
    labels: Labels,
    width: usize,
) -> String {
    let mut text = title(name, counts, labels);
    text.push('\n');
    text.push_str(&numbers(counts, labels));
    if counts.rejected == 0 {
        return text;
    }
    text.push_str(&format!("\n{}\n", paint(HEADING, &labels.label("why-rejected"))));
    text.push_str(&table(rejections, labels, width));
    text.push_str(&format!("\n{}\n", paint(HEADING, &labels.label("what-to-do"))));
    for (reason, _) in rejections.iter() {
        text.push_str(&advised(reason, labels, width));
    }
    text
}

fn numbers(counts: &Counts, labels: Labels) -> String {
    let rows = [
        ("received", counts.received),
        ("accepted", counts.accepted),
        ("rejected", counts.rejected),
    ]
    .map(|(id, number)| (labels.label(id), number.to_string()));
    let label_width = rows.iter().map(|(label, _)| columns(label)).max().unwrap_or_default();
    let number_width = rows.iter().map(|(_, number)| number.len()).max().unwrap_or_default();
    rows.iter()
        .map(|(label, number)| {
            format!("  {}  {number:>number_width$}\n", paint(DIM, &pad(label, label_width)))
        })
        .collect()
}

fn table(rejections: &Rejections, labels: Labels, width: usize) -> String {
    let titles = ["reason", "field", "records", "first-lines"].map(|id| labels.label(id));
    let mut table = Table::new(&titles.each_ref().map(String::as_str));
    for (reason, found) in rejections.iter() {
        for (field, lines) in rows(found, labels) {
            table.push([
                Cell::from(reason.as_str()),
                Cell::from(field),
                Cell::from(lines.count.to_string()),
                Cell::styled(first(&lines), DIM),
            ]);
        }
    }
    table.render(2, width)
}

/// The fields of a reason, those of most records first; the last row is for all others.
fn rows(found: &ReasonSummary, labels: Labels) -> Vec<(String, LineSample)> {
    let mut fields: Vec<(&String, &LineSample)> = found.fields.iter().collect();
    fields.sort_by_key(|(name, lines)| (std::cmp::Reverse(lines.count), (*name).clone()));
    let mut others = found.others.clone();
    for (_, lines) in fields.iter().skip(MAX_ROWS) {
        others.count += lines.count;
        others.first.extend(&lines.first);
    }
    fields.truncate(MAX_ROWS);
    others.first.sort_unstable();
    others.first.truncate(MAX_LINES);
    let no_field = if fields.is_empty() { "–".to_owned() } else { labels.label("other-fields") };
    let mut rows: Vec<(String, LineSample)> =
        fields.into_iter().map(|(name, lines)| (name.clone(), lines.clone())).collect();
    if others.count > 0 {
        rows.push((no_field, others));
    }
    rows
}

fn first(lines: &LineSample) -> String {
    let mut text: Vec<String> = lines.first.iter().take(MAX_SHOWN).map(u64::to_string).collect();
    if lines.count > text.len() as u64 {
        text.push("…".to_owned());
    }
    text.join(", ")
}

fn advised(reason: Reason, labels: Labels, width: usize) -> String {
    let mut text = String::new();
    let title = format!("{}: {}", reason.as_str(), meaning(reason, labels));
    for line in wrap(&title, width.saturating_sub(2)) {
        text.push_str(&format!("  {line}\n"));
    }
    for line in wrap(&advice(reason, labels), width.saturating_sub(4)) {
        text.push_str(&format!("    {line}\n"));
    }
    text
}
