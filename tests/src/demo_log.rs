//! The access log that `visibility logs report --demo` shows: made up, of a site that does not exist.
//!
//! It has what a site sees in two months: agents that train models, search or are sent by a person, one that comes more
//! and more, one that robots.txt shuts out and that comes nevertheless, one that the server has begun to refuse, a page
//! that has moved, a bad day of the server, impostors, a bot that no list knows, and people who follow the links of
//! assistants. Addresses are those for documentation (RFC 5737), the same for each operator in its list.

use std::fmt::Write;

use chrono::{DateTime, Datelike, NaiveDate, TimeDelta, Utc, Weekday};
use visibility_core::agents::ranges::{AgentRanges, RangeList};
use visibility_core::agents::{Agent, Registry};

use crate::random::Random;

/// Days of the log.
const DAYS: u32 = 60;
/// The days of the report, from which on things happen.
const EARLIER_DAYS: u32 = 30;
/// Seconds of a day.
const DAY: i64 = 86_400;
const SEED: u64 = 20_261_130;

/// The files that the program has inside.
#[derive(Clone, Debug)]
pub struct DemoLog {
    /// `access.log`.
    pub log: String,
    /// `robots.txt`.
    pub robots: String,
    /// `sitemap.xml`.
    pub sitemap: String,
    /// `ranges.json`.
    pub ranges: String,
}

/// The end of the log, which is the time that the demo is judged at.
///
/// # Panics
///
/// Never.
pub fn now() -> DateTime<Utc> {
    "2026-11-30T00:00:00Z".parse().expect("a time")
}

/// Pages, and how often each is read compared with others; 0 for those that only the sitemap has.
const PAGES: [(&str, u32); 22] = [
    ("/", 22),
    ("/pricing", 18),
    ("/docs/api", 16),
    ("/docs/quickstart", 14),
    ("/docs/webhooks", 8),
    ("/docs/errors", 5),
    ("/docs/rate-limits", 4),
    ("/compare/carriers", 9),
    ("/compare/parcel-lockers", 6),
    ("/guides/customs-forms", 8),
    ("/guides/dimensional-weight", 7),
    ("/guides/returns", 5),
    ("/guides/batteries", 3),
    ("/blog/black-friday-cutoffs", 6),
    ("/blog/peak-surcharges", 5),
    ("/blog/label-formats", 2),
    ("/changelog", 4),
    ("/about", 3),
    ("/security", 2),
    ("/legal/terms", 0),
    ("/legal/subprocessors", 0),
    ("/blog/hiring", 0),
];

/// What else is asked for.
const FILES: [(&str, u32); 5] = [
    ("/robots.txt", 5),
    ("/sitemap.xml", 2),
    ("/llms.txt", 2),
    ("/docs/api.md", 2),
    ("/feed.xml", 1),
];

/// A page that has moved to `/docs/quickstart`.
const MOVED: &str = "/docs/quick-start";

/// How an agent comes.
struct Habit {
    agent: &'static str,
    /// Requests of a day at the begin, and at the end.
    per_day: (u32, u32),
    /// The last byte of its addresses begins here.
    address: u32,
}

const fn habit(agent: &'static str, per_day: (u32, u32), address: u32) -> Habit {
    Habit { agent, per_day, address }
}

const HABITS: [Habit; 16] = [
    habit("openai-gptbot", (26, 28), 0),
    habit("openai-oai-searchbot", (9, 13), 16),
    habit("openai-chatgpt-user", (5, 16), 32),
    habit("anthropic-claudebot", (17, 15), 48),
    habit("anthropic-claude-user", (2, 5), 56),
    habit("google-googlebot", (14, 14), 64),
    habit("microsoft-bingbot", (6, 7), 80),
    habit("perplexity-perplexitybot", (6, 6), 96),
    habit("perplexity-user", (1, 3), 112),
    habit("meta-externalagent", (6, 5), 128),
    habit("amazon-amazonbot", (3, 4), 144),
    habit("apple-applebot", (3, 3), 160),
    habit("commoncrawl-ccbot", (1, 2), 176),
    habit("bytedance-bytespider", (4, 5), 192),
    habit("mistral-user", (0, 2), 208),
    habit("duckduckgo-duckassistbot", (1, 1), 216),
];

const BROWSERS: [&str; 3] = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
];

