//! The labels of a task, with what it says of each.

use agent_common::phrases;

use crate::label::Label;
use crate::names::names;

/// Words before a colon that are no label.
const HEADINGS: &[&str] = &[
    "categories",
    "labels",
    "classes",
    "options",
    "category",
    "label",
    "tickets",
    "examples",
    "text",
    "note",
    "rule",
    "our rule",
    "rules",
];

/// Words before a sign that are no label.
const GENERIC: &[&str] = &[
    "assign",
    "text",
    "classify",
    "labels",
    "categories",
    "items",
    "sort",
    "answer",
    "task",
    "texts",
    "label",
    "examples",
    "mail",
    "message",
    "now",
    "note",
    "data",
    "new",
];

/// The labels of a task: described ones, else names.
pub(crate) fn labels(head: &str, instruction: &str) -> Vec<Label> {
    let with = |all: Vec<(String, String)>| -> Vec<Label> {
        all.into_iter()
            .map(|(name, said)| Label {
                name,
                description: Some(said).filter(|said| !said.is_empty()),
                ..Label::default()
            })
            .collect()
    };
    if !head.contains("->") && !head.contains('→') && !head.contains("=>") {
        let lines: Vec<(String, String)> = phrases::described(head)
            .into_iter()
            .filter(|(name, said)| {
                !HEADINGS.contains(&name.to_lowercase().as_str()) && !said.is_empty() && !name.contains(['.', '?'])
            })
            .map(|(name, said)| (name, said.join(", ")))
            .collect();
        if lines.len() > 1 && lines.iter().all(|(name, _)| name.split_whitespace().count() <= 3) {
            return with(lines);
        }
        for found in [inline(head), bracketed(head)] {
            if found.len() > 1 {
                return with(found);
            }
        }
    }
    let mut all = names(instruction);
    if all.len() < 2 {
        all = names(head);
    }
    with(all.into_iter().map(|name| (name, String::new())).collect())
}

/// `A = question about price, B = problem with login` and `A: mentions a city. B: mentions an animal.`
pub(crate) fn inline(text: &str) -> Vec<(String, String)> {
    let sign = if text.matches(" = ").count() > 1 {
        " = "
    } else if text.matches(": ").count() > 1 {
        ": "
    } else {
        return Vec::new();
    };
    let mut found: Vec<(String, String)> = Vec::new();
    let pieces: Vec<&str> = text.split(sign).collect();
    for pair in pieces.windows(2) {
        let [before, after] = pair else { continue };
        let name = before.rsplit([',', '.', ';', '\n', ':']).next().unwrap_or_default().trim();
        let end = if found.len() + 2 < pieces.len() {
            after.rfind([',', '.', ';', '\n']).unwrap_or(after.len())
        } else {
            after.len()
        };
        let said = after.get(..end).unwrap_or(after).trim().trim_end_matches(['.', ',']);
        if !name.is_empty() && name.split_whitespace().count() <= 3 {
            found.push((name.to_owned(), said.to_owned()));
        }
    }
    let numeric = found.iter().any(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_digit())
            || (name.contains(' ') && name.contains(|c: char| c.is_ascii_digit()))
    });
    let heading = found.iter().any(|(name, _)| {
        let lower = name.to_lowercase();
        GENERIC.contains(&lower.as_str())
            || ["groups", "labels", "categories", "classes", "options"].iter().any(|end| lower.ends_with(end))
    });
    if heading || numeric || found.len() + 1 < pieces.len() { Vec::new() } else { found }
}

/// `HR (holidays, sick leave), IT (laptops, passwords)`.
fn bracketed(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (before, rest) in text.match_indices('(').filter_map(|(at, _)| Some((text.get(..at)?, text.get(at + 1..)?))) {
        let name = before.rsplit([',', ':', ';', '\n', ')', '.']).next().unwrap_or_default().trim();
        let name = name.strip_prefix("and ").or_else(|| name.strip_prefix("or ")).unwrap_or(name);
        let Some((said, _)) = rest.split_once(')') else { continue };
        if !name.is_empty() && name.split_whitespace().count() <= 2 && said.split_whitespace().count() > 1 {
            found.push((name.to_owned(), said.to_owned()));
        }
    }
    found
}
