//! Signals of the pillar `media`.

mod image_alternatives;
mod page_language;
mod social_card;
mod transcripts;

use crate::audit::signal::Signal;

/// The signals of the pillar, in the order of the rubric.
pub(super) const SIGNALS: &[&Signal] = &[
    &image_alternatives::SIGNAL,
    &transcripts::SIGNAL,
    &page_language::SIGNAL,
    &social_card::SIGNAL,
];
