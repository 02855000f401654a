//! Text in pages and reports, escaped by its type.
//!
//! The templates escape whatever is not markup, so that no value can be forgotten. What strangers chose, such as the
//! name of a program or the title of a page, also goes through [`shown`], which takes out what cannot be seen.

use std::borrow::Cow;

pub use maud::Markup;
use maud::{PreEscaped, Render};

use crate::text::escape;

/// Text in one line, without what hides and without characters that turn text.
#[derive(Clone, Debug)]
pub struct Shown<'a>(Cow<'a, str>);

impl Shown<'_> {
    /// The text as a sentence, in which what is between backticks is code.
    pub fn sentence(&self) -> Markup {
        sentence(&self.0)
    }

    /// The text as it is, for what is no page or escapes it by itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Text as a reader sees it, for an element or an attribute.
pub fn shown<'a>(text: impl Into<Cow<'a, str>>) -> Shown<'a> {
    Shown(text.into())
}

impl Render for Shown<'_> {
    fn render_to(&self, buffer: &mut String) {
        buffer.push_str(&escape::html(&self.0));
    }
}

/// A sentence; what is between backticks becomes `code`.
pub fn sentence(text: &str) -> Markup {
    PreEscaped(escape::html_sentence(text))
}

/// Text whose lines stay apart, for a `pre` element.
pub fn lines(text: &str) -> Markup {
    PreEscaped(escape::html_lines(text))
}

#[cfg(test)]
mod tests {
    use maud::html;

    use super::*;

    #[test]
    fn what_strangers_wrote_is_text_and_nothing_else() {
        let hostile = "<b>\"'&\u{202e}\0\n";
        let page = html! { p title=(shown(hostile)) { (shown(hostile)) } };
        let text = "&lt;b&gt;&quot;&#39;&amp;   ";
        assert_eq!(page.into_string(), format!("<p title=\"{text}\">{text}</p>"));
        assert_eq!(html! { p { (hostile) } }.into_string().matches('<').count(), 2);
        assert_eq!(sentence("a `<b>`").into_string(), "a <code>&lt;b&gt;</code>");
        assert_eq!(lines("<\n>").into_string(), "&lt;\n&gt;");
    }
}
