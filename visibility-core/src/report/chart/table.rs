//! The numbers of a chart as a table.

use maud::{Markup, html};

use crate::text::locale::Lang;
use crate::text::markup::shown;
use crate::text::number::grouped;

/// The numbers behind a chart, closed: each row has its label and a number for each column but the first.
pub fn data_table(
    summary: &str,
    columns: &[&str],
    rows: &[(String, Vec<u64>)],
    lang: Lang,
) -> Markup {
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
                                @for number in numbers { td.number { (grouped(*number, lang)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
