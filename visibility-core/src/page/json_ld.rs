//! JSON-LD blocks: lenient reading of what pages really carry, with the place of an error.

mod budget;
mod repair;

use std::collections::VecDeque;
use std::fmt;

use serde_json::{Map, Value};

pub use self::repair::repaired;
use crate::page::NodeId;
pub(crate) use crate::page::json_ld::budget::JsonLdBudget;
use crate::text::excerpt::excerpt;
use crate::text::locale::{Catalog, Lang};
use crate::text::note::Note;
use crate::text::syntax_error::JsonError;

/// Nodes of a block.
const MAX_NODES: usize = 2_000;
/// Nesting in which nodes are looked for.
const MAX_DEPTH: usize = 32;
/// Characters before and after an error that are quoted.
const CONTEXT_CHARS: usize = 20;

/// One `<script type="application/ld+json">`.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonLdBlock {
    /// Line of the page where the block starts, counted from 1.
    pub line: usize,
    /// The `script` element, if the block was read with its page.
    pub node: NodeId,
    /// All nodes, `@graph`, arrays and nested nodes unpacked, outer ones first; or the error.
    pub nodes: Result<Vec<JsonLdNode>, JsonLdError>,
    /// What the `@context` says that the words of the block mean.
    pub vocabulary: Vocabulary,
}

/// What the `@context` of a block says that its words mean.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum Vocabulary {
    /// Words of schema.org, or of contexts that are not looked up.
    #[default]
    Known,
    /// Nothing: there is no `@context`, and the types are words alone.
    Missing,
    /// Those of this address, which is not schema.org.
    Other(String),
}

/// One node object.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonLdNode {
    /// Types without their `https://schema.org/` prefix.
    pub types: Vec<String>,
    /// The object as written.
    pub object: Map<String, Value>,
    /// Nesting: 0 for top-level nodes and members of a top-level `@graph` or array.
    pub depth: usize,
}

/// Where a block stops being JSON.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("not JSON at line {line} column {column}: {reason}")]
pub struct JsonLdError {
    /// Line of the page, counted from 1.
    pub line: usize,
    /// Column within that line of the block, in characters, counted from 1.
    pub column: usize,
    /// Why the block is not read.
    pub reason: UnreadReason,
    /// At most 40 characters of the block around the error.
    pub context: String,
}

/// Why a block is not read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum UnreadReason {
    /// There is no text in it.
    Empty,
    /// It is more than is read of a page. It may be JSON.
    TooMuch,
    /// Its quotes are entities, which HTML does not decode within a script.
    QuoteEntities,
    /// It is not JSON.
    Syntax(JsonError),
}

impl UnreadReason {
    /// The reason, for people.
    pub fn note(self) -> Note {
        match self {
            Self::Empty => Note::new("block-empty"),
            Self::TooMuch => Note::new("block-too-much"),
            Self::QuoteEntities => Note::new("quote-entities"),
            Self::Syntax(error) => error.note(),
        }
    }
}

impl fmt::Display for UnreadReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.note().sentence(Catalog::for_lang(Lang::En)))
    }
}

impl JsonLdError {
    /// Why it is not JSON, for people.
    pub fn cause(&self) -> Note {
        self.reason.note()
    }

    /// Where and why it is not JSON, for people.
    pub fn note(&self) -> Note {
        let note = Note::new("json-syntax").with_note("reason", self.cause());
        note.with("line", self.line).with("column", self.column)
    }

    /// Whether there is something in the block, and it is no JSON.
    pub fn is_breakage(&self) -> bool {
        !matches!(self.reason, UnreadReason::TooMuch | UnreadReason::Empty)
    }
}

