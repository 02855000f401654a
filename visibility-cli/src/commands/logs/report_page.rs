//! The report of access logs as text for people.

mod given;
mod sections;

use chrono::{DateTime, Datelike, Utc};
use visibility_core::access_log::LineSkipReason;
use visibility_core::access_log::summary::{PurposeRow, SiteReport};
use visibility_core::agents::Purpose;
use visibility_core::report::labels::Labels;
use visibility_core::text::number::{grouped, percent};

use super::report::LogReport;
use crate::console::document::Document;
use crate::console::table::{Cell, Table};

/// Sites that are named although they were not wanted.
const MAX_OTHER_HOSTS: usize = 3;
/// The purposes of agents that people ask about.
const PURPOSES: [Purpose; 3] = [Purpose::User, Purpose::Search, Purpose::Training];

/// The whole report.
pub(super) fn document(report: &LogReport, labels: Labels) -> Document {
    let mut page = Page { report, labels, document: Document::default() };
    for site in &report.sites {
        page.site(site);
    }
    page.notes();
    page.document
}

/// Values of a sentence.
type Values<'a> = [(&'static str, &'a dyn ToString)];

struct Page<'a> {
    report: &'a LogReport,
    labels: Labels,
    document: Document,
}

fn day(time: Option<DateTime<Utc>>) -> String {
    time.map(|time| time.format("%Y-%m-%d").to_string()).unwrap_or_default()
}

/// Days from one to another, in words that fit a column: the year is said once.
fn days(labels: Labels, from: Option<DateTime<Utc>>, to: Option<DateTime<Utc>>) -> String {
    let is_one_year = from.map(|time| time.year()) == to.map(|time| time.year());
    let (from, to) = (day(from), day(to));
    if from == to {
        return from;
    }
    let to = to.get(5..).filter(|_| is_one_year).unwrap_or(&to);
    labels.sentence("log-report-span", &[("from", &from), ("to", &to)])
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

    fn heading(&mut self, id: &str) {
        let text = self.label(id);
        self.document.heading(text);
    }

    fn note(&mut self, id: &str) {
        let text = self.label(id);
        self.document.note(text);
    }

    fn paragraph(&mut self, id: &'static str, values: &Values<'_>) {
        let text = self.labels.sentence(id, values);
        self.document.paragraph(text);
    }

    /// A sentence about a number of things, if there are any.
    fn counted(&mut self, id: &'static str, count: u64) {
        if count > 0 {
            let count = self.number(count);
            self.paragraph(id, &[("count", &count)]);
        }
    }

    fn site(&mut self, site: &SiteReport) {
        self.title(site);
        self.answer(site);
        self.agents(site);
        self.days(&site.days);
        self.visits(site);
        self.sitemap(site);
        self.robots(site);
        self.hosts(site);
        self.pages(site);
        self.folders(site);
        self.files(site);
        self.errors(site);
        self.missing(site);
        self.impostors(site);
        self.unlisted_bots(site);
    }

    fn title(&mut self, site: &SiteReport) {
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
        let id = match (host, site.from) {
            (Some(_), Some(_)) => "log-report-title",
            (None, Some(_)) => "log-report-title-of-log",
            (Some(_), None) => "log-report-title-empty",
            (None, None) => "log-report-title-of-empty-log",
        };
        let text = self.labels.sentence(id, &[("host", &name), ("span", &span)]);
        self.document.title(text);
    }

    /// What there is to know, in the first sentences.
    fn answer(&mut self, site: &SiteReport) {
        let requests = self.number(site.requests);
        let of_agents = self.number(site.agent_requests);
        let share = percent(site.agent_requests, site.requests, self.labels.lang());
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
        self.paragraph(id, &values);
        let unseen: Vec<String> = PURPOSES
            .into_iter()
            .filter(|purpose| site.purposes.iter().all(|row| row.purpose != *purpose))
            .map(|purpose| self.why(purpose))
            .collect();
        if !unseen.is_empty() && site.agent_requests > 0 {
            let unseen = unseen.join(", ");
            self.paragraph("log-report-unseen", &[("purposes", &unseen)]);
        }
        self.trouble(site);
        self.counted("log-report-visited", site.visits);
        self.sitemap_answer(site);
        self.robots_answer(site);
        self.counted("log-report-impostors", site.impostor_requests);
    }

    /// How many requests of agents came to nothing by the will or the fault of the server.
    fn trouble(&mut self, site: &SiteReport) {
        let sum = |count: fn(&PurposeRow) -> u64| site.purposes.iter().map(count).sum::<u64>();
        let (refused, failed) = (sum(|row| row.refused), sum(|row| row.failed));
        let id = match (refused, failed) {
            (0, 0) => return,
            (_, 0) => "log-report-were-refused",
            (0, _) => "log-report-have-failed",
            _ => "log-report-refused-and-failed",
        };
        let (refused, failed) = (self.number(refused), self.number(failed));
        self.paragraph(id, &[("refused", &refused), ("failed", &failed)]);
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

    /// What is true of all reports: lines that were not counted, addresses, what was folded.
    fn notes(&mut self) {
        for (id, count) in self.uncounted() {
            self.counted(id, count);
        }
        if self.report.other_requests > 0 {
            let text = self.other_hosts();
            self.document.paragraph(text);
        }
        let counts = &self.report.counts;
        if counts.records() == 0 {
            return;
        }
        if !self.report.is_checked {
            self.paragraph("log-report-claims", &[]);
            return;
        }
        let (verified, unchecked) =
            (self.number(counts.verified()), self.number(counts.unchecked()));
        self.paragraph("log-report-checked", &[("verified", &verified), ("unchecked", &unchecked)]);
        if counts.verified() == 0 && counts.impostors() > 0 {
            self.paragraph("log-report-perhaps-a-proxy", &[]);
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
            ("log-report-folded-disallowed", folded(|site| site.folded.disallowed)),
        ];
        notes.retain(|(_, count)| *count > 0);
        notes
    }
}
