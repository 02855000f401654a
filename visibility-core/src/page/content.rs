//! Extracts the main content of a page, as an answer engine does without running scripts.
//!
//! Navigation, banners, consent forms and the like are left out by landmarks, ARIA roles and names of
//! classes; what is left is the main content, as blocks in order, each with its place.

mod blobs;
mod blocks;
mod code;
mod collect;
mod covert;
mod digest;
mod elements;
mod headed;
mod judge;
mod mark;
mod markdown;
mod measure;
mod microdata;
mod names;
mod pairs;
mod parts;
mod root;
mod rule;
mod shape;
mod siblings;
pub(crate) mod tokens;

pub(super) use self::covert::is_quotation;
pub(crate) use self::markdown::InlineText;
pub(super) use self::measure::Measures;
pub use self::names::NameSign;
pub(super) use self::names::words as words_of_name;
pub use self::rule::DropReason;
pub use self::shape::{Shape, SiblingGroup};
use crate::page::element::Element;
use crate::page::tree::{NodeId, Tree};
use crate::text::words;

/// The content of a page.
#[derive(Clone, Debug, Default)]
pub struct Content {
    /// Where the main content was found.
    pub root: Root,
    /// The main content in order. Blocks do not nest: text of a list item is not again in a paragraph.
    pub blocks: Vec<Block>,
    /// Words of the main content.
    pub words: usize,
    /// Characters of the main content, white space collapsed.
    pub chars: usize,
    /// Words of the main content in `<noscript>` and in streamed slots: scripts take the ones away and
    /// move the others to their place.
    pub scripted_words: usize,
    /// Words of the whole body that a reader could see: scripts, styles, templates, notices in
    /// `noscript` and `svg` apart, hidden text included.
    pub body_words: usize,
    /// Bytes of the decoded HTML before the first text of the main content.
    pub bytes_before: usize,
    /// Pairs of an attribute and its value, from definition lists and from tables whose rows have two
    /// cells, in order.
    pub pairs: Vec<Pair>,
    /// Rows of more than two cells: the first cell, and the others joined with commas. At most 500.
    pub wide_rows: Vec<Pair>,
    /// Cells of data tables (`td`) of the main content.
    pub cells: usize,
    /// Images of the main content, in order, decorative ones (`role=presentation`, `none`) left out.
    pub images: Vec<Image>,
    /// Parts of the page that are not its main content, in order, at most 1,000: those with text that
    /// shows. No part is within another one.
    pub dropped: Vec<Dropped>,
    /// Links of the main content, in order.
    pub links: Vec<ContentLink>,
    /// Players of audio and video of the page, in order; what moves in the background without sound
    /// and controls is none.
    pub media: Vec<Media>,
    /// `<time>` elements of the page with text or `datetime`, in order.
    pub times: Vec<Time>,
    /// Text under `hidden`, `aria-hidden=true`, `display:none` and `visibility:hidden`. Left out are
    /// chrome such as a collapsed menu, what is 80 % links or more, and `details`. In order, at most
    /// 200,000 characters, 2,000 of one element; a long one in several texts.
    pub hidden: Vec<Block>,
    /// Characters of all such text, kept or not.
    pub hidden_chars: usize,
    /// Characters of the main content under `data-nosnippet`.
    pub nosnippet_chars: usize,
    /// Text where a stranger could put words for machines alone: comments, what is hidden, labels
    /// (`alt`, `title`, `aria-label`) of some words, and `data-*` of 40 bytes and more; at most 200,000
    /// characters of each kind, 2,000 of one element. Menus take none of the room of what is hidden, but
    /// have as much of their own.
    pub covert: Vec<Covert>,
    /// Data that scripts put into the page later: `__NEXT_DATA__`, `__NUXT__`, streaming slots ...
    pub hydration: Vec<Blob>,
    /// The heaviest inline scripts, styles, `data:` images and `svg`, at most three, heaviest first. Of
    /// an address, 64 KiB count.
    pub heavy: Vec<Blob>,
    /// Items of microdata, outer ones first.
    pub items: Vec<Item>,
    /// Anchors of navigation by breadcrumbs, in order.
    pub breadcrumbs: Vec<ContentLink>,
    /// Buttons of the page that show, in order, at most 200: `button`, `input`, `role=button` and
    /// links that look like one. Their text, else their label.
    pub buttons: Vec<Block>,
}

/// Where the main content was found.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Root {
    /// The one `article` that has most of it.
    Article(NodeId),
    /// `main`, or `role=main`.
    Main(NodeId),
    /// The whole body.
    #[default]
    Body,
}

