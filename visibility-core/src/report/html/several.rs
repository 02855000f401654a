//! The reports of several sites in one HTML file, behind an overview.

use maud::{Markup, html};

use crate::report::html::document::HtmlDocument;
use crate::report::html::{foot, parts};
use crate::report::junit::FailedTarget;
use crate::report::labels::Labels;
use crate::report::parts::score::{tier_label, tier_tone};
use crate::report::parts::{Column, Place, table, verdict_tag};
use crate::report::scale::worst_problem;
use crate::report::style;
use crate::scan::result::ScanResult;
use crate::text::locale::Lang;
use crate::text::markup::{sentence, shown};

/// Renders results, each in its own language, behind an overview in this one. Sites without a result say why.
pub fn render(results: &[Result<&ScanResult, &FailedTarget>], lang: Lang) -> Markup {
    let labels = Labels::new(lang);
    let title = labels.sentence("sites-title", &[("count", &results.len())]);
    let document = HtmlDocument {
        lang,
        title: &title,
        kind: &labels.label("badge"),
        style: style::OF_REPORTS,
        foot: None,
    };
    document.render(&html! {
        h1 { (title) }
        (overview(results, labels))
        @for (index, result) in results.iter().enumerate() {
            @if let Ok(result) = result { (report(result, index + 1)) }
        }
    })
}

fn overview(results: &[Result<&ScanResult, &FailedTarget>], labels: Labels) -> Markup {
    let place = Place::new(labels);
    let columns = [
        Column::Text(labels.label("site")),
        Column::Number(labels.label("score")),
        Column::Text(labels.label("tier")),
        Column::Text(labels.label("worst-problem")),
    ];
    let rows = html! {
        @for (index, result) in results.iter().enumerate() {
            @match result {
                Ok(result) => { (row(result, index + 1)) }
                Err(missing) => {
                    tr {
                        th scope="row" { (shown(&missing.name)) }
                        td.number { "–" }
                        td { span.tag.bad { (labels.label("no-result")) } }
                        td { (sentence(&missing.message)) }
                    }
                }
            }
        }
    };
    let table = table(&place.id("overview"), &columns, &rows);
    place.section("overview", &labels.label("overview"), &html! {}, &table)
}

fn row(result: &ScanResult, number: usize) -> Markup {
    let labels = Labels::for_result(result);
    html! {
        tr {
            th scope="row" { a href={ "#site-" (number) } { (shown(&result.domain)) } }
            td.number {
                @match result.score { Some(score) => { (score) } None => { "–" } }
            }
            td { span class={ "tag " (tier_tone(result).class()) } { (shown(tier_label(result, labels))) } }
            td {
                @match worst_problem(result) {
                    Some((status, title, _)) => { (verdict_tag(status, labels)) " " (sentence(title)) }
                    None => { (labels.label("no-problem")) }
                }
            }
        }
    }
}

/// The report of one site.
fn report(result: &ScanResult, number: usize) -> Markup {
    let labels = Labels::for_result(result);
    let place = Place::new(labels).with_level(2).with_prefix(&format!("site-{number}-"));
    html! {
        article.site id={ "site-" (number) } lang=(labels.lang()) {
            (parts(result, &place))
            div.made { (foot(result, labels)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::report::tree::tree;

    fn both() -> String {
        let (first, mut second) = (sample::hostile(), sample::with_files());
        "other.example.com".clone_into(&mut second.domain);
        let missing = FailedTarget {
            name: "gone.example.com\u{202e}<script>".to_owned(),
            code: "UNREACHABLE".to_owned(),
            message: "Nothing answers".to_owned(),
        };
        render(&[Ok(&first), Err(&missing), Ok(&second)], Lang::En).into_string()
    }

    #[test]
    fn the_tree_of_several_reports_is_stable() {
        insta::assert_snapshot!(tree(&both()));
    }

    #[test]
    fn the_overview_leads_to_each_site_and_names_those_without_a_result() {
        let text = both();
        for part in ["href=\"#site-1\"", "id=\"site-1\"", "href=\"#site-3\"", "id=\"site-3\""] {
            assert_eq!(text.matches(part).count(), 1, "{part}");
        }
        assert!(text.contains("gone.example.com &lt;script&gt;"), "{text}");
        assert!(text.contains("<td>Nothing answers</td>"), "{text}");
        assert!(!text.contains("id=\"site-2\""));
    }

    #[test]
    fn every_id_is_there_once_and_every_link_within_leads_somewhere() {
        let text = both();
        let until_quote = |text: &str| text.split('"').next().unwrap_or_default().to_owned();
        let mut ids: Vec<String> = text.split(" id=\"").skip(1).map(until_quote).collect();
        let count = ids.len();
        for target in text.split("href=\"#").skip(1).map(until_quote) {
            assert!(ids.contains(&target), "{target}");
        }
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }

    #[test]
    fn there_is_one_heading_of_the_first_level() {
        assert_eq!(both().matches("<h1").count(), 1);
    }
}
