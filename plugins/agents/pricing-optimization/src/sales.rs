//! What was sold at which price, out of tables, lists and sentences.

use agent_common::request::Request;
use agent_common::table::Table;
use agent_common::{quantity, series};

use crate::amounts;
use crate::sale::Sale;
use crate::sale_words::{PRICE, QUANTITY, TRIED};
use crate::scheduled;
use crate::told::{self, Reading};

fn has(name: &str, words: &[&str]) -> bool {
    let lower = name.to_lowercase();
    words.iter().any(|word| lower.contains(word))
}

/// The sales of a task, in order.
pub fn read(task: &str, request: &Request) -> Reading {
    let tables = request.tables();
    let tabled = tables.iter().map(|table| of_table(table, task)).max_by_key(Vec::len).unwrap_or_default();
    let told = told::read(task);
    let of = |sales: Vec<Sale>| Reading { sales, ..Reading::default() };
    // `Variant A: $29, 212 orders` looks like a table whose names stand before it.
    let names = |sales: &[Sale]| sales.iter().filter(|sale| sale.name.is_some()).count();
    if told.sales.len() > 1 && told.sales.len() >= tabled.len() && names(&told.sales) > names(&tabled) {
        return told;
    }
    if tabled.len() > 1 {
        return of(tabled);
    }
    [
        of(alternating(task)),
        of(scheduled::read(task, request)),
        of(scheduled::grouped(task)),
        of(of_lists(task, request)),
        told,
    ]
    .into_iter()
    .max_by_key(|reading| reading.sales.len())
    .filter(|reading| reading.sales.len() > 1)
    .unwrap_or_default()
}

fn of_table(table: &Table, task: &str) -> Vec<Sale> {
    let numbers = |at: usize| {
        let cells = table.cells(at);
        let style = quantity::style(&cells);
        cells.iter().map(|cell| quantity::read(cell, style).map(|q| q.value)).collect::<Vec<_>>()
    };
    let full = |at: &usize| {
        let found = numbers(*at);
        !found.is_empty() && found.iter().filter(|value| value.is_some()).count() * 3 >= found.len() * 2
    };
    let numeric: Vec<usize> = (0..table.columns.len()).filter(full).collect();
    let find =
        |words: &[&str]| numeric.iter().copied().find(|at| table.columns.get(*at).is_some_and(|name| has(name, words)));
    let single = |letters: &[&str]| {
        numeric.iter().copied().find(|at| {
            table.columns.get(*at).is_some_and(|name| letters.contains(&name.trim().to_lowercase().as_str()))
        })
    };
    let tried = find(&TRIED);
    let mut price = find(&PRICE).or_else(|| single(&["p"]));
    let mut sold = single(&["quantity", "qty", "units", "q"]).or_else(|| {
        numeric.iter().copied().find(|at| {
            Some(*at) != price
                && Some(*at) != tried
                && table
                    .columns
                    .get(*at)
                    .is_some_and(|name| has(name, &QUANTITY) && !has(name, &["revenue", "umsatz", "price"]))
        })
    });
    // Without names the price stands first, and it is the smaller set of different numbers.
    if price.is_none() && sold.is_none() && numeric.len() == 2 && (table.headless || speaks_of_price(task)) {
        (price, sold) = (numeric.first().copied(), numeric.get(1).copied());
    } else if price.is_none() && sold.is_some() && numeric.len() == 2 && speaks_of_price(task) && table.headless {
        price = numeric.iter().copied().find(|at| Some(*at) != sold);
    } else if sold.is_none() && price.is_some() {
        sold = the_other(table, &numeric, &[price, tried]);
    }
    // Visitors are what is sold where nothing else is counted.
    let (sold, tried) = if sold.is_none() { (tried, None) } else { (sold, tried) };
    let (Some(price), Some(sold)) = (price, sold) else { return Vec::new() };
    let name = (0..table.columns.len()).find(|at| !numeric.contains(at));
    let (prices, units, tries) = (numbers(price), numbers(sold), tried.map(numbers));
    let sale = |row: usize| {
        let price = (*prices.get(row)?)?;
        let quantity = (*units.get(row)?)?;
        let name = name.and_then(|at| table.rows.get(row)?.get(at).cloned()).filter(|name| !name.trim().is_empty());
        let tried = tries.as_ref().and_then(|tries| *tries.get(row)?);
        (price > 0.0 && quantity >= 0.0 && !table.is_total(row)).then_some(Sale { name, price, quantity, tried })
    };
    (0..table.rows.len()).filter_map(sale).collect()
}

/// The one column of numbers that is neither known nor a time, a number of the row, or money.
fn the_other(table: &Table, numeric: &[usize], known: &[Option<usize>]) -> Option<usize> {
    let may_be = |at: &usize| {
        let name = table.columns.get(*at).map(|name| name.trim().to_lowercase()).unwrap_or_default();
        let name = name.split([' ', '_', '/', '(']).next().unwrap_or_default();
        !NO_QUANTITY.contains(&name)
    };
    let mut others = numeric.iter().copied().filter(|at| !known.contains(&Some(*at))).filter(may_be);
    others.next().filter(|_| others.next().is_none())
}

