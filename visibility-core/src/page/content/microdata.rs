//! Items of microdata, by the algorithm of the HTML standard.
//!
//! `itemref` is left out. As search engines do, `content` is taken from any element.
//! <https://html.spec.whatwg.org/multipage/microdata.html#values>

use html5ever::{LocalName, local_name};
use serde_json::{Map, Value};

use crate::page::content::Item;
use crate::page::element::{self, Element};
use crate::page::lines::LineIndex;
use crate::page::text::{Gap, TextBuilder, collapse};
use crate::page::tree::{NodeContent, NodeId, Tree, WalkStep};

const MAX_ITEMS: usize = 500;
const MAX_PROPERTIES: usize = 2_000;
/// Items within one another, with the outermost.
const MAX_DEPTH: usize = 32;
/// Names of one property, and types of one item.
const MAX_NAMES: usize = 8;
const MAX_NAME_CHARS: usize = 200;
const MAX_VALUE_CHARS: usize = 5_000;
/// Characters of all values together.
const MAX_CHARS: usize = 200_000;
/// What all copies of items within the items around them may weigh together.
const MAX_COPIED: usize = 4 * 1024 * 1024;
/// What a value weighs beside the bytes of its name and text.
const VALUE_WEIGHT: usize = 256;

/// Reads the items of a page, in order.
pub(super) fn items(tree: &Tree, lines: &LineIndex<'_>) -> Vec<Item> {
    let mut reader = Reader {
        lines,
        tree,
        items: Vec::new(),
        weights: Vec::new(),
        open: Vec::new(),
        texts: Vec::new(),
        never: None,
        properties: 0,
        room: MAX_CHARS,
        copies: MAX_COPIED,
    };
    for step in tree.walk() {
        match step {
            WalkStep::Enter(id) => match tree.content(id) {
                NodeContent::Text(text) => reader.text(text),
                NodeContent::Element(element) => reader.enter(id, element),
                NodeContent::Comment(_) | NodeContent::Other => {}
            },
            WalkStep::Leave(id) => {
                if let NodeContent::Element(element) = tree.content(id) {
                    reader.leave(id, &element.name());
                }
            }
        }
    }
    reader.items
}

struct Reader<'t> {
    lines: &'t LineIndex<'t>,
    tree: &'t Tree,
    items: Vec<Item>,
    /// The weight of every item, those within it included.
    weights: Vec<usize>,
    open: Vec<OpenItem>,
    texts: Vec<OpenText>,
    never: Option<NodeId>,
    properties: usize,
    room: usize,
    copies: usize,
}

/// An item whose element is open.
struct OpenItem {
    node: NodeId,
    /// Its place among the items; `None` for one too many.
    index: Option<usize>,
    /// The properties of the item around it that it is the value of.
    names: Vec<String>,
}

/// A property whose text is being collected.
struct OpenText {
    node: NodeId,
    item: usize,
    names: Vec<String>,
    text: TextBuilder,
}

