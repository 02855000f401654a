//! What single elements are for: content, the page's chrome, or nothing to read.

use html5ever::{LocalName, local_name};

use crate::page::content::names::{self, NameSigns, Named};
use crate::page::content::rule::DropRule;
use crate::page::element::{self, Element};
use crate::page::style;
use crate::page::text::Gap;

/// What is known of an element from its tag alone.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct ElementMark {
    pub(super) shown: Visibility,
    pub(super) sight: Sight,
    pub(super) chrome: Chrome,
    /// The rule that makes it chrome.
    pub(super) rule: DropRule,
    pub(super) landmark: Landmark,
    /// What it puts before and after its text.
    pub(super) gap: Gap,
    /// What it puts before it: more than after it, if it is apart from the element right before it.
    pub(super) gap_before: Gap,
    /// Whether it is named after breadcrumbs.
    pub(super) is_breadcrumbs: bool,
    /// Whether it is a link that looks like a button.
    pub(super) is_link_button: bool,
    /// Whether its text is withheld from snippets.
    pub(super) is_nosnippet: bool,
    /// Whether it is an item of microdata.
    pub(super) is_item: bool,
    pub(super) origin: Origin,
    /// What its class and its id say of it.
    pub(super) names: NameSigns,
}

/// Where the text of an element comes from.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Origin {
    /// It is in its place.
    #[default]
    Place,
    /// A streamed slot, which a script moves to its place.
    Slot,
    /// `noscript`, which shows only without scripts.
    Noscript,
}

/// Whether a reader sees the text of an element.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Visibility {
    #[default]
    Yes,
    /// Not now: hidden by an attribute or an inline style, or a closed dialog.
    Hidden,
    /// Never text for a reader: scripts, templates, choices of a field ...
    Never,
}

/// Whether the style of an element, hidden or not, leaves its text in sight.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Sight {
    #[default]
    In,
    /// Off screen, without size, or transparent.
    Out,
}

/// Whether an element is a part of the site rather than of the page.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Chrome {
    #[default]
    No,
    /// Only outside the content, such as `header`.
    Outside,
    /// `footer`, but for that of a quote.
    Footer,
    /// By its element, its role, its class or its id.
    Yes,
    /// A notice that is laid over the page.
    Notice,
    /// A list of tabs, in which some sites have the panels, too.
    Tabs,
    /// A button, whose text is content only if it is all that a heading has.
    Button,
}

/// Elements that tell where the content is.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Landmark {
    #[default]
    None,
    Main,
    Article,
    /// Chrome if most of its text is links.
    Container,
    /// A table that may be one for the layout too.
    Table,
    /// An element whose text is a title, in a button or not.
    Title,
    /// `h1`.
    MainTitle,
    Quote,
    /// `p`.
    Paragraph,
    /// `a`.
    Link,
}

impl Landmark {
    /// Whether an element is not content if most of its text is links.
    pub(super) fn may_be_link_list(self) -> bool {
        matches!(self, Self::Container | Self::Table)
    }
}

/// Reads the tag of an element.
pub(super) fn mark(element: &Element, name: &LocalName) -> ElementMark {
    let gap = element::gap(name);
    let mut mark = ElementMark { gap, gap_before: gap, ..ElementMark::default() };
    let mut role = "";
    let mut named = (Named::Nothing, DropRule::default());
    let (mut is_hidden, mut is_open, mut is_popover) = (false, false, false);
    for (attribute, value) in element.attributes() {
        match *attribute {
            local_name!("class") | local_name!("id") => {
                let names = names::read(value);
                mark.names.join(names.signs);
                if names.named > named.0 {
                    named = (names.named, names.rule);
                }
                if *attribute == local_name!("class") {
                    mark.is_breadcrumbs |= names.is_breadcrumbs;
                    mark.is_link_button = *name == local_name!("a") && names.is_button;
                }
            }
            local_name!("role") => role = value.trim(),
            local_name!("style") => {
                is_hidden |= style::hides(value);
                if style::removes(value) {
                    mark.sight = Sight::Out;
                }
            }
            local_name!("hidden") => is_hidden |= element::hides(value),
            local_name!("aria-hidden") => is_hidden |= value.trim() == "true",
            local_name!("aria-label") => {
                mark.is_breadcrumbs |= names::read(value).is_breadcrumbs;
            }
            local_name!("open") => is_open = true,
            local_name!("itemscope") => mark.is_item = true,
            local_name!("itemtype") => {
                mark.is_breadcrumbs |= value.trim().ends_with("schema.org/BreadcrumbList");
            }
            _ => {
                mark.is_nosnippet |= &**attribute == "data-nosnippet";
                is_popover |= &**attribute == "popover";
            }
        }
    }
    let is_closed = *name == local_name!("dialog") && !is_open || is_popover;
    if element::is_unrendered(element, name) {
        mark.shown = Visibility::Never;
    } else if is_hidden && element::is_slot(element) {
        mark.origin = Origin::Slot;
    } else if is_hidden || is_closed {
        mark.shown = Visibility::Hidden;
    }
    mark.landmark = landmark(name, role);
    (mark.chrome, mark.rule) = chrome(name, role);
    if mark.chrome == Chrome::No && may_be_chrome(name, mark.landmark) {
        mark.rule = named.1;
        mark.chrome = match named.0 {
            Named::Nothing => Chrome::No,
            Named::Chrome => Chrome::Yes,
            Named::Notice => Chrome::Notice,
        };
    }
    mark
}