/// A block of text.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Its text on one line, white space collapsed.
    pub text: String,
    /// Line of the source where its text begins, counted from 1.
    pub line: usize,
    /// The element in the tree of the page.
    pub node: NodeId,
    /// Where in a list or table it is.
    pub place: BlockPosition,
    /// Text of `pre` with its lines; empty for others.
    pub raw: String,
    /// The programming language of `pre` in lower case, if the page names it.
    pub code_language: Option<String>,
}

/// Where in a list or table a block is.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum BlockPosition {
    /// In none.
    #[default]
    Flow,
    /// In a list.
    List {
        /// Lists around it, 1 for one that is not nested.
        depth: u8,
        /// Its number in `ol`.
        number: Option<u32>,
    },
    /// In a data table.
    Table {
        /// Data tables of the main content up to this one.
        table: u32,
        /// Rows of the table up to this one.
        row: u32,
        /// Cells of the row up to this one.
        column: u32,
    },
}

impl Block {
    /// Words of the text.
    pub fn words(&self) -> usize {
        words::count(&self.text)
    }
}

/// What a block is.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum BlockKind {
    /// `h1` to `h6`.
    Heading(u8),
    /// `p`, or text in no other block.
    #[default]
    Paragraph,
    /// `li`.
    ListItem,
    /// `dt`.
    Term,
    /// `dd`.
    Description,
    /// `th`.
    HeaderCell,
    /// `td`.
    Cell,
    /// Text of `blockquote` or `q` as a block.
    Quote,
    /// `figcaption` or `caption`.
    Caption,
    /// `pre`.
    Preformatted,
}

/// An attribute and its value.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Pair {
    /// Name of the attribute, without a colon at its end.
    pub key: String,
    /// The value that belongs to the attribute.
    pub value: String,
    /// Line, counted from 1.
    pub line: usize,
    /// The row, or the `dd`.
    pub node: NodeId,
    /// Its last cell; in none for a `dd`.
    pub place: BlockPosition,
}

/// An image.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Image {
    /// `src`, else the first address of `srcset` or `data-src`, as written.
    pub src: String,
    /// `alt`, trimmed; `None` if there is no such attribute.
    pub alt: Option<String>,
    /// The caption of its figure.
    pub caption: String,
    /// Line, counted from 1.
    pub line: usize,
    /// The element in the tree of the page.
    pub node: NodeId,
}

/// A link.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ContentLink {
    /// `href` as written, trimmed.
    pub href: String,
    /// The text of the link.
    pub text: String,
    /// Line, counted from 1.
    pub line: usize,
    /// The element in the tree of the page.
    pub node: NodeId,
}

/// A part of the page that is not its main content.
/// [`Document::shown_text_of`](super::Document::shown_text_of) has its text.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Dropped {
    /// The rule that says so: an element such as `nav`, `role`, a word of a class or id such as
    /// `name-sidebar`, `links` for a list of links, `repeated` for what was said above, or `outside` for what is not within the
    /// root. [`DropReason`] has it in words.
    pub rule: &'static str,
    /// Characters of its text that shows.
    pub chars: usize,
    /// Line, counted from 1.
    pub line: usize,
    /// The element, or its text.
    pub node: NodeId,
}

/// A player.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Media {
    /// `video`, `audio` or `iframe`.
    pub element: String,
    /// Where it plays from, as written.
    pub src: String,
    /// Whether it has a track of captions or subtitles.
    pub has_captions: bool,
    /// Whether the HTML shows if there are captions: not that of a frame, whose player is of another site, nor
    /// of one that a script makes.
    pub shows_captions: bool,
    /// Line, counted from 1.
    pub line: usize,
    /// The element in the tree of the page.
    pub node: NodeId,
}

/// A `<time>`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Time {
    /// Whether it is in the main content.
    pub is_main: bool,
    /// `datetime`, trimmed.
    pub datetime: Option<String>,
    /// The text of the element.
    pub text: String,
    /// `itemprop`, `class` and `pubdate` together, in lower case.
    pub hints: String,
    /// Where it is.
    pub place: TimeContext,
    /// Place of its block in the main content, if it is there.
    pub block: usize,
    /// Line, counted from 1.
    pub line: usize,
    /// The element in the tree of the page.
    pub node: NodeId,
}

/// What a `<time>` is in.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum TimeContext {
    /// None of the others.
    #[default]
    Flow,
    /// A list.
    List,
    /// A review, a comment or a quote: its date is not that of the page.
    Foreign,
}

