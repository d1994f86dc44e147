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
    let list = ["labels", "categories", "classes", "options"].iter().find_map(|name| value.get(*name)?.as_array())?;
    let labels = list.iter().filter_map(|one| {
        let name = one.as_str().or_else(|| one.get("name")?.as_str())?;
        Some(Label {
            name: name.to_owned(),
            description: one.get("description").and_then(|text| text.as_str()).map(str::to_owned),
            ..Label::default()
        })
    });
    Some(Task {
        head: request.instruction.clone(),
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
