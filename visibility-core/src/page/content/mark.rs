//! What single elements are for: content, the page's chrome, or nothing to read.

use html5ever::{LocalName, local_name};

use crate::page::element::{self, Rendering};
use crate::page::tree::Element;

/// What is known of an element from its tag alone.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Mark {
    pub(super) rendering: Shown,
    pub(super) chrome: Chrome,
    pub(super) landmark: Landmark,
}

/// Whether a reader sees the text of an element.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Shown {
    #[default]
    Yes,
    /// Hidden by an attribute or an inline style.
    Hidden,
    /// Never text for a reader: scripts, templates, choices of a field ...
    Never,
}

/// Whether an element is a part of the site rather than of the page.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Chrome {
    #[default]
    No,
    /// Only where it is not within the content, such as `header`.
    Outside,
    /// By its element or role.
    Element,
    /// By its class or id.
    Token,
    /// A control, whose text is no content unless it is all that a heading has.
    Control,
}

/// Elements that hold the content.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Landmark {
    #[default]
    None,
    Main,
    Article,
    /// `div`, `section`, `ul`, `ol` and `table`: chrome if most of their text is links.
    Container,
}

/// Reads the tag of an element.
pub(super) fn mark(element: &Element, name: &LocalName) -> Mark {
    let rendering = match element::rendering(element, name) {
        Rendering::Shown => Shown::Yes,
        Rendering::Unrendered => Shown::Never,
        Rendering::Closed => return Mark { chrome: Chrome::Element, ..Mark::default() },
        Rendering::Hidden | Rendering::HiddenFromAssistance => Shown::Hidden,
    };
    let (mut role, mut class, mut id) = ("", "", "");
    for (attribute, value) in element.attributes() {
        match *attribute {
            local_name!("role") => role = value.trim(),
            local_name!("class") => class = value,
            local_name!("id") => id = value,
            _ => {}
        }
    }
    let landmark = landmark(name, role);
    let chrome = match chrome_of(name, role) {
        Chrome::No if may_be_named_chrome(name, landmark) => {
            let is_chrome = is_chrome_name(class) || is_chrome_name(id);
            if is_chrome { Chrome::Token } else { Chrome::No }
        }
        found => found,
    };
    Mark { rendering, chrome, landmark }
}

fn landmark(name: &LocalName, role: &str) -> Landmark {
    match *name {
        _ if role == "main" => Landmark::Main,
        local_name!("main") => Landmark::Main,
        local_name!("article") => Landmark::Article,
        local_name!("div")
        | local_name!("section")
        | local_name!("ul")
        | local_name!("ol")
        | local_name!("table") => Landmark::Container,
        _ => Landmark::None,
    }
}

fn chrome_of(name: &LocalName, role: &str) -> Chrome {
    match *name {
        local_name!("nav")
        | local_name!("aside")
        | local_name!("footer")
        | local_name!("dialog")
        | local_name!("search")
        | local_name!("textarea") => return Chrome::Element,
        local_name!("header") | local_name!("form") => return Chrome::Outside,
        local_name!("button") => return Chrome::Control,
        _ => {}
    }
    match role {
        "alertdialog" | "complementary" | "contentinfo" | "dialog" | "menu" | "menubar"
        | "navigation" | "search" | "tablist" | "toolbar" | "tooltip" => Chrome::Element,
        "banner" => Chrome::Outside,
        "button" => Chrome::Control,
        _ => Chrome::No,
    }
}

/// Whether the class of an element may make it chrome: never that of the page as a whole.
fn may_be_named_chrome(name: &LocalName, landmark: Landmark) -> bool {
    landmark != Landmark::Main
        && !matches!(
            *name,
            local_name!("html")
                | local_name!("body")
                | local_name!("h1")
                | local_name!("tbody")
                | local_name!("thead")
                | local_name!("figcaption")
        )
}

/// Whether one of the names in a `class` or `id` is one that sites give to their chrome.
fn is_chrome_name(names: &str) -> bool {
    names.split_ascii_whitespace().any(is_chrome_token)
}

fn is_chrome_token(token: &str) -> bool {
    let mut before = "";
    let mut parts = token.split(['-', '_', ':', '/']).filter(|part| !part.is_empty()).peekable();
    while let Some(part) = parts.next() {
        let next = parts.peek().copied().unwrap_or_default();
        if is_chrome_part(part, before, next) {
            return true;
        }
        before = part;
    }
    false
}

/// Longest of the words below.
const MAX_PART_BYTES: usize = 15;

fn is_chrome_part(part: &str, before: &str, next: &str) -> bool {
    let mut lower = [0; MAX_PART_BYTES];
    let Some(lower) = lower.get_mut(..part.len()) else { return false };
    lower.copy_from_slice(part.as_bytes());
    lower.make_ascii_lowercase();
    let is_named = match &*lower {
        b"ad" => before.is_empty() && !next.is_empty(),
        // Every block of some page builders is a widget.
        b"widget" => !before.eq_ignore_ascii_case("elementor"),
        b"social" => !next.eq_ignore_ascii_case("proof"),
        b"mini" => next.eq_ignore_ascii_case("cart"),
        b"off" => next.eq_ignore_ascii_case("canvas"),
        b"side" => next.eq_ignore_ascii_case("bar"),
        b"bread" => next.eq_ignore_ascii_case("crumb") || next.eq_ignore_ascii_case("crumbs"),
        b"ads" | b"advert" | b"advertisement" | b"banner" | b"breadcrumb" | b"breadcrumbs"
        | b"comments" | b"consent" | b"cookie" | b"cookiebar" | b"cookies" | b"drawer"
        | b"footer" | b"gdpr" | b"login" | b"megamenu" | b"menu" | b"minicart" | b"modal"
        | b"nav" | b"navbar" | b"navigation" | b"newsletter" | b"offcanvas" | b"onetrust"
        | b"pagination" | b"pager" | b"popup" | b"promo" | b"recommend" | b"recommendation"
        | b"recommendations" | b"recommended" | b"related" | b"share" | b"sharing" | b"sidebar"
        | b"signin" | b"sponsored" | b"toc" | b"toolbar" | b"trending" | b"upsell" | b"upsells"
        | b"widgets" => true,
        _ => false,
    };
    // `no-sidebar` and `has-menu` tell what stands elsewhere.
    let is_elsewhere = ["no", "not", "has", "with", "without", "hide", "is"]
        .iter()
        .any(|word| before.eq_ignore_ascii_case(word));
    is_named && !is_elsewhere
}
