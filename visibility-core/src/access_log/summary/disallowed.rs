//! Requests of agents for what a robots.txt disallows, with the lines that decide.

use std::collections::BTreeMap;

use super::paths::BoundedTable;
use super::site::reaching;
use crate::agents::Agent;
use crate::documents::robots::{RobotsDecision, RobotsTxt};

/// Pairs of an agent and a rule that are counted one by one.
const MAX_PAIRS: usize = 10_000;
/// Paths that are counted one by one, each for its agent and its rule.
const MAX_PATHS: usize = 10_000;
const MAX_PATH_BYTES: usize = 2 * 1024 * 1024;

/// Requests of one agent that one rule disallows.
#[derive(Debug)]
pub(super) struct DisallowedCounts {
    /// The decision for the first of them.
    pub(super) decision: RobotsDecision,
    pub(super) requests: u64,
    /// The first and the last request, in milliseconds.
    pub(super) seen: (i64, i64),
}

/// All requests that a robots.txt disallows.
#[derive(Debug)]
pub(super) struct Disallowed {
    rules: RobotsTxt,
    /// By the number of the agent and the line of the rule.
    pub(super) by_rule: BTreeMap<(u16, usize), DisallowedCounts>,
    /// Requests by agent, line and path; see [`Disallowed::key`].
    paths: BoundedTable<u64>,
    /// Requests that had no room.
    pub(super) folded: u64,
    /// What the rules say about the request that is about to become a record.
    current: Option<RobotsDecision>,
    key: String,
}

impl Disallowed {
    pub(super) fn new(rules: RobotsTxt) -> Self {
        Self {
            rules,
            by_rule: BTreeMap::new(),
            paths: BoundedTable::new(MAX_PATHS, MAX_PATH_BYTES),
            folded: 0,
            current: None,
            key: String::new(),
        }
    }

    /// Looks at a request of an agent as it is in the log: records have no secrets, and rules may match a query that has
    /// some.
    pub(super) fn request(&mut self, agent: &Agent, target: &str) {
        let decision = self.rules.decide(&agent.robots_tokens(), target);
        self.current = (!decision.allowed).then_some(decision);
    }

    /// Counts that request, if it is disallowed, under the path of its record.
    pub(super) fn record(&mut self, agent: u16, path: &str, millis: i64) {
        let Some(decision) = self.current.take() else { return };
        let Some(line) = decision.rule.as_ref().map(|rule| rule.line) else { return };
        if self.by_rule.len() >= MAX_PAIRS && !self.by_rule.contains_key(&(agent, line)) {
            self.folded += 1;
            return;
        }
        let counts = self.by_rule.entry((agent, line)).or_insert_with(|| DisallowedCounts {
            decision,
            requests: 0,
            seen: (millis, millis),
        });
        counts.requests += 1;
        counts.seen = reaching(Some(counts.seen), millis);
        self.key.clear();
        self.key.push_str(&Self::key(agent, line));
        self.key.push_str(path);
        // Without room for a path, its requests are in the counts of the rule.
        if let Some(count) = self.paths.row(&self.key, || 0) {
            *count += 1;
        }
    }

    /// The paths that were requested, by the number of the agent and the line of the rule.
    pub(super) fn paths(&self) -> BTreeMap<(u16, usize), Vec<(&str, u64)>> {
        let mut paths: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (text, count) in self.paths.iter() {
            let mut parts = text.splitn(3, ' ');
            let agent = parts.next().and_then(|number| number.parse().ok());
            let line = parts.next().and_then(|number| number.parse().ok());
            if let (Some(agent), Some(line), Some(path)) = (agent, line, parts.next()) {
                paths.entry((agent, line)).or_default().push((path, *count));
            }
        }
        paths
    }

    /// The start of the text of a path in the table of paths.
    fn key(agent: u16, line: usize) -> String {
        format!("{agent} {line} ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::Registry;

    /// The line of a rule, its requests, and those by path.
    type Row = (usize, u64, Vec<(String, u64)>);

    fn of(target: &str, path: &str) -> Vec<Row> {
        let rules =
            "User-agent: *\nDisallow: /private/\nDisallow: /*?token=\nAllow: /private/ok$\n";
        let mut disallowed = Disallowed::new(RobotsTxt::parse(rules.as_bytes()));
        let agent = Registry::embedded().find("openai-gptbot").unwrap();
        for millis in [5, 3] {
            disallowed.request(agent, target);
            disallowed.record(7, path, millis);
        }
        // A request without a decision of its own counts nothing.
        disallowed.record(7, path, 9);
        let paths = disallowed.paths();
        let rows = disallowed.by_rule.iter().map(|(key, counts)| {
            assert_eq!(counts.seen, (3, 5));
            let paths = paths.get(key).into_iter().flatten();
            let paths = paths.map(|(path, count)| ((*path).to_owned(), *count)).collect();
            (key.1, counts.requests, paths)
        });
        rows.collect()
    }

    #[test]
    fn the_rule_that_decides_is_counted() {
        let path = |path: &str| vec![(path.to_owned(), 2)];
        assert_eq!(of("/private/a b", "/private/a b"), [(2, 2, path("/private/a b"))]);
        assert_eq!(of("/private/ok", "/private/ok"), []);
        assert_eq!(of("/robots.txt", "/robots.txt"), []);
        assert_eq!(of("/", "/"), []);
    }

    #[test]
    fn a_rule_sees_the_query_that_no_record_has() {
        assert_eq!(of("/a?token=1", "/a"), [(3, 2, vec![("/a".to_owned(), 2)])]);
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let rules: String = (0..MAX_PAIRS + 2).map(|at| format!("Disallow: /{at}$\n")).collect();
        let rules = RobotsTxt::parse(format!("User-agent: *\n{rules}").as_bytes());
        let mut disallowed = Disallowed::new(rules);
        for line in 0..MAX_PAIRS + 5 {
            disallowed.current = Some(RobotsDecision {
                allowed: false,
                group_line: Some(1),
                group_token: None,
                rule: Some(crate::documents::robots::Rule {
                    kind: crate::documents::robots::RuleKind::Disallow,
                    pattern: "/".into(),
                    line,
                }),
            });
            disallowed.record(1, "/", 0);
        }
        assert_eq!((disallowed.by_rule.len(), disallowed.folded), (MAX_PAIRS, 5));
    }
}
