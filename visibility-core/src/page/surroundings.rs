//! What is around an element, for values that are proposed from it.

use html5ever::local_name;

use crate::page::Document;
use crate::page::content::words_of_name;
use crate::page::element::Element;
use crate::page::tree::NodeId;

/// Elements around another one that are looked at.
const MAX_AROUND: usize = 40;
/// Elements around a picture whose names may be about it.
const AROUND_PICTURE: usize = 3;
/// Like elements that are a list.
const MIN_LIKE: usize = 3;
/// Elements between a logo or a heading and its link.
const AROUND_LINKED: usize = 6;
/// Bytes of the names of an element.
const MAX_NAMES_BYTES: usize = 2_000;

/// How large a picture is, as far as the page says it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum PictureSize {
    /// As large as pictures of the content are.
    Large,
    /// As small as portraits, smileys and buttons are.
    Small,
    /// The page does not say.
    Unknown,
}

/// The image that a page calls its logo.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Logo {
    /// Its address, as written; empty if it is drawn by a script or by the style.
    pub(crate) src: String,
    /// Its text.
    pub(crate) alt: String,
}

/// Pixels of the shorter side up to which a picture is small, and those of the longer one from which on it is large.
const SMALL_SIDE: u32 = 150;
const LARGE_SIDE: u32 = 300;

impl Document {
    /// Whether an element is in the header or the footer of the page.
    pub(crate) fn is_in_header_or_footer(&self, node: NodeId) -> bool {
        self.around(node).any(|element| {
            let is_element =
                matches!(*element.local(), local_name!("header") | local_name!("footer"));
            let is_role = || {
                let role = element.attribute("role").unwrap_or_default();
                ["banner", "contentinfo"].contains(&role.trim())
            };
            is_element
                || is_role()
                || names(element).any(|word| {
                    ["header", "footer", "masthead", "topbar", "colophon"].contains(&word.as_str())
                })
        })
    }

    /// Whether an element is in the header of the page, and not in that of its text.
    pub(crate) fn is_in_page_header(&self, node: NodeId) -> bool {
        let is_text = |element: &Element| {
            matches!(*element.local(), local_name!("main") | local_name!("article"))
        };
        self.is_in_header_or_footer(node) && !self.around(node).any(is_text)
    }

    /// Whether an element is in a block of code.
    pub(crate) fn is_in_code(&self, node: NodeId) -> bool {
        let is_code = |element: &Element| {
            matches!(*element.local(), local_name!("pre") | local_name!("code"))
        };
        self.around(node).any(is_code)
    }

    /// Whether a link says this of its target.
    pub(crate) fn has_rel(&self, node: NodeId, rel: &str) -> bool {
        let value = self.element_at(node).and_then(|element| element.attribute("rel"));
        value.is_some_and(|value| {
            value.split_ascii_whitespace().any(|one| one.eq_ignore_ascii_case(rel))
        })
    }

    /// Whether two nodes are in two elements that are alike, as two posts of a thread and two items of a list are.
    pub(crate) fn are_in_like_siblings(&self, one: NodeId, other: NodeId) -> bool {
        let path = |node| {
            let mut path: Vec<NodeId> =
                std::iter::successors(Some(node), |id| self.parent_of(*id)).collect();
            path.reverse();
            path
        };
        let (one, other) = (path(one), path(other));
        let shared = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
        let (Some(one), Some(other)) = (one.get(shared), other.get(shared)) else { return false };
        let (Some(one), Some(other)) = (self.element_at(*one), self.element_at(*other)) else {
            return false;
        };
        let class = |element: &Element| element.attribute("class").unwrap_or_default().to_owned();
        let first = |class: &str| class.split_ascii_whitespace().next().map(str::to_owned);
        let (class, other_class) = (class(one), class(other));
        let is_paragraph = *one.local() == local_name!("p");
        one.is_same_type(other) && !is_paragraph && first(&class) == first(&other_class)
    }

