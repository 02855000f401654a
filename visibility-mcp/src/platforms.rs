//! What serves a site.

/// Any platform.
pub(crate) const GENERIC: &str = "generic";
/// The platforms for which there are files and steps.
pub(crate) const PLATFORMS: [&str; 8] =
    ["nginx", "caddy", "cloudflare", "vercel", "nextjs", "wordpress", "shopify", GENERIC];
