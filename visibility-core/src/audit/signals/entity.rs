//! Signals of the pillar `entity`.

mod entity_properties;
mod json_ld_syntax;
mod markup_consistency;
mod page_entity;
mod publisher_identity;
#[cfg(test)]
mod shops;

use crate::audit::signal::Signal;

/// The signals of the pillar, in the order of the rubric.
pub(super) const SIGNALS: &[&Signal] = &[
    &json_ld_syntax::SIGNAL,
    &page_entity::SIGNAL,
    &entity_properties::SIGNAL,
    &markup_consistency::SIGNAL,
    &publisher_identity::SIGNAL,
];

/// Names in one line, each once, in order; a dash if there are none.
fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut shown: Vec<&str> = Vec::new();
    for name in names {
        if shown.len() == MAX_LISTED {
            break;
        }
        if !name.is_empty() && !shown.contains(&name) {
            shown.push(name);
        }
    }
    if shown.is_empty() { "–".to_owned() } else { shown.join(", ") }
}

/// Names that a sentence lists.
const MAX_LISTED: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rubric::finding::Verdict;
    use crate::text::locale::{Catalog, Lang};

    #[test]
    fn every_outcome_has_its_sentences_in_both_languages() {
        for (signal, lang) in SIGNALS.iter().flat_map(|signal| Lang::ALL.map(|lang| (signal, lang)))
        {
            let find = |path: &[&str]| {
                Catalog::for_lang(lang).find(&[&["signals", signal.id], path].concat())
            };
            assert!(find(&["title"]).is_some() && find(&["why"]).is_some(), "{}", signal.id);
            for outcome in signal.outcomes {
                let id = outcome.id;
                assert!(find(&["outcomes", id, "text"]).is_some(), "{} {id}", signal.id);
                let is_open = matches!(outcome.verdict, Verdict::Warn | Verdict::Fail);
                assert_eq!(find(&["outcomes", id, "fix"]).is_some(), is_open, "{} {id}", signal.id);
            }
        }
    }

    #[test]
    fn names_are_listed_once() {
        assert_eq!(listed(["a", "b", "", "a"]), "a, b");
        assert_eq!(listed([]), "–");
    }
}
