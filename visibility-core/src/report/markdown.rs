//! A report as Markdown: for job summaries, issues and chats.

pub(super) mod parts;
mod several;

use crate::report::labels::{Labels, sign};
use crate::report::markdown::parts::{
    cell, explanation, folded, header, joined, link, paste, product_link, prose, row, start,
};
pub use crate::report::markdown::several::render as render_several;
use crate::report::opening::opening;
use crate::report::paste::scan_blocks;
use crate::report::plan::{PlanStep, now_and_later, vendor_pages};
use crate::report::product;
use crate::report::reach::Reach;
use crate::report::scale::Scale;
use crate::rubric::finding::Verdict;
use crate::scan::result::{AgentResult, CheckResult, EvidenceResult, FixResult, ScanResult};
use crate::text::escape::{MarkdownContext, markdown_code};

/// Renders a result in its own language.
pub fn render(result: &ScanResult) -> String {
    joined([titled(result)].into_iter().chain(sections(result)))
}

fn titled(result: &ScanResult) -> String {
    let labels = Labels::for_result(result);
    let title = labels.sentence("title", &[("domain", &prose(&result.domain))]);
    format!("# {title}\n")
}

/// Everything below the title: what to do comes first.
fn sections(result: &ScanResult) -> [String; 8] {
    let labels = Labels::for_result(result);
    [
        head(result, labels),
        caps(result),
        fix_plan(result, labels),
        next_tier(result, labels),
        categories(result, labels),
        checks(result, labels),
        agents(result, labels),
        [observations(result, labels), foot(result, labels)].concat(),
    ]
}

fn head(result: &ScanResult, labels: Labels) -> String {
    let level = labels.confidence(&result.confidence);
    let verdict = match (result.score, &result.tier) {
        (Some(score), Some(tier)) => {
            let label = result.tier_label.clone().unwrap_or_else(|| labels.tier(tier));
            format!("**{score} / 100 · {}**", prose(&label))
        }
        _ => format!("**{}**", labels.label("no-score")),
    };
    let confidence = labels.sentence("confidence", &[("level", &prose(&level))]);
    let surfaces: Vec<String> =
        result.profile.surfaces.iter().map(|surface| labels.surface(*surface)).collect();
    let profile = labels.sentence("profile", &[("surfaces", &surfaces.join(", "))]);
    let opening = prose(&opening(result, labels));
    let opening = if opening.is_empty() { opening } else { format!("\n{opening}\n") };
    format!("{verdict} · {confidence} · {profile}\n{opening}")
}

/// What limits the score.
fn caps(result: &ScanResult) -> String {
    result.caps.iter().map(|cap| format!("> {}\n", start(&cap.text))).collect()
}

fn next_tier(result: &ScanResult, labels: Labels) -> String {
    let Some(next) = &result.next_tier else { return String::new() };
    let heading = labels.sentence("next-tier", &[("label", &prose(&next.label))]);
    let missing = next.missing.iter().map(|missing| format!("- {}\n", start(missing)));
    format!("**{heading}**\n\n{}", missing.collect::<String>())
}

fn fix_plan(result: &ScanResult, labels: Labels) -> String {
    if result.fix_plan.is_empty() {
        return String::new();
    }
    let (now, later) = now_and_later(result);
    let mut text = String::new();
    for (heading, steps) in [("fix-plan", now), ("after-that", later)] {
        if !steps.is_empty() {
            text.push_str(&plan_table(&labels.label(heading), &steps, result, labels));
        }
    }
    if let Some(pages) = vendor_pages(result, labels) {
        text.push_str(&format!("{pages}\n\n"));
    }
    text
}

