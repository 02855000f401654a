//! Surfaces: what a site offers, by which checks can be not applicable.

use serde::{Deserialize, Serialize};

/// A kind of site. A site can be several.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// Something to read: every site.
    Content,
    /// Something to call.
    Api,
    /// Something to log in to, to book, to upload.
    App,
    /// Something to buy.
    Commerce,
}

impl Surface {
    /// All, in order.
    pub const ALL: [Self; 4] = [Self::Content, Self::Api, Self::App, Self::Commerce];

    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Api => "api",
            Self::App => "app",
            Self::Commerce => "commerce",
        }
    }
}
