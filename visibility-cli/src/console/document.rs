//! A text for people in parts, for the terminal and as Markdown.

use visibility_core::text::escape::{MarkdownContext, markdown_sentence, printable};

use crate::console::style::{DIM, HEADING, paint};
use crate::console::table::Table;
use crate::console::text::wrap;

/// Columns before everything but headings.
const INDENT: usize = 2;

/// A part of a text.
#[derive(Clone, Debug)]
enum Part {
    Title(String),
    Heading(String),
    Paragraph(String),
    /// What explains the part before it.
    Note(String),
    Table(Table),
}

/// A text in parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Document {
    parts: Vec<Part>,
}

impl Document {
    /// What the text, or the next half of it, is about.
    pub(crate) fn title(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Title(text.into()));
    }

    /// What the next parts are about.
    pub(crate) fn heading(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Heading(text.into()));
    }

    /// Sentences.
    pub(crate) fn paragraph(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Paragraph(text.into()));
    }

    /// Sentences that explain the part before them.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Note(text.into()));
    }

    /// Rows under titles.
    pub(crate) fn table(&mut self, table: Table) {
        self.parts.push(Part::Table(table));
    }

    /// The text for a terminal of so many columns.
    pub(crate) fn terminal(&self, width: usize) -> String {
        let mut text = String::new();
        let mut before: Option<&Part> = None;
        for part in &self.parts {
            if has_gap(before, part) {
                text.push('\n');
            }
            text.push_str(&in_terminal(part, width));
            before = Some(part);
        }
        text
    }

    /// The text as Markdown, for trackers, mails and chats.
    pub(crate) fn markdown(&self) -> String {
        let parts: Vec<String> = self.parts.iter().map(in_markdown).collect();
        parts.join("\n")
    }
}

/// Whether a blank line is between two parts in a terminal.
fn has_gap(before: Option<&Part>, part: &Part) -> bool {
    let Some(before) = before else { return false };
    if matches!(before, Part::Title(_) | Part::Heading(_)) {
        return false;
    }
    let goes_on = matches!(before, Part::Paragraph(_)) && matches!(part, Part::Paragraph(_));
    !goes_on && !matches!(part, Part::Note(_))
}

fn in_terminal(part: &Part, width: usize) -> String {
    match part {
        Part::Title(text) | Part::Heading(text) => {
            format!("{}\n", paint(HEADING, &printable(text)))
        }
        Part::Paragraph(text) => format!("{}\n", indented(text, width)),
        Part::Note(text) => format!("{}\n", paint(DIM, &indented(text, width))),
        Part::Table(table) => table.render(INDENT, width),
    }
}

fn indented(text: &str, width: usize) -> String {
    let lines = wrap(text, width.saturating_sub(INDENT));
    let lines: Vec<String> = lines.iter().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}

fn in_markdown(part: &Part) -> String {
    let text = |text: &str| markdown_sentence(text, MarkdownContext::Start);
    match part {
        Part::Title(title) => format!("# {}\n", text(title)),
        Part::Heading(heading) => format!("## {}\n", text(heading)),
        Part::Paragraph(sentences) | Part::Note(sentences) => format!("{}\n", text(sentences)),
        Part::Table(table) => table.markdown(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::table::Cell;

    fn document() -> Document {
        let mut table = Table::new(&["path", "requests"]);
        table.push([Cell::path("/a"), Cell::number("1")]);
        let mut document = Document::default();
        document.title("One");
        document.paragraph("First.");
        document.paragraph("# <b>, as `a|b` says.");
        document.table(table.clone());
        document.note("What it means.");
        document.heading("More");
        document.table(table);
        document.paragraph("Last.");
        document
    }

    #[test]
    fn a_terminal_gets_blank_lines_between_what_is_apart() {
        let text = anstream::adapter::strip_str(&document().terminal(80)).to_string();
        assert_eq!(
            text,
            "One\n  First.\n  # <b>, as `a|b` says.\n\n  path  requests\n  /a           1\n  What it means.\n\n\
             More\n  path  requests\n  /a           1\n\n  Last.\n"
        );
    }

    #[test]
    fn markdown_has_headings_and_tables() {
        let table = "| path | requests |\n| --- | ---: |\n| `/a` | 1 |\n";
        assert_eq!(
            document().markdown(),
            format!(
                "# One\n\nFirst.\n\n\\# \\<b\\>, as `a|b` says.\n\n{table}\nWhat it means.\n\n## More\n\n{table}\nLast.\n"
            )
        );
    }
}
