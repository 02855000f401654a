//! A path of this service that a browser is sent to after it has signed in.

use axum::http::Uri;

use crate::http::urls::SETTINGS_PATH;

/// Longest path that is taken, in bytes.
const MAX_BYTES: usize = 512;

/// A path that leads nowhere else, whatever a browser makes of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct LocalPath(String);

impl LocalPath {
    /// The path if it begins with one slash and has nothing by which browsers leave a site: they take a backslash for
    /// a slash, and leave out line ends and tabs.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
        let is_path = text.starts_with('/') && !text.starts_with("//");
        let is_taken =
            is_plain && is_path && text.len() <= MAX_BYTES && text.parse::<Uri>().is_ok();
        is_taken.then(|| Self(text.to_owned()))
    }

    /// The path of `next` of a query: the settings if there is none, and the home page if it is not taken.
    pub(crate) fn next(query: &str) -> Self {
        let mut pairs = url::form_urlencoded::parse(query.as_bytes());
        match pairs.find(|(name, _)| name == "next") {
            Some((_, path)) => Self::parse(&path).unwrap_or_else(|| Self("/".to_owned())),
            None => Self(SETTINGS_PATH.to_owned()),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_away_is_no_path() {
        let long = format!("/{}", "a".repeat(MAX_BYTES));
        let hostile = [
            "https://evil.example/",
            "http:evil.example",
            "//evil.example",
            "///evil.example",
            "/\\evil.example",
            "\\/evil.example",
            "\\\\evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            "/\r\nSet-Cookie: a=b",
            "/a\0b",
            "/a\u{7f}",
            "/\u{2028}",
            "/\u{202e}moc",
            "/ü",
            "/a b",
            " /a",
            "javascript:alert(1)",
            "data:text/html,x",
            "a",
            "",
            "?next=/",
            "#a",
            ".",
            "../a",
            &long,
        ];
        for text in hostile {
            assert_eq!(LocalPath::parse(text), None, "{text:?}");
        }
        for text in ["/", "/settings", "/authorize?a=b&c=%2F%2F", "/a/../b", "/%5Cevil", "/a#b"] {
            assert_eq!(LocalPath::parse(text).unwrap().as_str(), text);
        }
    }

    /// Whatever path is taken: a browser on our site stays there.
    #[test]
    fn a_browser_stays_where_it_is() {
        let base = url::Url::parse("https://visibility.example/sign-in").unwrap();
        let alphabet = ["/", "\\", ".", ":", "@", "?", "#", "a", "%2f", "\t", " ", ";", "&"];
        let mut state = 1_u32;
        for _ in 0..20_000 {
            let mut text = String::from("/");
            for _ in 0..6 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let index = usize::try_from(state >> 16).unwrap() % alphabet.len();
                text.push_str(alphabet[index]);
            }
            if let Some(path) = LocalPath::parse(&text) {
                let led = base.join(path.as_str()).unwrap();
                assert_eq!(led.origin(), base.origin(), "{text:?}");
            }
        }
    }
}
