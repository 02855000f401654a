//! What is kept of a result for years: the score, and a byte for each check and agent.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::rubric::finding::Verdict;
use crate::scan::check::Category;
use crate::scan::checks::CHECKS;
use crate::scan::facts::access::{Access, Effective};
use crate::scan::result::ScanResult;
use crate::scan::score::RUBRIC_VERSION;

/// Checks by their places. A place keeps its check for ever: a new check comes last, and one that goes leaves its place.
const CHECK_PLACES: [&str; 21] = [
    "https-and-redirects",
    "bot-wall",
    "honest-404",
    "robots-txt",
    "ai-crawler-rules",
    "usage-policy",
    "index-directives",
    "content-without-js",
    "response-budget",
    "page-metadata",
    "structured-data",
    "markdown-negotiation",
    "sitemap",
    "llms-txt",
    "link-headers",
    "ai-catalog",
    "api-description",
    "mcp-server",
    "agent-auth",
    "agent-interfaces",
    "agentic-commerce",
];

/// Agents by their places, under the same rule.
const AGENT_PLACES: [&str; 27] = [
    "google-googlebot",
    "microsoft-bingbot",
    "openai-oai-searchbot",
    "anthropic-claude-searchbot",
    "perplexity-perplexitybot",
    "meta-webindexer",
    "apple-applebot",
    "amazon-amzn-searchbot",
    "mistral-index",
    "yandex-additional",
    "openai-chatgpt-user",
    "anthropic-claude-user",
    "perplexity-user",
    "google-agent",
    "meta-externalfetcher",
    "mistral-user",
    "amazon-amzn-user",
    "duckduckgo-duckassistbot",
    "openai-gptbot",
    "anthropic-claudebot",
    "google-extended",
    "apple-applebot-extended",
    "meta-externalagent",
    "amazon-amazonbot",
    "mistral-training",
    "commoncrawl-ccbot",
    "bytedance-bytespider",
];

/// Verdicts by their bytes.
const VERDICTS: [Verdict; 5] =
    [Verdict::Pass, Verdict::Warn, Verdict::Fail, Verdict::NotApplicable, Verdict::Unknown];
/// What robots.txt says, by the lower two bits.
const ACCESSES: [Access; 4] = [Access::Allowed, Access::Partial, Access::Blocked, Access::Unknown];
/// What an agent meets, by the bits above those.
const EFFECTIVES: [Effective; 6] = [
    Effective::Reachable,
    Effective::Untested,
    Effective::BlockedByRobots,
    Effective::BlockedByWall,
    Effective::OptOutToken,
    Effective::Unknown,
];
/// What was not in the result.
const ABSENT: u8 = u8::MAX;

/// What is kept of the last scan of a day.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ScanDay {
    /// The version of the rules that it was judged by.
    pub rubric: String,
    /// The score.
    pub score: Option<u8>,
    /// The tier.
    pub tier: Option<String>,
    /// A byte for each check.
    pub checks: Vec<u8>,
    /// A byte for each agent.
    pub agents: Vec<u8>,
}

/// What robots.txt says to an agent, and what it meets.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DayAccess {
    /// What robots.txt says.
    pub access: Access,
    /// What the agent meets.
    pub effective: Effective,
}

/// What is another than on an earlier day.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum DayChange {
    /// The verdict of a check.
    Check {
        /// Its id.
        #[cfg_attr(feature = "openapi", schema(value_type = String))]
        id: Cow<'static, str>,
        /// The verdict before.
        from: Verdict,
        /// The verdict now.
        to: Verdict,
    },
    /// What an agent meets.
    Agent {
        /// Its id.
        #[cfg_attr(feature = "openapi", schema(value_type = String))]
        id: Cow<'static, str>,
        /// Before.
        from: DayAccess,
        /// Now.
        to: DayAccess,
    },
}

/// Points of a category: shares of the final 100, before what limits the score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CategoryPoints {
    /// The category.
    pub id: Category,
    /// What was earned, to a hundredth.
    pub points: f64,
    /// What could be, to a hundredth; 0 if nothing of it applies.
    pub max_points: f64,
}

fn byte_of<T: PartialEq>(values: &[T], value: &T) -> u8 {
    let place = values.iter().position(|other| other == value);
    place.and_then(|place| u8::try_from(place).ok()).unwrap_or(ABSENT)
}

fn check_of(byte: u8) -> Option<Verdict> {
    VERDICTS.get(usize::from(byte)).copied()
}

fn access_of(byte: u8) -> Option<DayAccess> {
    let access = *ACCESSES.get(usize::from(byte & 3))?;
    let effective = *EFFECTIVES.get(usize::from(byte >> 2))?;
    Some(DayAccess { access, effective })
}

