//! The separate texts and the labelled values of material.

use serde_json::Value;

use crate::piece::{Item, Piece, PieceKind};
use crate::table::Table;

/// Names of members and columns that hold the text of a row.
const TEXT_NAMES: &[&str] = &[
    "text",
    "review",
    "comment",
    "message",
    "content",
    "body",
    "sentence",
    "feedback",
    "post",
    "tweet",
    "title",
    "headline",
    "description",
    "subject",
    "texto",
    "texte",
    "kommentar",
];

/// The separate texts to be judged.
pub(crate) fn read(material: &[Piece]) -> Vec<Item> {
    let listed: Vec<&Piece> =
        material.iter().filter(|piece| matches!(piece.kind, PieceKind::ListItem | PieceKind::Quoted)).collect();
    let item = |piece: &&Piece| Item { label: piece.label.clone(), text: piece.text.clone(), start: piece.start };
    if listed.len() > 1 && listed.len() * 2 > material.len() {
        return listed.iter().map(item).collect();
    }
    if let [only] = material {
        return of_one(only);
    }
    let labels: Vec<&String> = material.iter().filter_map(|piece| piece.label.as_ref()).collect();
    if labels.len() == material.len() && labels.len() > 1 {
        return merged(material);
    }
    if material.len() > 1
        && material
            .iter()
            .all(|piece| matches!(piece.kind, PieceKind::Email { .. } | PieceKind::Fenced { .. } | PieceKind::Json(_)))
    {
        return material.iter().map(|piece| item(&piece)).collect();
    }
    if let [data] = material
        .iter()
        .filter(|p| matches!(p.kind, PieceKind::Json(_) | PieceKind::Table(_)))
        .collect::<Vec<_>>()
        .as_slice()
    {
        return of_one(data);
    }
    let Some(first) = material.first() else { return Vec::new() };
    let text = material.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>().join("\n\n");
    vec![Item { label: None, text, start: first.start }]
}

/// Pieces below one title are one text.
fn merged(material: &[Piece]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for piece in material {
        match items.last_mut().filter(|last| last.label == piece.label) {
            Some(last) => {
                last.text.push_str("\n\n");
                last.text.push_str(&piece.text);
            }
            None => items.push(Item { label: piece.label.clone(), text: piece.text.clone(), start: piece.start }),
        }
    }
    items
}

fn of_one(piece: &Piece) -> Vec<Item> {
    let whole = || vec![Item { label: piece.label.clone(), text: piece.text.clone(), start: piece.start }];
    match &piece.kind {
        PieceKind::Json(value) => of_json(value, piece.start).unwrap_or_else(whole),
        PieceKind::Table(table) => of_table(table, piece.start),
        PieceKind::Prose => of_lines(piece).unwrap_or_else(whole),
        PieceKind::Fenced { language: None } | PieceKind::Quoted => of_lines(piece).unwrap_or_else(whole),
        _ => whole(),
    }
}

fn of_json(value: &Value, start: usize) -> Option<Vec<Item>> {
    let text = |value: &Value| -> Option<String> {
        match value {
            Value::String(text) => Some(text.clone()),
            Value::Object(row) => TEXT_NAMES.iter().find_map(|name| row.get(*name)?.as_str().map(str::to_owned)),
            _ => None,
        }
    };
    let label = |value: &Value| {
        ["id", "n", "name", "nr"]
            .iter()
            .find_map(|name| value.get(name).map(|id| id.to_string().trim_matches('"').to_owned()))
    };
    let list = |list: &Vec<Value>| -> Option<Vec<Item>> {
        let texts: Option<Vec<String>> = list.iter().map(text).collect();
        let items = texts?.into_iter().zip(list).map(|(text, value)| Item { label: label(value), text, start });
        Some(items.collect())
    };
    if let Some(values) = value.as_array() {
        return list(values).filter(|items| !items.is_empty());
    }
    let object = value.as_object()?;
    let named = ["items", "texts", "reviews", "comments", "messages", "data", "posts", "text", "inputs"];
    let known = named.iter().find_map(|name| object.get(*name)?.as_array().and_then(&list));
    let any = || {
        let mut arrays =
            object.iter().filter(|(name, _)| !matches!(name.as_str(), "labels" | "categories" | "classes" | "aspects"));
        arrays.find_map(|(_, value)| value.as_array().and_then(&list))
    };
    known.or_else(any).or_else(|| text(value).map(|text| vec![Item { label: None, text, start }]))
}

