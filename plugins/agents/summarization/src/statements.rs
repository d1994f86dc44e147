//! The statements of the material: sentences and lines, with what they are worth.

use agent_common::request::{Piece, PieceKind, Request};

use crate::noise;

/// A sentence or a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// As it stands, without the mark of a list.
    pub text: String,
    /// Which unit it belongs to: a document, an item, a labelled line, a paragraph.
    pub unit: usize,
    /// Which document.
    pub document: usize,
    /// Place of its first character in the task.
    pub start: usize,
    /// The label before it: `Decision`, `Bill (logistics)`.
    pub label: String,
    /// It is the first of its unit.
    pub leads: bool,
}

/// The material as statements.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Material {
    /// In order.
    pub statements: Vec<Statement>,
    /// How many units they are of.
    pub units: usize,
    /// Units are items or labelled lines, not paragraphs.
    pub listed: bool,
    /// Titles of the documents.
    pub documents: Vec<String>,
    /// A table stands in it.
    pub table: bool,
    /// Code stands in it.
    pub code: bool,
    /// People talk: `Mira: …` lines.
    pub talk: bool,
    /// The statements of a thread are those of its newest mail.
    pub thread: bool,
    /// A line tells the reader what to do with the task.
    pub injected: bool,
}

/// Reads the material of a request.
pub fn read(request: &Request) -> Material {
    let mut material = Material::default();
    let mails: Vec<&Piece> =
        request.material.iter().filter(|piece| matches!(piece.kind, PieceKind::Email { .. })).collect();
    let newest = newest(&mails);
    let titles: Vec<&String> = request
        .material
        .iter()
        .filter(|piece| !matches!(piece.kind, PieceKind::ListItem))
        .filter_map(|piece| piece.label.as_ref())
        .collect();
    let titled = !titles.is_empty() && titles.len() == request.material.len();
    let mut last: Option<String> = None;
    for (at, piece) in request.material.iter().enumerate() {
        match piece.kind {
            PieceKind::Table(_) | PieceKind::Json(_) => material.table = true,
            PieceKind::Code { .. } => material.code = true,
            _ => {}
        }
        if mails.len() > 1 && newest.is_some_and(|start| piece.start != start) {
            material.thread = true;
            continue;
        }
        let title = piece.label.clone().filter(|_| titled);
        if title.is_none() || title != last || material.documents.is_empty() {
            if titled || material.documents.is_empty() {
                material.documents.push(title.clone().unwrap_or_else(|| "document 1".into()));
            }
            last = title;
        }
        let body = match &piece.kind {
            PieceKind::Email { body, .. } => body.as_str(),
            _ => piece.text.as_str(),
        };
        let item = matches!(piece.kind, PieceKind::ListItem)
            || (matches!(piece.kind, PieceKind::Quoted) && request.material.len() > 1);
        let label = if item {
            piece
                .label
                .clone()
                .filter(|label| label.chars().any(char::is_alphabetic) && label.len() > 1)
                .unwrap_or_default()
        } else {
            String::new()
        };
        add(&mut material, body, piece.start, item || titled, &label, at > 0 && titled);
        if item {
            material.listed = true;
        }
    }
    let talkers = material.statements.iter().filter(|one| one.leads && speaker(&one.label)).count();
    material.talk = talkers > 3 && material.statements.iter().any(|one| one.text.ends_with('?'));
    material
}

fn speaker(label: &str) -> bool {
    let words = label.split_whitespace().count();
    (1..=3).contains(&words)
        && label.split_whitespace().all(|word| word.starts_with(|c: char| c.is_uppercase() || c == '[' || c == '('))
}

/// The mail with the latest date; the first or the last where dates do not tell.
fn newest(mails: &[&Piece]) -> Option<usize> {
    let date = |piece: &&&Piece| {
        let PieceKind::Email { headers, .. } = &piece.kind else { return None };
        let written = headers
            .iter()
            .find(|(name, _)| ["date", "sent", "datum", "gesendet"].contains(&name.to_lowercase().as_str()))?;
        let day = agent_common::dates::scan(&written.1, None).first()?.date.days();
        let minutes = written
            .1
            .split_whitespace()
            .filter_map(|word| word.split_once(':'))
            .find_map(|(h, m)| Some(h.parse::<i64>().ok()? * 60 + m.get(..2)?.parse::<i64>().ok()?));
        Some(day * 1440 + minutes.unwrap_or(0))
    };
    mails.iter().filter_map(|piece| Some((date(&piece)?, piece.start))).max().map(|(_, start)| start)
}

