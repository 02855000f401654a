//! The numbers of a chart as a table.

use maud::{Markup, html};

use crate::text::locale::Lang;
use crate::text::markup::shown;
use crate::text::number::grouped;

/// The numbers behind a chart.
#[derive(Clone, Copy, Debug)]
pub struct DataTable<'a> {
    /// What is shown while the table is closed.
    pub summary: &'a str,
    /// The titles of its columns, that of the labels first.
    pub columns: &'a [&'a str],
    /// A label and a number for each other column; `None` where there is no data.
    pub rows: &'a [(String, Option<Vec<u64>>)],
    /// What is said of a row without data.
    pub no_data: &'a str,
    /// The language of its numbers.
    pub lang: Lang,
}

/// The numbers behind a chart, closed.
pub fn data_table(table: &DataTable<'_>) -> Markup {
    let DataTable { summary, columns, rows, no_data, lang } = *table;
    html! {
        details.data {
            summary { (shown(summary)) }
            div.scroll tabindex="0" role="group" aria-label=(shown(summary)) {
                table {
                    thead {
                        tr {
                            @for (index, column) in columns.iter().enumerate() {
                                th scope="col" class=[(index > 0).then_some("number")] { (shown(*column)) }
                            }
                        }
                    }
                    tbody {
                        @for (label, numbers) in rows {
                            tr {
                                th scope="row" { (shown(label)) }
                                @match numbers {
                                    Some(numbers) => {
                                        @for number in numbers { td.number { (grouped(*number, lang)) } }
                                    }
                                    None => {
                                        td.number colspan=(columns.len().saturating_sub(1)) { (shown(no_data)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
