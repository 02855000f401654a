//! Elements that are marked as the name of an author.

use crate::page::element::Element;
use crate::page::tree::NodeId;
use crate::page::walk::PageWalk;

const MAX_SIGNATURES: usize = 200;
/// Elements around a signature that are looked at.
const MAX_ANCESTORS: usize = 40;

/// An element that is marked as the name of an author.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Signature {
    /// How it is marked.
    pub kind: SignatureKind,
    /// Whether it is in a comment, or in a list of other pages.
    pub is_foreign: bool,
    /// Line, counted from 1.
    pub line: usize,
    /// The element in the tree of the page.
    pub node: NodeId,
}

/// How an element is marked as the name of an author.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum SignatureKind {
    /// `rel=author` or `itemprop=author`.
    Attribute,
    /// A class or an id such as `byline` or `post-author`.
    Class,
    /// A class of forums such as `username`.
    Account,
}

/// What a class names besides the name of an author.
const BESIDE_NAMES: [&str; 9] =
    ["description", "position", "role", "job", "jobtitle", "modal", "filter", "image", "avatar"];

impl SignatureKind {
    fn from_element(element: &Element) -> Option<Self> {
        let has = |name: &str, values: &[&str]| {
            let words = element.attribute(name).unwrap_or_default().split_ascii_whitespace();
            words
                .into_iter()
                .any(|word| values.iter().any(|value| word.eq_ignore_ascii_case(value)))
        };
        if has("rel", &["author"]) || has("itemprop", &["author", "creator"]) {
            return Some(Self::Attribute);
        }
        let is_marked = |names: &[&str]| {
            let mut tokens = ["class", "id"].into_iter().flat_map(|name| {
                element.attribute(name).unwrap_or_default().split_ascii_whitespace()
            });
            tokens.any(|token| {
                let token = token.to_ascii_lowercase();
                // `author-position` has what an author does, `author-filter` a choice of authors.
                let is_other = |word: &str| BESIDE_NAMES.contains(&word);
                let mut words = token.split(['-', '_']);
                words.clone().any(|word| names.contains(&word)) && !words.any(is_other)
            })
        };
        if is_marked(&["byline", "author", "authors", "authorname", "autor", "auteur", "yazar"]) {
            Some(Self::Class)
        } else if is_marked(&["username", "poster", "creator", "topicstarter"]) {
            Some(Self::Account)
        } else {
            None
        }
    }
}

impl PageWalk<'_> {
    /// Notes an element that is marked as the name of an author.
    pub(super) fn signature(&mut self, id: NodeId, element: &Element) {
        if !self.is_shown() || self.page.signatures.len() >= MAX_SIGNATURES {
            return;
        }
        // The class of the whole page is about all that it has: the author of its entry, too.
        if is_whole_page(element) {
            return;
        }
        let Some(kind) = SignatureKind::from_element(element) else { return };
        let ancestors = std::iter::successors(self.tree.parent(id), |at| self.tree.parent(*at));
        let is_foreign = ancestors
            .take(MAX_ANCESTORS)
            .filter_map(|at| self.tree.element(at))
            .any(is_about_others);
        let line = self.line(id);
        self.page.signatures.push(Signature { kind, is_foreign, line, node: id });
    }
}

fn is_whole_page(element: &Element) -> bool {
    ["html", "body", "main"].contains(&&**element.local())
}

/// Whether an element is a comment, or a list of other pages, by its class or id.
fn is_about_others(element: &Element) -> bool {
    const OTHERS: [&str; 14] = [
        "comment",
        "commentlist",
        "comments",
        "reply",
        "replies",
        "respond",
        "review",
        "reviews",
        "related",
        "recommended",
        "recent",
        "latest",
        "popular",
        "trending",
    ];
    if is_whole_page(element) {
        return false;
    }
    let names = ["class", "id"].into_iter().filter_map(|name| element.attribute(name));
    names.flat_map(str::split_ascii_whitespace).any(|token| {
        let first = token.split(['-', '_']).next().unwrap_or_default();
        OTHERS.iter().any(|other| first.eq_ignore_ascii_case(other))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;

    #[test]
    fn marked_names_are_noted_with_what_they_are_in() {
        use SignatureKind::{Account, Attribute, Class};
        let html = "<body class=\"comments-open author-b\"><a rel=author href=/a>A</a><i class=post-author>B</i>\
            <i hidden class=author>C</i><div id=comments><b class=username>D</b></div>\
            <i class=authority>E</i>\
            <i class=author-position>F</i><ul class=related-posts><li class=byline>G</ul>";
        let page = Page::parse(html.as_bytes(), None);
        let found: Vec<_> = page.signatures.iter().map(|one| (one.kind, one.is_foreign)).collect();
        assert_eq!(found, [(Attribute, false), (Class, false), (Account, true), (Class, true)]);
    }
}
