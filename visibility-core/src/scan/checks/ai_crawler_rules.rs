//! `ai-crawler-rules`: robots.txt lets in the agents that bring readers.
//!
//! Counted are the agents of the matrix that search or fetch for a user. Keeping training crawlers
//! out is a choice that costs nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::agents::{Purpose, Registry};
use crate::documents::robots::{Group, RobotsState, RobotsTxt, Rule, RuleKind};
use crate::fetch::Response;
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome};
use crate::rubric::fix::Fix;
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::facts::access::{Access, AgentAccess, Basis};
use crate::scan::facts::draft;
use crate::scan::snapshot::SiteSnapshot;
use crate::text::excerpt::excerpt;
use crate::text::note::Note;

pub(super) const CHECK: Check = Check {
    id: "ai-crawler-rules",
    category: Category::Policy,
    weight: 8,
    maturity: Maturity::Standard,
    effort: Effort::S,
    surfaces: &[],
    outcomes: &[
        ALL_ALLOWED,
        ALL_BLOCKED,
        IMPORTANT_BLOCKED,
        MANY_BLOCKED,
        SOME_BLOCKED,
        ADVISORY_BLOCKED,
        UNREADABLE,
        TEMPORARY,
        WILDCARD_IN_LIST,
        PARTLY_BLOCKED,
        TRAINING_BLOCKED,
    ],
    covers: &["AI bot rules"],
    specs: &[
        Spec { name: "RFC 9309", url: "https://www.rfc-editor.org/rfc/rfc9309#section-2.2" },
        Spec { name: "OpenAI crawlers", url: "https://platform.openai.com/docs/bots" },
    ],
    evaluate,
};

const ALL_ALLOWED: Outcome = Outcome::pass("all-allowed");
const ALL_BLOCKED: Outcome = Outcome::fail("all-blocked");
const IMPORTANT_BLOCKED: Outcome = Outcome::fail("important-blocked");
const MANY_BLOCKED: Outcome = Outcome::fail("many-blocked");
const SOME_BLOCKED: Outcome = Outcome::warn("some-blocked");
const ADVISORY_BLOCKED: Outcome = Outcome::warn("advisory-blocked");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");
// What is worth knowing and never decides.
const TEMPORARY: Outcome = Outcome::warn("temporary");
const WILDCARD_IN_LIST: Outcome = Outcome::warn("wildcard-in-list");
const PARTLY_BLOCKED: Outcome = Outcome::pass("partly-blocked");
const TRAINING_BLOCKED: Outcome = Outcome::pass("training-blocked");

/// Agents without which a site is missing from the answers of a whole vendor.
const IMPORTANT: [&str; 5] =
    ["Googlebot", "bingbot", "OAI-SearchBot", "PerplexityBot", "Claude-SearchBot"];
/// Percent of the agents that may be blocked for half credit.
const MAX_BLOCKED_PERCENT: usize = 25;
/// AI agents that make a list.
const MIN_LISTED_AGENTS: usize = 2;
/// Lines that are quoted as evidence.
const MAX_QUOTED_LINES: usize = 10;

fn evaluate(site: &SiteSnapshot) -> Finding {
    let matrix = site.matrix();
    let (training, counted): (Vec<&AgentAccess>, Vec<&AgentAccess>) =
        matrix.iter().partition(|row| row.agent.purpose == Purpose::Training);
    let resource = site.robots_resource();
    let silent = matches!(site.robots().state, RobotsState::Unreachable)
        && site.response(&resource).is_none_or(|response| response.status < 500);
    if silent || counted.iter().all(|row| row.access == Access::Unknown) {
        return Finding::new(UNREADABLE.detected()).with_evidence(site.evidence(&resource));
    }
    let blocked: Vec<&AgentAccess> =
        counted.iter().copied().filter(|row| is_blocked(row)).collect();
    let decisive = decide(&counted, &blocked);
    let passed = decisive.outcome == ALL_ALLOWED;
    let mut finding = Finding::new(decisive).with_evidence(evidence(site, &blocked));
    finding = finding.with_detection_if_any(wildcard_in_list(site));
    if counted.iter().any(|row| row.basis == Basis::RobotsUnreachable) {
        finding = finding.with_detection(TEMPORARY.detected());
    }
    let partly: Vec<&AgentAccess> = counted
        .iter()
        .copied()
        .filter(|row| row.access == Access::Partial && !is_blocked(row))
        .collect();
    let path = partly.first().and_then(|row| row.paths.iter().find(|(_, allowed)| !allowed));
    if let Some((path, _)) = path {
        finding = finding.with_detection(listed(PARTLY_BLOCKED, &partly).with("path", path));
    }
    let closed: Vec<&AgentAccess> =
        training.iter().copied().filter(|row| is_blocked(row)).collect();
    if !closed.is_empty() {
        finding = finding.with_detection(listed(TRAINING_BLOCKED, &closed));
    }
    if passed { finding } else { finding.with_fix_if_any(fix(site, &blocked)) }
}

