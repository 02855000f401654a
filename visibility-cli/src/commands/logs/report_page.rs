//! The report of access logs as text for people.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use visibility_core::access_log::LineSkipReason;
use visibility_core::access_log::summary::{
    DayRow, FolderRow, LoggedAgent, PathRow, PurposeRow, SiteReport,
};
use visibility_core::agents::Purpose;
use visibility_core::report::labels::Labels;
use visibility_core::text::escape::printable;
use visibility_core::text::number::{grouped, percent};
use visibility_core::traffic::ResponseClass;

use super::report::LogReport;
use crate::console::style::{DIM, HEADING, paint};
use crate::console::table::{Cell, Table};
use crate::console::text::wrap;

/// Days that get a row.
const MAX_DAYS: usize = 14;
/// Columns of the bar of the day with most requests.
const BAR_COLUMNS: u64 = 40;
/// Paths of an impostor that are named.
const MAX_IMPOSTOR_PATHS: usize = 2;
/// Sites that are named although they were not wanted.
const MAX_OTHER_HOSTS: usize = 3;
/// The purposes of agents that people ask about.
const PURPOSES: [Purpose; 3] = [Purpose::User, Purpose::Search, Purpose::Training];

/// The whole report.
pub(super) fn render(report: &LogReport, labels: Labels, width: usize) -> String {
    let page = Page { report, labels, width };
    let sites: Vec<String> = report.sites.iter().map(|site| page.site(site)).collect();
    let mut text = sites.join("\n\n");
    page.notes(&mut text);
    text
}

struct Page<'a> {
    report: &'a LogReport,
    labels: Labels,
    width: usize,
}

fn day(time: Option<DateTime<Utc>>) -> String {
    time.map(|time| time.format("%Y-%m-%d").to_string()).unwrap_or_default()
}

