//! Suggests a known name for a misspelled one.

/// Bytes of a name that is compared at all.
const MAX_BYTES: usize = 64;

/// The known name that is nearest to a text, if it is near enough to be meant.
pub fn nearest<'a>(text: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let folded = fold(text);
    let rated = known.into_iter().map(|name| (distance(&folded, &fold(name)), name));
    let (changes, name) = rated.min_by_key(|(changes, _)| *changes)?;
    // One change in three letters: more is another word.
    (changes * 3 <= folded.len().max(3)).then_some(name)
}

/// Letters and digits in lower case.
fn fold(text: &str) -> Vec<char> {
    text.chars().filter(|ch| ch.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Insertions, deletions and replacements that lead from one to the other.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (above, from) in one.iter().enumerate() {
        let mut diagonal = above;
        let mut left = above + 1;
        let mut next = vec![left];
        for (up, to) in row.iter().skip(1).zip(other) {
            let changed = diagonal + usize::from(from != to);
            left = changed.min(left + 1).min(up + 1);
            diagonal = *up;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
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

    #[test]
    fn changes_are_counted() {
        let of = |one: &str, other: &str| {
            distance(&one.chars().collect::<Vec<_>>(), &other.chars().collect::<Vec<_>>())
        };
        for (one, other, changes) in
            [("", "", 0), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3), ("ab", "ba", 2)]
        {
            assert_eq!(of(one, other), changes, "{one} {other}");
        }
    }
}
