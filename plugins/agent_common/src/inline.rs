//! A request and its material in one paragraph: quotations, what stands behind a colon, sentences.

use crate::asking::{self, asks, strength};
use crate::blocks::{Block, Kind};
use crate::layout::{Part, Task, instructs, words};
use crate::{quotes, sentences};

/// One paragraph, of one line or several.
pub(crate) fn paragraph(task: &Task<'_>, start: usize, end: usize) -> Vec<Part> {
    let text = task.cut(start, end);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let [first, middle @ .., last] = lines.as_slice() else { return read(task, start, end) };
    let leads = first.trim_end().ends_with(':');
    let shouts = asking::greets(first);
    if shouts {
        return paragraph(task, start + first.len(), end);
    }
    if asking::closes(last) && !middle.is_empty() {
        return paragraph(task, start, end - last.len());
    }
    let asks_last = asks(last);
    let asks_first = asks(first) || (leads && !asks_last);
    let better_last = asks_last && strength(last) > strength(first) && !leads;
    if asks_first && (asking::wants_work(first) || !better_last) {
        // `Translate: text` on the first line already has material.
        let mut parts = read(task, start, start + first.len());
        let mut at = start + first.len();
        for line in middle {
            let more = strength(line) > 2 && asking::wants_work(line);
            if !(more || instructs(line)) {
                break;
            }
            parts.push(task.asking(at, at + line.len()));
            at += line.len();
        }
        let tail = strength(last) > 2 && !leads && asking::wants_work(last) && !middle.is_empty();
        let to = if tail { end - last.len() } else { end };
        if at < to {
            parts.push(Task::material(at, to));
        }
        if tail {
            parts.push(task.asking(to, end));
        }
        return parts;
    }
    if asks_last {
        let cut = end - last.len();
        return vec![Task::material(start, cut), task.asking(cut, end)];
    }
    read(task, start, end)
}

/// One line, or a paragraph whose lines tell nothing.
pub(crate) fn read(task: &Task<'_>, start: usize, end: usize) -> Vec<Part> {
    let text = task.cut(start, end);
    let several = quotes::find(text).iter().filter(|quoted| label_before(text, quoted.start).is_some()).count() > 1;
    let pairs = if several { quoted(task, start, text) } else { None };
    pairs
        .or_else(|| named(task, start, end))
        .or_else(|| quoted(task, start, text))
        .or_else(|| behind_colon(task, start, end))
        .unwrap_or_else(|| by_sentences(task, start, end))
}

/// Words before a colon that say that a text follows.
const NAMES: &[&str] = &[
    "text",
    "data",
    "values",
    "value",
    "numbers",
    "review",
    "comment",
    "message",
    "mail",
    "e-mail",
    "email",
    "feedback",
    "tweet",
    "post",
    "input",
    "series",
    "sentence",
    "here is the text",
    "here it is",
    "source text",
    "ms",
    "article",
    "list",
    "document",
    "content",
    "transcript",
    "statement",
    "texte",
    "texto",
    "daten",
    "werte",
];

/// `… for camera and speaker. Text: The camera is …`
fn named(task: &Task<'_>, start: usize, end: usize) -> Option<Vec<Part>> {
    let text = task.cut(start, end);
    let lower = text.to_lowercase();
    let cut = text.match_indices(':').map(|(at, _)| at).find(|at| {
        let before = lower.get(..*at).unwrap_or_default();
        let label = before.rsplit(['.', '!', '?', ';', '\n', '–', '—']).next().unwrap_or_default().trim();
        NAMES.contains(&label)
            && text.get(at + 1..).is_some_and(|rest| rest.starts_with([' ', '\n']) && !rest.trim().is_empty())
    })?;
    let label = text.get(..cut)?.rsplit(['.', '!', '?', ';', '\n', '–', '—']).next()?;
    let head = cut - label.len();
    let mut parts = Vec::new();
    if !text.get(..head)?.trim().is_empty() {
        parts.push(task.asking(start, start + head));
    }
    let rest = by_sentences(task, start + cut + 1, end);
    let only = rest.iter().all(|part| matches!(part, Part::Asks(..)));
    let rest = if only { vec![Task::material(start + cut + 1, end)] } else { rest };
    parts.extend(rest.into_iter().map(|part| match part {
        Part::Material(block, None) => inner_quote(task, block, Some(label.trim().to_owned())),
        other => other,
    }));
    Some(parts)
}

