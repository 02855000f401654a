//! What sites run on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a site runs on.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Platform {
    /// nginx.
    Nginx,
    /// Caddy.
    Caddy,
    /// Cloudflare, with Pages or Workers.
    Cloudflare,
    /// Vercel.
    Vercel,
    /// Next.js.
    NextJs,
    /// WordPress.
    WordPress,
    /// Shopify.
    Shopify,
    /// Anything else.
    #[default]
    Generic,
}

impl Platform {
    /// All.
    pub(crate) const ALL: [Self; 8] = [
        Self::Nginx,
        Self::Caddy,
        Self::Cloudflare,
        Self::Vercel,
        Self::NextJs,
        Self::WordPress,
        Self::Shopify,
        Self::Generic,
    ];

    /// A platform by its value on the wire.
    pub(crate) fn from_wire(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|platform| platform.as_str() == text)
    }

    /// The value on the wire.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Nginx => "nginx",
            Self::Caddy => "caddy",
            Self::Cloudflare => "cloudflare",
            Self::Vercel => "vercel",
            Self::NextJs => "nextjs",
            Self::WordPress => "wordpress",
            Self::Shopify => "shopify",
            Self::Generic => "generic",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_has_one_name() {
        for platform in Platform::ALL {
            assert_eq!(serde_json::json!(platform), platform.as_str());
            assert_eq!(Platform::from_wire(platform.as_str()), Some(platform));
        }
    }
}
