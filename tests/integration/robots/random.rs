//! Random files, agents and URLs, the same ones for the same seed.

use super::Case;

/// A generator of Marsaglia's xorshift family.
#[derive(Debug)]
pub(crate) struct Random(u64);

const AGENTS: [&str; 5] = ["GPTBot", "ClaudeBot", "Google-Extended", "my_bot", "*"];
const WILD_AGENTS: [&str; 9] = [
    "AI2Bot",
    "img2dataset",
    "GPTBot/1.2",
    "GPTBot, ClaudeBot",
    "gptbot",
    "* all",
    "*bot",
    "GPT*",
    "",
];
const PARTS: [&str; 8] = ["/", "/a", "/b", "/a/b", "/index", ".php", "?q=1", "b"];
const WILD_PARTS: [&str; 16] = [
    "%61",
    "%2F",
    "%2f",
    "%2A",
    "%24",
    "*",
    "$",
    "ü",
    "%C3%BC",
    "%c3%bc",
    "/index.html",
    "/index.htm",
    "<",
    "%3C",
    "%",
    "~",
];
const KEYS: [&str; 2] = ["Disallow", "Allow"];
const WILD_KEYS: [&str; 8] = [
    "dissallow",
    "Disalow",
    "Disallowed",
    "Allowed",
    "disallow",
    "ALLOW",
    "Allow-from",
    "diasllow",
];
const OTHER_LINES: [&str; 8] = [
    "Crawl-delay: 10",
    "Sitemap: https://e.example/s.xml",
    "Content-Signal: search=yes",
    "Foo: bar",
    "<p>a: b</p>",
    "Harry Potter",
    "Site-map: /x",
    ": x",
];

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn one_of<'a>(&mut self, texts: &[&'a str]) -> &'a str {
        texts[self.below(texts.len())]
    }

    /// A case in which nothing is left to choice: what RFC 9309 says, and wildcards.
    pub(crate) fn plain_case(&mut self) -> Case {
        let mut robots = String::new();
        for _ in 0..=self.below(4) {
            for _ in 0..=self.below(2) {
                robots += &format!("User-agent: {}\n", self.one_of(&AGENTS));
            }
            for _ in 0..self.below(6) {
                robots += &format!("{}: {}\n", self.one_of(&KEYS), self.pattern(&PARTS));
            }
            robots += self.one_of(&["", "\n", "# comment\n"]);
        }
        let agent = self.one_of(&AGENTS[..4]).to_owned();
        let url = self.url(&robots, &PARTS);
        [robots, agent, url]
    }

    /// A case with everything that files have and should not have.
    pub(crate) fn wild_case(&mut self) -> Case {
        let mut robots = if self.one_in(20) { "\u{feff}".to_owned() } else { String::new() };
        let parts: Vec<&str> = match self.below(3) {
            0 => PARTS.to_vec(),
            _ => PARTS.iter().chain(&WILD_PARTS).copied().collect(),
        };
        for _ in 0..2 + self.below(12) {
            let line = match self.below(12) {
                0..=2 => format!("User-agent{} {}", self.colon(), self.one_of(&AGENTS)),
                3 => format!("User-agent: {}", self.one_of(&WILD_AGENTS)),
                4 => {
                    format!("{}: GPTBot", self.one_of(&["useragent", "User Agent", "user-agents"]))
                }
                5 => format!("{}: {}", self.one_of(&WILD_KEYS), self.pattern(&parts)),
                6 => self.one_of(&OTHER_LINES).to_owned(),
                _ => {
                    format!("{}{} {}", self.one_of(&KEYS), self.colon(), self.pattern(&parts))
                }
            };
            let comment = if self.one_in(8) { " # /" } else { "" };
            robots += &format!("{line}{comment}{}", self.one_of(&["\n", "\n", "\r\n", "\r"]));
        }
        let agent = self.one_of(&["GPTBot", "ClaudeBot", "AI2Bot", "img2dataset", "my_bot"]);
        let url = self.url(&robots, &parts);
        [robots, agent.to_owned(), url]
    }

    fn colon(&mut self) -> &'static str {
        if self.one_in(12) { "" } else { ":" }
    }

    fn pattern(&mut self, parts: &[&str]) -> String {
        let mut pattern = if self.one_in(12) { String::new() } else { "/".to_owned() };
        for _ in 0..self.below(4) {
            pattern += self.one_of(parts).trim_start_matches('/');
            pattern += self.one_of(&["", "", "/", "*"]);
        }
        if self.one_in(6) {
            pattern.push('$');
        }
        pattern
    }

    /// A URL of parts; every other one goes on from a pattern of the file, so that some match.
    fn url(&mut self, robots: &str, parts: &[&str]) -> String {
        let values = robots.lines().filter_map(|line| line.split_once("llow: /")).map(|(_, v)| v);
        let values: Vec<&str> = values.filter(|value| !value.contains([' ', '\r'])).collect();
        let mut url = "https://e.example/".to_owned();
        if !values.is_empty() && self.one_in(2) {
            let filler = self.one_of(&["", "x", "b"]);
            url += &self.one_of(&values).trim_end_matches('$').replace('*', filler);
        }
        for _ in 0..self.below(4) {
            url += self.one_of(parts).trim_start_matches('/');
            url += self.one_of(&["", "", "/"]);
        }
        url
    }
}
