//! The audits of several pages in one HTML file, behind an overview.

use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, html};

use crate::audit::result::AuditResult;
use crate::report::audit;
use crate::report::audit::html::short_parts;
use crate::report::audit::overview::{
    BINS, MAX_BYTES, MAX_NAMED, Overview, SharedFinding, SharedText,
};
use crate::report::chart::{Tone, meter};
use crate::report::html::document::{HtmlDocument, made};
use crate::report::junit::FailedTarget;
use crate::report::labels::{Labels, points};
use crate::report::parts::score::band_tone;
use crate::report::parts::signals::reasons;
use crate::report::parts::verdict_tag;
use crate::report::parts::{Column, Place, table};
use crate::report::style;
use crate::text::locale::Lang;
use crate::text::markup::{sentence, shown};

/// Pages that are named of those on which the same was found.
const MAX_PAGES_OF_A_FINDING: usize = 100;

/// Renders results, each in its own language, behind an overview in this one.
pub fn render(results: &[Result<&AuditResult, &FailedTarget>], lang: Lang) -> Markup {
    let labels = Labels::new(lang);
    let title = labels.sentence("pages-title", &[("count", &results.len())]);
    let overview = Overview::new(results);
    let place = Place::new(labels);
    let document = HtmlDocument {
        lang,
        title: &title,
        kind: &labels.audit("badge"),
        style: style::OF_REPORTS,
        foot: None,
    };
    let before = |reports: usize| {
        html! {
            h1 { (title) }
            (distribution(&overview, &place))
            (pages(&overview, reports, &place))
            (groups(&overview, &place))
            (shared("titles", "same-title", &overview.titles, &place))
            (shared("descriptions", "same-description", &overview.descriptions, &place))
            (signals(&overview, reports, &place))
        }
    };
    // With links to reports, what is before them is longest.
    let room = MAX_BYTES.saturating_sub(style::OF_REPORTS.len() + before(usize::MAX).0.len());
    let reports =
        overview.reports(room, |number, result| report(result, number, &place).into_string());
    document.render(&html! {
        (before(reports.len()))
        @for report in reports { (PreEscaped(report)) }
    })
}

/// A section with nothing but a table.
fn table_section(
    id: &str,
    title: &str,
    columns: &[Column],
    rows: &Markup,
    place: &Place,
) -> Markup {
    place.section(id, title, &html! {}, &table(&place.id(id), columns, rows))
}

/// The scores by tens of points, drawn and in numbers.
fn distribution(overview: &Overview<'_>, place: &Place) -> Markup {
    let labels = place.labels();
    let most = overview.bins.iter().copied().max().unwrap_or_default().max(1);
    let rows = html! {
        @for (at, count) in overview.bins.iter().enumerate() {
            @let (from, to) = (at * 10, if at + 1 == BINS { 100 } else { at * 10 + 9 });
            tr {
                th scope="row" { (from) "–" (to) }
                td.number { (count) }
                td.drawn { (meter(share(*count, most), Tone::Fair)) }
            }
        }
    };
    let columns = [
        Column::Text(labels.label("score")),
        Column::Number(labels.label("pages")),
        Column::Text(labels.label("distribution")),
    ];
    table_section("distribution", &labels.label("distribution"), &columns, &rows, place)
}

#[expect(clippy::cast_precision_loss, reason = "numbers of pages are small")]
fn share(count: usize, most: usize) -> f64 {
    count as f64 / most as f64
}

/// All pages, lowest score first, and those without a result.
fn pages(overview: &Overview<'_>, reports: usize, place: &Place) -> Markup {
    let labels = place.labels();
    let columns = [
        Column::Text(labels.label("page")),
        Column::Number(labels.label("score")),
        Column::Text(labels.label("grade")),
        Column::Text(labels.label("kind")),
        Column::Text(labels.label("worst-problem")),
    ];
    let rows = html! {
        @for (at, (number, result)) in overview.pages.iter().enumerate() {
            @let kind = result.profile.as_ref().map_or("–", |profile| profile.label.as_str());
            @let problem = audit::lost::worst(result).first().map_or("–", |worst| &worst.title);
            tr {
                th scope="row" { (name(*number, &result.url, at < reports)) }
                td.number { (result.gpt_visibility_score) }
                td {
                    span class={ "tag " (band_tone(result).class()) } {
                        (shown(audit::band(result, Labels::for_lang(&result.lang))))
                    }
                }
                td { (shown(kind)) }
                td { (shown(problem)) }
            }
        }
        @for missing in &overview.missing {
            tr {
                th scope="row" { (shown(&missing.name)) }
                td.number { "–" }
                td { span.tag.bad { (labels.label("no-result")) } }
                td { "–" }
                td { (sentence(&missing.message)) }
            }
        }
    };
    html! {
        (table_section("overview", &labels.label("overview"), &columns, &rows, place))
        @if overview.pages.len() > reports {
            p.note { (labels.sentence("reports-of-the-lowest", &[("count", &reports)])) }
        }
    }
}

/// The address of a page, as a link to its report if there is one.
fn name(number: usize, address: &str, has_report: bool) -> Markup {
    html! {
        @if has_report {
            a href={ "#page-" (number) } { (shown(address)) }
        } @else {
            (shown(address))
        }
    }
}