/// Where people come from, and how often compared with others.
const REFERRERS: [(&str, u32); 6] = [
    ("-", 50),
    ("https://www.google.com/", 26),
    ("https://chatgpt.com/", 6),
    ("https://www.perplexity.ai/", 2),
    ("https://claude.ai/", 1),
    ("https://gemini.google.com/", 1),
];

/// A line before it is written.
struct Request<'a> {
    at: i64,
    address: String,
    method: &'a str,
    path: &'a str,
    status: u16,
    referrer: &'a str,
    user_agent: &'a str,
}

/// Makes the files.
///
/// # Panics
///
/// When an agent is not in the registry any more.
pub fn render() -> DemoLog {
    let mut log = Log { random: Random::new(SEED), lines: Vec::new() };
    let first = now().date_naive() - TimeDelta::days(DAYS.into());
    for day in 0..DAYS {
        let date = first + TimeDelta::days(day.into());
        for habit in &HABITS {
            log.agent(habit, day, date);
        }
        log.people(day, date);
        log.others(day, date);
    }
    log.lines.sort();
    let mut text = String::new();
    for (_, line) in &log.lines {
        text.push_str(line);
        text.push('\n');
    }
    DemoLog { log: text, robots: robots(), sitemap: sitemap(), ranges: ranges() }
}

struct Log {
    random: Random,
    /// When each was requested, and the line.
    lines: Vec<(i64, String)>,
}

fn agent(id: &str) -> &'static Agent {
    let agent = Registry::embedded().agents.iter().find(|agent| agent.id == id);
    agent.expect("the agent is in the registry")
}

/// What an agent calls itself.
fn user_agent(agent: &Agent) -> String {
    agent.example_user_agent.clone().unwrap_or_default().replace("W.X.Y.Z", "142.0.0.0")
}

/// A time as it is in the format `combined`.
fn written(at: i64) -> String {
    let time = DateTime::from_timestamp(at, 0).expect("a time");
    time.format("%d/%b/%Y:%H:%M:%S +0000").to_string()
}

fn is_weekend(date: NaiveDate) -> bool {
    matches!(date.weekday(), Weekday::Sat | Weekday::Sun)
}

