//! A check as `visibility checks` and `visibility explain` show it.

use serde::Serialize;
use visibility_core::report::labels::Labels;
use visibility_core::rubric::{Effort, Spec};
use visibility_core::scan::check::{Category, Check, Maturity};
use visibility_core::scan::surface::Surface;

/// A check for machines.
#[derive(Debug, Serialize)]
pub(crate) struct CheckEntry {
    id: &'static str,
    title: String,
    category: Category,
    weight: u8,
    maturity: Maturity,
    effort: Effort,
    /// Empty for every site.
    surfaces: &'static [Surface],
    /// Names from other lists.
    covers: &'static [&'static str],
    specs: &'static [Spec],
}

impl CheckEntry {
    pub(crate) fn new(check: &Check, labels: Labels) -> Self {
        Self {
            id: check.id,
            title: title(check, labels),
            category: check.category,
            weight: check.weight,
            maturity: check.maturity,
            effort: check.effort,
            surfaces: check.surfaces,
            covers: check.covers,
            specs: check.specs,
        }
    }
}

pub(crate) fn title(check: &Check, labels: Labels) -> String {
    labels.catalog().text(&["checks", check.id, "title"])
}
