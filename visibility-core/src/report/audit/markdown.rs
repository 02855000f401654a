//! An audit as Markdown: for job summaries, issues and chats.

mod several;

use crate::audit::result::{AuditEvidenceResult, AuditFixResult, AuditResult, AuditSignalResult};
pub use crate::report::audit::markdown::several::render as render_several;
use crate::report::audit::{self, is_open};
use crate::report::labels::{Labels, sign};
use crate::report::markdown::parts::{
    cell, explanation, folded, header, joined, link, paste, product_link, prose, row, start,
};
use crate::report::paste::audit_blocks;
use crate::report::product;
use crate::report::scale::Scale;
use crate::rubric::finding::Verdict;
use crate::text::escape::{MarkdownContext, markdown_code};

/// Renders a result in its own language.
pub fn render(result: &AuditResult) -> String {
    let labels = Labels::for_lang(&result.lang);
    let title = labels.audit_sentence("title", &[("url", &prose(&result.url))]);
    format!("# {title}\n\n{}", joined(sections(result)))
}

fn sections(result: &AuditResult) -> [String; 10] {
    let labels = Labels::for_lang(&result.lang);
    [
        head(result, labels),
        gates(result),
        fixes(result, labels),
        pillars(result, labels),
        signals(result, labels),
        information(result, labels),
        reading(result, labels),
        numbers(result, labels),
        standing(result, labels),
        foot(result, labels),
    ]
}

/// What is left out of what an engine reads, and by which rule.
fn reading(result: &AuditResult, labels: Labels) -> String {
    let Some(page) = result.page.as_ref().filter(|page| !page.dropped.is_empty()) else {
        return String::new();
    };
    let mut table = header(&[
        (&labels.audit("rule"), false),
        (&labels.audit("chars"), true),
        (&labels.audit("line"), true),
        (&labels.audit("text"), false),
    ]);
    for part in &page.dropped {
        table.push_str(&row(&[
            cell(&labels.drop_rule(&part.rule)),
            part.chars.to_string(),
            part.line.to_string(),
            cell(&part.text),
        ]));
    }
    format!("## {}\n{}", labels.audit("reading"), folded(&labels.audit("dropped"), &table))
}

/// Score, band, and how the visit came out.
fn head(result: &AuditResult, labels: Labels) -> String {
    let band = prose(&audit::band(result, labels));
    let mut text = format!("**{} / 100 · {band}**", result.gpt_visibility_score);
    if let Some(raw) = audit::before_gates(result, labels) {
        text.push_str(&format!(" · {}", prose(&raw)));
    }
    text.push_str(&format!("\n\n{}\n", start(&audit::status(result, labels))));
    text.push_str(&format!("\n{}\n", start(&result.summary)));
    if !result.status.has_page() {
        text.push_str(&format!("\n{}\n", start(&labels.status_meaning(result.status))));
    }
    if let Some(url) = result.final_url.as_ref().filter(|url| **url != result.url) {
        let code = markdown_code(url, MarkdownContext::Inline);
        text.push_str(&format!("\n{}\n", labels.audit_sentence("final", &[("url", &code)])));
    }
    text
}

fn gates(result: &AuditResult) -> String {
    let line = |text: &str| format!("> - {}\n", start(text));
    result.gates.iter().map(|cap| line(&cap.text)).collect()
}

/// Percentile, kind of page, coverage, and what a score cannot say.
fn standing(result: &AuditResult, labels: Labels) -> String {
    let mut text = String::new();
    if let (Some(line), Some(percentile)) = (audit::percentile(result, labels), &result.percentile)
    {
        text.push_str(&format!("- {}. {}\n", start(&line), prose(&percentile.note)));
    }
    if let Some(profile) = &result.profile {
        let kind = labels.audit_sentence("kind", &[("label", &profile.label)]);
        text.push_str(&format!("- {}. {}\n", start(&kind), prose(&profile.reason)));
    }
    if result.status.has_page() {
        text.push_str(&format!("- {}\n", start(&audit::coverage(result, labels))));
    }
    let gap = if text.is_empty() { "" } else { "\n" };
    format!("{text}{gap}{}\n", start(&result.disclaimer))
}

