//! Reports of made-up logs.

use std::fmt::Write;

use chrono::{DateTime, TimeDelta, Utc};

use super::{LogReport, SitemapFiles};
use crate::access_log::summary::{SitemapPages, Summary, SummarySettings};
use crate::access_log::{
    AccessLogFormat, Filter, FilterSettings, HashKey, HashPeriod, KeyMap, LineParser,
};
use crate::agents::ranges::{AgentRanges, IdentityCheck, RangeList};
use crate::agents::{Agent, Registry};
use crate::documents::robots::RobotsFile;
use crate::documents::sitemap::Sitemap;
use crate::ingest::Rules;

/// The first day of the logs.
pub(in crate::report) fn begin() -> DateTime<Utc> {
    "2026-09-20T00:00:00Z".parse().unwrap()
}

/// A line in the format `combined`.
pub(in crate::report) fn line(
    at: DateTime<Utc>,
    path: &str,
    status: u16,
    referrer: &str,
    agent: &str,
) -> String {
    let time = at.format("%d/%b/%Y:%H:%M:%S +0000");
    format!(
        "192.0.2.1 - - [{time}] \"GET {path} HTTP/1.1\" {status} 9 \"{referrer}\" \"{agent}\"\n"
    )
}

/// What is given beside the log.
#[derive(Clone, Debug, Default)]
pub(in crate::report) struct Given<'a> {
    pub(in crate::report) hosts: &'a [&'a str],
    pub(in crate::report) since: Option<DateTime<Utc>>,
    pub(in crate::report) robots: Option<&'a str>,
    pub(in crate::report) sitemap: Option<&'a str>,
    /// Whether addresses are compared with a list of OpenAI that has another network.
    pub(in crate::report) is_checked: bool,
}

fn filter_settings(given: &Given<'_>, end: DateTime<Utc>) -> FilterSettings {
    let ranges = given.is_checked.then(|| {
        let mut ranges = AgentRanges::default();
        let body = br#"{"prefixes":[{"ipv4Prefix":"198.51.100.0/24"}]}"#;
        ranges.put(RangeList::read("https://openai.com/gptbot.json", end, body).unwrap());
        IdentityCheck::new(&ranges, end)
    });
    let mut rules = Rules::at(DateTime::UNIX_EPOCH);
    rules.future_skew = TimeDelta::days(365 * 200);
    FilterSettings {
        key: HashKey::new(&[7; 32]).unwrap(),
        period: HashPeriod::NinetyDays,
        joins_ipv6_networks: false,
        default_host: Some("www.example.com".to_owned()),
        proxies: Vec::new(),
        identities: ranges,
        drops_impostors: false,
        not_before: given.since.unwrap_or(DateTime::<Utc>::MIN_UTC),
        rules,
    }
}

/// The report of a log in the format `combined`.
pub(in crate::report) fn report(log: &str, given: &Given<'_>) -> LogReport {
    let mut pages = SitemapPages::default();
    if let Some(sitemap) = given.sitemap {
        pages.add(&Sitemap::parse(sitemap.as_bytes(), false).unwrap());
    }
    let summary = Summary::new(SummarySettings {
        hosts: given.hosts.iter().map(|host| (*host).to_owned()).collect(),
        default_host: Some("www.example.com".to_owned()),
        not_before: given.since,
        robots: given.robots.map(|text| RobotsFile::from_text(text.as_bytes()).rules),
        sitemap: given.sitemap.map(|_| pages),
    });
    let parser = LineParser::new(AccessLogFormat::Combined, KeyMap::default());
    let end = begin() + TimeDelta::days(400);
    let mut filter = Filter::new(parser, filter_settings(given, end), summary);
    filter.feed(log.as_bytes()).unwrap();
    filter.end_file().unwrap();
    let counts = filter.counts().clone();
    let summary = filter.sink_mut();
    LogReport {
        counts,
        sites: summary.reports(10),
        other_requests: summary.other_requests(),
        other_hosts: summary.other_hosts(10),
        rows: 10,
        is_since: given.since.is_some(),
        is_checked: given.is_checked,
        sitemaps: given.sitemap.map(|_| SitemapFiles {
            read: 1,
            missing: vec!["https://www.example.com/more.xml".to_owned()],
            is_cut: false,
        }),
    }
}

