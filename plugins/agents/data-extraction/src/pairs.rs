//! Labels and what stands behind them.

use agent_common::request::{PieceKind, Request};
use serde_json::{Map, Value};

use crate::html;

/// All pairs of a text: members, rows of two cells, labelled lines, classes of HTML.
pub(crate) fn pairs(request: &Request, text: &str, html_pairs: &[(String, String)]) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for piece in &request.material {
        let json = match &piece.kind {
            PieceKind::Json(value) => Some(value.clone()),
            PieceKind::Fenced { .. } => serde_json::from_str(&piece.text).ok(),
            _ => None,
        };
        if let Some(value) = json {
            members(&value, &mut all);
        }
        if let PieceKind::Email { headers, .. } = &piece.kind {
            all.extend(headers.iter().cloned());
        }
        if let PieceKind::Table(table) = &piece.kind {
            let named = (table.columns.len() == 2).then(|| table.columns.clone());
            for row in named.iter().filter(|_| !table.headless).chain(&table.rows) {
                if let (Some(first), Some(last)) = (row.first(), row.iter().rev().find(|cell| !cell.trim().is_empty()))
                    && row.len() > 1
                {
                    all.push((first.clone(), last.clone()));
                }
            }
        }
    }
    all.extend(request.labelled());
    if html::is_html(text) || !html_pairs.is_empty() {
        all.extend(html_pairs.iter().cloned());
    }
    let lines = text.lines().filter_map(|line| {
        let bare = line.trim().trim_start_matches(['-', '*', '•', '|', ' ']);
        if bare.starts_with(['#', ';']) || bare.starts_with("//") {
            return None;
        }
        let (label, value) = bare.split_once(':').or_else(|| bare.split_once('='))?;
        let fits = label.split_whitespace().count() <= 5 && !value.trim().is_empty() && !value.starts_with("//");
        fits.then(|| {
            (
                label.trim().trim_matches(['*', '"', '`', ' ']).to_owned(),
                value.trim().trim_matches(['*', ' ']).trim_end_matches(',').trim_matches('"').to_owned(),
            )
        })
    });
    all.extend(lines);
    // `VAT 20 %: 40.00` says the rate and the tax.
    let rates: Vec<(String, String)> =
        all.iter().filter(|(label, _)| label.contains('%')).map(|(label, _)| (label.clone(), label.clone())).collect();
    all.extend(rates);
    all.retain(|(label, value)| !label.trim_start().starts_with(['#', ';']) && !value.trim().is_empty());
    all
}

/// Members of JSON at any depth, each under every end of its path: `method`, `payment method`, `order payment method`.
pub(crate) fn paths(value: &Value, path: &mut Vec<String>, all: &mut Vec<(String, String)>) {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(yes) => yes.to_string(),
        Value::Array(list) => {
            let plain: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            if list.is_empty() || plain.len() < list.len() {
                list.iter().for_each(|one| paths(one, path, all));
                return;
            }
            plain.join(", ")
        }
        Value::Object(object) => {
            for (name, value) in object {
                path.push(name.clone());
                paths(value, path, all);
                path.pop();
            }
            return;
        }
        Value::Null => return,
    };
    for from in 0..path.len() {
        all.push((path.get(from..).unwrap_or_default().join(" "), text.clone()));
    }
}

/// Members of JSON at any depth; a path joins its names.
fn members(value: &Value, all: &mut Vec<(String, String)>) {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(yes) => Some(yes.to_string()),
        _ => None,
    };
    match value {
        Value::Object(object) => walk(object, "", all, &text),
        Value::Array(list) => list.iter().for_each(|one| members(one, all)),
        _ => {}
    }
}

fn walk(
    object: &Map<String, Value>,
    path: &str,
    all: &mut Vec<(String, String)>,
    text: &dyn Fn(&Value) -> Option<String>,
) {
    for (name, value) in object {
        let own = if path.is_empty() { name.clone() } else { format!("{path} {name}") };
        if let Some(text) = text(value) {
            all.push((name.clone(), text.clone()));
            if !path.is_empty() {
                all.push((own.clone(), text));
            }
        }
        match value {
            Value::Object(inner) => {
                if let Some(name) = inner.get("name").and_then(Value::as_str) {
                    all.push((own.clone(), name.to_owned()));
                }
                walk(inner, &own, all, text);
            }
            Value::Array(list) => {
                list.iter().filter_map(Value::as_object).for_each(|inner| walk(inner, &own, all, text))
            }
            _ => {}
        }
    }
}
