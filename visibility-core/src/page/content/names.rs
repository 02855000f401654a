//! Names that sites give to the parts of their pages, in `class` and `id`.

use crate::page::content::rule::DropRule;

/// Longest of the words below, in bytes.
const MAX_WORD_BYTES: usize = 15;

/// A word of a name, in lower case.
struct Word {
    bytes: [u8; MAX_WORD_BYTES],
    len: usize,
}

impl Word {
    fn new(word: &str) -> Option<Self> {
        let mut bytes = [0; MAX_WORD_BYTES];
        bytes.get_mut(..word.len())?.copy_from_slice(word.as_bytes());
        bytes.make_ascii_lowercase();
        Some(Self { bytes, len: word.len() })
    }

    fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

/// What a name says of an element, the stronger one last.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Named {
    #[default]
    Nothing,
    /// A part of the page's chrome, such as `site-nav`.
    Chrome,
    /// A notice that is laid over the page, such as `cookie_banner`.
    Notice,
}

/// What the names of an element say.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Names {
    pub(super) named: Named,
    /// The rule of the word that said it.
    pub(super) rule: DropRule,
    /// Whether one of them tells of breadcrumbs.
    pub(super) is_breadcrumbs: bool,
    /// Whether one of them tells of a button.
    pub(super) is_button: bool,
}

/// Reads the names in a `class`, an `id` or a label.
pub(super) fn read(names: &str) -> Names {
    let mut found = Names::default();
    for name in names.split_ascii_whitespace() {
        found.add(name);
    }
    found
}

impl Names {
    fn add(&mut self, name: &str) {
        let mut before = "";
        let mut words = words(name).peekable();
        while let Some(text) = words.next() {
            let next = words.peek().copied().unwrap_or_default();
            if let Some(word) = Word::new(text) {
                match word.as_bytes() {
                    b"breadcrumb" | b"breadcrumbs" => self.is_breadcrumbs = true,
                    b"btn" | b"button" => self.is_button = true,
                    _ => {}
                }
                let named = word_says(word.as_bytes(), before, next);
                if named > self.named && !tells_of_others(before) {
                    self.named = named;
                    self.rule = DropRule::from_name(word.as_bytes());
                }
            }
            before = text;
        }
    }
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(['-', '_', ':', '/']).filter(|word| !word.is_empty())
}

/// Whether what follows is elsewhere, as in `no-sidebar` and `has-menu`.
fn tells_of_others(before: &str) -> bool {
    const WORDS: [&str; 7] = ["has", "hide", "is", "no", "not", "with", "without"];
    WORDS.iter().any(|word| before.eq_ignore_ascii_case(word))
}

fn word_says(word: &[u8], before: &str, next: &str) -> Named {
    let precedes = |words: &[&str]| words.iter().any(|word| next.eq_ignore_ascii_case(word));
    let is_chrome = match word {
        b"cerez" | b"consent" | b"cookie" | b"cookiebar" | b"cookies" | b"gdpr" | b"newsletter"
        | b"onetrust" | b"popup" | b"promo" => return Named::Notice,
        // In Turkish, `ad` is a name.
        b"ad" => before.is_empty() && precedes(&["banner", "container", "slot", "unit", "wrapper"]),
        b"bread" => precedes(&["crumb", "crumbs"]),
        b"mini" => precedes(&["cart"]),
        b"recently" => precedes(&["viewed"]),
        b"off" => precedes(&["canvas"]),
        b"side" => precedes(&["bar"]),
        b"skip" => precedes(&["content", "link", "links", "nav", "to"]),
        b"social" => !precedes(&["proof"]),
        // Every block of some page builders is a widget.
        b"widget" => !before.eq_ignore_ascii_case("elementor"),
        word => is_chrome(word),
    };
    if is_chrome { Named::Chrome } else { Named::Nothing }
}

fn is_chrome(word: &[u8]) -> bool {
    matches!(
        word,
        b"ads"
            | b"advert"
            | b"advertisement"
            | b"announcement"
            | b"banner"
            | b"benzer"
            | b"breadcrumb"
            | b"breadcrumbs"
            | b"comments"
            | b"drawer"
            | b"facets"
            | b"filters"
            | b"footer"
            | b"login"
            | b"megamenu"
            | b"menu"
            | b"minicart"
            | b"modal"
            | b"nav"
            | b"navbar"
            | b"navigation"
            | b"offcanvas"
            | b"pager"
            | b"pagination"
            | b"postprofile"
            | b"recommend"
            | b"recommendation"
            | b"recommendations"
            | b"recommended"
            | b"related"
            | b"reviews"
            | b"share"
            | b"sharing"
            | b"sidebar"
            | b"signature"
            | b"signin"
            | b"similar"
            | b"skiplink"
            | b"sponsored"
            | b"toc"
            | b"toolbar"
            | b"trending"
            | b"upsell"
            | b"upsells"
            | b"userinfo"
            | b"widgets"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(names: &str) -> Named {
        read(names).named
    }

    #[test]
    fn names_of_chrome_are_whole_words() {
        for names in [
            "nav",
            "site-nav",
            "nav_main",
            "a b Menu",
            "cookie-banner",
            "Footer_root__x1",
            "shopify-section--related-products",
            "widget",
            "footer-widget",
            "elementor-widget-nav-menu",
            "side-bar",
            "mini-cart",
            "ad-slot",
            "skip-to-content-link",
            "benzer-urunler",
            "cookie-consent",
        ] {
            assert!(what(names) > Named::Nothing, "{names}");
            assert!(read(names).rule.id().starts_with("name-"), "{names}");
        }
        for names in [
            "",
            "- _",
            "advantage",
            "navigate",
            "canvas",
            "footnote",
            "menus-of-the-day",
            "ad",
            "urun-ad",
            "no-sidebar",
            "has-menu",
            "elementor-widget elementor-widget-text-editor",
            "social-proof",
            "product-description",
            "a-name-much-longer-than-any-of-the-words-nothingelse",
            "çerez",
        ] {
            assert_eq!(what(names), Named::Nothing, "{names}");
        }
    }
    #[test]
    fn a_notice_is_more_than_chrome() {
        assert_eq!(what("footer cookie-bar"), Named::Notice);
        assert_eq!(what("newsletter_signup"), Named::Notice);
        assert_eq!(what("footer-menu"), Named::Chrome);
        assert_eq!(what("no-cookies"), Named::Nothing);
    }
}
