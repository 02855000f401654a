//! What the report says of the robots.txt and the sitemaps that were given.

use visibility_core::access_log::summary::{
    DisallowedRow, RobotsComparison, SiteReport, SitemapComparison,
};
use visibility_core::report::logs::sentences::{PURPOSES, path};

use super::Page;
use crate::console::table::{Cell, Table};

/// Paths of a rule that are named.
const MAX_RULE_PATHS: usize = 2;

impl Page<'_> {
    pub(super) fn robots(&mut self, site: &SiteReport) {
        let Some(RobotsComparison { disallowed, advisory, .. }) = &site.robots else { return };
        if !disallowed.is_empty() {
            self.heading("log-report-disallowed");
            let table = self.disallowed_table(disallowed);
            self.document.table(table);
        }
        if !advisory.is_empty() {
            self.heading("log-report-advisory");
            let table = self.disallowed_table(advisory);
            self.document.table(table);
        }
        if !disallowed.is_empty() || !advisory.is_empty() {
            self.note("log-report-robots-note");
        }
    }

    fn disallowed_table(&self, rows: &[DisallowedRow]) -> Table {
        let titles = ["agent", "requests", "log-report-line", "log-report-rule", "log-report-when"];
        let mut table = self.table(&titles);
        for row in rows {
            table.push([
                Cell::from(&row.name),
                self.cell(row.requests),
                Cell::number(self.number(u64::try_from(row.line).unwrap_or_default())),
                Cell::code(&row.rule),
                Cell::from(self.sentences().days(row.first_seen, row.last_seen)),
            ]);
            for (path, count) in row.paths.iter().take(MAX_RULE_PATHS) {
                table.push([Cell::path(path).indented(), self.cell(*count)]);
            }
        }
        table
    }

    pub(super) fn sitemap(&mut self, site: &SiteReport) {
        let Some(sitemap) = &site.sitemap else { return };
        self.heading("log-report-sitemap");
        if sitemap.pages > 0 {
            let table = self.sitemap_table(site, sitemap);
            self.document.table(table);
        }
        for note in self.sentences().sitemap_notes(sitemap) {
            self.document.paragraph(note);
        }
        if sitemap.unread.is_empty() {
            return;
        }
        self.heading("log-report-not-read");
        let titles = [
            "log-report-path",
            "log-report-user",
            "log-report-search",
            "log-report-training",
            "log-report-instead",
        ];
        let mut table = self.table(&titles);
        for row in &sitemap.unread {
            let first = [Cell::path(path(site, &row.host, &row.path))];
            let read = PURPOSES.map(|purpose| {
                Cell::from(if row.read_for.contains(&purpose) { "✓" } else { "–" })
            });
            let instead =
                row.last_status.map_or_else(|| "–".to_owned(), |status| status.to_string());
            table.push(first.into_iter().chain(read).chain([Cell::number(instead)]));
        }
        self.document.table(table);
        self.note("log-report-not-read-note");
    }

    /// How much of the site was read, and of each folder.
    fn sitemap_table(&self, site: &SiteReport, sitemap: &SitemapComparison) -> Table {
        let mut table = self.table(&[
            "log-report-folder",
            "log-report-pages",
            "log-report-read",
            "log-report-user",
            "log-report-search",
            "log-report-training",
        ]);
        let all = Cell::from(self.label("log-report-all"));
        let rows = std::iter::once((all, sitemap.pages, sitemap.read, &sitemap.purposes)).chain(
            sitemap.folders.iter().filter(|_| sitemap.folders.len() > 1).map(|row| {
                let folder = Cell::path(path(site, &row.host, &row.folder));
                (folder, row.pages, row.read, &row.purposes)
            }),
        );
        for (folder, pages, read, purposes) in rows {
            let share = |part: u64| Cell::number(self.sentences().share(part, pages));
            let shares =
                PURPOSES.map(|purpose| share(purposes.get(&purpose).copied().unwrap_or(0)));
            let first = [folder, self.cell(pages), share(read)];
            table.push(first.into_iter().chain(shares));
        }
        table
    }
}
