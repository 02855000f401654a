//! `compare_domains`: the checks of a few sites side by side.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::accounts::scope::Scope;
use crate::error::{ErrorCode, Problem};
use crate::fetch::domain::Domain;
use crate::report::labels::{Labels, sign};
use crate::rubric::finding::Verdict;
use crate::scan::checks::CHECKS;
use crate::scan::result::ScanResult;
use crate::text::locale::Lang;
use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scan_domain::{CheckCounts, counts};
use crate::mcp::host::Host;
use crate::mcp::input::{self, LangInput};
use crate::mcp::reply::{Reply, label};
use crate::mcp::tool::{Call, Tool, World, scanning};
use crate::mcp::tool_error::ToolError;

const MIN_DOMAINS: usize = 2;
const MAX_DOMAINS: usize = 5;
/// The status of a check of a site without a result.
const NO_RESULT: &str = "error";

/// The tool.
pub(crate) struct CompareDomains;

/// Its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Such as example.com and example.org.
    #[schemars(length(min = 2, max = 5))]
    domains: Vec<String>,
    /// Language.
    #[serde(default)]
    lang: LangInput,
}

/// What it returns.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Output {
    /// The sites, in the order in which they were given.
    domains: Vec<DomainRow>,
    /// The verdicts of each check, in the order of the sites.
    checks: BTreeMap<&'static str, Vec<&'static str>>,
}

/// One site.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct DomainRow {
    domain: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cached: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<CheckCounts>,
    /// Why there is no result.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_s: Option<u64>,
}

type Scanned = Result<Arc<ScanResult>, ToolError>;

impl Tool for CompareDomains {
    const NAME: &'static str = "compare_domains";
    const TITLE: &'static str = "Compare domains";
    const DESCRIPTION: &'static str =
        "Compare the scores and checks of 2 to 5 sites side by side. Use it for competitors.";
    const WORLD: World = World::Open;
    const SCOPE: Option<Scope> = Some(Scope::ScanRead);

    type Input = Input;
    type Output = Output;

    fn lang(input: &Input) -> Lang {
        input.lang.into()
    }

    async fn call<H: Host>(call: Call<'_, H>, input: Input) -> Result<Reply<Output>, ToolError> {
        let domains = domains(&input.domains)?;
        let labels = Labels::new(input.lang.into());
        let scans = domains.iter().map(|domain| call.host.scan(call.caller, domain, labels.lang()));
        // One counter for all of them: progress under one token must grow.
        let names: Vec<&str> = domains.iter().map(Domain::as_str).collect();
        let what = scanning(&names.join(", "), labels.lang());
        let scanned: Vec<Scanned> = call.progress.during(&what, join_all(scans)).await;
        if scanned.iter().all(Result::is_err)
            && let Some(Err(error)) = scanned.first()
        {
            return Err(error.clone());
        }
        let output = output(&domains, &scanned, labels.lang());
        let found: Vec<Domain> = domains
            .iter()
            .zip(&scanned)
            .filter(|(_, scanned)| scanned.is_ok())
            .map(|(domain, _)| domain.clone())
            .collect();
        let reply = Reply::new(output, move |output| markdown(output, &domains, &scanned, labels));
        Ok(found.iter().fold(reply, |reply, domain| reply.link_to_scan(domain, labels)))
    }
}

/// The domains of an argument: as many as it takes, and none of them twice.
fn domains(texts: &[String]) -> Result<Vec<Domain>, ToolError> {
    if !(MIN_DOMAINS..=MAX_DOMAINS).contains(&texts.len()) {
        let problem = Problem::new(ErrorCode::InvalidRequest, "mcp-domains")
            .value("count", texts.len())
            .value("min", MIN_DOMAINS)
            .value("max", MAX_DOMAINS);
        return Err(problem.into());
    }
    let mut domains: Vec<Domain> = Vec::new();
    for text in texts {
        let domain = input::domain(text)?;
        if domains.contains(&domain) {
            let problem =
                Problem::new(ErrorCode::InvalidRequest, "mcp-domain-twice").value("domain", domain);
            return Err(problem.into());
        }
        domains.push(domain);
    }
    Ok(domains)
}

fn output(domains: &[Domain], scanned: &[Scanned], lang: Lang) -> Output {
    let rows = domains.iter().zip(scanned).map(|(domain, scanned)| match scanned {
        Ok(result) => DomainRow::from_result(result),
        Err(error) => DomainRow::without_result(domain, error, lang),
    });
    let checks = CHECKS.iter().map(|check| {
        let statuses = scanned.iter().map(|scanned| match verdict(scanned, check.id) {
            Some(verdict) => verdict.as_str(),
            None => NO_RESULT,
        });
        (check.id, statuses.collect())
    });
    Output { domains: rows.collect(), checks: checks.collect() }
}

fn verdict(scanned: &Scanned, check: &str) -> Option<Verdict> {
    let result = scanned.as_ref().ok()?;
    result.checks.iter().find(|one| one.id == check).map(|one| one.status)
}

impl DomainRow {
    fn from_result(result: &ScanResult) -> Self {
        Self {
            domain: result.domain.clone(),
            cached: Some(result.cached),
            score: result.score,
            tier: result.tier.clone(),
            summary: Some(counts(result)),
            error: None,
            retry_after_s: None,
        }
    }

    fn without_result(domain: &Domain, error: &ToolError, lang: Lang) -> Self {
        Self {
            domain: domain.to_string(),
            cached: None,
            score: None,
            tier: None,
            summary: None,
            error: Some(error.render(lang).0),
            retry_after_s: error.retry_after_s(),
        }
    }
}

fn markdown(output: &Output, domains: &[Domain], scanned: &[Scanned], labels: Labels) -> String {
    let names: Vec<&str> = domains.iter().map(Domain::as_str).collect();
    let scores = output.domains.iter().map(|row| match (row.score, &row.tier) {
        (Some(score), Some(tier)) => format!("{score} ({})", labels.tier(tier)),
        _ if row.error.is_some() => label(labels, "failed"),
        _ => labels.label("no-score"),
    });
    let mut text = format!(
        "| {} | {} |\n|---|{}\n| {} | {} |\n",
        labels.label("check"),
        names.join(" | "),
        "---|".repeat(names.len()),
        labels.label("score"),
        scores.collect::<Vec<_>>().join(" | ")
    );
    for check in CHECKS {
        let signs = scanned
            .iter()
            .map(|scanned| verdict(scanned, check.id).map_or("", sign))
            .collect::<Vec<_>>()
            .join(" | ");
        text.push_str(&format!("| `{}` | {signs} |\n", check.id));
    }
    let legend =
        [Verdict::Pass, Verdict::Warn, Verdict::Fail, Verdict::NotApplicable, Verdict::Unknown]
            .map(|verdict| format!("{} {}", sign(verdict), labels.verdict(verdict)));
    text.push_str(&format!("\n{}\n", legend.join(", ")));
    for row in &output.domains {
        if let Some(error) = &row.error {
            text.push_str(&format!("- {}: {error}\n", row.domain));
        }
    }
    text
}
