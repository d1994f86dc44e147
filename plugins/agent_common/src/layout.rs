//! Which parts of a text ask and which are asked about.

use crate::asking::{self, asks, strength};
use crate::blocks::{Block, Kind};
use crate::inline;

/// A part of a task, in bytes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    Asks(usize, usize),
    /// A block and the title above it.
    Material(Block, Option<String>),
}

/// Words that a paragraph of an instruction has at most.
const ASKING_WORDS_MAX: usize = 70;
/// Words of a title at most.
const TITLE_WORDS_MAX: usize = 9;

pub(crate) struct Task<'t> {
    pub(crate) text: &'t str,
}

impl Task<'_> {
    pub(crate) fn of(&self, block: &Block) -> &str {
        self.cut(block.start, block.end)
    }

    pub(crate) fn cut(&self, start: usize, end: usize) -> &str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Prose as material, without the greetings and thanks around it if it stands at an edge.
    pub(crate) fn material(start: usize, end: usize) -> Part {
        Part::Material(Block { kind: Kind::Prose, start, end, text: (start, end) }, None)
    }

    /// The words that ask, without greeting and thanks.
    pub(crate) fn asking(&self, start: usize, end: usize) -> Part {
        let text = self.cut(start, end);
        let body = asking::without_greeting(text);
        let from = end - body.len();
        let mut to = end;
        // `… please. Many thanks, Edda`
        while let Some(cut) = self.cut(from, to).trim_end().trim_end_matches(['.', '!']).rfind(['.', '!', '?', '\n']) {
            let tail = self.cut(from + cut + 1, to);
            if tail.trim().is_empty() || !asking::closes(tail) {
                break;
            }
            to = from + cut + 1;
        }
        Part::Asks(from, to)
    }
}

pub(crate) fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Takes a text apart.
pub(crate) fn read(text: &str, blocks: &[Block]) -> Vec<Part> {
    let task = Task { text };
    let blocks = trimmed(&task, blocks);
    let is_prose = |block: &Block| matches!(block.kind, Kind::Prose | Kind::Rule);
    let mut parts = if blocks.iter().all(is_prose) { prose(&task, &blocks) } else { mixed(&task, &blocks) };
    if !parts.iter().any(|part| matches!(part, Part::Material(..))) {
        parts = parts.into_iter().flat_map(|part| hidden(&task, part)).collect();
    }
    // A last look: without any words that ask, a mail or a list may end with them.
    if !parts.iter().any(|part| matches!(part, Part::Asks(..))) {
        parts = tail_of_mail(&task, parts);
    }
    parts
}

/// The blocks without greetings before and thanks and names behind.
fn trimmed(task: &Task<'_>, blocks: &[Block]) -> Vec<Block> {
    let mut blocks = blocks.to_vec();
    let plain = |block: &Block| block.kind == Kind::Prose;
    while blocks.first().is_some_and(|block| plain(block) && asking::greets(task.of(block))) && blocks.len() > 1 {
        blocks.remove(0);
    }
    while let Some(last) = blocks.last() {
        let text = task.of(last);
        let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
        let closing =
            plain(last) && lines <= 3 && text.lines().next().is_some_and(asking::closes) && !text.contains('?');
        let whole = closing && (lines == 1 || words(text) < 10);
        if !(whole || last.kind == Kind::Rule) || blocks.len() < 2 {
            break;
        }
        blocks.pop();
    }
    blocks
}

