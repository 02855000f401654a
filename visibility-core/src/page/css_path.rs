//! Selectors that one element of a page matches and no other.

use std::collections::HashMap;
use std::fmt::Write as _;

use html5ever::{LocalName, local_name};

use crate::page::element::Element;
use crate::page::feed;
use crate::page::tree::{NodeContent, NodeId, Tree, WalkStep};

/// Bytes of a selector; deeper elements without an id above them have none.
const MAX_PATH_BYTES: usize = 512;

/// What is needed to name any element of a page, gathered once.
#[derive(Debug)]
pub(super) struct PathIndex {
    /// Elements by their `id` in lower case, as documents in quirks mode compare them; `None` if
    /// several have it.
    ids: HashMap<String, Option<NodeId>>,
    /// Elements by name, for the names that a selector may start with; `None` if several have it.
    starts: HashMap<LocalName, Option<NodeId>>,
    /// How each node is distinguished from its siblings.
    steps: Vec<SiblingStep>,
}

/// How an element is distinguished from its siblings.
#[derive(Clone, Copy, Debug, Default)]
enum SiblingStep {
    /// By its name.
    #[default]
    Name,
    /// By its name and its place among those of the same name, counted from 1.
    OfType(u32),
    /// By its place, counted from 1, since a name would not do.
    Child(u32),
}

impl PathIndex {
    pub(super) fn new(tree: &Tree) -> Self {
        let mut index = Self {
            ids: HashMap::new(),
            starts: HashMap::new(),
            steps: vec![SiblingStep::Name; tree.len()],
        };
        for step in tree.walk() {
            let WalkStep::Enter(id) = step else { continue };
            index.siblings(tree, id);
            let NodeContent::Element(element) = tree.content(id) else { continue };
            if let Some(value) = element.attribute("id") {
                let value = value.to_ascii_lowercase();
                if feed::is_formatting(&element.name()) {
                    // Where such an element is opened again, its `id` appears twice.
                    index.ids.insert(value, None);
                } else {
                    note(&mut index.ids, value, id);
                }
            }
            if may_start(element.local()) {
                note(&mut index.starts, element.local().clone(), id);
            }
        }
        index
    }

    /// Tells the children of a node apart.
    fn siblings(&mut self, tree: &Tree, parent: NodeId) {
        let elements = || tree.children(parent).filter_map(|id| Some((id, tree.element(id)?)));
        if elements().nth(1).is_none() && elements().all(|(_, only)| is_plain(only.local())) {
            return;
        }
        let mut known: HashMap<&LocalName, Namesakes<'_>> = HashMap::new();
        for (_, element) in elements() {
            let namesakes = known.entry(element.local()).or_insert_with(|| Namesakes {
                first: element,
                count: 0,
                seen: 0,
                is_selected_by_name: is_plain(element.local()),
            });
            namesakes.count += 1;
            // `:nth-of-type` counts the namespaces apart, a name in a selector does not.
            namesakes.is_selected_by_name &= namesakes.first.is_same_type(element);
        }
        for ((id, element), place) in elements().zip(1..) {
            let Some(namesakes) = known.get_mut(element.local()) else { continue };
            namesakes.seen += 1;
            let step = match namesakes {
                Namesakes { is_selected_by_name: false, .. } => SiblingStep::Child(place),
                Namesakes { count: 1, .. } => SiblingStep::Name,
                Namesakes { seen, .. } => SiblingStep::OfType(*seen),
            };
            if let Some(slot) = self.steps.get_mut(id.index()) {
                *slot = step;
            }
        }
    }

    /// A selector that only this element matches; that of its parent for what is not an element, that of
    /// the template for what is in one. Empty for the document, and where it would be too long.
    pub(super) fn css_path(&self, tree: &Tree, id: NodeId) -> String {
        let Some((target, line)) = lineage(tree, id) else { return String::new() };
        debug_assert_eq!(line.first(), Some(&target));
        let by_id = line.iter().position(|id| self.unique_id(tree, *id).is_some());
        let by_name = line.iter().position(|id| self.has_unique_name(tree, *id));
        [by_id, by_name]
            .into_iter()
            .flatten()
            .find_map(|start| self.path(tree, line.get(..=start)?))
            .unwrap_or_default()
    }

