//! A report as one HTML file: no scripts, no foreign requests, fit for print, light and dark.

mod agents;
mod checks;
pub(super) mod frame;
mod several;

use maud::{Markup, html};

use crate::report::html::frame::{Frame, HtmlDocument, Paste, card, product, ring};
pub use crate::report::html::several::render as render_several;
use crate::report::labels::Labels;
use crate::report::opening::opening;
use crate::report::paste;
use crate::report::plan::{PlanStep, now_and_later, vendor_pages};
use crate::report::scale::Scale;
use crate::scan::result::ScanResult;
use crate::text::markup::{sentence, shown};

/// Renders a result in its own language.
pub fn render(result: &ScanResult) -> Markup {
    let labels = Labels::for_result(result);
    let frame = Frame::alone(labels);
    let document = HtmlDocument {
        lang: labels.lang(),
        title: &labels.sentence("title", &[("domain", &result.domain)]),
        banner: &banner(result, &frame),
        foot: &html! { footer { (made(result, labels)) } },
    };
    document.render(&sections(result, &frame))
}

/// Everything between banner and foot: what to do comes first.
fn sections(result: &ScanResult, frame: &Frame) -> [Markup; 7] {
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

fn banner(result: &ScanResult, frame: &Frame) -> Markup {
    let labels = frame.labels;
    let tier = format!("tier-{}", result.tier.as_deref().unwrap_or("none"));
    let confidence =
        labels.sentence("confidence", &[("level", &labels.confidence(&result.confidence))]);
    let surfaces: Vec<String> =
        result.profile.surfaces.iter().map(|surface| labels.surface(*surface)).collect();
    let profile = labels.sentence("profile", &[("surfaces", &surfaces.join(", "))]);
    let opening = opening(result, labels);
    html! {
        header.banner {
            @if let Some(score) = result.score { (ring(score, &tier, &labels.label("score"))) }
            div {
                p.eyebrow { (labels.label("badge")) }
                (frame.title(&result.domain))
                p class={ "tier " (shown(&tier)) } { (shown(label(result, labels))) }
                @if !opening.is_empty() { p { (sentence(&opening)) } }
                p { (shown(confidence)) }
                details.plain {
                    summary { (profile) }
                    ul {
                        @for reason in &result.profile.reasons {
                            li { (labels.surface(reason.surface)) ": " (sentence(&reason.text)) }
                        }
                    }
                }
            }
        }
    }
}

/// The tier in words.
fn label(result: &ScanResult, labels: Labels) -> String {
    match (&result.tier_label, &result.tier) {
        (Some(label), _) => label.clone(),
        (None, Some(tier)) => labels.tier(tier),
        (None, None) => labels.label("no-score"),
    }
}

fn held_down(result: &ScanResult, frame: &Frame) -> Markup {
    let reasons = result.caps.iter().map(|cap| cap.text.as_str());
    frame.caps("caps", &frame.labels.label("held-down"), reasons)
}

fn next_tier(result: &ScanResult, frame: &Frame) -> Markup {
    let Some(next) = &result.next_tier else { return html! {} };
    let heading = frame.labels.sentence("next-tier", &[("label", &next.label)]);
    let missing = html! {
        ul { @for missing in &next.missing { li { (sentence(missing)) } } }
    };
    frame.section("next", &heading, &missing)
}

fn categories(result: &ScanResult, frame: &Frame) -> Markup {
    if !Scale::is_known(result) {
        return html! {};
    }
    let scale = Scale::for_scan(result);
    let counted = result.categories.iter().filter(|category| category.max_points > 0);
    let cards: Vec<Markup> =
        counted.map(|one| card(&one.title, one.points, f64::from(one.max_points), scale)).collect();
    frame.cards("categories", &frame.labels.label("categories"), &cards, scale)
}

fn fix_plan(result: &ScanResult, frame: &Frame) -> Markup {
    let (now, later) = now_and_later(result);
    let list = |steps: &[PlanStep<'_>], start: Option<usize>| {
        html! {
            ol.fixes start=[start] { @for step in steps { (self::step(*step, result, frame)) } }
        }
    };
    html! {
        @if !now.is_empty() {
            (frame.section("plan", &frame.labels.label("fix-plan"), &list(&now, None)))
        }
        @if !later.is_empty() {
            @let list = list(&later, Some(now.len() + 1));
            (frame.section("plan-later", &frame.labels.label("after-that"), &list))
        }
        @if let Some(pages) = vendor_pages(result, frame.labels) {
            p.note { (frame::with_links(&pages)) }
        }
    }
}

fn step(step: PlanStep<'_>, result: &ScanResult, frame: &Frame) -> Markup {
    let labels = frame.labels;
    let check = step.item.check.as_str();
    let heading = html! {
        a href={ "#" (shown(frame.check_id(check))) } { (shown(&step.item.title)) } " "
        code { (shown(check)) } " "
        span.gain { (step.gain()) } " "
        span.earned { (step.terms(labels)) }
    };
    html! {
        li {
            (frame.heading(3, &heading))
            @if let Some(check) = step.check { p.found { (sentence(&check.summary)) } }
            (frame::hint(&step.item.hint, labels))
            @for consequence in step.consequences(result, labels) { p { (sentence(&consequence)) } }
            @if let Some(fix) = step.check.and_then(|check| check.fix.as_ref()) {
                @let blocks = paste::scan_blocks(fix, labels);
                @let paste = Paste {
                    blocks: &blocks,
                    needs_input: (&labels.label("needs-input"), &fix.needs_input),
                    note: fix.note.as_deref(),
                };
                (paste.folded(labels))
            }
        }
    }
}

fn observations(result: &ScanResult, frame: &Frame) -> Markup {
    if result.observations.is_empty() {
        return html! {};
    }
    let items = html! {
        ul {
            @for observation in &result.observations {
                li {
                    (sentence(&observation.text))
                    @if let Some(url) = &observation.url { " " code { (shown(url)) } }
                }
            }
        }
    };
    frame.section("observations", &frame.labels.label("observations"), &items)
}

/// The rules, the time and the cost of the scan.
fn made(result: &ScanResult, labels: Labels) -> Markup {
    let made = labels
        .sentence("made", &[("rubric", &result.rubric_version), ("time", &result.scanned_at)]);
    html! { p { (product()) " · " (shown(made)) " · " (shown(labels.cost(result))) } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::report::tree::tree;

    #[test]
    fn the_tree_of_a_report_is_stable() {
        insta::assert_snapshot!("with_files", tree(&render(&sample::with_files()).0));
        insta::assert_snapshot!("hostile", tree(&render(&sample::hostile()).0));
    }

    #[test]
    fn strangers_text_is_text() {
        let text = render(&sample::hostile()).into_string();
        assert!(!text.contains("<script"), "{text}");
        assert!(!text.contains("\"javascript:"), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']));
        assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    }

    #[test]
    fn the_file_asks_for_nothing_else() {
        let text = render(&sample::hostile()).into_string();
        for asking in ["src=", "@import", "url(", "<link", "<iframe", "<img"] {
            assert!(!text.contains(asking), "{asking}");
        }
    }

    #[test]
    fn every_word_was_found() {
        let text = render(&sample::hostile()).into_string();
        assert!(!text.contains("interface."), "{text}");
    }
}
