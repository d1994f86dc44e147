//! Sales in a task: a table with a price and a quantity, or pairs.

use std::collections::BTreeMap;

use agent_common::columns::name_words;
use agent_common::number_columns;
use agent_common::periods;
use agent_common::sequence;
use agent_common::table::Table;

use crate::input::Period;

/// Words of units and currencies that the name of a column may have besides.
const BESIDE: [&str; 6] = ["eur", "usd", "gbp", "chf", "per", "unit"];
/// Contents of columns, and the names of such columns without those words.
const COLUMNS: [(&str, &str); 5] = [
    ("price", "price|prices"),
    ("quantity", "quantity|quantities|qty|units|units sold|sold|unit sales|pieces|orders"),
    ("visitors", "visitors|trials|offered"),
    ("variant", "variant|name"),
    ("comment", "comment|comments|note|notes"),
];

/// Returns what a column holds: as the command names it, otherwise by its name.
fn content<'c>(column: &str, named: &'c [(String, String)]) -> Option<&'c str> {
    let words = name_words(column);
    let bare: Vec<&str> = words.iter().map(String::as_str).filter(|word| !BESIDE.contains(word)).collect();
    let name = if bare.is_empty() { words.join(" ") } else { bare.join(" ") };
    let known = COLUMNS.iter().find(|(_, names)| names.split('|').any(|known| known == name)).map(|(what, _)| *what);
    // A column that the command names replaces one with a known name.
    let known = known.filter(|what| *what == "comment" || !named.iter().any(|(other, _)| other == what));
    named.iter().find(|(_, other)| other == column).map(|(what, _)| what.as_str()).or(known)
}

/// Returns the sales of a table, or a question. `named` has the columns that the command names, each behind its content.
pub fn of_table(table: &Table, named: &[(String, String)]) -> Result<Vec<Period>, String> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, column) in table.columns.iter().enumerate() {
        match content(column, named) {
            Some("comment") => {}
            Some(what) if places.insert(what, at).is_some() => {
                return Err(format!("several columns could be the {what}; say `{what} is column NAME`"));
            }
            Some(_) => {}
            None if table.cells(at).iter().all(|cell| periods::read(cell, None).is_some()) => {}
            None => {
                return Err(format!(
                    "what does the column `{column}` mean? Leave it out, or say `ignore column {column}`"
                ));
            }
        }
    }
    let numbers = |what: &str| -> Result<Option<Vec<f64>>, String> {
        let Some(at) = places.get(what) else { return Ok(None) };
        let read = number_columns::numbers(&table.cells(*at))
            .map_err(|error| format!("in the column of the {what} {error}"))?;
        match read.iter().position(Option::is_none) {
            Some(row) => Err(format!("row {} has no number in the column of the {what}", row + 1)),
            None => Ok(Some(read.into_iter().flatten().collect())),
        }
    };
    let needed = |what: &str| {
        let question = || format!("which column is the {what}? Name it `{what}`, or say `{what} is column NAME`");
        numbers(what)?.ok_or_else(question)
    };
    let (prices, quantities, offered) = (needed("price")?, needed("quantity")?, numbers("visitors")?);
    let names = places.get("variant").map(|at| table.cells(*at)).unwrap_or_default();
    let sale = |(row, (price, quantity)): (usize, (f64, f64))| Period {
        price,
        quantity,
        name: names.get(row).map(|name| (*name).to_owned()),
        offered: offered.as_ref().and_then(|all| all.get(row).copied()),
    };
    Ok(prices.into_iter().zip(quantities).enumerate().map(sale).collect())
}

/// Returns the sales of a list of pairs `price: quantity`.
pub fn of_pairs(text: &str) -> Option<Vec<Period>> {
    let read = sequence::list(text)?;
    let labels: Vec<&str> = read.labels.iter().map(String::as_str).collect();
    let prices: Vec<f64> = number_columns::numbers(&labels).ok()?.into_iter().collect::<Option<_>>()?;
    let sale = |(price, quantity)| Period { price, quantity, ..Period::default() };
    (prices.len() == read.values.len()).then(|| prices.into_iter().zip(read.values).map(sale).collect())
}
