//! What was sold at which price, out of tables, lists and sentences.

use agent_common::request::Request;
use agent_common::table::Table;
use agent_common::{number_words, quantity, sentences, series};

use crate::amounts;
use crate::sale::Sale;
use crate::sale_words::{PRICE, QUANTITY, TRIED};

fn has(name: &str, words: &[&str]) -> bool {
    let lower = name.to_lowercase();
    words.iter().any(|word| lower.contains(word))
}

/// The sales of a task, in order.
pub fn read(task: &str, request: &Request) -> Vec<Sale> {
    let tables = request.tables();
    let tabled = tables.iter().map(|table| of_table(table, task)).max_by_key(Vec::len).unwrap_or_default();
    let named = told(task);
    // `Variant A: $29, 212 orders` looks like a table whose names stand before it.
    let names = |sales: &[Sale]| sales.iter().filter(|sale| sale.name.is_some()).count();
    if named.len() > 1 && named.len() >= tabled.len() && names(&named) > names(&tabled) {
        return named;
    }
    if tabled.len() > 1 {
        return tabled;
    }
    [alternating(task), of_lists(task, request), named, changed(task)]
        .into_iter()
        .max_by_key(Vec::len)
        .filter(|all| all.len() > 1)
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
    } else if sold.is_none() && price.is_some() && numeric.len() == 2 {
        sold = numeric.iter().copied().find(|at| {
            Some(*at) != price
                && table
                    .columns
                    .get(*at)
                    .is_some_and(|name| !has(name, &["cost", "date", "week", "month", "year", "id"]))
        });
    }
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

/// `Variant A: $29, 212 orders`; `at 18 we sold 101`.
fn told(task: &str) -> Vec<Sale> {
    let style = amounts::style(task);
    let mut found = Vec::new();
    for line in task.lines() {
        let own = of_part(line, style);
        if own.is_some() {
            found.extend(own);
            continue;
        }
        for sentence in sentences::split(line).iter().map(|one| one.text) {
            for part in sentence.split([';']).flat_map(|part| parts(part, style)) {
                found.extend(of_part(&part, style));
            }
        }
    }
    found
}

/// A sentence that tells of several sales, cut where the next begins.
fn parts(sentence: &str, style: Option<quantity::Style>) -> Vec<String> {
    if of_part(sentence, style).is_some() {
        return vec![sentence.to_owned()];
    }
    let cut =
        [" and ", ", ", " but ", " while ", " und ", " et "].iter().fold(vec![sentence.to_owned()], |parts, sign| {
            parts.iter().flat_map(|part| part.split(sign).map(str::to_owned).collect::<Vec<_>>()).collect()
        });
    // Pieces are joined again until each has a price and a quantity.
    let mut whole: Vec<String> = Vec::new();
    let mut open = String::new();
    for piece in cut {
        if !open.is_empty() {
            open.push(' ');
        }
        open.push_str(&piece);
        if of_part(&open, style).is_some() {
            whole.push(std::mem::take(&mut open));
        }
    }
    whole
}

fn of_part(text: &str, style: Option<quantity::Style>) -> Option<Sale> {
    let scanned = quantity::scan(text);
    let amounts = amounts::all(text, style);
    let lower = text.to_lowercase();
    let before = |at: usize| {
        text.get(..at).unwrap_or_default().trim_end().trim_end_matches(['$', '€', '£']).trim_end().to_lowercase()
    };
    let follows = |end: usize| -> String {
        let words = lower.get(end..).unwrap_or_default().split_whitespace().take(2);
        words.take_while(|word| !word.contains(|c: char| c.is_ascii_digit())).collect::<Vec<_>>().join(" ")
    };
    let mut price = None;
    let mut sold = None;
    let mut tried = None;
    for amount in &amounts {
        let own = scanned.iter().find(|q| q.start == amount.start)?;
        let money = own.currency.is_some();
        let lead = before(amount.start);
        let at = [
            "at", "@", "for", "price", "priced", "price of", "p", "charged", "charging", "asked", "je", "à", "a", "zu",
            "costs",
        ]
        .iter()
        .any(|word| lead.ends_with(&format!(" {word}")) || lead == *word);
        let unit = own.unit.as_ref().map(|unit| unit.to_lowercase()).unwrap_or_default();
        let next = format!("{unit} {}", follows(amount.end)).trim().to_owned();
        let next = next.as_str();
        if TRIED.iter().any(|word| next.starts_with(word)) {
            tried = tried.or(Some(amount.value));
        } else if money || (at && !QUANTITY.iter().any(|word| next.starts_with(word))) {
            if price.replace(amount.value).is_some() {
                return None;
            }
        } else if QUANTITY
            .iter()
            .any(|word| next.split(' ').any(|one| one.trim_matches(|c: char| !c.is_alphanumeric()).starts_with(word)))
            || lead.ends_with(" q")
            || lead.ends_with("sold")
            || lead.ends_with("sell")
            || lead.ends_with("bought")
        {
            if sold.replace(amount.value).is_some() {
                return None;
            }
        } else if own.unit.is_none() && !own.in_words && !own.percent && price.is_none() && sold.is_some() {
            price = Some(amount.value);
        }
    }
    let label = text.split([':', '–', '—', '|']).next().unwrap_or_default();
    let quoted = agent_common::quotes::find(label).first().map(|one| one.text.to_owned());
    let plain = text
        .contains(':')
        .then(|| label.trim().trim_start_matches(['-', '*', ' ']).to_owned())
        .filter(|label| label.split_whitespace().count() < 5);
    Some(Sale { name: quoted.or(plain), price: price?, quantity: sold?, tried })
}

/// `when the price goes from 20 to 24 and sales fall from 600 to 480`
fn changed(task: &str) -> Vec<Sale> {
    let style = amounts::style(task);
    let amounts = amounts::all(task, style);
    let lower = task.to_lowercase();
    let mut pairs = Vec::new();
    for (from, to) in amounts.iter().zip(amounts.iter().skip(1)) {
        let between = lower.get(from.end..to.start).unwrap_or_default();
        let joint = between.trim_matches(|c: char| !c.is_alphanumeric());
        let words = ["to", "auf", "à", "a", "naar"];
        let lead = lower.get(..from.start).unwrap_or_default();
        let lead: String = lead.chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
        if words.iter().any(|word| joint == *word || joint.ends_with(&format!(" {word}"))) && between.len() < 24 {
            pairs.push((lead, from.value, to.value));
        }
    }
    let [(first, a, b), (_, c, d), ..] = pairs.as_slice() else { return Vec::new() };
    let price_first = has(first, &PRICE) || number_words::cardinal(first).is_some();
    let quantity_first = has(first, &QUANTITY) && !price_first;
    let (old, new) = if quantity_first { ((*c, *a), (*d, *b)) } else { ((*a, *c), (*b, *d)) };
    let sale = |(price, quantity): (f64, f64)| Sale { name: None, price, quantity, tried: None };
    if has(task, &PRICE) { vec![sale(old), sale(new)] } else { Vec::new() }
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
            let told = read(task, &request).iter().map(show).collect::<Vec<_>>().join(" ");
            if told != *expect {
                wrong.push(format!("{task}\n  got  {told}\n  want {expect}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
