//! An audit as one HTML file: no scripts, no foreign requests, fit for print, light and dark.

mod several;
mod signals;

use crate::audit::result::{AuditFixResult, AuditResult, InformationResult};
pub use crate::report::audit::html::several::render as render_several;
use crate::report::audit::{self, html::signals::evidence_item};
use crate::report::html::frame::{self, Document, Frame, card, ring};
use crate::report::paste;
use crate::report::scale::Scale;
use crate::report::words::Words;
use crate::text::escape::{html, html_lines, html_sentence};

/// Renders a result in its own language.
pub fn render(result: &AuditResult) -> String {
    let words = Words::for_lang(&result.lang);
    let document = Document {
        lang: words.lang(),
        title: &words.audit_sentence("title", &[("url", &result.url)]),
        banner: &banner(result, &Frame::alone(words)),
        foot: &foot(result, words),
    };
    document.render(&sections(result, &Frame::alone(words)))
}

fn sections(result: &AuditResult, frame: &Frame) -> [String; 8] {
    [
        gates(result, frame),
        fixes(result, frame),
        pillars(result, frame),
        signals::section(result, frame),
        information(result, frame),
        reading(result, frame),
        numbers(result, frame),
        standing(result, frame.words),
    ]
}

/// Score, band, and how the visit came out.
fn banner(result: &AuditResult, frame: &Frame) -> String {
    let words = frame.words;
    let class = format!("band-{}", result.band.as_deref().unwrap_or("none"));
    let raw = audit::before_gates(result, words)
        .map_or_else(String::new, |raw| format!("<p>{}</p>\n", html(&raw)));
    let meaning = if result.status.has_page() {
        String::new()
    } else {
        format!("<p>{}</p>\n", html_sentence(&words.status_meaning(result.status)))
    };
    let moved = result.final_url.as_ref().filter(|url| **url != result.url);
    let moved = moved.map_or_else(String::new, |url| {
        format!("<p>{}</p>\n", html(&words.audit_sentence("final", &[("url", url)])))
    });
    format!(
        "<header class=\"banner\">\n{}<div>\n<p class=\"eyebrow\">{}</p>\n{}\
         <p class=\"tier {}\">{}</p>\n{raw}<p>{}</p>\n<p>{}</p>\n{meaning}{moved}</div>\n</header>\n",
        ring(result.gpt_visibility_score, &class, &words.label("score")),
        html(&words.audit("badge")),
        frame.title(&result.url),
        html(&class),
        html(&audit::band(result, words)),
        html(&audit::status(result, words)),
        html_sentence(&result.summary),
    )
}

fn gates(result: &AuditResult, frame: &Frame) -> String {
    let reasons = result.gates.iter().map(|gate| gate.text.as_str());
    frame.caps("gates", &frame.words.label("held-down"), reasons)
}

/// Percentile, kind of page, coverage, and what a score cannot say.
fn standing(result: &AuditResult, words: Words) -> String {
    let mut lines = Vec::new();
    if let (Some(line), Some(percentile)) = (audit::percentile(result, words), &result.percentile) {
        lines.push(format!("{}. {}", html(&line), html_sentence(&percentile.note)));
    }
    if let Some(profile) = &result.profile {
        let kind = words.audit_sentence("kind", &[("label", &profile.label)]);
        lines.push(format!("{}. {}", html(&kind), html_sentence(&profile.reason)));
    }
    if result.status.has_page() {
        lines.push(html(&audit::coverage(result, words)));
    }
    lines.push(html_sentence(&result.disclaimer));
    let lines: String = lines.iter().map(|line| format!("<p>{line}</p>\n")).collect();
    format!("<div class=\"note\">\n{lines}</div>\n")
}

fn pillars(result: &AuditResult, frame: &Frame) -> String {
    let scale = Scale::of_audit(result);
    let counted = result.pillars.iter().filter(|pillar| pillar.max_points > 0.0);
    let cards: String = counted
        .map(|pillar| card(&pillar.title, pillar.points, pillar.max_points, scale))
        .collect();
    frame.cards("pillars", &frame.words.audit("pillars"), &cards, scale)
}