/// A log with something for every section, on so many days from the first one. Each text of a stranger has this in it.
pub(in crate::report) fn log(days: i64, text: &str) -> String {
    let mut log = String::new();
    for day in 0..days {
        let at = |hour: i64| begin() + TimeDelta::days(day) + TimeDelta::hours(hour);
        // Of one day there is no line.
        if day == 3 {
            continue;
        }
        log += &line(at(0), "/robots.txt", 200, "-", "GPTBot/1.2");
        for hour in 1..=(3 + day % 4) {
            log += &line(at(hour), "/docs/start", 200, "-", "GPTBot/1.2");
            log += &line(at(hour), &format!("/blog/{text}"), 200, "-", "ChatGPT-User/1.0");
        }
        log += &line(at(5), "/docs/strat", 404, "-", "ClaudeBot/1.0");
        let status = if day < 10 { 200 } else { 403 };
        log += &line(at(6), "/pricing", status, "-", "PerplexityBot/1.0");
        log += &line(at(7), "/private/a", 200, "-", "Bytespider");
        log += &line(at(8), "/pricing", 503, "-", "Googlebot/2.1");
        log += &line(at(9), "/pricing", 200, "-", "Mozilla/5.0 Firefox/145.0");
        log += &line(
            at(10),
            &format!("/blog/{text}"),
            200,
            "https://chatgpt.com/",
            "Mozilla/5.0 Firefox/145.0",
        );
        log += &line(at(11), "/docs/", 200, "-", &format!("examplebot/2.1 {text}"));
        log += &line(at(23), "/", 200, "-", "OAI-SearchBot/1.3");
    }
    log += "no line at all\n";
    log
}

/// A report with every section.
pub(in crate::report) fn whole(text: &str) -> LogReport {
    let given = Given {
        hosts: &["www.example.com"],
        since: Some(begin() + TimeDelta::days(10)),
        robots: Some("User-agent: *\nDisallow: /private/\n"),
        sitemap: Some(SITEMAP),
        is_checked: true,
    };
    report(&log(16, text), &given)
}

const SITEMAP: &str = "<urlset><url><loc>https://www.example.com/</loc></url>\
    <url><loc>https://www.example.com/docs/start</loc></url>\
    <url><loc>https://www.example.com/docs/end</loc></url></urlset>";

/// A year of sixty agents.
pub(in crate::report) fn year() -> LogReport {
    let agents: Vec<&Agent> = Registry::embedded()
        .agents
        .iter()
        .filter(|agent| agent.in_log_allowlist)
        .take(60)
        .collect();
    let mut log = String::new();
    for day in 0..365_i64 {
        for (number, agent) in (0_i64..).zip(&agents) {
            let user_agent = agent.example_user_agent.as_deref().unwrap_or_default();
            let at = begin() + TimeDelta::days(day) + TimeDelta::minutes(number);
            for copy in 0..=(day * number) % 7 {
                let path =
                    format!("/a-folder-of-{}/and-a-page-of-{}", copy % 12, (day + number) % 40);
                let status = if (day + number) % 9 == 0 { 404 } else { 200 };
                log += &line(at, &path, status, "-", user_agent);
            }
        }
        let at = begin() + TimeDelta::days(day);
        _ = write!(
            log,
            "{}",
            line(at, "/pricing", 200, "https://chatgpt.com/", "Mozilla/5.0 Firefox/145.0")
        );
        log += &line(at, "/pricing", 200, "-", &format!("example{}bot/2.1", day % 30));
    }
    report(&log, &Given { hosts: &["www.example.com"], ..Given::default() })
}