/// Prose that is one quotation as the quotation.
fn inner_quote(task: &Task<'_>, block: Block, label: Option<String>) -> Part {
    let text = task.cut(block.text.0, block.text.1);
    let found = quotes::find(text);
    if let [only] = found.as_slice()
        && only.start + (text.len() - only.end) < 6
        && text.get(..only.start).is_some_and(|t| t.trim().is_empty())
    {
        let mark = text.get(only.start..).and_then(|rest| rest.find(only.text)).unwrap_or(1);
        let from = block.text.0 + only.start + mark;
        return Part::Material(
            Block {
                kind: Kind::Quoted(None),
                start: block.start,
                end: block.end,
                text: (from, from + only.text.len()),
            },
            label,
        );
    }
    Part::Material(block, label)
}

/// `Claim: "…"`: the words before a quotation that name it, and where they begin.
fn label_before(text: &str, quote: usize) -> Option<(&str, usize)> {
    let before = text.get(..quote)?.trim_end();
    let label = before.strip_suffix([':', '=', '>'])?.trim_end_matches(['=', ':', ' ', '-']);
    let label = label.rsplit(['.', '!', '?', '\n', '"', '”', ',', ';']).next()?.trim();
    let fits = (1..=3).contains(&words(label)) && strength(label) < 2 && label.chars().any(char::is_alphabetic);
    let at = text.get(..quote)?.rfind(label)?;
    fits.then_some((label, at))
}

/// Quotations are the material where the words around them ask.
fn quoted(task: &Task<'_>, start: usize, text: &str) -> Option<Vec<Part>> {
    let found = quotes::find(text);
    let long = |quoted: &quotes::Quoted<'_>| words(quoted.text) > 1 || !quoted.text.is_ascii() || found.len() == 1;
    let kept: Vec<&quotes::Quoted<'_>> = found.iter().filter(|quoted| long(quoted)).collect();
    let (first, last) = (kept.first()?, kept.last()?);
    if text.get(first.start..)?.starts_with('`') {
        return None;
    }
    let mut outside = String::new();
    let mut at = 0;
    for quoted in &kept {
        outside.push_str(text.get(at..quoted.start)?);
        at = quoted.end;
    }
    outside.push_str(text.get(at..)?);
    let most = kept.iter().map(|quoted| words(quoted.text)).max().unwrap_or(0);
    // `f("abc")` is code, not a text.
    let code = kept.iter().any(|quoted| text.get(..quoted.start).is_some_and(|before| before.ends_with(['(', '['])));
    if code || !asks(&outside) || (words(&outside) > 30 && most < 4) {
        return None;
    }
    let mut parts = Vec::new();
    let open = label_before(text, first.start).map_or(first.start, |(_, at)| at);
    let head = text.get(..open)?;
    if !head.trim().is_empty() {
        parts.push(task.asking(start, start + head.len()));
    }
    let mut from = first.start;
    for quoted in &kept {
        let label = label_before(text, quoted.start);
        let between = text.get(from..label.map_or(quoted.start, |(_, at)| at.max(from)))?;
        if from > first.start && asks(between) {
            parts.push(task.asking(start + from, start + quoted.start));
        }
        let label = label.map(|(label, _)| label.to_owned());
        let mark = text.get(quoted.start..)?.find(quoted.text)?;
        let place = (start + quoted.start + mark, start + quoted.start + mark + quoted.text.len());
        let block =
            Block { kind: Kind::Quoted(label), start: start + quoted.start, end: start + quoted.end, text: place };
        parts.push(Part::Material(block, None));
        from = quoted.end;
    }
    let tail = text.get(last.end..)?;
    let bare = tail.trim_matches(|c: char| c.is_whitespace() || ".,;!?)(".contains(c));
    if !bare.is_empty() {
        parts.push(task.asking(start + last.end, start + text.len()));
    }
    Some(parts)
}

