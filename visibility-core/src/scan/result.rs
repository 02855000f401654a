//! The result of a scan as it is sent, in one language.

use serde::{Deserialize, Serialize};

use crate::agents::Purpose;
use crate::rubric::Effort;
use crate::rubric::finding::Verdict;
use crate::rubric::fix::{Edit, FixFile, Platform};
use crate::scan::check::{Category, Maturity};
use crate::scan::facts::access::{Access, AccessRule, Basis, Effective, ProbeResult};
#[cfg(feature = "openapi")]
use crate::scan::score::{Confidence, Tier};
use crate::scan::surface::Surface;
#[cfg(feature = "openapi")]
use crate::text::locale::Lang;

/// The result of a scan. Field names are stable; prose is in one language.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct ScanResult {
    /// Whether a stored result was served.
    pub cached: bool,
    /// The host that was scanned.
    pub domain: String,
    /// 0 to 100. The command line alone can leave checks out, and then there is none.
    #[cfg_attr(feature = "openapi", schema(value_type = u8, maximum = 100))]
    pub score: Option<u8>,
    /// `invisible`, `discoverable`, `readable`, `ready` or `native`, and `unknown` at low confidence:
    /// there with a score.
    #[cfg_attr(feature = "openapi", schema(value_type = Tier))]
    pub tier: Option<String>,
    /// The tier in the language of the result.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub tier_label: Option<String>,
    /// `high`, `medium` or `low`: how much could be seen.
    #[cfg_attr(feature = "openapi", schema(value_type = Confidence))]
    pub confidence: String,
    /// Version of the rules, such as `2026.11`.
    pub rubric_version: String,
    /// `en` or `tr`.
    #[cfg_attr(feature = "openapi", schema(value_type = Lang))]
    pub lang: String,
    /// When the scan began, RFC 3339.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub scanned_at: String,
    /// Until when a cache may serve it, RFC 3339.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub expires_at: String,
    /// What kind of site it is.
    pub profile: ProfileResult,
    /// What the site runs on, as far as its answers show it; the files of fixes are written for it.
    #[serde(default)]
    pub platform: Platform,
    /// Points by category.
    pub categories: Vec<CategoryResult>,
    /// The 21 checks; from the command line, those that were asked for.
    pub checks: Vec<CheckResult>,
    /// The 27 agents.
    pub agents: Vec<AgentResult>,
    /// What limits the score, hardest first.
    pub caps: Vec<CapResult>,
    /// What the next tier wants; null at the top.
    pub next_tier: Option<NextTier>,
    /// What to fix: first what lifts a cap, then best value first.
    pub fix_plan: Vec<FixPlanItem>,
    /// What all steps of the plan that are promised write, made at once: each file with all that goes into it, and what
    /// the steps make necessary together.
    #[serde(default)]
    pub plan_files: Vec<PlanFileResult>,
    /// The score with all steps of the plan that are promised made at once; null without such a step, and where one of
    /// them brings to light what no scan has seen.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(maximum = 100))]
    pub plan_score: Option<u8>,
    /// Unscored.
    pub observations: Vec<ObservationResult>,
    /// What the scan cost.
    pub requests: RequestCount,
}

/// What kind of site it is, and why.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct ProfileResult {
    /// Surfaces, in order.
    pub surfaces: Vec<Surface>,
    /// Why.
    pub reasons: Vec<ReasonResult>,
}

/// Why a surface was found.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct ReasonResult {
    /// The surface.
    pub surface: Surface,
    /// The sign.
    pub text: String,
}

/// The points of one category.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct CategoryResult {
    /// The category.
    pub id: Category,
    /// Its name.
    pub title: String,
    /// Sum of the weights of its checks.
    pub weight: u32,
    /// Weights earned: half a weight for a warning.
    pub points: f64,
    /// Weights that could be earned here: those of the checks that passed, warned or failed.
    pub max_points: u32,
    /// `points` as a share of the score: points of 100, to a hundredth, before caps. 0 without a score.
    #[serde(default)]
    pub score_points: f64,
    /// `max_points` as a share of the score. Those of all categories add up to 100.
    #[serde(default)]
    pub max_score_points: f64,
}