fn landmark(name: &LocalName, role: &str) -> Landmark {
    match *name {
        _ if role == "main" => Landmark::Main,
        local_name!("main") => Landmark::Main,
        local_name!("article") => Landmark::Article,
        local_name!("div") | local_name!("section") | local_name!("ul") | local_name!("ol") => {
            Landmark::Container
        }
        local_name!("table") => Landmark::Table,
        local_name!("blockquote") => Landmark::Quote,
        local_name!("p") => Landmark::Paragraph,
        local_name!("a") => Landmark::Link,
        local_name!("h1") => Landmark::MainTitle,
        // Accordions put their questions into buttons.
        local_name!("summary") | local_name!("dt") => Landmark::Title,
        _ if element::heading_level(name).is_some() => Landmark::Title,
        _ => Landmark::None,
    }
}

fn chrome(name: &LocalName, role: &str) -> (Chrome, DropRule) {
    match *name {
        local_name!("nav") => return (Chrome::Yes, DropRule::NAV),
        local_name!("aside") => return (Chrome::Yes, DropRule::ASIDE),
        local_name!("dialog") => return (Chrome::Yes, DropRule::DIALOG),
        local_name!("search") => return (Chrome::Yes, DropRule::SEARCH),
        local_name!("textarea") => return (Chrome::Yes, DropRule::TEXTAREA),
        local_name!("footer") => return (Chrome::Footer, DropRule::FOOTER),
        local_name!("header") => return (Chrome::Outside, DropRule::HEADER),
        local_name!("form") => return (Chrome::Outside, DropRule::FORM),
        local_name!("button") => return (Chrome::Button, DropRule::BUTTON),
        _ => {}
    }
    let chrome = match role {
        "contentinfo" => Chrome::Footer,
        "alertdialog" | "complementary" | "dialog" | "menu" | "menubar" | "navigation"
        | "search" | "toolbar" | "tooltip" => Chrome::Yes,
        "tablist" => Chrome::Tabs,
        "banner" => Chrome::Outside,
        "button" => Chrome::Button,
        _ => Chrome::No,
    };
    (chrome, DropRule::ROLE)
}

/// Whether its name may make an element chrome: the class of `body` tells of what is in the page.
fn may_be_chrome(name: &LocalName, landmark: Landmark) -> bool {
    landmark != Landmark::Main
        && !matches!(
            *name,
            local_name!("html")
                | local_name!("body")
                | local_name!("figcaption")
                | local_name!("h1")
                | local_name!("tbody")
                | local_name!("thead")
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::feed;
    use crate::page::tree::{NodeContent, WalkStep};

    /// The mark of the last element.
    fn mark_of(html: &str) -> ElementMark {
        let tree = feed::parse(html);
        let marks = tree.walk().filter_map(|step| match step {
            WalkStep::Enter(id) => match tree.content(id) {
                NodeContent::Element(element) => Some(mark(element, &element.name())),
                _ => None,
            },
            WalkStep::Leave(_) => None,
        });
        marks.last().unwrap_or_default()
    }

    #[test]
    fn what_the_browser_finds_is_text_and_what_waits_for_a_click_is_not() {
        for (html, expected) in [
            ("<p hidden>a</p>", Visibility::Hidden),
            ("<p hidden='until-found'>a</p>", Visibility::Yes),
            ("<p hidden='UNTIL-FOUND'>a</p>", Visibility::Yes),
            ("<div popover>a</div>", Visibility::Hidden),
            ("<div popover=manual>a</div>", Visibility::Hidden),
            ("<dialog>a</dialog>", Visibility::Hidden),
            ("<dialog open>a</dialog>", Visibility::Yes),
        ] {
            assert_eq!(mark_of(html).shown, expected, "{html}");
        }
    }

    #[test]
    fn chrome_is_known_by_element_role_and_name() {
        let cases = [
            ("<nav>", Chrome::Yes),
            ("<div role=navigation>", Chrome::Yes),
            ("<div role=' search '>", Chrome::Yes),
            ("<div role=banner>", Chrome::Outside),
            ("<header class=menu>", Chrome::Outside),
            ("<footer>", Chrome::Footer),
            ("<div role=button>", Chrome::Button),
            ("<div class='a cookie-banner'>", Chrome::Notice),
            ("<div id=Footer>", Chrome::Yes),
            ("<div class=text>", Chrome::No),
            ("<main class=nav>", Chrome::No),
            ("<div role=main class=nav>", Chrome::No),
            ("<body class=has-sidebar>", Chrome::No),
            ("<body class=menu>", Chrome::No),
        ];
        for (html, chrome) in cases {
            assert_eq!(mark_of(html).chrome, chrome, "{html}");
        }
    }

    #[test]
    fn breadcrumbs_and_buttons_are_known_by_name() {
        for html in [
            "<nav aria-label=Breadcrumb>",
            "<ol class=woocommerce-breadcrumb>",
            "<ol itemscope itemtype='https://schema.org/BreadcrumbList'>",
        ] {
            assert!(mark_of(html).is_breadcrumbs, "{html}");
        }
        assert!(!mark_of("<nav aria-label=Main class=crumble>").is_breadcrumbs);
        assert!(mark_of("<a class='btn-primary'>").is_link_button);
        assert!(mark_of("<a class='Button'>").is_link_button);
        assert!(!mark_of("<a class='buttonhole'>").is_link_button);
        assert!(!mark_of("<div class='btn'>").is_link_button);
    }
}
