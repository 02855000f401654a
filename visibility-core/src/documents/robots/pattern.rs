//! Paths and patterns in the form in which they are compared, RFC 9309 sections 2.2.2 and 2.2.3.

/// A pattern that is ready to be compared.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Pattern {
    /// Normalized bytes, ASCII; `*` is a wildcard and nothing else. Without the final `$`.
    /// Stars side by side are one.
    text: Box<str>,
    /// Bytes of the pattern before stars were joined, the final `$` included.
    length: usize,
    /// Whether the pattern ended in `$`.
    anchored: bool,
    /// The bytes before the first `*`, and which of them there are.
    head: Head,
    mask: Head,
}

/// Up to eight bytes side by side: most patterns are distinguished from a target by comparing one number.
type Head = u64;

/// Up to eight bytes before the first `*`, and a number with all bits set where they are.
fn head(text: &str) -> (Head, Head) {
    let literal = text.bytes().take_while(|byte| *byte != b'*');
    literal.zip(0..8).fold((0, 0), |(head, mask), (byte, place)| {
        (head | Head::from(byte) << (8 * place), mask | 0xff << (8 * place))
    })
}

impl Pattern {
    /// Prepares a pattern; `None` if it can match no path: it is empty, or starts neither with `/`
    /// nor with `*`.
    pub(super) fn new(raw: &[u8]) -> Option<Self> {
        if !matches!(raw.first(), Some(b'/' | b'*')) {
            return None;
        }
        let (body, anchored) = match raw.strip_suffix(b"$") {
            Some(body) => (body, true),
            None => (raw, false),
        };
        let normal = normalize(body, Stars::Wildcards);
        let length = normal.len() + usize::from(anchored);
        let text = if normal.contains("**") { join_stars(&normal) } else { normal };
        let (head, mask) = head(&text);
        Some(Self { text: text.into_boxed_str(), length, anchored, head, mask })
    }

    /// Bytes of the normalized pattern, `*` and `$` included: the longest match decides.
    pub(super) fn specificity(&self) -> usize {
        self.length
    }

    /// Whether the pattern matches from the first byte of a target.
    ///
    /// The leftmost place for each part between stars is the best one, so nothing is tried twice
    /// and the time is linear in the lengths of target and pattern.
    pub(super) fn matches(&self, target: &Target) -> bool {
        // A target has no byte 0, so one that is too short differs as well.
        if (target.head ^ self.head) & self.mask != 0 {
            return false;
        }
        let Some((first, more)) = self.text.split_once('*') else {
            return match target.text.strip_prefix(&*self.text) {
                Some(rest) => rest.is_empty() || !self.anchored,
                None => false,
            };
        };
        let Some(mut rest) = target.text.strip_prefix(first) else { return false };
        let (middle, last) = more.rsplit_once('*').unwrap_or(("", more));
        for part in middle.split('*').filter(|part| !part.is_empty()) {
            match rest.split_once(part) {
                Some((_, behind)) => rest = behind,
                None => return false,
            }
        }
        if self.anchored { rest.ends_with(last) } else { rest.contains(last) }
    }
}

/// Path and query of a URL in the form in which they are compared.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Target {
    text: String,
    head: Head,
}

impl Target {
    /// Takes path and query from a URL or from a path; the fragment is dropped.
    pub(super) fn new(url: &str) -> Self {
        let url = url.split('#').next().unwrap_or_default();
        let path = match url.find(['/', '?']).and_then(|at| url.split_at_checked(at)) {
            Some((scheme, rest)) if scheme.ends_with(':') => match rest.strip_prefix("//") {
                Some(rest) => {
                    let end = rest.find(['/', '?']).unwrap_or(rest.len());
                    rest.get(end..).unwrap_or_default()
                }
                None => rest,
            },
            _ => url,
        };
        let slash = if path.starts_with('/') { "" } else { "/" };
        let text = slash.to_owned() + &normalize(path.as_bytes(), Stars::Literal);
        let (head, _) = head(&text);
        Self { text, head }
    }

    /// Whether it is `/robots.txt` itself, which is always allowed.
    pub(super) fn is_robots_txt(&self) -> bool {
        self.text == "/robots.txt"
    }
}

/// Several stars match what one does.
fn join_stars(text: &str) -> String {
    let mut joined = String::new();
    for ch in text.chars() {
        if ch != '*' || !joined.ends_with('*') {
            joined.push(ch);
        }
    }
    joined
}

/// What a `*` is.
#[derive(Clone, Copy)]
pub(super) enum Stars {
    /// In a pattern: any bytes.
    Wildcards,
    /// In a URL: itself.
    Literal,
}

/// Percent-encodes what a URL cannot hold and a literal `$` or `*`, decodes unreserved characters,
/// and writes hexadecimal digits in upper case. A `%` without two digits stays.
pub(super) fn normalize(bytes: &[u8], stars: Stars) -> String {
    let is_normal =
        |byte: &u8| is_plain(*byte) || (*byte == b'*' && matches!(stars, Stars::Wildcards));
    if bytes.iter().all(is_normal)
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return text.to_owned();
    }
    let mut normal = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        match (byte, behind) {
            (b'%', [high, low, behind @ ..])
                if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                rest = behind;
                match hex(*high) * 16 + hex(*low) {
                    decoded if is_unreserved(decoded) => normal.push(char::from(decoded)),
                    decoded => push_encoded(&mut normal, decoded),
                }
            }
            (b'*', _) if matches!(stars, Stars::Wildcards) => normal.push('*'),
            (b'%', _) => normal.push('%'),
            _ if is_plain(byte) => normal.push(char::from(byte)),
            _ => push_encoded(&mut normal, byte),
        }
    }
    normal
}

