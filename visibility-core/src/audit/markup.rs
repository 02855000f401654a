//! What the markup of a page says: JSON-LD and microdata as one list of entities.

mod date;
pub(crate) mod family;
mod offer;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

pub use self::date::{Day, dates, iso_day};
pub use self::family::Family;
pub use self::offer::{MarkupOffer, MarkupPrice};
use crate::audit::gap::has_gap;
use crate::page::content::{Content, Item};
use crate::page::json_ld::{self, JsonLdBlock, JsonLdNode};
use crate::page::{Document, NodeId};
use crate::text::placeholder;

/// Nesting in which placeholders are looked for.
const MAX_DEPTH: usize = 8;
/// Broken blocks that are repaired.
const MAX_REPAIRS: usize = 8;

/// The entities of a page.
#[derive(Clone, Debug, Default)]
pub struct Markup {
    /// Those of JSON-LD in order, then those of microdata; of each, outer ones first.
    pub entities: Vec<Entity>,
    /// Broken blocks that could be repaired; their entities are among the others.
    pub repairs: Vec<RepairedBlock>,
    /// The index of the entity that an `@id` names.
    pub ids: BTreeMap<String, usize>,
}

/// A broken block, repaired.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RepairedBlock {
    /// The `script`.
    pub node: NodeId,
    /// JSON.
    pub text: String,
}

/// Something that the markup describes.
#[derive(Clone, Debug, PartialEq)]
pub struct Entity {
    /// Types without their `https://schema.org/` prefix.
    pub types: Vec<String>,
    /// Its properties with its `@type`, in the form of JSON-LD.
    pub object: Map<String, Value>,
    /// Nesting: 0 for what is not a property of another entity.
    pub depth: usize,
    /// How it is written.
    pub syntax: Syntax,
    /// Line where its block or element starts, counted from 1.
    pub line: usize,
    /// The `script`, or the element of the item.
    pub node: NodeId,
    /// Whether a placeholder of it was not filled; its property is left out.
    pub is_unfilled: bool,
}

/// How an entity is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Syntax {
    /// `<script type="application/ld+json">`.
    JsonLd,
    /// `itemscope`.
    Microdata,
}

impl Entity {
    /// Whether it has one of these types.
    pub fn is_a(&self, types: &[&str]) -> bool {
        self.types.iter().any(|own| types.contains(&own.as_str()))
    }

    fn from_microdata(item: &Item) -> Self {
        let mut object = item.object.clone();
        if !item.types.is_empty() {
            object.insert("@type".to_owned(), item.types.clone().into());
        }
        Self {
            types: item.types.clone(),
            object,
            depth: item.depth,
            syntax: Syntax::Microdata,
            line: item.line,
            node: item.node,
            is_unfilled: false,
        }
    }

    pub(in crate::audit) fn from_json_ld(node: &JsonLdNode, line: usize, script: NodeId) -> Self {
        Self {
            types: node.types.clone(),
            is_unfilled: is_unfilled(&node.object, MAX_DEPTH),
            object: without_placeholders(&node.object, MAX_DEPTH),
            depth: node.depth,
            syntax: Syntax::JsonLd,
            line,
            node: script,
        }
    }
}

impl Markup {
    /// The entities of a page, repaired blocks among them.
    pub fn from_document(document: &Document, content: &Content) -> Self {
        let mut entities = Vec::new();
        let mut repairs = Vec::new();
        for block in &document.page().json_ld {
            let repaired = match &block.nodes {
                Ok(_) => None,
                Err(error) if !error.is_breakage() || repairs.len() == MAX_REPAIRS => continue,
                Err(_) => json_ld::repaired(document.raw_text(block.node)),
            };
            let parsed = repaired.as_deref().map(|text| JsonLdBlock::parse(text, block.line));
            let nodes = parsed.as_ref().unwrap_or(block).nodes.as_deref().unwrap_or_default();
            entities.extend(
                nodes.iter().map(|node| Entity::from_json_ld(node, block.line, block.node)),
            );
            repairs.extend(repaired.map(|text| RepairedBlock { node: block.node, text }));
        }
        entities.extend(content.items.iter().map(Entity::from_microdata));
        let ids = ids(&entities);
        Self { entities, repairs, ids }
    }

