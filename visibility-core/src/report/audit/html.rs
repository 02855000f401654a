//! An audit as one HTML file: no scripts, no foreign requests, fit for print, light and dark.

mod several;
mod signals;

use crate::audit::result::{AuditFixResult, AuditResult};
pub use crate::report::audit::html::several::render as render_several;
use crate::report::audit::{self, html::signals::evidence_item};
use crate::report::html::frame::{self, Frame, HtmlDocument, card, ring};
use crate::report::labels::Labels;
use crate::report::paste;
use crate::report::scale::Scale;
use crate::text::escape::{html, html_lines, html_sentence};

/// Renders a result in its own language.
pub fn render(result: &AuditResult) -> String {
    let labels = Labels::for_lang(&result.lang);
    let document = HtmlDocument {
        lang: labels.lang(),
        title: &labels.audit_sentence("title", &[("url", &result.url)]),
        banner: &banner(result, &Frame::alone(labels)),
        foot: &foot(result, labels),
    };
    document.render(&sections(result, &Frame::alone(labels)))
}

fn sections(result: &AuditResult, frame: &Frame) -> [String; 8] {
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
fn banner(result: &AuditResult, frame: &Frame) -> String {
    let labels = frame.labels;
    let class = format!("band-{}", result.band.as_deref().unwrap_or("none"));
    let raw = audit::before_gates(result, labels)
        .map_or_else(String::new, |raw| format!("<p>{}</p>\n", html(&raw)));
    let meaning = if result.status.has_page() {
        String::new()
    } else {
        format!("<p>{}</p>\n", html_sentence(&labels.status_meaning(result.status)))
    };
    let moved = result
        .final_url
        .as_ref()
        .filter(|url| **url != result.url)
        .map_or_else(String::new, |url| {
            format!("<p>{}</p>\n", html(&labels.audit_sentence("final", &[("url", url)])))
        });
    format!(
        "<header class=\"banner\">\n{}<div>\n<p class=\"eyebrow\">{}</p>\n{}\
         <p class=\"tier {}\">{}</p>\n{raw}<p>{}</p>\n<p>{}</p>\n{meaning}{moved}</div>\n</header>\n",
        ring(result.gpt_visibility_score, &class, &labels.label("score")),
        html(&labels.audit("badge")),
        frame.title(&result.url),
        html(&class),
        html(&audit::band(result, labels)),
        html(&audit::status(result, labels)),
        html_sentence(&result.summary),
    )
}

fn caps(result: &AuditResult, frame: &Frame) -> String {
    let reasons = result.gates.iter().map(|cap| cap.text.as_str());
    frame.caps("gates", &frame.labels.label("held-down"), reasons)
}

/// Percentile, kind of page, coverage, and what a score cannot say.
fn standing(result: &AuditResult, labels: Labels) -> String {
    let mut lines = Vec::new();
    if let (Some(line), Some(percentile)) = (audit::percentile(result, labels), &result.percentile)
    {
        lines.push(format!("{}. {}", html(&line), html_sentence(&percentile.note)));
    }
    if let Some(profile) = &result.profile {
        let kind = labels.audit_sentence("kind", &[("label", &profile.label)]);
        lines.push(format!("{}. {}", html(&kind), html_sentence(&profile.reason)));
    }
    if result.status.has_page() {
        lines.push(html(&audit::coverage(result, labels)));
    }
    lines.push(html_sentence(&result.disclaimer));
    let lines: String = lines.iter().map(|line| format!("<p>{line}</p>\n")).collect();
    format!("<div class=\"note\">\n{lines}</div>\n")
}

fn pillars(result: &AuditResult, frame: &Frame) -> String {
    let scale = Scale::for_audit(result);
    let counted = result.pillars.iter().filter(|pillar| pillar.max_points > 0.0);
    let cards: String = counted
        .map(|pillar| card(&pillar.title, pillar.points, pillar.max_points, scale))
        .collect();
    frame.cards("pillars", &frame.labels.audit("pillars"), &cards, scale)
}

fn fixes(result: &AuditResult, frame: &Frame) -> String {
    if !result.status.has_page() {
        return String::new();
    }
    let items: String = result.fixes.iter().map(|fix| self::fix(fix, result, frame)).collect();
    let body = if items.is_empty() {
        format!("<p>{}</p>\n", html(&frame.labels.audit("no-fixes")))
    } else {
        format!("<ol class=\"fixes\">\n{items}</ol>\n")
    };
    frame.section("fixes", &frame.labels.audit("fixes"), &body)
}

fn fix(fix: &AuditFixResult, result: &AuditResult, frame: &Frame) -> String {
    let labels = frame.labels;
    let heading = format!(
        "<a href=\"#{}\">{}</a> <code>{}</code> <span class=\"gain\">{}</span> <span class=\"earned\">{} · {}: {}</span>",
        frame.id(&format!("check-{}", fix.signal)),
        html(&fix.title),
        html(&fix.signal),
        html(&audit::gain(fix, result, labels)),
        html(&fix.code),
        html(&labels.label("effort-term")),
        html(&labels.effort(fix.effort)),
    );
    let needed = (&*labels.audit("needs-input"), fix.needs_input.as_slice());
    let body = frame::paste(&paste::audit_blocks(fix, labels), needed, fix.note.as_deref());
    let body = if body.is_empty() {
        body
    } else {
        let label = html(&labels.label("paste"));
        format!("<details class=\"plain\">\n<summary>{label}</summary>\n{body}</details>\n")
    };
    let signal = result.signals.iter().find(|signal| signal.id == fix.signal);
    let found = signal.map_or_else(String::new, |signal| {
        format!("<p class=\"found\">{}</p>\n", html_sentence(&signal.summary))
    });
    format!(
        "<li>{}{found}{}{body}</li>\n",
        frame.heading(3, &heading),
        frame::hint(&fix.hint, labels)
    )
}

fn information(result: &AuditResult, frame: &Frame) -> String {
    let labels = frame.labels;
    if result.information.is_empty() {
        return String::new();
    }
    let items: String = result
        .information
        .iter()
        .map(|item| {
            let places: String =
                item.evidence.iter().map(|evidence| evidence_item(evidence, labels)).collect();
            let places = if places.is_empty() {
                places
            } else {
                format!("\n<ul class=\"evidence\">\n{places}</ul>\n")
            };
            format!("<li>{}{places}</li>\n", html_sentence(&item.text))
        })
        .collect();
    frame.section("information", &labels.audit("information"), &format!("<ul>\n{items}</ul>\n"))
}

/// What an engine reads, and what is left out of it by which rule.
fn reading(result: &AuditResult, frame: &Frame) -> String {
    let labels = frame.labels;
    let Some(page) = result.page.as_ref().filter(|page| !page.read.is_empty()) else {
        return String::new();
    };
    let read = format!(
        "<details class=\"plain\">\n<summary>{}</summary>\n<pre tabindex=\"0\">{}</pre>\n</details>\n",
        html(&labels.audit("read")),
        html_lines(&page.read)
    );
    let columns = [
        (labels.audit("rule"), false),
        (labels.audit("chars"), true),
        (labels.audit("line"), true),
        (labels.audit("text"), false),
    ];
    let rows: String = page
        .dropped
        .iter()
        .map(|part| {
            format!(
                "<tr><th scope=\"row\"><code>{}</code></th><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
                html(&part.rule),
                part.chars,
                part.line,
                html(&part.text)
            )
        })
        .collect();
    let dropped = if rows.is_empty() {
        rows
    } else {
        let start = frame.table_start("reading", &columns);
        format!("<p>{}</p>\n{start}{rows}</tbody></table></div>\n", html(&labels.audit("dropped")))
    };
    frame.section("reading", &labels.audit("reading"), &format!("{read}{dropped}"))
}

fn numbers(result: &AuditResult, frame: &Frame) -> String {
    let labels = frame.labels;
    let rows: String = audit::numbers(result, labels)
        .iter()
        .map(|(label, value)| {
            format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", html(label), html(value))
        })
        .collect();
    if rows.is_empty() {
        return rows;
    }
    let table = format!("<table><tbody>\n{rows}</tbody></table>\n");
    frame.section("page", &labels.audit("page"), &table)
}

fn foot(result: &AuditResult, labels: Labels) -> String {
    let made = html(&audit::made(result, labels));
    format!("<footer>\n<p>{} · {made}</p>\n</footer>\n", frame::product())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::audit::sample;
    use crate::report::tree::tree;

    #[test]
    fn the_tree_of_a_report_is_stable() {
        insta::assert_snapshot!("of_a_page", tree(&render(&sample::hostile())));
        insta::assert_snapshot!("of_no_page", tree(&render(&sample::refused())));
    }

    #[test]
    fn strangers_text_is_text() {
        for result in [sample::hostile(), sample::refused()] {
            let text = render(&result);
            assert!(!text.contains("<script"), "{text}");
            assert!(!text.contains("\"javascript:"), "{text}");
            assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{0}']));
            assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
        }
    }

    #[test]
    fn the_file_asks_for_nothing_else() {
        let text = render(&sample::hostile());
        for asking in ["src=", "@import", "url(", "<link", "<iframe", "<img"] {
            assert!(!text.contains(asking), "{asking}");
        }
    }

    #[test]
    fn every_link_within_the_file_leads_somewhere_and_every_id_is_there_once() {
        let text = render(&sample::hostile());
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
            let text = render(&result);
            for path in ["interface.", "audit.labels", "audit.sentences", "statuses.", "grades."] {
                assert!(!text.contains(path), "{path}: {text}");
            }
        }
    }

    #[test]
    fn a_page_that_could_not_be_judged_has_a_reason_and_nothing_else() {
        let text = render(&sample::refused());
        assert!(text.contains("Engellendi"), "{text}");
        assert!(!text.contains("<section"), "{text}");
    }
}
