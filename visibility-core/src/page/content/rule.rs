//! Rules that exclude parts of a page from its main content.

/// A rule, as its place in [`RULES`].
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct DropRule(u8);

/// Their ids, and what they leave out, in the words of `locales/`: what is known by element or role, then names in `class` and
/// `id`.
const RULES: [(&str, &str); 85] = [
    ("links", "links"),
    ("teasers", "teasers"),
    ("outside", "outside"),
    ("nav", "navigation"),
    ("aside", "aside"),
    ("dialog", "overlay"),
    ("search", "search"),
    ("textarea", "field"),
    ("footer", "footer"),
    ("header", "header"),
    ("form", "form"),
    ("button", "button"),
    ("role", "role"),
    ("repeated", "repeated"),
    ("further", "related"),
    ("name-ad", "advertisement"),
    ("name-ads", "advertisement"),
    ("name-advert", "advertisement"),
    ("name-advertisement", "advertisement"),
    ("name-announcement", "advertisement"),
    ("name-author", "profile"),
    ("name-banner", "advertisement"),
    ("name-benzer", "related"),
    ("name-bread", "breadcrumbs"),
    ("name-breadcrumb", "breadcrumbs"),
    ("name-breadcrumbs", "breadcrumbs"),
    ("name-cerez", "consent"),
    ("name-comments", "comments"),
    ("name-consent", "consent"),
    ("name-cookie", "consent"),
    ("name-cookiebar", "consent"),
    ("name-cookies", "consent"),
    ("name-drawer", "overlay"),
    ("name-facets", "filters"),
    ("name-filters", "filters"),
    ("name-footer", "footer"),
    ("name-gdpr", "consent"),
    ("name-login", "account"),
    ("name-megamenu", "navigation"),
    ("name-member", "profile"),
    ("name-menu", "navigation"),
    ("name-mini", "cart"),
    ("name-minicart", "cart"),
    ("name-modal", "overlay"),
    ("name-nav", "navigation"),
    ("name-navbar", "navigation"),
    ("name-navigation", "navigation"),
    ("name-newsletter", "newsletter"),
    ("name-off", "overlay"),
    ("name-offcanvas", "overlay"),
    ("name-onetrust", "consent"),
    ("name-pager", "pages"),
    ("name-pagination", "pages"),
    ("name-popup", "overlay"),
    ("name-poster", "profile"),
    ("name-postleft", "profile"),
    ("name-postprofile", "profile"),
    ("name-promo", "advertisement"),
    ("name-recently", "related"),
    ("name-recommend", "related"),
    ("name-recommendation", "related"),
    ("name-recommendations", "related"),
    ("name-recommended", "related"),
    ("name-related", "related"),
    ("name-reviews", "reviews"),
    ("name-share", "share"),
    ("name-sharing", "share"),
    ("name-side", "aside"),
    ("name-sidebar", "aside"),
    ("name-signin", "account"),
    ("name-signature", "profile"),
    ("name-similar", "related"),
    ("name-skip", "navigation"),
    ("name-skiplink", "navigation"),
    ("name-social", "share"),
    ("name-sponsored", "advertisement"),
    ("name-toc", "navigation"),
    ("name-toolbar", "navigation"),
    ("name-trending", "related"),
    ("name-upsell", "related"),
    ("name-upsells", "related"),
    ("name-user", "profile"),
    ("name-userinfo", "profile"),
    ("name-widget", "aside"),
    ("name-widgets", "aside"),
];

/// Rules of names that hold for every page.
const KEPT_NAMES: [&str; 31] = [
    "name-bread",
    "name-breadcrumb",
    "name-breadcrumbs",
    "name-cerez",
    "name-consent",
    "name-cookie",
    "name-cookiebar",
    "name-cookies",
    "name-drawer",
    "name-facets",
    "name-filters",
    "name-footer",
    "name-gdpr",
    "name-megamenu",
    "name-menu",
    "name-minicart",
    "name-modal",
    "name-nav",
    "name-navbar",
    "name-navigation",
    "name-newsletter",
    "name-off",
    "name-offcanvas",
    "name-onetrust",
    "name-pager",
    "name-pagination",
    "name-popup",
    "name-promo",
    "name-recently",
    "name-skip",
    "name-skiplink",
];

/// Rules of names of what leads elsewhere.
const LINK_NAMES: [&str; 13] = [
    "name-bread",
    "name-breadcrumb",
    "name-breadcrumbs",
    "name-menu",
    "name-nav",
    "name-navbar",
    "name-navigation",
    "name-pager",
    "name-pagination",
    "name-skip",
    "name-skiplink",
    "name-toc",
    "name-toolbar",
];

/// Rules that there are.
pub(super) const COUNT: usize = RULES.len();
/// Rules from which on a name says it.
const FIRST_NAME: usize = 15;
/// What the id of a rule begins with that goes by a name.
const NAME_PREFIX: &str = "name-";