/// Each row is a text: its column of texts, or all of its cells.
fn of_table(table: &Table, start: usize) -> Vec<Item> {
    let wordy = |column: usize| table.cells(column).iter().map(|cell| cell.split_whitespace().count()).sum::<usize>();
    let named = TEXT_NAMES.iter().find_map(|name| table.column(name));
    let long = (0..table.columns.len())
        .max_by_key(|column| wordy(*column))
        .filter(|column| wordy(*column) > table.rows.len() * 3);
    let column = named.or(long);
    let item = |row: &Vec<String>| {
        let label = row.first().filter(|_| column != Some(0)).cloned();
        let text = column.and_then(|column| row.get(column)).cloned().unwrap_or_else(|| row.join(", "));
        Item { label, text, start }
    };
    table.rows.iter().map(item).collect()
}

/// Lines of which each is a text: all end as sentences do, or none does.
fn of_lines(piece: &Piece) -> Option<Vec<Item>> {
    let lines: Vec<&str> = piece.text.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.len() < 2 {
        return None;
    }
    let blank = piece.text.contains("\n\n");
    let ends = |line: &&&str| line.trim_end().ends_with(['.', '!', '?', '…', '"', '”', ')', '»']);
    let ended = lines.iter().filter(ends).count();
    let short = lines.iter().all(|line| line.split_whitespace().count() <= 40);
    let letter = lines.first().is_some_and(|line| line.trim_end().ends_with(','))
        || lines.iter().any(|line| crate::asking::closes(line));
    let wrapped = lines.iter().skip(1).any(|line| line.trim_start().starts_with(char::is_lowercase))
        && lines.iter().any(|line| line.len() > 60);
    if blank || !short || letter || wrapped || !(ended == lines.len() || ended * 4 <= lines.len()) {
        return None;
    }
    let mut at = 0;
    let mut items = Vec::new();
    for line in piece.text.split_inclusive('\n') {
        let indent = line.chars().take_while(|c| c.is_whitespace()).count();
        if !line.trim().is_empty() {
            let start = piece.start + at + indent;
            items.push(Item { label: None, text: line.trim().to_owned(), start });
        }
        at += line.chars().count();
    }
    Some(items)
}

/// The pairs `Label: value` of the material.
pub(crate) fn labelled(material: &[Piece]) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for piece in material {
        match &piece.kind {
            PieceKind::Email { headers, body } => {
                pairs.extend(headers.iter().cloned());
                pairs.extend(of_text(body));
            }
            PieceKind::Json(Value::Object(object)) => {
                let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                pairs.extend(object.iter().map(|(name, value)| (name.clone(), text(value))));
            }
            PieceKind::Table(_) | PieceKind::Code { .. } => {}
            _ => {
                if let Some(label) = piece.label.as_ref().filter(|_| piece.kind == PieceKind::Quoted) {
                    pairs.push((label.clone(), piece.text.clone()));
                } else {
                    pairs.extend(of_text(&piece.text));
                }
            }
        }
    }
    pairs
}

/// `Label: value` at the beginning of lines, behind sentences, semicolons and wide spaces; `label=value` too.
fn of_text(text: &str) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        let line = line.trim().trim_start_matches(['-', '*', '•', ' ']);
        let mut opens: Vec<(usize, usize)> = Vec::new();
        for (at, sign) in line.match_indices([':', '=']) {
            let before = line.get(..at).unwrap_or_default();
            let from = label_start(before);
            let label = before.get(from..).unwrap_or_default().trim();
            let after = line.get(at + 1..).unwrap_or_default();
            let spaced = sign == "=" || after.is_empty() || after.starts_with([' ', '\t']);
            let words = label.split_whitespace().count();
            let clean = label.chars().next().is_some_and(char::is_alphabetic) && !label.contains(['"', '(', ')', '.']);
            let own = from == 0 || label.starts_with(char::is_uppercase) || sign == "=";
            if spaced && clean && own && words <= 5 && opens.last().is_none_or(|(_, end)| *end <= from) {
                opens.push((from, at + 1));
            }
        }
        for (index, (from, end)) in opens.iter().enumerate() {
            let to = opens.get(index + 1).map_or(line.len(), |(next, _)| *next);
            let label = line.get(*from..end - 1).unwrap_or_default().trim().trim_matches('*');
            let value = line.get(*end..to).unwrap_or_default().trim().trim_end_matches([';', ',']).trim();
            let value = if index + 1 < opens.len() { value.strip_suffix('.').unwrap_or(value) } else { value };
            if !value.is_empty() {
                pairs.push((label.to_owned(), value.to_owned()));
            }
        }
    }
    pairs
}

/// Where the label at the end of `before` begins: behind a stop, a semicolon, a bar or wide space.
fn label_start(before: &str) -> usize {
    let cuts = [". ", "; ", "| ", "  ", "\t", ", "];
    cuts.iter().filter_map(|cut| before.trim_end().rfind(cut).map(|at| at + cut.len())).max().unwrap_or(0)
}
