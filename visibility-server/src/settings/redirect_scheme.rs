//! Schemes of redirect URIs that a setting may allow.

/// Schemes that no setting allows: what they lead to runs in the browser, or reads its files.
const DANGEROUS: [&str; 14] = [
    "about",
    "blob",
    "chrome",
    "data",
    "file",
    "filesystem",
    "ftp",
    "intent",
    "javascript",
    "mailto",
    "vbscript",
    "view-source",
    "ws",
    "wss",
];

/// Whether a scheme may be allowed by a setting: lower case, as in URLs that were parsed.
pub(crate) fn is_allowed_scheme(scheme: &str) -> bool {
    scheme.starts_with(|first: char| first.is_ascii_lowercase())
        && scheme.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.')
        })
        && !DANGEROUS.contains(&scheme)
        && !matches!(scheme, "http" | "https")
}