/// A text with lists, tables, quotations or other structure.
fn mixed(task: &Task<'_>, blocks: &[Block]) -> Vec<Part> {
    let is_material = |block: &Block| !matches!(block.kind, Kind::Prose | Kind::Rule | Kind::Divider(_));
    let first = blocks.iter().position(|block| !matches!(block.kind, Kind::Prose | Kind::Rule)).unwrap_or(blocks.len());
    let divided = blocks.iter().any(|block| matches!(block.kind, Kind::Divider(_)));
    let ends =
        |block: &Block| block.kind == Kind::Prose && strength(task.of(block)) > 2 && asking::wants_work(task.of(block));
    let parted = blocks.len() - usize::from(blocks.last().is_some_and(ends));
    let last = if divided { parted } else { blocks.iter().rposition(is_material).map_or(first, |at| at + 1) };
    let front = blocks.get(..first).unwrap_or_default();
    let back = blocks.get(last.max(first)..).unwrap_or_default();
    let front_asks = front.iter().any(|block| asks(task.of(block)));
    let back_asks =
        back.iter().any(|block| block.kind == Kind::Prose && asks(last_line(task.of(block))) || asks(task.of(block)));
    let mut parts = before(task, front, blocks.get(first), front_asks, back_asks);
    let named = parts
        .iter()
        .rev()
        .find_map(|part| if let Part::Material(block, None) = part { Some(block.clone()) } else { None });
    let mut title: Option<String> = None;
    // A title right above the first block names it and is no material itself.
    if let Some(block) = named.filter(|block| is_title(task, block, blocks.get(first))) {
        title = crate::grid::title(task.of(&block));
        parts.retain(|part| !matches!(part, Part::Material(other, None) if *other == block));
    }
    let names = names_of_labels(task, front, blocks, first);
    let mut divided = false;
    for (at, block) in blocks.iter().enumerate().take(last.max(first)).skip(first) {
        match &block.kind {
            Kind::Divider(name) => (title, divided) = (Some(name.clone()), true),
            Kind::Rule => {}
            Kind::Item(_) if at < names => parts.push(Part::Asks(block.start, block.end)),
            Kind::Prose
                if !divided
                    && !front_asks
                    && !back_asks
                    && asks(task.of(block))
                    && words(task.of(block)) < ASKING_WORDS_MAX =>
            {
                parts.push(task.asking(block.start, block.end));
            }
            Kind::Prose if is_title(task, block, blocks.get(at + 1)) => title = crate::grid::title(task.of(block)),
            Kind::Labelled => labelled(task, block, title.clone(), &mut parts),
            Kind::Quoted(Some(label)) if asks(label) && strength(label) > 2 => {
                let cut = block.text.0;
                parts.push(task.asking(block.start, cut));
                parts.push(Part::Material(Block { kind: Kind::Quoted(None), ..block.clone() }, None));
            }
            _ => {
                parts.push(Part::Material(block.clone(), title.clone()));
                if !divided {
                    title = None;
                }
            }
        }
    }
    after(task, back, front_asks, title.filter(|_| divided), &mut parts);
    parts
}

/// Words that only say in what form the answer shall be.
fn form(text: &str) -> bool {
    words(text) < 9 && crate::answer_format::AnswerFormat::read(text).is_any()
}

/// Rows, not sentences.
fn data(block: Option<&Block>) -> bool {
    block.is_some_and(|block| matches!(block.kind, Kind::Table(_) | Kind::Json(_) | Kind::Code(_) | Kind::Fence(_)))
}

/// A long quotation within words that ask, where there is no other material.
fn hidden(task: &Task<'_>, part: Part) -> Vec<Part> {
    let Part::Asks(start, end) = part else { return vec![part] };
    let long = crate::quotes::find(task.cut(start, end)).iter().any(|quoted| words(quoted.text) > 3);
    if long { inline::read(task, start, end) } else { vec![part] }
}

fn last_line(text: &str) -> &str {
    text.trim_end().rsplit('\n').next().unwrap_or_default()
}

/// The paragraphs above the first block of another kind.
fn before(task: &Task<'_>, front: &[Block], next: Option<&Block>, front_asks: bool, back_asks: bool) -> Vec<Part> {
    let mut parts = Vec::new();
    for (at, block) in front.iter().filter(|block| block.kind != Kind::Rule).enumerate() {
        let text = task.of(block);
        let short = words(text) <= ASKING_WORDS_MAX;
        let asking = asks(text);
        let leads = text.trim_end().ends_with(':') && words(text) < 25;
        let first = text.lines().next().unwrap_or_default();
        let body = text.get(first.len()..).unwrap_or_default();
        let titles = is_title(task, block, next);
        let most = if data(next) { ASKING_WORDS_MAX } else { 30 };
        let lone = at == 0 && !front_asks && !back_asks && words(text) < most;
        let context = at == 0 && back_asks && asking::is_context(text) && short && !titles;
        let ours = asking::is_context(text) && words(text) < 40 && at + 1 < front.len();
        if asks(first) && words(body) > 25 && !asks(body) && front_asks {
            parts.push(task.asking(block.start, block.start + first.len()));
            parts.push(Task::material(block.start + first.len(), block.end));
        } else if asking && short && (at == 0 || strength(text) > 2 || leads) {
            parts.push(task.asking(block.start, block.end));
        } else if asking {
            parts.extend(inline::read(task, block.start, block.end));
        } else if (front_asks && ours) || (leads && (at == 0 || !titles) && !back_asks) || lone || context {
            parts.push(task.asking(block.start, block.end));
        } else {
            parts.push(Task::material(block.start, block.end));
        }
    }
    parts
}

