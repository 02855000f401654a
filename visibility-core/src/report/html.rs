//! A report as one HTML file: no scripts, no foreign requests, fit for print, light and dark.

mod agents;
mod checks;
pub(super) mod frame;
mod several;

use crate::report::html::frame::{Frame, HtmlDocument, card, product, ring};
pub use crate::report::html::several::render as render_several;
use crate::report::labels::Labels;
use crate::report::opening::opening;
use crate::report::paste;
use crate::report::plan::{PlanStep, now_and_later, vendor_pages};
use crate::report::scale::Scale;
use crate::scan::result::ScanResult;
use crate::text::escape::{html, html_sentence};

/// Renders a result in its own language.
pub fn render(result: &ScanResult) -> String {
    let labels = Labels::for_result(result);
    let frame = Frame::alone(labels);
    let document = HtmlDocument {
        lang: labels.lang(),
        title: &labels.sentence("title", &[("domain", &result.domain)]),
        banner: &banner(result, &frame),
        foot: &format!("<footer>\n{}</footer>\n", made(result, labels)),
    };
    document.render(&sections(result, &frame))
}

/// Everything between banner and foot: what to do comes first.
fn sections(result: &ScanResult, frame: &Frame) -> [String; 7] {
    [
        held_down(result, frame),
        fix_plan(result, frame),
        next_tier(result, frame),
        categories(result, frame),
        agents::section(result, frame),
        checks::section(result, frame),
        observations(result, frame),
    ]
}

fn banner(result: &ScanResult, frame: &Frame) -> String {
    let labels = frame.labels;
    let tier = result.tier.as_deref().unwrap_or("none");
    let confidence =
        labels.sentence("confidence", &[("level", &labels.confidence(&result.confidence))]);
    let surfaces: Vec<String> =
        result.profile.surfaces.iter().map(|surface| labels.surface(*surface)).collect();
    let profile = labels.sentence("profile", &[("surfaces", &surfaces.join(", "))]);
    let reasons: String = result
        .profile
        .reasons
        .iter()
        .map(|reason| {
            let surface = html(&labels.surface(reason.surface));
            format!("<li>{surface}: {}</li>", html_sentence(&reason.text))
        })
        .collect();
    let opening = opening(result, labels);
    let opening =
        if opening.is_empty() { opening } else { format!("<p>{}</p>\n", html_sentence(&opening)) };
    format!(
        "<header class=\"banner\">\n{}<div>\n<p class=\"eyebrow\">{}</p>\n{}\
         <p class=\"tier tier-{}\">{}</p>\n{opening}<p>{}</p>\n\
         <details class=\"plain\"><summary>{}</summary><ul>{reasons}</ul></details>\n</div>\n</header>\n",
        result.score.map_or_else(String::new, |score| {
            ring(score, &format!("tier-{tier}"), &labels.label("score"))
        }),
        html(&labels.label("badge")),
        frame.title(&result.domain),
        html(tier),
        html(&label(result, labels)),
        html(&confidence),
        html(&profile),
    )
}

/// The tier in words.
fn label(result: &ScanResult, labels: Labels) -> String {
    match (&result.tier_label, &result.tier) {
        (Some(label), _) => label.clone(),
        (None, Some(tier)) => labels.tier(tier),
        (None, None) => labels.label("no-score"),
    }
}

fn held_down(result: &ScanResult, frame: &Frame) -> String {
    let reasons = result.caps.iter().map(|cap| cap.text.as_str());
    frame.caps("caps", &frame.labels.label("held-down"), reasons)
}

fn next_tier(result: &ScanResult, frame: &Frame) -> String {
    let Some(next) = &result.next_tier else { return String::new() };
    let heading = frame.labels.sentence("next-tier", &[("label", &next.label)]);
    let missing: String =
        next.missing.iter().map(|m| format!("<li>{}</li>\n", html_sentence(m))).collect();
    frame.section("next", &heading, &format!("<ul>\n{missing}</ul>\n"))
}

fn categories(result: &ScanResult, frame: &Frame) -> String {
    if !Scale::is_known(result) {
        return String::new();
    }
    let scale = Scale::for_scan(result);
    let counted = result.categories.iter().filter(|category| category.max_points > 0);
    let cards: String =
        counted.map(|one| card(&one.title, one.points, f64::from(one.max_points), scale)).collect();
    frame.cards("categories", &frame.labels.label("categories"), &cards, scale)
}

