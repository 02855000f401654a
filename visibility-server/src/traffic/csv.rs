//! Answers as CSV: RFC 4180, with cells that no program for tables takes for formulas.

use csv::{Terminator, WriterBuilder};
use visibility_core::store::StoreError;
use visibility_core::text::escape;

use super::Answer;
use super::table::{AnswerTable, Cell};

/// What programs for tables take for the beginning of a formula, in both widths.
const FORMULA_STARTS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

impl Answer {
    /// The answer as CSV.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub(crate) fn csv(&self) -> Result<Vec<u8>, StoreError> {
        let written = written(&self.table());
        written.map_err(|error| StoreError::unchanged("write CSV", error.to_string()))
    }
}

fn written(table: &AnswerTable) -> Result<Vec<u8>, csv::Error> {
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    writer.write_record(&table.titles)?;
    for row in &table.rows {
        writer.write_record(row.iter().map(defused))?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// The text of a cell. Numbers stay numbers.
fn defused(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) if begins_formula(text) => format!("'{text}"),
        _ => cell.text(),
    }
}

/// Whether a program for tables may take a text for a formula. Some leave out what is not seen before it.
fn begins_formula(text: &str) -> bool {
    text.starts_with(['\t', '\r', '\n'])
        || escape::printable(text).trim_start().starts_with(FORMULA_STARTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(cells: Vec<Cell>) -> String {
        let table = AnswerTable { titles: vec!["x"; cells.len()], rows: vec![cells] };
        let text = String::from_utf8(written(&table).unwrap()).unwrap();
        text.split_once("\r\n").unwrap().1.to_owned()
    }

    #[test]
    fn no_cell_is_a_formula() {
        for text in [
            "=cmd()",
            "+1",
            "-1",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            "\n=1",
            " =1",
            "\u{202e}=1",
            "\u{feff}=1",
            "\u{ad}=1",
            "＝1",
            "\u{a0}@x",
            "\tx",
        ] {
            assert!(defused(&Cell::from(text)).starts_with('\''), "{text:?}");
        }
        for text in ["www.example.com", "a=b", "404", "", "'x", "xn--bcher-kva.example"] {
            assert_eq!(defused(&Cell::from(text)), text);
        }
        assert_eq!(defused(&Cell::Number(5)), "5");
    }

    #[test]
    fn cells_are_quoted_as_rfc_4180_says() {
        let cells = ["a,b", "say \"x\"", "two\r\nlines", ""];
        let line = line(cells.into_iter().map(Cell::from).chain([Cell::Empty]).collect());
        assert_eq!(line, "\"a,b\",\"say \"\"x\"\"\",\"two\r\nlines\",,\r\n");
    }
}
