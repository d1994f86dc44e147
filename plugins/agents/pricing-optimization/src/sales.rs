//! Sales in a task: a table with a price and a quantity, or pairs.

use agent_common::columns::name_words;
use agent_common::number_columns;
use agent_common::periods;
use agent_common::sequence;
use agent_common::table::Table;

use crate::input::Period;

/// Words of units and currencies that a name of a column may have besides.
const BESIDE: [&str; 6] = ["eur", "usd", "gbp", "chf", "per", "unit"];
/// Names of a column of prices, without those words.
const PRICE: [&str; 2] = ["price", "prices"];
/// Names of a column of units sold.
const QUANTITY: [&str; 9] =
    ["quantity", "quantities", "qty", "units", "units sold", "sold", "unit sales", "pieces", "orders"];
/// Names of a column of those who could have bought.
const OFFERED: [&str; 3] = ["visitors", "trials", "offered"];
/// Names of a column that names the variant.
const NAME: [&str; 2] = ["variant", "name"];
/// Names of a column that does not matter.
const REMARK: [&str; 4] = ["comment", "comments", "note", "notes"];

/// Columns that the command names.
#[derive(Debug, Default)]
pub struct Named {
    pub price: Option<String>,
    pub quantity: Option<String>,
    pub ignored: Vec<String>,
}

fn plain(name: &str) -> String {
    let words = name_words(name);
    let bare: Vec<String> = words.iter().filter(|word| !BESIDE.contains(&word.as_str())).cloned().collect();
    (if bare.is_empty() { words } else { bare }).join(" ")
}

/// Returns the sales of a table, or a question.
pub fn of_table(table: &Table, named: &Named) -> Result<Vec<Period>, String> {
    let place = |names: &[&str], given: &Option<String>| -> Result<Option<usize>, String> {
        let fits = |column: &String| match given {
            Some(given) => given == column,
            None => names.contains(&plain(column).as_str()),
        };
        let mut all = table.columns.iter().enumerate().filter(|(_, column)| fits(column)).map(|(at, _)| at);
        match (all.next(), all.next()) {
            (Some(_), Some(_)) => {
                let what = names.first().copied().unwrap_or_default();
                Err(format!("several columns could be the {what}; say `{what} is column NAME`"))
            }
            (first, _) => Ok(first),
        }
    };
    let question = |what: &str| format!("which column is the {what}? Name it `{what}`, or say `{what} is column NAME`");
    let price = place(&PRICE, &named.price)?.ok_or_else(|| question("price"))?;
    let quantity = place(&QUANTITY, &named.quantity)?.ok_or_else(|| question("quantity"))?;
    let (offered, name) = (place(&OFFERED, &None)?, place(&NAME, &None)?);
    let used = [Some(price), Some(quantity), offered, name];
    for (at, column) in table.columns.iter().enumerate().filter(|(at, _)| !used.contains(&Some(*at))) {
        let cells = table.cells(at);
        let remark = REMARK.contains(&plain(column).as_str()) || named.ignored.contains(column);
        let timed = cells.iter().all(|cell| periods::read(cell, None).is_some());
        if !(remark || timed) {
            return Err(format!("what does the column `{column}` mean? Leave it out, or say `ignore column {column}`"));
        }
    }
    let numbers = |at: usize| -> Result<Vec<f64>, String> {
        let column = table.columns.get(at).cloned().unwrap_or_default();
        let read =
            number_columns::numbers(&table.cells(at)).map_err(|error| format!("in the column `{column}` {error}"))?;
        let missing = read.iter().position(Option::is_none);
        missing.map_or(Ok(()), |row| Err(format!("row {} has no number in the column `{column}`", row + 1)))?;
        Ok(read.into_iter().flatten().collect())
    };
    let (prices, quantities) = (numbers(price)?, numbers(quantity)?);
    let offered = offered.map(numbers).transpose()?;
    let name = |row: usize| name.and_then(|at| table.cells(at).get(row).map(|cell| (*cell).to_owned()));
    let sale = |(row, (price, quantity)): (usize, (f64, f64))| Period {
        price,
        quantity,
        name: name(row),
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

#[cfg(test)]
mod tests {
    use agent_common::material;

    use super::*;

    fn read(task: &str) -> Result<String, String> {
        let table = material::tables(task).unwrap().tables.remove(0);
        let sales = of_table(&table, &Named::default())?;
        Ok(sales.iter().map(|sale| format!("{}:{}", sale.price, sale.quantity)).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn tables_of_sales() {
        assert_eq!(
            read("month;unit price (EUR);units sold\nJan;9,50;1200\nFeb;10,00;1100").as_deref(),
            Ok("9.5:1200 10:1100")
        );
        assert_eq!(
            read("| price_usd | qty |\n|---|---|\n| $9.50 | 1,200 |\n| $10 | 1,100 |").as_deref(),
            Ok("9.5:1200 10:1100")
        );
        for (task, expect) in [
            ("product,price,units\npen,1,5\nink,2,4", "`product`"),
            ("fare,cars\n32,1890\n36,1640", "which column is the price"),
            ("price,units\n1.250,5\n2,4", "two ways"),
            ("price,units\n1,5\n2,", "row 2"),
        ] {
            let found = read(task).unwrap_err();
            assert!(found.contains(expect), "{found}");
        }
    }

    #[test]
    fn pairs_of_sales() {
        let pairs = of_pairs("8.50: 210, 9.50: 202, 10.50: 188").unwrap();
        assert_eq!(pairs.get(2).map(|sale| (sale.price, sale.quantity)), Some((10.5, 188.0)));
        assert_eq!(of_pairs("Jan: 210, Feb: 202"), None);
    }
}
