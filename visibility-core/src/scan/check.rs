//! The definition of a check: an id, a place in the rubric, its outcomes, and the function that evaluates it.

use serde::{Deserialize, Serialize};

use crate::rubric::finding::{Finding, Outcome};
use crate::rubric::{Effort, Spec};
use crate::scan::snapshot::SiteSnapshot;
use crate::scan::surface::Surface;

/// One check of the rubric.
#[derive(Clone, Debug)]
pub struct Check {
    /// Kebab-case noun phrase; the file of the check is named after it.
    pub id: &'static str,
    /// The category it belongs to.
    pub category: Category,
    /// Points of the 100 that it is worth.
    pub weight: u8,
    /// How settled its standard is.
    pub maturity: Maturity,
    /// How much work a fix usually is.
    pub effort: Effort,
    /// The surfaces that it concerns; empty for every site.
    pub surfaces: &'static [Surface],
    /// Everything that it can say, in the order of its texts.
    pub outcomes: &'static [Outcome],
    /// Names from other lists of what agents look for, for what this check looks at.
    pub covers: &'static [&'static str],
    /// The documents that it follows; the first one is the page to read.
    pub specs: &'static [Spec],
    /// Judges a site. Sees the snapshot and nothing else, and never panics.
    pub evaluate: fn(&SiteSnapshot) -> Finding,
}

/// A part of the rubric.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Can agents reach the site?
    Access,
    /// May they read it?
    Policy,
    /// Is there something to read?
    Content,
    /// Do they find what there is?
    Discovery,
    /// Can they act?
    Action,
}

impl Category {
    /// All, in order.
    pub const ALL: [Self; 5] =
        [Self::Access, Self::Policy, Self::Content, Self::Discovery, Self::Action];

    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Access => "access",
            Self::Policy => "policy",
            Self::Content => "content",
            Self::Discovery => "discovery",
            Self::Action => "action",
        }
    }
}

/// How settled a standard is.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Maturity {
    /// A published standard.
    Standard,
    /// No standard, but used by everybody.
    Adopted,
    /// A draft with implementations.
    Draft,
    /// A proposal.
    Experimental,
}

impl Maturity {
    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Adopted => "adopted",
            Self::Draft => "draft",
            Self::Experimental => "experimental",
        }
    }
}