    /// Whether an element is in one of three or more like ones, such as the cards of a list.
    pub(crate) fn has_like_siblings(&self, node: NodeId) -> bool {
        let up = std::iter::successors(Some(node), |id| self.parent_of(*id)).take(AROUND_LINKED);
        up.filter(|id| self.element_at(*id).is_some_and(|own| *own.local() != local_name!("p")))
            .any(|id| {
                let Some(parent) = self.parent_of(id) else { return false };
                let Some(own) = self.element_at(id) else { return false };
                let class = own.attribute("class").unwrap_or_default();
                let siblings = self.tree().children(parent).filter_map(|id| self.element_at(id));
                let is_like = |other: &&Element| {
                    own.is_same_type(other) && other.attribute("class").unwrap_or_default() == class
                };
                siblings.filter(is_like).take(MIN_LIKE).count() == MIN_LIKE
            })
    }

    /// How large a picture is: by its attributes, the widths that it is offered in, its address, and whether it is
    /// a figure.
    pub(crate) fn picture_size(&self, node: NodeId) -> PictureSize {
        let Some(image) = self.element_at(node) else { return PictureSize::Unknown };
        let attribute = |name| image.attribute(name).unwrap_or_default();
        let pixels = |name| leading_number(attribute(name).trim());
        let of_address = size_in_address(attribute("src"));
        let width = pixels("width").or(of_address.map(|(width, _)| width));
        let height = pixels("height").or(of_address.map(|(_, height)| height));
        let sides: Vec<u32> = width.into_iter().chain(height).collect();
        if sides.iter().any(|side| *side <= SMALL_SIDE) {
            return PictureSize::Small;
        }
        if sides.iter().any(|side| *side >= LARGE_SIDE) {
            return PictureSize::Large;
        }
        let widest = ["srcset", "data-srcset"].into_iter().flat_map(|name| {
            attribute(name)
                .split_ascii_whitespace()
                .filter_map(|word| leading_number(word.trim_end_matches(',').strip_suffix('w')?))
        });
        let is_figure = || {
            let mut around = self.around(node).take(AROUND_PICTURE);
            around.any(|element| *element.local() == local_name!("figure"))
        };
        if widest.max().is_some_and(|width| width >= LARGE_SIDE) || is_figure() {
            return PictureSize::Large;
        }
        PictureSize::Unknown
    }

    /// Whether the names of a picture, of its file or of what is around it say that it shows a person, a mark or
    /// something for sale, and not what the page is about.
    pub(crate) fn is_ornament(&self, node: NodeId) -> bool {
        let Some(image) = self.element_at(node) else { return true };
        let around = self.around(node).take(AROUND_PICTURE);
        let of_parts = std::iter::once(image).chain(around).flat_map(names);
        let src = image.attribute("src").unwrap_or_default();
        let path = src.split(['?', '#']).next().unwrap_or_default();
        let of_file = path.rsplit('/').take(2).flat_map(|part| part.split(['.', '%']));
        let of_alt = image.attribute("alt").unwrap_or_default().split_whitespace().take(12);
        let mut of_picture =
            of_file.chain(of_alt).flat_map(words_of_name).map(str::to_ascii_lowercase);
        let is_one_of = |list: &[&str], word: &str| {
            let word = word.trim_end_matches(|ch: char| ch.is_ascii_digit());
            list.binary_search(&word).is_ok()
        };
        of_picture.any(|word| is_one_of(&ORNAMENTS, &word))
            || of_parts
                .into_iter()
                .any(|word| is_one_of(&ORNAMENTS, &word) || is_one_of(&ORNAMENTED_PARTS, &word))
    }

    /// The first image that is named as a logo, in a link to such an address.
    pub(crate) fn logo_in_link(&self, is_home: impl Fn(&str) -> bool) -> Option<Logo> {
        let is_named = |element: &Element| {
            ["class", "id", "alt", "src"].into_iter().any(|name| {
                element
                    .attribute(name)
                    .is_some_and(|value| value.to_ascii_lowercase().contains("logo"))
            })
        };
        let enters = self.tree().walk().filter(|step| step.is_enter());
        let mut named = enters.filter_map(|step| {
            let element = self.element_at(step.node())?;
            (*element.local() == local_name!("img") && is_named(element))
                .then_some((step.node(), element))
        });
        named.find_map(|(node, image)| {
            self.link_around(node).filter(|href| is_home(href))?;
            let src = ["src", "data-src"].into_iter().filter_map(|name| image.attribute(name));
            let src = src.into_iter().find(|src| !src.is_empty() && !src.starts_with("data:"))?;
            let alt = image.attribute("alt").unwrap_or_default();
            Some(Logo { src: src.to_owned(), alt: alt.trim().to_owned() })
        })
    }