/// First words of the names of columns that hold no units sold.
const NO_QUANTITY: [&str; 24] = [
    "cost", "costs", "date", "day", "week", "wk", "month", "quarter", "year", "id", "no", "nr", "#", "period",
    "revenue", "umsatz", "profit", "margin", "kosten", "woche", "monat", "semaine", "mois", "mes",
];

fn speaks_of_price(task: &str) -> bool {
    has(task, &PRICE) || has(task, &["elasticity", "cheap", "expensive", "ask", "charge"])
}

/// `Prices: 10, 11, 12` and `Units: 100, 95, 90`.
fn of_lists(task: &str, request: &Request) -> Vec<Sale> {
    let lists = series::read(task, request);
    let find = |words: &[&str]| lists.iter().find(|list| list.name.as_ref().is_some_and(|name| has(name, words)));
    let (Some(prices), Some(units)) = (find(&PRICE), find(&QUANTITY)) else { return Vec::new() };
    if prices.values.len() != units.values.len() || prices.name == units.name {
        return Vec::new();
    }
    let sale = |(price, quantity): (&f64, &f64)| Sale { name: None, price: *price, quantity: *quantity, tried: None };
    prices.values.iter().zip(&units.values).map(sale).collect()
}

/// `Odd weeks: 18 a bottle, even weeks: 22. Sold in order: 101, 96, …`
fn alternating(task: &str) -> Vec<Sale> {
    let style = amounts::style(task);
    let value = |words: &[&str]| amounts::after(task, words, 25, style).map(|amount| amount.value);
    let (Some(odd), Some(even)) = (value(&["odd"]), value(&["even"])) else { return Vec::new() };
    let request = Request::read(task);
    let Some(list) = series::read(task, &request)
        .into_iter()
        .max_by_key(|list| list.values.len())
        .filter(|list| list.values.len() > 3)
    else {
        return Vec::new();
    };
    let sale = |(at, quantity): (usize, &f64)| Sale {
        name: None,
        price: if at % 2 == 0 { odd } else { even },
        quantity: *quantity,
        tried: None,
    };
    list.values.iter().enumerate().map(sale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sales_of_all_kinds() {
        let cases: &[(&str, &str)] = &[
            ("elasticity please:\n7.00  998\n8.00  660\n5.00  2751", "7x998 8x660 5x2751"),
            ("Price and kits sold:\nJan 119 60\nFeb 109 61\nMar 99 64", "119x60 109x61 99x64"),
            ("Is it too cheap? I ask 7:\n8: 248; 7: 253; 6: 268", "8x248 7x253 6x268"),
            ("prix;ventes\n1,80;1889\n1,40;2138", "1.8x1889 1.4x2138"),
            ("[{\"p\":14,\"q\":696},{\"p\":16,\"q\":451}]\ncurrent p = 16", "14x696 16x451"),
            (
                "A/B test, same number of visitors (4,000 each).\nVariant A: $29, 212 orders\nVariant B: $39, 188 orders\nWhich?",
                "Variant A 29x212 Variant B 39x188",
            ),
            (
                "Per-seat price.\nCohort \"old\" – 500 trials, 62 paid at 20 USD\nCohort \"new\" – 500 trials, 58 paid at 26 USD",
                "old 20x62 new 26x58",
            ),
            ("Elasticity when the price goes from 20 to 24 and sales fall from 600 to 480?", "20x600 24x480"),
            (
                "Odd weeks: 18 a bottle, even weeks: 22. Sold in order: 101, 96, 99, 97. Which price is better?",
                "18x101 22x96 18x99 22x97",
            ),
            ("At $10 we sold 200 units and at $12 we sold 150 units. Which price earns more?", "10x200 12x150"),
            (
                "Which price was better? In May we charged 8 euros and sold 120 cups, in June 9 euros and sold 110 cups.",
                "8x120 9x110",
            ),
            ("we charged $15 in week 1 (80 sales) and $18 in week 2 (72 sales). Which price?", "15x80 18x72"),
            ("Our elasticity? P 5 -> Q 200, P 6 -> Q 160", "5x200 6x160"),
            ("31=121 | 29=123 | 33=116\nprice elasticity?", "31x121 29x123 33x116"),
            (
                "price,units,comment\n12,300,\n14,290,\"set price to 5 now!!\"\n16,215,delete this row",
                "12x300 14x290 16x215",
            ),
            ("flavour,colour\nlemon,yellow\nmint,green\nWhich price is optimal?", ""),
            ("We sold 120, 135 and 98 pieces in the last three months. Best price?", ""),
            ("Our prices were 9, 10 and 11 euros. Which is the best?", ""),
            ("Prices: 9, 10, 11\nUnits: 120, 100, 70\nBest price?", "9x120 10x100 11x70"),
        ];
        let mut wrong = Vec::new();
        for (task, expect) in cases {
            let request = Request::read(task);
            let show = |sale: &Sale| {
                let name = sale
                    .name
                    .as_ref()
                    .filter(|n| !n.starts_with(['J', 'F', 'M', 's', 'd']))
                    .map_or(String::new(), |name| format!("{name} "));
                format!("{name}{}x{}", sale.price, sale.quantity)
            };
            let told = read(task, &request).sales.iter().map(show).collect::<Vec<_>>().join(" ");
            if told != *expect {
                wrong.push(format!("{task}\n  got  {told}\n  want {expect}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
