//! Tells which inline elements beside each other are apart, as a style sheet shows them.
//!
//! `<span>Luke Kim</span><span>December 17</span>` is a name and a date, though nothing is between them, and
//! `<span>be</span><span>spoke</span>` is one word. The texts tell: what belongs together goes on in lower case, or as a number
//! does.

use html5ever::{LocalName, local_name};

use crate::page::element;
use crate::page::text::Gap;
use crate::page::tree::{NodeContent, NodeId, Tree};

/// Elements around an element in which code is looked for.
const MAX_AROUND: usize = 8;

impl Tree {
    /// Whether an element is apart from the one right before it.
    pub(in crate::page) fn is_apart(&self, id: NodeId) -> bool {
        let Some(before) = self.previous(id) else { return false };
        let (Some(own), Some(other)) = (inline_name(self, id), inline_name(self, before)) else {
            return false;
        };
        let before = edge_text(self, before, Self::last_child);
        let (Some(before), Some(after)) = (before, edge_text(self, id, Self::first_child)) else {
            return false;
        };
        let are_links = own == local_name!("a") && other == local_name!("a");
        are_texts_apart(before, after, are_links) && !is_in_code(self, id)
    }

    /// The node right before one, under the same parent.
    fn previous(&self, id: NodeId) -> Option<NodeId> {
        self.nodes.get(id.index())?.previous.some()
    }

    fn first_child(&self, id: NodeId) -> Option<NodeId> {
        self.nodes.get(id.index())?.first_child.some()
    }

    fn last_child(&self, id: NodeId) -> Option<NodeId> {
        self.nodes.get(id.index())?.last_child.some()
    }
}

/// The name of an inline element whose text may be one of its own.
fn inline_name(tree: &Tree, id: NodeId) -> Option<LocalName> {
    let name = tree.element(id)?.name();
    let is_part_of_word = matches!(
        name,
        local_name!("sub")
            | local_name!("sup")
            | local_name!("wbr")
            | local_name!("rt")
            | local_name!("rp")
    );
    (element::gap(&name) == Gap::None && !is_part_of_word).then_some(name)
}

/// The text at an end of an element, if it begins or ends with one.
fn edge_text(
    tree: &Tree,
    id: NodeId,
    child: impl Fn(&Tree, NodeId) -> Option<NodeId>,
) -> Option<&str> {
    let mut at = id;
    loop {
        match tree.content(at) {
            NodeContent::Text(text) => return Some(text),
            _ => at = child(tree, at)?,
        }
    }
}

fn is_in_code(tree: &Tree, id: NodeId) -> bool {
    let around = std::iter::successors(tree.parent(id), |id| tree.parent(*id)).take(MAX_AROUND);
    around.filter_map(|id| tree.element(id)).any(|element| {
        matches!(
            element.name(),
            local_name!("code")
                | local_name!("pre")
                | local_name!("kbd")
                | local_name!("samp")
                | local_name!("textarea")
        )
    })
}

/// Whether two texts without anything between them are not one word.
fn are_texts_apart(before: &str, after: &str, are_links: bool) -> bool {
    let (Some(last), Some(first)) = (before.chars().next_back(), after.chars().next()) else {
        return false;
    };
    if last.is_whitespace() || first.is_whitespace() {
        return false;
    }
    if ends_sentence(last) {
        return first.is_uppercase();
    }
    if !last.is_alphanumeric() || !first.is_alphanumeric() {
        return false;
    }
    // A letter of its own is the first of a word, as a drop cap is, or one of many that move one by one.
    if is_one_character(before) || is_one_character(after) {
        return false;
    }
    let are_of_two_kinds = last.is_alphabetic() != first.is_alphabetic();
    let is_new_word = last.is_lowercase() && first.is_uppercase();
    let are_phrases =
        before.trim().contains(char::is_whitespace) && after.trim().contains(char::is_whitespace);
    are_links || are_of_two_kinds || is_new_word || are_phrases
}

fn ends_sentence(ch: char) -> bool {
    matches!(ch, '.' | '!' | '?' | ':' | ';' | ',' | ')' | '”' | '»')
}

fn is_one_character(text: &str) -> bool {
    text.chars().nth(1).is_none()
}

#[cfg(test)]
mod tests {
    use crate::page::Document;

    fn text(html: &str) -> String {
        let content = Document::parse(format!("<main>{html}</main>").as_bytes(), None).content();
        content.blocks.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join(" / ")
    }

    #[test]
    fn names_dates_and_labels_are_apart() {
        for (html, expected) in [
            ("<span>Luke Kim</span><span>December 17, 2025</span>", "Luke Kim December 17, 2025"),
            (
                "<a href=/a><b>Luke Kim</b></a><time>17 December 2025</time>",
                "Luke Kim 17 December 2025",
            ),
            ("<span>Category</span><span>Rye bread</span>", "Category Rye bread"),
            ("<a href=/a>rye</a><a href=/b>bread</a>", "rye bread"),
            ("<span>by luke kim</span><span>in the mill</span>", "by luke kim in the mill"),
            ("<span>Posted:</span><span>Monday</span>", "Posted: Monday"),
            ("<span>Size</span><span>42</span>", "Size 42"),
            ("<span>It is open.</span><span>Come in</span>", "It is open. Come in"),
        ] {
            assert_eq!(text(html), expected);
        }
    }

    #[test]
    fn parts_of_a_word_and_of_a_price_stay_together() {
        for (html, expected) in [
            ("<b>W</b>ord", "Word"),
            ("<span>W</span><span>ord</span>", "Word"),
            ("<span>be</span><span>spoke</span>", "bespoke"),
            (
                "<span>$</span><span>1</span><span>299</span><span>.</span><span>99</span>",
                "$1299.99",
            ),
            ("<span>19,</span><span>99</span><span>€</span>", "19,99€"),
            ("<span>H</span><sub>2</sub><span>O</span>", "H2O"),
            ("<span>i</span><b>Phone</b>", "iPhone"),
            ("<span>例えば</span><span>パン</span>", "例えばパン"),
            ("<span>example.</span><span>com</span>", "example.com"),
            ("<code><span>readFile</span><span>Sync2</span></code>", "readFileSync2"),
            ("<span>Don’t</span><span>, he said</span>", "Don’t, he said"),
        ] {
            assert_eq!(text(html), expected);
        }
    }

    #[test]
    fn words_are_counted_as_they_are_read() {
        let document = Document::parse(
            b"<main><p><span>Luke Kim</span><span>December 17</span></p></main>",
            None,
        );
        let content = document.content();
        assert_eq!((content.words, content.body_words), (4, 4));
        assert_eq!(document.text_of(content.blocks[0].node, 100), "Luke Kim December 17");
    }
}
