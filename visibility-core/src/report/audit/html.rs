//! An audit as one HTML file: no scripts, no foreign requests, fit for print, light and dark.

mod several;
mod signals;

use maud::{Markup, html};

use crate::audit::result::{AuditFixResult, AuditResult};
pub use crate::report::audit::html::several::render as render_several;
use crate::report::audit::{self, html::signals::evidence_item};
use crate::report::html::frame::{self, Frame, HtmlDocument, Paste, card, ring};
use crate::report::labels::Labels;
use crate::report::paste;
use crate::report::scale::Scale;
use crate::text::markup::{lines, sentence, shown};

/// Renders a result in its own language.
pub fn render(result: &AuditResult) -> Markup {
    let labels = Labels::for_lang(&result.lang);
    let document = HtmlDocument {
        lang: labels.lang(),
        title: &labels.audit_sentence("title", &[("url", &result.url)]),
        banner: &banner(result, &Frame::alone(labels)),
        foot: &foot(result, labels),
    };
    document.render(&sections(result, &Frame::alone(labels)))
}

fn sections(result: &AuditResult, frame: &Frame) -> [Markup; 8] {
    [
        caps(result, frame),
        fixes(result, frame),
        pillars(result, frame),
        signals::section(result, frame),
        information(result, frame),
        reading(result, frame),
        numbers(result, frame),
        standing(result, frame.labels),
    ]
}

/// Score, band, and how the visit came out.
fn banner(result: &AuditResult, frame: &Frame) -> Markup {
    let labels = frame.labels;
    let class = format!("band-{}", result.band.as_deref().unwrap_or("none"));
    let moved_to = result.final_url.as_ref().filter(|url| **url != result.url);
    html! {
        header.banner {
            (ring(result.gpt_visibility_score, &class, &labels.label("score")))
            div {
                p.eyebrow { (labels.audit("badge")) }
                (frame.title(&result.url))
                p class={ "tier " (shown(&class)) } { (shown(audit::band(result, labels))) }
                @if let Some(raw) = audit::before_gates(result, labels) { p { (raw) } }
                p { (audit::status(result, labels)) }
                p { (sentence(&result.summary)) }
                @if !result.status.has_page() {
                    p { (sentence(&labels.status_meaning(result.status))) }
                }
                @if let Some(url) = moved_to {
                    p { (shown(labels.audit_sentence("final", &[("url", url)]))) }
                }
            }
        }
    }
}

fn caps(result: &AuditResult, frame: &Frame) -> Markup {
    let reasons = result.gates.iter().map(|cap| cap.text.as_str());
    frame.caps("gates", &frame.labels.label("held-down"), reasons)
}

/// Percentile, kind of page, coverage, and what a score cannot say.
fn standing(result: &AuditResult, labels: Labels) -> Markup {
    html! {
        div.note {
            @if let (Some(line), Some(percentile)) = (audit::percentile(result, labels), &result.percentile) {
                p { (line) ". " (sentence(&percentile.note)) }
            }
            @if let Some(profile) = &result.profile {
                @let kind = labels.audit_sentence("kind", &[("label", &profile.label)]);
                p { (shown(kind)) ". " (sentence(&profile.reason)) }
            }
            @if result.status.has_page() { p { (audit::coverage(result, labels)) } }
            p { (sentence(&result.disclaimer)) }
        }
    }
}

fn pillars(result: &AuditResult, frame: &Frame) -> Markup {
    let scale = Scale::for_audit(result);
    let counted = result.pillars.iter().filter(|pillar| pillar.max_points > 0.0);
    let cards: Vec<Markup> = counted
        .map(|pillar| card(&pillar.title, pillar.points, pillar.max_points, scale))
        .collect();
    frame.cards("pillars", &frame.labels.audit("pillars"), &cards, scale)
}

fn fixes(result: &AuditResult, frame: &Frame) -> Markup {
    if !result.status.has_page() {
        return html! {};
    }
    let body = html! {
        @if result.fixes.is_empty() {
            p { (frame.labels.audit("no-fixes")) }
        } @else {
            ol.fixes { @for fix in &result.fixes { (self::fix(fix, result, frame)) } }
        }
    };
    frame.section("fixes", &frame.labels.audit("fixes"), &body)
}

fn fix(fix: &AuditFixResult, result: &AuditResult, frame: &Frame) -> Markup {
    let labels = frame.labels;
    let heading = html! {
        a href={ "#" (shown(frame.check_id(&fix.signal))) } { (shown(&fix.title)) } " "
        code { (shown(&fix.signal)) } " "
        span.gain { (audit::gain(fix, result, labels)) } " "
        span.earned {
            (shown(&fix.code)) " · " (labels.label("effort-term")) ": " (labels.effort(fix.effort))
        }
    };
    let signal = result.signals.iter().find(|signal| signal.id == fix.signal);
    let paste = Paste {
        blocks: &paste::audit_blocks(fix, labels),
        needs_input: (&labels.audit("needs-input"), &fix.needs_input),
        note: fix.note.as_deref(),
    };
    html! {
        li {
            (frame.heading(3, &heading))
            @if let Some(signal) = signal { p.found { (sentence(&signal.summary)) } }
            (frame::hint(&fix.hint, labels))
            (paste.folded(labels))
        }
    }
}