impl Reader<'_> {
    fn enter(&mut self, id: NodeId, element: &Element) {
        let name = element.name();
        if is_raw(&name) {
            self.never.get_or_insert(id);
        }
        self.part(&name);
        let names = element
            .attribute("itemprop")
            .map(|names| words(names).collect::<Vec<_>>())
            .unwrap_or_default();
        if element.attribute("itemscope").is_some() {
            self.item(id, element, names);
        } else if !names.is_empty()
            && let Some(OpenItem { index: Some(item), .. }) = self.open.last()
        {
            let item = *item;
            match value(element, &name) {
                Some(value) => {
                    let value = collapse(value, MAX_VALUE_CHARS.min(self.room));
                    self.add_text(item, &names, value);
                }
                None if self.texts.len() < MAX_DEPTH => {
                    let text = TextBuilder::new(MAX_VALUE_CHARS.min(self.room));
                    self.texts.push(OpenText { node: id, item, names, text });
                }
                None => {}
            }
        }
    }

    fn item(&mut self, id: NodeId, element: &Element, names: Vec<String>) {
        let around = self.open.last().and_then(|open| open.index);
        let is_property = around.is_some() && !names.is_empty();
        let is_one_too_many = self.items.len() >= MAX_ITEMS || self.open.len() >= MAX_DEPTH;
        if is_one_too_many {
            self.open.push(OpenItem { node: id, index: None, names: Vec::new() });
            return;
        }
        let types = element.attribute("itemtype").unwrap_or_default();
        let mut object = Map::new();
        if let Some(itemid) = element.attribute("itemid") {
            object.insert("@id".to_owned(), collapse(itemid, MAX_NAME_CHARS).into());
        }
        let outer = around.filter(|_| is_property).and_then(|index| self.items.get(index));
        let depth = outer.map_or(0, |outer| outer.depth + 1);
        let line = self.lines.line(self.tree.offset(id));
        let types: Vec<_> = words(types).map(|name| bare_type(&name).to_owned()).collect();
        self.weights.push(types.iter().map(String::len).sum::<usize>() + VALUE_WEIGHT);
        self.open.push(OpenItem { node: id, index: Some(self.items.len()), names });
        self.items.push(Item { types, object, depth, line, node: id });
    }

    fn text(&mut self, text: &str) {
        if self.never.is_none() {
            for open in &mut self.texts {
                open.text.push(text);
            }
        }
    }

    fn part(&mut self, name: &LocalName) {
        if element::gap(name) != Gap::None {
            for open in &mut self.texts {
                open.text.part(Gap::Space);
            }
        }
    }

    fn leave(&mut self, id: NodeId, name: &LocalName) {
        self.part(name);
        self.never.take_if(|node| *node == id);
        if let Some(OpenText { item, names, text, .. }) = self.texts.pop_if(|open| open.node == id)
        {
            self.add_text(item, &names, text.finish());
        }
        if let Some(closed) = self.open.pop_if(|open| open.node == id) {
            self.nest(&closed);
        }
    }

    /// Makes an item the value of a property of the one around it.
    fn nest(&mut self, closed: &OpenItem) {
        let around = self.open.last().and_then(|open| open.index);
        let (Some(index), Some(around)) = (closed.index, around) else { return };
        let (Some(item), Some(weight)) = (self.items.get(index), self.weights.get(index)) else {
            return;
        };
        // Every name doubles what is within, and so does every level.
        let copies = closed.names.len().min(self.copies / weight);
        let Some(names) = closed.names.get(..copies).filter(|names| !names.is_empty()) else {
            return;
        };
        let mut object = item.object.clone();
        match item.types.as_slice() {
            [] => {}
            [only] => _ = object.insert("@type".to_owned(), only.clone().into()),
            types => _ = object.insert("@type".to_owned(), types.to_vec().into()),
        }
        let weight = *weight;
        self.copies -= copies * weight;
        self.add(around, names, &Value::Object(object), weight);
    }

    fn add_text(&mut self, item: usize, names: &[String], text: String) {
        self.room = self.room.saturating_sub(text.chars().count());
        let weight = text.len() + VALUE_WEIGHT;
        self.add(item, names, &Value::String(text), weight);
    }

    fn add(&mut self, index: usize, names: &[String], value: &Value, weight: usize) {
        let (Some(item), Some(total)) = (self.items.get_mut(index), self.weights.get_mut(index))
        else {
            return;
        };
        for name in names {
            if self.properties == MAX_PROPERTIES {
                return;
            }
            self.properties += 1;
            *total = total.saturating_add(name.len() + weight);
            match item.object.get_mut(name) {
                Some(Value::Array(known)) => known.push(value.clone()),
                Some(known) => *known = Value::Array(vec![known.take(), value.clone()]),
                None => _ = item.object.insert(name.clone(), value.clone()),
            }
        }
    }
}

/// Whether readers do not see the text of an element.
fn is_raw(name: &LocalName) -> bool {
    matches!(*name, local_name!("script") | local_name!("style") | local_name!("template"))
}

/// The value of a property, where it is not the text of the element.
fn value<'e>(element: &'e Element, name: &LocalName) -> Option<&'e str> {
    let attribute = |name| element.attribute(name);
    if let Some(content) = attribute("content") {
        return Some(content);
    }
    match &**name {
        "meta" => Some(""),
        "audio" | "embed" | "iframe" | "img" | "source" | "track" | "video" => {
            Some(attribute("src").unwrap_or_default())
        }
        "a" | "area" | "link" => Some(attribute("href").unwrap_or_default()),
        "object" => Some(attribute("data").unwrap_or_default()),
        "data" | "meter" => Some(attribute("value").unwrap_or_default()),
        "time" => attribute("datetime"),
        _ => None,
    }
}

