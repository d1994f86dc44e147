//! What parts of a document count: lengths of texts and links below each node, and what class names and roles say.
//!
//! The numbers and words are those of Mozilla's Readability (Apache-2.0), version 0.6.0, but for `hid` as a word of its
//! own.

use crate::text;
use crate::tree::{DOCUMENT, Id, Tree};

/// Class names and ids that tell of something other than the main text, unless one of `MAYBE` stands there too.
const UNLIKELY: &[&str] = &[
    "-ad-",
    "ai2html",
    "banner",
    "breadcrumbs",
    "combx",
    "comment",
    "community",
    "cover-wrap",
    "disqus",
    "extra",
    "footer",
    "gdpr",
    "header",
    "legends",
    "menu",
    "related",
    "remark",
    "replies",
    "rss",
    "shoutbox",
    "sidebar",
    "skyscraper",
    "social",
    "sponsor",
    "supplemental",
    "ad-break",
    "agegate",
    "pagination",
    "pager",
    "popup",
    "yom-remote",
];
const MAYBE: &[&str] = &["and", "article", "body", "column", "content", "main", "shadow"];
const GOOD: &[&str] =
    &["article", "body", "content", "entry", "main", "page", "pagination", "post", "text", "blog", "story"];
const BAD: &[&str] = &[
    "-ad-",
    "hidden",
    "banner",
    "combx",
    "comment",
    "com-",
    "contact",
    "footer",
    "gdpr",
    "masthead",
    "media",
    "meta",
    "outbrain",
    "promo",
    "related",
    "scroll",
    "share",
    "shoutbox",
    "sidebar",
    "skyscraper",
    "sponsor",
    "shopping",
    "tags",
    "widget",
];
const ROLES: &[&str] = &["menu", "menubar", "complementary", "navigation", "alert", "alertdialog", "dialog"];

/// What is below a node, and seen.
#[derive(Debug, Clone, Copy, Default)]
pub struct Size {
    /// Characters, blanks collapsed.
    pub text: f64,
    pub commas: f64,
    /// Characters in links; links within the page count for less.
    pub linked: f64,
    pub paragraphs: f64,
    pub items: f64,
    pub images: f64,
    pub inputs: f64,
    pub headings: f64,
}

impl Size {
    fn add(&mut self, other: &Self) {
        self.text += other.text;
        self.commas += other.commas;
        self.linked += other.linked;
        self.paragraphs += other.paragraphs;
        self.items += other.items;
        self.images += other.images;
        self.inputs += other.inputs;
        self.headings += other.headings;
    }

    /// Part of the text that is links.
    pub fn density(&self) -> f64 {
        if self.text > 0.0 { (self.linked / self.text).min(1.0) } else { 0.0 }
    }
}

/// Sizes of all nodes; nodes that are `gone` count nothing.
pub fn sizes(tree: &Tree, gone: &[bool]) -> Vec<Size> {
    let mut sizes = vec![Size::default(); tree.len()];
    let mut order = Vec::with_capacity(tree.len());
    let mut at = Some(DOCUMENT);
    while let Some(id) = at {
        if gone.get(id).copied().unwrap_or(true) {
            at = tree.after(id, DOCUMENT);
            continue;
        }
        order.push(id);
        at = tree.following(id, DOCUMENT);
    }
    // Children come after their parents in this order, so backwards every node is whole before it is added.
    for id in order.into_iter().rev() {
        let mut subtree = sizes.get(id).copied().unwrap_or_default();
        subtree.add(&alone(tree, id));
        if tree.name(id) == "a" && tree.attribute(id, "href").is_some() {
            let within = tree.attribute(id, "href").is_some_and(|href| href.len() > 1 && href.starts_with('#'));
            subtree.linked = subtree.text * if within { 0.3 } else { 1.0 };
        }
        if let Some(size) = sizes.get_mut(id) {
            *size = subtree;
        }
        if let Some(size) = tree.parent(id).and_then(|id| sizes.get_mut(id)) {
            size.add(&subtree);
        }
    }
    sizes
}

fn alone(tree: &Tree, id: Id) -> Size {
    let mut size = Size::default();
    if let Some(text) = tree.text(id) {
        let mut blank = true;
        for c in text.chars() {
            if !(c.is_whitespace() && blank) {
                size.text += 1.0;
            }
            blank = c.is_whitespace();
            if is_comma(c) {
                size.commas += 1.0;
            }
        }
        if size.text > 0.0 && blank {
            size.text -= 1.0;
        }
    }
    match tree.name(id) {
        "p" => size.paragraphs = 1.0,
        "li" => size.items = 1.0,
        "img" => size.images = 1.0,
        "input" => size.inputs = 1.0,
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => size.headings = 1.0,
        _ => {}
    }
    size
}

fn is_comma(c: char) -> bool {
    matches!(
        c,
        ',' | '\u{060C}' | '\u{FE50}' | '\u{FE10}' | '\u{FE11}' | '\u{2E41}' | '\u{2E34}' | '\u{2E32}' | '\u{FF0C}'
    )
}

fn has(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

fn stated(tree: &Tree, id: Id, name: &str) -> String {
    // Longer ones say nothing more.
    tree.attribute(id, name).unwrap_or_default().chars().take(500).collect::<String>().to_ascii_lowercase()
}

/// Whether class, id or role tell that this is not the main text.
pub fn unlikely(tree: &Tree, id: Id) -> bool {
    let name = tree.name(id);
    if matches!(name, "" | "html" | "body" | "a" | "article" | "main") {
        return false;
    }
    let text = format!("{} {}", stated(tree, id, "class"), stated(tree, id, "id"));
    let inside = || tree.above(id).any(|id| matches!(tree.name(id), "table" | "code"));
    (has(&text, UNLIKELY) && !has(&text, MAYBE) && !inside()) || ROLES.contains(&stated(tree, id, "role").as_str())
}

/// What class and id say: 25 more for each that sounds like the main text, 25 less for each that does not.
pub fn weight(tree: &Tree, id: Id) -> f64 {
    let part = |name: &str| {
        let text = stated(tree, id, name);
        let sum = if has(&text, GOOD) { 25.0 } else { 0.0 };
        if has(&text, BAD) { sum - 25.0 } else { sum }
    };
    part("class") + part("id")
}

/// What an element scores before its text does.
pub fn start(name: &str) -> f64 {
    match name {
        "div" => 5.0,
        "pre" | "td" | "blockquote" => 3.0,
        "address" | "ol" | "ul" | "dl" | "dd" | "dt" | "li" | "form" => -3.0,
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "th" => -5.0,
        _ => 0.0,
    }
}

/// What is never main text: not shown, controls, and what the document itself marks as beside the point.
pub fn beside(tree: &Tree, id: Id) -> bool {
    let name = tree.name(id);
    text::unseen(tree, id)
        || matches!(name, "nav" | "aside" | "button" | "select" | "input" | "textarea" | "label" | "link")
        || (matches!(name, "footer" | "header")
            && !tree.above(id).any(|id| matches!(tree.name(id), "article" | "main")))
}
