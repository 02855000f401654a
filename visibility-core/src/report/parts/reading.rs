//! What an AI reads of a page, beside what people see, and what is left out of it by which rule.

use maud::{Markup, html};

use crate::audit::result::{AuditResult, DroppedResult, PageResult};
use crate::limits::MAX_DROPPED_PARTS;
use crate::report::audit;
use crate::report::labels::Labels;
use crate::report::parts::Place;
use crate::report::parts::signals::evidence_item;
use crate::text::escape::markdown_plain;
use crate::text::markup::{lines, sentence, shown};
use crate::text::words;

/// The end of a text of which there is more.
const MORE: &str = "…";

/// The largest parts that are left out, and the beginning of the text that is read.
pub fn render(result: &AuditResult, place: &Place) -> Markup {
    let Some(page) = &result.page else { return html! {} };
    let panes = html! {
        div.pair {
            div.card.pad { (seen(page, place)) }
            div.card.pad { (read(page, place)) }
        }
    };
    place.section("reading", &place.labels().audit("reading"), &html! {}, &panes)
}

/// What people see, and an AI does not read.
fn seen(page: &PageResult, place: &Place) -> Markup {
    let labels = place.labels();
    let left_out = page.body_words.saturating_sub(page.main_words);
    let parts = page.dropped.len();
    let id = if parts < MAX_DROPPED_PARTS { "all-dropped" } else { "largest-dropped" };
    let values: [(&'static str, &dyn ToString); 3] =
        [("count", &left_out), ("read", &page.main_words), ("parts", &parts)];
    let how_much = labels.audit_sentence(id, &values);
    html! {
        div.head {
            (place.item_heading(&labels.audit("people-see")))
            span.soft { (labels.audit_sentence("words", &[("count", &page.body_words)])) }
        }
        @if page.dropped.is_empty() {
            p { (labels.audit("nothing-dropped")) }
        } @else {
            ul.plain { @for part in &page.dropped { (dropped(part, labels)) } }
        }
        @if left_out > 0 { p.note { (how_much) } }
    }
}

/// A part that is left out, with its rule in words.
fn dropped(part: &DroppedResult, labels: Labels) -> Markup {
    let reason = labels.drop_reason(&part.rule);
    let what = reason.as_ref().map_or(part.rule.as_str(), |(what, _)| what);
    let sign = reason.as_ref().map_or("", |(_, sign)| sign);
    let values: [(&'static str, &dyn ToString); 3] =
        [("sign", &sign), ("line", &part.line), ("chars", &part.chars)];
    let place = labels.audit_sentence("dropped-where", &values);
    html! {
        li {
            del { (shown(&part.text)) } " " span.tag.warn { (shown(what)) }
            br; small { (sentence(place.trim_start_matches("; "))) }
        }
    }
}

/// What an AI gets.
fn read(page: &PageResult, place: &Place) -> Markup {
    let labels = place.labels();
    let size: [(&'static str, &dyn ToString); 2] =
        [("count", &page.main_words), ("tokens", &page.main_tokens)];
    html! {
        div.head {
            (place.item_heading(&labels.audit("ai-gets")))
            span.soft { (labels.audit_sentence("words-tokens", &size)) }
        }
        @if page.read.is_empty() {
            p { (labels.audit("nothing-read")) }
        } @else {
            pre tabindex="0" { (lines(&markdown_plain(&page.read))) }
        }
        @if page.read.ends_with(MORE) { p.note { (sentence(&how_much_is_shown(page, labels))) } }
    }
}

fn how_much_is_shown(page: &PageResult, labels: Labels) -> String {
    let shown = words::count(&page.read).min(page.main_words);
    labels.audit_sentence("read-more", &[("shown", &shown), ("count", &page.main_words)])
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
