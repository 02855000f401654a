//! Text that the style of a page keeps from its readers: by a class, a color, a size or a place.
//!
//! This is asked of single texts, after they turned out to be worth it; what attributes hide is found for
//! every element, in [`Content`](crate::page::content::Content).

use std::collections::BTreeSet;

use html5ever::local_name;

use crate::page::content::is_quotation;
use crate::page::element::Element;
use crate::page::style;
use crate::page::style_sheet::StyleSheet;
use crate::page::tree::{NodeContent, NodeId, Tree};

/// Elements around a text that are looked at.
const MAX_ANCESTORS: usize = 200;
/// How far apart the channels of two colors may be that look like one.
const MAX_DIFFERENCE: i32 = 24;

/// Classes that usually hide: those for readers who listen, and those of common frameworks.
const HIDING_CLASSES: [&str; 12] = [
    "a11y-hidden",
    "d-none",
    "element-invisible",
    "hidden",
    "is-hidden",
    "offscreen",
    "screen-reader-only",
    "screen-reader-text",
    "sr-only",
    "u-hidden",
    "visually-hidden",
    "visuallyhidden",
];

/// The styles of a page, to ask what they hide.
#[derive(Debug)]
pub(crate) struct Styles<'h> {
    tree: &'h Tree,
    sheet: StyleSheet,
}

impl<'h> Styles<'h> {
    pub(super) fn new(tree: &'h Tree) -> Self {
        let mut sheet = StyleSheet::default();
        for step in tree.walk().filter(|step| step.is_enter()) {
            let NodeContent::Element(element) = tree.content(step.node()) else { continue };
            let media = element.attribute("media").unwrap_or("all").trim();
            let applies = matches!(media, "" | "all" | "screen");
            if *element.local() == local_name!("style")
                && applies
                && let Some((css, _)) = tree.raw_text(step.node())
            {
                sheet.add(css);
            }
        }
        Self { tree, sheet }
    }

    /// The nearest element around a text that keeps it from readers.
    pub(crate) fn hider_of(&self, text: NodeId) -> Option<NodeId> {
        let up = std::iter::successors(self.tree.parent(text), |id| self.tree.parent(*id));
        let up: Vec<NodeId> = up.take(MAX_ANCESTORS).collect();
        // The page itself is faded in by a script.
        let is_page = |id: NodeId| {
            self.tree.element(id).is_none_or(|element| {
                [local_name!("html"), local_name!("body")].contains(element.local())
            })
        };
        let hides = |id: &NodeId| !is_page(*id) && self.own_means(*id).is_some();
        up.iter().copied().find(hides).or_else(|| self.blends_in(&up))
    }

    /// Whether an element between a text and what hides it says that the text is a quotation, or code.
    pub(crate) fn is_quoted(&self, text: NodeId, hider: NodeId) -> bool {
        let up = std::iter::successors(self.tree.parent(text), |id| self.tree.parent(*id));
        let inner = up.take(MAX_ANCESTORS).take_while(|id| *id != hider);
        inner.filter_map(|id| self.tree.element(id)).any(|element| is_quotation(element.local()))
    }

    /// What keeps an element from readers, as it is written in its page: `display:none`, `class="sr-only"`.
    pub(crate) fn means_of(&self, id: NodeId) -> String {
        let has = |name: &str| {
            self.tree.element(id).is_some_and(|element| element.attribute(name).is_some())
        };
        match self.own_means(id) {
            Some(means) => means,
            None if has("hidden") => "hidden".to_owned(),
            None if has("aria-hidden") => "aria-hidden".to_owned(),
            None => "color".to_owned(),
        }
    }

    fn own_means(&self, id: NodeId) -> Option<String> {
        let element = self.tree.element(id)?;
        let classes = element.attribute("class").unwrap_or_default();
        let mut classes = classes.split_ascii_whitespace();
        if let Some(class) = classes.find(|class| HIDING_CLASSES.contains(class)) {
            return Some(format!("class=\"{class}\""));
        }
        if is_empty_drawing(element) {
            return Some("<svg>".to_owned());
        }
        if is_inert(element) || self.is_title_of_drawing(id, element) {
            return Some(format!("<{}>", element.local()));
        }
        Look::from_declarations(&self.sheet.declarations(self.tree, id)).means()
    }

    fn is_title_of_drawing(&self, id: NodeId, element: &Element) -> bool {
        let mut up = std::iter::successors(self.tree.parent(id), |id| self.tree.parent(*id));
        **element.local() == *"title"
            && up.any(|id| self.tree.element(id).is_some_and(|up| **up.local() == *"svg"))
    }

    /// The element that gives a text the color of what is behind it.
    fn blends_in(&self, up: &[NodeId]) -> Option<NodeId> {
        let mut color = None;
        for id in up {
            let Some(element) = self.tree.element(*id) else { continue };
            let declarations = self.sheet.declarations(self.tree, *id);
            let look = Look::from_declarations(&declarations);
            if color.is_none() {
                let own = look.color.or_else(|| element.attribute("color").and_then(Paint::parse));
                color = own.map(|color| (*id, color));
            }
            let behind = look.background;
            let behind =
                behind.or_else(|| element.attribute("bgcolor").map(Paint::parse_or_unknown));
            if let Some(behind) = behind.filter(|behind| *behind != Paint::Transparent) {
                let (id, color) = color?;
                return color.is_like(behind).then_some(id);
            }
        }
        // A page without a color of its own is white.
        color.filter(|(_, color)| color.is_like(Paint::WHITE)).map(|(id, _)| id)
    }
}