    /// Where the link leads that an element is in, or that is all of it.
    pub(crate) fn link_around(&self, node: NodeId) -> Option<&str> {
        let is_link = |element: &&Element| *element.local() == local_name!("a");
        let outer = self.around(node).take(AROUND_LINKED).find(is_link);
        let inner =
            || self.tree().children(node).filter_map(|id| self.element_at(id)).find(is_link);
        outer.or_else(inner)?.attribute("href")
    }

    fn element_at(&self, node: NodeId) -> Option<&Element> {
        self.tree().element(node)
    }

    /// The elements around one, the nearest first.
    fn around(&self, node: NodeId) -> impl Iterator<Item = &Element> {
        let up = std::iter::successors(self.parent_of(node), |id| self.parent_of(*id));
        up.take(MAX_AROUND).filter_map(|id| self.element_at(id)).filter(|element| {
            !matches!(*element.local(), local_name!("body") | local_name!("html"))
        })
    }
}

/// The words of the names of an element, in lower case.
fn names(element: &Element) -> impl Iterator<Item = String> {
    let names = ["class", "id"].into_iter().filter_map(|name| element.attribute(name));
    names
        .map(|names| names.get(..names.floor_char_boundary(MAX_NAMES_BYTES)).unwrap_or_default())
        .flat_map(str::split_ascii_whitespace)
        .flat_map(words_of_name)
        .map(str::to_ascii_lowercase)
}

/// What pictures that are not the page's are called, in names, files and descriptions, sorted.
const ORNAMENTS: [&str; 22] = [
    "ava",
    "avatar",
    "avatars",
    "badge",
    "badges",
    "btn",
    "captcha",
    "emoji",
    "emoticon",
    "emoticons",
    "favicon",
    "gravatar",
    "icon",
    "icons",
    "loader",
    "logo",
    "logos",
    "placeholder",
    "smiley",
    "smilies",
    "spacer",
    "userpic",
];
/// What the parts are called that have such pictures, sorted. As words of a text these may be the subject.
const ORNAMENTED_PARTS: [&str; 20] = [
    "ad",
    "ads",
    "advert",
    "advertisement",
    "adverts",
    "author",
    "authors",
    "button",
    "buttons",
    "flag",
    "flags",
    "member",
    "members",
    "newsletter",
    "payment",
    "profile",
    "rank",
    "ranks",
    "rating",
    "sponsor",
];

fn leading_number(text: &str) -> Option<u32> {
    let end = text.find(|ch: char| !ch.is_ascii_digit()).unwrap_or(text.len());
    // A share of the room says nothing.
    let rest = text.get(end..)?;
    text.get(..end)?.parse().ok().filter(|_| !rest.starts_with('%'))
}

