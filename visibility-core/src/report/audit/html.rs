//! An audit as one HTML file: no scripts, no foreign requests, fit for print, light and dark.

mod several;

use maud::{Markup, html};

use crate::audit::result::AuditResult;
use crate::report::audit;
pub use crate::report::audit::html::several::render as render_several;
use crate::report::html::document::{HtmlDocument, made};
use crate::report::labels::Labels;
use crate::report::parts::{Place, plan, reading, score, signals};
use crate::report::style;
use crate::text::markup::sentence;

/// Renders a result in its own language.
pub fn render(result: &AuditResult) -> Markup {
    let labels = Labels::for_lang(&result.lang);
    let document = HtmlDocument {
        lang: labels.lang(),
        title: &labels.audit_sentence("title", &[("url", &result.url)]),
        kind: &labels.audit("badge"),
        style: style::OF_REPORTS,
        foot: Some(made(&[&audit::made(result, labels)])),
    };
    document.render(&parts(result, &Place::new(labels), &html! {}))
}

/// The whole report: the score and what can be done with it, then what an AI reads, what to do, and why.
pub fn parts(result: &AuditResult, place: &Place, actions: &Markup) -> Markup {
    html! {
        (score::of_audit(result, place))
        (actions)
        (reading::render(result, place))
        (plan::of_audit(result, place))
        (signals::render(result, place))
        (reading::information(result, place))
        (reading::numbers(result, place))
        p.note { (sentence(&result.disclaimer)) }
    }
}

/// The report of one of several pages: signals that ask for nothing are left out, and why others matter is said once for
/// all pages.
fn short_parts(result: &AuditResult, place: &Place, why: &Place) -> Markup {
    html! {
        (score::of_audit(result, place))
        (reading::render(result, place))
        (plan::of_audit(result, place))
        (signals::render_open(result, place, why))
        (reading::information(result, place))
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
