//! Results of queries.

use std::collections::BTreeMap;

use agent_common::exact::Exact;
use agent_common::table::Table;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Number, Value, json};

use crate::compute::{self, GroupFigures};
use crate::query::{Ask, Key, Measure, Op, Query};
use crate::sheet::Sheet;

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

/// A group's results.
#[derive(Debug, Clone)]
pub struct GroupResult {
    pub of: BTreeMap<String, String>,
    pub rows: usize,
    pub values: BTreeMap<String, Value>,
}

/// What a query gives.
#[derive(Debug, Default)]
pub struct Reply {
    pub answers: Vec<Figure>,
    pub groups: Vec<GroupResult>,
    pub table: Table,
    pub summary: String,
}

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

fn basis(rows: &[usize]) -> Vec<usize> {
    rows.iter().take(BASIS_MAX).map(|row| row + 1).collect()
}

/// The name of a figure with its conditions.
fn what(sheet: &Sheet, query: &Query, ask: &Ask) -> String {
    let conditions: Vec<String> = query.filters.iter().chain(&ask.filters).map(|filter| filter.text(sheet)).collect();
    let unit = if ask.percent || ask.op == Op::Share { " in percent" } else { "" };
    if conditions.is_empty() {
        format!("{}{unit}", ask.name)
    } else {
        format!("{}{unit} where {}", ask.name, conditions.join(" and "))
    }
}

/// Answers a query; none where nothing is left to answer with.
pub fn make(sheet: &Sheet, query: &Query) -> Option<Reply> {
    let all: Vec<usize> = (0..sheet.table.rows.len()).collect();
    let mut query = query.clone();
    let share = query.asks.iter().any(|ask| ask.op == Op::Share);
    let rows: Vec<usize> =
        all.iter().copied().filter(|row| query.filters.iter().all(|filter| filter.holds(sheet, *row))).collect();
    if rows.is_empty() && !query.filters.is_empty() && !query.asks.iter().all(|ask| ask.op == Op::Count) {
        return None;
    }
    if query.listing {
        return Some(listing(sheet, &query, &rows));
    }
    if let Some(greatest) = query.which {
        return which(sheet, &query, &rows, greatest);
    }
    if query.top.is_some() && query.keys.is_empty() {
        return Some(listing(sheet, &with_sort(sheet, &query), &rows));
    }
    if query.keys.is_empty()
        && query.descending.is_some()
        && query.asks.iter().all(|ask| matches!(ask.op, Op::Max | Op::Min | Op::Sum))
        && sheet.is_unique(sheet.label())
        && query.asks.len() == 1
    {
        query.keys = vec![Key { column: sheet.label(), unit: None }];
    }
    if query.keys.is_empty() {
        // A share is of the rows without the conditions.
        let answers: Vec<Figure> = query
            .asks
            .iter()
            .map(|ask| {
                let whole = if share && ask.op == Op::Share { &all } else { &rows };
                let own: Vec<usize> = rows
                    .iter()
                    .copied()
                    .filter(|row| ask.filters.iter().all(|filter| filter.holds(sheet, *row)))
                    .collect();
                Figure {
                    what: what(sheet, &query, ask),
                    value: number(compute::figure(sheet, ask, &rows, whole)),
                    rows: basis(&own),
                }
            })
            .collect();
        let mut answers = answers;
        extremes(sheet, &query, &rows, &mut answers);
        if query.spread {
            let of = |op: Op| {
                query.asks.iter().find(|ask| ask.op == op).and_then(|ask| compute::figure(sheet, ask, &rows, &rows))
            };
            let apart = of(Op::Max).zip(of(Op::Min)).and_then(|(high, low)| high.minus(low));
            answers.insert(
                0,
                Figure {
                    what: "difference between the highest and the lowest".into(),
                    value: number(apart),
                    rows: basis(&rows),
                },
            );
        }
        let summary = sentence(&answers);
        let table = Table::new(
            vec!["what".into(), "value".into()],
            answers.iter().map(|one| vec![one.what.clone(), shown(&one.value)]).collect(),
        );
        return Some(Reply { answers, groups: Vec::new(), table, summary });
    }
    Some(grouped(sheet, &query, &rows))
}

