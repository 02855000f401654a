//! What an AI reads of a page, and what is left out of it by which rule.

use maud::{Markup, html};

use crate::audit::result::AuditResult;
use crate::report::audit;
use crate::report::parts::signals::evidence_item;
use crate::report::parts::{Column, Place, table};
use crate::text::markup::{lines, sentence, shown};

/// The beginning of the text that is read, and the largest parts that are left out.
pub fn render(result: &AuditResult, place: &Place) -> Markup {
    let labels = place.labels();
    let Some(page) = result.page.as_ref().filter(|page| !page.read.is_empty()) else {
        return html! {};
    };
    let columns = [
        Column::Text(labels.audit("rule")),
        Column::Number(labels.audit("chars")),
        Column::Number(labels.audit("line")),
        Column::Text(labels.audit("text")),
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
        details.more {
            summary { (labels.audit("read")) }
            pre tabindex="0" { (lines(&page.read)) }
        }
        @if !page.dropped.is_empty() {
            p.below { (labels.audit("dropped")) }
            (table(&place.id("reading"), &columns, &rows))
        }
    };
    place.section("reading", &labels.audit("reading"), &html! {}, &body)
}

/// What was noticed and is never scored; nothing without any.
pub(in crate::report) fn information(result: &AuditResult, place: &Place) -> Markup {
    let labels = place.labels();
    if result.information.is_empty() {
        return html! {};
    }
    let items = html! {
        ul.card.pad.plain {
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
    place.section("information", &labels.audit("information"), &html! {}, &items)
}

/// The page in numbers; nothing without a page.
pub(in crate::report) fn numbers(result: &AuditResult, place: &Place) -> Markup {
    let labels = place.labels();
    let numbers = audit::numbers(result, labels);
    if numbers.is_empty() {
        return html! {};
    }
    let list = html! {
        dl.card.pad.facts {
            @for (label, value) in &numbers { dt { (shown(label)) } dd { (shown(value)) } }
        }
    };
    place.section("page", &labels.audit("page"), &html! {}, &list)
}
