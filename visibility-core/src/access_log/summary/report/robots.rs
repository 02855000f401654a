//! What agents requested although the robots.txt that was given disallows it.

use std::cmp::Reverse;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::super::site::SiteCounts;
use super::{agent, time, top};
use crate::documents::robots::Rule;

/// The requests of agents against a robots.txt. It may have been another one when they came.
#[derive(Clone, Debug, Serialize)]
pub struct RobotsComparison {
    /// Whether requests were compared: a robots.txt is for one host, and agents may have come to several of this report.
    pub is_compared: bool,
    /// Requests that a rule disallows, without those of `advisory`.
    pub disallowed_requests: u64,
    /// Requests that a rule disallows, by agent and rule, most requests first.
    pub disallowed: Vec<DisallowedRow>,
    /// The same for agents whose operators say that robots.txt may not apply to them.
    pub advisory: Vec<DisallowedRow>,
}

/// Requests of one agent that one rule disallows.
#[derive(Clone, Debug, Serialize)]
pub struct DisallowedRow {
    /// The id of the agent.
    pub agent: String,
    /// Its name.
    pub name: String,
    /// Whether it respects robots.txt, as its operator says: `yes`, `no`, `may_not_apply`, or `undocumented`.
    pub respects_robots_txt: String,
    /// Requests, whatever the response was.
    pub requests: u64,
    /// The rule, such as `Disallow: /private/`.
    pub rule: String,
    /// Its line in the file.
    pub line: usize,
    /// The token of the group that the rule is in: the agent's own, another one that it follows, or `*`.
    pub group: Option<String>,
    /// The first of the requests.
    pub first_seen: Option<DateTime<Utc>>,
    /// The last of them.
    pub last_seen: Option<DateTime<Utc>>,
    /// When the agent last got robots.txt in this log.
    pub robots_txt_read: Option<DateTime<Utc>>,
    /// What was requested, most often first.
    pub paths: Vec<(String, u64)>,
}

impl SiteCounts {
    pub(super) fn robots_comparison(&self, most: usize) -> Option<RobotsComparison> {
        let disallowed = self.disallowed.as_ref()?;
        let hosts = self.hosts.iter().filter(|(_, counts)| counts.agent_requests > 0);
        let is_compared = hosts.count() < 2;
        let mut comparison = RobotsComparison {
            is_compared,
            disallowed_requests: 0,
            disallowed: Vec::new(),
            advisory: Vec::new(),
        };
        if !is_compared {
            return Some(comparison);
        }
        let mut paths = disallowed.paths();
        for (key @ (index, line), counts) in &disallowed.by_rule {
            let Some(agent) = agent(*index) else { continue };
            let (first, last) = counts.seen;
            let paths = paths.remove(key).unwrap_or_default();
            let paths = top(paths, most, |(path, count)| (Reverse(*count), *path));
            let rows = if agent.is_advisory() {
                &mut comparison.advisory
            } else {
                comparison.disallowed_requests += counts.requests;
                &mut comparison.disallowed
            };
            rows.push(DisallowedRow {
                agent: agent.id.clone(),
                name: agent.name.clone(),
                respects_robots_txt: agent.respects_robots_txt.clone(),
                requests: counts.requests,
                rule: counts.decision.rule.as_ref().map(Rule::text).unwrap_or_default(),
                line: *line,
                group: counts.decision.group_token.clone(),
                first_seen: time(first),
                last_seen: time(last),
                robots_txt_read: self
                    .agents
                    .get(index)
                    .and_then(|counts| counts.robots_read)
                    .and_then(time),
                paths: paths.into_iter().map(|(path, count)| (path.to_owned(), count)).collect(),
            });
        }
        let in_order = |rows: Vec<DisallowedRow>| {
            top(rows, most, |row| (Reverse(row.requests), row.agent.clone(), row.line))
        };
        comparison.disallowed = in_order(comparison.disallowed);
        comparison.advisory = in_order(comparison.advisory);
        Some(comparison)
    }
}