    /// The markup with further entities.
    pub(crate) fn with(&self, other: &Self) -> Self {
        let mut entities = self.entities.clone();
        entities.extend(other.entities.iter().cloned().map(|entity| Entity {
            // Of another document.
            node: NodeId::default(),
            ..entity
        }));
        let ids = ids(&entities);
        Self { entities, repairs: self.repairs.clone(), ids }
    }

    /// Entities of one of these types, in order.
    pub fn with_types<'a>(&'a self, types: &'a [&'a str]) -> impl Iterator<Item = &'a Entity> {
        self.entities.iter().filter(move |entity| entity.is_a(types))
    }

    /// Entities that are not a property of another one.
    pub fn top_level(&self) -> impl Iterator<Item = &Entity> {
        self.entities.iter().filter(|entity| entity.depth == 0)
    }

    /// The object that a value is, or that it names by its `@id`.
    pub fn resolve<'a>(&'a self, value: &'a Value) -> Option<&'a Map<String, Value>> {
        let named = |id: &str| Some(&self.entities.get(*self.ids.get(id)?)?.object);
        match value {
            Value::Object(object) => {
                let is_reference = object.keys().all(|key| matches!(key.as_str(), "@id" | "@type"));
                let id = object.get("@id").and_then(Value::as_str).filter(|_| is_reference);
                id.and_then(named).or(Some(object))
            }
            Value::String(id) => named(id),
            _ => None,
        }
    }

    /// A property as text, see [`JsonLdNode::text`]; that of the entity which its `@id` names.
    pub fn text(&self, object: &Map<String, Value>, property: &str) -> Option<String> {
        let value = object.get(property)?;
        let first = members(value).first()?;
        let named = match first {
            Value::Object(_) => self.resolve(first).and_then(|object| object.get("name")),
            _ => None,
        };
        json_ld::text_of(named.unwrap_or(value), 4)
    }

    /// The objects of a property, references resolved, at most 100.
    pub fn objects<'a>(
        &'a self,
        object: &'a Map<String, Value>,
        property: &str,
    ) -> impl Iterator<Item = &'a Map<String, Value>> {
        let values = object.get(property).map(members).unwrap_or_default();
        values.iter().take(MAX_MEMBERS).filter_map(|value| self.resolve(value))
    }
}

/// Objects of one property that are looked at.
const MAX_MEMBERS: usize = 100;

/// The value itself, where it is written as a value object: `{"@type": "Date", "@value": "2026-10-20"}`.
pub(crate) fn literal(value: &Value) -> &Value {
    value.as_object().and_then(|object| object.get("@value")).unwrap_or(value)
}

/// The members of a list, or the value as the only one.
pub(crate) fn members(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        one => std::slice::from_ref(one),
    }
}

pub(in crate::audit) fn members_mut(value: &mut Value) -> &mut [Value] {
    match value {
        Value::Array(items) => items,
        one => std::slice::from_mut(one),
    }
}

/// The types of an object without their prefix.
pub(crate) fn types_of(object: &Map<String, Value>) -> Vec<String> {
    json_ld::types_of(object)
}

/// Whether a value of an object is, or holds, a placeholder that was not filled.
fn is_unfilled(object: &Map<String, Value>, depth: usize) -> bool {
    fn holds(value: &Value, depth: usize) -> bool {
        match value {
            Value::String(text) => has_gap(text),
            Value::Object(object) => depth > 0 && is_unfilled(object, depth - 1),
            Value::Array(items) => depth > 0 && items.iter().any(|item| holds(item, depth - 1)),
            _ => false,
        }
    }
    object.values().any(|value| holds(value, depth))
}

/// An object without the properties whose placeholder was not filled.
fn without_placeholders(object: &Map<String, Value>, depth: usize) -> Map<String, Value> {
    let kept = object.iter().filter_map(|(key, value)| Some((key.clone(), filled(value, depth)?)));
    kept.collect()
}

