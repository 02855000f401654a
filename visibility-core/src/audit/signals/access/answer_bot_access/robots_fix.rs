//! Groups to add to a robots.txt that let bots in and leave the rest as it is.

use std::collections::BTreeMap;

use url::Url;

use super::Blocked;
use crate::audit::signal::{SnippetFix, SnippetLanguage};
use crate::documents::robots::{RobotsFile, RobotsTxt, Rule, RuleKind};
use crate::rubric::fix::Placement;

/// Rules that are repeated for a bot that gets a group of its own.
const MAX_COPIED_RULES: usize = 30;

/// Groups for the bots that are blocked.
///
/// Groups that name the same bot are one (RFC 9309 section 2.2.1), and of two rules of the same length
/// `Allow` wins (section 2.2.2): a bot with groups of its own needs one line more. A bot that follows
/// the rules of others would no longer do so once it is named: its new group repeats them.
pub(super) fn fix(robots: &RobotsFile, page: &Url, blocked: &[Blocked]) -> Option<SnippetFix> {
    let mut groups: BTreeMap<Vec<String>, Vec<&str>> = BTreeMap::new();
    for bot in blocked {
        groups.entry(rules(robots, page, bot)?).or_default().push(&bot.agent.robots_token);
    }
    let texts: Vec<String> = groups
        .into_iter()
        .map(|(rules, tokens)| {
            let agents = tokens.iter().map(|token| format!("User-agent: {token}"));
            agents.chain(rules).collect::<Vec<_>>().join("\n")
        })
        .collect();
    let snippet = texts.join("\n\n");
    (!snippet.is_empty())
        .then(|| SnippetFix::new(Placement::RobotsTxt, SnippetLanguage::Robots, snippet))
}

/// The lines of the group that a bot gets.
fn rules(robots: &RobotsFile, page: &Url, bot: &Blocked) -> Option<Vec<String>> {
    let blocking = bot.decision.rule.as_ref()?;
    let opened = opened(blocking, page);
    let mut lines = Vec::new();
    let own = std::iter::once(&bot.agent.robots_token).chain(&bot.agent.robots_token_aliases);
    let group = bot.decision.group_token.as_deref().unwrap_or_default();
    if !own.clone().any(|token| token.eq_ignore_ascii_case(group)) {
        let governing = robots.rules.groups_for(&bot.agent.robots_tokens());
        let rules = governing.iter().flat_map(|group| &group.rules);
        let is_undone = |rule: &&Rule| {
            rule.kind == RuleKind::Disallow && (rule.pattern.is_empty() || *rule.pattern == *opened)
        };
        let kept = rules.filter(|rule| !is_undone(rule));
        lines.extend(kept.take(MAX_COPIED_RULES + 1).map(Rule::text));
        if lines.len() > MAX_COPIED_RULES {
            return None;
        }
    }
    lines.push(format!("Allow: {opened}"));
    Some(lines)
}

/// The pattern that opens the page in spite of a rule: all of the site if all of it is closed, else the
/// page alone, else what the rule closes.
fn opened(blocking: &Rule, page: &Url) -> String {
    let closed = blocking.pattern.to_string();
    if matches!(closed.as_str(), "/" | "/*" | "*") {
        return closed;
    }
    let mut path = page.path().replace('*', "%2A").replace('$', "%24");
    if let Some(query) = page.query() {
        path.push('?');
        path.push_str(&query.replace('*', "%2A").replace('$', "%24"));
    }
    let trial = format!("User-agent: a\nDisallow: {closed}\nAllow: {path}\n");
    let is_open = RobotsTxt::parse(trial.as_bytes()).decide(&["a"], page.as_str()).allowed;
    if is_open { path } else { closed }
}
