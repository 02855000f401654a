//! A report as Markdown: for job summaries, issues and chats.

pub(super) mod parts;

use crate::finding::Verdict;
use crate::report::escape::{Place, markdown_block, markdown_code};
use crate::report::markdown::parts::{cell, header, joined, link, prose, row, start};
use crate::report::words::{Words, points, sign};
use crate::scan::check::Category;
use crate::scan::result::{
    AgentResult, CategoryResult, CheckResult, EvidenceResult, FixResult, ScanResult,
};

/// Renders a result in its own language.
pub fn render(result: &ScanResult) -> String {
    let words = Words::for_result(result);
    joined([
        head(result, words),
        held_down(result, words),
        fix_plan(result, words),
        checks(result, words),
        agents(result, words),
        observations(result, words),
        foot(result, words),
    ])
}

fn head(result: &ScanResult, words: Words) -> String {
    let domain = prose(&result.domain);
    let title = words.sentence("title", &[("domain", &domain)]);
    let level = words.confidence(&result.confidence);
    let verdict = match (result.score, &result.tier) {
        (Some(score), Some(tier)) => {
            let label = result.tier_label.clone().unwrap_or_else(|| words.tier(tier));
            format!("**{score} / 100 · {}**", prose(&label))
        }
        _ => format!("**{}**", words.label("no-score")),
    };
    let confidence = words.sentence("confidence", &[("level", &prose(&level))]);
    let surfaces: Vec<String> =
        result.profile.surfaces.iter().map(|surface| words.surface(*surface)).collect();
    let profile = words.sentence("profile", &[("surfaces", &surfaces.join(", "))]);
    format!("# {title}\n\n{verdict} · {confidence} · {profile}\n")
}

/// What limits the score, and what the next tier wants.
fn held_down(result: &ScanResult, words: Words) -> String {
    let mut text = String::new();
    for cap in &result.caps {
        text.push_str(&format!("> {}\n", start(&cap.text)));
    }
    if let Some(next) = &result.next_tier {
        let heading = words.sentence("next-tier", &[("label", &prose(&next.label))]);
        text.push_str(&format!("{}**{heading}**\n\n", if text.is_empty() { "" } else { "\n" }));
        for missing in &next.missing {
            text.push_str(&format!("- {}\n", start(missing)));
        }
    }
    text
}

fn fix_plan(result: &ScanResult, words: Words) -> String {
    if result.fix_plan.is_empty() {
        return String::new();
    }
    let mut text = format!("## {}\n\n", words.label("fix-plan"));
    text.push_str(&header(&[
        (&words.label("check"), false),
        (&words.label("points"), true),
        (&words.label("effort"), false),
        (&words.label("what-to-do"), false),
    ]));
    for item in &result.fix_plan {
        text.push_str(&row(&[
            cell(&item.title),
            format!("+{}", points(item.points)),
            cell(&words.effort(item.effort)),
            cell(&item.hint),
        ]));
    }
    text
}

fn checks(result: &ScanResult, words: Words) -> String {
    let mut text = format!("## {}\n", words.label("checks"));
    for category in &result.categories {
        let members: Vec<&CheckResult> =
            result.checks.iter().filter(|check| check.category == category.id).collect();
        if members.is_empty() {
            continue;
        }
        text.push_str(&category_table(category, &members, words));
        for check in members.iter().filter(|check| is_open(check.status)) {
            text.push_str(&details(check, words));
        }
    }
    text
}

fn category_table(category: &CategoryResult, members: &[&CheckResult], words: Words) -> String {
    let title = title_of(category.id, &category.title, words);
    let mut text = format!(
        "\n### {} ({} / {})\n\n",
        prose(&title),
        points(category.points),
        category.max_points
    );
    text.push_str(&header(&[
        (&words.label("check"), false),
        (&words.label("verdict"), false),
        (&words.label("points"), true),
        (&words.label("finding"), false),
    ]));
    for check in members {
        text.push_str(&row(&[
            cell(&check.title),
            format!("{} {}", sign(check.status), cell(&words.verdict(check.status))),
            earned(check),
            cell(&check.summary),
        ]));
    }
    text
}

fn title_of(id: Category, title: &str, words: Words) -> String {
    if title.is_empty() { words.category(id) } else { title.to_owned() }
}

fn earned(check: &CheckResult) -> String {
    match check.credit {
        Some(_) => format!("{} / {}", points(check.points), check.max_points),
        None => "–".to_owned(),
    }
}

fn is_open(status: Verdict) -> bool {
    matches!(status, Verdict::Fail | Verdict::Warn | Verdict::Unknown)
}

fn details(check: &CheckResult, words: Words) -> String {
    let mut text = format!(
        "\n#### {} {} ({})\n\n",
        sign(check.status),
        prose(&check.title),
        markdown_code(&check.id, Place::Inline)
    );
    for signal in &check.signals {
        let verdict = words.verdict(signal.status);
        text.push_str(&format!("- {} ({})\n", start(&signal.detail), prose(&verdict)));
    }
    for evidence in &check.evidence {
        text.push_str(&format!("- {}\n", evidence_line(evidence)));
    }
    if !check.why.is_empty() {
        text.push_str(&format!("\n{}\n", start(&check.why)));
    }
    if let Some(fix) = &check.fix {
        text.push_str(&fix_text(fix, words));
    }
    text
}

