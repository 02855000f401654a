//! The log of the demonstration: 89 days of agents on a made-up site, the same for the same end.
//!
//! It tells a story: an agent has been refused for a week, one has gone silent, one is new, and a page that was missing is
//! served again.

use std::fmt::Write as _;

use chrono::{DateTime, Datelike as _, SecondsFormat, TimeDelta, Utc, Weekday};
use visibility_core::agents::{Agent, Registry};

/// Days of the log, of which the records of the oldest are not too old to be taken.
pub(super) const DAYS: i64 = 89;
/// Seconds of a day.
const DAY: u64 = 86_400;
/// Addresses of an agent.
const ADDRESSES: u64 = 12;

/// How an agent comes.
struct Habit {
    agent: &'static str,
    /// Requests of a day at the begin, and at the end.
    per_day: (u64, u64),
    /// Days before the end from which on it comes, and up to which.
    days: (i64, i64),
    /// Days before the end from which on it is refused.
    refused: i64,
}

const fn habit(agent: &'static str, per_day: (u64, u64)) -> Habit {
    Habit { agent, per_day, days: (DAYS, 0), refused: 0 }
}

const HABITS: [Habit; 16] = [
    Habit { refused: 7, ..habit("openai-gptbot", (560, 600)) },
    habit("openai-oai-searchbot", (170, 250)),
    habit("openai-chatgpt-user", (160, 440)),
    habit("anthropic-claudebot", (340, 310)),
    habit("anthropic-claude-user", (35, 100)),
    habit("google-googlebot", (290, 290)),
    habit("microsoft-bingbot", (120, 130)),
    habit("perplexity-perplexitybot", (105, 105)),
    habit("perplexity-user", (20, 55)),
    habit("meta-externalagent", (110, 100)),
    habit("amazon-amazonbot", (60, 75)),
    habit("apple-applebot", (55, 55)),
    habit("commoncrawl-ccbot", (25, 30)),
    Habit { days: (DAYS, 20), ..habit("bytedance-bytespider", (80, 95)) },
    habit("duckduckgo-duckassistbot", (15, 20)),
    Habit { days: (3, 0), ..habit("mistral-user", (25, 30)) },
];

/// Paths, and how often each is asked for compared with others.
const PATHS: [(&str, u64); 24] = [
    ("/", 22),
    ("/pricing", 18),
    ("/docs/api", 16),
    ("/docs/quickstart", 14),
    ("/docs/webhooks", 8),
    ("/docs/errors", 5),
    ("/docs/rate-limits", 4),
    ("/compare/carriers", 9),
    ("/compare/parcel-lockers", 6),
    (RETURNED, 8),
    ("/guides/dimensional-weight", 7),
    ("/guides/returns", 5),
    ("/guides/batteries", 3),
    ("/blog/black-friday-cutoffs", 6),
    ("/blog/peak-surcharges", 5),
    ("/blog/label-formats", 2),
    ("/changelog", 4),
    ("/about", 3),
    ("/security", 2),
    ("/robots.txt", 9),
    ("/sitemap.xml", 4),
    ("/llms.txt", 3),
    ("/feed.xml", 2),
    (MOVED, 2),
];
/// A page that was missing for a while, in days before the end.
const RETURNED: &str = "/guides/customs-forms";
const MISSING: (i64, i64) = (40, 12);
/// A page that has moved.
const MOVED: &str = "/docs/quick-start";
/// A bad day of the server, in days before the end.
const BAD_DAY: i64 = 29;

/// The records of one day, which is so many days before the end, as NDJSON.
pub(super) fn day(host: &str, end: DateTime<Utc>, days_ago: i64) -> String {
    let start = end - TimeDelta::days(days_ago);
    let mut log = DayLog {
        host,
        start,
        days_ago,
        random: Random(days_ago.unsigned_abs()),
        text: String::new(),
    };
    for habit in &HABITS {
        log.agent(habit);
    }
    log.text
}

struct DayLog<'a> {
    host: &'a str,
    start: DateTime<Utc>,
    days_ago: i64,
    random: Random,
    text: String,
}

