//! Tables, and pairs of an attribute and its value.

use html5ever::{LocalName, local_name};

use crate::page::content::collect::ContentWalk;
use crate::page::content::parts::TextPurpose;
use crate::page::content::{BlockPosition, Pair};
use crate::page::tree::NodeId;

const MAX_PAIRS: usize = 500;
const MAX_KEY_CHARS: usize = 80;
const MAX_VALUE_CHARS: usize = 300;
/// Cells of a row that are kept.
const MAX_ROW_CELLS: usize = 12;

/// The state of tables and definition lists.
#[derive(Debug, Default)]
pub(super) struct Grid {
    tables: Vec<Table>,
    /// Data tables so far.
    count: u32,
    /// Cells of the current row.
    cells: Vec<(TextPurpose, String)>,
    /// The last `dt`.
    key: String,
}

/// An open table.
#[derive(Debug)]
struct Table {
    node: NodeId,
    /// Its number among the data tables; `None` if it is not one of them.
    number: Option<u32>,
    row: u32,
    column: u32,
}

impl Grid {
    /// Whether the innermost table holds data.
    pub(super) fn has_data(&self) -> bool {
        self.tables.last().is_some_and(|table| table.number.is_some())
    }

    /// The place of the current cell.
    pub(super) fn place(&self) -> BlockPosition {
        match self.tables.last() {
            Some(Table { number: Some(table), row, column, .. }) => {
                BlockPosition::Table { table: *table, row: *row, column: *column }
            }
            _ => BlockPosition::Flow,
        }
    }
}

