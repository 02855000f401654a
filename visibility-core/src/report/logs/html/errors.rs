//! What agents did not get.

use maud::{Markup, html};

use super::SitePart;
use crate::access_log::summary::StatusRow;
use crate::report::chart::Tone;
use crate::text::markup::shown;
use crate::traffic::ResponseClass;

impl SitePart<'_> {
    /// What the server refused or failed at, and what is not there.
    pub(super) fn errors(&self) -> Markup {
        html! {
            div.pair {
                (self.refused_and_failed())
                (self.missing())
            }
        }
    }

    fn refused_and_failed(&self) -> Markup {
        let is_shown =
            |row: &&StatusRow| matches!(row.class, ResponseClass::Refused | ResponseClass::Failed);
        let rows: Vec<&StatusRow> =
            self.site.errors.iter().filter(is_shown).take(self.report.rows).collect();
        if rows.is_empty() {
            return html! {};
        }
        let columns = [
            self.text_column("agent"),
            self.number_column("log-report-status"),
            self.number_column("requests"),
            self.text_column("log-report-meaning"),
        ];
        let rows = html! {
            @for row in rows {
                @let (meaning, tone) = match row.class {
                    ResponseClass::Refused => ("log-report-refused", Tone::Warn),
                    _ => ("log-report-failed", Tone::Bad),
                };
                tr {
                    th scope="row" { (shown(row.name.as_str())) }
                    td.number { (row.status) }
                    (self.cell(row.requests))
                    td { span class={ "tag " (tone.class()) } { (self.label(meaning)) } }
                }
            }
        };
        self.table_section("errors", "log-report-errors", &columns, &rows)
    }

    fn missing(&self) -> Markup {
        if self.site.missing.is_empty() {
            return html! {};
        }
        let columns = [
            self.text_column("log-report-path"),
            self.number_column("requests"),
            self.text_column("log-report-nearest"),
        ];
        let rows = html! {
            @for row in &self.site.missing {
                tr {
                    (self.path_cell(&row.host, &row.path))
                    (self.cell(row.requests))
                    td {
                        @match &row.nearest { Some(path) => code { (shown(path.as_str())) }, None => "–" }
                    }
                }
            }
        };
        self.table_section("missing", "log-report-not-found", &columns, &rows)
    }
}