fn push_encoded(text: &mut String, byte: u8) {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    text.push('%');
    text.push(digit(byte >> 4).to_ascii_uppercase());
    text.push(digit(byte & 15).to_ascii_uppercase());
}

fn hex(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20).wrapping_sub(b'a' - 10),
    }
}

/// RFC 3986 section 2.3.
fn is_unreserved(byte: u8) -> bool {
    matches!(byte, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~')
}

/// Unreserved or reserved (RFC 3986 section 2.2), but for `*` and `$`, which are special.
fn is_plain(byte: u8) -> bool {
    is_unreserved(byte)
        || matches!(byte, b':' | b'/' | b'?' | b'#' | b'[' | b']' | b'@' | b'!' | b'&' | b'\'')
        || matches!(byte, b'(' | b')' | b'+' | b',' | b';' | b'=')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, target: &str) -> bool {
        Pattern::new(pattern.as_bytes()).is_some_and(|p| p.matches(&Target::new(target)))
    }

    #[test]
    fn a_pattern_matches_from_the_first_byte() {
        for (pattern, target, expected) in [
            ("/fish", "/fish.html", true),
            ("/fish", "/Fish", false),
            ("/fish/", "/fish", false),
            ("fish", "/fish", false),
            ("", "/", false),
            ("*fish", "/a/fish", true),
            ("//x", "//x", true),
            ("https://e.com/a", "https://e.com/a", false),
        ] {
            assert_eq!(matches(pattern, target), expected, "{pattern} {target}");
        }
    }

    /// RFC 9309 section 2.2.3.
    #[test]
    fn a_star_is_any_bytes_and_a_final_dollar_is_the_end() {
        for (pattern, target, expected) in [
            ("/*.php$", "/a/b.php", true),
            ("/*.php$", "/a.php?x", false),
            ("/*.php$", "/a.php.php", true),
            ("/a$", "/a", true),
            ("/a$", "/ab", false),
            ("/a$b", "/a$b", true),
            ("/a$$", "/a$", true),
            ("/a*", "/a", true),
            ("/a*$", "/abc", true),
            ("/a*b*c", "/abc", true),
            ("/a*b*c", "/acb", false),
            ("/*aba*ba$", "/ababa", true),
            ("/*aba*aba$", "/ababa", false),
            ("/***b", "/ab", true),
            ("*", "/", true),
            ("*$", "/x", true),
            ("/*a$", "/", false),
        ] {
            assert_eq!(matches(pattern, target), expected, "{pattern} {target}");
        }
    }

    /// RFC 9309 section 2.2.2, the table of percent-encodings.
    #[test]
    fn both_sides_are_normalized() {
        for (pattern, target, expected) in [
            ("/%7ejoe", "/~joe", true),
            ("/%62%61%7A", "/baz", true),
            ("/a%2fb", "/a%2Fb", true),
            ("/a%2Fb", "/a/b", false),
            ("/ü", "/%c3%bc", true),
            ("/a<b", "/a%3Cb", true),
            ("/%2A", "/*", true),
            ("/%2A", "/x", false),
            ("/a%24", "/a$", true),
            ("/a%24", "/ab", false),
            ("/%a", "/%a", true),
            ("/%", "/%", true),
        ] {
            assert_eq!(matches(pattern, target), expected, "{pattern} {target}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_compared_as_bytes() {
        let pattern = Pattern::new(b"/caf\xe9").unwrap();
        assert!(pattern.matches(&Target::new("/caf%E9/x")));
        assert!(!pattern.matches(&Target::new("/café")));
    }

    #[test]
    fn the_target_of_a_url_is_its_path_and_query() {
        for (url, target) in [
            ("https://e.com", "/"),
            ("https://e.com?x=1", "/?x=1"),
            ("https://e.com/a?b#c", "/a?b"),
            ("https://e.com/a?u=http://x/", "/a?u=http://x/"),
            ("/a?u=http://x/", "/a?u=http://x/"),
            ("a", "/a"),
            ("", "/"),
            ("#x", "/"),
            ("//folder/x", "//folder/x"),
        ] {
            assert_eq!(Target::new(url).text, target, "{url}");
        }
    }

    #[test]
    fn stars_side_by_side_are_compared_as_one_and_count_all() {
        for (raw, text, specificity) in [
            (format!("/{}", "*".repeat(500_000)), "/*", 500_001),
            ("**a***b*$".to_owned(), "*a*b*", 9),
            ("/%2A**".to_owned(), "/%2A*", 6),
        ] {
            let pattern = Pattern::new(raw.as_bytes()).unwrap();
            assert_eq!((&*pattern.text, pattern.specificity()), (text, specificity));
        }
    }

    #[test]
    fn many_stars_cost_no_more_than_few() {
        let pattern = format!("/{}b$", "*a".repeat(5_000));
        let target = format!("/{}", "a".repeat(20_000));
        assert!(!matches(&pattern, &target));
    }
}
