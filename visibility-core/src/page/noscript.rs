//! `<noscript>`: content for readers without scripts, unless it only asks for JavaScript.

use html5ever::{LocalName, local_name};

use crate::page::element::Element;
use crate::page::notice;
use crate::page::tree::{NodeId, Tree};

/// Characters that are read of one element.
const MAX_CHARS: usize = 64 * 1024;
/// Characters up to which a text that names JavaScript is a notice, whatever its language.
const MAX_SHORT_CHARS: usize = 300;
/// Characters up to which a text with a known notice is nothing else.
const MAX_NOTICE_CHARS: usize = 1_000;

/// The text of a `<noscript>`, blocks on lines of their own. Empty if it only holds images and the like.
pub(super) fn text(tree: &Tree, id: NodeId) -> String {
    tree.text_of(id, MAX_CHARS)
}

/// Whether the text of a `<noscript>` is there to be read, and no notice that asks for JavaScript.
pub(super) fn is_content(text: &str) -> bool {
    let is_at_most = |max| text.chars().nth(max).is_none();
    let is_notice = (is_at_most(MAX_SHORT_CHARS) && text.to_lowercase().contains("javascript"))
        || (is_at_most(MAX_NOTICE_CHARS) && notice::find(text).is_some());
    !text.is_empty() && !is_notice
}

/// Whether an element is a `<noscript>`.
pub(super) fn is_noscript(name: &LocalName) -> bool {
    *name == local_name!("noscript")
}

/// Whether an element is a `<noscript>` that says nothing but that scripts are off.
pub(super) fn is_notice(tree: &Tree, id: NodeId, element: &Element) -> bool {
    is_noscript(&element.name()) && !is_content(&text(tree, id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Document, Page};

    fn page(html: &str) -> Page {
        Page::parse(html.as_bytes(), Some("text/html; charset=utf-8"))
    }

    #[test]
    fn what_readers_without_scripts_get_is_content() {
        let html = "<body><div id=app></div><script src=/a.js></script><noscript><h1>Oak</h1><p>It <b>grows</b> \
                    slowly. <a href=/b>More</a></p></noscript>";
        let document = Document::parse(html.as_bytes(), None);
        let content = document.content();
        let texts: Vec<_> = content.blocks.iter().map(|block| block.text.as_str()).collect();
        assert_eq!(texts, ["Oak", "It grows slowly. More"]);
        assert_eq!((content.words, content.scripted_words, content.body_words), (5, 5, 5));
        let page = document.page();
        assert_eq!((page.headings.len(), page.anchors.len()), (1, 1));
        assert_eq!(page.visible_text, "Oak\nIt grows slowly. More");
        assert_eq!(page.noscript_text, page.visible_text);
    }

    #[test]
    fn a_noscript_in_the_head_does_not_end_it() {
        let page = page(
            "<head><noscript><img src=x>text<link rel=canonical href=/a></noscript><title>T</title>\
             <link rel=canonical href=/b></head><body><noscript><meta name=robots content=none>\
             <link rel=canonical href=/c>no</noscript>",
        );
        assert_eq!(page.title.unwrap().value, "T");
        let links: Vec<_> = page.links.iter().map(|link| link.href.as_str()).collect();
        assert_eq!((links, page.metas.len()), (vec!["/b"], 0));
        assert_eq!(page.visible_text, "no");
    }

    #[test]
    fn streamed_slots_are_content_wherever_the_root_is() {
        let prose = "Oak grows slowly and keeps its color. ".repeat(9);
        let html = format!(
            "<main><h1>Oak</h1><p>{prose}</p><template id=B:0></template></main><div hidden id=S:0><p>Late \
             text</p></div><div hidden id=other>no</div>"
        );
        let content = Document::parse(html.as_bytes(), None).content();
        assert_eq!(content.blocks.last().unwrap().text, "Late text");
        assert_eq!(content.scripted_words, 2);
        assert_eq!(content.hidden.len(), 1);
    }

    #[test]
    fn nested_noscripts_take_linear_time() {
        let html = format!("<body>{}", "<noscript>word ".repeat(30_000));
        assert!(page(&html).visible_text.len() > 1_000);
        let _ = Document::parse(html.as_bytes(), None).content();
    }

    #[test]
    fn only_notices_and_images_are_no_content() {
        for text in [
            "",
            "You need to enable JavaScript to run this app.",
            "Bitte aktivieren Sie JavaScript.",
            "Veuillez activer JavaScript pour continuer.",
            "このサイトはJavaScriptを有効にしてご覧ください。",
            "Bu sayfa için JavaScript gereklidir.",
        ] {
            assert!(!is_content(text), "{text}");
        }
        for text in ["An oak chair for 149 EUR", "このページは十五文字です"] {
            assert!(is_content(text), "{text}");
        }
        let long =
            format!("{}\nBest viewed with JavaScript enabled", "A topic of words. ".repeat(60));
        assert!(is_content(&long));
    }
}