impl DropRule {
    pub(super) const LINKS: Self = Self(0);
    pub(super) const TEASERS: Self = Self(1);
    pub(super) const OUTSIDE: Self = Self(2);
    pub(super) const NAV: Self = Self(3);
    pub(super) const ASIDE: Self = Self(4);
    pub(super) const DIALOG: Self = Self(5);
    pub(super) const SEARCH: Self = Self(6);
    pub(super) const TEXTAREA: Self = Self(7);
    pub(super) const FOOTER: Self = Self(8);
    pub(super) const HEADER: Self = Self(9);
    pub(super) const FORM: Self = Self(10);
    pub(super) const BUTTON: Self = Self(11);
    pub(super) const ROLE: Self = Self(12);
    pub(super) const REPEATED: Self = Self(13);
    pub(super) const FURTHER: Self = Self(14);

    /// The rule of a word in a name.
    pub(super) fn from_name(word: &[u8]) -> Self {
        let mut names = RULES.iter().skip(FIRST_NAME);
        let found = names.position(|(id, _)| {
            id.strip_prefix(NAME_PREFIX).is_some_and(|name| name.as_bytes() == word)
        });
        Self(found.and_then(|at| u8::try_from(at + FIRST_NAME).ok()).unwrap_or_default())
    }

    /// Its place among all rules.
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The rule at a place among all.
    pub(super) fn at(place: usize) -> Self {
        Self(u8::try_from(place).unwrap_or_default())
    }

    /// Whether it may be wrong of most of a page: names that sites give to their own parts as well, and
    /// what may be around all of a page. A notice or a footer may well be longer than the page.
    pub(super) fn may_be_lifted(self) -> bool {
        matches!(self, Self::ASIDE | Self::FORM | Self::HEADER)
            || (self.index() >= FIRST_NAME && !KEPT_NAMES.contains(&self.id()))
    }

    /// Whether it is that of readers' comments.
    pub(super) fn is_comments(self) -> bool {
        self.id() == "name-comments"
    }

    /// Whether it is that of a link that skips what comes before the content.
    pub(super) fn is_skip_link(self) -> bool {
        matches!(self.id(), "name-skip" | "name-skiplink")
    }

    /// Whether it is that of a card of someone who writes in a forum.
    pub(super) fn is_member(self) -> bool {
        matches!(
            self.id(),
            "name-member"
                | "name-poster"
                | "name-postleft"
                | "name-postprofile"
                | "name-user"
                | "name-userinfo"
        )
    }

    /// Whether it is that of a part about other pages.
    pub(super) fn is_of_other_pages(self) -> bool {
        RULES.get(self.index()).is_some_and(|(_, part)| *part == "related")
    }

    /// Whether it goes by a name.
    pub(super) fn is_name(self) -> bool {
        self.index() >= FIRST_NAME
    }

    /// Whether it is that of something that leads elsewhere, and so consists of links.
    pub(super) fn wants_links(self) -> bool {
        LINK_NAMES.contains(&self.id())
    }

    /// Its id, such as `nav` or `name-sidebar`.
    pub(super) fn id(self) -> &'static str {
        RULES.get(self.index()).map(|(id, _)| *id).unwrap_or_default()
    }
}

/// Why a part is left out, for readers: keys of `locales/`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct DropReason {
    /// What the part is, such as `navigation`.
    pub part: &'static str,
    /// How that is known: `element`, `name`, or the id of a rule that goes by neither.
    pub sign: &'static str,
    /// The element, or the word of a class or an id; empty for a rule that goes by neither.
    pub name: &'static str,
}

impl DropReason {
    /// The reason behind the id of a rule; `None` for an id that is not known.
    pub fn from_rule(id: &str) -> Option<Self> {
        let (id, part) = RULES.iter().find(|(known, _)| *known == id).copied()?;
        if let Some(name) = id.strip_prefix(NAME_PREFIX) {
            return Some(Self { part, sign: "name", name });
        }
        Some(match id {
            "links" | "teasers" | "outside" | "role" | "repeated" | "further" => {
                Self { part, sign: id, name: "" }
            }
            _ => Self { part, sign: "element", name: id },
        })
    }
}

/// Rules that do not hold for a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lifted([bool; COUNT]);

impl Default for Lifted {
    fn default() -> Self {
        Self([false; COUNT])
    }
}

impl Lifted {
    /// Lifts a rule; whether it held until now.
    pub(super) fn lift(&mut self, rule: usize) -> bool {
        let slot = self.0.get_mut(rule);
        slot.is_some_and(|slot| !std::mem::replace(slot, true))
    }

