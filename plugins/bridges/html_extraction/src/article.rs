//! The main text: paragraphs give points to the elements around them, the element with most points wins, with those
//! beside it that are like it, less what looks like lists of links. If little is left, it is tried again less strictly.
//!
//! Invariant: the work is linear in the nodes but for steps that are bounded by the depth of the tree.

use crate::score::{self, Size};
use crate::text;
use crate::tree::{DOCUMENT, Id, Tree};

/// With fewer characters, a less strict attempt is made.
const ENOUGH: f64 = 500.0;
/// Candidates that are compared for having an ancestor in common.
const CLOSE: usize = 5;

/// The main part of a document.
#[derive(Debug, Default)]
pub struct Article {
    pub roots: Vec<Id>,
    /// By node: left out, with all below.
    pub gone: Vec<bool>,
    pub top: Option<(Id, f64)>,
    pub characters: f64,
}

/// How strict an attempt is.
#[derive(Debug, Clone, Copy)]
struct Strict {
    unlikely: bool,
    weights: bool,
    clean: bool,
}

/// Finds the main part.
pub fn find(tree: &Tree, body: Id) -> Article {
    let mut best = Article::default();
    for level in 0..4 {
        let strict = Strict { unlikely: level < 1, weights: level < 2, clean: level < 3 };
        let article = attempt(tree, body, strict);
        let enough = article.characters >= ENOUGH;
        if enough || article.characters > best.characters {
            best = article;
        }
        if enough {
            break;
        }
    }
    best
}

fn attempt(tree: &Tree, body: Id, strict: Strict) -> Article {
    let mut removed: Vec<bool> = vec![false; tree.len()];
    for id in tree.walk(body) {
        let out = id != body && (score::beside(tree, id) || (strict.unlikely && score::unlikely(tree, id)));
        if let Some(slot) = removed.get_mut(id) {
            *slot = out;
        }
    }
    let sizes = score::sizes(tree, &removed);
    let field = Field { tree, body, sizes, gone: removed, kept: kept(tree, body), strict };
    let scores = field.scores();
    let top = field.top(&scores);
    let roots = top.map_or_else(|| vec![body], |(top, score)| field.with_siblings(top, score, &scores));
    let mut removed = field.gone.clone();
    if strict.clean {
        roots.iter().for_each(|root| field.clean(*root, &mut removed));
    }
    let left = score::sizes(tree, &removed);
    let characters = roots.iter().filter_map(|id| left.get(*id)).map(|size| size.text).sum();
    Article { roots, gone: removed, top, characters }
}

/// One attempt at a document.
struct Field<'a> {
    tree: &'a Tree,
    body: Id,
    sizes: Vec<Size>,
    gone: Vec<bool>,
    /// Not to be cleaned away.
    kept: Vec<bool>,
    strict: Strict,
}