impl Page<'_> {
    fn number(&self, number: u64) -> String {
        grouped(number, self.labels.lang())
    }

    /// A number of a table; what was never seen is not said to be nothing.
    fn cell(&self, number: u64) -> Cell {
        Cell::number(if number == 0 { "–".to_owned() } else { self.number(number) })
    }

    fn label(&self, id: &str) -> String {
        self.labels.label(id)
    }

    fn table(&self, titles: &[&str]) -> Table {
        let titles: Vec<String> = titles.iter().map(|id| self.label(id)).collect();
        Table::new(&titles.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn heading(&self, id: &str) -> String {
        format!("\n{}\n", paint(HEADING, &self.label(id)))
    }

    fn paragraph(&self, sentence: &str) -> String {
        let lines = wrap(&printable(sentence), self.width.saturating_sub(2));
        lines.iter().map(|line| format!("  {line}\n")).collect()
    }

    fn site(&self, site: &SiteReport) -> String {
        let mut text = self.title(site);
        text.push_str(&self.answer(site));
        if site.agent_requests > 0 {
            text.push('\n');
            text.push_str(&self.agents(site));
            text.push_str(&self.days(&site.days));
        }
        for part in [
            self.visits(site),
            self.hosts(site),
            self.pages(site),
            self.folders(site),
            self.files(site),
            self.errors(site),
            self.missing(site),
            self.impostors(site),
            self.unlisted_bots(site),
        ] {
            text.push_str(&part);
        }
        text
    }

    fn title(&self, site: &SiteReport) -> String {
        let host = match (&site.host, site.hosts.as_slice()) {
            (Some(host), _) => Some(host.as_str()),
            (None, [only]) => Some(only.host.as_str()),
            _ => None,
        };
        let (from, to) = (day(site.from), day(site.to));
        let span = if from == to {
            from
        } else {
            self.labels.sentence("log-report-span", &[("from", &from), ("to", &to)])
        };
        let name = host.unwrap_or_default();
        let values: [(&'static str, &dyn ToString); 2] = [("host", &name), ("span", &span)];
        let id = match (host, site.from) {
            (Some(_), Some(_)) => "log-report-title",
            (None, Some(_)) => "log-report-title-of-log",
            (Some(_), None) => "log-report-title-empty",
            (None, None) => "log-report-title-of-empty-log",
        };
        format!("{}\n", paint(HEADING, &printable(&self.labels.sentence(id, &values))))
    }

    /// What there is to know, in the first sentences.
    fn answer(&self, site: &SiteReport) -> String {
        let lang = self.labels.lang();
        let requests = self.number(site.requests);
        let of_agents = self.number(site.agent_requests);
        let share = percent(site.agent_requests, site.requests, lang);
        let of_persons = site.purposes.iter().find(|row| row.purpose == Purpose::User);
        let of_persons = self.number(of_persons.map_or(0, |row| row.requests));
        let values: [(&'static str, &dyn ToString); 4] = [
            ("requests", &requests),
            ("agents", &of_agents),
            ("share", &share),
            ("persons", &of_persons),
        ];
        let id = match (site.agent_requests, of_persons.as_str()) {
            (0, _) => "log-report-no-agents",
            (_, "0") => "log-report-agents",
            _ => "log-report-persons",
        };
        let mut text = self.paragraph(&self.labels.sentence(id, &values));
        let unseen: Vec<String> = PURPOSES
            .into_iter()
            .filter(|purpose| site.purposes.iter().all(|row| row.purpose != *purpose))
            .map(|purpose| self.why(purpose))
            .collect();
        if !unseen.is_empty() && site.agent_requests > 0 {
            let unseen = unseen.join(", ");
            let sentence = self.labels.sentence("log-report-unseen", &[("purposes", &unseen)]);
            text.push_str(&self.paragraph(&sentence));
        }
        if site.visits > 0 {
            let count = self.number(site.visits);
            let sentence = self.labels.sentence("log-report-visited", &[("count", &count)]);
            text.push_str(&self.paragraph(&sentence));
        }
        if site.impostor_requests > 0 {
            let count = self.number(site.impostor_requests);
            let sentence = self.labels.sentence("log-report-impostors", &[("count", &count)]);
            text.push_str(&self.paragraph(&sentence));
        }
        text
    }

    /// Why agents of a purpose come.
    fn why(&self, purpose: Purpose) -> String {
        self.label(match purpose {
            Purpose::User => "log-report-why-user",
            Purpose::Search => "log-report-why-search",
            Purpose::Training => "log-report-why-training",
            Purpose::Other => "log-report-why-other",
        })
    }

    fn agents(&self, site: &SiteReport) -> String {
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
        let mut text = table.render(0, self.width);
        text.push_str(&paint(DIM, self.paragraph(&self.label("log-report-pages-note")).trim_end()));
        text.push('\n');
        text
    }

    fn purpose_cells(&self, row: &PurposeRow) -> Vec<Cell> {
        vec![
            Cell::styled(self.why(row.purpose), HEADING),
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

    fn days(&self, days: &[DayRow]) -> String {
        let shown = days.get(days.len().saturating_sub(MAX_DAYS)..).unwrap_or_default();
        let most = shown.iter().map(|row| row.agent_requests).max().unwrap_or_default();
        if shown.len() < 2 || most == 0 {
            return String::new();
        }
        let mut text = self.heading("log-report-days");
        let mut table = Table::untitled();
        for row in shown {
            let columns = (row.agent_requests * BAR_COLUMNS).div_ceil(most);
            let bar = "█".repeat(usize::try_from(columns).unwrap_or_default());
            let day = Cell::from(row.day.to_string());
            table.push([day, self.cell(row.agent_requests), Cell::styled(bar, DIM)]);
        }
        text.push_str(&table.render(2, self.width));
        text
    }

    /// Who follows the links in answers.
    fn visits(&self, site: &SiteReport) -> String {
        if site.visits == 0 {
            return String::new();
        }
        let assistants: Vec<String> = site
            .assistants
            .iter()
            .map(|row| format!("{} {}", row.name, self.number(row.visits)))
            .collect();
        let mut table = self.table(&["log-report-landing-page", "log-report-visits"]);
        for row in &site.landing_pages {
            table.push([Cell::path(Self::path(site, &row.host, &row.path)), self.cell(row.visits)]);
        }
        let note = self.paragraph(&self.label("log-report-visits-note"));
        format!(
            "{}{}{}{}\n",
            self.heading("log-report-visits-back"),
            self.paragraph(&assistants.join(" · ")),
            table.render(2, self.width),
            paint(DIM, note.trim_end())
        )
    }

    fn hosts(&self, site: &SiteReport) -> String {
        if site.host.is_some() || site.hosts.len() < 2 {
            return String::new();
        }
        let mut table = self.table(&["log-report-host", "requests", "log-report-of-agents"]);
        for row in &site.hosts {
            table.push([
                Cell::from(&row.host),
                self.cell(row.requests),
                self.cell(row.agent_requests),
            ]);
        }
        format!("{}{}", self.heading("log-report-by-host"), table.render(2, self.width))
    }

    /// A path, with its host where a report is for several.
    fn path(site: &SiteReport, host: &str, path: &str) -> String {
        if site.host.is_some() || site.hosts.len() < 2 {
            path.to_owned()
        } else {
            format!("{host}{path}")
        }
    }

    /// Columns of requests by purpose.
    fn purpose_columns(&self, purposes: &BTreeMap<Purpose, u64>) -> [Cell; 3] {
        PURPOSES.map(|purpose| self.cell(purposes.get(&purpose).copied().unwrap_or_default()))
    }

    fn path_table(&self, site: &SiteReport, rows: &[PathRow]) -> String {
        let mut table = self.table(&[
            "log-report-path",
            "requests",
            "log-report-user",
            "log-report-search",
            "log-report-training",
        ]);
        for row in rows {
            let path = Cell::path(Self::path(site, &row.host, &row.path));
            let first = [path, self.cell(row.requests)];
            table.push(first.into_iter().chain(self.purpose_columns(&row.purposes)));
        }
        table.render(2, self.width)
    }

    fn pages(&self, site: &SiteReport) -> String {
        if site.pages.is_empty() {
            return String::new();
        }
        format!("{}{}", self.heading("log-report-most-read"), self.path_table(site, &site.pages))
    }

    fn folders(&self, site: &SiteReport) -> String {
        if site.folders.len() < 2 {
            return String::new();
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
            let folder = Cell::path(Self::path(site, host, folder));
            let first = [folder, self.cell(*requests), self.cell(*pages)];
            table.push(first.into_iter().chain(self.purpose_columns(purposes)));
        }
        format!("{}{}", self.heading("log-report-folders"), table.render(2, self.width))
    }

    /// What is no page, in one line: the headline counts pages alone.
    fn files(&self, site: &SiteReport) -> String {
        let others: Vec<String> = site
            .kinds
            .iter()
            .filter(|row| row.kind != visibility_core::traffic::PathKind::Page)
            .map(|row| {
                let name = self.label(&format!("path-kind-{}", row.kind.as_str()));
                format!("{name} {}", self.number(row.requests))
            })
            .collect();
        if others.is_empty() {
            return String::new();
        }
        format!("{}{}", self.heading("log-report-files"), self.paragraph(&others.join(" · ")))
    }

    fn errors(&self, site: &SiteReport) -> String {
        let shown = |class| matches!(class, ResponseClass::Refused | ResponseClass::Failed);
        let rows: Vec<_> = site.errors.iter().filter(|row| shown(row.class)).collect();
        if rows.is_empty() {
            return String::new();
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
        format!("{}{}", self.heading("log-report-errors"), table.render(2, self.width))
    }

    fn missing(&self, site: &SiteReport) -> String {
        if site.missing.is_empty() {
            return String::new();
        }
        let mut table = self.table(&["log-report-path", "requests", "log-report-nearest"]);
        for row in &site.missing {
            table.push([
                Cell::path(Self::path(site, &row.host, &row.path)),
                self.cell(row.requests),
                Cell::path(row.nearest.as_deref().unwrap_or("–")),
            ]);
        }
        format!("{}{}", self.heading("log-report-not-found"), table.render(2, self.width))
    }

    fn impostors(&self, site: &SiteReport) -> String {
        if site.impostors.is_empty() {
            return String::new();
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
        format!("{}{}", self.heading("log-report-claimed"), table.render(2, self.width))
    }

    fn unlisted_bots(&self, site: &SiteReport) -> String {
        if site.unlisted_bots.is_empty() {
            return String::new();
        }
        let mut table = self.table(&["name", "requests", "log-report-last-seen"]);
        for row in &site.unlisted_bots {
            table.push([
                Cell::from(&row.name),
                self.cell(row.requests),
                Cell::from(day(row.last_seen)),
            ]);
        }
        format!("{}{}", self.heading("log-report-unlisted"), table.render(2, self.width))
    }

    /// What is true of all reports: lines that were not counted, addresses, what was folded.
    fn notes(&self, text: &mut String) {
        text.push('\n');
        for (id, count) in self.uncounted() {
            let count = self.number(count);
            text.push_str(&self.paragraph(&self.labels.sentence(id, &[("count", &count)])));
        }
        if self.report.other_requests > 0 {
            text.push_str(&self.paragraph(&self.other_hosts()));
        }
        let counts = &self.report.counts;
        if !self.report.is_checked && counts.records() > 0 {
            text.push_str(&self.paragraph(&self.label("log-report-claims")));
            return;
        }
        let (verified, impostors) = (counts.verified(), counts.impostors());
        let unchecked = counts.unchecked();
        if counts.records() > 0 {
            let (verified, unchecked) = (self.number(verified), self.number(unchecked));
            let values: [(&'static str, &dyn ToString); 2] =
                [("verified", &verified), ("unchecked", &unchecked)];
            text.push_str(&self.paragraph(&self.labels.sentence("log-report-checked", &values)));
        }
        if verified == 0 && impostors > 0 {
            text.push_str(&self.paragraph(&self.label("log-report-perhaps-a-proxy")));
        }
    }

    /// Which sites the log has beside those that were wanted: one of them may have been meant.
    fn other_hosts(&self) -> String {
        let count = self.number(self.report.other_requests);
        let named = self.report.other_hosts.iter().take(MAX_OTHER_HOSTS);
        let names: Vec<String> =
            named.map(|(host, count)| format!("{host} ({})", self.number(*count))).collect();
        let names = names.join(", ");
        let values: [(&'static str, &dyn ToString); 2] = [("count", &count), ("hosts", &names)];
        let id = if names.is_empty() { "log-report-others" } else { "log-report-other-hosts" };
        self.labels.sentence(id, &values)
    }

    fn uncounted(&self) -> Vec<(&'static str, u64)> {
        let counts = &self.report.counts;
        let unread = [LineSkipReason::Unreadable, LineSkipReason::TooLong, LineSkipReason::CutOff];
        let unread = unread.into_iter().map(|reason| counts.skipped(reason)).sum();
        let folded = |count: fn(&SiteReport) -> u64| self.report.sites.iter().map(count).sum();
        let rejected: u64 = LineSkipReason::all()
            .filter(|reason| matches!(reason, LineSkipReason::Rejected(_)))
            .map(|reason| counts.skipped(reason))
            .sum();
        let mut notes = vec![
            ("log-report-unread", unread),
            ("log-report-rejected", rejected),
            ("log-report-no-request", counts.skipped(LineSkipReason::NoRequest)),
            ("log-report-folded-paths", folded(|site| site.folded.paths)),
            ("log-report-folded-hosts", folded(|site| site.folded.hosts)),
            ("log-report-folded-days", folded(|site| site.folded.days)),
            ("log-report-folded-bots", folded(|site| site.folded.unlisted_bots)),
            ("log-report-folded-visits", folded(|site| site.folded.landing_pages)),
        ];
        notes.retain(|(_, count)| *count > 0);
        notes
    }
}
