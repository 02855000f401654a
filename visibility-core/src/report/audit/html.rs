//! An audit as one HTML file: no scripts, no foreign requests, fit for print, light and dark.

mod signals;

use crate::audit::result::{AuditFixResult, AuditResult, InformationResult};
use crate::report::audit::{self, html::signals::evidence_item};
use crate::report::escape::{html, html_sentence};
use crate::report::html::frame::{self, Document, bar, bars, caps, ring, section};
use crate::report::words::Words;

/// Renders a result in its own language.
pub fn render(result: &AuditResult) -> String {
    let words = Words::for_lang(&result.lang);
    let document = Document {
        lang: words.lang(),
        title: &words.audit_sentence("title", &[("url", &result.url)]),
        banner: &banner(result, words),
        foot: &foot(result, words),
    };
    document.render(&[
        standing(result, words),
        gates(result, words),
        pillars(result, words),
        fixes(result, words),
        signals::section(result, words),
        information(result, words),
        numbers(result, words),
    ])
}

/// Score, band, and how the visit came out.
fn banner(result: &AuditResult, words: Words) -> String {
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
        "<header class=\"banner\">\n{}<div>\n<p class=\"eyebrow\">{}</p>\n<h1>{}</h1>\n\
         <p class=\"tier {}\">{}</p>\n{raw}<p>{}</p>\n<p>{}</p>\n{meaning}{moved}</div>\n</header>\n",
        ring(result.gpt_visibility_score, &class, &words.label("score")),
        html(&words.audit("badge")),
        html(&result.url),
        html(&class),
        html(&audit::band(result, words)),
        html(&audit::status(result, words)),
        html_sentence(&result.summary),
    )
}

fn gates(result: &AuditResult, words: Words) -> String {
    let reasons = result.gates.iter().map(|gate| gate.text.as_str());
    caps("gates", &words.label("held-down"), reasons)
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
    lines.iter().map(|line| format!("<p>{line}</p>\n")).collect()
}

fn pillars(result: &AuditResult, words: Words) -> String {
    let counted = result.pillars.iter().filter(|pillar| pillar.max_points > 0.0);
    let rows: String =
        counted.map(|pillar| bar(&pillar.title, pillar.points, pillar.max_points)).collect();
    bars("pillars", &words.audit("pillars"), &rows)
}

fn fixes(result: &AuditResult, words: Words) -> String {
    if !result.status.has_page() {
        return String::new();
    }
    let items: String = result.fixes.iter().map(|fix| self::fix(fix, result, words)).collect();
    let body = if items.is_empty() {
        format!("<p>{}</p>\n", html(&words.audit("no-fixes")))
    } else {
        format!("<ol class=\"fixes\">\n{items}</ol>\n")
    };
    section("fixes", &words.audit("fixes"), &body)
}

fn fix(fix: &AuditFixResult, result: &AuditResult, words: Words) -> String {
    let effort = words.effort(fix.effort);
    let mut terms = vec![format!("{}: {}", html(&words.label("effort")), html(&effort))];
    terms.extend(
        fix.placement_label
            .as_ref()
            .map(|place| html(&words.audit_sentence("placement", &[("place", place)]))),
    );
    let mut text = format!(
        "<li><h3><a href=\"#check-{}\">{}</a> <span class=\"earned\">{} · {}</span></h3>\n<p>{}</p>\n<p class=\"specs\">{}</p>\n",
        html(&fix.signal),
        html(&fix.title),
        html(&fix.code),
        html(&audit::gain(fix, result, words)),
        html_sentence(&fix.hint),
        terms.join(" · ")
    );
    text.extend(fix.snippet.as_deref().map(frame::snippet));
    if !fix.needs_input.is_empty() {
        let names: Vec<String> =
            fix.needs_input.iter().map(|name| format!("<code>{}</code>", html(name))).collect();
        let label = html(&words.audit("needs-input"));
        text.push_str(&format!("<p>{label} {}</p>\n", names.join(", ")));
    }
    text.push_str("</li>\n");
    text
}

fn information(result: &AuditResult, words: Words) -> String {
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
    section("information", &words.audit("information"), &format!("<ul>\n{items}</ul>\n"))
}

fn numbers(result: &AuditResult, words: Words) -> String {
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
    section("page", &words.audit("page"), &table)
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