/// `User-agent: *` in a group that closes the site to a list of AI agents: it closes the site to everyone.
fn wildcard_in_list(site: &SiteSnapshot) -> Option<Detection> {
    let is_agent = |name: &str| Registry::embedded().find(name).is_some();
    site.robots().rules.groups.iter().find_map(|group| {
        let star = group.agents.iter().find(|agent| agent.value == "*")?;
        let agents = group.agents.iter().filter(|agent| is_agent(&agent.value)).count();
        let closes = |rule: &Rule| {
            rule.kind == RuleKind::Disallow && matches!(rule.pattern.as_ref(), "/" | "/*" | "*")
        };
        let closing = group.rules.iter().find(|rule| closes(rule))?;
        (agents >= MIN_LISTED_AGENTS).then(|| {
            let found = WILDCARD_IN_LIST.with("line", star.line).with("rule_line", closing.line);
            found.with("count", agents)
        })
    })
}

fn decide(counted: &[&AgentAccess], blocked: &[&AgentAccess]) -> Detection {
    let important: Vec<&AgentAccess> = blocked
        .iter()
        .copied()
        .filter(|row| IMPORTANT.contains(&row.agent.robots_token.as_str()))
        .collect();
    let total = counted.len();
    let detection = if blocked.is_empty() {
        return ALL_ALLOWED.with("total", total);
    } else if blocked.len() == total {
        listed(ALL_BLOCKED, blocked)
    } else if !important.is_empty() {
        listed(IMPORTANT_BLOCKED, &important)
    } else if blocked.iter().all(|row| row.advisory) {
        listed(ADVISORY_BLOCKED, blocked)
    } else if blocked.len() * 100 > total * MAX_BLOCKED_PERCENT {
        listed(MANY_BLOCKED, blocked)
    } else {
        listed(SOME_BLOCKED, blocked)
    };
    detection.with("blocked", blocked.len()).with("total", total)
}

/// Whether an agent may not read the home page, or most of the paths that were tested.
fn is_blocked(row: &AgentAccess) -> bool {
    match row.access {
        Access::Blocked => true,
        Access::Allowed | Access::Unknown => false,
        Access::Partial => {
            let home = row.paths.iter().any(|(path, allowed)| path == "/" && !allowed);
            let closed = row.paths.iter().filter(|(_, allowed)| !allowed).count();
            home || closed * 2 > row.paths.len()
        }
    }
}

fn listed(outcome: Outcome, rows: &[&AgentAccess]) -> Detection {
    let names: Vec<&str> = rows.iter().map(|row| row.agent.name.as_str()).collect();
    outcome.with("agents", names.join(", ")).with("count", rows.len())
}

/// The file, and each line that keeps an agent out.
fn evidence(site: &SiteSnapshot, blocked: &[&AgentAccess]) -> Vec<Evidence> {
    let resource = site.robots_resource();
    let mut evidence: Vec<Evidence> = site.evidence(&resource).into_iter().collect();
    let Some(response) = site.response(&resource) else { return evidence };
    let mut seen = BTreeSet::new();
    for row in blocked {
        let Some(rule) = &row.rule else { continue };
        let (Some(line), Some(text)) = (rule.line, &rule.text) else { continue };
        if seen.len() < MAX_QUOTED_LINES && seen.insert((rule.group_line, line)) {
            let note = Note::new("rule-line").with("line", line).with("group", rule.group_line);
            evidence.push(Evidence::from_response(response).note(note).quote(text));
        }
    }
    evidence
}