/// The paragraphs below the last block of another kind.
fn after(task: &Task<'_>, back: &[Block], front_asks: bool, title: Option<String>, parts: &mut Vec<Part>) {
    let enough = if front_asks { 3 } else { 2 };
    for block in back.iter().filter(|block| block.kind == Kind::Prose) {
        let text = task.of(block);
        let line = last_line(text);
        let sure = strength(text) >= enough && (title.is_none() || strength(text) > 3);
        if !instructs(text) && text.contains(": \"") && asks(text) {
            parts.extend(inline::read(task, block.start, block.end));
        } else if instructs(text) || form(text) || (sure && words(text) <= ASKING_WORDS_MAX) {
            parts.push(task.asking(block.start, block.end));
        } else if strength(line) >= enough && line.len() < text.trim_end().len() {
            let cut = block.start + text.trim_end().len() - line.len();
            parts.push(Part::Material(
                Block { kind: Kind::Prose, start: block.start, end: cut, text: (block.start, cut) },
                title.clone(),
            ));
            parts.push(task.asking(cut, block.end));
        } else {
            parts.push(Part::Material(block.clone(), title.clone()));
        }
    }
}

/// A short line right above another block, which it names.
fn is_title(task: &Task<'_>, block: &Block, next: Option<&Block>) -> bool {
    let text = task.of(block).trim();
    let near = next.is_some_and(|next| !task.cut(block.end, next.start).contains("\n\n"));
    let ends = text.ends_with(['.', '?', '!']);
    // Above lists and prose a title is a line of the text itself.
    let named =
        next.is_some_and(|next| !matches!(next.kind, Kind::Item(_) | Kind::Prose | Kind::Labelled | Kind::Rule));
    near && named
        && block.kind == Kind::Prose
        && !text.contains('\n')
        && words(text) <= TITLE_WORDS_MAX
        && !ends
        && strength(text) < 3
}

/// Up to which block a list says what to look for: labels, fields, points to check.
fn names_of_labels(task: &Task<'_>, front: &[Block], blocks: &[Block], first: usize) -> usize {
    const WORDS: [&str; 14] = [
        "label", "categor", "class", "one of", "into", "option", "fields", "items", "extract", "contain", "include",
        "mention", "rules", "points",
    ];
    let lead = front.last().map(|block| last_line(task.of(block)).to_lowercase()).unwrap_or_default();
    let lists = lead.ends_with(':')
        && !lead.contains("these")
        && !lead.contains("this ")
        && WORDS.iter().any(|word| lead.contains(word));
    let is_item = |block: &Block| matches!(block.kind, Kind::Item(_));
    let end = blocks.iter().skip(first).position(|block| !is_item(block)).map_or(blocks.len(), |at| first + at);
    let more = blocks.get(end..).unwrap_or_default();
    let text = more.iter().any(|block| {
        let asked = block.kind == Kind::Prose && asks(task.of(block));
        !(asked || matches!(block.kind, Kind::Rule | Kind::Divider(_)))
    });
    if lists && text && end > first { end } else { first }
}

/// Lines `Label: value`, of which some tell what to do: `Labels: a, b`, `Task: sum up`.
fn labelled(task: &Task<'_>, block: &Block, title: Option<String>, parts: &mut Vec<Part>) {
    let mut from = block.start;
    let mut at = block.start;
    let push = |from: usize, to: usize, parts: &mut Vec<Part>| {
        if !task.cut(from, to).trim().is_empty() {
            let kind = Kind::Labelled;
            parts.push(Part::Material(Block { kind, start: from, end: to, text: (from, to) }, title.clone()));
        }
    };
    for line in task.of(block).split_inclusive('\n') {
        if instructs(line) {
            push(from, at, parts);
            parts.push(task.asking(at, at + line.len()));
            from = at + line.len();
        }
        at += line.len();
    }
    push(from, block.end, parts);
}

