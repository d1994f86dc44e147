//! Fields that are the columns of a table.

use agent_common::columns::fold;
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
            let fits = |field: &&Wanted| column(table, field, 1).is_some();
            fields.iter().filter(fits).count() * 2
                >= fields.len() + usize::from(fields.len() > 1 && fields.len() % 2 == 1)
        })
}

/// The column that a field names, as well as `least` says.
pub(crate) fn column(table: &Table, field: &Wanted, least: u32) -> Option<usize> {
    let scored =
        table.columns.iter().enumerate().map(|(at, name)| (labels::fit(&field.words, &labels::words(name)), at));
    let best = scored.clone().map(|(fit, _)| fit).max().filter(|fit| *fit >= least)?;
    let mut top = scored.filter(|(fit, _)| *fit == best);
    let (_, at) = top.next()?;
    (best > 1 || top.next().is_none()).then_some(at)
}

/// The rows that a request names by a cell: `the stock of the blue mug`.
pub(crate) fn meant(asked: &str, table: &Table, fields: &[Wanted]) -> Table {
    let spaced = |text: &str| {
        let plain: String = fold(text).chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
        format!(" {} ", plain.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let asked = spaced(asked);
    let named = |cell: &String| {
        let own = spaced(cell);
        own.trim().len() > 2
            && asked.contains(&own)
            && !fields.iter().any(|field| spaced(&field.name).contains(&own))
            && !table.columns.iter().any(|column| spaced(column).contains(&own))
    };
    let rows: Vec<Vec<String>> = table.rows.iter().filter(|row| row.iter().any(named)).cloned().collect();
    if rows.is_empty() { table.clone() } else { Table::new(table.columns.clone(), rows) }
}

/// The cells of each field.
pub(crate) fn of_table(table: &Table, fields: &[Wanted], text: &str) -> Outcome {
    let sheet = Sheet::read(table);
    let mut outcome = Outcome { text: text.to_owned(), confidence: LABELLED, ..Outcome::default() };
    for field in fields {
        let Some(at) = column(table, field, 1) else {
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