/// Text that readers do not see.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Covert {
    /// How the text is hidden.
    pub place: CovertSource,
    /// The text, white space collapsed.
    pub text: String,
    /// Line, counted from 1.
    pub line: usize,
    /// The element; for a comment, the comment.
    pub node: NodeId,
    /// The name of the attribute that holds it; empty for other text.
    pub attribute: String,
}

/// Where covert text is.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum CovertSource {
    /// Hidden from readers by attribute or inline style.
    #[default]
    Hidden,
    /// Off screen, without size or transparent by inline style.
    Removed,
    /// An HTML comment.
    Comment,
    /// An `alt`, `title`, `aria-label` or other attribute that describes an element.
    Attribute,
    /// A `data-*` attribute.
    Data,
    /// The value of a field of a form that is not shown.
    Field,
    /// The `srcdoc` of a frame that is not shown.
    Frame,
}

/// Bytes that are not text.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Blob {
    /// What it is: `__NEXT_DATA__`, `script`, `style`, `svg`, `data:image/png` ...
    pub name: String,
    /// Size in bytes.
    pub bytes: usize,
    /// Line, counted from 1.
    pub line: usize,
    /// The element in the tree of the page.
    pub node: NodeId,
}

/// An item of microdata.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// Types without their `https://schema.org/` prefix.
    pub types: Vec<String>,
    /// Its properties in the form of JSON-LD: strings, arrays, and objects with `@type`.
    pub object: serde_json::Map<String, serde_json::Value>,
    /// Nesting: 0 for items that are not a property of another one.
    pub depth: usize,
    /// Line, counted from 1.
    pub line: usize,
    /// The element in the tree of the page.
    pub node: NodeId,
}

/// Whether an element is hidden by its attributes.
pub(super) fn is_hidden(element: &Element) -> bool {
    mark::mark(element, &element.name()).shown == mark::Visibility::Hidden
}

