//! What the report says in sentences.

use chrono::{DateTime, Datelike, Utc};

use super::{LogReport, SitemapFiles};
use crate::access_log::LineSkipReason;
use crate::access_log::summary::{PurposeRow, RobotsComparison, SiteReport, SitemapComparison};
use crate::agents::Purpose;
use crate::report::labels::Labels;
use crate::text::number::{grouped, percent};

/// Sites that are named although they were not wanted.
const MAX_OTHER_HOSTS: usize = 3;
/// Sitemaps of an index that are named although they are missing.
const MAX_MISSING_SITEMAPS: usize = 3;
/// The purposes of agents that people ask about.
pub const PURPOSES: [Purpose; 3] = [Purpose::User, Purpose::Search, Purpose::Training];

/// The sentences of a report in one language.
#[derive(Clone, Copy, Debug)]
pub struct LogSentences<'a> {
    report: &'a LogReport,
    labels: Labels,
}

/// A day as machines write it.
pub fn day(time: Option<DateTime<Utc>>) -> String {
    time.map(|time| time.format("%Y-%m-%d").to_string()).unwrap_or_default()
}

/// The host that a report is about; none if there are several.
pub fn host(site: &SiteReport) -> Option<&str> {
    match (&site.host, site.hosts.as_slice()) {
        (Some(host), _) => Some(host),
        (None, [only]) => Some(&only.host),
        _ => None,
    }
}

/// A path, with its host where a report is for several.
pub fn path(site: &SiteReport, host: &str, path: &str) -> String {
    if site.host.is_some() || site.hosts.len() < 2 {
        path.to_owned()
    } else {
        format!("{host}{path}")
    }
}

impl<'a> LogSentences<'a> {
    /// The sentences in the language of these labels.
    pub fn new(report: &'a LogReport, labels: Labels) -> Self {
        Self { report, labels }
    }

    fn number(&self, number: u64) -> String {
        grouped(number, self.labels.lang())
    }

