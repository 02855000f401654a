//! Why a text is not JSON or not XML: ids whose sentences have translations, which the messages of
//! parsers have not.

use std::fmt;

use quick_xml::errors::{IllFormedError, SyntaxError};

use crate::text::locale::{Catalog, Lang};
use crate::text::note::Note;

/// Why a text is not JSON.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum JsonError {
    /// The text ends too early.
    End,
    /// There is no `:` after a name.
    Colon,
    /// There is no `,` or `]` after an item.
    ListComma,
    /// There is no `,` or `}` after a member.
    ObjectComma,
    /// There is no value.
    Value,
    /// A backslash is followed by what is not an escape.
    Escape,
    /// A number is written as JSON does not write it.
    Number,
    /// A number is too large.
    LargeNumber,
    /// A string has a control character, such as a line break.
    ControlCharacter,
    /// A name is not in double quotes.
    Name,
    /// There is a comma after the last item or member.
    TrailingComma,
    /// There is text after the end of the value.
    TrailingText,
    /// Lists and objects are nested too deeply.
    Depth,
    /// Something else.
    Other,
}

/// How the messages of the parser begin.
const JSON_MESSAGES: [(&str, JsonError); 20] = [
    ("EOF while parsing", JsonError::End),
    ("expected `:`", JsonError::Colon),
    ("expected `,` or `]`", JsonError::ListComma),
    ("expected `,` or `}`", JsonError::ObjectComma),
    ("expected ident", JsonError::Value),
    ("expected value", JsonError::Value),
    ("expected `\"`", JsonError::Name),
    ("invalid escape", JsonError::Escape),
    ("invalid unicode code point", JsonError::Escape),
    ("lone leading surrogate", JsonError::Escape),
    ("lone surrogate", JsonError::Escape),
    ("unexpected end of hex escape", JsonError::Escape),
    ("invalid number", JsonError::Number),
    ("number out of range", JsonError::LargeNumber),
    ("control character", JsonError::ControlCharacter),
    ("key must be a string", JsonError::Name),
    ("trailing comma", JsonError::TrailingComma),
    ("trailing characters", JsonError::TrailingText),
    ("recursion limit exceeded", JsonError::Depth),
    ("invalid type", JsonError::Value),
];

impl JsonError {
    /// What the parser reported.
    pub fn from_parser(error: &serde_json::Error) -> Self {
        let message = error.to_string();
        let known = JSON_MESSAGES.iter().find(|(start, _)| message.starts_with(start));
        known.map_or(Self::Other, |(_, error)| *error)
    }

    /// What is wrong, for people.
    pub fn note(self) -> Note {
        Note::new(match self {
            Self::End => "json-end",
            Self::Colon => "json-colon",
            Self::ListComma => "json-list-comma",
            Self::ObjectComma => "json-object-comma",
            Self::Value => "json-value",
            Self::Escape => "json-escape",
            Self::Number => "json-number",
            Self::LargeNumber => "json-large-number",
            Self::ControlCharacter => "json-control-character",
            Self::Name => "json-name",
            Self::TrailingComma => "json-trailing-comma",
            Self::TrailingText => "json-trailing-text",
            Self::Depth => "json-depth",
            Self::Other => "json-other",
        })
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.note().sentence(Catalog::for_lang(Lang::En)))
    }
}

/// Why a text is not well-formed XML.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum XmlError {
    /// A tag, a comment or a section is not closed.
    Unclosed,
    /// An end tag is missing, or does not match its start tag.
    EndTag,
    /// `&` begins no entity.
    Ampersand,
    /// An attribute is not well-formed.
    Attribute,
    /// There is no root element.
    NoRoot,
    /// The text ends within the root element.
    OpenRoot,
    /// There is more than one root element.
    SecondRoot,
    /// The XML declaration is not the first thing in the text.
    Declaration,
    /// `&name;` is no entity of XML.
    Entity,
    /// A character that XML may not have.
    Character,
    /// `--` in a comment.
    Comment,
    /// Something else.
    Other,
}

impl XmlError {
    /// What the parser reported.
    pub fn from_parser(error: &quick_xml::Error) -> Self {
        use quick_xml::Error;
        match error {
            Error::Syntax(SyntaxError::InvalidBangMarkup) => Self::Other,
            Error::Syntax(_) => Self::Unclosed,
            Error::IllFormed(
                IllFormedError::MissingEndTag(_)
                | IllFormedError::UnmatchedEndTag(_)
                | IllFormedError::MismatchedEndTag { .. },
            ) => Self::EndTag,
            Error::IllFormed(IllFormedError::UnclosedReference) | Error::Escape(_) => {
                Self::Ampersand
            }
            Error::InvalidAttr(_) => Self::Attribute,
            Error::IllFormed(_) | Error::Io(_) | Error::Encoding(_) | Error::Namespace(_) => {
                Self::Other
            }
        }
    }

    /// What is wrong, for people.
    pub fn note(self) -> Note {
        Note::new(match self {
            Self::Unclosed => "xml-unclosed",
            Self::EndTag => "xml-end-tag",
            Self::Ampersand => "xml-ampersand",
            Self::Attribute => "xml-attribute",
            Self::NoRoot => "xml-no-root",
            Self::OpenRoot => "xml-open-root",
            Self::SecondRoot => "xml-second-root",
            Self::Declaration => "xml-declaration",
            Self::Entity => "xml-entity",
            Self::Character => "xml-character",
            Self::Comment => "xml-comment",
            Self::Other => "xml-other",
        })
    }
}

impl fmt::Display for XmlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.note().sentence(Catalog::for_lang(Lang::En)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_json_parser_reports_is_known() {
        for (text, expected) in [
            ("", JsonError::End),
            ("{\"a\"", JsonError::End),
            ("{\"a\" 1}", JsonError::Colon),
            ("[1 2]", JsonError::ListComma),
            ("{\"a\":1 \"b\":2}", JsonError::ObjectComma),
            ("{\"a\": oops}", JsonError::Value),
            ("tru", JsonError::End),
            ("trux", JsonError::Value),
            ("\"\\x\"", JsonError::Escape),
            ("\"\\ud800\"", JsonError::Escape),
            ("\"\\u12", JsonError::End),
            ("01", JsonError::Number),
            ("1e999", JsonError::LargeNumber),
            ("\"a\nb\"", JsonError::ControlCharacter),
            ("{a:1}", JsonError::Name),
            ("{\"a\":1,}", JsonError::TrailingComma),
            ("[1,]", JsonError::TrailingComma),
            ("{} x", JsonError::TrailingText),
            (&"[".repeat(200), JsonError::Depth),
        ] {
            let error = serde_json::from_str::<serde_json::Value>(text).unwrap_err();
            assert_eq!(JsonError::from_parser(&error), expected, "{text}: {error}");
        }
    }

    #[test]
    fn what_the_xml_parser_reports_is_known() {
        for (text, expected) in [
            ("<a", XmlError::Unclosed),
            ("<!-- a", XmlError::Unclosed),
            ("<a></b>", XmlError::EndTag),
            ("</a>", XmlError::EndTag),
            ("<a>x & y</a>", XmlError::Ampersand),
            ("<!x>", XmlError::Other),
        ] {
            let mut reader = quick_xml::Reader::from_str(text);
            let error = std::iter::repeat_with(|| reader.read_event())
                .take(10)
                .find_map(Result::err)
                .expect(text);
            assert_eq!(XmlError::from_parser(&error), expected, "{text}: {error}");
        }
    }
}
