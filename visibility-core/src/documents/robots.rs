//! robots.txt (RFC 9309), with the lines that decided.
//!
//! The policy where the standard is silent is in decision 0003. Leniencies of other parsers are
//! lint findings and never change a verdict.

mod file;
mod index;
mod parse;
mod pattern;
pub mod usage;

pub use file::{RobotsFile, RobotsState};
pub use index::Index;

use std::collections::BTreeMap;
use std::sync::Arc;

use index::Selected;
use pattern::Target;

/// A parsed robots.txt.
#[derive(Clone, Debug, Default)]
pub struct RobotsTxt {
    /// Groups in order; rules before the first group are dropped.
    pub groups: Vec<Group>,
    /// `Sitemap` records, in order; they belong to no group.
    pub sitemaps: Vec<Record>,
    /// `License` records (RSL), in order.
    pub licenses: Vec<Record>,
    /// `Agentmap` records (agentic resource discovery), in order.
    pub agentmaps: Vec<Record>,
    /// What a reader should fix, in order; the first 200.
    pub lints: Vec<Lint>,
    /// Lines that are neither blank nor a comment.
    pub content_lines: usize,
    /// Of these, lines that are not records at all (no colon, or HTML).
    pub junk_lines: usize,
    /// Whether the file was longer than what is parsed.
    pub truncated: bool,
    /// The groups made ready for decisions; changes of `groups` after parsing do not reach it.
    pub index: Index,
}

/// Consecutive `User-agent` lines and the rules below them.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// `User-agent` lines: the product token as compared, or `*`.
    pub agents: Vec<Record>,
    /// `Allow` and `Disallow` lines, in order.
    pub rules: Vec<Rule>,
    /// `Crawl-delay` lines, in order; the first 100.
    pub crawl_delays: Vec<Record>,
    /// `Content-Signal` lines, in order; the first 100.
    pub content_signals: Vec<Record>,
    /// `Content-Usage` lines, in order; the first 100.
    pub content_usages: Vec<Record>,
}

/// A value and its line.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Record {
    /// The value, trimmed, comments removed.
    pub value: String,
    /// Line, counted from 1.
    pub line: usize,
}

/// An `Allow` or `Disallow` line.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Rule {
    /// Which of the two.
    pub kind: RuleKind,
    /// The pattern as written; shared, as decisions have copies of their rule.
    pub pattern: Arc<str>,
    /// Line, counted from 1.
    pub line: usize,
}

impl Rule {
    /// The line as a reader would write it: `Disallow: /private`.
    pub fn text(&self) -> String {
        let key = match self.kind {
            RuleKind::Allow => "Allow",
            RuleKind::Disallow => "Disallow",
        };
        format!("{key}: {}", self.pattern)
    }
}

/// `Allow` or `Disallow`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RuleKind {
    /// `Allow`.
    Allow,
    /// `Disallow`.
    Disallow,
}

/// Something that is legal or at least harmless, and probably not what the author meant.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Lint {
    /// Which.
    pub kind: LintKind,
    /// Line, counted from 1.
    pub line: usize,
    /// The line as written, capped.
    pub text: String,
}

/// Kinds of [`Lint`].
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum LintKind {
    /// No colon between key and value; Google's parser would read it.
    MissingColon,
    /// A misspelled key that Google's parser accepts, such as `dissallow`.
    Typo,
    /// A rule before the first `User-agent` line.
    RuleOutsideGroup,
    /// A pattern that starts neither with `/` nor with `*`.
    RelativePattern,
    /// More than a product token in a `User-agent` line: a version, or a list.
    AgentWithExtras,
    /// Several names in one `User-agent` line: the first alone counts.
    AgentList,
    /// A name in quotes, which names no agent.
    QuotedAgent,
    /// A pattern that is a whole URL, which matches nothing.
    UrlPattern,
    /// A known key with an empty or unusable value.
    BadValue,
    /// An unknown key.
    UnknownKey,
    /// A line longer than 16,664 bytes, which Google's parser cuts.
    LongLine,
    /// UTF-16 instead of UTF-8: no line can be read.
    Utf16,
}

impl LintKind {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MissingColon => "missing-colon",
            Self::Typo => "typo",
            Self::RuleOutsideGroup => "rule-outside-group",
            Self::RelativePattern => "relative-pattern",
            Self::AgentWithExtras => "agent-with-extras",
            Self::AgentList => "agent-list",
            Self::QuotedAgent => "quoted-agent",
            Self::UrlPattern => "url-pattern",
            Self::BadValue => "bad-value",
            Self::UnknownKey => "unknown-key",
            Self::LongLine => "long-line",
            Self::Utf16 => "utf-16",
        }
    }
}

/// What was decided for one agent and one path.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RobotsDecision {
    /// Whether the path may be crawled.
    pub allowed: bool,
    /// Line of the `User-agent` record of the group that holds the rule, or of the first one that
    /// names the agent if no rule matched; `None` if no group does.
    pub group_line: Option<usize>,
    /// The token of that record, as written: the agent's own, a fallback's, or `*`.
    pub group_token: Option<String>,
    /// The rule that decided; `None` if none matched.
    pub rule: Option<Rule>,
}

