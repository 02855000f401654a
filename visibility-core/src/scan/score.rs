//! Score, caps, confidence and tier: one rubric, frozen per version.
//!
//! Everything is computed in whole numbers, so that the same findings give the same score on every
//! machine.

use serde::{Deserialize, Serialize};

use crate::fetch::BodyEnd;
use crate::rubric::finding::{Finding, Verdict};
use crate::scan::check::Check;
use crate::scan::checks::{GIVE_UP_TTFB_MS, MAX_TTFB_MS};
use crate::scan::home;
use crate::scan::snapshot::SiteSnapshot;

/// Version of checks, weights, caps and tiers.
pub const RUBRIC_VERSION: &str = "2026.11.5";

/// Checks whose passing gives agents something beyond a readable page.
pub(super) const AFFORDANCES: [&str; 9] = [
    "markdown-negotiation",
    "llms-txt",
    "link-headers",
    "ai-catalog",
    "api-description",
    "mcp-server",
    "agent-auth",
    "agent-interfaces",
    "agentic-commerce",
];

/// Affordances that change what an agent can do, and not only what it can find.
pub(super) const STRONG_AFFORDANCES: [&str; 5] = [
    "markdown-negotiation",
    "api-description",
    "mcp-server",
    "agent-interfaces",
    "agentic-commerce",
];

/// A failed check of this weight keeps a site from the upper tiers.
const HEAVY: u8 = 8;

/// A check and what it found.
#[derive(Clone, Debug)]
pub struct EvaluatedCheck {
    /// The check that earned the points.
    pub check: &'static Check,
    /// What it found.
    pub finding: Finding,
}

impl EvaluatedCheck {
    /// Half points earned; `None` if the check does not count.
    pub(super) fn half_points(&self) -> Option<u32> {
        let weight = u32::from(self.check.weight);
        match self.finding.verdict() {
            Verdict::Pass => Some(2 * weight),
            Verdict::Warn => Some(weight),
            Verdict::Fail => Some(0),
            Verdict::NotApplicable | Verdict::Unknown => None,
        }
    }

    /// Whether what could decide the tier is not known: a heavy check, or a strong affordance.
    fn is_core_unknown(&self) -> bool {
        let is_core = self.check.weight >= HEAVY || STRONG_AFFORDANCES.contains(&self.check.id);
        is_core && self.finding.verdict() == Verdict::Unknown
    }

    /// Whether none of the pages besides the home page could be read.
    fn has_no_readable_inner_page(&self) -> bool {
        let mut signals = self.finding.detections().iter();
        self.check.id == "content-without-js"
            && signals.any(|signal| match signal.outcome.id {
                "inner-pages-unreadable" => true,
                "inner-pages-scripted" => signal.values.get("count") == signal.values.get("read"),
                _ => false,
            })
    }

    fn is_decided_by(&self, check: &str, outcome: &str) -> bool {
        let decisive = self.finding.detections().first();
        self.check.id == check && decisive.is_some_and(|signal| signal.outcome.id == outcome)
    }
}

/// What all findings together say.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ScanScore {
    /// 0 to 100, caps applied.
    pub value: u8,
    /// 0 to 100, before caps.
    pub raw: u8,
    /// What limits the score, hardest first.
    pub caps: Vec<Cap>,
    /// The tier that is not reached yet.
    pub tier: Tier,
    /// What the next tier needs; `None` at the top, and where there is no tier.
    pub next: Option<(Tier, Vec<TierRequirement>)>,
    /// Tenths of a point before caps.
    pub raw_tenths: u32,
}

impl ScanScore {
    /// The same score under further caps.
    pub(super) fn keep_caps<'c>(&mut self, caps: impl Iterator<Item = &'c Cap>) {
        for cap in caps {
            if !self.caps.contains(cap) {
                self.caps.push(*cap);
                self.value = self.value.min(cap.limit);
                self.tier = self.tier.min(Tier::for_score(self.value));
            }
        }
    }

    /// Tenths of a point, caps applied.
    pub(super) fn tenths(&self) -> u32 {
        let limits = self.caps.iter().map(|cap| 10 * u32::from(cap.limit));
        limits.fold(self.raw_tenths, u32::min)
    }
}

/// How much of the site could be seen.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// At most 10 % of the weight of the checks that ran is unknown, and no check that decides the
    /// tier.
    High,
    /// At most 30 %; or the time of the scan ran out; or more, because there is no home page, or none
    /// for bots.
    Medium,
    /// More than that, or a browser meets a challenge, too.
    Low,
}

