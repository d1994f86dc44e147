//! Labels and texts of a task in words.

use agent_common::request::{Item, PieceKind, Request};

use crate::examples::examples;
use crate::label::Label;
use crate::labels::labels;
use crate::number_rules::NumberRules;
use crate::texts::{lines_of_numbers, parts};

/// A task, taken apart.
#[derive(Debug, Default)]
pub struct Task {
    /// What it says of the labels, as written.
    pub head: String,
    /// The labels, with what is said of them.
    pub labels: Vec<Label>,
    /// The texts.
    pub items: Vec<Item>,
    /// Numbers of the texts, where they come from a table.
    pub values: Vec<Option<f64>>,
}

/// Takes a task apart.
#[must_use]
pub fn read(task: &str) -> Task {
    let (task, described) = apart_from_labels(task);
    let mut found = plainly(&task);
    for (name, said) in described {
        match found.labels.iter_mut().find(|label| label.name.eq_ignore_ascii_case(&name)) {
            Some(label) => label.description = Some(said),
            None => found.labels.push(Label { name, description: Some(said), ..Label::default() }),
        }
    }
    found
}

/// The task without the lines that say what its labels mean, and what they say: `- P1: the whole company is affected`
/// beside `assign P1, P2 or P3`.
fn apart_from_labels(task: &str) -> (String, Vec<(String, String)>) {
    let line = |line: &str| -> Option<(String, String)> {
        let bare = line.trim().trim_start_matches(['-', '*', '•', '#', ' ']);
        let (name, said) = [": ", " = ", " – ", " - ", " means "]
            .iter()
            .filter_map(|cut| bare.split_once(cut))
            .min_by_key(|(name, _)| name.len())?;
        let name = name.trim_matches(['"', '“', '”', '`', '*']);
        let fits = (1..=2).contains(&name.split_whitespace().count())
            && said.split_whitespace().count() > 1
            && name.len() < 20;
        let header = ["from", "to", "sent", "date", "subject", "cc", "re", "von", "an", "betreff", "note", "example"];
        (fits && !header.contains(&name.to_lowercase().as_str())).then(|| (name.to_owned(), said.trim().to_owned()))
    };
    let described: Vec<(String, String)> = task.lines().filter_map(line).collect();
    let all = |other: &str| {
        let lower = other.to_lowercase();
        described.iter().filter(|(name, _)| crate::rule_words::word_at(&lower, &name.to_lowercase()).is_some()).count()
    };
    let mut names: Vec<&String> = described.iter().map(|(name, _)| name).collect();
    names.dedup();
    let offered = task.lines().filter(|other| line(other).is_none()).any(|other| all(other) == described.len());
    if described.len() < 2 || names.len() != described.len() || !offered {
        return (task.to_owned(), Vec::new());
    }
    let rest: Vec<&str> = task.lines().filter(|other| line(other).is_none()).collect();
    (rest.join("\n"), described)
}

fn plainly(task: &str) -> Task {
    let request = Request::read(task);
    if let Some(found) = of_json(&request) {
        return found;
    }
    let (head, items) = parts(task, &request);
    let items_count = items.len();
    let (head, items) = match lines_of_numbers(task, &request) {
        Some((head, items)) if items.len() >= items_count => (head, items),
        _ => (head, items),
    };
    let numeric = NumberRules::read_alone(&head).is_some();
    let mut labels = if numeric { Vec::new() } else { labels(&head, &request.instruction) };
    let (examples, items) = examples(&head, items, &labels);
    for (text, name) in examples {
        match labels.iter_mut().find(|label| label.name.eq_ignore_ascii_case(&name)) {
            Some(label) => label.examples.push(text),
            None => labels.push(Label { name, examples: vec![text], ..Label::default() }),
        }
    }
    let values = values(&request, items.len());
    Task { head, labels, items, values }
}

fn of_json(request: &Request) -> Option<Task> {
    let value = request
        .material
        .iter()
        .find_map(|piece| if let PieceKind::Json(value) = &piece.kind { Some(value) } else { None })?;
    let said = ["task", "question", "instruction", "instructions", "prompt", "request", "ask", "say"]
        .iter()
        .find_map(|name| value.get(*name)?.as_str())
        .unwrap_or_default();
    let offered = ["labels", "categories", "classes", "options", "choices", "tags"];
    let named: Vec<serde_json::Value> = crate::names::names(said).into_iter().map(serde_json::Value::from).collect();
    let list = offered.iter().find_map(|name| value.get(*name)?.as_array()).or((named.len() > 1).then_some(&named))?;
    let labels = list.iter().filter_map(|one| {
        let name = one.as_str().or_else(|| one.get("name")?.as_str())?;
        Some(Label {
            name: name.to_owned(),
            description: one.get("description").and_then(|text| text.as_str()).map(str::to_owned),
            ..Label::default()
        })
    });
    Some(Task {
        head: format!("{}\n{said}", request.instruction),
        labels: labels.collect(),
        items: request.items(),
        values: Vec::new(),
    })
}

/// The numbers of the rows, where the texts are rows of a table with one column of numbers.
fn values(request: &Request, count: usize) -> Vec<Option<f64>> {
    let tables = request.tables();
    let [table] = tables.as_slice() else { return Vec::new() };
    let columns: Vec<Vec<f64>> = (0..table.columns.len())
        .filter_map(|column| table.numbers(column))
        .filter(|numbers| numbers.len() == table.rows.len())
        .collect();
    match columns.as_slice() {
        [only] if only.len() == count => only.iter().copied().map(Some).collect(),
        [.., last] if last.len() == count => last.iter().copied().map(Some).collect(),
        _ => Vec::new(),
    }
}