impl JsonLdBlock {
    /// Reads a block that starts at this line of the page.
    ///
    /// HTML comments and CDATA marks around the JSON are skipped, as are a byte-order mark and a
    /// trailing semicolon. Objects without `@type` are nodes at the top level only. At most 2,000
    /// nodes are read, and nodes that would hold more than 4 MiB of text together are left out.
    pub fn parse(text: &str, line: usize) -> Self {
        Self::parse_within(text, line, &mut JsonLdBudget::default())
    }

    /// Reads a block of a page for whose JSON-LD there is this much room left.
    pub(crate) fn parse_within(text: &str, line: usize, budget: &mut JsonLdBudget) -> Self {
        let (start, json) = unwrapped(text);
        let weight = json.bytes().filter(|byte| matches!(byte, b'{' | b'[' | b',')).count();
        let (nodes, vocabulary) = match budget.spend_weight(weight) {
            Some(()) => match read(text, start, json, line, budget) {
                Ok((nodes, vocabulary)) => (Ok(nodes), vocabulary),
                Err(error) => (Err(error), Vocabulary::default()),
            },
            None => {
                (Err(error_at(text, line, start, UnreadReason::TooMuch)), Vocabulary::default())
            }
        };
        Self { line, node: NodeId::default(), nodes, vocabulary }
    }
}

fn read(
    text: &str,
    start: usize,
    json: &str,
    line: usize,
    budget: &mut JsonLdBudget,
) -> Result<(Vec<JsonLdNode>, Vocabulary), JsonLdError> {
    if json.is_empty() {
        return Err(error_at(text, line, start, UnreadReason::Empty));
    }
    match serde_json::from_str(json) {
        Ok(value) => Ok((unpack(&value, budget), vocabulary(&value))),
        Err(error) => {
            let at = start + offset_of(json, error.line(), error.column());
            let reason = if json.contains("&quot;") {
                UnreadReason::QuoteEntities
            } else {
                UnreadReason::Syntax(JsonError::from_parser(&error))
            };
            Err(error_at(text, line, at, reason))
        }
    }
}

/// The JSON of a block and its offset, without what pages put around it.
fn unwrapped(text: &str) -> (usize, &str) {
    const BEFORE: [&str; 5] = ["\u{feff}", "<!--", "<![CDATA[", "//", "/*"];
    const AFTER: [&str; 5] = ["-->", "]]>", "//", "*/", ";"];
    let mut json = text.trim_start();
    while let Some(rest) = BEFORE.iter().find_map(|mark| json.strip_prefix(mark)) {
        json = rest.trim_start().trim_start_matches("*/").trim_start();
    }
    let start = text.len() - json.len();
    json = json.trim_end();
    while let Some(rest) = AFTER.iter().find_map(|mark| json.strip_suffix(mark)) {
        json = rest.trim_end().trim_end_matches("/*").trim_end();
    }
    (start, json)
}

/// Bytes before a place that the parser named; its columns are bytes.
fn offset_of(json: &str, line: usize, column: usize) -> usize {
    let before = json.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len);
    (before.sum::<usize>() + column.saturating_sub(1)).min(json.len())
}

fn error_at(text: &str, line: usize, offset: usize, reason: UnreadReason) -> JsonLdError {
    let (before, after) = text.split_at(text.floor_char_boundary(offset));
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let tail = before.chars().count().saturating_sub(CONTEXT_CHARS);
    let context = before.chars().skip(tail).chain(after.chars().take(CONTEXT_CHARS));
    JsonLdError {
        line: line + before.matches('\n').count(),
        column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
        reason,
        context: excerpt(&context.collect::<String>()),
    }
}

