//! Arguments that name a file where a domain or a URL may stand.

use std::path::Path;

/// Whether a source is a file and no domain: by its looks, even if there is none.
pub(crate) fn is_file(source: &str) -> bool {
    let is_path = source.contains(['/', '\\']) || Path::new(source).is_file();
    source == "-" || is_path || is_named_as_results(source)
}

pub(crate) fn is_named_as_results(source: &str) -> bool {
    Path::new(source).extension().is_some_and(|extension| {
        ["json", "ndjson", "txt"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    })
}
