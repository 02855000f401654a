//! What html5ever drives to build the tree of a page.

#![expect(
    clippy::indexing_slicing,
    reason = "a `NodeId` is only made by `push`, for a node that stays in the arena"
)]

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, LocalName, QualName, local_name, ns};

use crate::page::element::Element;
use crate::page::tree::{MAX_ATTRIBUTES, NONE, NodeContent, NodeId, Tree};

/// What html5ever drives to build a [`Tree`].
#[derive(Debug)]
pub(in crate::page) struct TreeBuilderSink {
    tree: RefCell<Tree>,
    /// Where the piece of source starts that is being parsed.
    pub(in crate::page) offset: Cell<u32>,
    /// Elements made so far.
    pub(in crate::page) elements: Cell<usize>,
    /// The element that was made last.
    last: Cell<NodeId>,
}

impl TreeBuilderSink {
    pub(in crate::page) fn new() -> Self {
        let nameless = QualName::new(None, ns!(), local_name!(""));
        let mut tree = Tree { nodes: Vec::new(), nameless };
        tree.push(NodeContent::Other, 0);
        Self {
            tree: RefCell::new(tree),
            offset: Cell::new(0),
            elements: Cell::new(0),
            last: Cell::new(NodeId::DOCUMENT),
        }
    }

    /// Gives the element that was made last, if it has this name, attributes that it has not.
    pub(in crate::page) fn complete(&self, name: Option<&LocalName>, attributes: Vec<Attribute>) {
        let mut tree = self.tree.borrow_mut();
        if let NodeContent::Element(element) = &mut tree.nodes[self.last.get().index()].content
            && Some(&element.name.local) == name
        {
            element.attributes.extend(attributes);
        }
    }

    fn make(&self, content: NodeContent) -> NodeId {
        self.tree.borrow_mut().push(content, self.offset.get())
    }
}

impl TreeSink for TreeBuilderSink {
    type Handle = NodeId;
    type Output = Tree;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Tree {
        self.tree.into_inner()
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        NodeId(0)
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Ref<'a, QualName> {
        Ref::map(self.tree.borrow(), |tree| match tree.content(*target) {
            NodeContent::Element(element) => &element.name,
            _ => &tree.nameless,
        })
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        _flags: ElementFlags,
    ) -> NodeId {
        self.elements.set(self.elements.get() + 1);
        let id = self.make(NodeContent::Element(Element { name, attributes }));
        self.last.set(id);
        id
    }

    fn create_comment(&self, text: StrTendril) -> NodeId {
        self.make(NodeContent::Comment(text))
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> NodeId {
        self.make(NodeContent::Other)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        match child {
            NodeOrText::AppendNode(child) => self.tree.borrow_mut().append(*parent, child),
            NodeOrText::AppendText(text) => {
                let mut tree = self.tree.borrow_mut();
                let last = tree.nodes[parent.index()].last_child;
                if !tree.extend_text(last, &text) {
                    let child = tree.push(NodeContent::Text(text), self.offset.get());
                    tree.append(*parent, child);
                }
            }
        }
    }

    fn append_based_on_parent_node(
        &self,
        element: &NodeId,
        previous_element: &NodeId,
        child: NodeOrText<NodeId>,
    ) {
        let has_parent = self.tree.borrow().nodes[element.index()].parent != NONE;
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous_element, child);
        }
    }

    fn append_doctype_to_document(
        &self,
        _name: StrTendril,
        _public_id: StrTendril,
        _system_id: StrTendril,
    ) {
    }

    /// Contents of a template are its children; readers of the tree leave templates out.
    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        *target
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeId, new_node: NodeOrText<NodeId>) {
        let mut tree = self.tree.borrow_mut();
        let child = match new_node {
            NodeOrText::AppendNode(child) => child,
            NodeOrText::AppendText(text) => {
                let previous = tree.nodes[sibling.index()].previous;
                if tree.extend_text(previous, &text) {
                    return;
                }
                tree.push(NodeContent::Text(text), self.offset.get())
            }
        };
        tree.insert_before(*sibling, child);
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<Attribute>) {
        let mut tree = self.tree.borrow_mut();
        let NodeContent::Element(element) = &mut tree.nodes[target.index()].content else { return };
        for attribute in attributes {
            let known = &mut element.attributes;
            if known.len() < MAX_ATTRIBUTES && known.iter().all(|a| a.name != attribute.name) {
                known.push(attribute);
            }
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.tree.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let mut tree = self.tree.borrow_mut();
        while let Some(child) = tree.nodes[node.index()].first_child.some() {
            tree.append(*new_parent, child);
        }
    }
}