/// What is known of each name on two days and differs.
fn changes<'a, T: PartialEq + 'a>(
    names: &'a [&'static str],
    before: &'a [u8],
    now: &'a [u8],
    read: fn(u8) -> Option<T>,
) -> impl Iterator<Item = (&'static str, T, T)> + 'a {
    let pairs = names.iter().zip(before.iter().zip(now));
    pairs.filter_map(move |(name, (before, now))| {
        let (before, now) = (read(*before)?, read(*now)?);
        (before != now).then_some((*name, before, now))
    })
}

impl ScanDay {
    /// What is kept of a result.
    pub fn of(result: &ScanResult) -> Self {
        let check = |id: &&str| {
            let found = result.checks.iter().find(|check| check.id == **id);
            found.map_or(ABSENT, |check| byte_of(&VERDICTS, &check.status))
        };
        let agent = |id: &&str| {
            let found = result.agents.iter().find(|agent| agent.id == **id);
            found.map_or(ABSENT, |agent| {
                byte_of(&ACCESSES, &agent.access) | byte_of(&EFFECTIVES, &agent.effective) << 2
            })
        };
        Self {
            rubric: result.rubric_version.clone(),
            score: result.score,
            tier: result.tier.clone(),
            checks: CHECK_PLACES.iter().map(check).collect(),
            agents: AGENT_PLACES.iter().map(agent).collect(),
        }
    }

    /// The ids of all checks that a day has a place for.
    pub fn check_ids() -> &'static [&'static str] {
        &CHECK_PLACES
    }

    /// The ids of all agents that a day has a place for.
    pub fn agent_ids() -> &'static [&'static str] {
        &AGENT_PLACES
    }

    /// The verdict of a check, if the result had one.
    pub fn check(&self, id: &str) -> Option<Verdict> {
        let place = CHECK_PLACES.iter().position(|other| *other == id)?;
        check_of(*self.checks.get(place)?)
    }

    /// What an agent met, if the result says so.
    pub fn agent(&self, id: &str) -> Option<DayAccess> {
        let place = AGENT_PLACES.iter().position(|other| *other == id)?;
        access_of(*self.agents.get(place)?)
    }

    /// The points of each category. `None` for results by other rules than ours, whose weights are not known here; without a
    /// score; and if more than half of what could count is unknown, since shares of the rest say nothing about the site.
    pub fn categories(&self) -> Option<Vec<CategoryPoints>> {
        if self.rubric != RUBRIC_VERSION || self.score.is_none() {
            return None;
        }
        let weights: Vec<(Category, u32, Verdict)> = CHECKS
            .iter()
            .filter_map(|check| {
                Some((check.category, u32::from(check.weight), self.check(check.id)?))
            })
            .filter(|(.., verdict)| *verdict != Verdict::NotApplicable)
            .collect();
        let sum = |is_counted: &dyn Fn(Category, Verdict) -> bool| -> u32 {
            let counted =
                weights.iter().filter(|(category, _, verdict)| is_counted(*category, *verdict));
            counted.map(|(_, weight, _)| weight).sum()
        };
        let unknown = sum(&|_, verdict| verdict == Verdict::Unknown);
        let possible = sum(&|_, verdict| verdict != Verdict::Unknown);
        if possible == 0 || unknown > possible {
            return None;
        }
        let share = |weight: f64| (10_000.0 * weight / f64::from(possible)).round() / 100.0;
        let points = Category::ALL.into_iter().map(|id| {
            let passed = sum(&|category, verdict| category == id && verdict == Verdict::Pass);
            let warned = sum(&|category, verdict| category == id && verdict == Verdict::Warn);
            let all = sum(&|category, verdict| category == id && verdict != Verdict::Unknown);
            let earned = f64::from(passed) + f64::from(warned) / 2.0;
            CategoryPoints { id, points: share(earned), max_points: share(f64::from(all)) }
        });
        Some(points.collect())
    }

    /// Whether the scores of two days can be compared.
    pub fn has_rules_of(&self, other: &Self) -> bool {
        self.rubric == other.rubric
    }

    /// What is another than on an earlier day: checks first, if they were judged by the same rules, then agents.
    pub fn changes_since(&self, before: &Self) -> Vec<DayChange> {
        let checks = changes(&CHECK_PLACES, &before.checks, &self.checks, check_of)
            .filter(|_| self.has_rules_of(before))
            .map(|(id, from, to)| DayChange::Check { id: id.into(), from, to });
        let agents = changes(&AGENT_PLACES, &before.agents, &self.agents, access_of)
            .map(|(id, from, to)| DayChange::Agent { id: id.into(), from, to });
        checks.chain(agents).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::Registry;
    use crate::scan::report::{ScanReport, Selection};
    use crate::scan::snapshot::SiteSnapshot;
    use crate::text::locale::Lang;

    fn result() -> ScanResult {
        let taken_at = "2026-11-29T12:00:00Z".parse().unwrap();
        let site = SiteSnapshot::new("example.com".parse().unwrap(), taken_at);
        ScanReport::evaluate(&site, &Selection::all()).result(Lang::En)
    }

    #[test]
    fn every_check_and_agent_has_a_place() {
        for check in CHECKS {
            assert!(CHECK_PLACES.contains(&check.id), "{}: add it at the end", check.id);
        }
        for agent in Registry::embedded().matrix() {
            assert!(AGENT_PLACES.contains(&agent.id.as_str()), "{}: add it at the end", agent.id);
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let mut result = result();
        for (index, check) in result.checks.iter_mut().enumerate() {
            check.status = VERDICTS[index % VERDICTS.len()];
        }
        for (index, agent) in result.agents.iter_mut().enumerate() {
            agent.access = ACCESSES[index % ACCESSES.len()];
            agent.effective = EFFECTIVES[index % EFFECTIVES.len()];
        }
        let day = ScanDay::of(&result);
        for check in &result.checks {
            assert_eq!(day.check(&check.id), Some(check.status));
        }
        for agent in &result.agents {
            let expected = DayAccess { access: agent.access, effective: agent.effective };
            assert_eq!(day.agent(&agent.id), Some(expected));
        }
        assert_eq!(day.check("no-such-check"), None);
    }

    #[test]
    fn only_what_is_known_of_both_days_has_changed() {
        let before = result();
        let mut after = before.clone();
        after.checks[3].status = match after.checks[3].status {
            Verdict::Fail => Verdict::Pass,
            _ => Verdict::Fail,
        };
        after.agents[19].effective = Effective::BlockedByWall;
        after.checks.remove(7);
        let (old, new) = (ScanDay::of(&before), ScanDay::of(&after));
        let changes = new.changes_since(&old);
        assert_eq!(changes.len(), 2, "{changes:?}");
        assert!(matches!(&changes[0], DayChange::Check { id, .. } if id == "robots-txt"));
        assert!(matches!(&changes[1], DayChange::Agent { id, .. } if id == "anthropic-claudebot"));
        assert!(old.changes_since(&old).is_empty());
        // Other rules judge otherwise: what an agent meets is the same under all.
        let other = ScanDay { rubric: "2027.01".to_owned(), ..new };
        assert_eq!(other.changes_since(&old).len(), 1);
    }

    #[test]
    fn points_by_category_are_shares_of_the_score() {
        let mut day = ScanDay {
            rubric: RUBRIC_VERSION.to_owned(),
            score: Some(100),
            tier: None,
            checks: vec![0; 21],
            agents: Vec::new(),
        };
        let sum = |day: &ScanDay| -> (f64, f64) {
            let all = day.categories().unwrap();
            (all.iter().map(|one| one.points).sum(), all.iter().map(|one| one.max_points).sum())
        };
        let (earned, possible) = sum(&day);
        assert!((earned - 100.0).abs() < 0.05 && (possible - 100.0).abs() < 0.05, "{earned}");
        // A warning earns half, and what does not apply counts for nothing.
        day.checks = vec![1; 21];
        day.checks[3] = 3;
        let (earned, possible) = sum(&day);
        assert!((earned - 50.0).abs() < 0.05 && (possible - 100.0).abs() < 0.05, "{earned}");
        day.checks = vec![2; 21];
        assert!(sum(&day).0 == 0.0);
        // Nothing is known of most, or nothing applies.
        for byte in [4, 3, ABSENT] {
            assert_eq!(ScanDay { checks: vec![byte; 21], ..day.clone() }.categories(), None);
        }
        assert_eq!(ScanDay { score: None, ..day.clone() }.categories(), None);
        day.rubric = "2020.01".to_owned();
        assert_eq!(day.categories(), None);
    }

    #[test]
    fn bytes_of_strangers_are_read() {
        let day = |checks: Vec<u8>, agents: Vec<u8>| ScanDay {
            rubric: String::new(),
            score: None,
            tier: None,
            checks,
            agents,
        };
        let nothing = day(Vec::new(), Vec::new());
        for byte in 0..=u8::MAX {
            let day = day(vec![byte; 30], vec![byte; 3]);
            assert_eq!(day.agent("bytedance-bytespider"), None);
            assert_eq!(day.check("bot-wall").is_some(), byte < 5);
            assert!(day.changes_since(&nothing).is_empty());
        }
    }
}
