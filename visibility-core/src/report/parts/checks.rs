//! The checks of a scan, each one to open.

use maud::{Markup, html};

use crate::report::parts::Place;
use crate::report::parts::item::{Judged, counts, judged_list, sort_by_verdict};
use crate::report::parts::piece::{self, Paste};
use crate::report::paste;
use crate::report::product;
use crate::report::scale::Scale;
use crate::scan::result::{CheckResult, EvidenceResult, FixResult, ScanResult};
use crate::text::markup::{sentence, shown};

/// All checks: what fails first, what passes folded.
pub fn render(result: &ScanResult, place: &Place) -> Markup {
    if result.checks.is_empty() {
        return html! {};
    }
    let scale = Scale::for_scan(result);
    let judged = result.checks.iter().map(|check| (check, earned(check, scale)));
    let judged: Vec<(&CheckResult, String)> = judged.collect();
    let all = judged.iter().map(|(check, earned)| Judged {
        id: &check.id,
        verdict: check.status,
        title: &check.title,
        summary: &check.summary,
        group: category(check, result),
        earned,
        lost: scale.share(check.points_lost()),
        body: body(check, result, place),
    });
    let mut all: Vec<Judged<'_>> = all.collect();
    sort_by_verdict(&mut all);
    let list = judged_list(&all, place);
    let verdicts: Vec<_> = result.checks.iter().map(|check| check.status).collect();
    let counts = counts(&verdicts, place);
    place.section("checks", &place.labels().label("checks"), &counts, &list)
}

fn earned(check: &CheckResult, scale: Scale) -> String {
    match check.credit {
        Some(_) => scale.earned(check.points, f64::from(check.max_points)),
        None => "–".to_owned(),
    }
}

fn category<'a>(check: &CheckResult, result: &'a ScanResult) -> &'a str {
    let category = result.categories.iter().find(|category| category.id == check.category);
    category.map_or("", |category| &category.title)
}

fn body(check: &CheckResult, result: &ScanResult, place: &Place) -> Markup {
    let labels = place.labels();
    // The first one gave the summary.
    let others = check.signals.iter().skip(1);
    let evidence: Vec<Markup> = check.evidence.iter().map(evidence_item).collect();
    let specs = check.specs.iter().map(|spec| (spec.name.as_str(), spec.url.as_str()));
    html! {
        (piece::verdicts(others.map(|signal| (signal.status, signal.detail.as_str())), labels))
        @if let Some(fix) = &check.fix {
            @let is_planned = result.fix_plan.iter().any(|item| item.check == check.id);
            (self::fix(fix, is_planned, place))
        }
        (piece::evidence(&evidence, labels))
        (piece::why(&check.why, labels))
        @if !check.applies_because.is_empty() { p { (sentence(&check.applies_because)) } }
        p.soft {
            code { (shown(&check.id)) } " · " (labels.maturity(check.maturity))
            (piece::sources(specs, &product::check_page(&check.id), labels))
        }
    }
}

/// What to do; the plan says it if the check is in it.
fn fix(fix: &FixResult, is_planned: bool, place: &Place) -> Markup {
    let labels = place.labels();
    if is_planned {
        return html! { p { a href={ "#" (place.id("plan")) } { (labels.label("in-plan")) } } };
    }
    let paste = Paste {
        blocks: &paste::scan_blocks(fix, labels),
        needs_input: &labels.label("needs-input"),
        inputs: &fix.needs_input,
        note: fix.note.as_deref(),
    };
    html! { (piece::hint(&fix.hint, labels)) (paste.render()) }
}

fn evidence_item(evidence: &EvidenceResult) -> Markup {
    let quote = evidence.excerpt.as_deref().filter(|text| !text.is_empty());
    html! {
        li {
            code { (shown(&evidence.method)) " " (shown(&evidence.url)) }
            @if let Some(status) = evidence.status { " · " (status) }
            @if let Some(content_type) = &evidence.content_type { " · " (shown(content_type)) }
            @if let Some(bytes) = evidence.bytes { " · " (bytes) " B" }
            @if let Some(ms) = evidence.ms { " · " (ms) " ms" }
            @if let Some(note) = &evidence.note { " · " (shown(note)) }
            @if let Some(quote) = quote { br; q { (shown(quote)) } }
        }
    }
}
