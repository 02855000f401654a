//! What kind of site it is, so that a check can be not applicable.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::scan::snapshot::SiteSnapshot;

/// A kind of site. A site can be several.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
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

/// The surfaces of a site and why they were found.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Profile {
    /// Why, in order; one surface can have several reasons.
    pub reasons: Vec<SurfaceReason>,
}

/// One sign of a surface.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SurfaceReason {
    /// The surface.
    pub surface: Surface,
    /// Id of the sentence in `locales/` under `surface_reasons`.
    pub id: &'static str,
    /// Values for its placeholders.
    pub values: BTreeMap<&'static str, String>,
}

impl Profile {
    /// Finds the surfaces of a site.
    pub fn detect(site: &SiteSnapshot) -> Self {
        let _ = site;
        let content =
            SurfaceReason { surface: Surface::Content, id: "every-site", values: BTreeMap::new() };
        Self { reasons: vec![content] }
    }

    /// A profile that a user chose: content and one more.
    pub fn chosen(surface: Surface) -> Self {
        let reason = |surface, id| SurfaceReason { surface, id, values: BTreeMap::new() };
        let mut reasons = vec![reason(Surface::Content, "every-site")];
        if surface != Surface::Content {
            reasons.push(reason(surface, "chosen"));
        }
        Self { reasons }
    }

    /// Whether a surface was found.
    pub fn has(&self, surface: Surface) -> bool {
        self.reasons.iter().any(|reason| reason.surface == surface)
    }

    /// Whether any of these was found.
    pub fn has_any(&self, surfaces: &[Surface]) -> bool {
        surfaces.iter().any(|surface| self.has(*surface))
    }

    /// The surfaces, in order, each once.
    pub fn surfaces(&self) -> Vec<Surface> {
        Surface::ALL.into_iter().filter(|surface| self.has(*surface)).collect()
    }
}
