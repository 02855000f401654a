//! The entity that a page is about.

use serde_json::{Map, Value};

use crate::audit::availability::folded;
use crate::audit::markup::{Entity, Family, Markup, Syntax, ids, members, members_mut, types_of};
use crate::audit::page::AuditedPage;
use crate::audit::profile::Profile;
use crate::page::NodeId;
use crate::page::json_ld::{JsonLdBlock, text_of};

/// Candidates that are looked at.
const MAX_CANDIDATES: usize = 200;

/// The entity that a page is about, put together from all blocks that describe it.
#[derive(Clone, Debug, PartialEq)]
pub struct MainEntity {
    /// Its types, without their prefix.
    pub types: Vec<String>,
    /// The family that its types belong to.
    pub family: Family,
    /// Its properties: those of the first block, and what further ones add.
    pub object: Map<String, Value>,
    /// Where it is described, best place first.
    pub sources: Vec<EntitySource>,
    /// Place of the outer entity among those of the page that it is, or whose property it is.
    pub root: usize,
    /// The property of that entity, if it is not the entity itself.
    pub key: Option<&'static str>,
    /// Whether a placeholder of it was not filled.
    pub is_unfilled: bool,
}

/// A place that describes an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct EntitySource {
    /// How it is written.
    pub syntax: Syntax,
    /// Line where the block or element starts, counted from 1.
    pub line: usize,
    /// The `script`, or the element of the item.
    pub node: NodeId,
}

struct Candidate<'a> {
    types: Vec<String>,
    family: Family,
    object: &'a Map<String, Value>,
    root: &'a Entity,
    place: (usize, Option<&'static str>),
}

impl MainEntity {
    /// The entity that a page of this kind is about; `None` if none fits. Of several, the one whose
    /// name the page bears as its heading, `names`, comes first.
    pub fn find(markup: &Markup, profile: Profile, names: &[&str]) -> Option<Self> {
        let wanted: &[Family] = match profile {
            Profile::Product => &[Family::Product],
            Profile::Article | Profile::Documentation | Profile::Forum => {
                &[Family::Article, Family::Other]
            }
            Profile::Listing => &[Family::Collection],
            Profile::Collection => &[Family::Collection, Family::Offering, Family::Product],
            Profile::Landing => {
                &[Family::Offering, Family::Product, Family::Other, Family::Collection]
            }
        };
        let candidates = candidates(markup);
        let fitting = |family: &Family| candidates.iter().any(|found| found.family == *family);
        let family = *wanted.iter().find(|family| fitting(family))?;
        let of_family: Vec<&Candidate<'_>> =
            candidates.iter().filter(|found| found.family == family).collect();
        let names: Vec<String> = names.iter().map(|name| folded(name)).collect();
        // The first of equals: `min_by_key` keeps it.
        let best = *of_family.iter().min_by_key(|found| {
            let own = name_of(found.object).unwrap_or_default();
            let is_named = !own.is_empty() && names.contains(&own);
            let is_group = found.types.iter().any(|name| name == "ProductGroup");
            (!is_named, !is_group, found.object.contains_key("isVariantOf"))
        })?;
        Some(Self::merged(best, &of_family))
    }

    /// The entity that a page is about by one of the profiles that it may have.
    pub(crate) fn for_page(page: &AuditedPage<'_>) -> Option<Self> {
        let names = names(page);
        let profiles = page.profiles();
        profiles.as_slice().iter().find_map(|profile| Self::find(&page.markup, *profile, &names))
    }

    /// The entity that a page is about by one of these profiles, else by any other one.
    pub(crate) fn for_any_profile(page: &AuditedPage<'_>) -> Option<Self> {
        let names = names(page);
        Self::for_page(page).or_else(|| {
            let mut all = Profile::ALL.into_iter();
            all.find_map(|profile| Self::find(&page.markup, profile, &names))
        })
    }

    /// A property as it can be in the entity itself: an object instead of a reference to one.
    pub(crate) fn inline(&self, markup: &Markup, key: &str) -> Option<Value> {
        let value = self.object.get(key)?;
        Some(markup.resolve(value).map_or_else(|| value.clone(), |own| Value::Object(own.clone())))
    }

    fn merged(best: &Candidate<'_>, all: &[&Candidate<'_>]) -> Self {
        let mut main = Self {
            types: best.types.clone(),
            family: best.family,
            object: best.object.clone(),
            sources: vec![EntitySource::from_entity(best.root)],
            root: best.place.0,
            key: best.place.1,
            is_unfilled: best.root.is_unfilled,
        };
        let others = all.iter().filter(|other| !std::ptr::eq(best.object, other.object));
        for other in others.filter(|other| is_same(best, other, all)) {
            for (key, value) in other.object {
                if !main.object.contains_key(key) {
                    main.object.insert(key.clone(), value.clone());
                }
            }
            main.sources.push(EntitySource::from_entity(other.root));
        }
        main
    }
}

/// What the page calls itself.
fn names<'a>(page: &'a AuditedPage<'_>) -> Vec<&'a str> {
    let titles = page.page().metas("og:title").map(|meta| meta.content.as_str());
    page.page().h1s().map(|heading| heading.text.as_str()).chain(titles).take(8).collect()
}

impl EntitySource {
    fn from_entity(root: &Entity) -> Self {
        Self { syntax: root.syntax, line: root.line, node: root.node }
    }
}