    fn sentence(&self, id: &'static str, values: &[(&'static str, &dyn ToString)]) -> String {
        self.labels.sentence(id, values)
    }

    /// A sentence about a number of things, if there are any.
    fn counted(&self, id: &'static str, count: u64) -> Option<String> {
        (count > 0).then(|| self.sentence(id, &[("count", &self.number(count))]))
    }

    /// A part of a whole, with its sign.
    pub fn share(&self, part: u64, whole: u64) -> String {
        let share = percent(part, whole, self.labels.lang());
        self.sentence("log-report-share", &[("share", &share)])
    }

    /// Why agents of a purpose come.
    pub fn why(&self, purpose: Purpose) -> String {
        self.labels.label(match purpose {
            Purpose::User => "log-report-why-user",
            Purpose::Search => "log-report-why-search",
            Purpose::Training => "log-report-why-training",
            Purpose::Other => "log-report-why-other",
        })
    }

    /// Days from one to another, in words that fit a column: the year is said once.
    pub fn days(&self, from: Option<DateTime<Utc>>, to: Option<DateTime<Utc>>) -> String {
        let is_one_year = from.map(|time| time.year()) == to.map(|time| time.year());
        let (from, to) = (day(from), day(to));
        if from == to {
            return from;
        }
        let to = to.get(5..).filter(|_| is_one_year).unwrap_or(&to);
        self.sentence("log-report-span", &[("from", &from), ("to", &to)])
    }

    /// From the first day to the last one.
    pub fn span(&self, site: &SiteReport) -> String {
        let (from, to) = (day(site.from), day(site.to));
        if from == to {
            return from;
        }
        self.sentence("log-report-span", &[("from", &from), ("to", &to)])
    }

    /// What the report is about: the site, and its days in these words.
    pub fn title(&self, site: &SiteReport, span: &str) -> String {
        let host = host(site);
        let id = match (host, site.from) {
            (Some(_), Some(_)) => "log-report-title",
            (None, Some(_)) => "log-report-title-of-log",
            (Some(_), None) => "log-report-title-empty",
            (None, None) => "log-report-title-of-empty-log",
        };
        self.sentence(id, &[("host", &host.unwrap_or_default()), ("span", &span)])
    }

    /// What there is to know about a site, the most important first.
    pub fn answer(&self, site: &SiteReport) -> Vec<String> {
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
        let mut answer = vec![self.sentence(id, &values)];
        answer.extend(self.unseen(site));
        answer.extend(self.trouble(site));
        answer.extend(self.counted("log-report-visited", site.visits));
        answer.extend(site.sitemap.as_ref().map(|sitemap| self.sitemap(sitemap)));
        answer.extend(site.robots.as_ref().and_then(|robots| self.robots(site, robots)));
        answer.extend(self.counted("log-report-impostors", site.impostor_requests));
        answer
    }

    /// The purposes that no agent came for, if any came.
    fn unseen(&self, site: &SiteReport) -> Option<String> {
        let unseen: Vec<String> = PURPOSES
            .into_iter()
            .filter(|purpose| site.purposes.iter().all(|row| row.purpose != *purpose))
            .map(|purpose| self.why(purpose))
            .collect();
        let is_said = !unseen.is_empty() && site.agent_requests > 0;
        is_said.then(|| self.sentence("log-report-unseen", &[("purposes", &unseen.join(", "))]))
    }

    /// How many requests of agents came to nothing by the will or the fault of the server.
    fn trouble(&self, site: &SiteReport) -> Option<String> {
        let sum = |count: fn(&PurposeRow) -> u64| site.purposes.iter().map(count).sum::<u64>();
        let (refused, failed) = (sum(|row| row.refused), sum(|row| row.failed));
        let id = match (refused, failed) {
            (0, 0) => return None,
            (_, 0) => "log-report-were-refused",
            (0, _) => "log-report-have-failed",
            _ => "log-report-refused-and-failed",
        };
        let (refused, failed) = (self.number(refused), self.number(failed));
        Some(self.sentence(id, &[("refused", &refused), ("failed", &failed)]))
    }

    /// How many pages of the sitemap were read.
    fn sitemap(&self, sitemap: &SitemapComparison) -> String {
        if sitemap.pages == 0 {
            let id = match sitemap.other_host_pages {
                0 => "log-report-sitemap-empty",
                _ => "log-report-sitemap-elsewhere",
            };
            return self.sentence(id, &[]);
        }
        let (read, pages) = (self.number(sitemap.read), self.number(sitemap.pages));
        let share = self.share(sitemap.read, sitemap.pages);
        self.sentence(
            "log-report-sitemap-read",
            &[("read", &read), ("pages", &pages), ("share", &share)],
        )
    }

    /// How many requests robots.txt disallows.
    fn robots(&self, site: &SiteReport, robots: &RobotsComparison) -> Option<String> {
        if !robots.is_compared {
            return Some(self.sentence("log-report-robots-of-one-site", &[]));
        }
        match robots.disallowed_requests {
            0 if site.agent_requests > 0 => Some(self.sentence("log-report-robots-respected", &[])),
            count => self.counted("log-report-robots-disallows", count),
        }
    }

    /// What of the sitemaps was not compared.
    pub fn sitemap_notes(&self, sitemap: &SitemapComparison) -> Vec<String> {
        let mut notes = Vec::new();
        if sitemap.other_host_pages > 0 {
            let count = self.number(sitemap.other_host_pages);
            let named = sitemap.other_hosts.iter().take(MAX_OTHER_HOSTS);
            let names: Vec<&str> = named.map(|(host, _)| host.as_str()).collect();
            let values: [(&'static str, &dyn ToString); 2] =
                [("count", &count), ("hosts", &names.join(", "))];
            notes.push(self.sentence("log-report-sitemap-hosts", &values));
        }
        for (id, count) in [
            ("log-report-sitemap-queries", sitemap.with_query),
            ("log-report-sitemap-not-addresses", sitemap.not_addresses),
            ("log-report-sitemap-without-room", sitemap.without_room),
        ] {
            notes.extend(self.counted(id, count));
        }
        let Some(SitemapFiles { missing, is_cut, .. }) = &self.report.sitemaps else {
            return notes;
        };
        if *is_cut {
            notes.push(self.sentence("log-report-sitemap-cut", &[]));
        }
        if !missing.is_empty() {
            let count = self.number(u64::try_from(missing.len()).unwrap_or_default());
            let named = missing.iter().take(MAX_MISSING_SITEMAPS);
            let names: Vec<&str> = named.map(String::as_str).collect();
            let values: [(&'static str, &dyn ToString); 2] =
                [("count", &count), ("names", &names.join(", "))];
            notes.push(self.sentence("log-report-sitemap-missing", &values));
        }
        notes
    }

    /// What is true of all sites: lines that were not counted, and what was folded.
    pub fn notes(&self) -> Vec<String> {
        let uncounted = self.uncounted().into_iter();
        let mut notes: Vec<String> =
            uncounted.filter_map(|(id, count)| self.counted(id, count)).collect();
        if self.report.other_requests > 0 {
            notes.push(self.other_hosts());
        }
        notes
    }

    /// What is known of the addresses, and what to do about it.
    pub fn addresses(&self) -> Vec<String> {
        let counts = &self.report.counts;
        if counts.records() == 0 {
            return Vec::new();
        }
        if !self.report.is_checked {
            return vec![self.sentence("log-report-claims", &[])];
        }
        let mut notes = vec![self.checked()];
        if counts.verified() == 0 && counts.impostors() > 0 {
            notes.push(self.sentence("log-report-perhaps-a-proxy", &[]));
        }
        notes
    }

    /// What is known of the addresses, for people who did not run the command.
    pub fn checked(&self) -> String {
        if !self.report.is_checked {
            return self.sentence("log-report-claims-alone", &[]);
        }
        let counts = &self.report.counts;
        let (verified, unchecked) =
            (self.number(counts.verified()), self.number(counts.unchecked()));
        let values: [(&'static str, &dyn ToString); 2] =
            [("verified", &verified), ("unchecked", &unchecked)];
        self.sentence("log-report-checked", &values)
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
        self.sentence(id, &values)
    }

    fn uncounted(&self) -> [(&'static str, u64); 9] {
        let counts = &self.report.counts;
        let unread = [LineSkipReason::Unreadable, LineSkipReason::TooLong, LineSkipReason::CutOff];
        let unread = unread.into_iter().map(|reason| counts.skipped(reason)).sum();
        let folded = |count: fn(&SiteReport) -> u64| self.report.sites.iter().map(count).sum();
        let rejected: u64 = LineSkipReason::all()
            .filter(|reason| matches!(reason, LineSkipReason::Rejected(_)))
            .map(|reason| counts.skipped(reason))
            .sum();
        [
            ("log-report-unread", unread),
            ("log-report-rejected", rejected),
            ("log-report-no-request", counts.skipped(LineSkipReason::NoRequest)),
            ("log-report-folded-paths", folded(|site| site.folded.paths)),
            ("log-report-folded-hosts", folded(|site| site.folded.hosts)),
            ("log-report-folded-days", folded(|site| site.folded.days)),
            ("log-report-folded-bots", folded(|site| site.folded.unlisted_bots)),
            ("log-report-folded-visits", folded(|site| site.folded.landing_pages)),
            ("log-report-folded-disallowed", folded(|site| site.folded.disallowed)),
        ]
    }
}
