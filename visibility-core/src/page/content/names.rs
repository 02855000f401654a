//! Names that sites give to the parts of their pages, in `class` and `id`.

/// Longest of the words below, in octets.
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

/// What a name says of an element, the stronger last.
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
pub(super) fn what(names: &str) -> Named {
    names.split_ascii_whitespace().map(named).max().unwrap_or_default()
}

/// Whether one of the names tells of breadcrumbs.
pub(super) fn are_breadcrumbs(names: &str) -> bool {
    const MARKS: [&[u8]; 2] = [b"breadcrumb", b"breadcrumbs"];
    has_word(names, |word| MARKS.contains(&word))
}

/// Whether one of the names tells of a button.
pub(super) fn are_button(names: &str) -> bool {
    const MARKS: [&[u8]; 2] = [b"btn", b"button"];
    has_word(names, |word| MARKS.contains(&word))
}

fn has_word(names: &str, is_wanted: impl Fn(&[u8]) -> bool) -> bool {
    words(names).any(|word| Word::new(word).is_some_and(|word| is_wanted(word.as_bytes())))
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    let is_end = |ch: char| ch.is_ascii_whitespace() || matches!(ch, '-' | '_' | ':' | '/');
    name.split(is_end).filter(|word| !word.is_empty())
}

fn named(name: &str) -> Named {
    let mut found = Named::Nothing;
    let mut before = "";
    let mut words = words(name).peekable();
    while let Some(word) = words.next() {
        let next = words.peek().copied().unwrap_or_default();
        if !tells_of_others(before) {
            found = found.max(word_says(word, before, next));
        }
        before = word;
    }
    found
}

/// Whether what follows stands elsewhere, as in `no-sidebar` and `has-menu`.
fn tells_of_others(before: &str) -> bool {
    const WORDS: [&str; 7] = ["has", "hide", "is", "no", "not", "with", "without"];
    WORDS.iter().any(|word| before.eq_ignore_ascii_case(word))
}

fn word_says(word: &str, before: &str, next: &str) -> Named {
    let Some(word) = Word::new(word) else { return Named::Nothing };
    let precedes = |words: &[&str]| words.iter().any(|word| next.eq_ignore_ascii_case(word));
    let is_chrome = match word.as_bytes() {
        b"cerez" | b"consent" | b"cookie" | b"cookiebar" | b"cookies" | b"gdpr" | b"newsletter"
        | b"onetrust" | b"popup" | b"promo" => return Named::Notice,
        // In Turkish, `ad` is a name.
        b"ad" => before.is_empty() && precedes(&["banner", "container", "slot", "unit", "wrapper"]),
        b"bread" => precedes(&["crumb", "crumbs"]),
        b"mini" => precedes(&["cart"]),
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
            | b"recommend"
            | b"recommendation"
            | b"recommendations"
            | b"recommended"
            | b"related"
            | b"share"
            | b"sharing"
            | b"sidebar"
            | b"signin"
            | b"skiplink"
            | b"sponsored"
            | b"toc"
            | b"toolbar"
            | b"trending"
            | b"upsell"
            | b"upsells"
            | b"widgets"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

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