/// What the outer objects of a block say that its words mean: the first that says it decides.
fn vocabulary(block: &Value) -> Vocabulary {
    let outer = match block {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    let objects = || outer.iter().filter_map(Value::as_object);
    if let Some(context) = objects().find_map(|object| object.get("@context")) {
        return of_context(context);
    }
    let is_word = |text: &str| !text.contains(':');
    let of_graph = |object: &'_ Map<String, Value>| match object.get("@graph") {
        Some(Value::Array(all)) => all.iter().filter_map(|one| one.get("@type").cloned()).collect(),
        _ => Vec::new(),
    };
    let own = objects().filter_map(|object| object.get("@type").cloned());
    let types: Vec<Value> = own.chain(objects().flat_map(of_graph)).collect();
    let mut names = types.iter().flat_map(|value| match value {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect::<Vec<_>>(),
    });
    if names.any(is_word) { Vocabulary::Missing } else { Vocabulary::Known }
}

fn of_context(context: &Value) -> Vocabulary {
    match context {
        Value::String(address) if is_schema_org(address) || is_standard(address) => {
            Vocabulary::Known
        }
        Value::String(address) => Vocabulary::Other(excerpt(address)),
        // One of several may be schema.org, and what an object of prefixes says is not looked up.
        Value::Array(all) => {
            let mut others = all.iter().map(of_context).filter(|one| *one != Vocabulary::Known);
            let is_known = others.clone().count() < all.len();
            if is_known { Vocabulary::Known } else { others.next().unwrap_or_default() }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Vocabulary::Missing,
        Value::Object(_) => Vocabulary::Known,
    }
}

/// The host of an address without `www.`.
fn host(address: &str) -> &str {
    let rest = address.trim().split_once("://").map_or(address.trim(), |(_, rest)| rest);
    let host = rest.trim_start_matches('/').split('/').next().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host)
}

fn is_schema_org(address: &str) -> bool {
    host(address).eq_ignore_ascii_case("schema.org")
}

