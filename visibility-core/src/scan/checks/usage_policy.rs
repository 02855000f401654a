//! `usage-policy`: the site says what may be done with what is read.
//!
//! Four ways are recognized: `Content-Signal`, `Content-Usage`, a robots.txt group for a token that
//! represents training, and an RSL license. What a policy says costs nothing; not to have one, or
//! one that the rest of the site denies, does.

mod license;
mod preferences;

use std::sync::OnceLock;

use serde::Deserialize;

use crate::agents::Purpose;
use crate::documents::robots::RuleKind;
use crate::fetch::{FetchError, Resource};
use crate::rubric::finding::{Detection, Evidence, Finding, Outcome};
use crate::rubric::fix::Fix;
use crate::rubric::{Effort, Spec};
use crate::scan::check::{Category, Check, Maturity};
use crate::scan::checks::usage_policy::preferences::Preference;
use crate::scan::facts::access::{Access, AgentAccess};
use crate::scan::facts::draft;
use crate::scan::snapshot::{DocumentState, SiteSnapshot};
use crate::text::locale::comment;

pub(super) const CHECK: Check = Check {
    id: "usage-policy",
    category: Category::Policy,
    weight: 4,
    maturity: Maturity::Draft,
    effort: Effort::S,
    surfaces: &[],
    outcomes: &[
        DECLARED,
        NONE,
        MALFORMED,
        TRAINING_CONTRADICTED,
        SEARCH_CONTRADICTED,
        license::BROKEN,
        license::UNREAD,
        UNREADABLE,
        CONTENT_SIGNAL,
        CONTENT_USAGE,
        TRAINING_PREFERENCE,
        license::LICENSE,
    ],
    covers: &["Content Signals", "AIPREF", "RSL"],
    specs: &[
        Spec { name: "Content Signals", url: "https://contentsignals.org/" },
        Spec { name: "AIPREF", url: "https://datatracker.ietf.org/doc/draft-ietf-aipref-attach/" },
        Spec { name: "RSL 1.0", url: "https://rslstandard.org/rsl" },
    ],
    evaluate,
};

const DECLARED: Outcome = Outcome::pass("declared");
const NONE: Outcome = Outcome::warn("none");
const MALFORMED: Outcome = Outcome::warn("malformed");
const TRAINING_CONTRADICTED: Outcome = Outcome::fail("training-contradicted");
const SEARCH_CONTRADICTED: Outcome = Outcome::fail("search-contradicted");
const UNREADABLE: Outcome = Outcome::unknown("unreadable");
const CONTENT_SIGNAL: Outcome = Outcome::pass("content-signal");
const CONTENT_USAGE: Outcome = Outcome::pass("content-usage");
const TRAINING_PREFERENCE: Outcome = Outcome::pass("training-preference");

/// Policies that are reported.
const MAX_POLICIES: usize = 20;

fn evaluate(site: &SiteSnapshot) -> Finding {
    let preferences = preferences::all(site);
    let matrix = site.matrix();
    let mut policies: Vec<Detection> = preferences.iter().filter_map(policy).collect();
    policies.extend(training_groups(site));
    let license = license::judge(site);
    policies.extend(license.iter().filter(|s| s.outcome == license::LICENSE).cloned());
    policies.truncate(MAX_POLICIES);
    let mut detections: Vec<Detection> = preferences.iter().filter_map(malformed).collect();
    detections.truncate(MAX_POLICIES);
    detections.extend(training_contradicted(site, &preferences, matrix));
    detections.extend(search_contradicted(site, &preferences, matrix));
    detections.extend(license.filter(|detection| detection.outcome != license::LICENSE));
    if !policies.is_empty() {
        detections.push(DECLARED.with("count", policies.len()));
    } else if detections.is_empty() {
        detections.push(if robots_is_hidden(site) {
            UNREADABLE.detected()
        } else {
            NONE.detected()
        });
    }
    let mut finding =
        Finding::from_worst(detections).unwrap_or_else(|| Finding::new(UNREADABLE.detected()));
    for policy in policies {
        finding = finding.with_detection(policy);
    }
    let decisive = finding.detections().first().map(|detection| detection.outcome);
    let finding = finding.with_evidence(evidence(site, &preferences));
    match decisive {
        Some(NONE) => {
            let lines = snippet(training_will(&preferences, matrix));
            finding.with_fix(Fix::new(draft::robots_lines(site, &lines)))
        }
        Some(MALFORMED) => finding.with_fix_if_any(corrected(site, &preferences, matrix)),
        // What contradicts itself only the owner can decide.
        _ => finding,
    }
}

/// A preference that says something.
fn policy(preference: &Preference) -> Option<Detection> {
    let outcome = if preference.is_usage { CONTENT_USAGE } else { CONTENT_SIGNAL };
    (!preference.says.is_empty()).then(|| {
        outcome
            .with("policy", preference.says.join(", "))
            .with("agents", &preference.agents)
            .with("place", preference.location())
    })
}

/// A preference in words that its vocabulary does not have.
fn malformed(preference: &Preference) -> Option<Detection> {
    let text = preference.malformed.first()?;
    Some(MALFORMED.with("text", text).with("place", preference.location()))
}

/// Training is welcome, and a crawler for training is kept out.
fn training_contradicted(
    site: &SiteSnapshot,
    preferences: &[Preference],
    matrix: &[AgentAccess],
) -> Option<Detection> {
    let mut closed = matrix.iter().filter(|row| is_closed_training(row));
    let (row, preference) = closed.find_map(|row| {
        Some((row, preferences::find(site, preferences, row.agent, |p| p.training, true)?))
    })?;
    let rule = row.rule.as_ref().and_then(|rule| rule.line).unwrap_or_default();
    let detection = TRAINING_CONTRADICTED.with("place", preference.location());
    Some(detection.with("agent", &row.agent.name).with("line", rule))
}

