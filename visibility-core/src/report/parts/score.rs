//! What a result comes to: the score, a sentence, what limits it, and the points by category.

use chrono::{DateTime, Utc};
use maud::{Markup, html};

use crate::audit::result::AuditResult;
use crate::report::audit;
use crate::report::chart::{Tone, meter, ring};
use crate::report::labels::{Labels, points};
use crate::report::opening::opening;
use crate::report::parts::Place;
use crate::report::parts::piece::caps;
use crate::report::scale::Scale;
use crate::scan::result::ScanResult;
use crate::text::markup::{sentence, shown};

/// The score of a scan.
pub fn of_scan(result: &ScanResult, place: &Place) -> Markup {
    let labels = place.labels();
    let reasons = result.caps.iter().map(|cap| cap.text.as_str());
    html! {
        div.card.result {
            @if let Some(score) = result.score {
                (ring(score, result.plan_score, tier_tone(result), &ring_name(result, score, labels)))
            }
            div {
                p.eyebrow { (shown(tier_label(result, labels))) }
                (place.title(&result.domain))
                @let opening = opening(result, labels);
                @if !opening.is_empty() { p.lead { (sentence(&opening)) } }
                (facts(result, labels))
            }
        }
        (caps("caps", reasons, place))
        (categories(result, place))
    }
}

/// When and at what cost the result came about, how sure it is, and for which kind of site it is.
fn facts(result: &ScanResult, labels: Labels) -> Markup {
    let surfaces: Vec<String> =
        result.profile.surfaces.iter().map(|surface| labels.surface(*surface)).collect();
    let profile = labels.sentence("profile", &[("surfaces", &surfaces.join(", "))]);
    let level = labels.confidence(&result.confidence);
    html! {
        p.meta {
            (time(&result.scanned_at))
            span { (shown(labels.cost(result))) }
            span { (shown(labels.sentence("confidence", &[("level", &level)]))) }
        }
        details.about {
            summary { (profile) }
            ul {
                @for reason in &result.profile.reasons {
                    li { (labels.surface(reason.surface)) ": " (sentence(&reason.text)) }
                }
            }
        }
    }
}

/// A time of a result in a form that people read; as it is, if it is no time.
fn time(text: &str) -> Markup {
    let Ok(time) = DateTime::parse_from_rfc3339(text) else {
        return html! { span { (shown(text)) } };
    };
    let time = time.with_timezone(&Utc).format("%Y-%m-%d %H:%M UTC").to_string();
    html! { time datetime=(shown(text)) { (time) } }
}

