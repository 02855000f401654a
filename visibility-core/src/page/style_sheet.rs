//! The rules of `<style>` elements, as far as it takes to tell what they hide.
//!
//! Only selectors of names, classes and ids are read, and rules that apply to every screen: in doubt an
//! element shows.

use std::collections::HashMap;

use crate::page::element::Element;
use crate::page::tree::{NodeId, Tree};

/// Bytes of all style sheets that are read.
const MAX_BYTES: usize = 512 * 1024;
/// Rules that are kept.
const MAX_RULES: usize = 20_000;
/// Parts of a selector: an element, and those around it.
const MAX_PARTS: usize = 6;
/// Elements around one that are looked at.
const MAX_ANCESTORS: usize = 200;

/// Rules by what their last part asks for.
#[derive(Debug, Default)]
pub(super) struct StyleSheet {
    rules: Vec<Rule>,
    /// The rules for a class (`.x`), an id (`#x`) or a name.
    by_key: HashMap<String, Vec<usize>>,
}

#[derive(Debug)]
struct Rule {
    /// The element itself, then those around it.
    parts: Vec<Compound>,
    declarations: String,
}

/// What one part of a selector asks of an element.
#[derive(Debug, Default)]
struct Compound {
    name: Option<String>,
    id: Option<String>,
    classes: Vec<String>,
}

impl StyleSheet {
    /// Adds the rules of a sheet.
    pub(super) fn add(&mut self, css: &str) {
        let css =
            without_comments(css.get(..css.floor_char_boundary(MAX_BYTES)).unwrap_or_default());
        let mut rest = css.as_str();
        while let Some((head, after)) = rest.split_once('{') {
            // What ends with a semicolon before it is an `@import` or the like.
            let head = head.rsplit([';', '}']).next().unwrap_or_default();
            let head = head.trim();
            if head.starts_with('@') {
                let applies = applies_to_screens(head);
                // The rules of a block that applies are read as if they were outside of it.
                rest = if applies { after } else { after_block(after) };
                continue;
            }
            let (declarations, after) = after.split_once('}').unwrap_or((after, ""));
            self.rule(head, declarations);
            rest = after;
        }
    }

    fn rule(&mut self, selectors: &str, declarations: &str) {
        for selector in selectors.split(',') {
            let Some(parts) = parts(selector).filter(|_| self.rules.len() < MAX_RULES) else {
                continue;
            };
            let Some(key) = parts.first().and_then(Compound::key) else { continue };
            self.by_key.entry(key).or_default().push(self.rules.len());
            self.rules.push(Rule { parts, declarations: declarations.to_owned() });
        }
    }

    /// The declarations for an element: those of rules in order, then its own.
    pub(super) fn declarations<'a>(&'a self, tree: &'a Tree, id: NodeId) -> Vec<&'a str> {
        let Some(element) = tree.element(id) else { return Vec::new() };
        let mut found: Vec<usize> = keys(element)
            .filter_map(|key| self.by_key.get(&key))
            .flatten()
            .copied()
            .filter(|rule| self.rules.get(*rule).is_some_and(|rule| rule.is_for(tree, id)))
            .collect();
        found.sort_unstable();
        found.dedup();
        let rules = found.into_iter().filter_map(|rule| self.rules.get(rule));
        rules.map(|rule| rule.declarations.as_str()).chain(element.attribute("style")).collect()
    }
}

impl Rule {
    fn is_for(&self, tree: &Tree, id: NodeId) -> bool {
        let Some((own, around)) = self.parts.split_first() else { return false };
        let fits = |id: NodeId, part: &Compound| tree.element(id).is_some_and(|e| part.is_for(e));
        if !fits(id, own) {
            return false;
        }
        let up = std::iter::successors(tree.parent(id), |id| tree.parent(*id));
        let mut up = up.take(MAX_ANCESTORS);
        around.iter().all(|part| up.any(|id| fits(id, part)))
    }
}

impl Compound {
    /// A part of a selector; `None` if it asks for more than a name, classes and an id.
    fn parse(text: &str) -> Option<Self> {
        let mut part = Self::default();
        let mut rest = text;
        let end = rest.find(['.', '#']).unwrap_or(rest.len());
        let (name, after) = rest.split_at_checked(end)?;
        if !name.is_empty() && name != "*" {
            part.name = Some(name.to_ascii_lowercase());
        }
        rest = after;
        while let Some(kind) = rest.chars().next() {
            let (_, after) = rest.split_at_checked(1)?;
            let end = after.find(['.', '#']).unwrap_or(after.len());
            let (value, after) = after.split_at_checked(end)?;
            match kind {
                '.' => part.classes.push(value.to_owned()),
                _ => part.id = Some(value.to_owned()),
            }
            rest = after;
        }
        let is_plain = |text: &str| {
            !text.is_empty() && text.chars().all(|ch| ch.is_alphanumeric() || "-_".contains(ch))
        };
        let mut all = part.classes.iter().chain(&part.id).chain(&part.name);
        all.all(|text| is_plain(text)).then_some(part)
    }