fn fixes(result: &AuditResult, labels: Labels) -> String {
    if !result.status.has_page() {
        return String::new();
    }
    let mut text = format!("## {}\n", labels.audit("fixes"));
    if result.fixes.is_empty() {
        text.push_str(&format!("\n{}\n", labels.audit("no-fixes")));
    }
    for (index, fix) in result.fixes.iter().enumerate() {
        text.push_str(&self::fix(index + 1, fix, result, labels));
    }
    text
}

fn fix(number: usize, fix: &AuditFixResult, result: &AuditResult, labels: Labels) -> String {
    let mut text = format!(
        "\n### {number}. {} ({}): {}\n\n{}\n",
        prose(&fix.title),
        prose(&fix.code),
        prose(&audit::gain(fix, result, labels)),
        start(&fix.hint)
    );
    let effort = labels.effort(fix.effort);
    text.push_str(&format!("\n{}: {}\n", labels.label("effort"), prose(&effort)));
    let needed = (&*labels.audit("needs-input"), fix.needs_input.as_slice());
    text.push_str(&paste(&audit_blocks(fix, labels), needed, fix.note.as_deref()));
    text
}

fn pillars(result: &AuditResult, labels: Labels) -> String {
    let scale = Scale::for_audit(result);
    let counted = result.pillars.iter().filter(|pillar| pillar.max_points > 0.0);
    let rows: String = counted
        .map(|one| row(&[cell(&one.title), scale.earned(one.points, one.max_points)]))
        .collect();
    if rows.is_empty() {
        return rows;
    }
    let head = header(&[(&labels.label("pillar"), false), (&labels.label("points"), true)]);
    let note = scale.division(labels).map_or_else(String::new, |division| {
        format!("\n{}\n", labels.sentence("division-note", &[("division", &division)]))
    });
    format!("## {}\n\n{head}{rows}{note}", labels.audit("pillars"))
}

/// What asks for work in full; the rest in tables that are closed.
fn signals(result: &AuditResult, labels: Labels) -> String {
    if result.signals.is_empty() {
        return String::new();
    }
    let scale = Scale::for_audit(result);
    let mut text = format!("## {}\n", labels.audit("signals"));
    for signal in result.signals.iter().filter(|signal| is_open(signal.status)) {
        text.push_str(&details(signal, scale, labels));
    }
    for (sentence, verdict) in [("passed", Verdict::Pass), ("not-counted", Verdict::NotApplicable)]
    {
        let members: Vec<&AuditSignalResult> =
            result.signals.iter().filter(|signal| signal.status == verdict).collect();
        if !members.is_empty() {
            let title = labels.sentence(sentence, &[("count", &members.len())]);
            text.push_str(&folded(&title, &table(&members, scale, labels)));
        }
    }
    text
}

fn table(members: &[&AuditSignalResult], scale: Scale, labels: Labels) -> String {
    let mut text = header(&[
        (&labels.audit("signal"), false),
        (&labels.label("verdict"), false),
        (&labels.label("points"), true),
        (&labels.audit("grade"), false),
        (&labels.label("finding"), false),
    ]);
    for signal in members {
        text.push_str(&row(&[
            format!(
                "{} ({})",
                cell(&signal.title),
                markdown_code(&signal.id, MarkdownContext::Cell)
            ),
            format!("{} {}", sign(signal.status), cell(&labels.verdict(signal.status))),
            earned(signal, scale),
            signal.grade.as_str().to_owned(),
            cell(&signal.summary),
        ]));
    }
    text
}

fn earned(signal: &AuditSignalResult, scale: Scale) -> String {
    match signal.credit {
        Some(_) => scale.earned(signal.points, signal.max_points),
        None => "–".to_owned(),
    }
}

fn details(signal: &AuditSignalResult, scale: Scale, labels: Labels) -> String {
    let grade = labels.grade(signal.grade);
    let mut text = format!(
        "\n### {} {} ({}, {}) · {}\n\n- {}\n",
        sign(signal.status),
        prose(&signal.title),
        markdown_code(&signal.id, MarkdownContext::Inline),
        prose(&signal.code),
        earned(signal, scale),
        start(&signal.summary)
    );
    for detail in &signal.details {
        let verdict = labels.verdict(detail.status);
        text.push_str(&format!("- {} ({})\n", start(&detail.text), prose(&verdict)));
    }
    for evidence in &signal.evidence {
        text.push_str(&format!("- {}\n", evidence_line(evidence, labels)));
    }
    if !signal.why.is_empty() {
        text.push_str(&format!("\n{}\n", start(&signal.why)));
    }
    let mut proof =
        vec![format!("{} {}: {}", labels.audit("grade"), signal.grade.as_str(), prose(&grade))];
    proof.extend(signal.sources.iter().filter_map(|source| link(&source.url)));
    proof.push(explanation(&product::signal_page(&signal.id), labels));
    text.push_str(&format!("\n{}\n", proof.join(" · ")));
    text
}