/// A line whose label says that it tells what to do.
pub(crate) fn instructs(line: &str) -> bool {
    const LABELS: [&str; 20] = [
        "labels",
        "label",
        "categories",
        "classes",
        "items",
        "item",
        "need",
        "needed",
        "fields",
        "options",
        "format",
        "output",
        "task",
        "question",
        "instruction",
        "instructions",
        "answer",
        "target language",
        "choices",
        "possible labels",
    ];
    let Some((label, value)) = line.split_once(':') else { return false };
    let label = label.trim().trim_matches(['*', '-', ' ']).to_lowercase();
    LABELS.contains(&label.as_str()) && !value.trim().is_empty()
}

/// A mail that ends with a paragraph that asks about it.
fn tail_of_mail(task: &Task<'_>, parts: Vec<Part>) -> Vec<Part> {
    let mut made = Vec::new();
    for part in parts {
        let Part::Material(block, title) = part else {
            made.push(part);
            continue;
        };
        let body = task.cut(block.text.0, block.text.1);
        let cut = body.trim_end().rfind("\n\n").map(|at| at + 2).filter(|_| matches!(block.kind, Kind::Email(_)));
        let tail = cut.and_then(|cut| body.get(cut..)).unwrap_or_default();
        let asked = asks(tail) && tail.trim_end().ends_with(['.', '?', ':']) && words(tail) < 40;
        match cut.filter(|_| asked).map(|cut| block.text.0 + cut) {
            Some(cut) => {
                let whole = Block { end: cut, text: (block.text.0, cut), ..block.clone() };
                made.push(Part::Material(whole, title));
                made.push(task.asking(cut, block.text.1));
            }
            None => made.push(Part::Material(block, title)),
        }
    }
    made
}

/// A text of paragraphs only.
fn prose(task: &Task<'_>, blocks: &[Block]) -> Vec<Part> {
    let paragraphs: Vec<&Block> = blocks.iter().filter(|block| block.kind == Kind::Prose).collect();
    let ([first, .., last], rest) = (paragraphs.as_slice(), paragraphs.get(1..).unwrap_or_default()) else {
        return paragraphs.first().map(|block| inline::paragraph(task, block.start, block.end)).unwrap_or_default();
    };
    let text = task.of(first);
    let mut parts = Vec::new();
    let leads = text.trim_end().ends_with(':');
    let context = asking::is_context(text) && words(text) < 40 && rest.first().is_some_and(|next| asks(task.of(next)));
    if !(asks(text) || leads || context) || words(text) > ASKING_WORDS_MAX {
        if asks(task.of(last)) && words(task.of(last)) <= ASKING_WORDS_MAX {
            let others = paragraphs.iter().take(paragraphs.len() - 1);
            parts.extend(others.map(|block| Task::material(block.start, block.end)));
            parts.push(task.asking(last.start, last.end));
            return parts;
        }
        if !asks(text) {
            return paragraphs.iter().map(|block| Task::material(block.start, block.end)).collect();
        }
        parts.extend(inline::paragraph(task, first.start, first.end));
    } else {
        let line = text.lines().next().unwrap_or_default();
        let body = text.get(line.len()..).unwrap_or_default();
        if (asks(line) || line.trim_end().ends_with(':')) && words(body) > 25 && !asks(body) {
            parts.extend(inline::paragraph(task, first.start, first.end));
        } else {
            parts.push(task.asking(first.start, first.end));
        }
    }
    for (at, block) in rest.iter().enumerate() {
        let text = task.of(block);
        let sure = strength(text) >= 3 && words(text) < 40;
        let edge = at + 1 == rest.len() && rest.len() > 1;
        let ours = at == 0 && rest.len() > 1 && context;
        let told = instructs(text);
        if edge && form(text) || (sure && edge && asking::wants_work(text)) || ours || told {
            parts.push(task.asking(block.start, block.end));
        } else {
            parts.push(Task::material(block.start, block.end));
        }
    }
    parts
}