fn plan_table(
    heading: &str,
    steps: &[PlanStep<'_>],
    result: &ScanResult,
    labels: Labels,
) -> String {
    let mut text = format!("## {heading}\n\n");
    text.push_str(&header(&[
        (&labels.label("check"), false),
        (&labels.label("points"), true),
        (&labels.label("effort"), false),
        (&labels.label("what-to-do"), false),
    ]));
    text.extend(steps.iter().map(|step| self::step(*step, result, labels)));
    text.push('\n');
    text
}

fn step(step: PlanStep<'_>, result: &ScanResult, labels: Labels) -> String {
    let PlanStep { item, .. } = step;
    let mut what = vec![cell(&item.hint)];
    what.extend(step.consequences(result, labels).iter().map(|sentence| cell(sentence)));
    row(&[
        format!("{} ({})", cell(&item.title), markdown_code(&item.check, MarkdownContext::Cell)),
        step.gain(),
        cell(&labels.effort(item.effort)),
        what.join("<br>"),
    ])
}

fn categories(result: &ScanResult, labels: Labels) -> String {
    let scale = Scale::for_scan(result);
    let counted = result.categories.iter().filter(|category| category.max_points > 0);
    let rows: String = counted
        .map(|one| row(&[cell(&one.title), scale.earned(one.points, f64::from(one.max_points))]))
        .collect();
    if rows.is_empty() || !Scale::is_known(result) {
        return String::new();
    }
    let head = header(&[(&labels.label("category"), false), (&labels.label("points"), true)]);
    let note = scale.division(labels).map_or_else(String::new, |division| {
        format!("\n{}\n", labels.sentence("division-note", &[("division", &division)]))
    });
    format!("## {}\n\n{head}{rows}{note}", labels.label("categories"))
}

/// What asks for work in full; the rest in tables that are closed.
fn checks(result: &ScanResult, labels: Labels) -> String {
    let mut text = format!("## {}\n", labels.label("checks"));
    for check in result.checks.iter().filter(|check| is_open(check.status)) {
        text.push_str(&details(check, result, labels));
    }
    for (sentence, verdict) in [("passed", Verdict::Pass), ("not-counted", Verdict::NotApplicable)]
    {
        let members: Vec<&CheckResult> =
            result.checks.iter().filter(|check| check.status == verdict).collect();
        if !members.is_empty() {
            let title = labels.sentence(sentence, &[("count", &members.len())]);
            text.push_str(&folded(&title, &table(&members, result, labels)));
        }
    }
    text
}

fn table(members: &[&CheckResult], result: &ScanResult, labels: Labels) -> String {
    let mut text = header(&[
        (&labels.label("check"), false),
        (&labels.label("verdict"), false),
        (&labels.label("points"), true),
        (&labels.label("finding"), false),
    ]);
    for check in members {
        text.push_str(&row(&[
            format!("{} ({})", cell(&check.title), markdown_code(&check.id, MarkdownContext::Cell)),
            format!("{} {}", sign(check.status), cell(&labels.verdict(check.status))),
            earned(check, result),
            cell(&check.summary),
        ]));
    }
    text
}

fn earned(check: &CheckResult, result: &ScanResult) -> String {
    match check.credit {
        Some(_) => Scale::for_scan(result).earned(check.points, f64::from(check.max_points)),
        None => "–".to_owned(),
    }
}

fn is_open(status: Verdict) -> bool {
    matches!(status, Verdict::Fail | Verdict::Warn | Verdict::Unknown)
}

fn details(check: &CheckResult, result: &ScanResult, labels: Labels) -> String {
    let mut text = format!(
        "\n### {} {} ({}) · {}\n\n",
        sign(check.status),
        prose(&check.title),
        markdown_code(&check.id, MarkdownContext::Inline),
        earned(check, result)
    );
    for signal in &check.signals {
        let verdict = labels.verdict(signal.status);
        text.push_str(&format!("- {} ({})\n", start(&signal.detail), prose(&verdict)));
    }
    for evidence in &check.evidence {
        text.push_str(&format!("- {}\n", evidence_line(evidence)));
    }
    if !check.why.is_empty() {
        text.push_str(&format!("\n{}\n", start(&check.why)));
    }
    if let Some(fix) = &check.fix {
        text.push_str(&fix_text(fix, labels));
    }
    text.push_str(&format!("\n{}\n", explanation(&product::check_page(&check.id), labels)));
    text
}

fn fix_text(fix: &FixResult, labels: Labels) -> String {
    let mut text = format!("\n**{}** {}\n", labels.label("fix"), prose(&fix.hint));
    let needed = (&*labels.label("needs-input"), fix.needs_input.as_slice());
    text.push_str(&paste(&scan_blocks(fix, labels), needed, fix.note.as_deref()));
    if let Some(link) = link(&fix.docs_url) {
        text.push_str(&format!("\n{link}\n"));
    }
    text
}

/// The request as code, followed by its result.
fn evidence_line(evidence: &EvidenceResult) -> String {
    let request = format!("{} {}", evidence.method, evidence.url);
    let mut parts = vec![markdown_code(&request, MarkdownContext::Inline)];
    parts.extend(evidence.status.map(|status| status.to_string()));
    parts.extend(evidence.content_type.as_ref().map(|t| markdown_code(t, MarkdownContext::Inline)));
    parts.extend(evidence.note.as_ref().map(|note| prose(note)));
    parts
        .extend(evidence.excerpt.as_ref().map(|text| markdown_code(text, MarkdownContext::Inline)));
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

fn agents(result: &ScanResult, labels: Labels) -> String {
    if result.agents.is_empty() {
        return String::new();
    }
    let mut text = format!("## {}\n\n", labels.label("agents"));
    let reach = Reach::from_agents(&result.agents, labels);
    text.push_str(&format!("{}\n", reach.sentence(labels)));
    for one in &reach.exceptions {
        let sign = sign(one.verdict);
        text.push_str(&format!("\n- {sign} {}: {}", prose(&one.reason), prose(&one.names())));
    }
    if !reach.exceptions.is_empty() {
        text.push('\n');
    }
    text.push_str(&folded(&labels.label("agents"), &matrix(result, labels)));
    if result.agents.iter().any(|agent| agent.advisory) {
        text.push_str(&format!("\n\\* {}\n", labels.label("advisory-note")));
    }
    text
}

fn matrix(result: &ScanResult, labels: Labels) -> String {
    let mut text = header(&[
        (&labels.label("agent"), false),
        (&labels.label("purpose"), false),
        ("robots.txt", false),
        (&labels.label("rule"), false),
        (&labels.label("probe"), false),
        (&labels.label("result"), false),
    ]);
    for agent in &result.agents {
        text.push_str(&row(&[
            format!("{} ({})", cell(&agent.name), cell(&agent.vendor)),
            cell(&labels.purpose(agent.purpose)),
            format!("{}{}", cell(&labels.access(agent.access)), advisory(agent)),
            rule(agent, labels),
            cell(&labels.probe(agent.probe.verdict)),
            cell(&labels.effective(agent.effective)),
        ]));
    }
    text
}

fn advisory(agent: &AgentResult) -> &'static str {
    if agent.advisory { "\\*" } else { "" }
}

fn rule(agent: &AgentResult, labels: Labels) -> String {
    let Some(rule) = &agent.rule else { return cell(&labels.basis(agent.basis)) };
    let place = |line: usize| cell(&labels.sentence("line", &[("line", &line)]));
    if let (Some(text), Some(line)) = (&rule.text, rule.line) {
        return format!("{} ({})", markdown_code(text, MarkdownContext::Cell), place(line));
    }
    format!("{} ({})", cell(&labels.basis(agent.basis)), place(rule.group_line))
}

fn observations(result: &ScanResult, labels: Labels) -> String {
    if result.observations.is_empty() {
        return String::new();
    }
    let mut text = format!("## {}\n\n", labels.label("observations"));
    for observation in &result.observations {
        let url = observation.url.as_deref().unwrap_or_default();
        let code = markdown_code(url, MarkdownContext::Inline);
        let gap = if code.is_empty() { "" } else { " · " };
        text.push_str(&format!("- {}{gap}{code}\n", start(&observation.text)));
    }
    text
}

fn foot(result: &ScanResult, labels: Labels) -> String {
    let made = labels.sentence(
        "made",
        &[("rubric", &prose(&result.rubric_version)), ("time", &prose(&result.scanned_at))],
    );
    format!("---\n\n{} · {made} · {}\n", product_link(), labels.cost(result))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_report_is_stable() {
        insta::assert_snapshot!(render(&sample::with_files()));
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
