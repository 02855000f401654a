//! A table that fits the terminal: the widest columns shrink first.

use anstyle::Style;
use visibility_core::text::escape::{self, MarkdownContext, markdown_code, markdown_text};

use crate::console::style::{DIM, HEADING, PLAIN, paint};
use crate::console::text::{columns, cut, cut_start, pad};

/// Between two columns.
const GAP: usize = 2;
/// No column becomes narrower than this.
const NARROWEST: usize = 6;

/// One cell.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    text: String,
    style: Style,
    /// Whether it is a number, which ends where its column ends.
    is_number: bool,
    /// Whether its end says more than its start.
    keeps_end: bool,
    /// Whether it is something to be typed or to be found in a file as it is.
    is_code: bool,
}

impl Cell {
    /// A cell in a style.
    pub(crate) fn styled(text: impl AsRef<str>, style: Style) -> Self {
        let text = escape::printable(text.as_ref()).trim().to_owned();
        Self { text, style, is_number: false, keeps_end: false, is_code: false }
    }

    /// A number, or the sign for one that is not there.
    pub(crate) fn number(text: impl AsRef<str>) -> Self {
        Self { is_number: true, ..Self::styled(text, PLAIN) }
    }

    /// A path, whose end says more than its start.
    pub(crate) fn path(text: impl AsRef<str>) -> Self {
        Self { keeps_end: true, is_code: true, ..Self::styled(text, PLAIN) }
    }

    /// What is in a file as it is, such as a rule.
    pub(crate) fn code(text: impl AsRef<str>) -> Self {
        Self { is_code: true, ..Self::styled(text, PLAIN) }
    }

    /// The same behind an indent, as a part of the row above it.
    pub(crate) fn indented(self) -> Self {
        Self { text: format!("  {}", self.text), ..self }
    }

    /// The cell of a Markdown table: code is shown as it is and leads nowhere.
    fn markdown(&self) -> String {
        if self.is_code {
            return markdown_code(&self.text, MarkdownContext::Cell);
        }
        let text = markdown_text(self.text.trim());
        if self.style == HEADING && !text.is_empty() { format!("**{text}**") } else { text }
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::styled(text, PLAIN)
    }
}

/// Rows under titles.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table with these titles.
    pub(crate) fn new(titles: &[&str]) -> Self {
        Self { rows: vec![titles.iter().map(|title| Cell::styled(title, DIM)).collect()] }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Draws the table, each line behind an indent.
    pub(crate) fn render(&self, indent: usize, width: usize) -> String {
        let widths = self.widths(width.saturating_sub(indent));
        let is_of_numbers = |index: usize| {
            self.rows.iter().filter_map(|row| row.get(index)).any(|cell| cell.is_number)
        };
        let mut drawn = String::new();
        for row in &self.rows {
            let mut line = " ".repeat(indent);
            for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let cut = if cell.keeps_end { cut_start } else { cut };
                let mut text = cut(&cell.text, *width);
                if is_of_numbers(index) {
                    text.insert_str(0, &" ".repeat(width.saturating_sub(columns(&text))));
                }
                let filled = if index + 1 == row.len() { text } else { pad(&text, width + GAP) };
                line.push_str(&paint(cell.style, &filled));
            }
            drawn.push_str(&line);
            drawn.push('\n');
        }
        drawn
    }

    /// The table as GitHub and most trackers show it. The first row is its head, as Markdown has no table without one.
    pub(crate) fn markdown(&self) -> String {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let is_of_numbers = |index: usize| {
            self.rows.iter().filter_map(|row| row.get(index)).any(|cell| cell.is_number)
        };
        let rule: Vec<&str> =
            (0..count).map(|index| if is_of_numbers(index) { "---:" } else { "---" }).collect();
        let rule = line_of(rule);
        // Rows that are too short would lose their last border.
        let cell = |row: &[Cell], index| row.get(index).map(Cell::markdown).unwrap_or_default();
        let line = |row: &Vec<Cell>| line_of((0..count).map(|index| cell(row, index)));
        let mut lines: Vec<String> = self.rows.iter().map(line).collect();
        lines.insert(lines.len().min(1), rule);
        lines.concat()
    }

    fn widths(&self, available: usize) -> Vec<usize> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut widths: Vec<usize> = (0..count)
            .map(|index| {
                let cells = self.rows.iter().filter_map(|row| row.get(index));
                cells.map(|cell| columns(&cell.text)).max().unwrap_or(0)
            })
            .collect();
        let gaps = GAP * count.saturating_sub(1);
        let mut excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(available);
        while excess > 0 {
            let widest = widths.iter_mut().max().filter(|width| **width > NARROWEST);
            let Some(widest) = widest else { break };
            *widest -= 1;
            excess -= 1;
        }
        widths
    }
}

/// A line of a Markdown table.
fn line_of(cells: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let cells: Vec<String> =
        cells.into_iter().map(|cell| format!(" {} |", cell.as_ref())).collect();
    format!("|{}\n", cells.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn the_widest_column_gives_way() {
        let mut table = Table::new(&["name", "text"]);
        table.push([Cell::from("short"), Cell::from("a text that is much too long")]);
        assert_eq!(plain(&table.render(2, 20)), "  name   text\n  short  a text tha…\n");
    }

    #[test]
    fn numbers_end_where_their_column_ends() {
        let mut table = Table::new(&["agent", "requests"]);
        table.push([Cell::from("all"), Cell::number("1,000")]);
        table.push([Cell::from("GPTBot").indented(), Cell::number("7")]);
        let drawn = plain(&table.render(0, 40));
        assert_eq!(drawn, "agent     requests\nall          1,000\n  GPTBot         7\n");
    }

    #[test]
    fn strangers_text_stays_in_its_cell() {
        let mut table = Table::new(&["a", "b"]);
        table.push([Cell::from("x\ny\u{1b}[1m"), Cell::from("z")]);
        assert_eq!(plain(&table.render(0, 40)), "a        b\nx y [1m  z\n");
    }

    #[test]
    fn markdown_has_the_text_of_strangers_and_none_of_their_markup() {
        let mut table = Table::new(&["agent", "path", "requests"]);
        table.push([Cell::styled("all", HEADING), Cell::path("/a|b`c`"), Cell::number("1,000")]);
        table.push([
            Cell::from("<b>@x|y").indented(),
            Cell::path("/[a](https://b.example)\n| x |"),
            Cell::number("–"),
        ]);
        assert_eq!(
            table.markdown(),
            "| agent | path | requests |\n| --- | --- | ---: |\n\
             | **all** | `` /a\\|b`c` `` | 1,000 |\n\
             | \\<b\\>@&#8203;x\\|y | `/[a](https://b.example) \\| x \\|` | – |\n"
        );
    }
}