    pub(super) fn holds(&self, rule: DropRule) -> bool {
        !self.0.get(rule.index()).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Document;
    use crate::page::content::Content;

    const SECTION: &str = "<h2>Heat</h2><p>The machine heats in 25 seconds, weighs 4.2 kg and costs 349 EUR, \
                           which is less than any other machine of its size, in plain words.</p>";

    fn read(html: &str) -> Content {
        Document::parse(html.as_bytes(), None).content()
    }

    #[test]
    fn what_one_rule_takes_away_in_all_is_not_most_of_the_page() {
        for open in [
            "<div class='span12 widget-span widget-type-custom_widget'>",
            "<div class=hs_cos_wrapper_widget>",
            "<div class='so-panel widget widget_sow-editor'>",
            "<section class=banner>",
            "<form method=post>",
            "<aside>",
        ] {
            let close = open.trim_start_matches('<').split([' ', '>']).next().unwrap();
            let part = format!("{open}{SECTION}</{close}>");
            let html = format!("<nav><a href=/>Home</a></nav><h1>Aero 3</h1>{}", part.repeat(8));
            assert_eq!(read(&html).words, 2 + 8 * 27, "{open}");
            // Beside more text than they have, they are chrome.
            let html = format!("<h1>Aero 3</h1><div>{}</div>{part}", SECTION.repeat(8));
            assert_eq!(read(&html).words, 2 + 8 * 27, "{open}");
        }
    }

    #[test]
    fn a_notice_may_be_longer_than_the_page() {
        let notice = format!("<div class=cookie-consent>{}</div>", SECTION.repeat(4));
        let content = read(&format!("<h1>Aero 3</h1><p>A machine.</p>{}", notice.repeat(3)));
        assert_eq!(content.words, 4);
        let rules: Vec<_> = content.dropped.iter().map(|dropped| dropped.rule).collect();
        assert_eq!(rules, ["name-cookie"; 3]);
    }

    #[test]
    fn teasers_are_read_where_they_are_the_page() {
        let teaser = |i: usize| {
            format!(
                "<li><a href=/{i}><h3>Machine {i}</h3>It heats in 25 seconds and costs {i} EUR</a>"
            )
        };
        let teasers: String = (0..12).map(teaser).collect();
        let list = format!("<main><h1>Machines</h1><ul>{teasers}</ul></main>");
        assert_eq!(read(&list).words, 1 + 12 * 11);
        let article = format!("<main><h1>Heat</h1>{}<ul>{teasers}</ul></main>", SECTION.repeat(9));
        assert_eq!(read(&article).words, 1 + 9 * 27);
        let menu = "<li><a href=/a>Machines of steel</a>".repeat(40);
        let page = format!("<ul>{menu}</ul><main><h1>Machines</h1><ul>{teasers}</ul></main>");
        assert_eq!(read(&page).words, 1 + 12 * 11);
    }

    #[test]
    fn a_quote_of_what_was_said_is_not_said_again() {
        let post = "The machine heats in 25 seconds and costs 349 EUR, I have had it for a year.";
        let html = format!(
            "<main><p>{post}</p><blockquote><p>{post}</p></blockquote><p>I agree.</p><p>{post}</p></main>"
        );
        let content = read(&html);
        let texts: Vec<_> = content.blocks.iter().map(|block| block.text.as_str()).collect();
        assert_eq!(texts, [post, "I agree.", post]);
        let dropped: Vec<_> = content.dropped.iter().map(|part| part.rule).collect();
        assert_eq!(dropped, ["repeated"]);
    }

    #[test]
    fn what_is_dropped_has_its_rule_its_place_and_its_text() {
        let html = format!(
            "<header>Shop</header>\n<main>{}\n<div class=related-items>Other <b>machines</b></div></main><p>Bye</p>",
            SECTION.repeat(3)
        );
        let document = Document::parse(html.as_bytes(), None);
        let content = document.content();
        let dropped: Vec<_> = content
            .dropped
            .iter()
            .map(|d| (d.rule, d.line, document.text_of(d.node, 100)))
            .collect();
        assert_eq!(
            dropped,
            [
                ("header", 1, "Shop".to_owned()),
                ("name-related", 3, "Other machines".to_owned()),
                ("outside", 3, "Bye".to_owned()),
            ]
        );
        assert_eq!(document.text_of(content.dropped[1].node, 7), "Other m");
    }

    #[test]
    fn every_id_is_one_of_its_own() {
        let mut ids: Vec<&str> = RULES.iter().map(|(id, _)| *id).collect();
        assert!(KEPT_NAMES.iter().all(|name| ids.contains(name)));
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), COUNT);
        assert_eq!(RULES[FIRST_NAME - 1].0, DropRule::FURTHER.id());
        assert_eq!(DropRule::from_name(b"widget").id(), "name-widget");
    }

    #[test]
    fn every_rule_has_words_in_both_languages() {
        use crate::text::locale::{Catalog, Lang};

        for (id, _) in RULES {
            let reason = DropReason::from_rule(id).unwrap();
            for catalog in [Lang::En, Lang::Tr].map(Catalog::for_lang) {
                for (group, key) in [("parts", reason.part), ("signs", reason.sign)] {
                    assert!(catalog.find(&["dropped", group, key]).is_some(), "{id}: {key}");
                }
            }
        }
        assert_eq!(DropReason::from_rule("name-of-tomorrow"), None);
    }
}
