//! A single result: what it is, its value, and the rows behind it.

use agent_common::exact::Exact;
use agent_common::sheet::Sheet;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Number, Value};

use crate::query::{Ask, Op, Query};

/// Numbers of rows that an answer names at most.
const BASIS_MAX: usize = 200;

/// A single result.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Figure {
    /// What it is: `sum of amount`, `count of orders where status = paid`.
    pub what: String,
    /// Its value: a number, or the name that was asked for; null where no row has one.
    pub value: Value,
    /// The rows of the table that it is based on, from 1, at most 200 of them.
    pub rows: Vec<usize>,
}

/// A number of a result, to six decimals.
pub fn number(value: Option<Exact>) -> Value {
    value
        .and_then(|value| {
            let rounded = value.rounded(6);
            if rounded.is_whole() {
                rounded.text().parse::<i64>().ok().map(Value::from)
            } else {
                Number::from_f64(rounded.number()).map(Value::Number)
            }
        })
        .unwrap_or(Value::Null)
}

/// The rows that a result names, from 1.
pub fn basis(rows: &[usize]) -> Vec<usize> {
    rows.iter().take(BASIS_MAX).map(|row| row + 1).collect()
}

/// The name of a figure with its conditions.
pub fn what(sheet: &Sheet, query: &Query, ask: &Ask) -> String {
    let conditions: Vec<String> = query.filters.iter().chain(&ask.filters).map(|filter| filter.text(sheet)).collect();
    let unit = if ask.percent || ask.op == Op::Share { " in percent" } else { "" };
    if conditions.is_empty() {
        format!("{}{unit}", ask.name)
    } else {
        format!("{}{unit} where {}", ask.name, conditions.join(" and "))
    }
}

/// A value in a sentence or a cell.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
