//! Pieces that the reports in Markdown are made of.

use crate::report::labels::Labels;
use crate::report::paste::PasteBlock;
use crate::report::product;
use crate::text::escape::{MarkdownContext, markdown_block, markdown_code, markdown_sentence};

/// A sentence within a line.
pub(in crate::report) fn prose(sentence: &str) -> String {
    markdown_sentence(sentence, MarkdownContext::Inline)
}

/// A sentence at the start of a paragraph or a list item.
pub(in crate::report) fn start(sentence: &str) -> String {
    markdown_sentence(sentence, MarkdownContext::Start)
}

/// A sentence in a cell of a table.
pub(in crate::report) fn cell(sentence: &str) -> String {
    markdown_sentence(sentence, MarkdownContext::Cell)
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

/// What there is to paste, block by block, with what a person has to know and to fill in.
pub(in crate::report) fn paste(
    blocks: &[PasteBlock<'_>],
    needs_input: (&str, &[String]),
    note: Option<&str>,
) -> String {
    let mut text = String::new();
    text.extend(note.map(|note| format!("\n{}\n", start(note))));
    for block in blocks {
        text.extend(block.heading.as_deref().map(|heading| format!("\n{}\n", start(heading))));
        text.push_str(&format!("\n{}", markdown_block(block.content, block.language)));
    }
    let (label, names) = needs_input;
    if !names.is_empty() {
        let names: Vec<String> =
            names.iter().map(|name| markdown_code(name, MarkdownContext::Inline)).collect();
        text.push_str(&format!("\n{label} {}\n", names.join(", ")));
    }
    text
}

/// A table that is closed until a reader opens it, where Markdown is rendered with HTML.
pub(in crate::report) fn folded(title: &str, table: &str) -> String {
    format!("\n<details><summary>{}</summary>\n\n{table}\n</details>\n", cell(title))
}

/// Sections as one text, the empty ones left out.
pub(in crate::report) fn joined(sections: impl IntoIterator<Item = String>) -> String {
    let kept: Vec<String> = sections.into_iter().filter(|part| !part.is_empty()).collect();
    kept.join("\n").trim_end().to_owned() + "\n"
}

/// The same with each heading one level lower; lines of fenced blocks stay as they are.
pub(in crate::report) fn lower(report: &str) -> String {
    let mut fence = String::new();
    let mut lowered = String::with_capacity(report.len());
    for line in report.split_inclusive('\n') {
        let ticks: String = line.chars().take_while(|ch| *ch == '`').collect();
        if fence.is_empty() {
            if ticks.len() >= 3 {
                fence = ticks;
            } else if line.starts_with('#') {
                lowered.push('#');
            }
        } else if line.trim_end() == fence {
            fence.clear();
        }
        lowered.push_str(line);
    }
    lowered
}

/// A link to the page that explains a check or a signal.
pub(in crate::report) fn explanation(page: &str, labels: Labels) -> String {
    format!("[{}]({page})", labels.label("how-decided"))
}

/// The name of the program, as a link to it.
pub(in crate::report) fn product_link() -> String {
    format!("[{}]({})", product::NAME, product::HOME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_a_block_is_not_a_heading() {
        let text = "## a\n````text\n# b\n```\n# c\n````\n### d\n";
        assert_eq!(lower(text), "### a\n````text\n# b\n```\n# c\n````\n#### d\n");
    }
}
