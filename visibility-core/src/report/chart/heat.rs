//! A table whose cells are shaded.

use maud::{Markup, html};

use crate::text::markup::shown;

/// A row of a heat table.
#[derive(Clone, Debug)]
pub struct HeatRow<'a> {
    /// What the row is about.
    pub label: &'a str,
    /// Its cells, one for each column.
    pub cells: Vec<HeatCell<'a>>,
}

/// A cell of a heat table.
#[derive(Clone, Copy, Debug)]
pub struct HeatCell<'a> {
    /// What is in it.
    pub text: &'a str,
    /// From 0 for nothing to 4 for most.
    pub level: u8,
}

/// The darkest shade of the style sheet.
const MAX_LEVEL: u8 = 4;

/// A table of texts, each on a shade for its level.
pub fn heat(corner: &str, columns: &[&str], rows: &[HeatRow<'_>]) -> Markup {
    html! {
        table.heat {
            thead {
                tr {
                    th scope="col" { (shown(corner)) }
                    @for column in columns { th scope="col" { (shown(*column)) } }
                }
            }
            tbody {
                @for row in rows {
                    tr {
                        th scope="row" { (shown(row.label)) }
                        @for cell in &row.cells {
                            td { span class={ "h" (cell.level.min(MAX_LEVEL)) } { (shown(cell.text)) } }
                        }
                    }
                }
            }
        }
    }
}
