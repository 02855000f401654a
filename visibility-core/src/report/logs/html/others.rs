//! Who came beside listed agents: people from assistants, impostors, and bots that no list knows.

use maud::{Markup, html};

use super::SitePart;
use crate::report::parts::table;
use crate::text::markup::shown;

/// Paths of an impostor that are named.
const MAX_IMPOSTOR_PATHS: usize = 2;

impl SitePart<'_> {
    /// Who follows the links in answers.
    pub(super) fn visits(&self) -> Markup {
        if self.site.visits == 0 {
            return html! {};
        }
        let assistants = self.site.assistants.iter();
        let assistants: Vec<String> = assistants
            .map(|row| format!("{} {}", row.name, self.words.number(row.visits)))
            .collect();
        let columns =
            [self.text_column("log-report-landing-page"), self.number_column("log-report-visits")];
        let rows = html! {
            @for row in &self.site.landing_pages {
                tr { (self.path_cell(&row.host, &row.path)) (self.cell(row.visits)) }
            }
        };
        let body = html! {
            div.card.first {
                p.pad { (shown(assistants.join(" · "))) }
                (self.visits_by_day())
            }
            (table(&self.place.id("visits"), &columns, &rows))
            p.note { (shown(self.label("log-report-visits-note"))) }
        };
        self.place.section("visits", &self.label("log-report-visits-back"), &html! {}, &body)
    }

    pub(super) fn impostors(&self) -> Markup {
        if self.site.impostors.is_empty() {
            return html! {};
        }
        let columns = [
            self.text_column("agent"),
            self.number_column("requests"),
            self.number_column("log-report-addresses"),
            self.text_column("log-report-asked-for"),
        ];
        let rows = html! {
            @for row in &self.site.impostors {
                tr {
                    th scope="row" { (shown(row.name.as_str())) }
                    (self.cell(row.requests))
                    td.number {
                        (self.words.number(row.addresses)) @if row.has_more_addresses { "+" }
                    }
                    td { (self.counted_paths(&row.paths, MAX_IMPOSTOR_PATHS)) }
                }
            }
        };
        self.table_section("impostors", "log-report-claimed", &columns, &rows)
    }

    pub(super) fn unlisted_bots(&self) -> Markup {
        if self.site.unlisted_bots.is_empty() {
            return html! {};
        }
        let columns = [
            self.text_column("name"),
            self.number_column("requests"),
            self.number_column("log-report-last-seen"),
        ];
        let rows = html! {
            @for row in &self.site.unlisted_bots {
                tr {
                    th scope="row" { (shown(row.name.as_str())) }
                    (self.cell(row.requests))
                    (self.day_cell(row.last_seen))
                }
            }
        };
        self.table_section("unlisted", "log-report-unlisted", &columns, &rows)
    }

    /// The sites of a log, for a report on all.
    pub(super) fn hosts(&self) -> Markup {
        if self.site.host.is_some() || self.site.hosts.len() < 2 {
            return html! {};
        }
        let columns = [
            self.text_column("log-report-host"),
            self.number_column("requests"),
            self.number_column("log-report-of-agents"),
        ];
        let rows = html! {
            @for row in &self.site.hosts {
                tr {
                    th scope="row" { (shown(row.host.as_str())) }
                    (self.cell(row.requests))
                    (self.cell(row.agent_requests))
                }
            }
        };
        self.table_section("hosts", "log-report-sites", &columns, &rows)
    }
}
