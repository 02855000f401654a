//! The agents that came, by purpose.

use maud::{Markup, html};

use super::SitePart;
use super::charts::Sparks;
use crate::access_log::summary::{LoggedAgent, PurposeRow};
use crate::report::parts::matrix::purpose_class;
use crate::report::parts::{Column, table};
use crate::report::traffic::is_striking;
use crate::text::markup::shown;

impl SitePart<'_> {
    pub(super) fn agents(&self) -> Markup {
        let sparks = self.sparks();
        let mut columns = vec![
            self.text_column("agent"),
            self.number_column("requests"),
            self.number_column("log-report-pages"),
            self.number_column("log-report-refused"),
            self.number_column("log-report-missing"),
            self.number_column("log-report-failed"),
            self.number_column("log-report-last-seen"),
        ];
        if sparks.is_drawn() {
            columns.push(Column::Text(self.words.text("over-time").as_str().to_owned()));
        }
        let rows = html! {
            @for purpose in &self.site.purposes {
                (self.purpose_row(purpose, &sparks))
                @for agent in &purpose.agents { (self.agent_row(agent, &sparks)) }
            }
        };
        let table = table(&self.place.id("agents"), &columns, &rows);
        let came: usize = self.site.purposes.iter().map(|row| row.agents.len()).sum();
        let beside = self.words.fill("agents-count", [("number", came.to_string())]);
        let body = html! {
            (table)
            p.note { (shown(self.label("log-report-pages-note"))) }
        };
        let title = self.words.text("operators");
        self.place.section("agents", title.as_str(), &html! { span.soft { (beside) } }, &body)
    }

    fn purpose_row(&self, row: &PurposeRow, sparks: &Sparks<'_>) -> Markup {
        html! {
            tr.purpose {
                th scope="row" {
                    span class={ "dot " (purpose_class(row.purpose)) } {}
                    (self.words.purpose(row.purpose))
                }
                (self.cell(row.requests))
                (self.cell(row.pages))
                (self.trouble_cell(row.refused, row.requests))
                (self.trouble_cell(row.missing, row.requests))
                (self.trouble_cell(row.failed, row.requests))
                (self.day_cell(row.last_seen))
                @if sparks.is_drawn() { td {} }
            }
        }
    }

    fn agent_row(&self, row: &LoggedAgent, sparks: &Sparks<'_>) -> Markup {
        html! {
            tr {
                th scope="row" { (shown(row.name.as_str())) " " small { (shown(row.vendor.as_str())) } }
                (self.cell(row.requests))
                (self.cell(row.pages))
                (self.trouble_cell(row.refused, row.requests))
                (self.trouble_cell(row.missing, row.requests))
                (self.trouble_cell(row.failed, row.requests))
                (self.day_cell(row.last_seen))
                @if sparks.is_drawn() { td.trend { (sparks.of(&row.id, &row.name)) } }
            }
        }
    }

    /// A number of requests that came to nothing, marked if they are worth a look.
    fn trouble_cell(&self, part: u64, whole: u64) -> Markup {
        if !is_striking(part, whole) {
            return self.cell(part);
        }
        html! { td.number { span.tag.bad { (self.words.number(part)) } } }
    }
}