/// Lets the agents in that are blocked and should not be. Training is left as it is: whether models may
/// learn from the content is the decision of the owner.
///
/// A group that names one of them is rewritten in its place: RFC 9309 section 2.2.1 combines groups for one
/// agent, but some parsers read the first of them alone. Agents without a group get one at the end.
fn fix(site: &SiteSnapshot, blocked: &[&AgentAccess]) -> Option<Fix> {
    let is_read = site.response(&site.robots_resource()).is_some_and(Response::is_success);
    if !is_read || blocked.is_empty() {
        return None;
    }
    let groups = &site.robots().rules.groups;
    let named: Vec<&AgentAccess> = blocked
        .iter()
        .copied()
        .filter(|row| groups.iter().any(|group| !names(group, row).is_empty()))
        .collect();
    // The lines that are rewritten, which decide for agents that follow others, too.
    let opened: BTreeSet<usize> =
        groups.iter().flat_map(|group| named.iter().flat_map(|row| names(group, row))).collect();
    let is_opened =
        |row: &AgentAccess| row.rule.as_ref().is_some_and(|rule| opened.contains(&rule.group_line));
    let mut others = blocked
        .iter()
        .filter(|row| !is_opened(row) && !named.iter().any(|one| one.agent.id == row.agent.id))
        .peekable();
    let mut added = String::new();
    if others.peek().is_some() {
        for row in others {
            added.push_str(&format!("User-agent: {}\n", row.agent.robots_token));
        }
        added.push_str("Allow: /\n");
        added.extend(private_paths(site).into_iter().map(|line| line + "\n"));
    }
    if named.is_empty() {
        return Some(Fix::new(draft::robots_lines(site, &added)));
    }
    let edit = draft::robots_with(site, |lines| {
        let mut rewritten = BTreeMap::new();
        for group in groups {
            open_group(group, &named, lines, &mut rewritten);
        }
        let kept = lines.iter().enumerate().flat_map(|(index, line)| {
            rewritten.remove(&(index + 1)).unwrap_or_else(|| vec![(*line).to_owned()])
        });
        kept.chain(added.lines().map(str::to_owned)).collect()
    });
    edit.map(Fix::new)
}

/// The lines of a group that name an agent.
fn names(group: &Group, row: &AgentAccess) -> Vec<usize> {
    let is_name = |name: &str| {
        let aliases = row.agent.robots_token_aliases.iter();
        let mut tokens = std::iter::once(&row.agent.robots_token).chain(aliases);
        tokens.any(|token| token.eq_ignore_ascii_case(name))
    };
    let named = group.agents.iter().filter(|record| is_name(&record.value));
    named.map(|record| record.line).collect()
}

/// Notes what takes the place of the lines of a group, so that the agents of these rows may read the site.
/// Other agents of the group keep it as it is.
fn open_group(
    group: &Group,
    rows: &[&AgentAccess],
    lines: &[&str],
    rewritten: &mut BTreeMap<usize, Vec<String>>,
) {
    const OPEN: &str = "Allow: /";
    let named: BTreeSet<usize> = rows.iter().flat_map(|row| names(group, row)).collect();
    let closing: BTreeSet<usize> =
        group.rules.iter().filter(|rule| closes(rule, rows)).map(|rule| rule.line).collect();
    if named.is_empty() || closing.is_empty() {
        return;
    }
    if group.agents.iter().all(|record| named.contains(&record.line)) {
        rewritten.extend(closing.iter().map(|line| (*line, Vec::new())));
        rewritten.extend(closing.first().map(|line| (*line, vec![OPEN.to_owned()])));
        return;
    }
    let line = |number: usize| lines.get(number - 1).map(|line| (*line).to_owned());
    let own = group.rules.iter().map(|rule| rule.line).filter(|line| !closing.contains(line));
    let records = [&group.crawl_delays, &group.content_signals, &group.content_usages];
    let last = records.into_iter().flatten().map(|record| record.line);
    let last = last.chain(group.rules.iter().map(|rule| rule.line)).max().unwrap_or_default();
    let opened = named.iter().filter_map(|number| line(*number));
    let opened = opened.chain([OPEN.to_owned()]).chain(own.filter_map(line));
    let after: Vec<String> = line(last).into_iter().chain([String::new()]).chain(opened).collect();
    rewritten.extend(named.iter().map(|line| (*line, Vec::new())));
    rewritten.insert(last, after);
}

/// Whether a rule closes something that was tested and that one of these agents may not read.
fn closes(rule: &Rule, rows: &[&AgentAccess]) -> bool {
    if rule.kind != RuleKind::Disallow {
        return false;
    }
    let alone = RobotsTxt::parse(format!("User-agent: *\n{}\n", rule.text()).as_bytes());
    let closed = rows.iter().flat_map(|row| &row.paths).filter(|(_, allowed)| !allowed);
    closed.into_iter().any(|(path, _)| !alone.decide(&[], path).allowed)
}

/// The rules of the groups for `*` that close a part of the site: a group of its own would open it.
fn private_paths(site: &SiteSnapshot) -> Vec<String> {
    let everybody = site.robots().rules.groups_for(&[]);
    let rules = everybody.iter().flat_map(|group| &group.rules);
    let closed = rules
        .filter(|rule| rule.kind == RuleKind::Disallow)
        .filter(|rule| !matches!(&*rule.pattern, "" | "/" | "*" | "/*"));
    closed.take(MAX_QUOTED_LINES).map(|rule| excerpt(&rule.text())).collect()
}
