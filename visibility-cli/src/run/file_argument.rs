//! Arguments that may name a file instead of a domain or a URL.

use std::path::Path;

/// Whether a source names a file and not a domain: it looks like one, even if it does not exist.
pub(crate) fn is_file(source: &str) -> bool {
    let is_path = source.contains(['/', '\\']) || Path::new(source).is_file();
    source == "-" || is_path || is_named_as_results(source)
}

pub(crate) fn is_named_as_results(source: &str) -> bool {
    Path::new(source).extension().is_some_and(|extension| {
        ["json", "ndjson", "txt"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    })
}
