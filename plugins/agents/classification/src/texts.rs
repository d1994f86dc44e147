//! The texts of a task, apart from what it says of its labels.

use agent_common::request::{Item, PieceKind, Request};
use agent_common::{phrases, quotes};

use crate::labels::inline;
use crate::names::names;

/// Words above or before the texts.
const OPENINGS: &[&str] = &[
    "text",
    "texts",
    "mail",
    "e-mail",
    "email",
    "message",
    "messages",
    "ticket",
    "tickets",
    "review",
    "reviews",
    "item",
    "items",
    "now label",
    "now classify",
    "now",
    "new",
    "sentence",
    "input",
    "comment",
    "comments",
    "headline",
    "headlines",
    "to classify",
    "texts to label",
    "text to label",
    "question",
    "questions",
    "words",
    "list",
    "data",
    "here they are",
    "new text",
    "new message",
    "unlabelled",
    "unlabeled",
];

/// What is said of the labels, and the texts.
pub(crate) fn parts(task: &str, request: &Request) -> (String, Vec<Item>) {
    let listed = |kind: &PieceKind| !matches!(kind, PieceKind::Prose);
    let has_list = request.material.iter().any(|piece| listed(&piece.kind));
    let named = !names(&request.instruction).is_empty();
    let prose: Vec<&str> =
        request.material.iter().filter(|piece| !listed(&piece.kind)).map(|piece| piece.text.as_str()).collect();
    if has_list {
        let kept = Request {
            instruction: String::new(),
            material: request.material.iter().filter(|piece| listed(&piece.kind)).cloned().collect(),
        };
        let head = format!("{}\n{}", request.instruction, prose.join("\n"));
        let first = kept.material.first().map_or(0, |piece| piece.start);
        let before: String = task.chars().take(first).collect();
        return (if named || before.trim().is_empty() { head } else { before }, kept.items());
    }
    if named && !prose.is_empty() {
        return (request.instruction.clone(), short_list(request.items()));
    }
    // The labels stand in the first line, or in a paragraph of their own.
    let quoted: Vec<quotes::Quoted<'_>> =
        quotes::find(task).into_iter().filter(|quote| quote.text.split_whitespace().count() > 2).collect();
    let cut = opening(task)
        .or_else(|| quoted.first().map(|quote| quote.start))
        .or_else(|| task.find("\n\n").filter(|_| prose.len() > 1))
        .or_else(|| task.find(":\n").map(|at| at + 1))
        .or_else(|| task.find(": ").map(|at| at + 1));
    let Some((head, body)) = cut.and_then(|at| task.split_at_checked(at)) else {
        return (request.instruction.clone(), request.items());
    };
    if names(head).len() < 2 && phrases::described(head).len() < 2 && inline(head).len() < 2 && !head.contains("->") {
        return (format!("{}\n{}", request.instruction, prose.join("\n")), request.items());
    }
    let items = if quoted.is_empty() {
        Request::read(&format!("Classify each:\n\n{}", unlabelled(body))).items()
    } else {
        quotes::find(body).iter().map(|quote| Item { label: None, text: quote.text.to_owned(), start: 0 }).collect()
    };
    (head.to_owned(), short_list(items))
}

/// Where `Tickets:` or `Text: …` opens the texts.
fn opening(task: &str) -> Option<usize> {
    let mut at = 0;
    let mut found = None;
    for line in task.split_inclusive('\n') {
        let name = line.split(':').next().unwrap_or_default().trim().to_lowercase();
        if at > 0 && line.contains(':') && OPENINGS.contains(&name.as_str()) {
            found = Some(at);
        }
        at += line.len();
    }
    found
}

/// A text without the word that opens it.
pub(crate) fn unlabelled(body: &str) -> &str {
    let body = body.trim();
    let (name, rest) = body.split_once(':').unwrap_or(("", body));
    if OPENINGS.contains(&name.trim().to_lowercase().as_str()) { rest.trim() } else { body }
}

/// Lines at the end of which each has one number, as rows of their own.
pub(crate) fn lines_of_numbers(task: &str, request: &Request) -> Option<(String, Vec<Item>)> {
    let prose = request.material.iter().all(|piece| matches!(piece.kind, PieceKind::Prose | PieceKind::ListItem));
    let fits = |line: &&str| {
        let words = line.split_whitespace().count();
        (1..=6).contains(&words)
            && agent_common::quantity::scan(line).len() == 1
            && !line.trim_end().ends_with(['.', ':', '?'])
    };
    // A last paragraph that asks may stand below them.
    let (above, below) = match task.trim_end().rsplit_once("\n\n") {
        Some((above, below)) if below.lines().count() == 1 && !fits(&below) => (above.trim_end(), below),
        _ => (task.trim_end(), ""),
    };
    let mut lines: Vec<&str> = above.lines().rev().take_while(fits).collect();
    lines.reverse();
    let whole = lines.len() < 2 || !prose || request.material.is_empty();
    if whole {
        return None;
    }
    let count = above.lines().count() - lines.len();
    let head: Vec<&str> = above.lines().take(count).chain([below]).collect();
    let bare = |line: &str| line.trim().trim_start_matches(['-', '*', '•', ' ']).to_owned();
    let items = lines.iter().map(|line| Item { label: None, text: bare(line), start: 0 }).collect();
    Some((head.join("\n"), items))
}

/// `apple, carrot, banana` as three texts.
fn short_list(items: Vec<Item>) -> Vec<Item> {
    let [only] = items.as_slice() else { return items };
    let parts: Vec<&str> = only.text.trim_end_matches('.').split(',').map(str::trim).collect();
    if parts.len() < 3 || !parts.iter().all(|part| (1..=2).contains(&part.split_whitespace().count())) {
        return items;
    }
    parts
        .into_iter()
        .map(|part| Item { label: None, text: part.trim_start_matches("and ").to_owned(), start: only.start })
        .collect()
}
