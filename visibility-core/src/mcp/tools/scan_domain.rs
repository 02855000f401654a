//! `scan_domain`: how well agents can read a site, in short.

use std::collections::BTreeMap;

use crate::accounts::scope::Scope;
use crate::report::labels::{Labels, points, sign};
use crate::rubric::finding::Verdict;
use crate::scan::result::ScanResult;
use crate::text::locale;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::host::Host;
use crate::mcp::input::{self, LangInput};
use crate::mcp::reply::{Reply, label, sentence};
use crate::mcp::tool::{Call, Tool, World};
use crate::mcp::tool_error::ToolError;

/// Steps that are named: the rest is in the whole result.
const MAX_STEPS: usize = 5;

/// The tool.
pub(crate) struct ScanDomain;

/// Its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Such as example.com.
    domain: String,
    /// Language.
    #[serde(default)]
    lang: LangInput,
}

/// What it returns.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Output {
    domain: String,
    cached: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tier_label: Option<String>,
    confidence: String,
    scanned_at: String,
    expires_at: String,
    /// How many checks came out how.
    summary: CheckCounts,
    /// What limits the score.
    caps: Vec<String>,
    /// The checks that failed or warned.
    failed_checks: Vec<FailedCheck>,
    next_steps: Vec<NextStep>,
}

/// How many checks came out how: `passed`, `warned`, `failed`, `not_applicable` and `unknown`.
pub(crate) type CheckCounts = BTreeMap<&'static str, usize>;

/// A check that failed or warned.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct FailedCheck {
    id: String,
    title: String,
    status: String,
    points_lost: f64,
}

/// One step of the fix plan.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct NextStep {
    check_id: String,
    /// Points that this step alone adds, caps applied.
    points: f64,
    /// The same without caps.
    points_without_cap: f64,
    /// Whether to scan again after it, because what it brings to light was not seen.
    ends_in_scan: bool,
    is_promised: bool,
    hint: String,
}

impl Tool for ScanDomain {
    const NAME: &'static str = "scan_domain";
    const TITLE: &'static str = "Scan a domain";
    const DESCRIPTION: &'static str = "Score how well AI agents can find, read and use a site, with failed checks and \
        next steps. Use it first.";
    const WORLD: World = World::Open;
    const SCOPE: Option<Scope> = Some(Scope::ScanRead);

    type Input = Input;
    type Output = Output;

    fn lang(input: &Input) -> locale::Lang {
        input.lang.into()
    }

    async fn call<H: Host>(call: Call<'_, H>, input: Input) -> Result<Reply<Output>, ToolError> {
        let domain = input::domain(&input.domain)?;
        let labels = Labels::new(input.lang.into());
        let result = call.scan(&domain, labels.lang()).await?;
        let output = output(&result);
        Ok(Reply::new(output, move |_| markdown(&result, labels)).link_to_scan(&domain, labels))
    }
}

fn output(result: &ScanResult) -> Output {
    let failed = result.checks.iter().filter(|check| is_flawed(check.status));
    let steps = result.fix_plan.iter().take(MAX_STEPS);
    Output {
        domain: result.domain.clone(),
        cached: result.cached,
        score: result.score,
        tier: result.tier.clone(),
        tier_label: result.tier_label.clone(),
        confidence: result.confidence.clone(),
        scanned_at: result.scanned_at.clone(),
        expires_at: result.expires_at.clone(),
        summary: counts(result),
        caps: result.caps.iter().map(|cap| cap.text.clone()).collect(),
        failed_checks: failed
            .map(|check| FailedCheck {
                id: check.id.clone(),
                title: check.title.clone(),
                status: check.status.as_str().to_owned(),
                points_lost: check.points_lost(),
            })
            .collect(),
        next_steps: steps
            .map(|step| NextStep {
                check_id: step.check.clone(),
                points: step.points,
                points_without_cap: step.points_without_cap,
                ends_in_scan: step.ends_in_scan,
                is_promised: step.is_promised,
                hint: step.hint.clone(),
            })
            .collect(),
    }
}

/// The counts of a result.
pub(crate) fn counts(result: &ScanResult) -> CheckCounts {
    let names = ["passed", "warned", "failed", "not_applicable", "unknown"];
    let mut counts: CheckCounts = names.map(|name| (name, 0)).into();
    for check in &result.checks {
        let name = match check.status {
            Verdict::Pass => "passed",
            Verdict::Warn => "warned",
            Verdict::Fail => "failed",
            Verdict::NotApplicable => "not_applicable",
            Verdict::Unknown => "unknown",
        };
        *counts.entry(name).or_default() += 1;
    }
    counts
}

fn is_flawed(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Fail | Verdict::Warn)
}

/// Score and tier of a result in one line.
pub(crate) fn headline(result: &ScanResult, labels: Labels) -> String {
    let tier = result.tier_label.clone().unwrap_or_default();
    let score = result.score.map(|score| score.to_string());
    let id = if score.is_some() { "score" } else { "no-score" };
    sentence(
        labels,
        id,
        &[
            ("domain", &result.domain),
            ("score", &score.unwrap_or_default()),
            ("tier", &tier),
            ("confidence", &labels.confidence(&result.confidence)),
        ],
    )
}

/// When a result was made, and whether it was kept.
pub(crate) fn age(result: &ScanResult, labels: Labels) -> String {
    let id = if result.cached { "kept" } else { "scanned" };
    let times =
        [("scanned_at", &result.scanned_at as &dyn ToString), ("expires_at", &result.expires_at)];
    sentence(labels, id, &times)
}

fn markdown(result: &ScanResult, labels: Labels) -> String {
    let counts = counts(result);
    let values: Vec<(&'static str, &dyn ToString)> =
        counts.iter().map(|(name, count)| (*name, count as &dyn ToString)).collect();
    let counted = sentence(labels, "counts", &values);
    let mut text =
        format!("**{}**\n\n{}\n{counted}\n", headline(result, labels), age(result, labels));
    for cap in &result.caps {
        text.push_str(&format!("- {}\n", cap.text));
    }
    let failed: Vec<_> = result.checks.iter().filter(|check| is_flawed(check.status)).collect();
    if !failed.is_empty() {
        text.push_str(&format!("\n### {}\n", label(labels, "not-passed")));
    }
    for check in failed {
        let lost = points(check.points_lost());
        let lost = sentence(labels, "lost", &[("points", &lost)]);
        text.push_str(&format!(
            "- {} `{}` {} ({lost})\n",
            sign(check.status),
            check.id,
            check.title
        ));
    }
    if !result.fix_plan.is_empty() {
        text.push_str(&format!("\n### {}\n", label(labels, "next-steps")));
    }
    for (index, step) in result.fix_plan.iter().take(MAX_STEPS).enumerate() {
        let number = index + 1;
        let is_later = step.points <= 0.0 && step.points_without_cap > 0.0;
        let gain = if step.ends_in_scan || !step.is_promised {
            label(labels, "gain-unknown")
        } else if is_later {
            sentence(labels, "gain-later", &[("points", &points(step.points_without_cap))])
        } else {
            sentence(labels, "gain", &[("points", &points(step.points))])
        };
        text.push_str(&format!("{number}. `{}` ({gain}): {}\n", step.check, step.hint));
    }
    text
}