impl ContentWalk<'_> {
    /// Notes an element of the main content that tables and definition lists are made of.
    pub(super) fn enter_grid(&mut self, id: NodeId, name: &LocalName) {
        match *name {
            local_name!("table") => {
                let holds_data = !self.measures.is_layout_table(id);
                self.grid.count += u32::from(holds_data);
                let number = holds_data.then_some(self.grid.count);
                self.grid.tables.push(Table { node: id, number, row: 0, column: 0 });
            }
            local_name!("tr") => {
                self.grid.cells.clear();
                if let Some(table) = self.grid.tables.last_mut() {
                    table.row += 1;
                    table.column = 0;
                }
            }
            local_name!("td") | local_name!("th") if self.grid.has_data() => {
                if let Some(table) = self.grid.tables.last_mut() {
                    table.column += 1;
                }
                let is_header = *name == local_name!("th");
                self.content.cells += usize::from(!is_header);
                let purpose = if is_header { TextPurpose::HeaderCell } else { TextPurpose::Cell };
                self.parts.open(id, purpose, MAX_VALUE_CHARS + 1);
            }
            local_name!("dt") => self.parts.open(id, TextPurpose::Key, MAX_KEY_CHARS + 2),
            local_name!("dd") => self.parts.open(id, TextPurpose::Value, MAX_VALUE_CHARS + 1),
            _ => {}
        }
    }

    /// Keeps the text of a cell, a `dt` or a `dd`.
    pub(super) fn keep_cell(&mut self, id: NodeId, purpose: TextPurpose, text: String) {
        if purpose == TextPurpose::Key {
            self.grid.key = text;
        } else if purpose == TextPurpose::Value {
            let key = self.grid.key.clone();
            self.pair(&key, text, id);
        } else if self.grid.cells.len() < MAX_ROW_CELLS {
            self.grid.cells.push((purpose, text));
        }
    }

    /// Ends a row, a table or a definition list.
    pub(super) fn leave_grid(&mut self, id: NodeId, name: &LocalName) {
        match *name {
            local_name!("tr") => self.row(id),
            local_name!("dl") => self.grid.key.clear(),
            _ => _ = self.grid.tables.pop_if(|table| table.node == id),
        }
    }

    /// Ends a row: one of two cells is a pair, a wider one is kept with what follows its first cell.
    fn row(&mut self, id: NodeId) {
        let cells = std::mem::take(&mut self.grid.cells);
        let Some(((_, key), rest)) = cells.split_first() else { return };
        if rest.iter().all(|(purpose, _)| *purpose != TextPurpose::Cell) {
            return;
        }
        let values: Vec<&str> =
            rest.iter().map(|(_, text)| text.as_str()).filter(|text| !text.is_empty()).collect();
        let pair = self.fitting(key, values.join(", "), id);
        let pair = pair.map(|pair| Pair { place: self.grid.place(), ..pair });
        let list =
            if rest.len() == 1 { &mut self.content.pairs } else { &mut self.content.wide_rows };
        list.extend(pair.filter(|_| list.len() < MAX_PAIRS));
    }

    fn pair(&mut self, key: &str, value: String, node: NodeId) {
        let pair = self.fitting(key, value, node);
        let pairs = &mut self.content.pairs;
        pairs.extend(pair.filter(|_| pairs.len() < MAX_PAIRS));
    }

    /// A pair, unless one half is empty or too long.
    fn fitting(&self, key: &str, value: String, node: NodeId) -> Option<Pair> {
        let key = key.trim_end_matches(|ch: char| ch == ':' || ch == '：' || ch.is_whitespace());
        let fits = |text: &str, max: usize| !text.is_empty() && text.chars().count() <= max;
        (fits(key, MAX_KEY_CHARS) && fits(&value, MAX_VALUE_CHARS)).then(|| Pair {
            key: key.to_owned(),
            value,
            line: self.line(node),
            node,
            place: BlockPosition::Flow,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::page::Document;
    use crate::page::content::BlockPosition;

    fn pairs(html: &str) -> Vec<(String, String, usize)> {
        let content = Document::parse(html.as_bytes(), None).content();
        content.pairs.into_iter().map(|pair| (pair.key, pair.value, pair.line)).collect()
    }

    fn pair(key: &str, value: &str, line: usize) -> (String, String, usize) {
        (key.to_owned(), value.to_owned(), line)
    }

    #[test]
    fn rows_of_two_cells_and_definitions_are_pairs() {
        assert_eq!(
            pairs(
                "<table><tr><th>Property<th>Value\n<tr><th>Weight :<td>2 <b>kg</b>\n<tr><td>Width<td>\
                 <p>3<p>cm\n<tr><td>a<td>b<td>c\n<tr><td>one<tr><td><td>empty</table>"
            ),
            [pair("Weight", "2 kg", 2), pair("Width", "3 cm", 3)]
        );
        assert_eq!(
            pairs(
                "<dl><dt>Colors:<dd>red\n<dd>blue<div><dt>Size<dd>M</div></dl><dl><dd>no key</dl>"
            ),
            [pair("Colors", "red", 1), pair("Colors", "blue", 2), pair("Size", "M", 2)]
        );
    }

    #[test]
    fn wider_rows_are_kept_with_all_that_follows_their_first_cell() {
        let html = "<table><tr><th>Option<th>Type<th>Default\n<tr><td>max<td>int<td>5\n\
                    <tr><th>timeout<td><td>30s<tr><td><td>a<td>b<tr><td>a<td><td></table>";
        let content = Document::parse(html.as_bytes(), None).content();
        let rows: Vec<_> = content
            .wide_rows
            .iter()
            .map(|row| (row.key.as_str(), row.value.as_str(), row.line, row.place))
            .collect();
        let place = |row| BlockPosition::Table { table: 1, row, column: 3 };
        assert_eq!(rows, [("max", "int, 5", 2, place(2)), ("timeout", "30s", 3, place(3))]);
        assert_eq!(content.pairs, []);
    }

    #[test]
    fn tables_for_the_layout_have_no_pairs() {
        let table = "<tr><td>left<td>right</table>";
        assert_eq!(pairs(&format!("<table>{table}")).len(), 1);
        assert_eq!(pairs(&format!("<table role=presentation>{table}")), []);
        assert_eq!(pairs(&format!("<table><tr><td>a<td><table>{table}</table>")).len(), 1);
        assert_eq!(pairs(&format!("<table><tr><td><h1>T</h1>{table}")), []);
    }

    #[test]
    fn long_keys_and_values_are_none() {
        let row = |key: usize, value: usize| {
            let html = format!("<dl><dt>{}:<dd>{}</dl>", "ş".repeat(key), "ü".repeat(value));
            pairs(&html).len()
        };
        assert_eq!((row(80, 300), row(81, 300), row(80, 301)), (1, 0, 0));
        assert_eq!(pairs(&format!("<dl><dt>k{}", "<dd>v".repeat(600))).len(), 500);
    }
}
