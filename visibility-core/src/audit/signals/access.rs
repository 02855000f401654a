//! Signals of the pillar `access`.

mod answer_bot_access;
mod canonical_url;
mod delivery;
mod directive_fix;
mod indexability;
mod snippet_eligibility;

use crate::audit::signal::Signal;

/// The signals of the pillar, in the order of the rubric.
pub(super) const SIGNALS: &[&Signal] = &[
    &answer_bot_access::SIGNAL,
    &indexability::SIGNAL,
    &snippet_eligibility::SIGNAL,
    &canonical_url::SIGNAL,
    &delivery::SIGNAL,
];