/// Outer entities, and what they name as their `mainEntity`.
fn candidates(markup: &Markup) -> Vec<Candidate<'_>> {
    let mut found = Vec::new();
    let outer = markup.entities.iter().enumerate().filter(|(_, entity)| entity.depth == 0);
    for (place, root) in outer.take(MAX_CANDIDATES) {
        let mut add = |object, key| {
            let types: Vec<String> = types_of(object);
            if let Some(family) = Family::from_types(&types) {
                found.push(Candidate { types, family, object, root, place: (place, key) });
            }
        };
        add(&root.object, None);
        for key in ["mainEntity", "mainEntityOfPage"] {
            let values = root.object.get(key).map(members).unwrap_or_default();
            // References name other outer entities, which are candidates anyhow.
            let nested = values.iter().take(2).filter_map(Value::as_object);
            nested.filter(|object| object.len() > 2).for_each(|object| add(object, Some(key)));
        }
    }
    found
}

/// Whether two candidates describe one thing: by `@id`, name or number; or one of them says too little
/// to be a second thing.
fn is_same(best: &Candidate<'_>, other: &Candidate<'_>, all: &[&Candidate<'_>]) -> bool {
    let same = |key: &str| {
        let text =
            |object: &Map<String, Value>| object.get(key).and_then(|value| text_of(value, 4));
        text(best.object).is_some_and(|own| text(other.object) == Some(own))
    };
    let is_nameless = name_of(other.object).is_none() && all.len() == 2;
    let names = (name_of(best.object), name_of(other.object));
    let same_name = matches!(names, (Some(one), Some(other)) if one == other);
    same("@id") || same("sku") || same_name || is_nameless
}

fn name_of(object: &Map<String, Value>) -> Option<String> {
    let name = object.get("name").or_else(|| object.get("headline"))?;
    text_of(name, 4).map(|name| folded(&name))
}

impl Markup {
    /// The markup with further properties of an entity.
    pub(crate) fn completed(
        &self,
        main: &MainEntity,
        members: &Map<String, Value>,
    ) -> Option<Self> {
        let root = self.entities.get(main.root)?;
        let mut whole = root.object.clone();
        let object = match main.key {
            Some(key) => members_mut(whole.get_mut(key)?)
                .iter_mut()
                .filter_map(Value::as_object_mut)
                .find(|object| object.len() > 2)?,
            None => &mut whole,
        };
        object.extend(members.clone());
        // What it holds becomes entities of their own again.
        let block = JsonLdBlock::parse(&Value::Object(whole).to_string(), root.line);
        let new: Vec<Entity> = block
            .nodes
            .as_ref()
            .ok()?
            .iter()
            .map(|node| Entity {
                syntax: root.syntax,
                ..Entity::from_json_ld(node, root.line, root.node)
            })
            .collect();
        let held = self.entities.iter().skip(main.root + 1).take_while(|entity| entity.depth > 0);
        let end = main.root + 1 + held.count();
        let mut entities = self.entities.clone();
        entities.splice(main.root..end, new);
        let ids = ids(&entities);
        Some(Self { entities, repairs: self.repairs.clone(), ids })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Document;

    fn main(json: &str, profile: Profile, name: &str) -> Option<MainEntity> {
        let html = format!("<script type=application/ld+json>{json}</script>");
        let document = Document::parse(html.as_bytes(), None);
        MainEntity::find(&Markup::from_document(&document, &document.content()), profile, &[name])
    }

    fn name(main: Option<MainEntity>) -> String {
        main.and_then(|main| name_of(&main.object)).unwrap_or_default()
    }

    #[test]
    fn the_kind_of_page_decides_which_entity_it_is_about() {
        let graph = r#"{"@graph":[{"@type":"WebSite","name":"s"},{"@type":["Thing","Product"],"name":"p"},
            {"@type":"BlogPosting","headline":"a"},{"@type":"WebApplication","name":"w"},{"@type":"ItemList","name":"l"}]}"#;
        for (profile, expected) in [
            (Profile::Product, "p"),
            (Profile::Article, "a"),
            (Profile::Landing, "w"),
            (Profile::Collection, "l"),
        ] {
            assert_eq!(name(main(graph, profile, "")), expected, "{profile:?}");
        }
        assert_eq!(main(r#"{"@type":"WebSite","name":"s"}"#, Profile::Landing, ""), None);
    }

    #[test]
    fn a_page_names_its_main_entity() {
        let nested = r#"{"@type":"WebPage","mainEntity":{"@type":"Product","name":"p","sku":"1"}}"#;
        assert_eq!(name(main(nested, Profile::Product, "")), "p");
        let related = r#"{"@type":"WebPage","isRelatedTo":{"@type":"Product","name":"p"}}"#;
        assert_eq!(main(related, Profile::Product, ""), None);
    }

    #[test]
    fn of_several_the_one_with_the_name_of_the_page_is_taken() {
        let many = r#"[{"@type":"Product","name":"A"},{"@type":"Product","name":"B"}]"#;
        assert_eq!(name(main(many, Profile::Product, "B")), "b");
        assert_eq!(name(main(many, Profile::Product, "C")), "a");
    }

    #[test]
    fn blocks_about_one_thing_are_put_together() {
        let two = r##"[{"@type":"Product","@id":"#p","name":"A"},{"@type":"Product","@id":"#p","aggregateRating":{"ratingValue":4}},
            {"@type":"Product","name":"Other","sku":"9"}]"##;
        let found = main(two, Profile::Product, "").unwrap();
        assert!(found.object.contains_key("aggregateRating") && !found.object.contains_key("sku"));
        assert_eq!(found.sources.len(), 2);
    }
}
