//! Markup to paste: what it says now, made to say what the page shows.

use serde_json::{Map, Value};

use crate::audit::facts::main_entity::MainEntity;
use crate::audit::page::AuditedPage;
use crate::audit::proposals::lines;
use crate::audit::signal::{SnippetFix, SnippetLanguage};
use crate::rubric::fix::Placement;

/// Nesting in which a value to correct is looked for.
const MAX_DEPTH: usize = 6;

/// Properties of the markup as they should be.
pub(super) struct Correction {
    /// The property of the entity in whose value they are; `None` for those of the entity.
    within: Option<&'static str>,
    /// The property that is wrong, and its value there; any if it is not given.
    wrong: (&'static str, Option<Value>),
    /// The replacement.
    members: Map<String, Value>,
}

impl Correction {
    /// A property of the entity, or of its rating.
    pub(super) fn entity(key: &'static str, value: Value) -> Self {
        let is_rating = ["ratingValue", "reviewCount", "ratingCount"].contains(&key);
        let members = Map::from_iter([(key.to_owned(), value)]);
        Self { within: is_rating.then_some("aggregateRating"), wrong: (key, None), members }
    }

    /// Properties of the offer that has this value.
    pub(super) fn offer(key: &'static str, wrong: &Value, members: Map<String, Value>) -> Self {
        Self { within: Some("offers"), wrong: (key, Some(wrong.clone())), members }
    }

    /// Corrects a value; false if it has no such property.
    fn put(&self, value: &mut Value, depth: usize) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        match value {
            Value::Object(object) => {
                let (key, wrong) = &self.wrong;
                let own = object.get(*key);
                if own.is_some() && (wrong.is_none() || own == wrong.as_ref()) {
                    object.extend(self.members.clone());
                    return true;
                }
                object.values_mut().any(|value| self.put(value, depth + 1))
            }
            Value::Array(all) => all.iter_mut().any(|value| self.put(value, depth + 1)),
            _ => false,
        }
    }
}

/// The lines of the entity with what is wrong in them corrected: whole values, so that nothing else is
/// lost where they replace what is there.
pub(super) fn fix(
    page: &AuditedPage<'_>,
    main: &MainEntity,
    rights: Vec<Correction>,
) -> Option<SnippetFix> {
    let mut members = Map::new();
    for right in rights {
        let Some(key) = right.within else {
            members.extend(right.members);
            continue;
        };
        let is_begun = members.contains_key(key);
        let Some(mut whole) = members.remove(key).or_else(|| main.inline(&page.markup, key)) else {
            continue;
        };
        if right.put(&mut whole, 0) || is_begun {
            members.insert(key.to_owned(), whole);
        }
    }
    let snippet = lines(members)?;
    Some(SnippetFix::new(Placement::InPlace, SnippetLanguage::Json, snippet))
}
