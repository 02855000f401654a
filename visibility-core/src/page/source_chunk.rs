//! Pieces of a page: tags, and what is between them.

use crate::page::tree::MAX_ATTRIBUTES;

/// What is fed next.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct SourceChunk {
    /// Bytes of it, at least 1.
    pub(super) len: usize,
    /// Bytes of it that are fed: less when a tag has a surplus of attributes.
    pub(super) fed_len: usize,
    pub(super) kind: ChunkKind,
}

/// What a piece of source is, as far as it makes a difference.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum ChunkKind {
    /// Text or a tag.
    #[default]
    Plain,
    /// A tag whose rest is left out, but for its `>`.
    CutTag,
    /// The start of a comment or another declaration that goes on to a `>`.
    Declaration,
}

impl SourceChunk {
    /// A piece of this many bytes.
    pub(super) fn new(len: usize) -> Self {
        Self { len, fed_len: len, ..Self::default() }
    }

    /// All up to a byte, that one included.
    pub(super) fn up_to(end: u8, bytes: &[u8]) -> Self {
        Self::new(bytes.iter().position(|byte| *byte == end).map_or(bytes.len(), |at| at + 1))
    }

    /// Text, up to the next `<`.
    pub(super) fn text(bytes: &[u8]) -> Self {
        let next = bytes.iter().skip(1).position(|byte| *byte == b'<');
        Self::new(next.map_or(bytes.len(), |at| at + 1))
    }

    /// A tag, by the states of the HTML standard's section 13.2.5 from "tag open" on.
    pub(super) fn tag(bytes: &[u8]) -> Self {
        let mut state = TagState::Name;
        let mut attributes = 0;
        let mut cut = None;
        for (at, byte) in bytes.iter().enumerate().skip(1) {
            let next = state.after(*byte);
            if next == TagState::End {
                let whole = Self::new(at + 1);
                return match cut {
                    Some(kept) => Self { fed_len: kept, kind: ChunkKind::CutTag, ..whole },
                    None => whole,
                };
            }
            // Characters that do not belong into a name cost as much as an attribute.
            let odd = next == TagState::AttributeName && matches!(byte, b'"' | b'\'' | b'<');
            if odd || (next == TagState::AttributeName && state != next) {
                attributes += 1;
                if attributes > MAX_ATTRIBUTES && cut.is_none() {
                    cut = Some(at);
                }
            }
            state = next;
        }
        Self { fed_len: cut.unwrap_or(bytes.len()), ..Self::new(bytes.len()) }
    }
}

/// The state of the scan of a tag.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum TagState {
    Name,
    BetweenAttributes,
    AttributeName,
    AfterName,
    BeforeValue,
    Unquoted,
    Quoted(u8),
    End,
}

impl TagState {
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Quoted(quote), _) if byte == quote => Self::BetweenAttributes,
            (Self::Quoted(_), _) => self,
            (_, b'>') => Self::End,
            (Self::BeforeValue, b'"' | b'\'') => Self::Quoted(byte),
            (Self::BeforeValue, _) if is_space(byte) => self,
            (Self::Unquoted, _) if is_space(byte) => Self::BetweenAttributes,
            (Self::BeforeValue | Self::Unquoted, _) => Self::Unquoted,
            (Self::AttributeName | Self::AfterName, b'=') => Self::BeforeValue,
            (Self::AttributeName | Self::AfterName, _) if is_space(byte) => Self::AfterName,
            (_, b'/') => Self::BetweenAttributes,
            (Self::Name | Self::BetweenAttributes, _) if is_space(byte) => Self::BetweenAttributes,
            (Self::Name, _) => self,
            _ => Self::AttributeName,
        }
    }
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// <https://html.spec.whatwg.org/multipage/parsing.html#tag-open-state> and the states after it.
    #[test]
    fn a_tag_ends_where_the_standard_ends_it() {
        for (source, tag) in [
            ("<p>x", "<p>"),
            ("</p >x", "</p >"),
            ("<p a=\">\" b='>'>x", "<p a=\">\" b='>'>"),
            ("<p a=b\">x\"", "<p a=b\">"),
            ("<p a=>x", "<p a=>"),
            ("<p a= '>'c>x", "<p a= '>'c>"),
            ("<p \">x", "<p \">"),
            ("<p/a/>x", "<p/a/>"),
            ("<p =\">x\">", "<p =\">"),
            ("<p a =\">\">x", "<p a =\">\">"),
            ("<p a/=\">x", "<p a/=\">"),
            ("<p a=b/>x", "<p a=b/>"),
            ("<p", "<p"),
        ] {
            assert_eq!(
                SourceChunk::tag(source.as_bytes()),
                SourceChunk::new(tag.len()),
                "{source}"
            );
        }
    }

    #[test]
    fn a_tag_with_too_many_attributes_is_cut() {
        let source = format!("<p{}>x", " a".repeat(MAX_ATTRIBUTES + 10));
        let chunk = SourceChunk::tag(source.as_bytes());
        let kept = 3 + 2 * MAX_ATTRIBUTES;
        assert_eq!(
            chunk,
            SourceChunk { len: source.len() - 1, fed_len: kept, kind: ChunkKind::CutTag }
        );
        let unended = SourceChunk::tag(source.trim_end_matches(">x").as_bytes());
        assert_eq!((unended.len, unended.fed_len), (source.len() - 2, kept));
    }
}
