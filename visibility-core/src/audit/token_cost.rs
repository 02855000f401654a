//! Estimates the tokens that a language model needs for a page.

use crate::page::Document;
use crate::page::content::{Content, tokens};
use crate::page::language::Language;

/// What a page costs a language model, in estimated tokens.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct TokenCost {
    /// Of the whole HTML.
    pub html: usize,
    /// Of the main content.
    pub main: usize,
    /// Of the HTML before the main content begins.
    pub before_main: usize,
}

impl TokenCost {
    /// Estimates what a page costs.
    pub fn estimate(document: &Document, content: &Content, language: Language) -> Self {
        let language = kind(language);
        let html = document.html();
        let (before, after) = html.split_at_checked(content.bytes_before).unwrap_or((html, ""));
        // Markup is ASCII and cut like English, whatever the text is in.
        let markup = tokens::TokenLanguage::English;
        let blocks = content.blocks.iter();
        let before_main = tokens::estimate(before, markup);
        Self {
            html: before_main + tokens::estimate(after, markup),
            main: blocks.map(|block| tokens::estimate(&block.text, language)).sum(),
            before_main,
        }
    }
}

fn kind(language: Language) -> tokens::TokenLanguage {
    if language.is_turkish() {
        tokens::TokenLanguage::Turkish
    } else {
        tokens::TokenLanguage::English
    }
}

#[cfg(test)]
mod tests {
    use crate::audit::page::fixture::fixture;

    #[test]
    fn tokens_before_the_content_are_counted() {
        let page =
            fixture("<!doctype html><nav>a b c d</nav><main><p>Some text to read</p></main>");
        let cost = page.audited().tokens;
        assert!(cost.before_main > 0 && cost.before_main < cost.html, "{cost:?}");
        assert!((4..=6).contains(&cost.main), "{cost:?}");
    }
}
