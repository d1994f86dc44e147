//! Fields that are the columns of a table.

use agent_common::request::Request;
use agent_common::sheet::{self, Sheet};
use agent_common::table::Table;
use serde_json::{Value, json};

use crate::outcome::{LABELLED, Outcome};
use crate::sort::Sort;
use crate::wanted::Wanted;
use crate::{labels, place};

/// A table whose columns are the fields.
pub(crate) fn table(request: &Request, fields: &[Wanted]) -> Option<Table> {
    request
        .tables()
        .into_iter()
        .filter(|table| !table.headless && table.columns.len() > 1 && !table.rows.is_empty())
        .find(|table| {
            let fits = |field: &&Wanted| column(table, field).is_some();
            fields.iter().filter(fits).count() * 2
                >= fields.len() + usize::from(fields.len() > 1 && fields.len() % 2 == 1)
        })
}

fn column(table: &Table, field: &Wanted) -> Option<usize> {
    let scored =
        table.columns.iter().enumerate().map(|(at, name)| (labels::fit(&field.words, &labels::words(name)), at));
    let best = scored.clone().map(|(fit, _)| fit).max().filter(|fit| *fit > 0)?;
    let mut top = scored.filter(|(fit, _)| *fit == best);
    let (_, at) = top.next()?;
    (best > 1 || top.next().is_none()).then_some(at)
}

/// The cells of each field.
pub(crate) fn of_table(table: &Table, fields: &[Wanted], text: &str) -> Outcome {
    let sheet = Sheet::read(table);
    let mut outcome = Outcome { text: text.to_owned(), confidence: LABELLED, ..Outcome::default() };
    for field in fields {
        let Some(at) = column(table, field) else {
            outcome.values.push((field.name.clone(), Value::Null));
            continue;
        };
        let cell = |row: usize| {
            let own = sheet.cell(row, at);
            let number =
                sheet.number(row, at).filter(|_| !matches!(field.sort, Sort::Code | Sort::Phone | Sort::Postcode));
            let value = number
                .and_then(|number| place::number(&number.text()))
                .or_else(|| sheet.day(row, at).map(|day| json!(day.iso())));
            value.or_else(|| (!sheet::is_empty(own)).then(|| json!(own))).unwrap_or(Value::Null)
        };
        let all: Vec<Value> = (0..sheet.table.rows.len()).map(cell).collect();
        outcome.raws.extend(
            (0..sheet.table.rows.len())
                .map(|row| (field.name.clone(), "column".into(), sheet.cell(row, at).to_owned())),
        );
        let value = if let [one] = all.as_slice() { one.clone() } else { json!(all) };
        outcome.values.push((field.name.clone(), value));
    }
    outcome
}
