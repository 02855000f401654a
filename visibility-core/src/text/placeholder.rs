//! Placeholders in the files of fixes, which a person fills.

/// How a placeholder looks in a file: `[MCP_ENDPOINT]`, which needs no escaping in HTML, JSON and the
/// files of servers.
pub(crate) fn placeholder(name: &str) -> String {
    format!("[{name}]")
}

/// Whether a value is a placeholder that was not filled.
pub(crate) fn is_placeholder(text: &str) -> bool {
    let inner = text.trim().strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    inner.is_some_and(|name| {
        name.len() > 2
            && name.starts_with(|ch: char| ch.is_ascii_uppercase())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    })
}
