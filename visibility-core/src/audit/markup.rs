//! What the markup of a page says: JSON-LD and microdata as one list of entities.

use serde_json::{Map, Value};

use crate::page::content::Content;
use crate::page::{NodeId, Page};

/// The entities of a page.
#[derive(Clone, Debug, Default)]
pub struct Markup {
    /// Those of JSON-LD in order, then those of microdata; of each, outer ones first.
    pub entities: Vec<Entity>,
}

/// Something that the markup describes.
#[derive(Clone, Debug, PartialEq)]
pub struct Entity {
    /// Types without their `https://schema.org/` prefix.
    pub types: Vec<String>,
    /// Its properties, in the form of JSON-LD.
    pub object: Map<String, Value>,
    /// Nesting: 0 for what is no property of another entity.
    pub depth: usize,
    /// How it is written.
    pub syntax: Syntax,
    /// Line where its block or element starts, counted from 1.
    pub line: usize,
    /// The `script`, or the element of the item.
    pub node: NodeId,
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
}

impl Markup {
    /// The entities of a page.
    pub fn of(page: &Page, content: &Content) -> Self {
        let blocks =
            page.json_ld.iter().filter_map(|block| Some((block, block.nodes.as_ref().ok()?)));
        let json_ld = blocks.flat_map(|(block, nodes)| {
            nodes.iter().map(|node| Entity {
                types: node.types.clone(),
                object: node.object.clone(),
                depth: node.depth,
                syntax: Syntax::JsonLd,
                line: block.line,
                node: block.node,
            })
        });
        let microdata = content.items.iter().map(|item| Entity {
            types: item.types.clone(),
            object: item.object.clone(),
            depth: item.depth,
            syntax: Syntax::Microdata,
            line: item.line,
            node: item.node,
        });
        Self { entities: json_ld.chain(microdata).collect() }
    }

    /// Entities of one of these types, in order.
    pub fn of_types<'a>(&'a self, types: &'a [&'a str]) -> impl Iterator<Item = &'a Entity> {
        self.entities.iter().filter(move |entity| entity.is_a(types))
    }
}