impl Confidence {
    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }

    /// Confidence in these findings.
    pub fn from_checks(evaluated: &[EvaluatedCheck], site: &SiteSnapshot) -> Self {
        let unknown: u32 = evaluated
            .iter()
            .filter(|one| one.finding.verdict() == Verdict::Unknown)
            .map(|one| u32::from(one.check.weight))
            .sum();
        let all: u32 = evaluated.iter().map(|one| u32::from(one.check.weight)).sum();
        let at_most = |percent: u32| 100 * unknown <= percent * all;
        let by_wall = |outcome| evaluated.iter().any(|one| one.is_decided_by("bot-wall", outcome));
        let is_refused = by_wall("honest-refused") || by_wall("everybody-pays");
        let is_half_seen = site.home().is_some_and(|home| {
            home.body_end != BodyEnd::Complete
                || (site.page().is_none() && !home::is_for_programs(site))
        });
        if home::unreadable(site).is_some() || is_refused {
            // That there is no page, or none for bots, is certain, and all that is unknown is so
            // because of it.
            Self::Medium
        } else if is_challenged_for_everyone(evaluated, site) || !at_most(30) {
            Self::Low
        } else if at_most(10)
            && !is_half_seen
            // We tried in their names, and from another address.
            && !by_wall("agents-refused")
            && site.cut_short() == 0
            && !evaluated.iter().any(EvaluatedCheck::is_core_unknown)
        {
            Self::High
        } else {
            Self::Medium
        }
    }
}

/// Something that limits the score.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Cap {
    /// Kebab-case id; its sentence is in `locales/` under `caps`.
    pub id: &'static str,
    /// The highest score that remains possible.
    pub limit: u8,
    /// The check whose passing lifts it, if one does.
    pub check: Option<&'static str>,
}

/// How far a site is.
///
/// The order is that of the tiers; a site without one has reached none of them.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Not rated: at low confidence there is no tier.
    Unknown,
    /// Below 30.
    Invisible,
    /// From 30.
    Discoverable,
    /// From 55.
    Readable,
    /// From 75, with an affordance and without a heavy failure.
    Ready,
    /// From 90, with two affordances, a strong one among them, and without a heavy failure.
    Native,
}

impl Tier {
    /// All that a site can reach, lowest first.
    pub const ALL: [Self; 5] =
        [Self::Invisible, Self::Discoverable, Self::Readable, Self::Ready, Self::Native];

    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Invisible => "invisible",
            Self::Discoverable => "discoverable",
            Self::Readable => "readable",
            Self::Ready => "ready",
            Self::Native => "native",
        }
    }

    /// A tier by its value on the wire.
    pub fn from_wire(text: &str) -> Option<Self> {
        std::iter::once(Self::Unknown).chain(Self::ALL).find(|tier| tier.as_str() == text)
    }

    /// The tier of a score, whatever else is required.
    fn for_score(score: u8) -> Self {
        let reached = Self::ALL.into_iter().rev().find(|tier| score >= tier.min_score());
        reached.unwrap_or(Self::Invisible)
    }

    /// The lowest score of the tier.
    pub fn min_score(self) -> u8 {
        match self {
            Self::Unknown | Self::Invisible => 0,
            Self::Discoverable => 30,
            Self::Readable => 55,
            Self::Ready => 75,
            Self::Native => 90,
        }
    }

    fn min_affordances(self) -> usize {
        match self {
            Self::Unknown | Self::Invisible | Self::Discoverable | Self::Readable => 0,
            Self::Ready => 1,
            Self::Native => 2,
        }
    }
}

/// What keeps a site from a tier.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum TierRequirement {
    /// A higher score.
    Score {
        /// The score that is wanted.
        required: u8,
        /// The score that there is.
        have: u8,
    },
    /// More passing affordances.
    Affordances {
        /// How many are wanted.
        required: usize,
        /// How many there are.
        have: usize,
    },
    /// One of the strong affordances.
    StrongAffordance,
    /// A page besides the home page that can be read.
    InnerPages,
    /// A heavy check that must not fail.
    FailedCheck {
        /// The id of the check.
        check: &'static str,
    },
    /// A home page that answers sooner.
    SlowAnswers {
        /// The first byte may take so many milliseconds.
        wanted_ms: u32,
        /// So many it takes; `None` if the page did not even end in time.
        have_ms: Option<u32>,
    },
}

