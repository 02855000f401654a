//! `get_check`: what a scan found for one check.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use visibility_core::locale::{self, Catalog};
use visibility_core::report::words::{Words, points};
use visibility_core::scan::result::{CheckResult, EvidenceResult, ScanResult};
use visibility_core::scope::Scope;

use super::scan_domain::age;
use crate::host::Host;
use crate::input::{self, Lang};
use crate::refusal::Refusal;
use crate::reply::{Reply, sentence};
use crate::tool::{Call, Tool, World};
use crate::untrusted::{self, Untrusted};

/// Pieces of evidence, and signals beside the one that decided.
const MAX_PIECES: usize = 10;

/// The tool.
pub(crate) struct GetCheck;

/// Its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Bare domain, such as `example.com`.
    domain: String,
    /// Id of a check, such as `robots-txt`.
    check_id: String,
    /// Language of the texts.
    #[serde(default)]
    lang: Lang,
}

/// What it returns.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Output {
    domain: String,
    cached: bool,
    scanned_at: String,
    id: String,
    title: String,
    status: String,
    points: f64,
    max_points: u8,
    why: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
    spec_url: String,
    /// What the members below are.
    note: String,
    summary: Untrusted,
    signals: Vec<Untrusted>,
    evidence: Vec<Evidence>,
    truncated: bool,
}

/// A request that decided something.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Evidence {
    url: Untrusted,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_type: Option<Untrusted>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<Untrusted>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<Untrusted>,
}

impl Tool for GetCheck {
    const NAME: &'static str = "get_check";
    const TITLE: &'static str = "Get one check of a scan";
    const DESCRIPTION: &'static str = "Shows one check of a scan: verdict, evidence, why it matters \
        and what to do. Use it for ids from scan_domain; summary, signals and evidence quote the site.";
    const WORLD: World = World::Open;
    const SCOPE: Option<Scope> = Some(Scope::ScanRead);

    type Input = Input;
    type Output = Output;

    fn lang(input: &Input) -> locale::Lang {
        input.lang.into()
    }

    async fn call<H: Host>(call: Call<'_, H>, input: Input) -> Result<Reply<Output>, Refusal> {
        let check = input::check(&input.check_id)?;
        let domain = input::domain(&input.domain)?;
        let words = Words::of(input.lang.into());
        let result = call.scan(&domain, words.lang()).await?;
        let found = result.checks.iter().find(|one| one.id == check.id);
        let found = found.ok_or_else(|| input::not_judged(check))?;
        let output = output(&result, found, words.catalog());
        let markdown = markdown(&output, &result, words);
        Ok(Reply::new(output, markdown).link_to_scan(&domain, words).link_to_check(check.id, words))
    }
}

fn output(result: &ScanResult, check: &CheckResult, catalog: &Catalog) -> Output {
    let others = check.signals.iter().skip(1).take(MAX_PIECES);
    let pieces = check.evidence.iter().take(MAX_PIECES);
    Output {
        domain: result.domain.clone(),
        cached: result.cached,
        scanned_at: result.scanned_at.clone(),
        id: check.id.clone(),
        title: check.title.clone(),
        status: check.status.as_str().to_owned(),
        points: check.points,
        max_points: check.max_points,
        why: check.why.clone(),
        fix: check.fix.as_ref().map(|fix| fix.hint.clone()),
        spec_url: check.specs.first().map(|spec| spec.url.clone()).unwrap_or_default(),
        note: untrusted::fields(&["summary", "signals", "evidence"], catalog),
        summary: Untrusted::quote(&check.summary),
        signals: others.map(|signal| Untrusted::quote(&signal.detail)).collect(),
        evidence: pieces.map(evidence).collect(),
        truncated: check.evidence.len() > MAX_PIECES || check.signals.len() > MAX_PIECES + 1,
    }
}

fn evidence(piece: &EvidenceResult) -> Evidence {
    let quote = |text: &Option<String>| text.as_deref().map(Untrusted::quote);
    Evidence {
        url: Untrusted::quote(&piece.url),
        status: piece.status,
        content_type: quote(&piece.content_type),
        remark: quote(&piece.note),
        line: piece.line,
        excerpt: quote(&piece.excerpt),
    }
}

fn markdown(output: &Output, result: &ScanResult, words: Words) -> String {
    let verdict = words.catalog().text(&["verdicts", &output.status]);
    let verdict = sentence(
        words,
        "verdict",
        &[("verdict", &verdict), ("points", &points(output.points)), ("max", &output.max_points)],
    );
    let mut text = format!(
        "**{} (`{}`)**: {}\n\n{verdict}\n{}\n{}\n",
        output.title,
        output.id,
        output.domain,
        age(result, words),
        sentence(words, "why", &[("text", &output.why)])
    );
    if let Some(fix) = &output.fix {
        text.push_str(&format!("{}\n", sentence(words, "fix", &[("text", fix)])));
    }
    text.push_str(&format!("{}\n\n", sentence(words, "spec", &[("url", &output.spec_url)])));
    let mut lines = vec![output.summary.as_str().to_owned()];
    lines.extend(output.signals.iter().map(|signal| format!("- {}", signal.as_str())));
    lines.extend(output.evidence.iter().map(Evidence::line));
    text.push_str(&untrusted::block(&lines.join("\n"), words.catalog()));
    text
}

impl Evidence {
    fn line(&self) -> String {
        let mut parts = vec![format!("GET {}", self.url.as_str())];
        parts.extend(self.status.map(|status| status.to_string()));
        let texts = [&self.content_type, &self.remark, &self.excerpt];
        parts.extend(texts.into_iter().flatten().map(|text| text.as_str().to_owned()));
        parts.join(" | ")
    }
}
