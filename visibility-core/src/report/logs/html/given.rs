//! The robots.txt and the sitemaps that were given, against what agents did.

use maud::{Markup, html};

use super::SitePart;
use crate::access_log::summary::{DisallowedRow, RobotsComparison, SitemapComparison};
use crate::agents::Purpose;
use crate::report::logs::sentences::PURPOSES;
use crate::report::parts::table;
use crate::text::markup::{sentence, shown};

/// Paths of a rule that are named.
const MAX_RULE_PATHS: usize = 2;

impl SitePart<'_> {
    pub(super) fn robots(&self) -> Markup {
        let Some(RobotsComparison { disallowed, advisory, .. }) = &self.site.robots else {
            return html! {};
        };
        html! {
            @if !disallowed.is_empty() {
                (self.disallowed("disallowed", "log-report-disallowed", disallowed))
            }
            @if !advisory.is_empty() {
                (self.disallowed("advisory", "log-report-advisory", advisory))
            }
            @if !disallowed.is_empty() || !advisory.is_empty() {
                p.note { (sentence(&self.label("log-report-robots-note"))) }
            }
        }
    }

    fn disallowed(&self, id: &str, title: &str, rows: &[DisallowedRow]) -> Markup {
        let columns = [
            self.text_column("agent"),
            self.number_column("requests"),
            self.number_column("log-report-line"),
            self.text_column("log-report-rule"),
            self.text_column("log-report-when"),
            self.text_column("log-report-asked-for"),
        ];
        let rows = html! {
            @for row in rows {
                tr {
                    th scope="row" { (shown(row.name.as_str())) }
                    (self.cell(row.requests))
                    td.number { (row.line) }
                    td { code { (shown(row.rule.as_str())) } }
                    td { (shown(self.sentences.days(row.first_seen, row.last_seen))) }
                    td { (self.counted_paths(&row.paths, MAX_RULE_PATHS)) }
                }
            }
        };
        self.table_section(id, title, &columns, &rows)
    }

    /// Paths with how often they were asked for.
    pub(super) fn counted_paths(&self, paths: &[(String, u64)], most: usize) -> Markup {
        html! {
            @for (index, (path, count)) in paths.iter().take(most).enumerate() {
                @if index > 0 { br; }
                code { (shown(path.as_str())) } " " span.soft { (self.words.number(*count)) }
            }
        }
    }

    pub(super) fn sitemap(&self) -> Markup {
        let Some(sitemap) = &self.site.sitemap else { return html! {} };
        let body = html! {
            @if sitemap.pages > 0 { (self.sitemap_table(sitemap)) }
            @for note in self.sentences.sitemap_notes(sitemap) { p.note { (sentence(&note)) } }
        };
        html! {
            (self.place.section("sitemap", &self.label("log-report-sitemap"), &html! {}, &body))
            @if !sitemap.unread.is_empty() { (self.unread(sitemap)) }
        }
    }

    /// How much of the site was read, and of each folder.
    fn sitemap_table(&self, sitemap: &SitemapComparison) -> Markup {
        let columns = [
            self.text_column("log-report-folder"),
            self.number_column("log-report-pages"),
            self.number_column("log-report-read"),
            self.number_column("log-report-user"),
            self.number_column("log-report-search"),
            self.number_column("log-report-training"),
        ];
        let folders = sitemap.folders.iter().filter(|_| sitemap.folders.len() > 1);
        let rows = html! {
            tr {
                th scope="row" { (self.label("log-report-all")) }
                (self.sitemap_cells(sitemap.pages, sitemap.read, |purpose| sitemap.purposes.get(&purpose).copied()))
            }
            @for row in folders {
                tr {
                    (self.path_cell(&row.host, &row.folder))
                    (self.sitemap_cells(row.pages, row.read, |purpose| row.purposes.get(&purpose).copied()))
                }
            }
        };
        table(&self.place.id("sitemap"), &columns, &rows)
    }

    fn sitemap_cells(
        &self,
        pages: u64,
        read: u64,
        of_purpose: impl Fn(Purpose) -> Option<u64>,
    ) -> Markup {
        html! {
            (self.cell(pages))
            td.number { (self.words.share(read, pages)) }
            @for purpose in PURPOSES {
                td.number { (self.words.share(of_purpose(purpose).unwrap_or_default(), pages)) }
            }
        }
    }

    /// Pages that were not read for some purpose.
    fn unread(&self, sitemap: &SitemapComparison) -> Markup {
        let columns = [
            self.text_column("log-report-path"),
            self.text_column("log-report-user"),
            self.text_column("log-report-search"),
            self.text_column("log-report-training"),
            self.number_column("log-report-instead"),
        ];
        let rows = html! {
            @for row in &sitemap.unread {
                tr {
                    (self.path_cell(&row.host, &row.path))
                    @for purpose in PURPOSES {
                        td { @if row.read_for.contains(&purpose) { "✓" } @else { "–" } }
                    }
                    td.number {
                        @match row.last_status { Some(status) => (status), None => "–" }
                    }
                }
            }
        };
        html! {
            (self.table_section("not-read", "log-report-not-read", &columns, &rows))
            p.note { (shown(self.label("log-report-not-read-note"))) }
        }
    }
}