/// Width and height in the name of a file: `loaf-150x150.jpg`.
fn size_in_address(src: &str) -> Option<(u32, u32)> {
    let path = src.split(['?', '#']).next()?;
    let stem = path.rsplit('/').next()?.rsplit_once('.')?.0;
    let (_, size) = stem.rsplit_once(['-', '_'])?;
    let (width, height) = size.split_once('x')?;
    Some((width.parse().ok()?, height.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first image of a page.
    fn image(html: &str) -> (Document, NodeId) {
        let document = Document::parse(html.as_bytes(), None);
        let mut steps = document.tree().walk();
        let node = steps.find_map(|step| {
            let element = document.tree().element(step.node())?;
            (*element.local() == local_name!("img")).then_some(step.node())
        });
        drop(steps);
        (document, node.unwrap())
    }

    #[test]
    fn ornaments_are_sorted() {
        assert!(ORNAMENTS.is_sorted() && ORNAMENTED_PARTS.is_sorted());
    }

    #[test]
    fn attributes_files_and_figures_tell_the_size() {
        use PictureSize::{Large, Small, Unknown};
        for (html, expected) in [
            ("<img src=a.jpg width=48 height=48>", Small),
            ("<img src=a.jpg width=640 height=60>", Small),
            ("<img src=a.jpg width=640 height=360>", Large),
            ("<img src=a.jpg width='640px'>", Large),
            ("<img src=a.jpg width='100%'>", Unknown),
            ("<img src=/u/loaf-150x150.jpg>", Small),
            ("<img src=/u/loaf-1024x683.jpg>", Large),
            ("<img src=a.jpg srcset='a.jpg 320w, b.jpg 1280w'>", Large),
            ("<img src=a.jpg srcset='b.jpg 2x'>", Unknown),
            ("<figure><a href=/><img src=a.jpg></a></figure>", Large),
            ("<figure><img src=a.jpg width=32></figure>", Small),
            ("<p><img src=a.jpg></p>", Unknown),
        ] {
            let (document, node) = image(html);
            assert_eq!(document.picture_size(node), expected, "{html}");
        }
    }

    #[test]
    fn ornaments_are_distinguished_from_pictures() {
        for html in [
            "<img class=avatar src=/img/1.png>",
            "<img src=/img/ava-1.png>",
            "<img src=/smilies/grin.gif>",
            "<div class='user-avatar'><a href=/u><img src=1.jpg></a></div>",
            "<div class=authorBox><img src=jane.jpg></div>",
            "<img src=/img/btn_buy.png>",
            "<div id=ad-slot-3><img src=1.jpg></div>",
            "<img src=1.jpg alt='Rank badge of a senior member'>",
            "<img src=/badges/1.png>",
        ] {
            let (document, node) = image(html);
            assert!(document.is_ornament(node), "{html}");
        }
        for html in [
            "<img src=/bread/loaf.jpg alt='A loaf of rye'>",
            "<div class='article-image lead'><img src=/2026/05/loaf.jpg></div>",
            "<div class='load-lazy radius shadow'><img src=/adriatic/readers.jpg></div>",
            "<div class='post-thumbnail'><img src=/brand/brandy-glass.jpg alt='Brandy'></div>",
            "<div class='product-gallery'><img src=/iconic-lamp.jpg></div>",
            "<figure><img src=/authors-at-sea/seal-on-ice.jpg alt='Members of the rating agency'></figure>",
        ] {
            let (document, node) = image(html);
            assert!(!document.is_ornament(node), "{html}");
        }
    }

    #[test]
    fn headers_and_footers_are_distinguished_from_the_text() {
        for (html, expected) in [
            ("<footer><div><img src=a></div></footer>", true),
            ("<div class=site-footer><img src=a></div>", true),
            ("<div role=contentinfo><img src=a></div>", true),
            ("<div id=pageHeader><img src=a></div>", true),
            ("<body class=has-header><main><img src=a></main>", false),
            ("<article><p><img src=a></p></article>", false),
        ] {
            let (document, node) = image(html);
            assert_eq!(document.is_in_header_or_footer(node), expected, "{html}");
        }
    }

    #[test]
    fn posts_of_a_thread_are_like_siblings() {
        let is_alike = |html: &str| {
            let document = Document::parse(html.as_bytes(), None);
            let nodes: Vec<NodeId> = document
                .texts()
                .filter(|(_, text)| ["one", "two"].contains(&text.trim()))
                .map(|(node, _)| node)
                .collect();
            document.are_in_like_siblings(nodes[0], nodes[1])
        };
        assert!(is_alike("<div class=post><p>one</p></div><div class='post new'><p>two</p></div>"));
        assert!(is_alike("<ul><li>one<li>two</ul>"));
        assert!(!is_alike("<div class=post><p>one</p><p>two</p></div>"));
        assert!(!is_alike("<div class=user>one</div><div class=text>two</div>"));
        assert!(!is_alike("<h1>one</h1><p>two</p>"));
    }
}
