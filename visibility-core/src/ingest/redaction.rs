//! Replaces values that must not be stored: e-mail addresses, tokens and keys in paths and referrers.
//!
//! The patterns are `value_rules` of `data/query_denylist.json`. They never reject a record. A value
//! is looked for as written and under up to three rounds of percent-encoding, and is replaced by
//! [`MARKER`]. A local part ends at the separators of a URL, or a whole path would be one; a file
//! such as `logo@2x.png` is not an address.

mod patterns;
mod view;

use self::patterns::find;
use self::view::View;
use crate::ingest::byte_class::ByteClasses;
use crate::ingest::denylist::{Denylist, Parameters};
use crate::ingest::field_format;

/// The replacement for a value.
pub(super) const MARKER: &str = "[redacted]";

/// Bytes of which at least one is in every match of a pattern.
const MARKS: ByteClasses = ByteClasses::new(&[b"%", b".", b"@", b"_", b" +\t\n\x0B\x0C\r"]);
const PERCENT: u8 = 1;
const DOT: u8 = 1 << 1;
const AT: u8 = 1 << 2;
const UNDERSCORE: u8 = 1 << 3;
const SPACE: u8 = 1 << 4;

/// Redacts texts one by one, with buffers that are reused.
#[derive(Debug, Default)]
pub(crate) struct Redaction {
    view: View,
    ranges: Vec<(usize, usize)>,
}

impl Redaction {
    /// The text with matches replaced by [`MARKER`]. `scratch` holds it if anything was replaced.
    pub(crate) fn redact<'t>(&mut self, text: &'t str, scratch: &'t mut String) -> &'t str {
        let marks = MARKS.any(text.as_bytes());
        if marks == 0 || (marks == DOT && !text.contains(".ey")) {
            return text;
        }
        self.ranges.clear();
        if marks & PERCENT == 0 {
            find(text.as_bytes(), marks, &mut self.ranges);
            self.view.clear();
        } else {
            self.view.read(text);
            find(self.view.bytes(), MARKS.any(self.view.bytes()), &mut self.ranges);
        }
        if self.ranges.is_empty() {
            return text;
        }
        self.ranges.sort_unstable();
        scratch.clear();
        let mut kept_to = 0;
        for (start, end) in &self.ranges {
            let (start, end) = (self.view.source(*start), self.view.source(*end));
            if start >= kept_to {
                scratch.push_str(text.get(kept_to..start).unwrap_or_default());
                scratch.push_str(MARKER);
            }
            kept_to = kept_to.max(end);
        }
        scratch.push_str(text.get(kept_to..).unwrap_or_default());
        scratch
    }

    /// A referrer as it is stored: only its origin, if its query would be denied in a path or it has
    /// user information.
    pub(super) fn referrer<'t>(
        &mut self,
        referrer: &'t str,
        denylist: &mut Denylist,
        scratch: &'t mut String,
    ) -> &'t str {
        if referrer.is_empty() {
            return referrer;
        }
        if denylist.check(referrer) == Parameters::Fine && !has_user_info(referrer) {
            return self.redact(referrer, scratch);
        }
        scratch.clear();
        if let Some((scheme, host)) = origin(referrer) {
            scratch.push_str(scheme);
            scratch.push_str("://");
            scratch.push_str(host);
            scratch.push('/');
        }
        scratch
    }
}

/// Scheme and authority of an absolute URL.
fn authority(referrer: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = referrer.split_once("://")?;
    Some((scheme, rest.split(['/', '?', '#', '\\']).next()?))
}

fn has_user_info(referrer: &str) -> bool {
    let has_at = memchr::memchr(b'@', referrer.as_bytes()).is_some();
    has_at && authority(referrer).is_some_and(|(_, authority)| authority.contains('@'))
}

