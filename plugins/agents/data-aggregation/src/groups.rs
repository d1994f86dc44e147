//! Figures of groups, and the group with the greatest or the least.

use agent_common::sheet::Sheet;
use agent_common::table::Table;
use serde_json::{Value, json};

use crate::compute::{self, GroupFigures};
use crate::figure::{Figure, basis, number, shown, what};
use crate::query::{Ask, Key, Measure, Op, Query};
use crate::reply::{GroupResult, Reply};

/// The group or row with the greatest or the least.
pub fn which(sheet: &Sheet, query: &Query, rows: &[usize], greatest: bool) -> Option<Reply> {
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
    let name = format!("{} {text}", op.name());
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

/// A row for each group, in the order that is wanted.
pub fn grouped(sheet: &Sheet, query: &Query, rows: &[usize]) -> Reply {
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

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
}
