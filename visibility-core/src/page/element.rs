//! Single elements and what they mean: whether they show, what they part, what they are for.

use html5ever::{Attribute, LocalName, QualName, local_name, ns};

use crate::page::style;
use crate::page::text::Gap;

/// An element with its attributes.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: QualName,
    pub(super) attributes: Vec<Attribute>,
}

impl Element {
    /// The local name if the element is HTML, else the empty name.
    pub(super) fn name(&self) -> LocalName {
        if self.name.ns == ns!(html) { self.name.local.clone() } else { local_name!("") }
    }

    /// The local name, whatever the namespace.
    pub(super) fn local(&self) -> &LocalName {
        &self.name.local
    }

    /// Names, whatever the namespace, and values of the attributes.
    pub(super) fn attributes(&self) -> impl Iterator<Item = (&LocalName, &str)> {
        self.attributes.iter().map(|a| (&a.name.local, &*a.value))
    }

    /// Whether two elements have the same name and namespace.
    pub(super) fn is_same_type(&self, other: &Self) -> bool {
        self.name.local == other.name.local && self.name.ns == other.name.ns
    }

    /// The value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|a| &*a.name.local == name).map(|a| &*a.value)
    }
}

/// Whether a reader sees the content of an element.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Rendering {
    Shown,
    /// Never text for a reader: scripts, templates, fallback content ...
    Unrendered,
    /// Shown later, by a user's action: a dialog.
    Closed,
    /// Hidden by an attribute or an inline style.
    Hidden,
    /// Shown, but kept from assistive technology.
    HiddenFromAssistance,
}

pub(super) fn rendering(element: &Element, name: &LocalName) -> Rendering {
    let has = |attribute| element.attribute(attribute).is_some();
    if is_unrendered(element, name) {
        Rendering::Unrendered
    } else if is_slot(element) {
        Rendering::Shown
    } else if is_hidden_by_attribute(element)
        || element.attribute("style").is_some_and(style::hides)
    {
        Rendering::Hidden
    } else if *name == local_name!("dialog") && !has("open") || has("popover") {
        Rendering::Closed
    } else if element.attribute("aria-hidden").is_some_and(|value| value.trim() == "true") {
        Rendering::HiddenFromAssistance
    } else {
        Rendering::Shown
    }
}

/// Whether the attribute `hidden` keeps an element from readers: what is `hidden=until-found` is found by the search
/// of the browser and by engines, and opens then.
pub(super) fn is_hidden_by_attribute(element: &Element) -> bool {
    element.attribute("hidden").is_some_and(hides)
}

/// Whether a value of the attribute `hidden` hides.
pub(super) fn hides(value: &str) -> bool {
    !value.trim().eq_ignore_ascii_case("until-found")
}

/// Whether an element has content that a server streams, for a script to move to its place, as React
/// does: `<div hidden id="S:0">`. Readers without scripts find the text there.
pub(super) fn is_slot(element: &Element) -> bool {
    element.attribute("hidden").is_some()
        && element.attribute("id").is_some_and(|id| {
            id.strip_prefix("S:").is_some_and(|number| {
                !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_hexdigit())
            })
        })
}

/// Whether readers do not see the text of an element. A `noscript` is one of them here; what it
/// holds decides (`noscript::is_content`).
pub(super) fn is_unrendered(element: &Element, name: &LocalName) -> bool {
    match *name {
        // A template with a shadow root is shown without any script.
        local_name!("template") => element.attribute("shadowrootmode").is_none(),
        local_name!("audio")
        | local_name!("canvas")
        | local_name!("datalist")
        | local_name!("head")
        | local_name!("iframe")
        | local_name!("noembed")
        | local_name!("noframes")
        | local_name!("noscript")
        | local_name!("object")
        | local_name!("script")
        | local_name!("select")
        | local_name!("style")
        | local_name!("title")
        | local_name!("video") => true,
        _ => *element.local() == local_name!("svg"),
    }
}

/// What an element puts before and after its text.
pub(super) fn gap(name: &LocalName) -> Gap {
    match &**name {
        "button" | "label" | "td" | "th" => Gap::Space,
        "address" | "article" | "aside" | "blockquote" | "body" | "br" | "caption" | "center"
        | "dd" | "details" | "dialog" | "dir" | "div" | "dl" | "dt" | "fieldset" | "figcaption"
        | "figure" | "footer" | "form" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "header"
        | "hgroup" | "hr" | "html" | "legend" | "li" | "main" | "menu" | "nav" | "ol" | "p"
        | "pre" | "search" | "section" | "summary" | "table" | "tbody" | "tfoot" | "thead"
        | "tr" | "ul" => Gap::Line,
        _ => Gap::None,
    }
}

pub(super) fn heading_level(name: &LocalName) -> Option<u8> {
    match *name {
        local_name!("h1") => Some(1),
        local_name!("h2") => Some(2),
        local_name!("h3") => Some(3),
        local_name!("h4") => Some(4),
        local_name!("h5") => Some(5),
        local_name!("h6") => Some(6),
        _ => None,
    }
}

/// Whether an element is a field or button of a form.
pub(super) fn is_control(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("button")
            | local_name!("input")
            | local_name!("select")
            | local_name!("textarea")
    )
}

/// The selector of an element that frameworks fill by script: one whose id is usual for that, or an
/// element of the page's own whose name says that it is the whole of it.
pub(super) fn mount_name(element: &Element) -> Option<String> {
    const IDS: [&str; 18] = [
        "root",
        "app",
        "__next",
        "__nuxt",
        "___gatsby",
        "__sveltekit",
        "svelte",
        "q-app",
        "react-root",
        "app-root",
        "react-app",
        "vue-app",
        "main-app",
        "app-mount",
        "app-container",
        "root-app",
        "mount",
        "application",
    ];
    let local = &**element.local();
    if local.ends_with("-root") || local.ends_with("-app") {
        return Some(local.to_owned());
    }
    let id = element.attribute("id")?;
    IDS.contains(&id).then(|| format!("#{id}"))
}

/// What a `<script>` carries.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ScriptKind {
    Code,
    JsonLd,
    Other,
}

pub(super) fn script_kind(element: &Element) -> ScriptKind {
    let kind = element
        .attribute("type")
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    match kind.as_str() {
        "" | "module" => ScriptKind::Code,
        "application/ld+json" => ScriptKind::JsonLd,
        _ if kind.ends_with("javascript") || kind.ends_with("ecmascript") => ScriptKind::Code,
        _ => ScriptKind::Other,
    }
}