    /// The path down from the last of these elements to the first.
    fn path(&self, tree: &Tree, line: &[NodeId]) -> Option<String> {
        let (start, below) = line.split_last()?;
        let mut path = match self.unique_id(tree, *start) {
            Some(id) => format!("#{id}"),
            None => tree.element(*start)?.local().to_string(),
        };
        for id in below.iter().rev() {
            let name = tree.element(*id)?.local();
            let step = self.steps.get(id.index()).copied().unwrap_or_default();
            _ = match step {
                SiblingStep::Name => write!(path, " > {name}"),
                SiblingStep::OfType(place) => write!(path, " > {name}:nth-of-type({place})"),
                SiblingStep::Child(place) => write!(path, " > :nth-child({place})"),
            };
            if path.len() > MAX_PATH_BYTES {
                return None;
            }
        }
        (path.len() <= MAX_PATH_BYTES).then_some(path)
    }

    fn unique_id<'t>(&self, tree: &'t Tree, id: NodeId) -> Option<&'t str> {
        let value = tree.element(id)?.attribute("id")?;
        let is_unique = || self.ids.get(&value.to_ascii_lowercase()) == Some(&Some(id));
        (is_plain(value) && is_unique()).then_some(value)
    }

    fn has_unique_name(&self, tree: &Tree, id: NodeId) -> bool {
        tree.element(id).is_some_and(|element| self.starts.get(element.local()) == Some(&Some(id)))
    }
}

/// Siblings of one name.
struct Namesakes<'t> {
    first: &'t Element,
    count: u32,
    seen: u32,
    is_selected_by_name: bool,
}

fn note<K: Eq + std::hash::Hash>(known: &mut HashMap<K, Option<NodeId>>, key: K, id: NodeId) {
    known.entry(key).and_modify(|first| *first = None).or_insert(Some(id));
}

/// The element to name and those above it, from the inside out.
fn lineage(tree: &Tree, id: NodeId) -> Option<(NodeId, Vec<NodeId>)> {
    let mut target = if tree.element(id).is_some() { id } else { tree.parent(id)? };
    let mut line = Vec::new();
    let mut next = Some(target);
    while let Some(id) = next {
        let Some(element) = tree.element(id) else { break };
        if element.name() == local_name!("template") && id != target {
            // No selector reaches into a template.
            line.clear();
            target = id;
        }
        line.push(id);
        next = tree.parent(id);
    }
    // What the parser took out of the tree again does not end at the document.
    (next == Some(NodeId::DOCUMENT) && !line.is_empty()).then_some((target, line))
}

/// Elements that a selector may start with, if the page has only one.
fn may_start(name: &LocalName) -> bool {
    matches!(
        &**name,
        "html"
            | "head"
            | "body"
            | "main"
            | "article"
            | "title"
            | "h1"
            | "header"
            | "footer"
            | "nav"
            | "aside"
            | "form"
            | "table"
            | "dl"
    )
}

