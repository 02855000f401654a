//! What kind of page it is, which decides what counts.

use serde::{Deserialize, Serialize};

use crate::locale::Values;

/// Kinds of pages.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// One thing to buy.
    Product,
    /// Many things to choose from; scored as a landing page.
    Collection,
    /// Something to read.
    Article,
    /// Everything else.
    Landing,
}

impl Profile {
    /// All, in order.
    pub const ALL: [Self; 4] = [Self::Product, Self::Collection, Self::Article, Self::Landing];

    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Collection => "collection",
            Self::Article => "article",
            Self::Landing => "landing",
        }
    }

    /// A profile by its value on the wire.
    pub fn from_wire(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.as_str() == text)
    }
}

/// A profile, and why.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Decision {
    /// The profile.
    pub profile: Profile,
    /// The sign that decided; its sentence stands in `locales/` under `profile_reasons`.
    pub reason: &'static str,
    /// Values for the placeholders of the sentence.
    pub values: Values,
}

impl Decision {
    /// A decision for this reason, without values.
    pub fn new(profile: Profile, reason: &'static str) -> Self {
        Self { profile, reason, values: Values::new() }
    }

    /// The profile that a user chose.
    pub fn chosen(profile: Profile) -> Self {
        Self::new(profile, "chosen")
    }
}