/// Reads the content of a page.
pub(super) fn read(html: &str, tree: &Tree, measures: &Measures) -> Content {
    collect::collect(html, tree, measures)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::page::Document;

    fn read(html: &str) -> (Document, Content) {
        let document = Document::parse(html.as_bytes(), Some("text/html; charset=utf-8"));
        let content = document.content();
        (document, content)
    }

    fn text(html: &str) -> String {
        let (_, content) = read(html);
        content.blocks.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    const PROSE: &str = "Oak grows slowly and keeps its color for decades, so that a chair made of it \
                         outlives the people who bought it.";

    #[test]
    fn a_banner_that_is_an_article_is_not_the_content() {
        let chair = format!("<h1>Oak chair</h1><p>{PROSE}</p>");
        let sale = "<p>Winter sale! Everything must go, only this week, on all of the tables, lamps, \
                    sofas, beds and shelves that we have, while stocks last, in all of our stores.</p>";
        for banner in ["<article class=promo-banner>", "<article>", "<article><h2>Sale</h2>"] {
            let html = format!("<main>{banner}{sale}</article><div>{chair}</div></main>");
            let (_, content) = read(&html);
            assert!(matches!(content.root, Root::Main(_)), "{banner}");
            assert!(text(&html).contains(PROSE), "{banner}");
        }
        let html =
            format!("<main><article class=promo>{sale}</article><article>{chair}</article></main>");
        assert_eq!(text(&html), format!("Oak chair\n{PROSE}"));
        assert!(matches!(read(&html).1.root, Root::Article(_)));
    }

    #[test]
    fn a_cookie_banner_at_the_top_is_not_the_beginning() {
        let html = format!(
            "<body>\n<div id=onetrust-consent-sdk><h2>We value your privacy</h2><p>We and our partners \
             store cookies on your device.</p><button>Accept</button></div>\n<h1>Oak chair</h1><p>{PROSE}"
        );
        let (_, content) = read(&html);
        assert_eq!(text(&html), format!("Oak chair\n{PROSE}"));
        assert_eq!(html.get(content.bytes_before..content.bytes_before + 3), Some("Oak"));
        assert_eq!(content.buttons.len(), 1);
        assert!(content.body_words > content.words);
    }

    #[test]
    fn a_wrapper_named_like_chrome_keeps_the_page() {
        let html = format!(
            "<div class=content-nav-wrapper><div class=nav><a href=/>Home</a></div>\
             <main class=sidebar><h1>Oak chair</h1><p>{PROSE}</main></div>"
        );
        assert_eq!(text(&html), format!("Oak chair\n{PROSE}"));
        assert_eq!(text(&format!("<form id=aspnetForm><p>{PROSE}</form>")), PROSE);
        assert_eq!(text(&format!("<aside>{PROSE}</aside>")), PROSE);
    }

    #[test]
    fn a_menu_is_not_text_however_long_it_is() {
        let menu = (0..40).fold(String::new(), |menu, i| {
            menu + &format!("<li><a href=/{i}>Chairs and tables {i}</a>")
        });
        for html in [
            format!("<nav><ul>{menu}</ul></nav><p>{PROSE}"),
            format!("<div><ul>{menu}</ul></div><p>{PROSE}"),
            format!("<div class=mega><div>{menu}</div></div><p>{PROSE}"),
        ] {
            assert_eq!(text(&html), PROSE, "{html}");
        }
        // A page of links alone keeps them.
        assert!(text(&format!("<ul>{menu}</ul>")).starts_with("Chairs and tables 0"));
    }

    #[test]
    fn a_shop_page_is_its_product() {
        let html = format!(
            "<body class='template-product'><a class=skip-to-content-link href=#MainContent>Skip</a>\
             <div id=shopify-section-announcement-bar><div class=announcement-bar>Free shipping</div></div>\
             <div id=shopify-section-header><header><a href=/>Shop</a><nav><a href=/c>Catalog</a></nav></header></div>\
             <main id=MainContent role=main><section id=shopify-section-main class=shopify-section>\
             <nav class=breadcrumbs aria-label=breadcrumbs><a href=/>Home</a> <a href=/c>Chairs</a></nav>\
             <div class=product__media><figure><img src=//cdn/chair.jpg alt='Oak chair, side'></figure></div>\
             <div class=product__info><h1>Oak chair</h1><div class=price><span>$149.00</span></div>\
             <form action=/cart/add><label>Quantity</label><input name=quantity>\
             <button type=submit name=add>Add to cart</button></form>\
             <div class='product__description rte'><p>{PROSE}</p><table><tr><th>Height<td>82 cm\
             <tr><th>Weight<td>5 kg</table></div></div></section>\
             <div class=product-recommendations><h2>You may also like</h2><a href=/p/2>Pine chair</a></div>\
             </main><div id=shopify-section-footer><footer>© Shop</footer></div>\
             <cart-drawer class=drawer><h2>Your cart is empty</h2></cart-drawer>"
        );
        let (document, content) = read(&html);
        assert_eq!(
            content.markdown(),
            format!(
                "# Oak chair\n\n$149.00\n\nQuantity\n\n{PROSE}\n\n| | |\n| --- | --- |\n\
                 | Height | 82 cm |\n| Weight | 5 kg |\n"
            )
            .replace('$', "\\$")
        );
        let pairs: Vec<_> =
            content.pairs.iter().map(|p| (p.key.as_str(), p.value.as_str())).collect();
        assert_eq!(pairs, [("Height", "82 cm"), ("Weight", "5 kg")]);
        assert_eq!(
            content.buttons.iter().map(|b| b.text.as_str()).collect::<Vec<_>>(),
            ["Add to cart"]
        );
        assert_eq!(content.breadcrumbs.len(), 2);
        assert_eq!(content.images.len(), 1);
        assert_eq!(
            document.css_path(content.pairs[1].node),
            "#shopify-section-main > div:nth-of-type(2) > div:nth-of-type(2) > table > tbody > \
             tr:nth-of-type(2)"
        );
        assert_eq!(document.element_name(content.pairs[1].node), "tr");
    }

    #[test]
    fn a_blog_page_is_its_article() {
        let html = format!(
            "<body class='single has-sidebar'><header class=site-header><h1 class=site-title>My blog</h1></header>\
             <div id=content class=site-content><div id=primary><article class='post type-post'>\
             <header class=entry-header><h1 class=entry-title>On oak</h1>\
             <time class=entry-date datetime=2026-01-02>2 January</time></header>\
             <div class=entry-content><p>{PROSE}</p><blockquote><p>Oak is forever.</p><footer>A carpenter</footer>\
             </blockquote><div class=sharedaddy><div class=social-share><a href=/s>Share</a></div></div></div>\
             <footer class=entry-footer>Posted in wood</footer></article>\
             <nav class=post-navigation><a href=/n>Next</a></nav>\
             <div id=comments class=comments-area><ol><li><article><p>First! {PROSE}</p></article></ol></div></div>\
             <aside id=secondary class=widget-area><section class=widget>About me</section></aside></div>"
        );
        let (_, content) = read(&html);
        assert!(matches!(content.root, Root::Article(_)));
        assert_eq!(
            content.blocks.iter().map(|b| (b.kind, b.text.as_str())).collect::<Vec<_>>(),
            [
                (BlockKind::Heading(1), "On oak"),
                (BlockKind::Paragraph, "2 January"),
                (BlockKind::Paragraph, PROSE),
                (BlockKind::Quote, "Oak is forever."),
                (BlockKind::Quote, "A carpenter"),
            ]
        );
        assert!(content.times[0].is_main);
    }

    #[test]
    fn a_turkish_page_is_read_in_its_charset() {
        let html = "<html lang=tr><body><div class=cerez-uyari>Çerez kullanıyoruz.</div><main>\
                    <h1>Meşe sandalye</h1><p>Ağır, sağlam ve uzun ömürlü; İstanbul'da elde yapılır.</p>\
                    <table><tr><th>Yükseklik<td>82 cm</table><div class=benzer-urunler>Çam</div></main>";
        let bytes = encoding_rs::WINDOWS_1254.encode(html).0;
        let document = Document::parse(&bytes, Some("text/html; charset=windows-1254"));
        let content = document.content();
        let texts: Vec<_> = content.blocks.iter().map(|block| block.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "Meşe sandalye",
                "Ağır, sağlam ve uzun ömürlü; İstanbul'da elde yapılır.",
                "Yükseklik",
                "82 cm"
            ]
        );
        assert!(!document.has_broken_charset());
        assert!(Document::parse(&bytes, Some("text/html; charset=utf-8")).has_broken_charset());
    }

    #[test]
    fn questions_in_buttons_and_closed_answers_are_read() {
        assert_eq!(
            text(
                "<h3><button aria-expanded=false>Is it oak?</button></h3><p>Yes.<details><summary>How \
                 high?</summary>82 cm</details><button>Close</button><dialog>no</dialog>\
                 <div><template shadowrootmode=open><p>shadow</p></template></div>"
            ),
            "Is it oak?\nYes.\nHow high?\n82 cm\nshadow"
        );
    }

    #[test]
    fn only_what_is_withheld_of_the_content_counts_as_withheld() {
        let (_, content) = read(&format!(
            "<div class=cookie-banner data-nosnippet>We use cookies</div><p>{PROSE}</p>\
             <p data-nosnippet>12 chars <b>ok</b></p>"
        ));
        assert_eq!(content.nosnippet_chars, 10);
    }

    #[test]
    fn what_is_made_to_take_long_does_not() {
        for html in [
            "<div>".repeat(100_000),
            "<b>".repeat(20_000),
            "<table><tr><td>".repeat(8_000),
            "<ul><li>a".repeat(8_000),
            "<p>x".repeat(25_000),
            "a<br>".repeat(25_000),
            format!("<p title='{}'>", "x ".repeat(1_000_000)),
            "<p class='a b'>\0x".repeat(10_000),
            "<div class='nav'><a href=x>y</a>".repeat(8_000),
            "<svg>".repeat(10_000),
            "<dl><dt>k<dd>v".repeat(8_000),
            "<figure><img><figcaption>x".repeat(8_000),
        ] {
            let (document, content) = read(&html);
            let text: usize =
                content.blocks.iter().map(|block| block.text.len() + block.raw.len()).sum();
            assert!(text <= 3 * html.len() && content.blocks.len() <= 20_000);
            for block in &content.blocks {
                let _ = document.css_path(block.node);
            }
            assert!(content.markdown().len() <= 20 * html.len() + 1_000_000);
        }
    }

    proptest! {
        #[test]
        fn no_markup_makes_the_reader_panic(
            html in "(<(/?(a href=x|b|p|pre|br|table|caption|td|th|tr|svg|ul|ol|li|dl|dt|dd|h1|h2|main|article|nav|div|div hidden|form|script|button|blockquote|figure|figcaption|img|time|template|span itemscope|span itemprop=a|p data-nosnippet|details)|!--)( class=[a-z]{0,4})?>|-->|&[a-z]{0,4};?|[ -~ü\n]{0,9}){0,60}",
        ) {
            let (document, content) = read(&html);
            let words: usize = content.blocks.iter().map(Block::words).sum();
            prop_assert_eq!(words, content.words);
            prop_assert!(content.words <= content.body_words + content.blocks.len());
            prop_assert!(content.bytes_before <= html.len());
            let lines = html.matches('\n').count() + 1;
            for block in &content.blocks {
                prop_assert!(!block.text.trim().is_empty() && !block.text.contains('\n'));
                prop_assert!((1..=lines).contains(&block.line));
                prop_assert!(!document.element_name(block.node).is_empty());
            }
            let _ = content.markdown();
        }
    }
}
