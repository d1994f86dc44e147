//! The document tree: nodes in one list, linked by their places in it.
//!
//! Invariants: a node stands under one parent at most; an unknown place reads as an empty node; no walk recurses.

use html5ever::{LocalName, QualName, ns};

pub type Id = usize;

/// What a node is.
#[derive(Debug)]
pub enum Data {
    /// The document, a template's contents, or what is not kept, such as a comment.
    Other,
    Text(String),
    Element(Element),
}

/// An element of any namespace.
#[derive(Debug)]
pub struct Element {
    pub name: QualName,
    pub attributes: Vec<(LocalName, String)>,
    /// The place of a template's contents, which are no children of it.
    pub contents: Option<Id>,
}

#[derive(Debug)]
pub struct Node {
    pub parent: Option<Id>,
    pub first: Option<Id>,
    pub last: Option<Id>,
    pub previous: Option<Id>,
    pub next: Option<Id>,
    /// Elements above, at the time it was put into the tree.
    pub depth: usize,
    pub data: Data,
}

/// The document.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
}

pub const DOCUMENT: Id = 0;

impl Default for Tree {
    fn default() -> Self {
        let mut tree = Self { nodes: Vec::new() };
        tree.add(Data::Other);
        tree
    }
}

impl Tree {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn node(&self, id: Id) -> Option<&Node> {
        self.nodes.get(id)
    }

    pub fn element(&self, id: Id) -> Option<&Element> {
        match &self.node(id)?.data {
            Data::Element(element) => Some(element),
            _ => None,
        }
    }

    pub fn element_mut(&mut self, id: Id) -> Option<&mut Element> {
        match &mut self.nodes.get_mut(id)?.data {
            Data::Element(element) => Some(element),
            _ => None,
        }
    }

    /// The name of an HTML element; empty for all else.
    pub fn name(&self, id: Id) -> &str {
        match self.element(id) {
            Some(element) if element.name.ns == ns!(html) => &element.name.local,
            _ => "",
        }
    }

    pub fn attribute(&self, id: Id, name: &str) -> Option<&str> {
        let all = &self.element(id)?.attributes;
        all.iter().find(|(own, _)| &**own == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self, id: Id) -> Option<&str> {
        match &self.node(id)?.data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn parent(&self, id: Id) -> Option<Id> {
        self.node(id)?.parent
    }

    pub fn children(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        std::iter::successors(self.node(id).and_then(|node| node.first), |id| self.node(*id)?.next)
    }

    /// The nodes above, the nearest first.
    pub fn above(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        std::iter::successors(self.parent(id), |id| self.parent(*id))
    }

    /// The node after this one and all below it, inside `root`.
    pub fn after(&self, id: Id, root: Id) -> Option<Id> {
        let mut at = id;
        while at != root {
            let node = self.node(at)?;
            if node.next.is_some() {
                return node.next;
            }
            at = node.parent?;
        }
        None
    }

    /// The next node in the order of the document, inside `root`.
    pub fn following(&self, id: Id, root: Id) -> Option<Id> {
        self.node(id)?.first.or_else(|| self.after(id, root))
    }

    /// `root` and all below it, in the order of the document.
    pub fn walk(&self, root: Id) -> impl Iterator<Item = Id> + '_ {
        std::iter::successors(Some(root), move |id| self.following(*id, root))
    }

    pub fn add(&mut self, data: Data) -> Id {
        let id = self.nodes.len();
        self.nodes.push(Node { parent: None, first: None, last: None, previous: None, next: None, depth: 0, data });
        id
    }

    /// Takes a node, with all below it, out of its place.
    pub fn remove(&mut self, id: Id) {
        let Some(node) = self.nodes.get_mut(id) else { return };
        let (parent, previous, next) = (node.parent.take(), node.previous.take(), node.next.take());
        match previous.and_then(|id| self.nodes.get_mut(id)) {
            Some(node) => node.next = next,
            None => self.change(parent, |node| node.first = next),
        }
        match next.and_then(|id| self.nodes.get_mut(id)) {
            Some(node) => node.previous = previous,
            None => self.change(parent, |node| node.last = previous),
        }
    }

    /// Puts a node under `parent`, before its child `before` or last.
    pub fn insert(&mut self, parent: Id, id: Id, before: Option<Id>) {
        self.remove(id);
        let previous = match before {
            Some(before) => self.node(before).and_then(|node| node.previous),
            None => self.node(parent).and_then(|node| node.last),
        };
        let depth = self.node(parent).map_or(0, |node| node.depth).saturating_add(1);
        self.change(Some(id), |node| {
            (node.parent, node.previous, node.next, node.depth) = (Some(parent), previous, before, depth);
        });
        match previous {
            Some(_) => self.change(previous, |node| node.next = Some(id)),
            None => self.change(Some(parent), |node| node.first = Some(id)),
        }
        match before {
            Some(_) => self.change(before, |node| node.previous = Some(id)),
            None => self.change(Some(parent), |node| node.last = Some(id)),
        }
    }

    /// Puts text there, into the text node that is already before that place if there is one.
    pub fn insert_text(&mut self, parent: Id, text: &str, before: Option<Id>) {
        let previous = match before {
            Some(before) => self.node(before).and_then(|node| node.previous),
            None => self.node(parent).and_then(|node| node.last),
        };
        if let Some(Node { data: Data::Text(own), .. }) = previous.and_then(|id| self.nodes.get_mut(id)) {
            own.push_str(text);
            return;
        }
        let id = self.add(Data::Text(text.to_owned()));
        self.insert(parent, id, before);
    }

    fn change(&mut self, id: Option<Id>, change: impl FnOnce(&mut Node)) {
        if let Some(node) = id.and_then(|id| self.nodes.get_mut(id)) {
            change(node);
        }
    }
}