fn information(result: &AuditResult, frame: &Frame) -> Markup {
    let labels = frame.labels;
    if result.information.is_empty() {
        return html! {};
    }
    let items = html! {
        ul {
            @for item in &result.information {
                li {
                    (sentence(&item.text))
                    @if !item.evidence.is_empty() {
                        ul.evidence {
                            @for evidence in &item.evidence { (evidence_item(evidence, labels)) }
                        }
                    }
                }
            }
        }
    };
    frame.section("information", &labels.audit("information"), &items)
}

/// What an engine reads, and what is left out of it by which rule.
fn reading(result: &AuditResult, frame: &Frame) -> Markup {
    let labels = frame.labels;
    let Some(page) = result.page.as_ref().filter(|page| !page.read.is_empty()) else {
        return html! {};
    };
    let columns = [
        (labels.audit("rule"), false),
        (labels.audit("chars"), true),
        (labels.audit("line"), true),
        (labels.audit("text"), false),
    ];
    let rows = html! {
        @for part in &page.dropped {
            tr {
                th scope="row" { code { (shown(&part.rule)) } }
                td.number { (part.chars) }
                td.number { (part.line) }
                td { (shown(&part.text)) }
            }
        }
    };
    let body = html! {
        details.plain {
            summary { (labels.audit("read")) }
            pre tabindex="0" { (lines(&page.read)) }
        }
        @if !page.dropped.is_empty() {
            p { (labels.audit("dropped")) }
            (frame.table("reading", &columns, &[rows]))
        }
    };
    frame.section("reading", &labels.audit("reading"), &body)
}

fn numbers(result: &AuditResult, frame: &Frame) -> Markup {
    let labels = frame.labels;
    let numbers = audit::numbers(result, labels);
    if numbers.is_empty() {
        return html! {};
    }
    let table = html! {
        table {
            tbody {
                @for (label, value) in &numbers {
                    tr { th scope="row" { (shown(label)) } td { (shown(value)) } }
                }
            }
        }
    };
    frame.section("page", &labels.audit("page"), &table)
}

fn foot(result: &AuditResult, labels: Labels) -> Markup {
    html! {
        footer { p { (frame::product()) " · " (shown(audit::made(result, labels))) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::audit::sample;
    use crate::report::tree::tree;

    #[test]
    fn the_tree_of_a_report_is_stable() {
        insta::assert_snapshot!("of_a_page", tree(&render(&sample::hostile()).0));
        insta::assert_snapshot!("of_no_page", tree(&render(&sample::refused()).0));
    }

    #[test]
    fn strangers_text_is_text() {
        for result in [sample::hostile(), sample::refused()] {
            let text = render(&result).into_string();
            assert!(!text.contains("<script"), "{text}");
            assert!(!text.contains("\"javascript:"), "{text}");
            assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{0}']));
            assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
        }
    }

    #[test]
    fn the_file_asks_for_nothing_else() {
        let text = render(&sample::hostile()).into_string();
        for asking in ["src=", "@import", "url(", "<link", "<iframe", "<img"] {
            assert!(!text.contains(asking), "{asking}");
        }
    }

    #[test]
    fn every_link_within_the_file_leads_somewhere_and_every_id_is_there_once() {
        let text = render(&sample::hostile()).into_string();
        let targets: Vec<&str> = text.split("href=\"#").skip(1).map(until_quote).collect();
        assert!(!targets.is_empty());
        for target in targets {
            assert!(text.contains(&format!(" id=\"{target}\"")), "{target}");
        }
        let mut ids: Vec<&str> = text.split(" id=\"").skip(1).map(until_quote).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }

    fn until_quote(text: &str) -> &str {
        text.split('"').next().unwrap_or_default()
    }

    #[test]
    fn every_word_was_found() {
        for result in [sample::hostile(), sample::refused()] {
            let text = render(&result).into_string();
            for path in ["interface.", "audit.labels", "audit.sentences", "statuses.", "grades."] {
                assert!(!text.contains(path), "{path}: {text}");
            }
        }
    }

    #[test]
    fn a_page_that_could_not_be_judged_has_a_reason_and_nothing_else() {
        let text = render(&sample::refused()).into_string();
        assert!(text.contains("Engellendi"), "{text}");
        assert!(!text.contains("<section"), "{text}");
    }
}