/// A type without the address of its vocabulary.
fn bare_type(name: &str) -> &str {
    let path = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://"));
    let path = path.map(|path| path.strip_prefix("www.").unwrap_or(path));
    path.and_then(|path| path.strip_prefix("schema.org/")).unwrap_or(name)
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace().take(MAX_NAMES).map(|word| collapse(word, MAX_NAME_CHARS))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::page::Document;

    fn read(html: &str) -> Vec<Item> {
        Document::parse(html.as_bytes(), None).content().items
    }

    fn object(html: &str) -> Value {
        Value::Object(read(html).swap_remove(0).object)
    }

    #[test]
    fn values_come_from_where_the_standard_says() {
        let html = "<div itemscope itemtype='https://schema.org/Product' itemid=urn:1>\
             <h1 itemprop='name alternateName'>Oak <b>chair</b><script>x</script></h1>\
             <meta itemprop=sku content=' A 1 '><a itemprop=url href=/p>x</a>\
             <img itemprop=image src=a.jpg><img itemprop=image src=b.jpg>\
             <time itemprop=releaseDate datetime=2026-01-02>x</time><time itemprop=t>3 pm</time>\
             <data itemprop=gtin value=123>x</data><span itemprop=price content=19.99>19,99 TL</span>\
             <p itemprop=description>one<br>two</p></div>";
        assert_eq!(
            object(html),
            json!({
                "@id": "urn:1", "name": "Oak chair", "alternateName": "Oak chair", "sku": "A 1",
                "url": "/p", "image": ["a.jpg", "b.jpg"], "releaseDate": "2026-01-02", "t": "3 pm",
                "gtin": "123", "price": "19.99", "description": "one two",
            })
        );
    }

    #[test]
    fn items_nest_as_objects_and_stand_on_their_own() {
        let html = "<div itemscope itemtype='http://www.schema.org/Product'>\n\
             <div itemprop=offers itemscope itemtype='https://schema.org/Offer https://x.example/Y'>\
             <span itemprop=price>5</span><span itemprop=seller itemscope><span itemprop=name>n</span></span></div>\
             <div itemscope itemtype='https://schema.org/Thing'><span itemprop=name>other</span></div>\
             <span itemprop=name>chair</span></div>";
        let items = read(html);
        let found: Vec<_> =
            items.iter().map(|item| (item.types.join(" "), item.depth, item.line)).collect();
        assert_eq!(
            found,
            [
                ("Product".to_owned(), 0, 1),
                ("Offer https://x.example/Y".to_owned(), 1, 2),
                (String::new(), 2, 2),
                ("Thing".to_owned(), 0, 2),
            ]
        );
        assert_eq!(
            object(html),
            json!({
                "offers": {
                    "@type": ["Offer", "https://x.example/Y"],
                    "price": "5",
                    "seller": { "name": "n" },
                },
                "name": "chair",
            })
        );
        assert_eq!(read("<span itemprop=name>none</span>"), []);
    }

    #[test]
    fn names_and_levels_do_not_multiply() {
        fn values(object: &Map<String, Value>) -> usize {
            fn count(value: &Value) -> usize {
                match value {
                    Value::Array(items) => items.iter().map(count).sum(),
                    Value::Object(object) => values(object),
                    _ => 1,
                }
            }
            object.values().map(count).sum::<usize>() + 1
        }
        let open = "<div itemscope itemtype=https://schema.org/Product itemprop='a b c d e f g h'>";
        let html = format!("<div itemscope>{}<b itemprop=name>x</b>", open.repeat(400));
        let items = read(&html);
        assert_eq!(items.len(), MAX_DEPTH);
        let all: usize = items.iter().map(|item| values(&item.object)).sum();
        assert!(all <= 2 * MAX_COPIED / VALUE_WEIGHT, "{all}");
        let document = Document::parse(html.as_bytes(), None);
        let markup = crate::audit::markup::Markup::from_document(&document, &document.content());
        assert_eq!(markup.entities.len(), MAX_DEPTH);
        // What two names share is under both of them.
        assert_eq!(
            object(
                "<p itemscope><span itemprop='author creator' itemscope><b itemprop=name>Ada</b></span>"
            ),
            json!({ "author": { "name": "Ada" }, "creator": { "name": "Ada" } })
        );
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let deep = "<div itemscope itemprop=a>".repeat(400) + "<span itemprop=b>x</span>";
        assert_eq!(read(&deep).len(), MAX_DEPTH);
        assert_eq!(read(&"<p itemscope></p>".repeat(600)).len(), MAX_ITEMS);
        let many = format!("<div itemscope>{}", "<span itemprop=a>x</span>".repeat(3_000));
        assert_eq!(object(&many)["a"].as_array().map(Vec::len), Some(MAX_PROPERTIES));
        let long = format!(
            "<div itemscope>{}",
            format!("<span itemprop=a>{}</span>", "x".repeat(9_000)).repeat(60)
        );
        let chars = object(&long)["a"]
            .as_array()
            .map(|values| values.iter().filter_map(Value::as_str).map(str::len).sum::<usize>());
        assert_eq!(chars, Some(MAX_CHARS));
    }
}