/// Scheme and host with port, if both are valid.
fn origin(referrer: &str) -> Option<(&str, &str)> {
    let (scheme, authority) = authority(referrer)?;
    let host = authority.rsplit('@').next()?;
    let is_scheme =
        scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    let is_origin =
        is_scheme && !scheme.is_empty() && field_format::host(host, &mut String::new()).is_some();
    is_origin.then_some((scheme, host))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn redacted(text: &str) -> String {
        Redaction::default().redact(text, &mut String::new()).to_owned()
    }

    #[test]
    fn values_that_look_like_secrets_or_persons_are_taken_out() {
        let github = format!("ghp_{}", "a1B2".repeat(9));
        for (text, expected) in [
            ("/a?x=bob@example.com", "/a?x=[redacted]"),
            ("/a?x=bob%40example.com&y=1", "/a?x=[redacted]&y=1"),
            ("/a?x=bob%2540example.com", "/a?x=[redacted]"),
            ("/a?x=%62ob.b%2Bc@sub.example%2Eco.uk/z", "/a?x=[redacted]/z"),
            ("/u/jürgen@örnek.com/", "/u/[redacted]/"),
            ("/u/bob@example.com,eve@example.org", "/u/[redacted],[redacted]"),
            ("/x?eyJhbGc.eyJzdWI.sig-_1&y=2", "/x?[redacted]&y=2"),
            ("/x?a=eyJhbGc%2EeyJzdWI&y=2", "/x?a=[redacted]&y=2"),
            ("/x/eyJhbGc=.eyKx", "/x/[redacted]"),
            (&format!("/x?q={github}&y"), "/x?q=[redacted]&y"),
            ("/x?q=Bearer%20abc.def-1&y", "/x?q=[redacted]&y"),
            ("/bearer/bearer+abc", "/bearer/[redacted]"),
            ("/x?q=bearer+++abc", "/x?q=[redacted]"),
            ("/x?q=BEARER abc def", "/x?q=[redacted] def"),
            ("/x?k=-----BEGIN%20RSA%20PRIVATE%20KEY-----MIIE/+=&y=1", "/x?k=[redacted]&y=1"),
            ("/x?k=-----BEGIN+PRIVATE+KEY-----%0AMII", "/x?k=[redacted]"),
            ("/bob@example.com/eyJhbGc.eyJzdWI", "/[redacted]/[redacted]"),
        ] {
            assert_eq!(redacted(text), expected, "{text}");
        }
    }

    #[test]
    fn everything_else_stays() {
        for text in [
            "/",
            "/@handle",
            "/npm/vue@3.2.1/dist/vue.js",
            "/img/logo@2x.png",
            "/img/logo%402x.png",
            "/a?x=bob%40example",
            "/a?x=@example.com",
            "/they.eyeball.com",
            "/eyJ.eyJ",
            "/x.eyJabc",
            "/a/eyMabc.eyJabc",
            "/ghp_short_one",
            "/a?q=bearer",
            "/a?q=bearer+",
            "/a?q=forbearer&x=+",
            "/a?q=-----BEGIN+CERTIFICATE-----",
            "/%C3%BCr%C3%BCnler/%zz%",
            "/a?utm_source=chatgpt.com&q=100%25",
        ] {
            assert_eq!(redacted(text), text);
        }
    }

    #[test]
    fn every_value_rule_of_the_data_is_implemented() {
        let data: Value =
            serde_json::from_str(include_str!("../../data/query_denylist.json")).unwrap();
        let rules = data["value_rules"].as_array().unwrap();
        let ids: Vec<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
        assert_eq!(ids, patterns::PATTERNS.map(|(id, ..)| id));
    }

    #[test]
    fn a_referrer_with_something_to_hide_is_its_origin() {
        for (referrer, expected) in [
            ("", ""),
            ("https://chatgpt.com/", "https://chatgpt.com/"),
            ("https://a.example/x?page=1", "https://a.example/x?page=1"),
            ("https://a.example:8443/x?token=1", "https://a.example:8443/"),
            ("https://a.example/x#access_token=1", "https://a.example/"),
            ("https://user:pass@a.example/x", "https://a.example/"),
            ("https://user:pass@a.example", "https://a.example/"),
            ("https://a.example/login?code=1", "https://a.example/"),
            ("https://a.example/x?u=bob%40example.com", "https://a.example/x?u=[redacted]"),
            ("android-app://com.example/x?email=1", "android-app://com.example/"),
            ("/x?token=1", ""),
            ("//a.example/x?token=1", ""),
            ("?token=1", ""),
            ("https://token=1?token=1", ""),
            ("a b://c?token=1", ""),
        ] {
            let mut denylist = Denylist::new(false);
            let mut scratch = "old".to_owned();
            let stored = Redaction::default().referrer(referrer, &mut denylist, &mut scratch);
            assert_eq!(stored, expected, "{referrer}");
        }
        let many = format!("https://a.example/?{}", "a=1&".repeat(600));
        let mut scratch = String::new();
        let stored = Redaction::default().referrer(&many, &mut Denylist::new(false), &mut scratch);
        assert_eq!(stored, "https://a.example/");
    }

    #[test]
    fn the_longest_paths_are_read_in_linear_time() {
        for piece in ["@", "a@", "a@b.", ".eyJa", "eyJa.", "bearer+", "-----BEGIN ", "%25", "gho_"]
        {
            let text = format!("/{}", piece.repeat(8_190 / piece.len()));
            let mut redaction = Redaction::default();
            for _ in 0..20 {
                redaction.redact(&text, &mut String::new());
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_redacted_has_nothing_left_to_redact(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "a", "@", "b.co", "%40", "%25", "%", "ü", "/", "=", "&", ".", "eyJ", "eyKx",
                    "gh", "p_", "bearer", "+", " ", "-----", "BEGIN PRIVATE KEY", "%2E", "x@2x.png",
                ]),
                0..20,
            ),
        ) {
            let once = redacted(&pieces.concat());
            let twice = redacted(&once);
            prop_assert_eq!(twice, once);
        }
    }
}