fn ring_name(result: &ScanResult, score: u8, labels: Labels) -> String {
    let name = format!("{}: {score} / 100", labels.label("score"));
    match result.plan_score.filter(|with_plan| *with_plan > score) {
        Some(to) => {
            let values: [(&'static str, &dyn ToString); 2] = [("from", &score), ("to", &to)];
            format!("{name}. {}", labels.sentence("with-plan", &values))
        }
        None => name,
    }
}

/// The tier in words.
pub(in crate::report) fn tier_label(result: &ScanResult, labels: Labels) -> String {
    match (&result.tier_label, &result.tier) {
        (Some(label), _) => label.clone(),
        (None, Some(tier)) => labels.tier(tier),
        (None, None) => labels.label("no-score"),
    }
}

/// How good a tier is.
pub(in crate::report) fn tier_tone(result: &ScanResult) -> Tone {
    match result.tier.as_deref() {
        Some("native" | "ready") => Tone::Good,
        Some("readable") => Tone::Fair,
        Some("discoverable") => Tone::Warn,
        Some("invisible") => Tone::Bad,
        _ => Tone::None,
    }
}

/// How good a band of scores is.
pub(in crate::report) fn band_tone(result: &AuditResult) -> Tone {
    match result.band.as_deref() {
        Some("excellent" | "good") => Tone::Good,
        Some("fair") => Tone::Fair,
        Some("weak") => Tone::Warn,
        Some("poor") => Tone::Bad,
        _ => Tone::None,
    }
}

fn categories(result: &ScanResult, place: &Place) -> Markup {
    if !Scale::is_known(result) {
        return html! {};
    }
    let counted = result.categories.iter().filter(|category| category.max_points > 0);
    let shares = counted.map(|one| (one.title.as_str(), one.points, f64::from(one.max_points)));
    let heading = place.labels().label("categories");
    shares_section("categories", &heading, shares, Scale::for_scan(result), place)
}

/// Parts of the rubric with their points.
fn shares_section<'a>(
    id: &str,
    heading: &str,
    shares: impl Iterator<Item = (&'a str, f64, f64)>,
    scale: Scale,
    place: &Place,
) -> Markup {
    let mut shares = shares.peekable();
    if shares.peek().is_none() {
        return html! {};
    }
    let note = scale
        .division(place.labels())
        .map(|division| place.labels().sentence("division-note", &[("division", &division)]));
    let body = html! {
        ul.card.shares { @for (title, earned, max) in shares { (share(title, earned, max, scale)) } }
        @if let Some(note) = note { p.note { (note) } }
    };
    place.section(id, heading, &html! {}, &body)
}

fn share(title: &str, earned: f64, max: f64, scale: Scale) -> Markup {
    let share = if max > 0.0 { earned / max } else { 0.0 };
    let tone = match share {
        full if full >= 1.0 => Tone::Good,
        low if low < 0.5 => Tone::Warn,
        _ => Tone::Fair,
    };
    html! {
        li {
            span.eyebrow { (shown(title)) }
            p.big { (points(scale.share(earned))) " " small { "/ " (points(scale.share(max))) } }
            (meter(share, tone))
        }
    }
}

/// The score of an audit.
pub fn of_audit(result: &AuditResult, place: &Place) -> Markup {
    let labels = place.labels();
    let score = result.gpt_visibility_score;
    let name = format!("{}: {score} / 100", labels.label("score"));
    let title = result.page.as_ref().and_then(|page| page.title.as_deref());
    let title = title.filter(|title| !title.trim().is_empty());
    let reasons = result.gates.iter().map(|cap| cap.text.as_str());
    html! {
        div.card.result {
            @if result.status.has_page() { (ring(score, None, band_tone(result), &name)) }
            div {
                p.eyebrow { (shown(audit::band(result, labels))) }
                (place.title(title.unwrap_or(&result.url)))
                @if title.is_some() { p.address { (shown(&result.url)) } }
                p.lead { (sentence(&result.summary)) }
                (standing(result, labels))
            }
        }
        (caps("gates", reasons, place))
        (pillars(result, place))
    }
}

/// How the visit came out, and what the score is worth.
fn standing(result: &AuditResult, labels: Labels) -> Markup {
    let moved_to = result.final_url.as_ref().filter(|url| **url != result.url);
    html! {
        @if !result.status.has_page() { p { (sentence(&labels.status_meaning(result.status))) } }
        p.meta {
            (time(&result.created_at))
            span { (shown(audit::status(result, labels))) }
            @if let Some(raw) = audit::before_gates(result, labels) { span { (shown(raw)) } }
            @if result.status.has_page() { span { (audit::coverage(result, labels)) } }
            @if let Some(url) = moved_to {
                span { (shown(labels.audit_sentence("final", &[("url", url)]))) }
            }
        }
        @if let Some(profile) = &result.profile {
            @let kind = labels.audit_sentence("kind", &[("label", &profile.label)]);
            details.about { summary { (shown(kind)) } p { (sentence(&profile.reason)) } }
        }
        @if let (Some(line), Some(percentile)) = (audit::percentile(result, labels), &result.percentile) {
            details.about { summary { (shown(line)) } p { (sentence(&percentile.note)) } }
        }
    }
}

fn pillars(result: &AuditResult, place: &Place) -> Markup {
    let counted = result.pillars.iter().filter(|pillar| pillar.max_points > 0.0);
    let shares = counted.map(|pillar| (pillar.title.as_str(), pillar.points, pillar.max_points));
    let heading = place.labels().audit("pillars");
    shares_section("pillars", &heading, shares, Scale::for_audit(result), place)
}