fn filled(value: &Value, depth: usize) -> Option<Value> {
    match value {
        Value::String(text) if placeholder::is_placeholder(text) => None,
        Value::Object(object) if depth > 0 => {
            Some(Value::Object(without_placeholders(object, depth - 1)))
        }
        Value::Array(items) if depth > 0 => {
            Some(items.iter().filter_map(|item| filled(item, depth - 1)).collect())
        }
        other => Some(other.clone()),
    }
}

/// The entity that says most under each `@id`.
pub(in crate::audit) fn ids(entities: &[Entity]) -> BTreeMap<String, usize> {
    let mut ids: BTreeMap<String, usize> = BTreeMap::new();
    for (at, entity) in entities.iter().enumerate() {
        let Some(id) = entity.object.get("@id").and_then(Value::as_str) else { continue };
        let says = |at: usize| entities.get(at).map_or(0, |entity| entity.object.len());
        match ids.get(id) {
            Some(known) if says(*known) >= entity.object.len() => {}
            _ => _ = ids.insert(id.to_owned(), at),
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markup(html: &str) -> Markup {
        let document = Document::parse(html.as_bytes(), None);
        Markup::from_document(&document, &document.content())
    }

    fn json(text: &str) -> Markup {
        markup(&format!("<script type=application/ld+json>{text}</script>"))
    }

    #[test]
    fn a_reference_is_resolved_within_the_page() {
        let markup = json(
            r##"{"@graph":[{"@type":"Article","publisher":{"@id":"#o"},"author":[{"@id":"#p"}],"about":{"@id":"#x"}},
            {"@id":"#o","@type":"Organization","name":"Acme"},{"@id":"#p","@type":"Person","name":"Ada"}]}"##,
        );
        let article = &markup.entities[0].object;
        assert_eq!(markup.text(article, "publisher").as_deref(), Some("Acme"));
        assert_eq!(markup.text(article, "author").as_deref(), Some("Ada"));
        assert_eq!(markup.text(article, "about").as_deref(), Some("#x"));
        assert_eq!(markup.objects(article, "author").count(), 1);
    }

    #[test]
    fn references_in_a_circle_end() {
        let markup = json(
            r##"[{"@id":"#a","@type":"A","x":{"@id":"#b"}},{"@id":"#b","@type":"B","x":{"@id":"#a"}},
            {"@id":"#c","@type":"C","x":{"@id":"#c"}}]"##,
        );
        for entity in &markup.entities {
            assert!(markup.text(&entity.object, "x").is_some());
        }
    }

    #[test]
    fn hostile_markup_is_bounded() {
        let nested =
            |open: &str, depth: usize| format!("{}1{}", open.repeat(depth), "}".repeat(depth));
        for (text, at_most) in [
            (nested("{\"@type\":\"Product\",\"offers\":", 100), 33),
            (nested("{\"@type\":\"Product\",\"offers\":", 100_000), 0),
            (format!("[{}1]", "{\"@type\":\"Product\"},".repeat(20_000)), 2_000),
            (format!("[{}1]", "{\"@type\":\"Product\"},".repeat(200_000)), 0),
            (format!("[{}", "\"a\" \"b\",".repeat(50_000)), 0),
        ] {
            let markup = json(&text);
            assert!(markup.entities.len() <= at_most, "{} {at_most}", markup.entities.len());
        }
    }

    #[test]
    fn a_repaired_block_has_entities_and_the_others_keep_theirs() {
        let markup = markup(
            "<script type=application/ld+json>{\"@type\":\"A\",}</script>\
             <script type=application/ld+json>{\"@type\":\"B\"}</script>\
             <script type=application/ld+json>{oops</script>",
        );
        let types: Vec<_> = markup.entities.iter().map(|entity| entity.types.join("+")).collect();
        assert_eq!(types, ["A", "B"]);
        assert_eq!(markup.repairs.len(), 1);
    }
}
