//! Directives to crawlers without those that harm.

use crate::audit::page::AuditedPage;
use crate::audit::signal::{SnippetFix, SnippetLanguage};
use crate::page::directives::{Directive, DirectiveSource};
use crate::rubric::finding::Evidence;
use crate::rubric::fix::{Placement, ReplacedText};
use crate::text::escape;

/// Directives of one element or field that are kept.
const MAX_KEPT: usize = 50;
/// Elements or fields that a fix rewrites.
const MAX_REWRITTEN: usize = 5;

/// Whether a directive is for all crawlers or for those of the two indexes that answers are built on.
pub(super) fn is_for_engines(directive: &Directive) -> bool {
    matches!(directive.agent.as_deref(), None | Some("googlebot" | "bingbot" | "msnbot"))
}

/// The element or field that a directive is in, as it is written.
pub(super) fn evidence(page: &AuditedPage<'_>, directive: &Directive) -> Evidence {
    match directive.source {
        DirectiveSource::Meta { line, node } => {
            let name = directive.agent.as_deref().unwrap_or("robots");
            let quote = format!("<meta name=\"{name}\" content=\"{}\">", directive.raw);
            page.evidence(&quote, line, node)
        }
        DirectiveSource::Header => page.header("X-Robots-Tag", &directive.raw),
    }
}

/// The elements that hold harmful directives, else the fields, without these; `instead` takes their
/// place.
pub(super) fn fix(
    page: &AuditedPage<'_>,
    is_harmful: impl Fn(&Directive) -> bool,
    instead: &str,
) -> Option<SnippetFix> {
    let harmful: Vec<&Directive> =
        page.directives.iter().filter(|directive| is_harmful(directive)).collect();
    let is_meta = |directive: &&Directive| matches!(directive.source, DirectiveSource::Meta { .. });
    let is_in_page = harmful.iter().any(is_meta);
    let mut lines: Vec<(String, Option<ReplacedText>)> = Vec::new();
    for first in harmful.iter().filter(|directive| !is_in_page || is_meta(directive)) {
        let line = rewritten(page, first, &is_harmful, instead);
        let is_new = lines.iter().all(|(known, _)| *known != line);
        if is_new && lines.len() < MAX_REWRITTEN {
            lines.push((line, element(page, first)));
        }
    }
    if is_in_page && lines.iter().all(|(_, element)| element.is_some()) {
        let each = lines.into_iter().map(|(line, element)| SnippetFix::in_head(line, element));
        return each.reduce(SnippetFix::and);
    }
    let (placement, language) = if is_in_page {
        (Placement::InPlace, SnippetLanguage::Html)
    } else {
        (Placement::Server, SnippetLanguage::Http)
    };
    let lines: Vec<String> = lines.into_iter().map(|(line, _)| line).collect();
    (!lines.is_empty()).then(|| SnippetFix::new(placement, language, lines.join("\n")))
}

/// The element that a directive is in.
fn element(page: &AuditedPage<'_>, directive: &Directive) -> Option<ReplacedText> {
    match directive.source {
        DirectiveSource::Meta { line, .. } => {
            page.element(line, "meta", directive.agent.as_deref().unwrap_or("robots"))
        }
        DirectiveSource::Header => None,
    }
}

fn rewritten(
    page: &AuditedPage<'_>,
    first: &Directive,
    is_harmful: impl Fn(&Directive) -> bool,
    instead: &str,
) -> String {
    let together = page.directives.iter().filter(|other| {
        (other.source, &other.agent, &other.raw) == (first.source, &first.agent, &first.raw)
    });
    let mut kept: Vec<String> = together
        .filter(|directive| is_named(directive) && !is_harmful(directive))
        .map(as_written)
        .take(MAX_KEPT)
        .collect();
    for added in instead.split(", ").filter(|added| !added.is_empty()) {
        // What is there already is neither repeated nor contradicted.
        kept.retain(|known| name(known) != name(added));
        kept.push(added.to_owned());
    }
    let list = escape::html(&kept.join(", "));
    match (first.source, first.agent.as_deref()) {
        (DirectiveSource::Meta { .. }, agent) => {
            let name = escape::html(agent.unwrap_or("robots"));
            let list = if list.is_empty() { "index, follow".to_owned() } else { list };
            format!("<meta name=\"{name}\" content=\"{list}\">")
        }
        (DirectiveSource::Header, agent) => {
            let list = if list.is_empty() { "all".to_owned() } else { list };
            let agent = agent.map(|agent| format!("{agent}: ")).unwrap_or_default();
            format!("X-Robots-Tag: {agent}{list}")
        }
    }
}

/// Whether the name is made of what names are made of: anything else is not a directive.
fn is_named(directive: &Directive) -> bool {
    directive
        .name
        .split_whitespace()
        .all(|word| word.chars().all(|ch| ch.is_ascii_alphanumeric() || matches!(ch, '-' | '_')))
}

/// A directive with its white space collapsed.
fn as_written(directive: &Directive) -> String {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let value = directive.value.iter().map(|value| format!(":{}", words(value)));
    std::iter::once(words(&directive.name)).chain(value).collect()
}

fn name(written: &str) -> &str {
    written.split(':').next().unwrap_or(written)
}
