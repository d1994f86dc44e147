//! Figures of all rows that fit.

use agent_common::sheet::Sheet;
use agent_common::table::Table;
use serde_json::json;

use crate::compute;
use crate::figure::{Figure, basis, number, shown, what};
use crate::query::{Ask, Measure, Op, Query};
use crate::reply::Reply;
use crate::surcharge;

/// Each figure of the rows that fit; `all` are the rows that shares are of.
pub fn totals(sheet: &Sheet, query: &Query, rows: &[usize], all: &[usize]) -> Reply {
    let mut answers: Vec<Figure> = query.asks.iter().map(|ask| total(sheet, query, ask, rows, all)).collect();
    extremes(sheet, query, rows, &mut answers);
    if let Some(surcharge) = &query.surcharge {
        for ask in query.asks.iter().filter(|ask| ask.op == Op::Sum) {
            let gross = compute::figure(sheet, ask, rows, rows).and_then(|sum| surcharge::on_top(sum, surcharge));
            let what = format!("{} with {} % {}", what(sheet, query, ask), surcharge.rate.text(), surcharge.name);
            answers.push(Figure { what, value: number(gross), rows: basis(rows) });
        }
    }
    if query.spread {
        answers.insert(0, spread(sheet, query, rows));
    }
    let summary = sentence(&answers);
    let table = Table::new(
        vec!["what".into(), "value".into()],
        answers.iter().map(|one| vec![one.what.clone(), shown(&one.value)]).collect(),
    );
    Reply { answers, groups: Vec::new(), table, summary }
}

fn total(sheet: &Sheet, query: &Query, ask: &Ask, rows: &[usize], all: &[usize]) -> Figure {
    // A share is of the rows without the conditions.
    let whole = if ask.op == Op::Share { all } else { rows };
    let own: Vec<usize> =
        rows.iter().copied().filter(|row| ask.filters.iter().all(|filter| filter.holds(sheet, *row))).collect();
    Figure { what: what(sheet, query, ask), value: number(compute::figure(sheet, ask, rows, whole)), rows: basis(&own) }
}

fn spread(sheet: &Sheet, query: &Query, rows: &[usize]) -> Figure {
    let of =
        |op: Op| query.asks.iter().find(|ask| ask.op == op).and_then(|ask| compute::figure(sheet, ask, rows, rows));
    let apart = of(Op::Max).zip(of(Op::Min)).and_then(|(high, low)| high.minus(low));
    Figure { what: "difference between the highest and the lowest".into(), value: number(apart), rows: basis(rows) }
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

fn sentence(answers: &[Figure]) -> String {
    let parts: Vec<String> = answers.iter().map(|one| format!("{}: {}", one.what, shown(&one.value))).collect();
    let mut text = parts.join("; ");
    if let Some(first) = text.get(..1).map(str::to_uppercase) {
        text.replace_range(..1, &first);
    }
    text + "."
}