/// A path in the form in which paths are compared: two that say the same with other escapes are one.
pub(crate) fn comparable_path(path: &str) -> String {
    pattern::normalize(path.as_bytes(), pattern::Stars::Literal)
}

/// The product token at the start of a `User-Agent`: what a group would name.
pub fn own_token(user_agent: &str) -> &str {
    user_agent
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
        .next()
        .unwrap_or_default()
}

impl RobotsTxt {
    /// Parses the first [`crate::limits::MAX_ROBOTS_BYTES`] bytes; a line cut by that cap is dropped.
    pub fn parse(body: &[u8]) -> Self {
        parse::parse(body, false)
    }

    /// Parses the start of a file whose rest is missing; a line that is not whole is dropped.
    pub fn parse_start(body: &[u8]) -> Self {
        parse::parse(body, true)
    }

    /// Decides for an agent by its tokens, best first: `[own token, aliases.., fallbacks..]`; the
    /// first token that any group names wins, its groups merged; else the groups for `*`.
    ///
    /// `target` is a URL or a path with query. `/robots.txt` itself is always allowed.
    pub fn decide(&self, tokens: &[&str], target: &str) -> RobotsDecision {
        let target = Target::new(target);
        let groups = self.index.select(tokens);
        self.decision(groups, self.best_rule(groups, &target))
    }

    /// Decides for many agents and the same targets, as [`RobotsTxt::decide`] does: one list for
    /// each agent. Agents that the same groups govern cost no more than one of them.
    pub fn decide_all(&self, agents: &[Vec<&str>], targets: &[&str]) -> Vec<Vec<RobotsDecision>> {
        let targets: Vec<Target> = targets.iter().map(|target| Target::new(target)).collect();
        let mut known: BTreeMap<&[usize], Vec<Option<RulePosition>>> = BTreeMap::new();
        agents
            .iter()
            .map(|tokens| {
                let selected = self.index.select(tokens);
                let groups = selected.map(|selected| selected.groups).unwrap_or_default();
                let places = known.entry(groups).or_insert_with(|| {
                    targets.iter().map(|target| self.best_rule(selected, target)).collect()
                });
                places.iter().map(|place| self.decision(selected, *place)).collect()
            })
            .collect()
    }

    /// The groups that govern an agent, see [`RobotsTxt::decide`]; empty if none does.
    pub fn groups_for(&self, tokens: &[&str]) -> Vec<&Group> {
        let groups = self.index.select(tokens).map(|selected| selected.groups).unwrap_or_default();
        groups.iter().filter_map(|number| self.groups.get(*number)).collect()
    }

    /// Whether a group that names a token itself, and not only `*`, disallows a URL or a path.
    pub fn disallows_by_name(&self, token: &str, target: &str) -> bool {
        let is_named = self
            .groups_for(&[token])
            .iter()
            .any(|group| group.agents.iter().any(|agent| agent.value.eq_ignore_ascii_case(token)));
        is_named && !self.decide(&[token], target).allowed
    }

    /// The longest pattern that matches; `Allow` before `Disallow`, then the first line.
    fn best_rule(&self, selected: Option<Selected<'_>>, target: &Target) -> Option<RulePosition> {
        if target.is_robots_txt() {
            return None;
        }
        let mut best: Option<(RulePosition, usize, RuleKind)> = None;
        for &group in selected?.groups {
            let rules = &self.groups.get(group)?.rules;
            let patterns = self.index.patterns.get(group)?;
            for (number, (rule, pattern)) in rules.iter().zip(patterns).enumerate() {
                let Some(pattern) = pattern else { continue };
                let length = pattern.specificity();
                let is_better = best.is_none_or(|(_, best_length, best_kind)| {
                    length > best_length
                        || (length == best_length
                            && rule.kind == RuleKind::Allow
                            && best_kind == RuleKind::Disallow)
                });
                if is_better && pattern.matches(target) {
                    best = Some((RulePosition { group, rule: number }, length, rule.kind));
                }
            }
        }
        best.map(|(place, ..)| place)
    }

    fn decision(
        &self,
        selected: Option<Selected<'_>>,
        place: Option<RulePosition>,
    ) -> RobotsDecision {
        let rule = place.and_then(|place| self.groups.get(place.group)?.rules.get(place.rule));
        let group = place.map(|place| place.group).or_else(|| selected?.groups.first().copied());
        let agent = group.zip(selected).and_then(|(group, selected)| {
            let mut agents = self.groups.get(group)?.agents.iter();
            agents.find(|agent| agent.value.eq_ignore_ascii_case(selected.token))
        });
        RobotsDecision {
            allowed: rule.is_none_or(|rule| rule.kind == RuleKind::Allow),
            group_line: agent.map(|agent| agent.line),
            group_token: agent.map(|agent| agent.value.clone()),
            rule: rule.cloned(),
        }
    }
}

/// Where a rule is.
#[derive(Clone, Copy)]
struct RulePosition {
    group: usize,
    rule: usize,
}

#[cfg(test)]
mod tests;
