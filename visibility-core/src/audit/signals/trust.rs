//! Signals of the pillar `trust`: who says it, and how plainly?

pub(in crate::audit) mod identity;
mod manipulation;
mod readability;
mod unsupported_hype;

use crate::audit::signal::Signal;

/// The signals of the pillar, in the order of the rubric.
pub(super) const SIGNALS: &[&Signal] =
    &[&identity::SIGNAL, &readability::SIGNAL, &unsupported_hype::SIGNAL, &manipulation::SIGNAL];