/// Whether an element is a drawing without a size.
fn is_empty_drawing(element: &Element) -> bool {
    let is_zero = |name: &str| {
        let value = element.attribute(name).unwrap_or_default().trim();
        value.trim_end_matches("px") == "0"
    };
    **element.local() == *"svg" && (is_zero("width") || is_zero("height"))
}

/// Whether an element is never shown, wherever it is.
fn is_inert(element: &Element) -> bool {
    matches!(&**element.local(), "desc" | "metadata" | "template")
}

/// What declarations say about how an element looks.
#[derive(Debug, Default)]
struct Look {
    /// By `display` or `visibility`.
    hidden_by: Option<&'static str>,
    /// The properties that take it off screen, make it transparent or too small to be read.
    removed_by: BTreeSet<String>,
    /// Cut to nothing.
    is_clipped: bool,
    is_overflow_hidden: bool,
    is_absolute: bool,
    width: Option<f64>,
    height: Option<f64>,
    color: Option<Paint>,
    background: Option<Paint>,
}

impl Look {
    /// Later declarations win, as long as none is more specific.
    fn from_declarations(declarations: &[&str]) -> Self {
        let mut look = Self::default();
        let all = declarations.iter().flat_map(|declarations| declarations.split(';'));
        for (property, value) in all.filter_map(|declaration| declaration.split_once(':')) {
            look.add(property.trim().to_ascii_lowercase().as_str(), value);
        }
        look
    }

    fn add(&mut self, property: &str, value: &str) {
        let value = value.split('!').next().unwrap_or_default().trim().to_ascii_lowercase();
        let value = value.as_str();
        let pixels = || style::quantity(value).filter(|(_, unit)| matches!(*unit, "" | "px"));
        let pixels = || pixels().map(|(number, _)| number);
        match property {
            "display" => self.hidden_by = (value == "none").then_some("display:none"),
            "visibility" => {
                let is_hidden = matches!(value, "hidden" | "collapse");
                self.hidden_by = is_hidden.then_some("visibility:hidden");
            }
            "overflow" | "overflow-x" | "overflow-y" => {
                self.is_overflow_hidden = matches!(value, "hidden" | "clip");
            }
            "position" => self.is_absolute = matches!(value, "absolute" | "fixed"),
            "width" | "max-width" => self.width = pixels(),
            "height" | "max-height" => self.height = pixels(),
            "clip" => self.is_clipped = is_cut_rectangle(value),
            "clip-path" => self.is_clipped = matches!(value, "inset(50%)" | "inset(100%)"),
            "transform" => self.removes(property, value.starts_with("scale(0)")),
            "font-size" => self.removes(property, pixels().is_some_and(|size| size <= 2.0)),
            "color" => self.color = Paint::parse(value),
            "background" | "background-color" => {
                self.background = Some(Paint::parse_or_unknown(value));
            }
            _ => self.removes(property, style::removes_property(property, value)),
        }
    }

    fn removes(&mut self, property: &str, removes: bool) {
        if removes {
            self.removed_by.insert(property.to_owned());
        } else {
            self.removed_by.remove(property);
        }
    }

    /// The property that takes an element out of sight, with its value where that says more.
    fn means(&self) -> Option<String> {
        let is_tiny = |size: Option<f64>| size.is_some_and(|size| size <= 1.0);
        let has_no_room = is_tiny(self.width) || is_tiny(self.height);
        if let Some(hidden_by) = self.hidden_by {
            return Some(hidden_by.to_owned());
        }
        if let Some(property) = self.removed_by.first() {
            return Some(property.clone());
        }
        if self.is_clipped && self.is_absolute {
            return Some("clip".to_owned());
        }
        (self.is_overflow_hidden && has_no_room).then(|| "overflow:hidden".to_owned())
    }
}

/// `rect(0 0 0 0)`, with or without commas, units and a pixel.
fn is_cut_rectangle(value: &str) -> bool {
    let inner = value.strip_prefix("rect(").and_then(|rest| rest.strip_suffix(')'));
    inner.is_some_and(|inner| {
        let mut sides = inner.split([',', ' ']).filter(|side| !side.is_empty());
        sides.all(|side| matches!(side.trim_end_matches("px"), "0" | "1"))
    })
}

/// A color.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Paint {
    Rgb([u8; 3]),
    Transparent,
    /// A picture, a variable, or a color that is not read.
    Unknown,
}

impl Paint {
    const WHITE: Self = Self::Rgb([255; 3]);

    fn parse_or_unknown(value: &str) -> Self {
        Self::parse(value).unwrap_or(Self::Unknown)
    }