/// Whose the highest and lowest are.
fn extremes(sheet: &Sheet, query: &Query, rows: &[usize], answers: &mut Vec<Figure>) {
    for ask in query.asks.iter().filter(|ask| matches!(ask.op, Op::Max | Op::Min)) {
        let Measure::Of(formula) = &ask.measure else { continue };
        let best = compute::figure(sheet, ask, rows, rows);
        let own: Vec<usize> =
            rows.iter().copied().filter(|row| best.is_some() && compute::value(sheet, formula, *row) == best).collect();
        if own.len() < 4 && sheet.table.columns.len() > 1 {
            let names: Vec<&str> = own.iter().map(|row| sheet.cell(*row, sheet.label())).collect();
            answers.push(Figure {
                what: format!("{} is that of", ask.name),
                value: json!(names.join(", ")),
                rows: basis(&own),
            });
        }
    }
}

fn with_sort(sheet: &Sheet, query: &Query) -> Query {
    let mut query = query.clone();
    if query.sort_by.is_none() {
        query.sort_by = query
            .asks
            .iter()
            .find_map(|ask| match &ask.measure {
                Measure::Of(formula) => formula.columns().first().copied(),
                Measure::Rows => None,
            })
            .or_else(|| sheet.measures().first().copied());
    }
    query
}

/// Rows that fit, sorted.
fn listing(sheet: &Sheet, query: &Query, rows: &[usize]) -> Reply {
    let mut rows = rows.to_vec();
    if let Some(column) = query.sort_by {
        let key = |row: &usize| {
            (
                sheet.number(*row, column).or_else(|| sheet.day(*row, column).map(|day| Exact::whole(day.days()))),
                sheet.cell(*row, column).to_lowercase(),
            )
        };
        rows.sort_by_key(key);
        if query.descending == Some(true) {
            rows.reverse();
            // Rows of one value keep their order.
            rows.sort_by_key(|row| std::cmp::Reverse(key(row)));
        }
    }
    if let Some(top) = query.top {
        rows.truncate(top);
    }
    let cells = rows.iter().filter_map(|row| sheet.table.rows.get(*row).cloned()).collect();
    let names: Vec<&str> = rows.iter().take(10).map(|row| sheet.cell(*row, sheet.label())).collect();
    let summary = if rows.is_empty() {
        "No row fits.".to_owned()
    } else {
        format!("{}: {}.", agent_common::figures::count(rows.len(), "row", "rows"), names.join(", "))
    };
    let answers = vec![Figure { what: "rows".into(), value: json!(rows.len()), rows: basis(&rows) }];
    Reply { answers, groups: Vec::new(), table: Table::new(sheet.table.columns.clone(), cells), summary }
}

fn sentence(answers: &[Figure]) -> String {
    let parts: Vec<String> = answers.iter().map(|one| format!("{}: {}", one.what, shown(&one.value))).collect();
    let mut text = parts.join("; ");
    if let Some(first) = text.get(..1).map(str::to_uppercase) {
        text.replace_range(..1, &first);
    }
    text + "."
}

pub fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The group or row with the greatest or the least.
fn which(sheet: &Sheet, query: &Query, rows: &[usize], greatest: bool) -> Option<Reply> {
    let mut query = query.clone();
    let extreme = query.asks.iter().find(|ask| matches!(ask.op, Op::Max | Op::Min)).cloned()?;
    let other = query
        .asks
        .iter()
        .find(|ask| {
            matches!(ask.op, Op::Sum | Op::Mean | Op::Count)
                && (ask.measure == extreme.measure || ask.measure == Measure::Rows)
        })
        .cloned();
    if query.keys.is_empty() {
        let column = sheet.label();
        query.keys = vec![Key { column, unit: None }];
    }
    let op = other.as_ref().map_or(Op::Sum, |ask| ask.op);
    let measure = other.map_or_else(|| extreme.measure.clone(), |ask| ask.measure);
    let text = match &measure {
        Measure::Rows => "rows".to_owned(),
        Measure::Of(formula) => formula.text(&sheet.table.columns),
    };
    let op = if measure == Measure::Rows { Op::Count } else { op };
    let name = format!("{} {text}", crate::reading::op_name(op));
    query.asks = vec![Ask { op, measure, filters: Vec::new(), name, percent: extreme.percent }];
    query.descending = Some(greatest);
    let mut reply = grouped(sheet, &query, rows);
    let first = reply.groups.first()?.clone();
    let value = first.values.values().next().cloned().unwrap_or(Value::Null);
    let tied: Vec<String> = reply
        .groups
        .iter()
        .filter(|group| group.values.values().next() == Some(&value))
        .map(|group| group.of.values().cloned().collect::<Vec<_>>().join(", "))
        .collect();
    let names = tied.join(" and ");
    let ask = query.asks.first()?;
    let kind = if greatest { "highest" } else { "lowest" };
    reply.summary = format!("{names}: {} {} ({kind}).", ask.name, shown(&value));
    let lead = [
        Figure { what: format!("{kind} {}", ask.name), value: json!(names), rows: Vec::new() },
        Figure { what: ask.name.clone(), value, rows: Vec::new() },
    ];
    reply.answers.splice(0..0, lead);
    Some(reply)
}

