//! An audit as tools return it: the score, and what to fix first.

use schemars::JsonSchema;
use serde::Serialize;
use visibility_core::audit::result::{AuditEvidenceResult, AuditFixResult, AuditResult};
use visibility_core::locale::{Catalog, Lang, Values};
use visibility_core::report::escape::{
    Place, markdown_block, markdown_code, markdown_sentence, printable,
};
use visibility_core::report::words::Words;

use crate::reply::Reply;
use crate::resources::Address;
use crate::untrusted::Untrusted;

/// Findings that are told; all of them are in the resource.
const MAX_FINDINGS: usize = 10;
/// Characters of a snippet that is told; a longer one is in the resource.
const MAX_SNIPPET_CHARS: usize = 600;

/// What the tools return.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Output {
    id: String,
    url: String,
    gpt_visibility_score: u8,
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<String>,
    summary: String,
    /// What limits the score, hardest first.
    caps: Vec<String>,
    findings: Vec<Finding>,
    truncated: bool,
}

/// Something to mend, and what it brings.
#[derive(Debug, JsonSchema, Serialize)]
struct Finding {
    signal: String,
    title: String,
    points: u8,
    effort: String,
    found: String,
    fix: String,
    /// What the page says there.
    #[serde(skip_serializing_if = "Option::is_none")]
    quote: Option<Untrusted>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<Untrusted>,
}

impl Finding {
    fn of(fix: &AuditFixResult, result: &AuditResult) -> Self {
        let signal = result.signals.iter().find(|signal| signal.id == fix.signal);
        let evidence = signal.map(|signal| signal.evidence.as_slice()).unwrap_or_default();
        let is_short = |snippet: &&String| snippet.chars().count() <= MAX_SNIPPET_CHARS;
        Self {
            signal: fix.signal.clone(),
            title: fix.title.clone(),
            points: fix.points,
            effort: fix.effort.as_str().to_owned(),
            found: signal.map(|signal| sentence(&signal.summary)).unwrap_or_default(),
            fix: sentence(&fix.hint),
            quote: quote(evidence),
            snippet: fix.snippet.as_ref().filter(is_short).map(|text| Untrusted::file(text).0),
        }
    }
}

/// What the first place that decided says.
fn quote(evidence: &[AuditEvidenceResult]) -> Option<Untrusted> {
    let quotes = evidence.iter().filter_map(|place| place.quote.as_deref());
    quotes.map(Untrusted::quote).find(|quote| !quote.as_str().is_empty())
}

/// A sentence of ours, in which values that the page chose may stand.
fn sentence(text: &str) -> String {
    printable(text).into_owned()
}

/// A result as tools return it, with the address of the whole.
pub(super) fn reply(result: &AuditResult, lang: Lang) -> Reply<Output> {
    let findings = result.fixes.iter().take(MAX_FINDINGS);
    let output = Output {
        id: result.id.clone(),
        url: result.url.clone(),
        gpt_visibility_score: result.gpt_visibility_score,
        status: result.status.as_str().to_owned(),
        profile: result.profile.as_ref().map(|profile| profile.id.as_str().to_owned()),
        summary: sentence(&result.summary),
        caps: result.gates.iter().map(|gate| sentence(&gate.text)).collect(),
        findings: findings.map(|fix| Finding::of(fix, result)).collect(),
        truncated: result.fixes.len() > MAX_FINDINGS,
    };
    let text = markdown(&output, result, lang);
    let name = Catalog::of(lang).text(&["mcp", "tool", "whole-audit"]);
    Reply::new(output, text).link(Address::audit(&result.id), name)
}

fn markdown(output: &Output, result: &AuditResult, lang: Lang) -> String {
    let words = Words::of(lang);
    let prose = |text: &str| markdown_sentence(text, Place::Start);
    let mut text = format!(
        "# {}\n\n**{} / 100** · {} · `{}`\n\n{}\n",
        markdown_code(&output.url, Place::Inline),
        output.gpt_visibility_score,
        words.status(result.status),
        output.id,
        prose(&output.summary)
    );
    for cap in &output.caps {
        text.push_str(&format!("> {}\n", prose(cap)));
    }
    for (index, finding) in output.findings.iter().enumerate() {
        text.push_str(&one(index + 1, finding, lang));
    }
    if output.truncated {
        let values = Values::from([
            ("shown", output.findings.len().to_string()),
            ("count", result.fixes.len().to_string()),
            ("uri", Address::audit(&output.id)),
        ]);
        let more = Catalog::of(lang).fill(&["mcp", "tool", "more-findings"], &values);
        text.push_str(&format!("\n{more}\n"));
    }
    text
}

fn one(number: usize, finding: &Finding, lang: Lang) -> String {
    let catalog = Catalog::of(lang);
    let values =
        Values::from([("points", finding.points.to_string()), ("effort", finding.effort.clone())]);
    let worth = catalog.fill(&["mcp", "tool", "worth"], &values);
    let prose = |text: &str| markdown_sentence(text, Place::Inline);
    let mut text = format!(
        "\n{number}. **{}** (`{}`, {worth}): {}\n   {}\n",
        prose(&finding.title),
        finding.signal,
        prose(&finding.found),
        prose(&finding.fix)
    );
    if let Some(quote) = &finding.quote {
        let note = catalog.text(&["mcp", "tool", "untrusted"]);
        text.push_str(&format!("   {note} {}\n", quote.code(Place::Inline)));
    }
    if let Some(snippet) = &finding.snippet {
        text.push_str(&format!("\n{}", markdown_block(snippet.as_str(), "")));
    }
    text
}
