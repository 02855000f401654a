//! The terminal: results on standard output, everything else on standard error.

use std::error::Error;
use std::io::{self, Write};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use visibility_core::text::escape;

use crate::cli::error::CommandError;
use crate::cli::program;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default();
const TITLE: Style = Style::new().dimmed();
/// Between two columns of a table.
const GAP: usize = 2;

/// How to talk to the one who started the command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Console {
    color: anstream::ColorChoice,
}

impl Console {
    /// A console that colors as the argument wants it.
    pub(crate) fn new(color: clap::ColorChoice) -> Self {
        let color = match color {
            clap::ColorChoice::Auto => anstream::ColorChoice::Auto,
            clap::ColorChoice::Always => anstream::ColorChoice::Always,
            clap::ColorChoice::Never => anstream::ColorChoice::Never,
        };
        Self { color }
    }

    /// Prints a result; colors are left out where they are not wanted.
    pub(crate) fn print(self, text: &str) -> Result<(), CommandError> {
        let mut stdout = io::stdout().lock();
        let written = AutoStream::new(&mut stdout, self.color).write_all(text.as_bytes());
        written.and_then(|()| stdout.flush()).map_err(CommandError::stdout)
    }

    /// Prints a result for machines, as indented JSON.
    pub(crate) fn print_json(self, value: &impl Serialize) -> Result<(), CommandError> {
        let text = serde_json::to_string_pretty(value)
            .map_err(|error| CommandError::internal("cannot write JSON", error))?;
        self.print(&format!("{text}\n"))
    }

    /// Prints rows under titles.
    pub(crate) fn print_table(
        self,
        titles: &[&str],
        rows: &[Vec<String>],
    ) -> Result<(), CommandError> {
        self.print(&table(titles, rows))
    }

    /// Says something that is not the result. Its commands begin as this program was called.
    pub(crate) fn say(self, text: &str) {
        self.write_error(&program::with_program(text, &program::invocation()));
    }

    fn write_error(self, text: &str) {
        let mut stream = AutoStream::new(io::stderr(), self.color);
        // There is no other place to report that standard error is gone.
        let _ = writeln!(stream, "{text}");
    }

    /// Says why there is no result, and what to do.
    pub(crate) fn show_error(self, failure: &CommandError) {
        if matches!(failure, CommandError::Closed) {
            return;
        }
        let mut text = format!("{ERROR}error:{ERROR:#} {}", one_line(&failure.to_string()));
        let mut cause = failure.source();
        while let Some(error) = cause {
            text.push_str(&format!("\n  cause: {}", one_line(&error.to_string())));
            cause = error.source();
        }
        if let Some(hint) = failure.hint() {
            let hint = program::with_program(&hint, &program::invocation());
            text.push_str(&format!("\n  {HINT}hint:{HINT:#} {}", one_line(&hint)));
        }
        self.write_error(&text);
    }
}

fn one_line(text: &str) -> String {
    escape::printable(text).into_owned()
}

fn table(titles: &[&str], rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect::<Vec<_>>()).collect();
    let cells_of = |index: usize| rows.iter().filter_map(move |row| row.get(index));
    let widths: Vec<usize> = titles
        .iter()
        .enumerate()
        .map(|(index, title)| {
            let widest = cells_of(index).map(|cell| cell.chars().count()).max().unwrap_or(0);
            widest.max(title.chars().count()) + GAP
        })
        .collect();
    let line = |cells: &[&str]| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        padded.collect::<String>().trim_end().to_owned()
    };
    let mut drawn = format!("{TITLE}{}{TITLE:#}\n", line(titles));
    for row in &rows {
        let cells: Vec<&str> = row.iter().map(String::as_str).collect();
        drawn.push_str(&format!("{}\n", line(&cells)));
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["a", "1"], ["long", "22"]].map(|row| row.map(str::to_owned).to_vec());
        let drawn = table(&["name", "n"], &rows);
        let plain = anstream::adapter::strip_str(&drawn).to_string();
        assert_eq!(plain, "name  n\na     1\nlong  22\n");
    }

    #[test]
    fn a_cell_stays_in_its_line() {
        let drawn = table(&["x"], &[vec!["a\nb\u{1b}[1m".to_owned()]]);
        assert!(drawn.ends_with("a b [1m\n"), "{drawn:?}");
    }
}
