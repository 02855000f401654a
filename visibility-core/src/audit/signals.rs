//! The 35 signals by their seven pillars, in the order of reports.

mod access;
mod entity;
mod evidence;
mod media;
mod readable;
mod sources;
mod structure;
pub(in crate::audit) mod trust;

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

/// A count as a number to reckon with; counts beyond 32 bits are that much.
fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::text::locale::{Catalog, Lang};

    #[test]
    fn every_outcome_has_its_sentences_in_both_languages_and_none_is_left_over() {
        for (signal, lang) in all().flat_map(|signal| Lang::ALL.map(|lang| (signal, lang))) {
            let catalog = Catalog::for_lang(lang);
            for part in ["title", "why"] {
                assert!(
                    catalog.find(&["signals", signal.id, part]).is_some(),
                    "{} {part}",
                    signal.id
                );
            }
            let described: BTreeSet<&str> =
                catalog.keys(&["signals", signal.id, "outcomes"]).into_iter().collect();
            let named: BTreeSet<&str> = signal.outcomes.iter().map(|outcome| outcome.id).collect();
            assert_eq!(described, named, "{} {lang}", signal.id);
            assert_eq!(named.len(), signal.outcomes.len(), "{}", signal.id);
        }
    }

    #[test]
    fn a_signal_is_found_by_its_id_and_by_its_code() {
        let names: BTreeSet<&str> = all().flat_map(|signal| [signal.id, signal.code]).collect();
        assert_eq!(names.len(), 2 * all().count());
        for signal in all() {
            for name in [signal.id, signal.code, &signal.code.to_lowercase()] {
                assert_eq!(find(name).map(|found| found.id), Some(signal.id), "{name}");
            }
            assert!(!signal.sources.is_empty(), "{}", signal.id);
        }
        assert!(find("AC99").is_none());
    }
}
