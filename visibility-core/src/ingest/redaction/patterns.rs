//! The patterns, each a scan in linear time: after a hit it goes on behind it.

#![expect(clippy::indexing_slicing, reason = "every bound is a place that was found in the text")]

use memchr::{memchr_iter, memmem};

use super::{AT, DOT, SPACE, UNDERSCORE};

/// A place in the bytes, and the end of it.
pub(super) type Range = (usize, usize);

/// Bytes behind `ghp_` and the like.
const GITHUB_TOKEN_BYTES: usize = 36;

/// Finds all hits of one pattern.
type Pattern = fn(&[u8], &mut Vec<Range>);

/// The patterns by the ids that the data has for them, each with the mark that it needs.
pub(super) const PATTERNS: [(&str, u8, Pattern); 5] = [
    ("email_in_value", AT, emails),
    ("jwt_in_value", DOT, web_tokens),
    ("github_token", UNDERSCORE, github_tokens),
    ("bearer", SPACE, bearers),
    ("private_key_pem", SPACE, private_keys),
];

/// Finds everything that is not stored; hits of several patterns may overlap. `marks` are those of
/// the bytes.
pub(super) fn find(bytes: &[u8], marks: u8, ranges: &mut Vec<Range>) {
    for (_, mark, pattern) in PATTERNS {
        if marks & mark != 0 {
            pattern(bytes, ranges);
        }
    }
}

fn emails(bytes: &[u8], ranges: &mut Vec<Range>) {
    for at in memchr_iter(b'@', bytes) {
        let start = at - run_back(&bytes[..at], is_local);
        let end = at + 1 + run(&bytes[at + 1..], is_domain);
        let domain = bytes[at + 1..end].trim_ascii_end();
        if start < at && has_top_level(domain) && !is_image(domain) {
            ranges.push((start, end));
        }
    }
}

fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".!$%*+^_`{|}~-".contains(&byte) || !byte.is_ascii()
}

fn is_domain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-') || !byte.is_ascii()
}

/// Whether a label of a domain, but not its first, begins with two letters.
fn has_top_level(domain: &[u8]) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
    domain.windows(4).any(|bytes| match bytes {
        [before, b'.', first, second] => *before != b'.' && is_letter(*first) && is_letter(*second),
        _ => false,
    })
}

/// Whether a domain is the end of a file's name, such as `2x.png`.
fn is_image(domain: &[u8]) -> bool {
    let extensions: [&[u8]; 7] = [b"png", b"jpg", b"jpeg", b"gif", b"webp", b"svg", b"avif"];
    match domain {
        [b'1'..=b'9', b'x' | b'X', b'.', rest @ ..] => {
            extensions.iter().any(|extension| extension.eq_ignore_ascii_case(rest))
        }
        _ => false,
    }
}

fn web_tokens(bytes: &[u8], ranges: &mut Vec<Range>) {
    let mut from = 0;
    while let Some(dot) = memmem::find(&bytes[from..], b".ey").map(|at| from + at) {
        let left = dot - run_back(&bytes[from..dot], is_word);
        let header = bytes[left..dot].windows(4).position(is_part);
        let claims = &bytes[dot + 1..];
        let is_claims = claims.get(..4).is_some_and(is_part) && is_word(claims[3]);
        from = dot + 1;
        if let (Some(header), true) = (header, is_claims) {
            let mut end = dot + 1 + run(claims, is_word);
            if let [b'.', signature @ ..] = &bytes[end..] {
                let length = run(signature, |byte| is_word(byte) || b".+/".contains(&byte));
                end += if length > 0 { length + 1 } else { 0 };
            }
            ranges.push((left + header, end));
            from = end;
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'=' | b'-')
}

/// Whether bytes are the beginning of an encoded JSON object, and one more.
fn is_part(bytes: &[u8]) -> bool {
    matches!(bytes, [b'e', b'y', b'I'..=b'L', ..])
}

fn github_tokens(bytes: &[u8], ranges: &mut Vec<Range>) {
    for at in memchr_iter(b'_', bytes) {
        let is_start = matches!(bytes[..at], [.., b'g', b'h', b'o' | b'p' | b's' | b'u']);
        let secret = bytes.get(at + 1..at + 1 + GITHUB_TOKEN_BYTES);
        if is_start && secret.is_some_and(|secret| secret.iter().all(u8::is_ascii_alphanumeric)) {
            ranges.push((
                at - 3,
                at + 1 + run(&bytes[at + 1..], |byte| byte.is_ascii_alphanumeric()),
            ));
        }
    }
}

fn bearers(bytes: &[u8], ranges: &mut Vec<Range>) {
    let word = b"bearer";
    let mut from = 0;
    while let Some(at) =
        bytes[from..].windows(word.len()).position(|bytes| bytes.eq_ignore_ascii_case(word))
    {
        let start = from + at;
        let gap = start + word.len();
        let secret = gap + run(&bytes[gap..], is_space);
        // What follows the word without a space may begin with it again.
        from = secret;
        if gap < secret {
            from += run(&bytes[secret..], |byte| is_word(byte) || b".~/".contains(&byte));
        }
        if secret < from {
            ranges.push((start, from));
        }
    }
}

fn private_keys(bytes: &[u8], ranges: &mut Vec<Range>) {
    let begin = b"-----BEGIN";
    let mut from = 0;
    while let Some(start) = memmem::find(&bytes[from..], begin).map(|at| from + at) {
        let kind = start + begin.len();
        let end = kind + run(&bytes[kind..], |byte| byte.is_ascii_uppercase() || is_space(byte));
        from = end;
        let is_private = bytes[kind..end]
            .split(|byte| is_space(*byte))
            .rev()
            .take(2)
            .eq([&b"KEY"[..], b"PRIVATE"]);
        if is_private && bytes[end..].starts_with(b"-----") {
            from = end + run(&bytes[end..], |byte| byte != b'&');
            ranges.push((start, from));
        }
    }
}

/// White space, or what represents a space in a query.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'+' | b'\t'..=b'\r')
}

/// How many bytes at the start are of a kind.
fn run(bytes: &[u8], is_kind: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| is_kind(**byte)).count()
}

/// How many bytes at the end are of a kind.
fn run_back(bytes: &[u8], is_kind: impl Fn(u8) -> bool) -> usize {
    bytes.iter().rev().take_while(|byte| is_kind(**byte)).count()
}
