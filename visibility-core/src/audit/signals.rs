//! The 35 signals by their seven pillars, in the order of reports.

mod access;
mod entity;
mod evidence;
mod media;
mod readable;
mod structure;
mod trust;

use crate::audit::signal::Signal;

/// The signals of each pillar, in the order of the rubric.
const PILLARS: [&[&Signal]; 7] = [
    access::SIGNALS,
    readable::SIGNALS,
    structure::SIGNALS,
    entity::SIGNALS,
    evidence::SIGNALS,
    trust::SIGNALS,
    media::SIGNALS,
];

/// All signals, in the order of the rubric.
pub fn all() -> impl Iterator<Item = &'static Signal> {
    PILLARS.into_iter().flatten().copied()
}

/// A signal by its id, or by its code in any case.
pub fn find(name: &str) -> Option<&'static Signal> {
    all().find(|signal| signal.id == name || signal.code.eq_ignore_ascii_case(name))
}