/// The text there, and where it is.
fn evidence_line(evidence: &AuditEvidenceResult, labels: Labels) -> String {
    let code = |text: &String| markdown_code(text, MarkdownContext::Inline);
    let mut parts: Vec<String> = evidence.quote.iter().map(code).collect();
    parts.extend(evidence.line.map(|line| labels.sentence("line", &[("line", &line)])));
    parts.extend(evidence.css.as_ref().map(code));
    parts.push(code(&evidence.url));
    parts.extend(audit::remark(evidence).map(prose));
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

fn information(result: &AuditResult, labels: Labels) -> String {
    if result.information.is_empty() {
        return String::new();
    }
    let mut text = format!("## {}\n\n", labels.audit("information"));
    for item in &result.information {
        text.push_str(&format!("- {}\n", start(&item.text)));
        for evidence in &item.evidence {
            text.push_str(&format!("  - {}\n", evidence_line(evidence, labels)));
        }
    }
    text
}

fn numbers(result: &AuditResult, labels: Labels) -> String {
    let numbers = audit::numbers(result, labels);
    if numbers.is_empty() {
        return String::new();
    }
    let lines: String =
        numbers.iter().map(|(label, value)| format!("- {label}: {}\n", prose(value))).collect();
    format!("## {}\n\n{lines}", labels.audit("page"))
}

fn foot(result: &AuditResult, labels: Labels) -> String {
    format!("---\n\n{} · {}\n", product_link(), prose(&audit::made(result, labels)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::audit::sample;
    use crate::report::markdown::tests::without_code;

    #[test]
    fn a_report_is_stable() {
        insta::assert_snapshot!("of_a_page", render(&sample::hostile()));
        insta::assert_snapshot!("of_no_page", render(&sample::refused()));
    }

    #[test]
    fn strangers_text_adds_neither_cells_nor_markup() {
        let text = render(&sample::hostile());
        for line in text.lines().filter(|line| line.starts_with("| ")) {
            let bars = line.matches('|').count() - line.matches("\\|").count();
            assert!(matches!(bars, 3 | 5 | 6), "{line}");
        }
        let mut fence = None;
        for line in text.lines() {
            let ticks = line.chars().take_while(|ch| *ch == '`').count();
            match fence {
                None if ticks >= 3 => fence = Some(ticks),
                None => assert!(!without_code(line).contains("<script>"), "{line}"),
                Some(open) if ticks == open && line.len() == open => fence = None,
                Some(_) => {}
            }
        }
        assert_eq!(fence, None);
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{0}']));
    }

    #[test]
    fn every_word_was_found() {
        for result in [sample::hostile(), sample::refused()] {
            let text = render(&result);
            for path in ["interface.", "audit.", "statuses.", "grades.", "{url}", "{score}"] {
                assert!(!text.contains(path), "{path}: {text}");
            }
        }
    }

    #[test]
    fn a_page_that_could_not_be_judged_has_a_reason_and_nothing_else() {
        let text = render(&sample::refused());
        assert!(text.contains("**0 / 100 · Engellendi**"), "{text}");
        assert!(text.contains("(HTTP 403)"), "{text}");
        for heading in ["## ", "%"] {
            assert!(!text.contains(heading), "{text}");
        }
    }

    #[test]
    fn the_score_before_gates_is_shown_only_where_a_gate_took_some_of_it() {
        let mut result = sample::hostile();
        assert!(
            render(&result)
                .contains("**35 / 100 · Weak** · 78 before caps; limited to 35 by nosnippet")
        );
        result.raw_score = Some(result.gpt_visibility_score);
        let text = render(&result);
        assert!(text.contains("**35 / 100 · Weak**\n") && !text.contains("raw "), "{text}");
    }

    #[test]
    fn without_fixes_the_report_says_that_there_is_nothing_to_change() {
        let mut result = sample::hostile();
        result.fixes.clear();
        assert!(render(&result).contains("There is nothing to change."));
    }
}