fn fix_plan(result: &ScanResult, frame: &Frame) -> String {
    let (now, later) = now_and_later(result);
    let list = |steps: &[PlanStep<'_>], start: &str| {
        let items: String = steps.iter().map(|step| self::step(*step, result, frame)).collect();
        format!("<ol class=\"fixes\"{start}>\n{items}</ol>\n")
    };
    let mut text = String::new();
    if !now.is_empty() {
        let heading = frame.labels.label("fix-plan");
        text.push_str(&frame.section("plan", &heading, &list(&now, "")));
    }
    if !later.is_empty() {
        let heading = frame.labels.label("after-that");
        let start = format!(" start=\"{}\"", now.len() + 1);
        text.push_str(&frame.section("plan-later", &heading, &list(&later, &start)));
    }
    if let Some(pages) = vendor_pages(result, frame.labels) {
        text.push_str(&format!("<p class=\"note\">{}</p>\n", frame::with_links(&pages)));
    }
    text
}

fn step(step: PlanStep<'_>, result: &ScanResult, frame: &Frame) -> String {
    let labels = frame.labels;
    let id = format!("check-{}", step.item.check);
    let heading = format!(
        "<a href=\"#{}\">{}</a> <code>{}</code> <span class=\"gain\">{}</span> <span class=\"earned\">{}</span>",
        frame.id(&id),
        html(&step.item.title),
        html(&step.item.check),
        html(&step.gain()),
        html(&step.terms(labels)),
    );
    let mut text = format!("<li>{}", frame.heading(3, &heading));
    if let Some(check) = step.check {
        text.push_str(&format!("<p class=\"found\">{}</p>\n", html_sentence(&check.summary)));
    }
    text.push_str(&frame::hint(&step.item.hint, labels));
    for sentence in step.consequences(result, labels) {
        text.push_str(&format!("<p>{}</p>\n", html_sentence(&sentence)));
    }
    if let Some(fix) = step.check.and_then(|check| check.fix.as_ref()) {
        let needed = (&*labels.label("needs-input"), fix.needs_input.as_slice());
        let body = frame::paste(&paste::scan_blocks(fix, labels), needed, fix.note.as_deref());
        if !body.is_empty() {
            let label = html(&labels.label("paste"));
            text.push_str(&format!(
                "<details class=\"plain\">\n<summary>{label}</summary>\n{body}</details>\n"
            ));
        }
    }
    text.push_str("</li>\n");
    text
}

fn observations(result: &ScanResult, frame: &Frame) -> String {
    if result.observations.is_empty() {
        return String::new();
    }
    let items: String = result
        .observations
        .iter()
        .map(|observation| {
            let url = observation
                .url
                .as_ref()
                .map_or_else(String::new, |url| format!(" <code>{}</code>", html(url)));
            format!("<li>{}{url}</li>\n", html_sentence(&observation.text))
        })
        .collect();
    let heading = frame.labels.label("observations");
    frame.section("observations", &heading, &format!("<ul>\n{items}</ul>\n"))
}

/// The rules, the time and the cost of the scan.
fn made(result: &ScanResult, labels: Labels) -> String {
    let made = labels
        .sentence("made", &[("rubric", &result.rubric_version), ("time", &result.scanned_at)]);
    format!("<p>{} · {} · {}</p>\n", product(), html(&made), html(&labels.cost(result)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::report::tree::tree;

    #[test]
    fn the_tree_of_a_report_is_stable() {
        insta::assert_snapshot!("with_files", tree(&render(&sample::with_files())));
        insta::assert_snapshot!("hostile", tree(&render(&sample::hostile())));
    }

    #[test]
    fn strangers_text_is_text() {
        let text = render(&sample::hostile());
        assert!(!text.contains("<script"), "{text}");
        assert!(!text.contains("\"javascript:"), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']));
        assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    }

    #[test]
    fn the_file_asks_for_nothing_else() {
        let text = render(&sample::hostile());
        for asking in ["src=", "@import", "url(", "<link", "<iframe", "<img"] {
            assert!(!text.contains(asking), "{asking}");
        }
    }

    #[test]
    fn every_word_was_found() {
        let text = render(&sample::hostile());
        assert!(!text.contains("interface."), "{text}");
    }
}
