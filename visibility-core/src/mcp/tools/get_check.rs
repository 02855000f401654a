//! `get_check`: what a scan found for one check.

use crate::accounts::scope::Scope;
use crate::report::labels::{Labels, points};
use crate::scan::result::{CheckResult, EvidenceResult, ScanResult};
use crate::text::locale::{self, Catalog};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scan_domain::age;
use crate::mcp::host::Host;
use crate::mcp::input::{self, LangInput};
use crate::mcp::reply::{Reply, sentence};
use crate::mcp::tool::{Call, Tool, World};
use crate::mcp::tool_error::ToolError;
use crate::mcp::untrusted::{self, Untrusted};

/// Requests, and signals beside the one that decided.
const MAX_PIECES: usize = 10;

/// The tool.
pub(crate) struct GetCheck;

/// Its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Such as example.com.
    domain: String,
    /// Such as robots-txt.
    check_id: String,
    /// Language.
    #[serde(default)]
    lang: LangInput,
}

/// What it returns.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Output {
    cached: bool,
    id: String,
    status: String,
    points_lost: f64,
    why: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
    spec_url: String,
    /// What the members below are.
    note: String,
    summary: Untrusted,
    /// What else was seen, and the requests that showed it.
    evidence: Vec<Untrusted>,
    truncated: bool,
}

impl Tool for GetCheck {
    const NAME: &'static str = "get_check";
    const TITLE: &'static str = "Get a check";
    const DESCRIPTION: &'static str = "Show what a scan found for one check, why it matters and what to do. Use it for \
        ids from scan_domain.";
    const WORLD: World = World::Open;
    const SCOPE: Option<Scope> = Some(Scope::ScanRead);

    type Input = Input;
    type Output = Output;

    fn lang(input: &Input) -> locale::Lang {
        input.lang.into()
    }

    async fn call<H: Host>(call: Call<'_, H>, input: Input) -> Result<Reply<Output>, ToolError> {
        let check = input::check(&input.check_id)?;
        let domain = input::domain(&input.domain)?;
        let labels = Labels::new(input.lang.into());
        let result = call.scan(&domain, labels.lang()).await?;
        let found = result
            .checks
            .iter()
            .find(|one| one.id == check.id)
            .ok_or_else(|| input::not_judged(check))?;
        let output = output(&result, found, labels.catalog());
        let reply = Reply::new(output, move |output| markdown(output, &result, check.id, labels));
        Ok(reply.link_to_scan(&domain, labels).link_to_check(check.id, labels))
    }
}

fn output(result: &ScanResult, check: &CheckResult, catalog: &Catalog) -> Output {
    let seen = check
        .signals
        .iter()
        .skip(1)
        .take(MAX_PIECES)
        .map(|signal| Untrusted::quote(&signal.detail));
    let requests = check.evidence.iter().take(MAX_PIECES).map(request);
    Output {
        cached: result.cached,
        id: check.id.clone(),
        status: check.status.as_str().to_owned(),
        points_lost: check.points_lost(),
        why: check.why.clone(),
        fix: check.fix.as_ref().map(|fix| fix.hint.clone()),
        spec_url: check.specs.first().map(|spec| spec.url.clone()).unwrap_or_default(),
        note: untrusted::fields(&["summary", "evidence"], catalog),
        summary: Untrusted::quote(&check.summary),
        evidence: seen.chain(requests).collect(),
        truncated: check.evidence.len() > MAX_PIECES || check.signals.len() > MAX_PIECES + 1,
    }
}

/// A request, and what of its answer decided.
fn request(piece: &EvidenceResult) -> Untrusted {
    let mut parts = vec![format!("{} {}", piece.method, piece.url)];
    parts.extend(piece.status.map(|status| status.to_string()));
    parts.extend(piece.content_type.clone());
    parts.extend(piece.note.clone());
    parts.extend(piece.excerpt.clone());
    Untrusted::quote(&parts.join(" | "))
}

fn markdown(output: &Output, result: &ScanResult, check: &str, labels: Labels) -> String {
    let verdict = labels.catalog().text(&["verdicts", &output.status]);
    let lost = points(output.points_lost);
    let verdict = sentence(labels, "verdict", &[("verdict", &verdict), ("points", &lost)]);
    let mut text = format!(
        "**{} (`{}`)**: {}\n\n{verdict}\n{}\n{}\n",
        labels.catalog().text(&["checks", check, "title"]),
        output.id,
        result.domain,
        age(result, labels),
        sentence(labels, "why", &[("text", &output.why)])
    );
    if let Some(fix) = &output.fix {
        text.push_str(&format!("{}\n", sentence(labels, "fix", &[("text", fix)])));
    }
    text.push_str(&format!("{}\n\n", sentence(labels, "spec", &[("url", &output.spec_url)])));
    let lines: Vec<&str> =
        std::iter::once(&output.summary).chain(&output.evidence).map(Untrusted::as_str).collect();
    text.push_str(&untrusted::block(&lines.join("\n"), labels.catalog()));
    text
}
