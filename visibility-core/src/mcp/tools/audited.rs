//! An audit as tools return it: the score, and what to fix first.

use std::sync::Arc;

use crate::audit::result::{AuditFixResult, AuditResult, AuditSignalResult};
use crate::report::labels::Labels;
use crate::text::escape::{MarkdownContext, markdown_code, markdown_sentence, printable};
use crate::text::locale::{Catalog, Lang, Values};
use schemars::JsonSchema;
use serde::Serialize;

use crate::mcp::reply::Reply;
use crate::mcp::resources::ResourceUri;
use crate::mcp::untrusted::{self, Untrusted};

/// Findings that are listed; all of them are in the resource.
const MAX_FINDINGS: usize = 10;
/// Characters of a snippet that is repeated; a longer one is in the resource.
const MAX_SNIPPET_CHARS: usize = 600;

/// What the tools return.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Output {
    id: String,
    url: String,
    gpt_visibility_score: u8,
    status: String,
    summary: Untrusted,
    findings: Vec<Finding>,
    truncated: bool,
    note: String,
}

/// Something to fix, and its gain.
#[derive(Debug, JsonSchema, Serialize)]
struct Finding {
    signal: String,
    title: String,
    points: u8,
    effort: String,
    found: Untrusted,
    /// Ours: the values in it are names of properties that we know.
    fix: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<Untrusted>,
}

impl Finding {
    fn from_fix(fix: &AuditFixResult, result: &AuditResult) -> Self {
        let signal = result.signals.iter().find(|signal| signal.id == fix.signal);
        Self {
            signal: fix.signal.clone(),
            title: fix.title.clone(),
            points: fix.points,
            effort: fix.effort.as_str().to_owned(),
            found: signal.map(found).unwrap_or_default(),
            fix: printable(&fix.hint).into_owned(),
            snippet: fix
                .snippet
                .as_ref()
                .filter(|snippet| snippet.chars().count() <= MAX_SNIPPET_CHARS)
                .map(|text| Untrusted::file(text).0),
        }
    }
}

/// What was found, and what the first place that decided says.
fn found(signal: &AuditSignalResult) -> Untrusted {
    let mut quotes = signal.evidence.iter().filter_map(|place| place.quote.as_deref());
    match quotes.find(|quote| !quote.trim().is_empty()) {
        Some(quote) => Untrusted::quote(&format!("{} | {quote}", signal.summary)),
        None => Untrusted::quote(&signal.summary),
    }
}

/// How the visit came out, and what limits the score.
fn summary(result: &AuditResult) -> Untrusted {
    let limits = result.gates.iter().map(|gate| gate.text.as_str());
    // It may end with the hardest of them.
    let limits = limits.filter(|limit| !result.summary.contains(limit));
    let sentences: Vec<&str> = std::iter::once(result.summary.as_str()).chain(limits).collect();
    Untrusted::quote(&sentences.join(" "))
}

/// A result as tools return it, with the address of the whole.
pub(super) fn reply(result: Arc<AuditResult>, lang: Lang) -> Reply<Output> {
    let catalog = Catalog::for_lang(lang);
    let findings = result.fixes.iter().take(MAX_FINDINGS);
    let output = Output {
        id: result.id.clone(),
        url: result.url.clone(),
        gpt_visibility_score: result.gpt_visibility_score,
        status: result.status.as_str().to_owned(),
        summary: summary(&result),
        findings: findings.map(|fix| Finding::from_fix(fix, &result)).collect(),
        truncated: result.fixes.len() > MAX_FINDINGS,
        note: untrusted::fields(&["summary", "found", "snippet"], catalog),
    };
    let name = catalog.text(&["mcp", "tool", "whole-audit"]);
    let address = ResourceUri::audit(&result.id);
    Reply::new(output, move |output| markdown(output, &result, lang)).link(address, name)
}

fn markdown(output: &Output, result: &AuditResult, lang: Lang) -> String {
    let catalog = Catalog::for_lang(lang);
    let mut text = format!(
        "# {}\n\n**{} / 100** · {} · `{}`\n\n",
        markdown_code(&output.url, MarkdownContext::Inline),
        output.gpt_visibility_score,
        Labels::new(lang).status(result.status),
        output.id,
    );
    text.push_str(&untrusted::block(&seen(output), catalog));
    text.push('\n');
    for (index, (finding, found)) in output.findings.iter().zip(&result.fixes).enumerate() {
        let effort = Labels::new(lang).effort(found.effort);
        text.push_str(&fix(index + 1, finding, effort, catalog));
    }
    if output.truncated {
        let values = Values::from([
            ("shown", output.findings.len().to_string()),
            ("count", result.fixes.len().to_string()),
            ("uri", ResourceUri::audit(&output.id)),
        ]);
        let more = catalog.fill(&["mcp", "tool", "more-findings"], &values);
        text.push_str(&format!("\n{more}\n"));
    }
    text
}

/// What to do, and what it brings.
fn fix(number: usize, finding: &Finding, effort: String, catalog: &Catalog) -> String {
    let values = Values::from([("points", finding.points.to_string()), ("effort", effort)]);
    let worth = catalog.fill(&["mcp", "tool", "worth"], &values);
    let mut text = format!(
        "{number}. **{}** (`{}`, {worth}): {}\n",
        finding.title,
        finding.signal,
        markdown_sentence(&finding.fix, MarkdownContext::Inline)
    );
    if let Some(snippet) = &finding.snippet {
        text.push_str(&format!("\n{}\n", untrusted::block(snippet.as_str(), catalog)));
    }
    text
}

/// What was found, in sentences that hold values of the page, and the page's own text.
fn seen(output: &Output) -> String {
    let mut lines = vec![output.summary.as_str().to_owned()];
    let found = output.findings.iter().enumerate();
    lines.extend(found.map(|(index, one)| format!("{}. {}", index + 1, one.found.as_str())));
    lines.join("\n")
}
