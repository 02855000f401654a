//! Remarks on evidence: ids with values, whose sentences are in `locales/` under `notes`.

use std::collections::BTreeMap;
use std::fmt;

use crate::text::excerpt::excerpt;
use crate::text::locale::{Catalog, Values};

/// A remark such as "redirects to …": an id, and the values of its sentence.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Note {
    /// Noun phrase in kebab-case; its sentence is found in `locales/` under `notes`.
    pub id: &'static str,
    /// Values for the placeholders of the sentence. Text of the site among them is capped.
    pub values: Values,
    /// Values that are remarks themselves, by placeholder.
    pub notes: BTreeMap<&'static str, Self>,
}

impl Note {
    /// A remark without values.
    pub fn new(id: &'static str) -> Self {
        Self { id, values: Values::new(), notes: BTreeMap::new() }
    }

    /// Adds a value for a placeholder. Cut at 200 characters; control characters become spaces.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.values.insert(name, excerpt(&value.to_string()));
        self
    }

    /// Adds a value that is a remark itself, for a placeholder.
    #[must_use]
    pub fn with_note(mut self, name: &'static str, note: Self) -> Self {
        self.notes.insert(name, note);
        self
    }

    /// A remark that needs no translation: a token or a directive.
    pub fn verbatim(text: impl fmt::Display) -> Self {
        Self::new("verbatim").with("text", text)
    }

    /// The remark in the language of a catalog, at most 200 characters long.
    pub fn sentence(&self, catalog: &Catalog) -> String {
        let notes = self.notes.iter().map(|(&name, note)| (name, note.sentence(catalog)));
        let values: Values = self.values.clone().into_iter().chain(notes).collect();
        excerpt(&catalog.fill(&["notes", self.id], &values))
    }
}