impl Field<'_> {
    fn size(&self, id: Id) -> Size {
        self.sizes.get(id).copied().unwrap_or_default()
    }

    /// What is seen inside `root`, in order.
    fn seen(&self, root: Id) -> impl Iterator<Item = Id> + '_ {
        let is_gone = |id: Id| self.gone.get(id).copied().unwrap_or(true);
        std::iter::successors(Some(root), move |id| {
            let mut next = if is_gone(*id) { self.tree.after(*id, root) } else { self.tree.following(*id, root) };
            while let Some(id) = next.filter(|id| is_gone(*id)) {
                next = self.tree.after(id, root);
            }
            next
        })
    }

    /// The points of every element that has any.
    fn scores(&self) -> Vec<Option<f64>> {
        let mut scores = vec![None; self.tree.len()];
        for id in self.seen(self.body) {
            match self.tree.name(id) {
                "section" | "h2" | "h3" | "h4" | "h5" | "h6" | "p" | "td" | "pre" => {
                    self.give(self.size(id), self.tree.parent(id), &mut scores);
                }
                "div" | "article" | "main" | "li" | "center" | "body" => self.runs(id, &mut scores),
                _ => {}
            }
        }
        for (id, score) in scores.iter_mut().enumerate() {
            if let Some(score) = score {
                *score *= 1.0 - self.size(id).density();
            }
        }
        scores
    }

    /// Texts that stand in a box without a paragraph of their own count as one.
    fn runs(&self, id: Id, scores: &mut [Option<f64>]) {
        let mut run = Size::default();
        let mut alone = true;
        for child in self.tree.children(id) {
            if self.is_block(child) {
                self.give(std::mem::take(&mut run), Some(id), scores);
                alone = false;
            } else {
                let size = self.size(child);
                run.text += size.text;
                run.commas += size.commas;
            }
        }
        // A box with nothing but text is itself a paragraph.
        self.give(run, if alone { self.tree.parent(id) } else { Some(id) }, scores);
    }

    fn is_block(&self, id: Id) -> bool {
        text::block(self.tree.name(id)).is_some()
    }

    /// Points of a paragraph for the five elements around it: whole, half, and a third of it by the levels above.
    fn give(&self, size: Size, parent: Option<Id>, scores: &mut [Option<f64>]) {
        if size.text < 25.0 {
            return;
        }
        let points = 2.0 + size.commas + (size.text / 100.0).floor().min(3.0);
        let around = std::iter::successors(parent, |id| self.tree.parent(*id));
        for (level, id) in (0u8..5).zip(around) {
            if matches!(self.tree.name(id), "html" | "") {
                break;
            }
            let part = match level {
                0 => 1.0,
                1 => 2.0,
                level => f64::from(level) * 3.0,
            };
            if let Some(score) = scores.get_mut(id) {
                *score = Some(score.unwrap_or_else(|| self.start(id)) + points / part);
            }
        }
    }

    fn start(&self, id: Id) -> f64 {
        let weight = if self.strict.weights { score::weight(self.tree, id) } else { 0.0 };
        score::start(self.tree.name(id)) + weight
    }

    /// The element that holds the main text, unless that is the whole body.
    fn top(&self, scores: &[Option<f64>]) -> Option<(Id, f64)> {
        let mut best: Vec<(Id, f64)> =
            scores.iter().enumerate().filter_map(|(id, score)| Some((id, (*score)?))).collect();
        // Equal points: the one that stands first.
        best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        best.truncate(CLOSE);
        let (mut top, score) = *best.first()?;
        if top == self.body {
            return None;
        }
        let points = |id: Id| scores.get(id).copied().flatten();
        top = self.in_common(top, score, &best);
        top = self.climb(top, points(top).unwrap_or(score), scores);
        // An only child says no more than its parent, and the parent's neighbours may belong to the text.
        while let Some(parent) = self.tree.parent(top).filter(|id| *id != self.body) {
            if self.tree.children(parent).filter(|id| self.tree.element(*id).is_some()).nth(1).is_some() {
                break;
            }
            top = parent;
        }
        (top != self.body && !matches!(self.tree.name(top), "html" | "")).then(|| (top, points(top).unwrap_or(score)))
    }

    /// If three others with nearly as many points share an ancestor, it holds the text in parts.
    fn in_common(&self, top: Id, score: f64, best: &[(Id, f64)]) -> Id {
        let close: Vec<Vec<Id>> = best
            .iter()
            .skip(1)
            .filter(|(_, own)| score > 0.0 && own / score >= 0.75)
            .map(|(id, _)| self.tree.above(*id).collect())
            .collect();
        let mut above = self.tree.above(top).take_while(|id| *id != self.body);
        above.find(|id| close.iter().filter(|all| all.contains(id)).count() >= 3).unwrap_or(top)
    }

    /// Points that rise again further up tell that the text goes on outside.
    fn climb(&self, top: Id, score: f64, scores: &[Option<f64>]) -> Id {
        let mut last = score;
        for id in self.tree.above(top).take_while(|id| *id != self.body) {
            let Some(own) = scores.get(id).copied().flatten() else { continue };
            if own < score / 3.0 {
                break;
            }
            if own > last {
                return id;
            }
            last = own;
        }
        top
    }

    /// The top element and those beside it that score enough or are plain paragraphs.
    fn with_siblings(&self, top: Id, score: f64, scores: &[Option<f64>]) -> Vec<Id> {
        let Some(parent) = self.tree.parent(top) else { return vec![top] };
        let least = (score * 0.2).max(10.0);
        let class = |id: Id| self.tree.attribute(id, "class").filter(|class| !class.is_empty());
        let fits = |id: Id| {
            if id == top {
                return true;
            }
            if self.gone.get(id).copied().unwrap_or(true) {
                return false;
            }
            let bonus = if class(top).is_some() && class(id) == class(top) { score * 0.2 } else { 0.0 };
            if scores.get(id).copied().flatten().is_some_and(|own| own + bonus >= least) {
                return true;
            }
            let size = self.size(id);
            self.tree.name(id) == "p"
                && ((size.text > 80.0 && size.density() < 0.25)
                    || (size.text > 0.0 && size.linked == 0.0 && self.ends_a_sentence(id)))
        };
        self.tree.children(parent).filter(|id| fits(*id)).collect()
    }

    fn ends_a_sentence(&self, id: Id) -> bool {
        let text = text::line(self.tree, id, 100, &|id| self.gone.get(id).copied().unwrap_or(true));
        text.ends_with('.') || text.contains(". ") || text.ends_with('。')
    }

    /// Drops boxes inside the main part that look like lists of links, forms or asides.
    fn clean(&self, root: Id, gone: &mut [bool]) {
        for id in self.seen(root).filter(|id| *id != root) {
            let name = self.tree.name(id);
            let list = matches!(name, "ul" | "ol");
            let out = match name {
                "footer" => true,
                "form" | "fieldset" | "div" | "ul" | "ol" | "table" | "section" => self.is_junk(id, list),
                "h1" | "h2" => self.strict.weights && score::weight(self.tree, id) < 0.0,
                _ => false,
            };
            if let (true, Some(gone)) = (out, gone.get_mut(id)) {
                *gone = true;
            }
        }
    }

    fn is_junk(&self, id: Id, list: bool) -> bool {
        if self.kept.get(id).copied().unwrap_or(false) {
            return false;
        }
        let weight = if self.strict.weights { score::weight(self.tree, id) } else { 0.0 };
        if weight < 0.0 {
            return true;
        }
        let size = self.size(id);
        if size.commas >= 10.0 {
            return false;
        }
        let density = size.density();
        (!list && size.items - 100.0 > size.paragraphs)
            || size.inputs > (size.paragraphs / 3.0).floor()
            || (!list
                && size.text < 25.0
                && size.headings == 0.0
                && (size.images == 0.0 || size.images > 2.0)
                && density > 0.0)
            || (!list && weight < 25.0 && density > 0.2)
            || (weight >= 25.0 && density > 0.5)
            || (list && density > 0.7)
    }
}

/// Whether a table looks like data: it says so by what it is made of.
fn is_data(tree: &Tree, id: Id) -> bool {
    let layout = matches!(tree.attribute(id, "role"), Some("presentation" | "none"));
    let parts = |id: Id| matches!(tree.name(id), "caption" | "col" | "colgroup" | "thead" | "tfoot" | "th");
    !layout && (tree.attribute(id, "summary").is_some() || tree.walk(id).skip(1).take(200).any(parts))
}

/// By node: whether it is a table of data or code, or inside of such.
fn kept(tree: &Tree, body: Id) -> Vec<bool> {
    let mut kept_nodes = vec![false; tree.len()];
    for id in tree.walk(body) {
        let inside = tree.parent(id).and_then(|id| kept_nodes.get(id)).copied().unwrap_or(false);
        let is_kept = inside || tree.name(id) == "code" || (tree.name(id) == "table" && is_data(tree, id));
        if let Some(slot) = kept_nodes.get_mut(id) {
            *slot = is_kept;
        }
    }
    kept_nodes
}

/// The body, else the whole document: a document of frames has none.
pub fn body(tree: &Tree) -> Id {
    tree.walk(DOCUMENT).find(|id| tree.name(*id) == "body").unwrap_or(DOCUMENT)
}
