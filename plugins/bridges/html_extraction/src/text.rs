//! Texts as a reader sees them: blanks collapsed, blocks apart, nothing that is never shown.
//!
//! Invariants: a text neither begins nor ends with a blank; it holds no control characters but line feeds.

use crate::tree::{Id, Tree};

/// Elements whose text is not shown as text of the page.
pub fn unseen(tree: &Tree, id: Id) -> bool {
    let name = tree.name(id);
    matches!(
        name,
        "head"
            | "script"
            | "style"
            | "noscript"
            | "template"
            | "iframe"
            | "object"
            | "embed"
            | "audio"
            | "video"
            | "canvas"
            | "datalist"
            | "dialog"
            | "noframes"
            | "noembed"
    ) || tree.element(id).is_some_and(|element| name.is_empty() && &*element.name.local == "svg")
        || hidden(tree, id)
}

/// Hidden by attributes. Style sheets are not read.
fn hidden(tree: &Tree, id: Id) -> bool {
    if tree.element(id).is_none() {
        return false;
    }
    let style = tree
        .attribute(id, "style")
        .map(|style| style.chars().filter(|c| !c.is_whitespace()).take(2_000).collect::<String>().to_ascii_lowercase());
    tree.attribute(id, "hidden").is_some()
        || style.is_some_and(|style| style.contains("display:none") || style.contains("visibility:hidden"))
        // Wikipedia shows formulas as pictures with this class, which are hidden from readers aloud.
        || (tree.attribute(id, "aria-hidden") == Some("true")
            && !tree.attribute(id, "class").is_some_and(|class| class.contains("fallback-image")))
}

/// Elements that begin a new line; with `true` there is a blank line before and after.
pub fn block(name: &str) -> Option<bool> {
    match name {
        "address" | "article" | "aside" | "blockquote" | "details" | "dl" | "fieldset" | "figure" | "footer"
        | "form" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "header" | "hr" | "main" | "nav" | "ol" | "p" | "pre"
        | "section" | "table" | "ul" => Some(true),
        "body" | "caption" | "center" | "dd" | "div" | "dt" | "figcaption" | "hgroup" | "html" | "legend" | "li"
        | "option" | "summary" | "tbody" | "tfoot" | "thead" | "tr" => Some(false),
        _ => None,
    }
}

/// Writes text with blanks collapsed.
#[derive(Debug, Default)]
struct Writer {
    out: String,
    lines: usize,
    blank: bool,
    most: usize,
}

impl Writer {
    fn line(&mut self, lines: usize) {
        self.lines = self.lines.max(lines);
        self.blank = false;
    }

    fn put(&mut self, c: char) {
        if self.out.len() >= self.most {
            return;
        }
        if !self.out.is_empty() {
            (0..self.lines).for_each(|_| self.out.push('\n'));
            if self.lines == 0 && self.blank {
                self.out.push(' ');
            }
        }
        (self.lines, self.blank) = (0, false);
        self.out.push(c);
    }

    fn text(&mut self, text: &str, exact: bool) {
        for c in text.chars() {
            match c {
                '\n' if exact => {
                    self.lines = self.lines.saturating_add(1).min(2);
                    self.blank = false;
                }
                ' ' if exact && self.lines == 0 && !self.out.is_empty() => self.put(' '),
                c if c.is_whitespace() => self.blank = true,
                c if c.is_control() => {}
                c => self.put(c),
            }
        }
    }

    fn mark(&mut self, mark: &str) {
        mark.chars().for_each(|c| self.put(c));
        self.blank = true;
    }
}

/// The text of `roots` and all below, but for what `skip` says. At most about `most` bytes.
pub fn render(tree: &Tree, roots: &[Id], most: usize, skip: &dyn Fn(Id) -> bool) -> String {
    let mut writer = Writer { most, ..Writer::default() };
    for root in roots {
        writer.line(2);
        let mut at = Some(*root);
        while let Some(id) = at {
            if writer.out.len() >= most {
                break;
            }
            let down = if skip(id) || unseen(tree, id) { None } else { enter(tree, id, *root, &mut writer) };
            at = down.or_else(|| up(tree, id, *root, &mut writer));
        }
        writer.line(2);
    }
    let length = writer.out.trim_end().len();
    writer.out.truncate(length);
    writer.out
}

/// Writes what stands before the children, and gives the first of them.
fn enter(tree: &Tree, id: Id, root: Id, writer: &mut Writer) -> Option<Id> {
    if let Some(text) = tree.text(id) {
        let exact = tree.above(id).take(4).any(|id| tree.name(id) == "pre");
        writer.text(text, exact);
        return None;
    }
    let name = tree.name(id);
    match name {
        "br" => writer.line(writer.lines.saturating_add(1).min(2)),
        "img" | "wbr" => {}
        "li" => {
            writer.line(1);
            if tree.node(id).is_some_and(|node| node.first.is_some()) {
                writer.mark("-");
            }
        }
        "td" | "th" => {
            // A cell that is asked for alone has nothing to stand apart from.
            if id != root && tree.node(id).and_then(|node| node.previous).is_some_and(|id| before(tree, id)) {
                writer.mark(" |");
            }
        }
        _ => space(name, writer),
    }
    tree.node(id)?.first
}

/// Whether a cell stands at this place or before it in its row.
fn before(tree: &Tree, id: Id) -> bool {
    let mut left = std::iter::successors(Some(id), |id| tree.node(*id)?.previous);
    left.any(|id| matches!(tree.name(id), "td" | "th"))
}

fn space(name: &str, writer: &mut Writer) {
    if let Some(apart) = block(name) {
        writer.line(if apart { 2 } else { 1 });
    }
}

/// The next node when one is done, with what stands behind every element that ends there.
fn up(tree: &Tree, id: Id, root: Id, writer: &mut Writer) -> Option<Id> {
    let mut at = id;
    loop {
        if !matches!(tree.name(at), "br" | "li") {
            space(tree.name(at), writer);
        } else if tree.name(at) == "li" {
            writer.line(1);
        }
        if at == root {
            return None;
        }
        let node = tree.node(at)?;
        if node.next.is_some() {
            return node.next;
        }
        at = node.parent?;
    }
}

/// The text on one line, at most `most` characters.
pub fn line(tree: &Tree, root: Id, most: usize, skip: &dyn Fn(Id) -> bool) -> String {
    short(&render(tree, &[root], most.saturating_mul(4).saturating_add(64), skip), most)
}

/// A stated text on one line, at most `most` characters.
pub fn short(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut blank = false;
    for c in text.chars().take(most.saturating_mul(8)) {
        if c.is_whitespace() {
            blank = !out.is_empty();
        } else if !c.is_control() {
            if blank {
                out.push(' ');
            }
            out.push(c);
            blank = false;
        }
    }
    match out.char_indices().nth(most) {
        Some((at, _)) => out.get(..at).unwrap_or_default().trim_end().to_owned(),
        None => out,
    }
}

/// The raw text of an element's own text nodes: that of `title` or `script`.
pub fn raw(tree: &Tree, id: Id) -> String {
    tree.children(id).filter_map(|child| tree.text(child)).collect()
}
