//! What checks of a scan and signals of an audit have in common: outcomes and findings, fixes, the
//! documents that they follow, how much work a fix is, and where facts are kept.

pub(crate) mod fact_cache;
pub mod finding;
pub mod fix;

use serde::{Deserialize, Serialize};

/// A document that a check or a signal follows.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct Spec {
    /// Name such as `RFC 9309`; never translated.
    pub name: &'static str,
    /// Where it stands.
    pub url: &'static str,
}

/// How much work a fix usually is.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Effort {
    /// A line or a setting.
    S,
    /// A file or a header, to write once.
    M,
    /// Work on the application.
    L,
}

impl Effort {
    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::S => "S",
            Self::M => "M",
            Self::L => "L",
        }
    }

    /// What the points of a fix are divided by.
    pub fn cost(self) -> u32 {
        match self {
            Self::S => 1,
            Self::M => 2,
            Self::L => 4,
        }
    }
}