    /// A color by its number, or by one of the names that text is hidden with.
    fn parse(value: &str) -> Option<Self> {
        let value = value.trim().to_ascii_lowercase();
        match value.as_str() {
            "white" => return Some(Self::WHITE),
            "black" => return Some(Self::Rgb([0; 3])),
            "transparent" | "none" => return Some(Self::Transparent),
            _ => {}
        }
        if let Some(hex) = value.strip_prefix('#') {
            return Self::from_hex(hex);
        }
        let inner = value.strip_prefix("rgba(").or_else(|| value.strip_prefix("rgb("))?;
        let inner = inner.strip_suffix(')')?;
        let numbers = inner.split([',', ' ', '/']).filter(|number| !number.is_empty());
        let numbers: Option<Vec<f64>> = numbers.map(|number| number.parse().ok()).collect();
        match *numbers?.as_slice() {
            [_, _, _, alpha] if alpha < 0.05 => Some(Self::Transparent),
            [red, green, blue] | [red, green, blue, _] => {
                Some(Self::Rgb([red, green, blue].map(channel)))
            }
            _ => None,
        }
    }

    fn from_hex(hex: &str) -> Option<Self> {
        let number = u32::from_str_radix(hex, 16).ok()?;
        let [alpha, red, green, blue] = number.to_be_bytes();
        match hex.len() {
            3 => Some(Self::Rgb([number >> 8, number >> 4, number].map(|digit| {
                // A digit of a short color stands for two.
                u8::try_from((digit & 0xf) * 0x11).unwrap_or(u8::MAX)
            }))),
            6 => Some(Self::Rgb([red, green, blue])),
            // With eight digits, the last two are the opacity.
            8 if blue == 0 => Some(Self::Transparent),
            8 => Some(Self::Rgb([alpha, red, green])),
            _ => None,
        }
    }

    /// Whether text of this color looks like what is behind it.
    fn is_like(self, behind: Self) -> bool {
        match (self, behind) {
            (Self::Transparent, _) => true,
            (Self::Rgb(own), Self::Rgb(behind)) => {
                let mut pairs = own.iter().zip(behind);
                pairs.all(|(own, behind)| {
                    (i32::from(*own) - i32::from(behind)).abs() <= MAX_DIFFERENCE
                })
            }
            _ => false,
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the value is clamped")]
fn channel(value: f64) -> u8 {
    value.clamp(0.0, 255.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::feed;

    /// Whether the first text of a page that begins with "secret" is kept from readers.
    fn is_unseen(html: &str) -> bool {
        let tree = feed::parse(html);
        let is_secret = |id: &NodeId| matches!(tree.content(*id), NodeContent::Text(text) if text.starts_with("secret"));
        let steps = tree.walk().map(super::super::tree::WalkStep::node);
        let text = steps.into_iter().find(is_secret).expect("a text");
        Styles::new(&tree).hider_of(text).is_some()
    }

    #[test]
    fn only_what_readers_cannot_see_is_hidden() {
        for html in [
            "<style>.n{display:none}</style><p class=n>secret",
            "<style>#n{position:absolute;left:-9999px}</style><p id=n>secret",
            "<style>.w .n{opacity:0}</style><div class=w><p class=n><b>secret",
            "<p class=visually-hidden>secret",
            "<div class='note sr-only'><p>secret",
            "<p style='color:#fff'>secret",
            "<p style='color:white;background:#fefefe'>secret",
            "<div style='background:#000'><p style='color:black'>secret",
            "<body bgcolor=black><font color='#000000'>secret",
            "<p style='color:transparent'>secret",
            "<p style='color:rgba(0,0,0,0)'>secret",
            "<style>.n{color:rgb(255, 255, 255)}</style><p class=n>secret",
            "<p style='font-size:1px'>secret",
            "<p style='width:0;height:0;overflow:hidden'>secret",
            "<p style='position:absolute;clip:rect(0 0 0 0)'>secret",
            "<p style='position:absolute;clip-path:inset(50%)'>secret",
            "<p style='transform:scale(0)'>secret",
            "<svg width=0 height=0><text>secret</text></svg>",
            "<svg width=10 height=10><desc>secret</desc></svg>",
        ] {
            assert!(is_unseen(html), "{html}");
        }
        for html in [
            "<p>secret",
            "<style>.n{display:none} .n{display:block}</style><p class=n>secret",
            "<style>.n{opacity:0} .n{opacity:1}</style><p class=n>secret",
            "<style>@media print{.n{display:none}}</style><p class=n>secret",
            "<style media=print>.n{display:none}</style><p class=n>secret",
            "<style>.n:empty{display:none}</style><p class=n>secret",
            "<body style='opacity:0'><p>secret",
            "<div style='background:#000'><p style='color:#fff'>secret",
            "<div style='background:url(a.png)'><p style='color:#fff'>secret",
            "<div style='background:var(--dark)'><p style='color:#fff'>secret",
            "<body bgcolor=navy><p style='color:#fff'>secret",
            "<p style='color:#333'>secret",
            "<p style='font-size:14px;height:1px'>secret",
            "<svg width=10 height=10><text>secret</text></svg>",
        ] {
            assert!(!is_unseen(html), "{html}");
        }
    }
}
