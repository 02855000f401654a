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

/// What the words of a name say of the part that it names, beside its being chrome.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum NameSign {
    /// Someone who wrote something.
    Person,
    /// A price.
    Price,
    /// What one thing for sale has: variants, sizes, a gallery.
    Specification,
    /// Things for sale.
    Product,
    /// What makes a choice smaller.
    Filter,
    /// What an offer is praised with: features, testimonials, prices, questions.
    Offer,
    /// A text to read.
    Article,
    /// What people write to each other.
    Post,
    /// A way to buy.
    Cart,
    /// What manuals consist of.
    Manual,
    /// The text of an article: `entry-content`, `article-body`.
    Body,
}

impl NameSign {
    /// How many there are.
    pub const COUNT: usize = 11;
    const ALL: [Self; Self::COUNT] = [
        Self::Person,
        Self::Price,
        Self::Specification,
        Self::Product,
        Self::Filter,
        Self::Offer,
        Self::Article,
        Self::Post,
        Self::Cart,
        Self::Manual,
        Self::Body,
    ];

    /// The sign of a word in lower case, behind another one.
    fn of(word: &[u8], before: &str) -> Option<Self> {
        const TEXTS: [&str; 5] = ["article", "blog", "entry", "post", "story"];
        let is_text = || TEXTS.iter().any(|text| before.eq_ignore_ascii_case(text));
        Some(match word {
            b"body" | b"content" if is_text() => Self::Body,
            b"author" | b"authors" | b"avatar" | b"byline" | b"member" | b"poster" | b"user"
            | b"username" | b"yazar" => Self::Person,
            b"fiyat" | b"preis" | b"price" | b"prices" | b"prix" | b"precio" => Self::Price,
            b"gallery" | b"qty" | b"quantity" | b"sku" | b"spec" | b"specification"
            | b"specifications" | b"specs" | b"swatch" | b"swatches" | b"variant" | b"variants"
            | b"variation" | b"variations" => Self::Specification,
            b"product" | b"products" | b"produkt" | b"urun" => Self::Product,
            b"facet" | b"filter" | b"filtre" | b"sort" | b"sorting" => Self::Filter,
            b"clients" | b"cta" | b"faq" | b"feature" | b"features" | b"hero" | b"partner"
            | b"partners" | b"pricing" | b"testimonial" | b"testimonials" => Self::Offer,
            b"article" | b"entry" | b"prose" | b"story" => Self::Article,
            b"comment" | b"message" | b"post" | b"replies" | b"reply" | b"thread" | b"topic" => {
                Self::Post
            }
            b"addtocart" | b"basket" | b"buy" | b"cart" | b"sepet" | b"warenkorb" => Self::Cart,
            b"admonition" | b"doc" | b"docs" | b"highlight" => Self::Manual,
            _ => return None,
        })
    }
}

/// The signs of an element.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct NameSigns(u16);

impl NameSigns {
    fn add(&mut self, sign: NameSign) {
        self.0 |= 1 << sign as u16;
    }

    pub(super) fn join(&mut self, other: Self) {
        self.0 |= other.0;
    }

    pub(super) fn has(self, sign: NameSign) -> bool {
        self.0 & (1 << sign as u16) != 0
    }

    pub(super) fn iter(self) -> impl Iterator<Item = NameSign> {
        NameSign::ALL.into_iter().filter(move |sign| self.has(*sign))
    }
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
    /// What else they say.
    pub(super) signs: NameSigns,
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
                if let Some(sign) = NameSign::of(word.as_bytes(), before) {
                    self.signs.add(sign);
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

/// The words of a name, whichever way they are joined: `site-nav`, `site_nav`, `siteNav`.
pub(in crate::page) fn words(name: &str) -> impl Iterator<Item = &str> {
    let mut was_lower = false;
    let is_cut = move |ch: char| {
        let is_cut = was_lower && ch.is_ascii_uppercase();
        was_lower = ch.is_ascii_lowercase();
        is_cut
    };
    name.split(['-', '_', ':', '/'])
        .flat_map(move |part| cut_before(part, is_cut))
        .filter(|word| !word.is_empty())
}

/// Cuts a text before each character that says so.
fn cut_before(text: &str, mut is_cut: impl FnMut(char) -> bool) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let cut = text.char_indices().find(|(_, ch)| is_cut(*ch)).map(|(at, _)| at);
        let (word, after) = match cut {
            Some(at) => text.split_at_checked(at)?,
            None => (text, ""),
        };
        rest = cut.map(|_| after);
        Some(word)
    })
}

/// Whether what follows is elsewhere, as in `no-sidebar` and `has-menu`.
fn tells_of_others(before: &str) -> bool {
    const WORDS: [&str; 7] = ["has", "hide", "is", "no", "not", "with", "without"];
    WORDS.iter().any(|word| before.eq_ignore_ascii_case(word))
}

fn word_says(word: &[u8], before: &str, next: &str) -> Named {
    let precedes = |words: &[&str]| words.iter().any(|word| next.eq_ignore_ascii_case(word));
    let follows = |words: &[&str]| words.iter().any(|word| before.eq_ignore_ascii_case(word));
    let is_chrome = match word {
        b"cerez" | b"consent" | b"cookie" | b"cookiebar" | b"cookies" | b"gdpr" | b"newsletter"
        | b"onetrust" | b"popup" | b"promo" => return Named::Notice,
        // In Turkish, `ad` is a name.
        b"ad" => before.is_empty() && precedes(&["banner", "container", "slot", "unit", "wrapper"]),
        b"author" => precedes(&["about", "bio", "box", "card", "profile"]),
        b"bread" => precedes(&["crumb", "crumbs"]),
        b"mini" => precedes(&["cart"]),
        // The cards of members of a forum, beside their posts.
        b"member" | b"poster" => precedes(&["card", "details", "info", "profile", "stats"]),
        b"user" => {
            precedes(&["block", "card", "details", "info", "profile", "stats"])
                || (next.is_empty() && follows(&["cell", "message", "msg", "post"]))
        }
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
            | b"postleft"
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
            "RelatedArticles_container__Ntihs",
            "siteFooter",
            "author-bio",
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
            "author",
            "navigatorJs",
            "SIDEBAR2nav",
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
