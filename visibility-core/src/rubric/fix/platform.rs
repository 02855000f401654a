//! Platforms that sites run on, as far as fixes depend on them.

use serde::{Deserialize, Serialize};

/// What a site runs on.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    /// nginx.
    Nginx,
    /// Apache HTTP Server.
    Apache,
    /// Caddy.
    Caddy,
    /// Cloudflare, with Pages or Workers.
    Cloudflare,
    /// Netlify, and other static hosts that read `_headers` and `_redirects`.
    Netlify,
    /// Vercel.
    Vercel,
    /// Next.js.
    NextJs,
    /// WordPress.
    WordPress,
    /// Shopify.
    Shopify,
    /// Wix.
    Wix,
    /// Squarespace.
    Squarespace,
    /// Webflow.
    Webflow,
    /// Framer.
    Framer,
    /// Google Sites.
    GoogleSites,
    /// Another site builder that serves the pages itself.
    Hosted,
    /// Anything else.
    #[default]
    Generic,
}

impl Platform {
    /// All.
    pub const ALL: [Self; 16] = [
        Self::Nginx,
        Self::Apache,
        Self::Caddy,
        Self::Cloudflare,
        Self::Netlify,
        Self::Vercel,
        Self::NextJs,
        Self::WordPress,
        Self::Shopify,
        Self::Wix,
        Self::Squarespace,
        Self::Webflow,
        Self::Framer,
        Self::GoogleSites,
        Self::Hosted,
        Self::Generic,
    ];

    /// Whether a site builder serves the pages, so that their owner has settings and no files.
    pub fn is_hosted(self) -> bool {
        matches!(
            self,
            Self::Wix
                | Self::Squarespace
                | Self::Webflow
                | Self::Framer
                | Self::GoogleSites
                | Self::Hosted
        )
    }

    /// A platform by its value on the wire.
    pub fn from_wire(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|platform| platform.as_str() == text)
    }

    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Nginx => "nginx",
            Self::Apache => "apache",
            Self::Caddy => "caddy",
            Self::Cloudflare => "cloudflare",
            Self::Netlify => "netlify",
            Self::Vercel => "vercel",
            Self::NextJs => "nextjs",
            Self::WordPress => "wordpress",
            Self::Shopify => "shopify",
            Self::Wix => "wix",
            Self::Squarespace => "squarespace",
            Self::Webflow => "webflow",
            Self::Framer => "framer",
            Self::GoogleSites => "googlesites",
            Self::Hosted => "hosted",
            Self::Generic => "generic",
        }
    }

    /// The name for people, such as `nginx`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nginx => "nginx",
            Self::Apache => "Apache",
            Self::Caddy => "Caddy",
            Self::Cloudflare => "Cloudflare",
            Self::Netlify => "Netlify",
            Self::Vercel => "Vercel",
            Self::NextJs => "Next.js",
            Self::WordPress => "WordPress",
            Self::Shopify => "Shopify",
            Self::Wix => "Wix",
            Self::Squarespace => "Squarespace",
            Self::Webflow => "Webflow",
            Self::Framer => "Framer",
            Self::GoogleSites => "Google Sites",
            Self::Hosted => "a site builder",
            Self::Generic => "a web server",
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
