//! Signals of the pillar `evidence`: are there facts worth quoting?

mod cited_sources;
mod freshness;
pub(super) mod price_in_text;
mod quantified_claims;
mod quotes_and_reviews;
mod specifications;

use crate::audit::signal::Signal;

/// The signals of the pillar, in the order of the rubric.
pub(super) const SIGNALS: &[&Signal] = &[
    &price_in_text::SIGNAL,
    &specifications::SIGNAL,
    &quantified_claims::SIGNAL,
    &cited_sources::SIGNAL,
    &quotes_and_reviews::SIGNAL,
    &freshness::SIGNAL,
];
