//! What the report says of the log alone.

use std::collections::BTreeMap;

use visibility_core::access_log::summary::{
    DayRow, FolderRow, LoggedAgent, PathRow, PurposeRow, SiteReport,
};
use visibility_core::agents::Purpose;
use visibility_core::report::logs::sentences::{PURPOSES, day, path};
use visibility_core::traffic::{PathKind, ResponseClass};

use super::Page;
use crate::console::style::{DIM, HEADING};
use crate::console::table::{Cell, Table};

/// Days that get a row.
const MAX_DAYS: usize = 14;
/// Columns of the bar of the day with most requests.
const BAR_COLUMNS: u64 = 40;
/// Paths of an impostor that are named.
const MAX_IMPOSTOR_PATHS: usize = 2;

fn count_of<T>(rows: &[T]) -> u64 {
    u64::try_from(rows.len()).unwrap_or(u64::MAX)
}

impl Page<'_> {
    pub(super) fn agents(&mut self, site: &SiteReport) {
        if site.agent_requests == 0 {
            return;
        }
        let mut table = self.table(&[
            "log-report-why",
            "requests",
            "log-report-pages",
            "log-report-refused",
            "log-report-missing",
            "log-report-failed",
            "log-report-last-seen",
        ]);
        for purpose in &site.purposes {
            table.push(self.purpose_cells(purpose));
            for agent in &purpose.agents {
                table.push(self.agent_cells(agent));
            }
        }
        self.document.table(table);
        self.note("log-report-pages-note");
    }

    fn purpose_cells(&self, row: &PurposeRow) -> Vec<Cell> {
        vec![
            Cell::styled(self.sentences().why(row.purpose), HEADING),
            self.cell(row.requests),
            self.cell(row.pages),
            self.cell(row.refused),
            self.cell(row.missing),
            self.cell(row.failed),
            Cell::from(day(row.last_seen)),
        ]
    }

    fn agent_cells(&self, row: &LoggedAgent) -> Vec<Cell> {
        vec![
            Cell::from(&row.name).indented(),
            self.cell(row.requests),
            self.cell(row.pages),
            self.cell(row.refused),
            self.cell(row.missing),
            self.cell(row.failed),
            Cell::from(day(row.last_seen)),
        ]
    }

    pub(super) fn days(&mut self, days: &[DayRow]) {
        let shown = days.get(days.len().saturating_sub(MAX_DAYS)..).unwrap_or_default();
        let most = shown.iter().map(|row| row.agent_requests).max().unwrap_or_default();
        if shown.len() < 2 || most == 0 {
            return;
        }
        self.heading("log-report-days");
        let mut table = self.table(&["log-report-day", "requests"]);
        for row in shown {
            let columns = (row.agent_requests * BAR_COLUMNS).div_ceil(most);
            let bar = "█".repeat(usize::try_from(columns).unwrap_or_default());
            let day = Cell::from(row.day.to_string());
            table.push([day, self.cell(row.agent_requests), Cell::styled(bar, DIM)]);
        }
        self.document.table(table);
        if shown.len() < days.len() {
            let (last, all) = (shown.len().to_string(), self.number(count_of(days)));
            let note =
                self.labels.sentence("log-report-last-days", &[("last", &last), ("all", &all)]);
            self.document.note(note);
        }
    }

    /// Who follows the links in answers.
    pub(super) fn visits(&mut self, site: &SiteReport) {
        if site.visits == 0 {
            return;
        }
        let assistants: Vec<String> = site
            .assistants
            .iter()
            .map(|row| format!("{} {}", row.name, self.number(row.visits)))
            .collect();
        let mut table = self.table(&["log-report-landing-page", "log-report-visits"]);
        for row in &site.landing_pages {
            table.push([Cell::path(path(site, &row.host, &row.path)), self.cell(row.visits)]);
        }
        self.heading("log-report-visits-back");
        self.document.paragraph(assistants.join(" · "));
        self.document.table(table);
        self.note("log-report-visits-note");
    }

    pub(super) fn hosts(&mut self, site: &SiteReport) {
        if site.host.is_some() || site.hosts.len() < 2 {
            return;
        }
        let mut table = self.table(&["log-report-host", "requests", "log-report-of-agents"]);
        for row in &site.hosts {
            table.push([
                Cell::from(&row.host),
                self.cell(row.requests),
                self.cell(row.agent_requests),
            ]);
        }
        self.heading("log-report-by-host");
        self.document.table(table);
    }

    /// Columns of requests by purpose.
    fn purpose_columns(&self, purposes: &BTreeMap<Purpose, u64>) -> [Cell; 3] {
        PURPOSES.map(|purpose| self.cell(purposes.get(&purpose).copied().unwrap_or_default()))
    }

    fn path_table(&self, site: &SiteReport, rows: &[PathRow]) -> Table {
        let mut table = self.table(&[
            "log-report-path",
            "requests",
            "log-report-user",
            "log-report-search",
            "log-report-training",
        ]);
        for row in rows {
            let path = Cell::path(path(site, &row.host, &row.path));
            let first = [path, self.cell(row.requests)];
            table.push(first.into_iter().chain(self.purpose_columns(&row.purposes)));
        }
        table
    }

    pub(super) fn pages(&mut self, site: &SiteReport) {
        if site.pages.is_empty() {
            return;
        }
        let table = self.path_table(site, &site.pages);
        self.heading("log-report-most-read");
        self.document.table(table);
    }

    pub(super) fn folders(&mut self, site: &SiteReport) {
        if site.folders.len() < 2 {
            return;
        }
        let mut table = self.table(&[
            "log-report-folder",
            "requests",
            "log-report-pages",
            "log-report-user",
            "log-report-search",
            "log-report-training",
        ]);
        for row in &site.folders {
            let FolderRow { host, folder, requests, purposes, pages } = row;
            let folder = Cell::path(path(site, host, folder));
            let first = [folder, self.cell(*requests), self.cell(*pages)];
            table.push(first.into_iter().chain(self.purpose_columns(purposes)));
        }
        self.heading("log-report-folders");
        self.document.table(table);
    }

    /// What is no page, in one line: the headline counts pages alone.
    pub(super) fn files(&mut self, site: &SiteReport) {
        let others: Vec<String> = site
            .kinds
            .iter()
            .filter(|row| row.kind != PathKind::Page)
            .map(|row| {
                let name = self.label(&format!("path-kind-{}", row.kind.as_str()));
                format!("{name} {}", self.number(row.requests))
            })
            .collect();
        if others.is_empty() {
            return;
        }
        self.heading("log-report-files");
        self.document.paragraph(others.join(" · "));
    }

    pub(super) fn errors(&mut self, site: &SiteReport) {
        let shown = |class| matches!(class, ResponseClass::Refused | ResponseClass::Failed);
        let rows: Vec<_> = site.errors.iter().filter(|row| shown(row.class)).collect();
        if rows.is_empty() {
            return;
        }
        let mut table =
            self.table(&["agent", "log-report-status", "requests", "log-report-meaning"]);
        for row in rows.iter().take(self.report.rows) {
            let meaning = match row.class {
                ResponseClass::Refused => "log-report-refused",
                _ => "log-report-failed",
            };
            table.push([
                Cell::from(&row.name),
                Cell::number(row.status.to_string()),
                self.cell(row.requests),
                Cell::from(self.label(meaning)),
            ]);
        }
        self.heading("log-report-errors");
        self.document.table(table);
    }

    pub(super) fn missing(&mut self, site: &SiteReport) {
        if site.missing.is_empty() {
            return;
        }
        let mut table = self.table(&["log-report-path", "requests", "log-report-nearest"]);
        for row in &site.missing {
            table.push([
                Cell::path(path(site, &row.host, &row.path)),
                self.cell(row.requests),
                row.nearest.as_deref().map_or_else(|| Cell::from("–"), Cell::path),
            ]);
        }
        self.heading("log-report-not-found");
        self.document.table(table);
    }

    pub(super) fn impostors(&mut self, site: &SiteReport) {
        if site.impostors.is_empty() {
            return;
        }
        let mut table =
            self.table(&["agent", "requests", "log-report-addresses", "log-report-asked-for"]);
        for row in &site.impostors {
            let paths = row.paths.iter().take(MAX_IMPOSTOR_PATHS);
            let paths: Vec<String> =
                paths.map(|(path, count)| format!("{path} ({})", self.number(*count))).collect();
            let more = if row.has_more_addresses { "+" } else { "" };
            table.push([
                Cell::from(&row.name),
                self.cell(row.requests),
                Cell::number(format!("{}{more}", self.number(row.addresses))),
                Cell::from(paths.join(" · ")),
            ]);
        }
        self.heading("log-report-claimed");
        self.document.table(table);
    }

    pub(super) fn unlisted_bots(&mut self, site: &SiteReport) {
        if site.unlisted_bots.is_empty() {
            return;
        }
        let mut table = self.table(&["name", "requests", "log-report-last-seen"]);
        for row in &site.unlisted_bots {
            table.push([
                Cell::from(&row.name),
                self.cell(row.requests),
                Cell::from(day(row.last_seen)),
            ]);
        }
        self.heading("log-report-unlisted");
        self.document.table(table);
    }
}
