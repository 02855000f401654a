//! Suggests a known name for a misspelled one.

use strsim::levenshtein;

/// Bytes of a name that is compared at all.
const MAX_BYTES: usize = 64;

/// The known name that is nearest to a text, if it is near enough to be meant.
pub fn nearest<'a>(text: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let folded = fold(text);
    let rated = known.into_iter().map(|name| (levenshtein(&folded, &fold(name)), name));
    let (changes, name) = rated.min_by_key(|(changes, _)| *changes)?;
    // One change in three letters: more is another word.
    (changes * 3 <= folded.chars().count().max(3)).then_some(name)
}

/// Letters and digits in lower case.
fn fold(text: &str) -> String {
    text.chars().filter(|ch| ch.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_is_understood_and_another_word_is_not() {
        let known = ["robots-txt", "sitemap", "mcp-server"];
        for (text, meant) in [
            ("robots.txt", Some("robots-txt")),
            ("ROBOTS_TXT", Some("robots-txt")),
            ("robot-txt", Some("robots-txt")),
            ("site-map", Some("sitemap")),
            ("mpc-server", Some("mcp-server")),
            ("llms-full", None),
            ("", None),
        ] {
            assert_eq!(nearest(text, known), meant, "{text}");
        }
        assert_eq!(nearest(&"sitemap".repeat(100), known), None);
    }
}