fn fixes(result: &AuditResult, frame: &Frame) -> String {
    if !result.status.has_page() {
        return String::new();
    }
    let items: String = result.fixes.iter().map(|fix| self::fix(fix, result, frame)).collect();
    let body = if items.is_empty() {
        format!("<p>{}</p>\n", html(&frame.words.audit("no-fixes")))
    } else {
        format!("<ol class=\"fixes\">\n{items}</ol>\n")
    };
    frame.section("fixes", &frame.words.audit("fixes"), &body)
}

fn fix(fix: &AuditFixResult, result: &AuditResult, frame: &Frame) -> String {
    let words = frame.words;
    let heading = format!(
        "<a href=\"#{}\">{}</a> <code>{}</code> <span class=\"gain\">{}</span> <span class=\"earned\">{} · {}: {}</span>",
        frame.id(&format!("check-{}", fix.signal)),
        html(&fix.title),
        html(&fix.signal),
        html(&audit::gain(fix, result, words)),
        html(&fix.code),
        html(&words.label("effort-term")),
        html(&words.effort(fix.effort)),
    );
    let needed = (&*words.audit("needs-input"), fix.needs_input.as_slice());
    let body = frame::paste(&paste::of_audit(fix, words), needed, fix.note.as_deref());
    let body = if body.is_empty() {
        body
    } else {
        let label = html(&words.label("paste"));
        format!("<details class=\"plain\">\n<summary>{label}</summary>\n{body}</details>\n")
    };
    let signal = result.signals.iter().find(|signal| signal.id == fix.signal);
    let found = signal.map_or_else(String::new, |signal| {
        format!("<p class=\"found\">{}</p>\n", html_sentence(&signal.summary))
    });
    format!(
        "<li>{}{found}{}{body}</li>\n",
        frame.heading(3, &heading),
        frame::hint(&fix.hint, words)
    )
}

fn information(result: &AuditResult, frame: &Frame) -> String {
    let words = frame.words;
    if result.information.is_empty() {
        return String::new();
    }
    let item = |item: &InformationResult| {
        let places: String =
            item.evidence.iter().map(|evidence| evidence_item(evidence, words)).collect();
        let places = if places.is_empty() {
            places
        } else {
            format!("\n<ul class=\"evidence\">\n{places}</ul>\n")
        };
        format!("<li>{}{places}</li>\n", html_sentence(&item.text))
    };
    let items: String = result.information.iter().map(item).collect();
    frame.section("information", &words.audit("information"), &format!("<ul>\n{items}</ul>\n"))
}

/// What an engine reads, and what is left out of it by which rule.
fn reading(result: &AuditResult, frame: &Frame) -> String {
    let words = frame.words;
    let Some(page) = result.page.as_ref().filter(|page| !page.read.is_empty()) else {
        return String::new();
    };
    let read = format!(
        "<details class=\"plain\">\n<summary>{}</summary>\n<pre tabindex=\"0\">{}</pre>\n</details>\n",
        html(&words.audit("read")),
        html_lines(&page.read)
    );
    let columns = [
        (words.audit("rule"), false),
        (words.audit("chars"), true),
        (words.audit("line"), true),
        (words.audit("text"), false),
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
        format!("<p>{}</p>\n{start}{rows}</tbody></table></div>\n", html(&words.audit("dropped")))
    };
    frame.section("reading", &words.audit("reading"), &format!("{read}{dropped}"))
}

fn numbers(result: &AuditResult, frame: &Frame) -> String {
    let words = frame.words;
    let rows: String = audit::numbers(result, words)
        .iter()
        .map(|(label, value)| {
            format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", html(label), html(value))
        })
        .collect();
    if rows.is_empty() {
        return rows;
    }
    let table = format!("<table><tbody>\n{rows}</tbody></table>\n");
    frame.section("page", &words.audit("page"), &table)
}

fn foot(result: &AuditResult, words: Words) -> String {
    format!("<footer>\n<p>{}</p>\n</footer>\n", html(&audit::made(result, words)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::audit::sample;

    #[test]
    fn a_report_is_stable() {
        insta::assert_snapshot!("of_a_page", render(&sample::hostile()));
        insta::assert_snapshot!("of_no_page", render(&sample::refused()));
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