fn grouped(sheet: &Sheet, query: &Query, rows: &[usize]) -> Reply {
    let mut found = compute::groups(sheet, query, &query.keys, rows);
    sort(query, &mut found);
    let whole = found.len();
    if let Some(top) = query.top {
        found.truncate(top);
    }
    let groups: Vec<GroupResult> = found
        .iter()
        .map(|group| GroupResult {
            of: group.of.iter().cloned().collect(),
            rows: group.rows.len(),
            values: query
                .asks
                .iter()
                .zip(&group.values)
                .map(|(ask, value)| (ask.name.clone(), number(*value)))
                .collect(),
        })
        .collect();
    let mut answers = Vec::new();
    for ask in query.asks.iter().filter(|ask| !matches!(ask.op, Op::Share | Op::Max | Op::Min)) {
        let value = number(compute::figure(sheet, ask, rows, rows));
        answers.push(Figure { what: format!("{}, all together", what(sheet, query, ask)), value, rows: basis(rows) });
    }
    let names: Vec<String> = query
        .keys
        .iter()
        .flat_map(|_| found.first().map(|group| group.of.clone()))
        .flatten()
        .map(|(name, _)| name)
        .collect();
    let mut columns: Vec<String> = Vec::new();
    for name in names.into_iter().chain(query.asks.iter().map(|ask| ask.name.clone())) {
        if !columns.contains(&name) {
            columns.push(name);
        }
    }
    let line = |group: &GroupFigures| {
        group
            .of
            .iter()
            .map(|(_, value)| value.clone())
            .chain(group.values.iter().map(|value| shown(&number(*value))))
            .collect()
    };
    let table = Table::new(columns, found.iter().map(line).collect());
    let told: Vec<String> = groups.iter().take(12).map(|group| said(query, group)).collect();
    let more = if groups.len() > 12 { format!("; and {} more", groups.len() - 12) } else { String::new() };
    let head = query
        .asks
        .first()
        .filter(|_| query.asks.len() == 1)
        .map(|ask| {
            format!("{}{}: ", capital(&ask.name), if ask.percent || ask.op == Op::Share { " in percent" } else { "" })
        })
        .unwrap_or_default();
    let tail: Vec<String> =
        answers.iter().filter(|_| whole > 1).map(|one| format!("{} {}", one.what, shown(&one.value))).collect();
    let tail = if tail.is_empty() { String::new() } else { format!(" {}.", capital(&tail.join("; "))) };
    Reply { answers, groups, table, summary: format!("{head}{}{more}.{tail}", told.join("; ")) }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
}

fn said(query: &Query, group: &GroupResult) -> String {
    let name = group.of.values().cloned().collect::<Vec<_>>().join(", ");
    let values: Vec<String> = query
        .asks
        .iter()
        .filter_map(|ask| {
            let value = shown(group.values.get(&ask.name)?);
            Some(if query.asks.len() == 1 { value } else { format!("{} {value}", ask.name) })
        })
        .collect();
    format!("{name} {}", values.join(", "))
}

/// By the figure where an order is wanted, else spans of the calendar by time, others as they come.
fn sort(query: &Query, found: &mut [GroupFigures]) {
    if let Some(column) = query.sort_by.and_then(|column| query.keys.iter().position(|key| key.column == column)) {
        found.sort_by_key(|group| group.of.get(column).map(|(_, value)| value.to_lowercase()));
        if query.descending == Some(true) {
            found.reverse();
        }
        return;
    }
    match query.descending {
        Some(down) => {
            found.sort_by(|a, b| {
                let (x, y) = (a.values.first().copied().flatten(), b.values.first().copied().flatten());
                if down { y.cmp(&x) } else { x.cmp(&y) }
            });
        }
        None if query.keys.iter().any(|key| key.unit.is_some()) => found.sort_by(|a, b| a.of.cmp(&b.of)),
        None => {}
    }
}
