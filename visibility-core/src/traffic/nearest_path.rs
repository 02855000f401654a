//! Where a missing path was probably meant to lead.

use strsim::levenshtein;

/// Changes between two names in the same folder, at most.
const MAX_CHANGES: usize = 3;
/// Bytes of a name that is compared at all.
const MAX_NAME_BYTES: usize = 128;
/// Ends of names that pages have or not, as their server likes it.
const PAGE_EXTENSIONS: [&str; 5] = [".html", ".htm", ".php", ".aspx", ".md"];

/// The path among those that exist that a missing one was probably meant to be.
///
/// It is in the same folder, and its name differs by a letter or two, by its end or by the slash behind it. Names with
/// other numbers are other things.
pub fn nearest_path<'a>(
    missing: &str,
    existing: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let (folder, name) = parts(missing);
    if name.is_empty() || name.len() > MAX_NAME_BYTES {
        return None;
    }
    let name = name.to_lowercase();
    let rated = existing.into_iter().filter(|path| *path != missing).filter_map(|path| {
        let (other_folder, other) = parts(path);
        let is_comparable = folder == other_folder
            && other.len() <= MAX_NAME_BYTES
            && other.len().abs_diff(name.len()) <= MAX_CHANGES;
        if !is_comparable || !digits(other).eq(digits(&name)) {
            return None;
        }
        let changes = levenshtein(&name, &other.to_lowercase());
        // One change in three letters: more is another word.
        let is_near = changes <= MAX_CHANGES && changes * 3 <= name.chars().count();
        is_near.then_some((changes, path))
    });
    // The shorter and the first of the alphabet, so that the answer is always the same.
    rated.min_by_key(|(changes, path)| (*changes, path.len(), *path)).map(|(_, path)| path)
}

/// The folder of a path and the name in it, without what a server may leave out.
fn parts(path: &str) -> (&str, &str) {
    let bare = path.strip_suffix('/').unwrap_or(path);
    let (folder, name) = bare.rsplit_once('/').unwrap_or(("", bare));
    let stem = PAGE_EXTENSIONS.iter().find_map(|extension| name.strip_suffix(extension));
    (folder, stem.unwrap_or(name))
}

fn digits(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(char::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_leads_to_the_page_and_another_name_does_not() {
        let existing = [
            "/",
            "/pricing",
            "/about.html",
            "/en",
            "/docs/installing",
            "/docs/install",
            "/product-12",
            "/blog/post-2026",
            "/Kontakt",
        ];
        for (missing, expected) in [
            ("/pricng", Some("/pricing")),
            ("/pricing/", Some("/pricing")),
            ("/pricing.html", Some("/pricing")),
            ("/about", Some("/about.html")),
            ("/kontakt", Some("/Kontakt")),
            ("/docs/instal", Some("/docs/install")),
            ("/docs/pricing", None),
            ("/de", None),
            ("/product-13", None),
            ("/blog/post-2025", None),
            ("/", None),
            ("/pricing", None),
            ("/pricing-for-enterprises", None),
        ] {
            assert_eq!(nearest_path(missing, existing), expected, "{missing}");
        }
        assert_eq!(nearest_path(&"/x".repeat(1_000), existing), None);
    }
}