fn fix_text(fix: &FixResult, words: Words) -> String {
    let mut text = format!("\n**{}** {}\n", words.label("fix"), prose(&fix.hint));
    if let Some(snippet) = &fix.snippet {
        text.push_str(&format!("\n{}", markdown_block(snippet, "")));
    }
    if let Some(link) = link(&fix.docs_url) {
        text.push_str(&format!("\n{link}\n"));
    }
    text
}

/// The request as code, and beside it what came of it.
fn evidence_line(evidence: &EvidenceResult) -> String {
    let request = format!("{} {}", evidence.method, evidence.url);
    let mut parts = vec![markdown_code(&request, Place::Inline)];
    parts.extend(evidence.status.map(|status| status.to_string()));
    parts.extend(evidence.content_type.as_ref().map(|t| markdown_code(t, Place::Inline)));
    parts.extend(evidence.note.as_ref().map(|note| prose(note)));
    parts.extend(evidence.excerpt.as_ref().map(|text| markdown_code(text, Place::Inline)));
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

fn agents(result: &ScanResult, words: Words) -> String {
    if result.agents.is_empty() {
        return String::new();
    }
    let mut text = format!("## {}\n\n", words.label("agents"));
    text.push_str(&header(&[
        (&words.label("agent"), false),
        (&words.label("purpose"), false),
        ("robots.txt", false),
        (&words.label("rule"), false),
        (&words.label("probe"), false),
        (&words.label("result"), false),
    ]));
    for agent in &result.agents {
        text.push_str(&row(&[
            format!("{} ({})", cell(&agent.name), cell(&agent.vendor)),
            cell(&words.purpose(agent.purpose)),
            format!("{}{}", cell(&words.access(agent.access)), advisory(agent)),
            rule(agent, words),
            cell(&words.probe(agent.probe.verdict)),
            cell(&words.effective(agent.effective)),
        ]));
    }
    if result.agents.iter().any(|agent| agent.advisory) {
        text.push_str(&format!("\n\\* {}\n", words.label("advisory-note")));
    }
    text
}

fn advisory(agent: &AgentResult) -> &'static str {
    if agent.advisory { "\\*" } else { "" }
}

fn rule(agent: &AgentResult, words: Words) -> String {
    let Some(rule) = &agent.rule else { return cell(&words.basis(agent.basis)) };
    let place = |line: usize| cell(&words.sentence("line", &[("line", &line)]));
    if let (Some(text), Some(line)) = (&rule.text, rule.line) {
        return format!("{} ({})", markdown_code(text, Place::Cell), place(line));
    }
    format!("{} ({})", cell(&words.basis(agent.basis)), place(rule.group_line))
}

fn observations(result: &ScanResult, words: Words) -> String {
    if result.observations.is_empty() {
        return String::new();
    }
    let mut text = format!("## {}\n\n", words.label("observations"));
    for observation in &result.observations {
        let url = observation.url.as_deref().unwrap_or_default();
        let code = markdown_code(url, Place::Inline);
        let gap = if code.is_empty() { "" } else { " · " };
        text.push_str(&format!("- {}{gap}{code}\n", start(&observation.text)));
    }
    text
}

fn foot(result: &ScanResult, words: Words) -> String {
    let made = words.sentence(
        "made",
        &[("rubric", &prose(&result.rubric_version)), ("time", &prose(&result.scanned_at))],
    );
    format!("---\n\n{made} · {}\n", words.cost(result))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_report_is_stable() {
        insta::assert_snapshot!(render(&sample::hostile()));
    }

    #[test]
    fn strangers_text_adds_neither_cells_nor_markup() {
        let text = render(&sample::hostile());
        for line in text.lines().filter(|line| line.starts_with("| ") && line.contains("wired")) {
            let bars = line.matches('|').count() - line.matches("\\|").count();
            assert!(matches!(bars, 5 | 7), "{line}");
        }
        let mut fenced = false;
        for line in text.lines() {
            if line.starts_with("````") {
                fenced = !fenced;
                continue;
            }
            assert!(fenced || !without_code(line).contains("<script>"), "{line}");
        }
        assert!(!text.contains(['\u{1b}', '\u{202e}']));
    }

    /// A line without its code spans, as section 6.1 of `CommonMark` delimits them.
    pub(in crate::report) fn without_code(line: &str) -> String {
        let mut runs: Vec<String> = Vec::new();
        for ch in line.chars() {
            match runs.last_mut() {
                Some(run) if run.starts_with('`') == (ch == '`') => run.push(ch),
                _ => runs.push(ch.to_string()),
            }
        }
        let mut outside = String::new();
        let mut at = 0;
        while at < runs.len() {
            let run = &runs[at];
            if run.starts_with('`') && !outside.ends_with('\\') {
                let close = (at + 1..runs.len()).find(|later| runs[*later] == *run);
                at = close.unwrap_or_else(|| panic!("an open code span: {line}")) + 1;
            } else {
                outside.push_str(run);
                at += 1;
            }
        }
        outside
    }
}
