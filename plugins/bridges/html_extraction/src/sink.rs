//! What html5ever's tree builder writes into: a tree that notes when it has become too large or too deep.
//!
//! Invariant: no call of the tree builder panics here, whatever handle it has.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName, local_name, ns};

use crate::tree::{DOCUMENT, Data, Element, Id, Tree};

/// Most nodes of a document: twice as many do not fit into the memory of the manifest.
pub const MOST_NODES: usize = 100_000;
/// Most elements inside each other. Browsers stop at 512; each tag may have to look at all that are open.
pub const DEEPEST: usize = 256;
/// Repeated `html` and `body` tags add their attributes to the first one.
const MOST_ATTRIBUTES: usize = 1_000;

/// Why a document is not read on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excess {
    Nodes,
    Depth,
}

#[derive(Debug, Default)]
pub struct Sink {
    pub tree: RefCell<Tree>,
    pub excess: Cell<Option<Excess>>,
}

impl Sink {
    fn add(&self, data: Data) -> Id {
        let mut tree = self.tree.borrow_mut();
        if tree.len() >= MOST_NODES {
            self.excess.set(Some(Excess::Nodes));
        }
        tree.add(data)
    }

    fn insert(&self, parent: Id, child: NodeOrText<Id>, before: Option<Id>) {
        let mut tree = self.tree.borrow_mut();
        match child {
            NodeOrText::AppendText(text) => tree.insert_text(parent, &text, before),
            NodeOrText::AppendNode(id) => tree.insert(parent, id, before),
        }
        if tree.len() >= MOST_NODES {
            self.excess.set(Some(Excess::Nodes));
        }
        if tree.node(parent).is_some_and(|node| node.depth >= DEEPEST) {
            self.excess.set(Some(Excess::Depth));
        }
    }
}

/// The name of an element, apart from the tree, so that nothing stays borrowed.
#[derive(Debug)]
pub struct Name(QualName);

impl ElemName for Name {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

fn pairs(attributes: Vec<Attribute>) -> impl Iterator<Item = (LocalName, String)> {
    attributes.into_iter().map(|attribute| (attribute.name.local, attribute.value.to_string()))
}

impl TreeSink for Sink {
    type Handle = Id;
    type Output = Self;
    type ElemName<'a> = Name;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> Id {
        DOCUMENT
    }

    fn elem_name<'a>(&'a self, target: &'a Id) -> Name {
        let tree = self.tree.borrow();
        let name = tree.element(*target).map(|element| element.name.clone());
        Name(name.unwrap_or_else(|| QualName::new(None, ns!(), local_name!(""))))
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Id {
        let contents = flags.template.then(|| self.add(Data::Other));
        self.add(Data::Element(Element { name, attributes: pairs(attributes).collect(), contents }))
    }

    fn create_comment(&self, _text: StrTendril) -> Id {
        self.add(Data::Other)
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> Id {
        self.add(Data::Other)
    }

    fn append(&self, parent: &Id, child: NodeOrText<Id>) {
        self.insert(*parent, child, None);
    }

    fn append_based_on_parent_node(&self, element: &Id, previous: &Id, child: NodeOrText<Id>) {
        let parent = self.tree.borrow().parent(*element);
        match parent {
            Some(parent) => self.insert(parent, child, Some(*element)),
            None => self.insert(*previous, child, None),
        }
    }

    fn append_doctype_to_document(&self, _name: StrTendril, _public: StrTendril, _system: StrTendril) {}

    fn get_template_contents(&self, target: &Id) -> Id {
        self.tree.borrow().element(*target).and_then(|element| element.contents).unwrap_or(*target)
    }

    fn same_node(&self, x: &Id, y: &Id) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Id, child: NodeOrText<Id>) {
        let parent = self.tree.borrow().parent(*sibling);
        if let Some(parent) = parent {
            self.insert(parent, child, Some(*sibling));
        }
    }

    fn add_attrs_if_missing(&self, target: &Id, attributes: Vec<Attribute>) {
        let mut tree = self.tree.borrow_mut();
        let Some(element) = tree.element_mut(*target) else { return };
        for (name, value) in pairs(attributes) {
            if element.attributes.len() < MOST_ATTRIBUTES && !element.attributes.iter().any(|(own, _)| *own == name) {
                element.attributes.push((name, value));
            }
        }
    }

    fn remove_from_parent(&self, target: &Id) {
        self.tree.borrow_mut().remove(*target);
    }

    fn reparent_children(&self, node: &Id, new_parent: &Id) {
        let mut tree = self.tree.borrow_mut();
        while let Some(child) = tree.node(*node).and_then(|node| node.first) {
            tree.insert(*new_parent, child, None);
        }
    }
}
