//! What to do first: each step with its gain, and with what there is to paste.

use maud::{Markup, html};

use crate::audit::result::{AuditFixResult, AuditResult};
use crate::report::audit::gain;
use crate::report::parts::Place;
use crate::report::parts::item::Step;
use crate::report::parts::piece::{self, Paste, with_links};
use crate::report::paste;
use crate::report::plan::{PlanStep, now_and_later, vendor_pages};
use crate::scan::result::ScanResult;
use crate::text::markup::{sentence, shown};

/// The plan of a scan: the steps that count now, those that count only after them, and what the next tier asks for.
pub fn of_scan(result: &ScanResult, place: &Place) -> Markup {
    let labels = place.labels();
    let (now, later) = now_and_later(result);
    let list = |steps: &[PlanStep<'_>], first: usize| {
        html! {
            ol.card.steps start=[(first > 1).then_some(first)] {
                @for (number, step) in (first..).zip(steps) { (scan_step(*step, number, result, place)) }
            }
        }
    };
    html! {
        @if !now.is_empty() {
            (place.section("plan", &labels.label("fix-plan"), &total(result, place), &list(&now, 1)))
        }
        @if !later.is_empty() {
            @let list = list(&later, now.len() + 1);
            (place.section("plan-later", &labels.label("after-that"), &html! {}, &list))
        }
        @if let Some(pages) = vendor_pages(result, labels) { p.note { (with_links(&pages)) } }
        (next_tier(result, place))
    }
}

/// The score with the whole plan carried out, if that is known.
fn total(result: &ScanResult, place: &Place) -> Markup {
    let (Some(score), Some(with_plan)) = (result.score, result.plan_score) else {
        return html! {};
    };
    let values: [(&'static str, &dyn ToString); 2] = [("from", &score), ("to", &with_plan)];
    html! {
        @if with_plan > score { span.soft { (place.labels().sentence("with-plan", &values)) } }
    }
}

fn scan_step(step: PlanStep<'_>, number: usize, result: &ScanResult, place: &Place) -> Markup {
    let labels = place.labels();
    let check = step.item.check.as_str();
    let body = html! {
        (piece::hint(&step.item.hint, labels))
        @for consequence in step.consequences(result, labels) { p { (sentence(&consequence)) } }
        @if let Some(fix) = step.check.and_then(|check| check.fix.as_ref()) {
            @let paste = Paste {
                blocks: &paste::scan_blocks(fix, labels),
                needs_input: &labels.label("needs-input"),
                inputs: &fix.needs_input,
                note: fix.note.as_deref(),
            };
            (paste.render())
        }
        (to_check(check, place))
    };
    let line = Step {
        number,
        title: &step.item.title,
        found: step.check.map(|check| check.summary.as_str()),
        gain: &step.gain_in_words(labels),
        terms: &step.terms(labels),
    };
    line.render(&body, place)
}

/// The way from a step to what it is based on.
fn to_check(id: &str, place: &Place) -> Markup {
    html! {
        p {
            a href={ "#" (shown(place.check_id(id))) } { (place.labels().label("evidence-and-why")) } " "
            code { (shown(id)) }
        }
    }
}

fn next_tier(result: &ScanResult, place: &Place) -> Markup {
    let Some(next) = &result.next_tier else { return html! {} };
    let heading = place.labels().sentence("next-tier", &[("label", &next.label)]);
    let missing = html! {
        ul.card.pad.plain { @for missing in &next.missing { li { (sentence(missing)) } } }
    };
    place.section("next", &heading, &html! {}, &missing)
}

/// The fixes of an audit; a page that could not be judged has none.
pub fn of_audit(result: &AuditResult, place: &Place) -> Markup {
    if !result.status.has_page() {
        return html! {};
    }
    let body = html! {
        @if result.fixes.is_empty() {
            p.card.pad { (place.labels().audit("no-fixes")) }
        } @else {
            ol.card.steps {
                @for (number, fix) in (1..).zip(&result.fixes) { (audit_step(fix, number, result, place)) }
            }
        }
    };
    place.section("fixes", &place.labels().audit("fixes"), &html! {}, &body)
}

fn audit_step(fix: &AuditFixResult, number: usize, result: &AuditResult, place: &Place) -> Markup {
    let labels = place.labels();
    let paste = Paste {
        blocks: &paste::audit_blocks(fix, labels),
        needs_input: &labels.audit("needs-input"),
        inputs: &fix.needs_input,
        note: fix.note.as_deref(),
    };
    let body = html! {
        (piece::hint(&fix.hint, labels))
        (paste.render())
        (to_check(&fix.signal, place))
    };
    let signal = result.signals.iter().find(|signal| signal.id == fix.signal);
    let line = Step {
        number,
        title: &fix.title,
        found: signal.map(|signal| signal.summary.as_str()),
        gain: &gain(fix, result, labels),
        terms: &format!("{}: {}", labels.label("effort-term"), labels.effort(fix.effort)),
    };
    line.render(&body, place)
}
