//! The profile of a page (product, article, ...), which decides the weights of the signals.

mod decide;
pub mod features;
pub mod model;
mod possible;
mod url_signs;
mod value;
mod words;

use serde::{Deserialize, Serialize};

pub use self::decide::{
    LikelyProfile, MIN_CHARS, ProfileBasis, ProfileDecision, ProfileReason, STATED_FROM,
};
pub use self::possible::PossibleProfiles;
pub use self::value::{FeatureValue, ValueText};
pub(crate) use self::words::sells;

/// Kinds of pages.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// One thing to buy.
    Product,
    /// Many things to buy, to choose from.
    Collection,
    /// Something to read.
    Article,
    /// What is offered, and everything else.
    Landing,
    /// What explains how something works.
    Documentation,
    /// What people say to each other.
    Forum,
    /// Links to pages of other kinds.
    Listing,
}

impl Profile {
    /// All, in order.
    pub const ALL: [Self; 7] = [
        Self::Product,
        Self::Collection,
        Self::Article,
        Self::Landing,
        Self::Documentation,
        Self::Forum,
        Self::Listing,
    ];

    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Collection => "collection",
            Self::Article => "article",
            Self::Landing => "landing",
            Self::Documentation => "documentation",
            Self::Forum => "forum",
            Self::Listing => "listing",
        }
    }

    /// A profile by its value on the wire.
    pub fn from_wire(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.as_str() == text)
    }
}
