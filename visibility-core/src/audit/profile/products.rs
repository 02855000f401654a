//! Counts the products that the markup of a page is about.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::audit::availability::folded;
use crate::audit::markup::{Entity, Family, Markup, Syntax, types_of};
use crate::page::json_ld::text_of;

/// Values that are walked through; the markup of a page has fewer.
const MAX_VALUES: usize = 200_000;

/// The products that the markup of a page describes.
#[derive(Clone, Debug, Default)]
pub(super) struct Products {
    /// Products of the page itself, one for each name, those of a list apart.
    pub(super) own: usize,
    /// Products that are in a list.
    pub(super) listed: usize,
    /// The first of the own ones.
    pub(super) first: Option<String>,
    /// Type of the first collection, and its line.
    pub(super) collection: Option<(String, usize)>,
}

/// What a product is to the page that holds it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Role {
    Own,
    Listed,
    /// A variant of another one, or something that goes with it.
    Related,
}

impl Products {
    /// Counts the products of JSON-LD; those of microdata where JSON-LD has none.
    pub(super) fn from_markup(markup: &Markup) -> Self {
        let json_ld = Self::from_syntax(markup, Syntax::JsonLd);
        if json_ld.own + json_ld.listed > 0 {
            return json_ld;
        }
        let microdata = Self::from_syntax(markup, Syntax::Microdata);
        Self { collection: json_ld.collection.or(microdata.collection.clone()), ..microdata }
    }

    fn from_syntax(markup: &Markup, syntax: Syntax) -> Self {
        let mut found = Self::default();
        let mut names = BTreeSet::new();
        let mut has_group = false;
        let mut variants = Vec::new();
        for root in markup.top_level().filter(|entity| entity.syntax == syntax) {
            found.count(root, &mut names, &mut variants);
            has_group |= root.is_a(&["ProductGroup"]);
        }
        if !has_group {
            names.extend(variants);
        }
        found.own = names.len();
        found
    }

    fn count(&mut self, root: &Entity, names: &mut BTreeSet<String>, variants: &mut Vec<String>) {
        let mut open: Vec<(&Map<String, Value>, Role)> = vec![(&root.object, Role::Own)];
        let mut seen = 0;
        while let Some((object, role)) = open.pop() {
            seen += 1;
            if seen > MAX_VALUES {
                return;
            }
            let types = types_of(object);
            let family = Family::from_types(&types);
            let is_product = family == Some(Family::Product);
            if family == Some(Family::Collection) {
                let kind = types.into_iter().find(|name| Family::from_type(name) == family);
                self.collection = self.collection.take().or(kind.map(|kind| (kind, root.line)));
            }
            match role {
                Role::Own if is_product && object.contains_key("isVariantOf") => {
                    variants.push(key_of(object, seen));
                }
                Role::Own if is_product => {
                    self.first = self
                        .first
                        .take()
                        .or(object.get("name").and_then(|value| text_of(value, 4)));
                    names.insert(key_of(object, names.len()));
                }
                Role::Listed if is_product => self.listed += 1,
                _ => {}
            }
            for (key, value) in object {
                push(&mut open, value, below(key, role, is_product));
            }
        }
    }
}

/// What is below a property. What a page is part of, is about or reviews is not the page's own: news
/// behind a paywall is part of a product.
fn below(key: &str, role: Role, is_product: bool) -> Role {
    if is_product || matches!(key, "@reverse" | "isRelatedTo" | "isSimilarTo") {
        return Role::Related;
    }
    match (role, key) {
        (Role::Own, "mainEntity" | "@graph") => Role::Own,
        (Role::Own, "itemListElement" | "hasOfferCatalog") | (Role::Listed, _) => Role::Listed,
        (Role::Own | Role::Related, _) => Role::Related,
    }
}

/// Adds the objects of a value; lists in lists are opened without recursion.
fn push<'a>(open: &mut Vec<(&'a Map<String, Value>, Role)>, value: &'a Value, role: Role) {
    let mut lists = vec![value];
    while let Some(value) = lists.pop() {
        match value {
            Value::Array(items) => lists.extend(items),
            Value::Object(object) => open.push((object, role)),
            _ => {}
        }
    }
}

/// What tells products apart: their name, else their number, else their place.
fn key_of(object: &Map<String, Value>, place: usize) -> String {
    let text = ["name", "sku", "@id", "url"]
        .into_iter()
        .find_map(|key| object.get(key).and_then(|value| text_of(value, 4)));
    text.map_or_else(|| format!("#{place}"), |text| folded(&text))
}