/// Whether a text is a CSS identifier that needs no escape.
fn is_plain(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.chars().all(|ch| ch.is_ascii_alphanumeric() || matches!(ch, '-' | '_'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use scraper::{ElementRef, Html, Selector};

    use super::*;

    /// Elements with their depth, in order, but for those within templates.
    fn elements(tree: &Tree) -> Vec<(NodeId, String, usize)> {
        let (mut found, mut depth, mut template) = (Vec::new(), 0, None);
        for step in tree.walk() {
            match step {
                WalkStep::Enter(id) => {
                    depth += 1;
                    if let NodeContent::Element(element) = tree.content(id)
                        && template.is_none()
                    {
                        found.push((id, element.local().to_string(), depth));
                        if element.name() == local_name!("template") {
                            template = Some(id);
                        }
                    }
                }
                WalkStep::Leave(id) => {
                    depth -= 1;
                    template.take_if(|node| *node == id);
                }
            }
        }
        found
    }

    /// The same, as an independent engine sees it.
    fn others(html: &Html) -> Vec<(ElementRef<'_>, String, usize)> {
        let is_template = |element: ElementRef<'_>| element.value().name() == "template";
        html.tree
            .root()
            .descendants()
            .filter(|node| !node.ancestors().filter_map(ElementRef::wrap).any(is_template))
            .filter_map(|node| {
                let element = ElementRef::wrap(node)?;
                let name = element.value().name().to_owned();
                Some((element, name, node.ancestors().count() + 1))
            })
            .collect()
    }

    /// Compares all paths of a page with what another engine selects; `None` if the trees differ.
    fn check(source: &str) -> Option<usize> {
        let tree = feed::parse(source);
        let index = PathIndex::new(&tree);
        let html = Html::parse_document(source);
        let (ours, theirs) = (elements(&tree), others(&html));
        let shape = |name: &str, depth: usize| (name.to_owned(), depth);
        let same = ours.iter().map(|(_, name, depth)| shape(name, *depth));
        if !same.eq(theirs.iter().map(|(_, name, depth)| shape(name, *depth))) {
            return None;
        }
        for ((id, ..), (other, ..)) in ours.iter().zip(&theirs) {
            let path = index.css_path(&tree, *id);
            if path.is_empty() {
                continue;
            }
            assert!(path.len() <= MAX_PATH_BYTES);
            let selector = Selector::parse(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
            let selected: Vec<_> = html.select(&selector).map(|element| element.id()).collect();
            assert_eq!(selected, [other.id()], "{path} in {source}");
        }
        Some(ours.len())
    }

    fn paths(source: &str) -> Vec<String> {
        let tree = feed::parse(source);
        let index = PathIndex::new(&tree);
        elements(&tree).iter().map(|(id, ..)| index.css_path(&tree, *id)).collect()
    }

    #[test]
    fn a_path_starts_at_an_id_or_at_a_landmark() {
        let found = paths(
            "<div id=specs><table><tr><td>a<tr><td>b</table></div><div><p>c<p>d</div><main id=1><p>e",
        );
        assert_eq!(
            found,
            [
                "html",
                "head",
                "body",
                "#specs",
                "#specs > table",
                "#specs > table > tbody",
                "#specs > table > tbody > tr:nth-of-type(1)",
                "#specs > table > tbody > tr:nth-of-type(1) > td",
                "#specs > table > tbody > tr:nth-of-type(2)",
                "#specs > table > tbody > tr:nth-of-type(2) > td",
                "body > div:nth-of-type(2)",
                "body > div:nth-of-type(2) > p:nth-of-type(1)",
                "body > div:nth-of-type(2) > p:nth-of-type(2)",
                "main",
                "main > p",
            ]
        );
    }

    #[test]
    fn paths_select_their_element_and_no_other() {
        let deep = "<div>".repeat(60) + "<p>x</p>" + &"</div>".repeat(60) + "<div><p id=y>";
        for source in [
            "<div id=a></div><p id=a></p><p id=A></p><p id=b></p>",
            "<!doctype html><p id=c></p><p id=C></p>",
            "<p id='x y'></p><p id='1'></p><p id=''></p><p id='ü'></p><p id='a.b'></p><p id=-></p>",
            "<o:p>a</o:p><o:p>b</o:p><x-y>c</x-y><ü>d</ü><a\"b>e</a\"b>",
            "<svg><a/><g><foreignObject><a></a></foreignObject></g><html></html><title/></svg><a></a>",
            "<math><mi><a></a><svg></svg></mi></math><table><svg></svg></table>",
            "<template><p id=t>x</p></template><p id=t>y</p><p>z</p>",
            "<frameset><frame><frame></frameset>",
            "<table><tr><td><table><tr><td>x</table><td>y</table>",
            "<h1>a</h1><article><h1>b</h1></article><article></article>",
            "",
            &deep,
        ] {
            assert!(check(source).is_some(), "the trees differ: {source}");
        }
    }

    #[test]
    fn elements_in_a_template_have_the_path_of_the_template() {
        let source =
            "<p></p><template><template><b>x</b></template></template><template></template>";
        let tree = feed::parse(source);
        let index = PathIndex::new(&tree);
        let inner = tree.walk().find_map(|step| match step {
            WalkStep::Enter(id) => tree.element(id).filter(|e| &**e.local() == "b").map(|_| id),
            WalkStep::Leave(_) => None,
        });
        let path = index.css_path(&tree, inner.unwrap_or_default());
        assert_eq!(path, "head > template:nth-of-type(1)".replace("head", "body"));
    }

    #[test]
    fn text_has_the_path_of_its_parent_and_the_document_has_none() {
        let tree = feed::parse("<p id=a>text");
        let index = PathIndex::new(&tree);
        let text = tree.walk().find_map(|step| match step {
            WalkStep::Enter(id) if matches!(tree.content(id), NodeContent::Text(_)) => Some(id),
            _ => None,
        });
        assert_eq!(index.css_path(&tree, text.unwrap_or_default()), "#a");
        assert_eq!(index.css_path(&tree, NodeId::DOCUMENT), "");
    }

    #[test]
    fn a_path_that_would_be_too_long_is_none() {
        let found = paths(&("<div><div>".repeat(100) + "<p>"));
        assert_eq!(found.last().map(String::as_str), Some(""));
        assert_eq!(found.iter().filter(|path| path.is_empty()).count(), 117);
    }

    proptest! {
        #[test]
        fn another_engine_selects_the_same_element(
            source in "(<!doctype html>)?(<(div|p|a|ul|li|table|tr|td|b|svg|g|title|math|mi|main|h1|template|section|o:p)( id=[a-cA-C1'])?( class=x)?>|</(div|p|a|ul|table|b|svg|main|h1|section)>|[a-z ]{1,3}){0,40}",
        ) {
            let _ = check(&source);
        }
    }
}
