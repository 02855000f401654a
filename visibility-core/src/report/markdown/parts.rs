//! Pieces that the reports in Markdown are made of.

use crate::report::escape::{Place, markdown_sentence};

/// A sentence within a line.
pub(in crate::report) fn prose(sentence: &str) -> String {
    markdown_sentence(sentence, Place::Inline)
}

/// A sentence at the start of a paragraph or a list item.
pub(in crate::report) fn start(sentence: &str) -> String {
    markdown_sentence(sentence, Place::Start)
}

/// A sentence in a cell of a table.
pub(in crate::report) fn cell(sentence: &str) -> String {
    markdown_sentence(sentence, Place::Cell)
}

/// The head of a table; columns of numbers are right-aligned.
pub(in crate::report) fn header(columns: &[(&str, bool)]) -> String {
    let titles: Vec<String> = columns.iter().map(|(title, _)| cell(title)).collect();
    let rules = columns.iter().map(|(_, is_number)| if *is_number { "---:" } else { "---" });
    format!("{}| {} |\n", row(&titles), rules.collect::<Vec<_>>().join(" | "))
}

/// A row of a table, whose cells are escaped.
pub(in crate::report) fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// A link that shows its address; nothing for what is not asked for over TLS.
pub(in crate::report) fn link(url: &str) -> Option<String> {
    url.starts_with("https://").then(|| format!("<{}>", link_target(url)))
}

/// What an autolink can hold: no angle brackets, no spaces, no controls.
fn link_target(url: &str) -> String {
    url.chars().filter(|ch| !ch.is_whitespace() && !matches!(ch, '<' | '>')).collect()
}

/// Sections as one text, the empty ones left out.
pub(in crate::report) fn joined(sections: impl IntoIterator<Item = String>) -> String {
    let kept: Vec<String> = sections.into_iter().filter(|part| !part.is_empty()).collect();
    kept.join("\n").trim_end().to_owned() + "\n"
}
