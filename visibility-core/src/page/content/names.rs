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

/// Whether one of the names is one of the page's chrome, such as `site-nav` or `cookie_banner`.
pub(super) fn are_chrome(names: &str) -> bool {
    names.split_ascii_whitespace().any(is_chrome)
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

fn is_chrome(name: &str) -> bool {
    let mut before = "";
    let mut words = words(name).peekable();
    while let Some(word) = words.next() {
        let next = words.peek().copied().unwrap_or_default();
        if is_chrome_word(word, before, next) && !tells_of_others(before) {
            return true;
        }
        before = word;
    }
    false
}

/// Whether what follows stands elsewhere, as in `no-sidebar` and `has-menu`.
fn tells_of_others(before: &str) -> bool {
    const WORDS: [&str; 7] = ["has", "hide", "is", "no", "not", "with", "without"];
    WORDS.iter().any(|word| before.eq_ignore_ascii_case(word))
}

fn is_chrome_word(word: &str, before: &str, next: &str) -> bool {
    let Some(word) = Word::new(word) else { return false };
    let precedes = |words: &[&str]| words.iter().any(|word| next.eq_ignore_ascii_case(word));
    match word.as_bytes() {
        // In Turkish, `ad` is a name.
        b"ad" => before.is_empty() && precedes(&["banner", "container", "slot", "unit", "wrapper"]),
        b"bread" => precedes(&["crumb", "crumbs"]),
        b"mini" => precedes(&["cart"]),
        b"off" => precedes(&["canvas"]),
        b"pop" => precedes(&["up"]),
        b"side" => precedes(&["bar"]),
        b"skip" => precedes(&["content", "link", "links", "nav", "to"]),
        b"social" => !precedes(&["proof"]),
        // Every block of some page builders is a widget.
        b"widget" => !before.eq_ignore_ascii_case("elementor"),
        word => is_named(word),
    }
}

fn is_named(word: &[u8]) -> bool {
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
            | b"cerez"
            | b"comments"
            | b"consent"
            | b"cookie"
            | b"cookiebar"
            | b"cookies"
            | b"drawer"
            | b"footer"
            | b"gdpr"
            | b"login"
            | b"megamenu"
            | b"menu"
            | b"minicart"
            | b"modal"
            | b"nav"
            | b"navbar"
            | b"navigation"
            | b"newsletter"
            | b"offcanvas"
            | b"onetrust"
            | b"pager"
            | b"pagination"
            | b"popup"
            | b"promo"
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
        ] {
            assert!(are_chrome(names), "{names}");
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
            assert!(!are_chrome(names), "{names}");
        }
    }
}