/// Judges a site again by the checks that judged it before.
pub(super) fn reevaluate(site: &SiteSnapshot, by: &[EvaluatedCheck]) -> Vec<EvaluatedCheck> {
    by.iter()
        .map(|one| EvaluatedCheck { check: one.check, finding: (one.check.evaluate)(site) })
        .collect()
}

/// Scores the findings of a whole scan.
pub fn score(evaluated: &[EvaluatedCheck], site: &SiteSnapshot) -> ScanScore {
    let raw = raw_score(evaluated);
    let caps = caps(evaluated, site);
    let value = caps.iter().map(|cap| cap.limit).fold(raw, u8::min);
    let tier = match Confidence::from_checks(evaluated, site) {
        Confidence::Low => Tier::Unknown,
        Confidence::High | Confidence::Medium => tier(value, evaluated),
    };
    ScanScore {
        value,
        raw,
        tier,
        next: next_tier(tier, value, evaluated),
        raw_tenths: tenths(earned(evaluated), possible(evaluated)),
        caps,
    }
}

/// `100 * earned / possible`, rounded half up; 0 when nothing counts.
fn raw_score(evaluated: &[EvaluatedCheck]) -> u8 {
    u8::try_from(share(100, earned(evaluated), possible(evaluated))).unwrap_or(100)
}

/// Half points earned.
fn earned(evaluated: &[EvaluatedCheck]) -> u32 {
    evaluated.iter().filter_map(EvaluatedCheck::half_points).sum()
}

/// Half points that could be earned.
fn possible(evaluated: &[EvaluatedCheck]) -> u32 {
    let counting = evaluated.iter().filter(|one| one.half_points().is_some());
    counting.map(|one| 2 * u32::from(one.check.weight)).sum()
}

/// Tenths of a point of 100, rounded half up.
fn tenths(earned: u32, possible: u32) -> u32 {
    share(1_000, earned, possible)
}

/// `scale * earned / possible`, rounded half up once; 0 when nothing is possible.
fn share(scale: u32, earned: u32, possible: u32) -> u32 {
    if possible == 0 { 0 } else { (2 * scale * earned + possible) / (2 * possible) }
}

/// The check that says what there is to read on the home page.
const CONTENT: &str = "content-without-js";
/// The check that says how the home page is sent.
const BUDGET: &str = "response-budget";
/// Outcomes of [`CONTENT`] for a home page without anything to read.
const NOTHING: [&str; 3] = ["no-words", "not-text", "unfinished"];

/// What limits the score of these findings, hardest first.
fn caps(evaluated: &[EvaluatedCheck], site: &SiteSnapshot) -> Vec<Cap> {
    let decided =
        |check: &str, outcome: &str| evaluated.iter().any(|one| one.is_decided_by(check, outcome));
    let walled = decided("bot-wall", "agents-refused") || decided("bot-wall", "paywalled");
    let is_fixed = |check: &str| {
        let mut of_check = evaluated.iter().filter(|one| one.check.id == check);
        of_check.any(|one| one.finding.verdict() == Verdict::Pass)
    };
    let of_content = |outcomes: &[&str]| outcomes.iter().any(|outcome| decided(CONTENT, outcome));
    let is_undecodable = of_content(&["undecodable"]);
    let unreadable = home::unreadable(site).filter(|check| !is_undecodable && !is_fixed(check));
    let is_out_of_index =
        decided("index-directives", "noindex") || decided("index-directives", "expired");
    let is_elsewhere = decided("https-and-redirects", "site-elsewhere");
    let says_little = of_content(&["bare", "language-choice"]) && !home::is_described_api(site);
    if is_elsewhere {
        // What else keeps this page from being read is not what its owner has to do.
        return vec![Cap { id: "site-elsewhere", limit: 10, check: Some("https-and-redirects") }];
    }
    let all = [
        (of_content(&["parked"]), "parked", 10, Some(CONTENT)),
        (unreadable.is_some(), "home-unreadable", 10, unreadable),
        (is_undecodable && !is_fixed(BUDGET), "home-undecodable", 10, Some(BUDGET)),
        (of_content(&NOTHING), "nothing-to-read", 10, Some(CONTENT)),
        (of_content(&["placeholder"]), "placeholder-page", 10, Some(CONTENT)),
        (of_content(&["gate"]), "gate-page", 20, Some(CONTENT)),
        (is_challenged_for_everyone(evaluated, site), "challenged", 20, Some("bot-wall")),
        (
            decided("ai-crawler-rules", "all-blocked"),
            "robots-blocks-all",
            35,
            Some("ai-crawler-rules"),
        ),
        (of_content(&["frames", "images"]), "frames-only", 40, Some(CONTENT)),
        (decided("bot-wall", "honest-refused"), "honest-bot-refused", 40, Some("bot-wall")),
        (is_out_of_index, "noindex", 50, Some("index-directives")),
        (says_little, "little-text", 50, Some(CONTENT)),
        (of_content(&["shell"]), "empty-shell", 50, Some(CONTENT)),
        (has_no_https(evaluated, site), "no-https", 60, Some("https-and-redirects")),
        (walled, "agents-refused", 70, Some("bot-wall")),
    ];
    let hit = all.into_iter().filter(|(hit, ..)| *hit);
    hit.map(|(_, id, limit, check)| Cap { id, limit, check }).collect()
}