/// `sentiment of this: …`, `yearly totals >> …`, `Good or bad? -> …`
fn behind_colon(task: &Task<'_>, start: usize, end: usize) -> Option<Vec<Part>> {
    const NOT: [&str; 13] = [
        "one of",
        "labels",
        "label",
        "categories",
        "classes",
        "options",
        "into",
        "items",
        "fields",
        "need",
        "intent",
        "mentions",
        "check",
    ];
    let text = task.cut(start, end);
    let signs = [": ", ":\n", "：", " : ", " -> ", " => ", " >> ", " → "];
    let mut cuts: Vec<(usize, usize)> =
        signs.iter().flat_map(|sign| text.match_indices(sign).map(|(at, sign)| (at, sign.len()))).collect();
    cuts.sort_unstable();
    let (at, len) = cuts.into_iter().find(|(at, _)| {
        let head = text.get(..*at).unwrap_or_default();
        let words_of = words(head);
        let last = head.rsplit(['.', '?', '!', '\n']).next().unwrap_or_default().trim().to_lowercase();
        let lists = NOT.iter().any(|word| last.ends_with(word) && last.len() - word.len() < 12 && words(&last) < 5);
        let asked = asks(&format!("{head}:")) || (words_of < 7 && strength(head) > 0);
        let code = head.ends_with(|c: char| c.is_ascii_digit()) && words_of < 2;
        asked && !lists && !code && words_of < 60
    })?;
    let body = start + at + len;
    if task.cut(body, end).trim().is_empty() {
        return None;
    }
    // `… in APA 7? Author: X. Title: Y.`: the last words before the colon belong to what follows.
    let head = text.get(..at)?;
    let last = head.rfind(['.', '?', '!']).map(|at| at + 1).filter(|at| {
        let (before, after) = (head.get(..*at).unwrap_or_default(), head.get(*at..).unwrap_or_default());
        asks(before) && strength(after) < 2 && (1..=3).contains(&words(after))
    });
    let (at, body) = last.map_or((at, body), |last| (last, start + last));
    let mut parts = vec![task.asking(start, start + at)];
    let rest = by_sentences(task, body, end);
    let only = rest.iter().all(|part| matches!(part, Part::Asks(..)));
    let rest = if only { vec![Task::material(body, end)] } else { rest };
    parts.extend(rest.into_iter().map(|part| match part {
        Part::Material(block, None) => inner_quote(task, block, None),
        other => other,
    }));
    Some(parts)
}

/// Sentences that ask before or behind those that tell.
fn by_sentences(task: &Task<'_>, start: usize, end: usize) -> Vec<Part> {
    let text = task.cut(start, end);
    let found = sentences::split(text);
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    for sentence in &found {
        let from = text.get(at..).and_then(|rest| rest.find(sentence.text)).map_or(at, |found| at + found);
        at = from + sentence.text.len();
        places.push((from, at));
    }
    let place = |at: usize| places.get(at).copied().unwrap_or((text.len(), text.len()));
    let cut = |at: usize| text.get(place(at).0..place(at).1).unwrap_or_default();
    let count = places.len();
    // `See file. One value is enough.`
    let lower = text.to_lowercase();
    if words(text) < 25
        && ["see file", "see attach", "attached", "see the file"].iter().any(|word| lower.contains(word))
    {
        return vec![task.asking(start, end)];
    }
    let lead = (0..count).take_while(|at| asks(cut(*at)) || asking::greets(cut(*at))).count();
    let mut tail = count;
    while tail > lead && (asks(cut(tail - 1)) || asking::closes(cut(tail - 1))) {
        tail -= 1;
    }
    if lead == count || (lead == tail) {
        return if asks(text) { vec![task.asking(start, end)] } else { vec![Task::material(start, end)] };
    }
    if lead == 0 && tail == count {
        return if asks(text) { vec![task.asking(start, end)] } else { vec![Task::material(start, end)] };
    }
    let middle = text.get(place(lead).0..place(tail - 1).1).unwrap_or_default();
    // Behind a question, what the asker says of himself is no material.
    let own =
        lead > 0 && asking::is_context(middle) && words(middle) < 30 && !middle.contains(|c: char| c.is_ascii_digit());
    let lower = middle.to_lowercase();
    let away = [
        "attach",
        "see file",
        "here is a csv",
        "folder",
        "inbox",
        "screenshot",
        "recording",
        "upload",
        "pasted",
        "look it up",
    ];
    let away = words(middle) < 20 && away.iter().any(|word| lower.contains(word));
    let own = own || away;
    let hint = middle.trim_start().starts_with('(') && words(middle) < 25;
    if own || hint {
        return vec![task.asking(start, end)];
    }
    let mut parts = Vec::new();
    if lead > 0 {
        parts.push(task.asking(start, start + place(lead - 1).1));
    }
    parts.push(Task::material(start + place(lead).0, start + place(tail - 1).1));
    if tail < count {
        parts.push(task.asking(start + place(tail).0, end));
    }
    parts
}