impl DayLog<'_> {
    fn agent(&mut self, habit: &Habit) {
        let (first, last) = habit.days;
        let registry = &Registry::embedded().agents;
        let Some(agent) = registry.iter().find(|agent| agent.id == habit.agent) else { return };
        if self.days_ago > first || self.days_ago <= last {
            return;
        }
        let user_agent = user_agent(agent);
        for _ in 0..self.requests(habit) {
            let path = self.random.weighted(&PATHS);
            let at = self.start + TimeDelta::seconds(self.random.below(DAY).cast_signed());
            let status = if self.days_ago <= habit.refused { 403 } else { self.status(path) };
            let bytes = if status == 200 { 2_000 + self.random.below(30_000) } else { 300 };
            let address = self.random.below(ADDRESSES);
            let at = at.to_rfc3339_opts(SecondsFormat::Secs, true);
            // A text takes everything.
            let _ = writeln!(
                self.text,
                r#"{{"timestamp":"{at}","user_agent":"{user_agent}","request_method":"GET","request_path":"{path}","status_code":{status},"response_bytes":{bytes},"referrer":"","host":"{host}","client_ip_hash":"{hash:016x}{address:08x}"}}"#,
                host = self.host,
                hash = name_hash(habit.agent),
            );
        }
    }

    /// Requests of the day: from those of the begin to those of the end, fewer on weekends.
    fn requests(&mut self, habit: &Habit) -> u64 {
        let (begin, end) = habit.per_day;
        let ago = self.days_ago.unsigned_abs();
        let days = DAYS.unsigned_abs();
        let mean = (begin * ago + end * (days - ago.min(days))) / days;
        let is_weekend = matches!(self.start.weekday(), Weekday::Sat | Weekday::Sun);
        let mean = if is_weekend { mean * 4 / 5 } else { mean };
        mean * 9 / 10 + self.random.below(mean / 5 + 1)
    }

    fn status(&mut self, path: &str) -> u16 {
        let (from, until) = MISSING;
        match path {
            MOVED => 301,
            RETURNED if self.days_ago <= from && self.days_ago > until => 404,
            _ if self.days_ago == BAD_DAY && self.random.below(3) == 0 => 503,
            _ if self.random.below(200) == 0 => 404,
            _ => 200,
        }
    }
}

fn user_agent(agent: &Agent) -> String {
    agent.example_user_agent.clone().unwrap_or_default().replace("W.X.Y.Z", "142.0.0.0")
}

fn name_hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// `SplitMix64`: the same numbers for the same seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    fn weighted(&mut self, list: &[(&'static str, u64)]) -> &'static str {
        let mut left = self.below(list.iter().map(|(_, weight)| weight).sum());
        for (item, weight) in list {
            if left < *weight {
                return item;
            }
            left -= weight;
        }
        list.first().map_or("/", |(item, _)| item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end() -> DateTime<Utc> {
        "2026-11-30T12:00:00Z".parse().unwrap()
    }

    #[test]
    fn there_are_about_two_hundred_thousand_records() {
        let all = (1..=DAYS).map(|ago| day("a.com", end(), ago).lines().count()).sum::<usize>();
        assert!((190_000..=210_000).contains(&all), "{all}");
    }

    #[test]
    fn the_story_is_in_it() {
        let has = |ago: i64, parts: &[&str]| {
            day("a.com", end(), ago)
                .lines()
                .any(|line| parts.iter().all(|part| line.contains(part)))
        };
        let (refused, missing) = ("\"status_code\":403", "\"status_code\":404");
        assert!(has(7, &["GPTBot", refused]) && !has(8, &["GPTBot", refused]));
        assert!(has(21, &["Bytespider"]) && !has(20, &["Bytespider"]));
        assert!(has(3, &["MistralAI"]) && !has(4, &["MistralAI"]));
        let served = "\"status_code\":200";
        assert!(has(13, &[RETURNED, missing]) && !has(13, &[RETURNED, served]));
        assert!(has(12, &[RETURNED, served]));
        assert_eq!(day("a.com", end(), 5), day("a.com", end(), 5));
    }
}