/// Search is not welcome, and the crawler of an answer engine is let in.
fn search_contradicted(
    site: &SiteSnapshot,
    preferences: &[Preference],
    matrix: &[AgentAccess],
) -> Option<Detection> {
    let row = matrix.iter().find(|row| row.agent.robots_token == "OAI-SearchBot")?;
    let preference = preferences::find(site, preferences, row.agent, |p| p.search, false)?;
    (row.access == Access::Allowed).then(|| {
        SEARCH_CONTRADICTED.with("place", preference.location()).with("agent", &row.agent.name)
    })
}

fn is_closed_training(row: &AgentAccess) -> bool {
    row.agent.purpose == Purpose::Training && row.access == Access::Blocked
}

/// Groups for tokens that represent training, each with what they say about the whole site.
fn training_groups(site: &SiteSnapshot) -> Vec<Detection> {
    let mut detections = Vec::new();
    for group in site.robots().rules.groups.iter().filter(|group| !group.rules.is_empty()) {
        let closed = group
            .rules
            .iter()
            .any(|rule| rule.kind == RuleKind::Disallow && matches!(&*rule.pattern, "/" | "/*"));
        // A group that lets everything in says no more than no group at all.
        if !closed {
            continue;
        }
        let is_listed =
            |value: &str| tokens().iter().any(|token| token.eq_ignore_ascii_case(value));
        for agent in group.agents.iter().filter(|agent| is_listed(&agent.value)) {
            let detection = TRAINING_PREFERENCE.with("token", &agent.value);
            detections.push(detection.with("line", agent.line).with("rule", "Disallow: /"));
        }
    }
    detections
}

/// Tokens of robots.txt that name a use and not a crawler.
fn tokens() -> &'static [String] {
    #[derive(Deserialize)]
    struct File {
        tokens: Vec<String>,
    }
    static TOKENS: OnceLock<Vec<String>> = OnceLock::new();
    TOKENS.get_or_init(|| {
        let text = include_str!("../../../data/training_preference_tokens.json");
        let file: Result<File, _> = serde_json::from_str(text);
        #[expect(clippy::expect_used, reason = "embedded data; a test parses it")]
        let file = file.expect("training_preference_tokens.json is valid");
        file.tokens
    })
}

/// Whether robots.txt may well have a policy that we were not shown.
fn robots_is_hidden(site: &SiteSnapshot) -> bool {
    match site.document(&site.robots_resource()) {
        DocumentState::Refused(_) | DocumentState::Broken(_) | DocumentState::NotAsked => true,
        DocumentState::Failed(error) => !matches!(
            error,
            FetchError::RedirectLoop { .. }
                | FetchError::TooManyRedirects { .. }
                | FetchError::BadRedirect { .. }
        ),
        _ => false,
    }
}

fn evidence(site: &SiteSnapshot, preferences: &[Preference]) -> Vec<Evidence> {
    let mut evidence: Vec<Evidence> = site.evidence(&site.robots_resource()).into_iter().collect();
    for preference in preferences.iter().take(MAX_POLICIES) {
        let quoted = match preference.line {
            Some(line) => site.evidence(&site.robots_resource()).map(|e| e.line(line)),
            None => site.home().map(|home| Evidence::from_response(home).note(preference.note())),
        };
        evidence.extend(quoted.map(|e| e.quote(&preference.raw)));
    }
    evidence.extend(site.evidence(&Resource::License));
    evidence
}

/// robots.txt without the lines that say nothing, and with lines that do where nothing else does.
fn corrected(
    site: &SiteSnapshot,
    preferences: &[Preference],
    matrix: &[AgentAccess],
) -> Option<Fix> {
    let malformed = preferences.iter().filter(|preference| !preference.malformed.is_empty());
    // A malformed header field has to be found where it is set.
    let lines: Option<Vec<usize>> = malformed.map(|preference| preference.line).collect();
    let says = preferences.iter().any(|p| p.malformed.is_empty() && !p.says.is_empty());
    let added = if says { String::new() } else { snippet(training_will(preferences, matrix)) };
    draft::robots_without(site, &lines?, &added).map(Fix::new)
}

/// What the owner has said about training: by a rule that keeps a crawler for training out, else
/// by a preference. `None` if nothing shows it; a refusal wins over a permission.
fn training_will(preferences: &[Preference], matrix: &[AgentAccess]) -> Option<bool> {
    if matrix.iter().any(is_closed_training) {
        return Some(false);
    }
    preferences.iter().filter_map(|preference| preference.training).min()
}

/// Lines that say what the owner has shown to want, and leave open what only the owner can decide.
fn snippet(training: Option<bool>) -> String {
    const START: &str = "User-agent: *\nContent-Signal: search=yes, ai-input=yes";
    match training {
        Some(true) => format!("{START}, ai-train=yes\nContent-Usage: train-ai=y\n"),
        Some(false) => format!("{START}, ai-train=no\nContent-Usage: train-ai=n\n"),
        None => format!(
            "{START}\n# {}\n# {}\n# {}\n",
            comment("training-choice"),
            comment("training-refused"),
            comment("training-allowed")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_tokens_are_tokens() {
        assert!(!tokens().is_empty());
        let is_token = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        assert!(tokens().iter().all(|token| token.chars().all(is_token)));
    }
}