/// Whether the page comes over plain HTTP alone. A site on this machine needs no HTTPS.
fn has_no_https(evaluated: &[EvaluatedCheck], site: &SiteSnapshot) -> bool {
    let decided =
        |outcome| evaluated.iter().any(|one| one.is_decided_by("https-and-redirects", outcome));
    let is_secure = site.home().is_none_or(|home| home.url.scheme() == "https");
    !is_secure && !site.is_loopback() && (decided("no-https") || decided("tls-faulty"))
}

/// Whether the home page is refused or challenged for a browser as for us.
fn is_challenged_for_everyone(evaluated: &[EvaluatedCheck], site: &SiteSnapshot) -> bool {
    site.page().is_none()
        && evaluated.iter().any(|one| {
            one.is_decided_by("bot-wall", "browser-refused")
                || one.is_decided_by("bot-wall", "everybody-pays")
        })
}

fn passing<'a>(evaluated: &'a [EvaluatedCheck], among: &'a [&str]) -> usize {
    let passing = evaluated.iter().filter(|one| one.finding.verdict() == Verdict::Pass);
    passing.filter(|one| among.contains(&one.check.id)).count()
}

fn heavy_failures(evaluated: &[EvaluatedCheck]) -> impl Iterator<Item = &'static str> {
    let heavy = evaluated.iter().filter(|one| one.check.weight >= HEAVY);
    heavy.filter(|one| one.finding.verdict() == Verdict::Fail).map(|one| one.check.id)
}

/// Whether answers are too slow for a tier: `very-slow` bars the highest one, and what is so slow that
/// agents give up bars [`Tier::Ready`], too.
fn slow_answers(tier: Tier, evaluated: &[EvaluatedCheck]) -> Option<TierRequirement> {
    let detections = evaluated
        .iter()
        .filter(|one| one.check.id == "response-budget")
        .flat_map(|one| one.finding.detections());
    let bars = |outcome: &str| match outcome {
        "too-slow" | "timed-out" => true,
        "very-slow" => tier == Tier::Native,
        _ => false,
    };
    let slow = detections.into_iter().find(|detection| bars(detection.outcome.id))?;
    let wanted_ms = if tier == Tier::Native { MAX_TTFB_MS } else { GIVE_UP_TTFB_MS };
    let have_ms = slow.values.get("ms").and_then(|ms| ms.parse().ok());
    Some(TierRequirement::SlowAnswers {
        wanted_ms,
        have_ms: have_ms.filter(|_| slow.outcome.id != "timed-out"),
    })
}

fn tier(value: u8, evaluated: &[EvaluatedCheck]) -> Tier {
    Tier::ALL
        .into_iter()
        .rev()
        .find(|tier| missing(*tier, value, evaluated).is_empty())
        .unwrap_or(Tier::Invisible)
}

fn next_tier(
    tier: Tier,
    value: u8,
    evaluated: &[EvaluatedCheck],
) -> Option<(Tier, Vec<TierRequirement>)> {
    if tier == Tier::Unknown {
        return None;
    }
    let next = Tier::ALL.into_iter().find(|other| *other > tier)?;
    Some((next, missing(next, value, evaluated)))
}

