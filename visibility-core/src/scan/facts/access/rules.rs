//! What robots.txt says to each agent.

use super::{Access, AccessRule, Basis};
use crate::agents::Agent;
use crate::documents::robots::{RobotsDecision, RobotsFile, RobotsState};
use crate::text::excerpt::excerpt;

/// The part of a row that comes from robots.txt alone.
#[derive(Debug)]
pub(super) struct RulesVerdict {
    pub(super) access: Access,
    pub(super) basis: Basis,
    pub(super) rule: Option<AccessRule>,
    /// The paths with what came out; empty if nothing is known.
    pub(super) paths: Vec<(String, bool)>,
}

/// Agents, by the start of their id, whose vendors document something else than RFC 9309 section
/// 2.3.1.4 for a robots.txt that answers 5xx or not at all; each with its sentence in `locales/` under
/// `access_notes`.
///
/// Amazonbot: <https://developer.amazon.com/amazonbot>. Yandex:
/// <https://yandex.com/support/webmaster/controlling-robot/robots-txt.html>. Google:
/// <https://developers.google.com/crawling/docs/robots-txt/robots-txt-spec>.
const NOTES_WHEN_UNREACHABLE: [(&str, &str); 3] = [
    ("amazon-amazonbot", "unreachable-ignored"),
    ("yandex-", "unreachable-open"),
    ("google-", "unreachable-cached"),
];

/// How the vendor of an agent differs from RFC 9309 in what was met; an id of `access_notes`.
pub(super) fn note(robots: &RobotsFile, agent: &Agent) -> Option<&'static str> {
    let is_unreachable = robots.state == RobotsState::Unreachable && !agent.is_advisory();
    let mut notes = NOTES_WHEN_UNREACHABLE.iter().filter(|_| is_unreachable);
    notes.find(|(start, _)| agent.id.starts_with(start)).map(|(_, note)| *note)
}

/// One verdict for each agent, in their order.
pub(super) fn verdicts(
    robots: &RobotsFile,
    agents: &[&Agent],
    paths: &[String],
) -> Vec<RulesVerdict> {
    let for_all =
        |access, basis| agents.iter().map(|_| without_rules(access, basis, paths)).collect();
    match robots.state {
        RobotsState::Parsed | RobotsState::ParsedTruncated => by_rules(robots, agents, paths),
        RobotsState::NotText => for_all(Access::Allowed, Basis::RobotsNotText),
        RobotsState::Unavailable => for_all(Access::Allowed, Basis::RobotsMissing),
        RobotsState::Challenged => for_all(Access::Unknown, Basis::RobotsChallenged),
        RobotsState::Refused => for_all(Access::Unknown, Basis::RobotsRefused),
        RobotsState::Failed => for_all(Access::Unknown, Basis::FetchFailed),
        RobotsState::Unreachable => for_all(Access::Blocked, Basis::RobotsUnreachable),
    }
}

/// The verdict for an agent whose access does not depend on rules.
fn without_rules(access: Access, basis: Basis, paths: &[String]) -> RulesVerdict {
    let allowed = access == Access::Allowed;
    let tested: &[String] = if access == Access::Unknown { &[] } else { paths };
    let paths = tested.iter().map(|path| (path.clone(), allowed)).collect();
    RulesVerdict { access, basis, rule: None, paths }
}

fn by_rules(robots: &RobotsFile, agents: &[&Agent], paths: &[String]) -> Vec<RulesVerdict> {
    let tokens: Vec<Vec<&str>> = agents.iter().map(|agent| agent.robots_tokens()).collect();
    let targets: Vec<&str> = paths.iter().map(String::as_str).collect();
    let decisions = robots.rules.decide_all(&tokens, &targets);
    agents
        .iter()
        .zip(decisions)
        .map(|(agent, decisions)| verdict(agent, &decisions, paths))
        .collect()
}

fn verdict(agent: &Agent, decisions: &[RobotsDecision], paths: &[String]) -> RulesVerdict {
    let blocked = decisions.iter().filter(|decision| !decision.allowed).count();
    let decisive =
        decisions.iter().find(|decision| !decision.allowed).or_else(|| decisions.first());
    let results = decisions.iter().map(|decision| decision.allowed);
    RulesVerdict {
        access: match blocked {
            0 => Access::Allowed,
            all if all == decisions.len() => Access::Blocked,
            _ => Access::Partial,
        },
        basis: decisive.map_or(Basis::NoMatchingGroup, |decision| basis(agent, decision)),
        rule: decisive.and_then(access_rule),
        paths: paths.iter().cloned().zip(results).collect(),
    }
}

fn basis(agent: &Agent, decision: &RobotsDecision) -> Basis {
    let is_group = |token: &String| {
        decision.group_token.as_ref().is_some_and(|group| group.eq_ignore_ascii_case(token))
    };
    if decision.group_token.is_none() {
        Basis::NoMatchingGroup
    } else if is_group(&agent.robots_token) || agent.robots_token_aliases.iter().any(is_group) {
        Basis::SpecificGroup
    } else if agent.robots_fallback.iter().any(is_group) {
        Basis::FallbackGroup
    } else {
        Basis::WildcardGroup
    }
}

fn access_rule(decision: &RobotsDecision) -> Option<AccessRule> {
    Some(AccessRule {
        group_line: decision.group_line?,
        line: decision.rule.as_ref().map(|rule| rule.line),
        text: decision.rule.as_ref().map(|rule| excerpt(&rule.text())),
    })
}