    /// Where rules with this part are found.
    fn key(&self) -> Option<String> {
        let class = self.classes.first().map(|class| format!(".{class}"));
        class.or_else(|| self.id.as_ref().map(|id| format!("#{id}"))).or_else(|| self.name.clone())
    }

    fn is_for(&self, element: &Element) -> bool {
        let has_class = |class: &String| {
            let classes = element.attribute("class").unwrap_or_default();
            classes.split_ascii_whitespace().any(|own| own == class)
        };
        self.name.as_ref().is_none_or(|name| **element.local() == **name)
            && self.id.as_ref().is_none_or(|id| element.attribute("id") == Some(id))
            && self.classes.iter().all(has_class)
    }
}

fn keys(element: &Element) -> impl Iterator<Item = String> {
    let classes = element.attribute("class").unwrap_or_default().split_ascii_whitespace();
    let id = element.attribute("id").map(|id| format!("#{id}"));
    let name = Some(element.local().to_string());
    classes.map(|class| format!(".{class}")).chain(id).chain(name)
}

/// The parts of a selector, its last one first; `None` if it has what is not read.
fn parts(selector: &str) -> Option<Vec<Compound>> {
    let words = selector.split(|ch: char| ch.is_whitespace() || ch == '>');
    let words = words.filter(|word| !word.is_empty());
    let mut parts = words.map(Compound::parse).collect::<Option<Vec<_>>>()?;
    parts.reverse();
    (!parts.is_empty() && parts.len() <= MAX_PARTS).then_some(parts)
}

/// Whether the rules of an at-rule apply wherever the page is seen.
fn applies_to_screens(head: &str) -> bool {
    let head = head.to_ascii_lowercase();
    ["@media screen", "@media all", "@layer", "@supports"].iter().any(|start| {
        head.strip_prefix(start).is_some_and(|rest| !rest.contains("width") && !rest.contains(','))
    })
}

/// What comes after a block whose bracket is open.
fn after_block(text: &str) -> &str {
    let mut open = 1_usize;
    let end = text.char_indices().find(|(_, ch)| {
        match ch {
            '{' => open += 1,
            '}' => open -= 1,
            _ => {}
        }
        open == 0
    });
    end.and_then(|(at, _)| text.get(at + 1..)).unwrap_or_default()
}

fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, after)| after);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::feed;

    fn declarations(css: &str, html: &str) -> Vec<String> {
        let tree = feed::parse(html);
        let mut sheet = StyleSheet::default();
        sheet.add(css);
        let is_x = |id: &NodeId| tree.element(*id).is_some_and(|e| e.attribute("data-x").is_some());
        let x = tree.walk().map(super::super::tree::WalkStep::node).find(is_x).expect("an element");
        sheet.declarations(&tree, x).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn rules_are_found_by_name_class_and_id() {
        let html = "<div class='wrap a'><p id=n class='note b' data-x style='top:0'>x</p></div>";
        for (css, found) in [
            (".note{display:none}", vec!["display:none", "top:0"]),
            ("/* a{} */ p.note , i { color:red }", vec![" color:red ", "top:0"]),
            (".wrap > .note{left:1px} #n{left:2px}", vec!["left:1px", "left:2px", "top:0"]),
            ("@charset 'x'; .a p{left:1px}", vec!["left:1px", "top:0"]),
            (
                "@media screen { .note{left:1px} } .b{left:2px}",
                vec!["left:1px", "left:2px", "top:0"],
            ),
            ("@media print { .note{left:1px} } .b{left:2px}", vec!["left:2px", "top:0"]),
            ("@media screen and (max-width:9px) { .note{left:1px} }", vec!["top:0"]),
            (".note:hover{left:1px} .note[hidden]{left:1px} .other .note{left:1px}", vec!["top:0"]),
            (".notes{left:1px} .note + p{left:1px}", vec!["top:0"]),
            (".note{left:1px", vec!["left:1px", "top:0"]),
            ("}{}{", vec!["top:0"]),
        ] {
            assert_eq!(declarations(css, html), found, "{css}");
        }
    }
}
