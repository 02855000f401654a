//! A signal as `visibility signals` and `visibility explain` show it.

use serde::Serialize;
use visibility_core::audit::profile::Profile;
use visibility_core::audit::signal::{Grade, Pillar, Signal};
use visibility_core::report::labels::{Labels, points};
use visibility_core::rubric::{Effort, Spec};

/// A signal for machines.
#[derive(Debug, Serialize)]
pub(crate) struct SignalEntry {
    id: &'static str,
    code: &'static str,
    title: String,
    pillar: Pillar,
    grade: Grade,
    /// Points of 100 by the kind of page.
    weights: WeightsEntry,
    effort: Effort,
    sources: &'static [Spec],
}

#[derive(Debug, Serialize)]
struct WeightsEntry {
    product: f64,
    landing: f64,
    article: f64,
    collection: f64,
    documentation: f64,
    forum: f64,
    listing: f64,
}

impl SignalEntry {
    pub(crate) fn new(signal: &Signal, labels: Labels) -> Self {
        Self {
            id: signal.id,
            code: signal.code,
            title: title(signal, labels),
            pillar: signal.pillar,
            grade: signal.grade,
            weights: WeightsEntry {
                product: weight(signal, Profile::Product),
                landing: weight(signal, Profile::Landing),
                article: weight(signal, Profile::Article),
                collection: weight(signal, Profile::Collection),
                documentation: weight(signal, Profile::Documentation),
                forum: weight(signal, Profile::Forum),
                listing: weight(signal, Profile::Listing),
            },
            effort: signal.effort,
            sources: signal.sources,
        }
    }
}

pub(crate) fn title(signal: &Signal, labels: Labels) -> String {
    labels.catalog().text(&["signals", signal.id, "title"])
}

pub(crate) fn pillar(pillar: Pillar, labels: Labels) -> String {
    labels.catalog().text(&["pillars", pillar.as_str()])
}

/// The weights of a signal in the order product, landing page, article.
pub(crate) fn weights(signal: &Signal) -> String {
    let profiles = [Profile::Product, Profile::Landing, Profile::Article];
    profiles.map(|profile| points(weight(signal, profile))).join(" / ")
}

/// Points of 100.
fn weight(signal: &Signal, profile: Profile) -> f64 {
    f64::from(signal.weights.for_profile(profile)) / 10.0
}