impl Log {
    /// One of a list by its weight.
    fn weighted<'a>(&mut self, list: &[(&'a str, u32)]) -> &'a str {
        let all = list.iter().map(|(_, weight)| weight).sum();
        let mut left = self.random.below(all);
        for (item, weight) in list {
            if left < *weight {
                return item;
            }
            left -= weight;
        }
        list.last().map(|(item, _)| *item).unwrap_or_default()
    }

    /// About so many.
    fn about(&mut self, count: u32) -> u32 {
        let spread = count / 3 + 1;
        count + self.random.below(2 * spread + 1) - spread.min(count)
    }

    fn time(&mut self, date: NaiveDate) -> i64 {
        let begin = date.and_time(chrono::NaiveTime::MIN).and_utc().timestamp();
        begin + self.random.up_to(DAY - 1)
    }

    fn push(&mut self, request: &Request<'_>) {
        let Request { at, address, method, path, status, referrer, user_agent } = request;
        let time = written(*at);
        let bytes = match status {
            200 => 4_000 + path.len() * 731,
            304 => 0,
            _ => 512,
        };
        let line = format!(
            "{address} - - [{time}] \"{method} {path} HTTP/1.1\" {status} {bytes} \"{referrer}\" \"{user_agent}\""
        );
        self.lines.push((*at, line));
    }

    fn agent(&mut self, habit: &Habit, day: u32, date: NaiveDate) {
        let agent = agent(habit.agent);
        let user_agent = user_agent(agent);
        let (begin, end) = habit.per_day;
        let mut usual = (begin * (DAYS - day) + end * day) / DAYS;
        // People ask less on weekends.
        if habit.agent.ends_with("-user") && is_weekend(date) {
            usual /= 2;
        }
        for _ in 0..self.about(usual) {
            let path = self.path(habit.agent);
            let address = format!("198.51.100.{}", habit.address + self.random.below(8));
            let at = self.time(date);
            let status = self.status(habit.agent, path, day);
            self.push(&Request {
                at,
                address,
                method: "GET",
                path,
                status,
                referrer: "-",
                user_agent: &user_agent,
            });
        }
    }

    fn path(&mut self, agent: &str) -> &'static str {
        let is_for_person = agent.ends_with("-user");
        match self.random.below(100) {
            0..12 if !is_for_person => self.weighted(&FILES),
            0..6 if agent.starts_with("openai") => MOVED,
            12..40 if agent == "bytedance-bytespider" => "/dashboard/export",
            _ => self.weighted(&PAGES),
        }
    }

    fn status(&mut self, agent: &str, path: &str, day: u32) -> u16 {
        let is_bad_day = day == EARLIER_DAYS + 12;
        let is_refused = match agent {
            "perplexity-perplexitybot" => day >= EARLIER_DAYS + 21,
            "bytedance-bytespider" => day >= EARLIER_DAYS + 9,
            _ => false,
        };
        match self.random.below(100) {
            _ if is_refused => 403,
            0..30 if is_bad_day => 503,
            _ if path == MOVED => 404,
            _ if path == "/dashboard/export" => 302,
            0..9 => 304,
            _ => 200,
        }
    }

    fn people(&mut self, day: u32, date: NaiveDate) {
        let usual = if is_weekend(date) { 26 } else { 48 };
        for _ in 0..self.about(usual) {
            let mut referrer = self.weighted(&REFERRERS);
            // Assistants send more and more.
            if referrer == "-" && self.random.below(600) < day {
                referrer = "https://chatgpt.com/";
            }
            let path = self.weighted(&PAGES);
            let at = self.time(date);
            let address = format!("192.0.2.{}", self.random.below(250));
            let user_agent = *self.random.pick(&BROWSERS);
            self.push(&Request {
                at,
                address,
                method: "GET",
                path,
                status: 200,
                referrer,
                user_agent,
            });
        }
    }

    /// Impostors, and a bot that no list knows.
    fn others(&mut self, day: u32, date: NaiveDate) {
        let gptbot = user_agent(agent("openai-gptbot"));
        let googlebot = user_agent(agent("google-googlebot"));
        let claimed = [("/.env", gptbot.as_str()), ("/wp-login.php", googlebot.as_str())];
        let mut counts = [0, 0];
        for count in &mut counts {
            *count = if day % 9 == 4 { self.random.below(14) } else { self.random.below(2) };
        }
        for ((path, user_agent), count) in claimed.into_iter().zip(counts) {
            for _ in 0..count {
                let at = self.time(date);
                let address = format!("203.0.113.{}", self.random.below(12));
                let method = "GET";
                self.push(&Request {
                    at,
                    address,
                    method,
                    path,
                    status: 404,
                    referrer: "-",
                    user_agent,
                });
            }
        }
        if day % 8 == 2 {
            let at = self.time(date);
            let time = written(at);
            // What is no HTTP at all.
            let line =
                format!("203.0.113.200 - - [{time}] \"\\x16\\x03\\x01\" 400 157 \"-\" \"-\"");
            self.lines.push((at, line));
        }
        for _ in 0..self.about(3) {
            let path = self.weighted(&PAGES);
            let at = self.time(date);
            self.push(&Request {
                at,
                address: "203.0.113.77".to_owned(),
                method: "GET",
                path,
                status: 200,
                referrer: "-",
                user_agent: "ExampleBot/2.1 (+https://bot.example/about)",
            });
        }
    }
}

fn robots() -> String {
    "User-agent: *\nDisallow: /dashboard\n\nSitemap: https://www.parcelwise.example/sitemap.xml\n"
        .to_owned()
}

fn sitemap() -> String {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
        .to_owned();
    for (path, _) in PAGES {
        writeln!(text, "<url><loc>https://www.parcelwise.example{path}</loc></url>")
            .expect("a string takes everything");
    }
    text.push_str("</urlset>\n");
    text
}

/// A list for each operator that publishes one.
fn ranges() -> String {
    let mut ranges = AgentRanges::default();
    for source in AgentRanges::sources() {
        let own = HABITS
            .iter()
            .filter(|habit| agent(habit.agent).ip_ranges_url.as_deref() == Some(source));
        let prefixes: Vec<String> = own
            .map(|habit| format!("{{\"ipv4Prefix\":\"198.51.100.{}/29\"}}", habit.address))
            .collect();
        if prefixes.is_empty() {
            continue;
        }
        let body = format!("{{\"prefixes\":[{}]}}", prefixes.join(","));
        let list = RangeList::read(source, now() - TimeDelta::hours(12), body.as_bytes());
        ranges.put(list.expect("a list"));
    }
    serde_json::to_string_pretty(&ranges.to_json()).expect("JSON") + "\n"
}
