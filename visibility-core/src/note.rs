//! Remarks on evidence: ids with values, whose sentences stand in `locales/` under `notes`.

use std::fmt;

use crate::finding::excerpt;
use crate::locale::{Catalog, Values};

/// A remark such as "redirects to …": an id, and the values of its sentence.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Note {
    /// Noun phrase in kebab-case; its sentence is found in `locales/` under `notes`.
    pub id: &'static str,
    /// Values for the placeholders of the sentence. Text of the site among them is capped.
    pub values: Values,
}

impl Note {
    /// A remark without values.
    pub fn new(id: &'static str) -> Self {
        Self { id, values: Values::new() }
    }

    /// Adds a value for a placeholder. Cut at 200 characters; control characters become spaces.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.values.insert(name, excerpt(&value.to_string()));
        self
    }

    /// A remark that needs no translation: a token, a directive, or what a parser reported.
    pub fn verbatim(text: impl fmt::Display) -> Self {
        Self::new("verbatim").with("text", text)
    }

    /// The remark in the language of a catalog, at most 200 characters long.
    pub fn sentence(&self, catalog: &Catalog) -> String {
        excerpt(&catalog.fill(&["notes", self.id], &self.values))
    }
}