fn groups(overview: &Overview<'_>, place: &Place) -> Markup {
    if overview.groups.is_empty() {
        return html! {};
    }
    let labels = place.labels();
    let columns = [
        Column::Text(labels.label("address-form")),
        Column::Number(labels.label("pages")),
        Column::Number(labels.label("median")),
        Column::Text(labels.label("worst-problem")),
    ];
    let rows = html! {
        @for group in &overview.groups {
            tr {
                th scope="row" { code { (shown(&group.form)) } }
                td.number { (group.pages) }
                td.number { (group.median) }
                td { (shown(group.worst.as_deref().unwrap_or("–"))) }
            }
        }
    };
    table_section("groups", &labels.label("groups"), &columns, &rows, place)
}

/// Texts that several pages have, and which.
fn shared(id: &str, label: &str, all: &[SharedText<'_>], place: &Place) -> Markup {
    if all.is_empty() {
        return html! {};
    }
    let items = html! {
        ul.card.pad.plain {
            @for shared in all {
                li {
                    (shown(shared.text)) " "
                    span.soft { (place.labels().label("pages")) ": " (shared.pages.len()) }
                    ul {
                        @for (_, result) in shared.pages.iter().take(MAX_NAMED) {
                            li { (shown(&result.url)) }
                        }
                    }
                }
            }
        }
    };
    place.section(id, &place.labels().label(label), &html! {}, &items)
}

/// The signals that ask for work, those that cost most first, each with why it matters and with its pages.
fn signals(overview: &Overview<'_>, reports: usize, place: &Place) -> Markup {
    if overview.signals.is_empty() {
        return html! {};
    }
    let labels = place.labels();
    // The pages that have reports are the first ones.
    let reported: BTreeSet<usize> =
        overview.pages.iter().take(reports).map(|(number, _)| *number).collect();
    let body = html! {
        @for (cap, pages) in overview.lost.caps() {
            p.cap {
                (labels.audit("gate")) ": " (cap.as_str()) " · " (labels.label("pages")) ": " (pages)
            }
        }
        ul.card.checks {
            @for shared in &overview.signals {
                @let size = [("pages", &shared.pages as &dyn ToString), ("points", &points(shared.points))];
                li {
                    details {
                        summary {
                            span.t { (place.item_heading(&shared.signal.title)) }
                            span.points { (labels.audit_sentence("pages-points", &size)) }
                        }
                        div.body id=(shown(place.check_id(&shared.signal.id))) {
                            (reasons(shared.signal, labels))
                            @for finding in &shared.findings { (found(finding, overview, &reported, labels)) }
                        }
                    }
                }
            }
        }
    };
    place.section("signals", &labels.label("lost-signals"), &html! {}, &body)
}

/// What was found, and on which pages.
fn found(
    finding: &SharedFinding<'_>,
    overview: &Overview<'_>,
    reported: &BTreeSet<usize>,
    labels: Labels,
) -> Markup {
    let more = finding.pages.len().saturating_sub(MAX_PAGES_OF_A_FINDING);
    html! {
        p { (verdict_tag(finding.verdict, labels)) " " (sentence(finding.summary)) }
        ul.evidence {
            @for (number, result) in finding.pages.iter().take(MAX_PAGES_OF_A_FINDING) {
                li { (name(*number, overview.short_address(result), reported.contains(number))) }
            }
            @if more > 0 { li { (labels.audit_sentence("pages-more", &[("count", &more)])) } }
        }
    }
}

/// The report of one page.
fn report(result: &AuditResult, number: usize, whole: &Place) -> Markup {
    let labels = Labels::for_lang(&result.lang);
    let place = Place::new(labels).with_level(2).with_prefix(&format!("page-{number}-"));
    html! {
        article.site id={ "page-" (number) } lang=(labels.lang()) {
            (short_parts(result, &place, whole))
            div.made { (made(&[&audit::made(result, labels)])) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::audit::sample;
    use crate::report::tree::tree;

    fn several() -> String {
        let (first, mut second) = (sample::hostile(), sample::hostile());
        "https://shop.example.com/other".clone_into(&mut second.url);
        let missing = FailedTarget {
            name: "gone.html\u{202e}<script>".to_owned(),
            code: "UNREADABLE".to_owned(),
            message: "No such file".to_owned(),
        };
        render(&[Ok(&first), Err(&missing), Ok(&second), Ok(&sample::refused())], Lang::En)
            .into_string()
    }

    #[test]
    fn the_tree_of_several_reports_is_stable() {
        insta::assert_snapshot!(tree(&several()));
    }

    #[test]
    fn the_overview_leads_to_each_page_and_names_what_has_no_result() {
        let text = several();
        for page in ["page-1", "page-4"] {
            assert_eq!(text.matches(&format!(" id=\"{page}\"")).count(), 1, "{page}");
            assert!(text.contains(&format!("href=\"#{page}\"")), "{page}");
        }
        assert!(text.contains("gone.html &lt;script&gt;"), "{text}");
        assert!(!text.contains("<script") && !text.contains("id=\"page-2\""));
        assert_eq!(text.matches("<h1").count(), 1);
        for path in ["interface.", "audit.labels", "audit.sentences"] {
            assert!(!text.contains(path), "{path}");
        }
    }

    #[test]
    fn every_id_is_there_once_and_every_link_within_leads_somewhere() {
        let text = several();
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
    fn of_many_pages_the_lowest_have_reports_and_all_are_named() {
        let one = sample::hostile();
        let many: Vec<Result<&AuditResult, &FailedTarget>> = vec![Ok(&one); 1_000];
        let text = render(&many, Lang::Tr).into_string();
        let reports = text.matches("<article").count();
        assert!((10..1_000).contains(&reports), "{reports}");
        assert!(text.len() <= MAX_BYTES, "{}", text.len());
        assert_eq!(text.matches("<th scope=\"row\">https://shop").count(), 1_000 - reports);
        assert!(text.contains("900 sayfa daha"));
    }
}
