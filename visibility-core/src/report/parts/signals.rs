//! The signals of an audit, each one to open.

use maud::{Markup, html};

use crate::audit::result::{AuditEvidenceResult, AuditResult, AuditSignalResult};
use crate::report::audit::{self, remark};
use crate::report::labels::Labels;
use crate::report::parts::Place;
use crate::report::parts::item::{Judged, counts, judged_list, sort_by_loss};
use crate::report::parts::piece;
use crate::report::product;
use crate::report::scale::Scale;
use crate::text::markup::shown;

/// All signals: those that cost most first, what passes folded.
pub fn render(result: &AuditResult, place: &Place) -> Markup {
    if result.signals.is_empty() {
        return html! {};
    }
    let scale = Scale::for_audit(result);
    let judged = result.signals.iter().map(|signal| (signal, earned(signal, scale)));
    let judged: Vec<(&AuditSignalResult, String)> = judged.collect();
    let all = judged.iter().map(|(signal, earned)| Judged {
        id: &signal.id,
        verdict: signal.status,
        title: &signal.title,
        summary: &signal.summary,
        group: pillar(signal, result),
        earned,
        lost: scale.share(signal.max_points - signal.points),
        body: body(signal, place.labels()),
    });
    let mut all: Vec<Judged<'_>> = all.collect();
    sort_by_loss(&mut all);
    let list = judged_list(&all, place);
    let verdicts: Vec<_> = result.signals.iter().map(|signal| signal.status).collect();
    let counts = counts(&verdicts, place);
    place.section("signals", &place.labels().audit("signals"), &counts, &list)
}

/// The signals that ask for work, each with a link to why it matters, which is at another place.
pub(in crate::report) fn render_open(result: &AuditResult, place: &Place, why: &Place) -> Markup {
    let open = result.signals.iter().filter(|signal| audit::is_open(signal.status));
    let scale = Scale::for_audit(result);
    let judged = open.map(|signal| (signal, earned(signal, scale)));
    let judged: Vec<(&AuditSignalResult, String)> = judged.collect();
    if judged.is_empty() {
        return html! {};
    }
    let labels = place.labels();
    let all = judged.iter().map(|(signal, earned)| Judged {
        id: &signal.id,
        verdict: signal.status,
        title: &signal.title,
        summary: &signal.summary,
        group: pillar(signal, result),
        earned,
        lost: scale.share(signal.max_points - signal.points),
        body: html! {
            (seen(signal, labels))
            p { a href={ "#" (shown(why.check_id(&signal.id))) } { (labels.label("why")) } }
        },
    });
    let mut all: Vec<Judged<'_>> = all.collect();
    sort_by_loss(&mut all);
    let list = judged_list(&all, place);
    place.section("signals", &labels.audit("signals"), &html! {}, &list)
}

/// Why a signal matters, and what is behind it.
pub(in crate::report) fn reasons(signal: &AuditSignalResult, labels: Labels) -> Markup {
    let sources = signal.sources.iter().map(|source| (source.name.as_str(), source.url.as_str()));
    html! {
        (piece::why(&signal.why, labels))
        p.soft {
            code { (shown(&signal.id)) } " · " (shown(&signal.code)) " · "
            (labels.audit("grade")) " " (signal.grade.as_str()) ": " (labels.grade(signal.grade))
            (piece::sources(sources, &product::signal_page(&signal.id), labels))
        }
    }
}

fn earned(signal: &AuditSignalResult, scale: Scale) -> String {
    match signal.credit {
        Some(_) => scale.earned(signal.points, signal.max_points),
        None => "–".to_owned(),
    }
}

fn pillar<'a>(signal: &AuditSignalResult, result: &'a AuditResult) -> &'a str {
    let pillar = result.pillars.iter().find(|pillar| pillar.id == signal.pillar);
    pillar.map_or("", |pillar| &pillar.title)
}

fn body(signal: &AuditSignalResult, labels: Labels) -> Markup {
    html! {
        (seen(signal, labels))
        (reasons(signal, labels))
    }
}

/// What was seen on the page.
fn seen(signal: &AuditSignalResult, labels: Labels) -> Markup {
    let details = signal.details.iter().map(|detail| (detail.status, detail.text.as_str()));
    let evidence: Vec<Markup> =
        signal.evidence.iter().map(|evidence| evidence_item(evidence, labels)).collect();
    html! {
        (piece::verdicts(details, labels))
        (piece::evidence(&evidence, labels))
    }
}

/// Where, and the text there.
pub(in crate::report) fn evidence_item(evidence: &AuditEvidenceResult, labels: Labels) -> Markup {
    let quote = evidence.quote.as_deref().filter(|text| !text.is_empty());
    html! {
        li {
            code { (shown(&evidence.url)) }
            @if let Some(line) = evidence.line { " · " (labels.sentence("line", &[("line", &line)])) }
            @if let Some(css) = &evidence.css { " · " (shown(css)) }
            @if let Some(remark) = remark(evidence) { " · " (shown(remark)) }
            @if let Some(quote) = quote { br; q { (shown(quote)) } }
        }
    }
}