/// The paragraphs of a text as units, lines with labels as units of their own.
fn add(material: &mut Material, body: &str, start: usize, whole: bool, label: &str, _titled: bool) {
    let kept = noise::kept(body);
    material.injected |= kept.injected;
    let mut unit_open = false;
    let document = material.documents.len().saturating_sub(1);
    for line in &kept.lines {
        let text = line.text.trim();
        if text.is_empty() {
            unit_open = unit_open && whole;
            continue;
        }
        let (own, rest) = labelled(text);
        let labels = !own.is_empty();
        material.listed |= labels && !whole;
        let fresh = !unit_open || (labels && !whole) || (line.marked && !whole);
        if fresh {
            material.units += 1;
            unit_open = true;
        }
        let mut first = fresh;
        let at = start + line.start;
        for (place, sentence) in sentences(rest) {
            let statement = Statement {
                text: sentence.to_owned(),
                unit: material.units.saturating_sub(1),
                document,
                start: at + (text.chars().count() - rest.chars().count()) + place,
                label: if labels { own.to_owned() } else { label.to_owned() },
                leads: first,
            };
            material.statements.push(statement);
            first = false;
        }
    }
}

/// `Bill (logistics): …`, `Open question: …`: the label and the rest.
pub fn labelled(line: &str) -> (&str, &str) {
    let Some((label, rest)) = line.split_once(": ") else { return ("", line) };
    let bare = label.trim();
    let words = bare.split_whitespace().count();
    let fits = (1..=4).contains(&words)
        && bare.chars().next().is_some_and(|c| c.is_uppercase() || c == '[')
        && !bare.contains(['.', '"', ',', '?', '!'])
        && !rest.trim().is_empty();
    let clock =
        bare.chars().last().is_some_and(|c| c.is_ascii_digit()) && rest.starts_with(|c: char| c.is_ascii_digit());
    if fits && !clock { (bare, rest.trim()) } else { ("", line) }
}

const SHORT: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "st", "no", "nr", "p", "a.m", "p.m", "e.g", "i.e", "approx", "max", "min", "ca",
    "bzw", "z.b", "vs", "inc", "ltd", "co", "jan", "feb", "mar", "apr", "aug", "sept", "sep", "oct", "nov", "dec",
    "fig", "dept", "tel", "sr", "jr", "etc", "m", "mme", "sra", "av",
];

/// The sentences of a line with their places in characters.
pub fn sentences(line: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, c) in line.char_indices() {
        let rest = line.get(at + c.len_utf8()..).unwrap_or_default();
        let tail = rest.trim_start_matches(['"', '”', '’', ')', '»', '\'']);
        if !matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '…')
            || !(tail.is_empty() || tail.starts_with(char::is_whitespace) || matches!(c, '。' | '！' | '？'))
        {
            continue;
        }
        let word = line
            .get(from..at)
            .unwrap_or_default()
            .rsplit(|c: char| c.is_whitespace() || c == '(')
            .next()
            .unwrap_or_default();
        let next = tail.trim_start().chars().next();
        let number = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
        let month = number
            && word.len() <= 2
            && tail
                .split_whitespace()
                .next()
                .is_some_and(|next| agent_common::dates::month(next.trim_matches(['.', ','])).is_some());
        let abbreviated = c == '.'
            && (SHORT.contains(&word.to_lowercase().as_str())
                || (word.chars().count() == 1 && word.chars().all(char::is_uppercase)));
        if month || (abbreviated && next.is_some()) || next.is_some_and(char::is_lowercase) {
            continue;
        }
        let end = line.len() - tail.len();
        push(&mut found, line, from, end);
        from = end;
    }
    push(&mut found, line, from, line.len());
    found
}

fn push<'t>(found: &mut Vec<(usize, &'t str)>, line: &'t str, from: usize, end: usize) {
    let piece = line.get(from..end).unwrap_or_default();
    let body = piece.trim();
    if body.chars().any(char::is_alphanumeric) {
        let start = line.get(..from).unwrap_or_default().chars().count()
            + piece.chars().take_while(|c| c.is_whitespace()).count();
        found.push((start, body));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_of_texts() {
        // Task, texts of the statements, units.
        let cases = [
            ("Summarise:\n\nA is b. C is d.\n\nE is f.", "A is b.|C is d.|E is f.", 2),
            ("Summarise the notes:\n- Budget: fixed.\n- We meet on 3. May.\n", "fixed.|We meet on 3. May.", 2),
            (
                "Sum up.\n\nAda (sales): One is done. Two is not.\nBen (legal): All is fine.",
                "One is done.|Two is not.|All is fine.",
                2,
            ),
            (
                "One bullet each:\n\n--- a.txt ---\nOne two. Three.\n--- b.txt ---\nFour five.",
                "One two.|Three.|Four five.",
                2,
            ),
        ];
        for (task, texts, units) in cases {
            let material = read(&Request::read(task));
            let told: Vec<&str> = material.statements.iter().map(|one| one.text.as_str()).collect();
            assert_eq!((told.join("|").as_str(), material.units), (texts, units), "{task}");
        }
    }
}