/// What keeps these findings from a tier; empty if nothing does.
fn missing(tier: Tier, value: u8, evaluated: &[EvaluatedCheck]) -> Vec<TierRequirement> {
    let mut missing = Vec::new();
    if value < tier.min_score() {
        missing.push(TierRequirement::Score { required: tier.min_score(), have: value });
    }
    let have = passing(evaluated, &AFFORDANCES);
    if have < tier.min_affordances() {
        missing.push(TierRequirement::Affordances { required: tier.min_affordances(), have });
    }
    if tier == Tier::Native && passing(evaluated, &STRONG_AFFORDANCES) == 0 {
        missing.push(TierRequirement::StrongAffordance);
    }
    if tier == Tier::Native && evaluated.iter().any(EvaluatedCheck::has_no_readable_inner_page) {
        missing.push(TierRequirement::InnerPages);
    }
    if tier >= Tier::Ready {
        missing
            .extend(heavy_failures(evaluated).map(|check| TierRequirement::FailedCheck { check }));
        missing.extend(slow_answers(tier, evaluated));
    }
    missing
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::fetch::{FetchError, Probe, Redirects, Resource};
    use crate::rubric::Effort;
    use crate::rubric::finding::Outcome;
    use crate::scan::check::{Category, Maturity};
    use crate::scan::fix_plan;

    /// A check of this weight with this id; none of its other parts matter to a score.
    const fn check(id: &'static str, weight: u8, effort: Effort) -> Check {
        Check {
            id,
            category: Category::Content,
            weight,
            maturity: Maturity::Adopted,
            effort,
            surfaces: &[],
            outcomes: &[],
            covers: &[],
            specs: &[],
            evaluate: |_| Finding::new(Outcome::pass("fine").detected()),
        }
    }

    const TEXT: Check = check("content-without-js", 10, Effort::L);
    const WALL: Check = check("bot-wall", 9, Effort::M);
    const MARKDOWN: Check = check("markdown-negotiation", 6, Effort::M);
    const LLMS: Check = check("llms-txt", 3, Effort::M);
    const ROBOTS: Check = check("robots-txt", 4, Effort::S);
    const RULES: Check = check("ai-crawler-rules", 8, Effort::S);

    fn judged(check: &'static Check, outcome: Outcome) -> EvaluatedCheck {
        EvaluatedCheck { check, finding: Finding::new(outcome.detected()) }
    }

    fn empty() -> SiteSnapshot {
        SiteSnapshot::new("example.com".parse().unwrap(), DateTime::UNIX_EPOCH)
    }

    const PASS: Outcome = Outcome::pass("fine");
    const WARN: Outcome = Outcome::warn("so-so");
    const FAIL: Outcome = Outcome::fail("bad");
    const NOT_APPLICABLE: Outcome = Outcome::not_applicable("none");
    const UNKNOWN: Outcome = Outcome::unknown("unseen");

    #[test]
    fn what_does_not_count_leaves_the_score_alone() {
        let findings =
            [judged(&TEXT, PASS), judged(&LLMS, NOT_APPLICABLE), judged(&ROBOTS, UNKNOWN)];
        assert_eq!(score(&findings, &empty()).value, 100);
    }

    #[test]
    fn a_warning_is_half_and_halves_round_up() {
        // (10 + 1.5) / 13 = 88.46; (3 + 2) / 7 = 71.43; (4 / 2 + 6) / 10 = 80.
        assert_eq!(score(&[judged(&TEXT, PASS), judged(&LLMS, WARN)], &empty()).value, 88);
        assert_eq!(score(&[judged(&LLMS, PASS), judged(&ROBOTS, WARN)], &empty()).value, 71);
        assert_eq!(score(&[judged(&ROBOTS, WARN), judged(&MARKDOWN, PASS)], &empty()).value, 80);
        assert_eq!(share(100, 1, 200), 1, "half a point rounds up");
        assert_eq!(raw_score(&[]), 0);
    }

    #[test]
    fn nothing_to_count_is_no_points() {
        assert_eq!(score(&[judged(&TEXT, UNKNOWN)], &empty()).value, 0);
    }

    #[test]
    fn a_cap_limits_and_is_named_hardest_first() {
        let refused = judged(&WALL, Outcome::fail("honest-refused"));
        let blocked = judged(&RULES, Outcome::fail("all-blocked"));
        let findings = [judged(&TEXT, PASS), judged(&MARKDOWN, PASS), refused, blocked];
        let score = score(&findings, &empty());
        assert_eq!(score.raw, 48);
        assert_eq!(score.value, 35);
        let ids: Vec<&str> = score.caps.iter().map(|cap| cap.id).collect();
        assert_eq!(ids, ["robots-blocks-all", "honest-bot-refused"]);
        assert_eq!(fix_plan::steps(&empty(), &findings, &score)[0].lifts, Some(35));
    }

    #[test]
    fn a_high_score_without_an_affordance_is_readable() {
        let score = score(&[judged(&TEXT, PASS), judged(&LLMS, NOT_APPLICABLE)], &empty());
        assert_eq!((score.value, score.tier), (100, Tier::Readable));
        let (next, missing) = score.next.unwrap();
        assert_eq!(next, Tier::Ready);
        assert_eq!(missing, [TierRequirement::Affordances { required: 1, have: 0 }]);
    }

    #[test]
    fn native_wants_a_strong_affordance() {
        let weak = check("link-headers", 2, Effort::S);
        let weak: &'static Check = Box::leak(Box::new(weak));
        let ready =
            score(&[judged(&TEXT, PASS), judged(&LLMS, PASS), judged(weak, PASS)], &empty());
        assert_eq!(ready.tier, Tier::Ready);
        assert_eq!(ready.next, Some((Tier::Native, vec![TierRequirement::StrongAffordance])));
        let native =
            score(&[judged(&TEXT, PASS), judged(&LLMS, PASS), judged(&MARKDOWN, PASS)], &empty());
        assert_eq!((native.tier, native.next), (Tier::Native, None));
    }

    #[test]
    fn a_heavy_failure_keeps_a_site_readable() {
        let heavy = check("bot-wall", 8, Effort::S);
        let heavy: &'static Check = Box::leak(Box::new(heavy));
        let all = [
            judged(&TEXT, PASS),
            judged(&WALL, PASS),
            judged(&MARKDOWN, PASS),
            judged(heavy, FAIL),
        ];
        let scored = score(&all, &empty());
        assert_eq!((scored.value, scored.tier), (76, Tier::Readable));
        let (_, missing) = scored.next.unwrap();
        assert_eq!(missing, [TierRequirement::FailedCheck { check: "bot-wall" }]);
    }

    #[test]
    fn the_fix_plan_goes_by_points_for_the_effort() {
        let metadata: &'static Check =
            Box::leak(Box::new(check("page-metadata", MARKDOWN.weight, Effort::M)));
        let findings = [
            judged(&TEXT, FAIL),
            judged(&ROBOTS, WARN),
            judged(metadata, FAIL),
            judged(&LLMS, PASS),
        ];
        let now = score(&findings, &empty());
        let fixes = fix_plan::steps(&empty(), &findings, &now);
        // Points: 10/23, 2/23, 6/23; divided by 4, 1 and 2: 10.9, 8.7, 13.0.
        let order: Vec<(&str, u32)> = fixes.iter().map(|fix| (fix.check, fix.gain)).collect();
        assert_eq!(
            order,
            [("page-metadata", 261), ("content-without-js", 435), ("robots-txt", 87)]
        );
    }

    #[test]
    fn confidence_falls_with_the_weight_of_the_unknown() {
        // Unknown of what ran: 3 of 30, 4 of 30, 9 of 30, 10 of 30, and all of what was selected.
        let of = |unknown: &'static Check, rest: &[&'static Check]| {
            let rest = rest.iter().map(|check| judged(check, PASS));
            let all: Vec<EvaluatedCheck> =
                std::iter::once(judged(unknown, UNKNOWN)).chain(rest).collect();
            Confidence::from_checks(&all, &empty())
        };
        assert_eq!(of(&LLMS, &[&TEXT, &WALL, &RULES]), Confidence::High);
        assert_eq!(of(&LLMS, &[&TEXT, &WALL, &MARKDOWN]), Confidence::Medium, "3 of 28");
        assert_eq!(of(&WALL, &[&TEXT, &RULES, &LLMS]), Confidence::Medium);
        assert_eq!(of(&TEXT, &[&WALL, &RULES, &LLMS]), Confidence::Low, "10 of 30");
        assert_eq!(of(&ROBOTS, &[]), Confidence::Low);
        assert_eq!(Confidence::from_checks(&[judged(&TEXT, PASS)], &empty()), Confidence::High);
    }

    #[test]
    fn a_deadline_keeps_confidence_from_being_high() {
        let mut site = empty();
        let probe = Probe {
            resource: Resource::Sitemap,
            url: "https://example.com/sitemap.xml".parse().unwrap(),
            user_agent: String::new(),
            accept: String::new(),
            redirects: Redirects::Follow,
            max_body_bytes: 1,
        };
        site.record(probe, Err(FetchError::Deadline));
        assert_eq!(Confidence::from_checks(&[judged(&TEXT, PASS)], &site), Confidence::Medium);
    }
}