/// Whether an address is one of the places where other vocabularies are published, on purpose.
fn is_standard(address: &str) -> bool {
    const HOSTS: [&str; 6] =
        ["w3.org", "w3id.org", "purl.org", "json-ld.org", "iiif.io", "gs1.org"];
    let host = host(address).to_ascii_lowercase();
    let is_within = |known: &str| {
        host.strip_suffix(known).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    HOSTS.iter().any(|known| is_within(known))
}

/// All nodes of a value, level by level.
fn unpack(value: &Value, budget: &mut JsonLdBudget) -> Vec<JsonLdNode> {
    let mut nodes = Vec::new();
    let mut queue = VecDeque::from([(value, 0)]);
    while let Some((value, depth)) = queue.pop_front() {
        if nodes.len() == MAX_NODES || depth > MAX_DEPTH {
            break;
        }
        let object = match value {
            Value::Array(items) => {
                queue.extend(items.iter().map(|item| (item, depth)));
                continue;
            }
            Value::Object(object) => object,
            _ => continue,
        };
        let types = types_of(object);
        let graph = object.get("@graph");
        if !types.is_empty() || (depth == 0 && graph.is_none()) {
            if budget.spend_node(object).is_none() {
                break;
            }
            nodes.push(JsonLdNode { types, object: object.clone(), depth });
        }
        queue.extend(graph.map(|graph| (graph, depth)));
        let inner = object.iter().filter(|(key, _)| !matches!(key.as_str(), "@graph" | "@context"));
        queue.extend(inner.map(|(_, value)| (value, depth + 1)));
    }
    nodes
}

/// The types of an object without their `https://schema.org/` prefix.
pub(crate) fn types_of(object: &Map<String, Value>) -> Vec<String> {
    let types = match object.get("@type") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    types.into_iter().map(|name| without_prefix(name.trim()).to_owned()).collect()
}

/// A type without the IRI or prefix of schema.org.
fn without_prefix(name: &str) -> &str {
    if let Some(short) = name.strip_prefix("schema:") {
        return short;
    }
    let host = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://"));
    let host = host.map(|host| host.strip_prefix("www.").unwrap_or(host));
    host.and_then(|host| host.strip_prefix("schema.org/")).unwrap_or(name)
}

impl JsonLdNode {
    /// A property as text: a string, a number, or the `name`, `@value`, `@id` or `url` of an object;
    /// of a list, the first that has one. Never empty.
    pub fn text(&self, property: &str) -> Option<String> {
        text_of(self.object.get(property)?, 4)
    }

    /// Whether the node has this type.
    pub fn is(&self, wanted: &str) -> bool {
        self.types.iter().any(|t| t == wanted)
    }
}

/// The text of a value, see [`JsonLdNode::text`].
pub(crate) fn text_of(value: &Value, depth_left: usize) -> Option<String> {
    let depth_left = depth_left.checked_sub(1)?;
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(items) => items.iter().find_map(|item| text_of(item, depth_left)),
        Value::Object(object) => ["name", "@value", "@id", "url"]
            .iter()
            .find_map(|key| object.get(*key).and_then(|value| text_of(value, depth_left))),
        Value::Null | Value::Bool(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::page::json_ld::budget::MAX_BYTES;

    fn nodes(text: &str) -> Vec<JsonLdNode> {
        JsonLdBlock::parse(text, 1).nodes.unwrap()
    }

    fn types(text: &str) -> Vec<(String, usize)> {
        nodes(text).into_iter().map(|node| (node.types.join("+"), node.depth)).collect()
    }

    fn expected(nodes: &[(&str, usize)]) -> Vec<(String, usize)> {
        nodes.iter().map(|(types, depth)| ((*types).to_owned(), *depth)).collect()
    }

    #[test]
    fn graphs_lists_and_nested_nodes_are_unpacked() {
        let cases: [(&str, &[(&str, usize)]); 8] = [
            (r#"{"@type":"A"}"#, &[("A", 0)]),
            (r#"[{"@type":"A"},[{"@type":["B","C"]}]]"#, &[("A", 0), ("B+C", 0)]),
            (
                r#"{"@context":{"@type":"X"},"@graph":[{"@type":"A","x":{"@type":"B","y":[{"@type":"C"}]}},{"@type":"D"}]}"#,
                &[("A", 0), ("D", 0), ("B", 1), ("C", 2)],
            ),
            (r#"{"@type":"A","@graph":{"@type":"B"}}"#, &[("A", 0), ("B", 0)]),
            (r#"{"name":"x","y":{"@id":"z"}}"#, &[("", 0)]),
            (
                r#"{"@type":"https://schema.org/A","x":{"@type":["http://www.schema.org/B","schema:C","https://x.example/D"]}}"#,
                &[("A", 0), ("B+C+https://x.example/D", 1)],
            ),
            (r#"{"@type":7}"#, &[("", 0)]),
            ("[1,null,\"x\"]", &[]),
        ];
        for (json, found) in cases {
            assert_eq!(types(json), expected(found), "{json}");
        }
    }

    #[test]
    fn what_stands_around_the_json_is_skipped() {
        for text in [
            "\u{feff}{\"@type\":\"A\"}",
            " <!-- {\"@type\":\"A\"} --> ",
            "//<![CDATA[\n{\"@type\":\"A\"}\n//]]>",
            "/*<![CDATA[*/{\"@type\":\"A\"};/*]]>*/",
            "<![CDATA[{\"@type\":\"A\"}]]>",
            "{\"@type\":\"A\"};\n",
        ] {
            assert_eq!(types(text), expected(&[("A", 0)]), "{text}");
        }
    }

    #[test]
    fn an_error_has_its_place_in_the_page() {
        let cases = [
            ("\n {\"ü\": 1,\n}", 9, 1, UnreadReason::Syntax(JsonError::TrailingComma)),
            ("<!-- {\"ü\": x}", 7, 12, UnreadReason::Syntax(JsonError::Value)),
            ("", 7, 1, UnreadReason::Empty),
            ("{&quot;a&quot;:1}", 7, 2, UnreadReason::QuoteEntities),
            ("{\"a\":\"b\nc\"}", 8, 1, UnreadReason::Syntax(JsonError::ControlCharacter)),
        ];
        for (text, line, column, reason) in cases {
            let error = JsonLdBlock::parse(text, 7).nodes.unwrap_err();
            assert_eq!((error.line, error.reason), (line, reason), "{text}");
            assert!(error.column.abs_diff(column) <= 1, "{text}: {}", error.column);
        }
        let long = format!("{}{{\"a\": oops}}{}", " ".repeat(90), " ".repeat(90));
        let error = JsonLdBlock::parse(&long, 1).nodes.unwrap_err();
        assert!(error.context.contains("oops") && error.context.chars().count() <= 40);
    }

    #[test]
    fn one_property_can_be_text_in_many_ways() {
        let node = &nodes(
            r#"{"@type":"A","s":" x ","n":19.9,"o":{"name":"y"},"i":{"@id":"z"},"v":{"@value":"w"},
               "l":[null,{"url":"/u"}],"e":"","b":true,"d":[[[[["deep"]]]]]}"#,
        )[0];
        let cases = [
            ("s", Some("x")),
            ("n", Some("19.9")),
            ("o", Some("y")),
            ("i", Some("z")),
            ("v", Some("w")),
            ("l", Some("/u")),
            ("e", None),
            ("b", None),
            ("d", None),
            ("?", None),
        ];
        for (property, text) in cases {
            assert_eq!(node.text(property).as_deref(), text, "{property}");
        }
        assert!(node.is("A") && !node.is("B"));
    }

    #[test]
    fn nodes_are_bounded() {
        let many = format!("[{}{{}}]", "{\"@type\":\"A\"},".repeat(10_000));
        assert_eq!(nodes(&many).len(), MAX_NODES);
        let deep = format!("{}1{}", "{\"@type\":\"A\",\"x\":".repeat(100), "}".repeat(100));
        assert_eq!(nodes(&deep).len(), MAX_DEPTH + 1);
        let wide = format!(
            "{}[{}1]{}",
            "{\"@type\":\"A\",\"x\":".repeat(30),
            "1,".repeat(50_000),
            "}".repeat(30)
        );
        assert!(nodes(&wide).len() <= 3);
        for text in ["[".repeat(100_000), "1,".repeat(100_000)] {
            assert!(JsonLdBlock::parse(&text, 1).nodes.is_err());
        }
    }

    #[test]
    fn the_blocks_of_a_page_share_its_room() {
        let text = format!("[{}1]", "1,".repeat(40_000));
        let mut budget = JsonLdBudget::default();
        assert!(JsonLdBlock::parse_within(&text, 1, &mut budget).nodes.is_ok());
        assert!(JsonLdBlock::parse_within(&text, 1, &mut budget).nodes.is_err());
        assert!(JsonLdBlock::parse_within("{}", 1, &mut budget).nodes.is_ok());
    }

    #[test]
    fn the_nodes_of_a_page_hold_a_bounded_text() {
        let nested = |long: &str| {
            format!("{}{long}{}", "{\"@type\":\"A\",\"x\":".repeat(30), "}".repeat(30))
        };
        let long = "x".repeat(MAX_BYTES / 3);
        for text in [nested(&format!("\"{long}\"")), nested(&format!("{{\"{long}\":1}}"))] {
            assert_eq!(nodes(&text).len(), 2);
            let mut budget = JsonLdBudget::default();
            let read: Vec<usize> = (0..3)
                .map(|_| JsonLdBlock::parse_within(&text, 1, &mut budget).nodes.unwrap().len())
                .collect();
            assert_eq!(read, [2, 0, 0]);
        }
        assert_eq!(nodes(&nested("1")).len(), 30);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in ".{0,80}", odd in "[<>!\\[\\]{}:,\"@typegrah/*;\n ü-]{0,60}") {
            let _ = (JsonLdBlock::parse(&text, 1), JsonLdBlock::parse(&odd, usize::MAX / 2));
        }
    }
}
