//! Signals of the pillar `structure`: can a passage be taken out as an answer?

mod answer_first;
mod lists_and_tables;
mod main_heading;
mod outline;
mod self_contained_passages;
mod title_and_description;

use crate::audit::signal::Signal;

/// The signals of the pillar, in the order of the rubric.
pub(super) const SIGNALS: &[&Signal] = &[
    &title_and_description::SIGNAL,
    &main_heading::SIGNAL,
    &outline::SIGNAL,
    &answer_first::SIGNAL,
    &self_contained_passages::SIGNAL,
    &lists_and_tables::SIGNAL,
];
