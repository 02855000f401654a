//! A report as one HTML file: no scripts, no foreign requests, fit for print, light and dark.

pub(super) mod document;
mod several;

use maud::{Markup, html};

use crate::report::html::document::{HtmlDocument, made};
pub use crate::report::html::several::render as render_several;
use crate::report::labels::Labels;
use crate::report::parts::{Place, checks, matrix, observations, plan, score};
use crate::report::style;
use crate::scan::result::ScanResult;

/// Renders a result in its own language.
pub fn render(result: &ScanResult) -> Markup {
    let labels = Labels::for_result(result);
    let document = HtmlDocument {
        lang: labels.lang(),
        title: &labels.sentence("title", &[("domain", &result.domain)]),
        kind: &labels.label("badge"),
        style: style::OF_REPORTS,
        foot: Some(foot(result, labels)),
    };
    document.render(&parts(result, &Place::new(labels)))
}

/// The whole report: the score first, then what to do, then why.
fn parts(result: &ScanResult, place: &Place) -> Markup {
    html! {
        (score::of_scan(result, place))
        (plan::of_scan(result, place))
        (matrix::render(result, place))
        (checks::render(result, place))
        (observations::render(result, place))
    }
}

/// The rules, the time and the cost of the scan.
fn foot(result: &ScanResult, labels: Labels) -> Markup {
    let rules = labels
        .sentence("made", &[("rubric", &result.rubric_version), ("time", &result.scanned_at)]);
    made(&[&rules, &labels.cost(result)])
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