/// One check.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct CheckResult {
    /// Stable id.
    pub id: String,
    /// Its category.
    pub category: Category,
    /// Its name.
    pub title: String,
    /// The verdict.
    pub status: Verdict,
    /// Its weight; those of all checks add up to 100.
    pub weight: u8,
    /// 1, 0.5 or 0; null when the check does not count.
    pub credit: Option<f64>,
    /// Weight earned: all of it, half of it for a warning, or 0.
    pub points: f64,
    /// Weight that could be earned: 0 when the check does not count.
    pub max_points: u8,
    /// `points` as a share of the score: points of 100, to a hundredth, before caps. 0 without a score.
    #[serde(default)]
    pub score_points: f64,
    /// `max_points` as a share of the score. Those of all checks add up to 100.
    #[serde(default)]
    pub max_score_points: f64,
    /// How settled its standard is.
    pub maturity: Maturity,
    /// Why it concerns the site, or why not.
    pub applies_because: String,
    /// Why it matters.
    pub why: String,
    /// What was found, in a sentence.
    pub summary: String,
    /// What was seen; the first one decided.
    pub signals: Vec<SignalResult>,
    /// The requests and lines that decided.
    pub evidence: Vec<EvidenceResult>,
    /// How to fix it; null when there is nothing to fix.
    pub fix: Option<FixResult>,
    /// Names from other lists of what agents look for, for what it looks at.
    #[serde(default)]
    pub covers: Vec<String>,
    /// The documents behind it.
    pub specs: Vec<SpecResult>,
}

impl CheckResult {
    /// What it costs, as a share of the score: points of 100, to a hundredth, before caps.
    pub fn points_lost(&self) -> f64 {
        let lost = self.max_score_points - self.score_points;
        (100.0 * lost).round() / 100.0
    }
}

/// One signal of a check.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct SignalResult {
    /// Stable id, unique within the check.
    pub id: String,
    /// What it means.
    pub status: Verdict,
    /// What was seen.
    pub detail: String,
}

/// A request that decided something, and what of its answer did.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct EvidenceResult {
    /// Always `GET`.
    pub method: String,
    /// The address.
    pub url: String,
    /// Status code.
    pub status: Option<u16>,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// Bytes of the body.
    pub bytes: Option<usize>,
    /// Milliseconds.
    pub ms: Option<u32>,
    /// A technical remark; never translated.
    pub note: Option<String>,
    /// The site's own text; untrusted.
    pub excerpt: Option<String>,
    /// Line of the body, counted from 1.
    #[serde(default)]
    pub line: Option<usize>,
}

/// How to fix something.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct FixResult {
    /// What to do.
    pub hint: String,
    /// Something to paste.
    pub snippet: Option<String>,
    /// The same as files, each with its place, for the platform of the site.
    #[serde(default)]
    pub files: Vec<FixFile>,
    /// What to change, whatever the site runs on; the files are made of it.
    #[serde(default)]
    pub edits: Vec<Edit>,
    /// Placeholders in the files that a person has to fill: what the site does not say.
    #[serde(default)]
    pub needs_input: Vec<String>,
    /// What to know before pasting: what has to exist first, or that a fix was not tried.
    #[serde(default)]
    pub note: Option<String>,
    /// Pages of the vendor that say what the files do on the platform of the site.
    #[serde(default)]
    pub pages: Vec<String>,
    /// A text to hand to a coding agent.
    pub prompt: String,
    /// The page to read.
    #[cfg_attr(feature = "openapi", schema(format = "uri"))]
    pub docs_url: String,
}

/// A document behind a check.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct SpecResult {
    /// Its name.
    pub name: String,
    /// Where it stands.
    #[cfg_attr(feature = "openapi", schema(format = "uri"))]
    pub url: String,
}

