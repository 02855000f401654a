//! What agents read.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::{PURPOSES, SitePart};
use crate::access_log::summary::FolderRow;
use crate::agents::Purpose;
use crate::report::chart::split;
use crate::report::logs::sentences;
use crate::report::parts::Column;
use crate::report::parts::matrix::purpose_class;
use crate::text::markup::shown;
use crate::traffic::PathKind;

impl SitePart<'_> {
    /// Pages and folders by purpose, and the files that are no pages.
    pub(super) fn pages(&self) -> Markup {
        html! {
            (self.most_read())
            (self.folders())
            (self.files())
        }
    }

    fn most_read(&self) -> Markup {
        let pages = &self.site.pages;
        if pages.is_empty() {
            return html! {};
        }
        let most = pages.iter().map(|row| row.requests).max().unwrap_or_default();
        let rows = html! {
            @for row in pages {
                tr {
                    (self.path_cell(&row.host, &row.path))
                    (self.cell(row.requests))
                    (self.purposes(&row.purposes, most))
                }
            }
        };
        let first = [self.text_column("log-report-path"), self.number_column("requests")];
        let columns: Vec<Column> = first.into_iter().chain(self.purpose_columns()).collect();
        self.table_section("pages", "log-report-most-read", &columns, &rows)
    }

    fn folders(&self) -> Markup {
        let folders = &self.site.folders;
        if folders.len() < 2 {
            return html! {};
        }
        let most = folders.iter().map(|row| row.requests).max().unwrap_or_default();
        let rows = html! {
            @for FolderRow { host, folder, requests, purposes, pages } in folders {
                tr {
                    (self.path_cell(host, folder))
                    (self.cell(*requests))
                    (self.cell(*pages))
                    (self.purposes(purposes, most))
                }
            }
        };
        let first = [
            self.text_column("log-report-folder"),
            self.number_column("requests"),
            self.number_column("log-report-pages"),
        ];
        let columns: Vec<Column> = first.into_iter().chain(self.purpose_columns()).collect();
        self.table_section("folders", "log-report-folders", &columns, &rows)
    }

    fn purpose_columns(&self) -> [Column; 4] {
        [
            Column::Text(self.words.text("purposes").as_str().to_owned()),
            self.number_column("log-report-user"),
            self.number_column("log-report-search"),
            self.number_column("log-report-training"),
        ]
    }

    /// Requests by purpose, as a bar and as numbers.
    fn purposes(&self, purposes: &BTreeMap<Purpose, u64>, most: u64) -> Markup {
        let count = |purpose: Purpose| purposes.get(&purpose).copied().unwrap_or_default();
        let parts = PURPOSES.map(|purpose| (purpose_class(purpose), count(purpose)));
        html! {
            td { (split(&parts, most, self.words.text("purposes").as_str())) }
            @for purpose in sentences::PURPOSES { (self.cell(count(purpose))) }
        }
    }

    /// What is no page, in one line: the figures count pages alone.
    fn files(&self) -> Markup {
        let others = self.site.kinds.iter().filter(|row| row.kind != PathKind::Page);
        let others: Vec<String> = others
            .map(|row| {
                let name = self.label(&format!("path-kind-{}", row.kind.as_str()));
                format!("{name} {}", self.words.number(row.requests))
            })
            .collect();
        html! {
            @if !others.is_empty() {
                p.note { b { (self.label("log-report-files")) } ": " (shown(others.join(" · "))) }
            }
        }
    }
}
