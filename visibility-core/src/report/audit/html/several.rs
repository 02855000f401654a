//! The audits of several pages in one HTML file, behind an overview.

use maud::{Markup, html};

use crate::audit::result::AuditResult;
use crate::report::audit;
use crate::report::audit::html::parts;
use crate::report::audit::overview::{BINS, MAX_NAMED, MAX_REPORTS, Overview, SharedText};
use crate::report::chart::{Tone, meter};
use crate::report::html::document::{HtmlDocument, made};
use crate::report::junit::FailedTarget;
use crate::report::labels::{Labels, points};
use crate::report::parts::score::band_tone;
use crate::report::parts::{Column, Place, table};
use crate::report::style;
use crate::text::locale::Lang;
use crate::text::markup::{sentence, shown};

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
    document.render(&html! {
        h1 { (title) }
        (distribution(&overview, &place))
        (pages(&overview, &place))
        (groups(&overview, &place))
        (shared("titles", "same-title", &overview.titles, &place))
        (shared("descriptions", "same-description", &overview.descriptions, &place))
        (lost(&overview, &place))
        @for (number, result) in overview.pages.iter().take(MAX_REPORTS) { (report(result, *number)) }
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
fn pages(overview: &Overview<'_>, place: &Place) -> Markup {
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
                th scope="row" { (name(*number, result, at < MAX_REPORTS)) }
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
        @if overview.pages.len() > MAX_REPORTS {
            p.note { (labels.sentence("reports-of-the-lowest", &[("count", &MAX_REPORTS)])) }
        }
    }
}

/// The address of a page, as a link to its report if there is one.
fn name(number: usize, result: &AuditResult, has_report: bool) -> Markup {
    html! {
        @if has_report {
            a href={ "#page-" (number) } { (shown(&result.url)) }
        } @else {
            (shown(&result.url))
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

/// The signals that cost most.
fn lost(overview: &Overview<'_>, place: &Place) -> Markup {
    let labels = place.labels();
    let losses = overview.lost.signals();
    if losses.is_empty() {
        return html! {};
    }
    let columns = [
        Column::Text(labels.label("code")),
        Column::Text(labels.audit("signal")),
        Column::Number(labels.label("pages")),
        Column::Number(labels.label("lost-points")),
    ];
    let rows = html! {
        @for loss in &losses {
            tr {
                td { (shown(&loss.code)) }
                th scope="row" { (shown(&loss.title)) }
                td.number { (loss.pages) }
                td.number { (points(loss.points)) }
            }
        }
    };
    let body = html! {
        @for (cap, pages) in overview.lost.caps() {
            p.cap {
                (labels.audit("gate")) ": " (cap.as_str()) " · " (labels.label("pages")) ": " (pages)
            }
        }
        (table(&place.id("lost"), &columns, &rows))
    };
    place.section("lost", &labels.label("lost-signals"), &html! {}, &body)
}

/// The report of one page.
fn report(result: &AuditResult, number: usize) -> Markup {
    let labels = Labels::for_lang(&result.lang);
    let place = Place::new(labels).with_level(2).with_prefix(&format!("page-{number}-"));
    html! {
        article.site id={ "page-" (number) } lang=(labels.lang()) {
            (parts(result, &place))
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
        for part in ["href=\"#page-1\"", "id=\"page-1\"", "href=\"#page-4\"", "id=\"page-4\""] {
            assert_eq!(text.matches(part).count(), 1, "{part}");
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
    fn of_many_pages_the_lowest_have_reports() {
        let one = sample::hostile();
        let many: Vec<Result<&AuditResult, &FailedTarget>> = vec![Ok(&one); 1_000];
        let text = render(&many, Lang::Tr).into_string();
        assert_eq!(text.matches("<article").count(), MAX_REPORTS);
        assert_eq!(text.matches("<th scope=\"row\">https://shop").count(), 1_000 - MAX_REPORTS);
    }
}