/// One row of the access matrix.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct AgentResult {
    /// Stable id such as `openai-gptbot`.
    pub id: String,
    /// Name as the vendor writes it.
    pub name: String,
    /// Who runs it.
    pub vendor: String,
    /// What it is for.
    pub purpose: Purpose,
    /// What robots.txt allows.
    pub access: Access,
    /// What that was read from.
    pub basis: Basis,
    /// The lines that decided.
    pub rule: Option<AccessRule>,
    /// Whether robots.txt is only advice to it.
    pub advisory: bool,
    /// How its vendor documents that it differs from RFC 9309 here; null where it does not.
    #[serde(default)]
    pub note: Option<String>,
    /// Page directives that concern it.
    pub page: Vec<String>,
    /// Usage preferences that concern it.
    pub usage: Vec<String>,
    /// Paths that were tested.
    pub paths: Vec<PathResult>,
    /// What a request under its name met.
    pub probe: ProbeResult,
    /// All of it together.
    pub effective: Effective,
    /// What blocking it costs; empty where it is not known whether it gets in.
    pub impact: String,
}

/// A path that was tested for an agent.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct PathResult {
    /// The path.
    pub path: String,
    /// Whether robots.txt allows it.
    pub allowed: bool,
}

/// Something that limits the score.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct CapResult {
    /// Stable id.
    pub id: String,
    /// The highest score that remains possible.
    #[cfg_attr(feature = "openapi", schema(maximum = 100))]
    pub limit: u8,
    /// Why.
    pub text: String,
}

/// What the next tier wants.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct NextTier {
    /// The tier.
    #[cfg_attr(feature = "openapi", schema(value_type = Tier))]
    pub tier: String,
    /// Its label.
    pub label: String,
    /// What is missing, in sentences.
    pub missing: Vec<String>,
}

/// One step of the fix plan.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct FixPlanItem {
    /// The check.
    pub check: String,
    /// Its name.
    pub title: String,
    /// Points that this step alone adds to the score, caps applied: 0 where a cap holds the score that
    /// another step lifts. A share of 100, to a tenth.
    pub points: f64,
    /// The same without caps: what the step is worth once they are lifted.
    #[serde(default)]
    pub points_without_cap: f64,
    /// How much work it usually is: `S`, `M` or `L`.
    pub effort: Effort,
    /// The limit of the cap that it lifts, if any.
    pub lifts_cap: Option<u8>,
    /// What to do.
    pub hint: String,
    /// The score after this step alone, caps applied.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(maximum = 100))]
    pub score_after: u8,
    /// The tier after this step alone.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Tier))]
    pub tier_after: String,
    /// What becomes necessary because of this step, and is part of it.
    #[serde(default)]
    pub includes: Vec<FollowUp>,
    /// Ids of other checks that earn more by this step; `points` counts them in.
    #[serde(default)]
    pub raises: Vec<String>,
    /// Whether to scan again after this step: what it brings to light was not seen, so that `points` is 0
    /// and nothing is promised. Such a step is the last one.
    #[serde(default)]
    pub ends_in_scan: bool,
    /// Whether a gain is promised: what the fix does on the platform of the site was tried, or the vendor
    /// documents it. Where not, the step is advice, and `points` is 0.
    #[serde(default = "yes")]
    pub is_promised: bool,
}

/// Earlier results promised a gain for every step.
fn yes() -> bool {
    true
}

/// A further check that a step of the fix plan has to satisfy, because the step makes it apply.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct FollowUp {
    /// The check.
    pub check: String,
    /// Its name.
    pub title: String,
    /// What to do.
    pub hint: String,
}

/// A file of the whole plan, or a piece for one that was not read.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct PlanFileResult {
    /// The file, or the piece and its place.
    pub file: FixFile,
    /// Ids of the checks that it is for.
    pub checks: Vec<String>,
    /// Whether it is the whole file: a new one, or one with all that the scan read of it.
    pub is_whole: bool,
}

/// Something unscored.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct ObservationResult {
    /// Stable id.
    pub id: String,
    /// What was seen.
    pub text: String,
    /// Where.
    pub url: Option<String>,
}

/// What a scan cost.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct RequestCount {
    /// Probes that were sent.
    pub count: usize,
    /// Redirects that were followed beside them.
    pub hops: usize,
    /// Milliseconds of all probes added up, as they ran beside each other.
    pub ms: u64,
}
