//! Signals of the pillar `entity`.

mod entity_properties;
mod json_ld_syntax;
mod markup_consistency;
mod page_entity;
mod publisher_identity;

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
