//! The reports of several sites in one HTML file, behind an overview.

use maud::{Markup, html};

use crate::report::html::frame::{Frame, HtmlDocument, verdict};
use crate::report::html::{banner, label, made, sections};
use crate::report::junit::FailedTarget;
use crate::report::labels::Labels;
use crate::report::scale::worst_problem;
use crate::scan::result::ScanResult;
use crate::text::locale::Lang;
use crate::text::markup::{sentence, shown};

/// Renders results, each in its own language, behind an overview in this one. Sites without a result say why.
pub fn render(results: &[Result<&ScanResult, &FailedTarget>], lang: Lang) -> Markup {
    let labels = Labels::new(lang);
    let title = labels.sentence("sites-title", &[("count", &results.len())]);
    let mut parts = vec![overview(results, labels)];
    let numbered = results.iter().enumerate();
    parts.extend(numbered.filter_map(|(index, result)| Some(part(result.ok()?, index + 1))));
    let banner = html! {
        header.banner { div { p.eyebrow { (labels.label("badge")) } h1 { (title) } } }
    };
    HtmlDocument { lang, title: &title, banner: &banner, foot: &html! {} }.render(&parts)
}

fn overview(results: &[Result<&ScanResult, &FailedTarget>], labels: Labels) -> Markup {
    let frame = Frame::alone(labels);
    let columns = [
        (labels.label("site"), false),
        (labels.label("score"), true),
        (labels.label("tier"), false),
        (labels.label("worst-problem"), false),
    ];
    let rows = html! {
        @for (index, result) in results.iter().enumerate() {
            @match result {
                Ok(result) => { (row(result, index + 1)) }
                Err(missing) => {
                    tr {
                        th scope="row" { (shown(&missing.name)) }
                        td.number { "–" }
                        td.fail { (labels.label("no-result")) }
                        td { (sentence(&missing.message)) }
                    }
                }
            }
        }
    };
    let table = frame.table("overview", &columns, &[rows]);
    frame.section("overview", &labels.label("overview"), &table)
}

fn row(result: &ScanResult, number: usize) -> Markup {
    let labels = Labels::for_result(result);
    let tier = result.tier.as_deref().unwrap_or("none");
    html! {
        tr {
            th scope="row" { a href={ "#site-" (number) } { (shown(&result.domain)) } }
            td.number {
                @match result.score { Some(score) => { (score) } None => { "–" } }
            }
            td class={ "tier-name tier-" (shown(tier)) } { (shown(label(result, labels))) }
            td {
                @match worst_problem(result) {
                    Some((status, title, _)) => { (verdict(status, labels)) " " (sentence(title)) }
                    None => { (labels.label("no-problem")) }
                }
            }
        }
    }
}

fn part(result: &ScanResult, number: usize) -> Markup {
    let labels = Labels::for_result(result);
    let frame = Frame::one_of_several(labels, number);
    html! {
        article.site id={ "site-" (number) } lang=(labels.lang()) {
            (banner(result, &frame))
            @for section in sections(result, &frame) { (section) }
            div.made { (made(result, labels)) }
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
