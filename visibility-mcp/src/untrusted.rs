//! Strangers' text, made harmless for a model.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use visibility_core::report::escape::{Place, markdown_code, printable, printable_lines};

/// A text of a site.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct Untrusted(String);

/// Whether something was left out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Cut {
    No,
}

impl Untrusted {
    /// One line.
    pub(crate) fn quote(text: &str) -> Self {
        Self(printable(text).trim().to_owned())
    }

    /// A file, with its lines.
    pub(crate) fn file(text: &str) -> (Self, Cut) {
        (Self(printable_lines(text)), Cut::No)
    }

    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The text as code in a line of Markdown.
    pub(crate) fn code(&self, place: Place) -> String {
        markdown_code(&self.0, place)
    }
}

impl JsonSchema for Untrusted {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Untrusted".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}
