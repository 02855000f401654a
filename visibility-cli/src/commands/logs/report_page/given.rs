//! What the report says of the robots.txt and the sitemaps that were given.

use visibility_core::access_log::summary::{
    DisallowedRow, RobotsComparison, SiteReport, SitemapComparison,
};
use visibility_core::text::number::percent;

use super::sections::path;
use super::{MAX_OTHER_HOSTS, PURPOSES, Page, days};
use crate::console::table::{Cell, Table};

/// Paths of a rule that are named.
const MAX_RULE_PATHS: usize = 2;
/// Sitemaps of an index that are named although they are missing.
const MAX_MISSING_SITEMAPS: usize = 3;

impl Page<'_> {
    /// How many requests robots.txt disallows, for the first sentences.
    pub(super) fn robots_answer(&mut self, site: &SiteReport) {
        let Some(robots) = &site.robots else { return };
        if !robots.is_compared {
            self.paragraph("log-report-robots-of-one-site", &[]);
            return;
        }
        match robots.disallowed_requests {
            0 if site.agent_requests > 0 => self.paragraph("log-report-robots-respected", &[]),
            count => self.counted("log-report-robots-disallows", count),
        }
    }

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
                Cell::from(days(self.labels, row.first_seen, row.last_seen)),
            ]);
            for (path, count) in row.paths.iter().take(MAX_RULE_PATHS) {
                table.push([Cell::path(path).indented(), self.cell(*count)]);
            }
        }
        table
    }

    /// How many pages were read, for the first sentences.
    pub(super) fn sitemap_answer(&mut self, site: &SiteReport) {
        let Some(sitemap) = &site.sitemap else { return };
        if sitemap.pages == 0 {
            let id = match sitemap.other_host_pages {
                0 => "log-report-sitemap-empty",
                _ => "log-report-sitemap-elsewhere",
            };
            self.paragraph(id, &[]);
            return;
        }
        let (read, pages) = (self.number(sitemap.read), self.number(sitemap.pages));
        let share = self.share(sitemap.read, sitemap.pages);
        self.paragraph(
            "log-report-sitemap-read",
            &[("read", &read), ("pages", &pages), ("share", &share)],
        );
    }

    /// A part of a whole, with its sign.
    fn share(&self, part: u64, whole: u64) -> String {
        let share = percent(part, whole, self.labels.lang());
        self.labels.sentence("log-report-share", &[("share", &share)])
    }

    pub(super) fn sitemap(&mut self, site: &SiteReport) {
        let Some(sitemap) = &site.sitemap else { return };
        self.heading("log-report-sitemap");
        if sitemap.pages > 0 {
            let table = self.sitemap_table(site, sitemap);
            self.document.table(table);
        }
        self.sitemap_notes(sitemap);
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
            let share = |part: u64| Cell::number(self.share(part, pages));
            let shares =
                PURPOSES.map(|purpose| share(purposes.get(&purpose).copied().unwrap_or(0)));
            let first = [folder, self.cell(pages), share(read)];
            table.push(first.into_iter().chain(shares));
        }
        table
    }

    /// What of the sitemaps was not compared.
    fn sitemap_notes(&mut self, sitemap: &SitemapComparison) {
        if sitemap.other_host_pages > 0 {
            let count = self.number(sitemap.other_host_pages);
            let named = sitemap.other_hosts.iter().take(MAX_OTHER_HOSTS);
            let names: Vec<&str> = named.map(|(host, _)| host.as_str()).collect();
            let names = names.join(", ");
            self.paragraph("log-report-sitemap-hosts", &[("count", &count), ("hosts", &names)]);
        }
        self.counted("log-report-sitemap-queries", sitemap.with_query);
        self.counted("log-report-sitemap-not-addresses", sitemap.not_addresses);
        self.counted("log-report-sitemap-without-room", sitemap.without_room);
        let Some(files) = &self.report.sitemaps else { return };
        if files.is_cut {
            self.paragraph("log-report-sitemap-cut", &[]);
        }
        if !files.missing.is_empty() {
            let count = self.number(u64::try_from(files.missing.len()).unwrap_or_default());
            let named = files.missing.iter().take(MAX_MISSING_SITEMAPS);
            let names: Vec<&str> = named.map(String::as_str).collect();
            let names = names.join(", ");
            self.paragraph("log-report-sitemap-missing", &[("count", &count), ("names", &names)]);
        }
    }
}
