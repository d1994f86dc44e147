//! The closed list of commands in words.

use agent_common::command::{Grammar, Match, Reading, Slots};
use agent_common::form::{self, Draft};
use agent_common::lexer::{self, Token};
use agent_common::material;
use agent_common::slots::{self, Common};
use serde_json::{Value, json};
use tollbridge_sdk::Error;

use crate::input::{Calculation, Change, Formula, Input, Objective, Period};
use crate::sales::{self, Named};

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`what is the best price? Unit cost 6` with a table of `price` and `quantity`, `at 29 we sold 212, at 39 \
    we sold 188`, `we cut the price by 10 %`, `selling price for a margin of 40 % at a unit cost of 12`";

/// Signs and words of currencies, each with its code.
const CURRENCIES: [(&str, &str); 11] = [
    ("€", "EUR"),
    ("eur", "EUR"),
    ("euro", "EUR"),
    ("$", "USD"),
    ("usd", "USD"),
    ("dollar", "USD"),
    ("£", "GBP"),
    ("gbp", "GBP"),
    ("pound", "GBP"),
    ("chf", "CHF"),
    ("¥", "JPY"),
];

fn currency(token: &Token) -> Option<&'static str> {
    let word = token.lower.trim_end_matches('s');
    CURRENCIES.iter().find(|(name, _)| *name == word).map(|(_, code)| *code)
}

/// The slots: amounts of money and the columns of the table.
struct Words {
    columns: Vec<String>,
}

impl Slots for Words {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        match kind {
            "time" => time(tokens).into_iter().collect(),
            "figure" => figure(tokens).into_iter().collect(),
            "money" => money(tokens).into_iter().collect(),
            "column" => slots::longest(&self.columns, tokens),
            _ => Common.read(kind, tokens),
        }
    }
}

fn time(tokens: &[Token]) -> Option<(usize, Value)> {
    let [first, second, ..] = tokens else { return None };
    let named = matches!(first.lower.as_str(), "a" | "per")
        && ["day", "week", "month", "year"].contains(&second.lower.as_str());
    named.then(|| (2, json!(second.lower)))
}

/// Names of figures in commands, and the part of its name that a figure has in an answer.
const FIGURES: [(&str, &str); 14] = [
    ("profit per unit", "profit per unit"),
    ("discounted price", "discounted price"),
    ("selling price", "price"),
    ("gross price", "gross price"),
    ("net price", "price"),
    ("break even", "break-even"),
    ("break-even", "break-even"),
    ("breakeven", "break-even"),
    ("discount", "discount"),
    ("margin", "margin"),
    ("markup", "markup"),
    ("revenue", "revenue"),
    ("profit", "profit"),
    ("price", "price"),
];

fn figure(tokens: &[Token]) -> Option<(usize, Value)> {
    let spoken = |words: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        let same = tokens.len() >= words.len() && words.iter().zip(tokens).all(|(word, token)| token.lower == *word);
        same.then_some(words.len())
    };
    if let Some(length) = spoken("vat") {
        return Some((length, json!("vat")));
    }
    FIGURES.iter().find_map(|(words, name)| Some((spoken(words)?, json!(name))))
}

fn money(tokens: &[Token]) -> Option<(usize, Value)> {
    let sign = usize::from(tokens.first().and_then(currency).is_some());
    let (length, value) = slots::number(tokens.get(sign..)?)?;
    let end = sign + length;
    let percent = tokens.get(end).is_some_and(|token| matches!(token.lower.as_str(), "%" | "percent"));
    let behind = usize::from(sign == 0 && tokens.get(end).and_then(currency).is_some());
    (!percent).then(|| (end + behind, json!(value)))
}

/// Reads a task in words.
///
/// # Errors
/// A table whose rows differ in length.
pub fn draft(task: &str) -> Result<Draft<Input>, Error> {
    let grammar = Grammar::new(COMMANDS);
    let material::Tables { command, tables } = material::tables(task)?;
    let words = Words { columns: tables.iter().flat_map(|table| table.columns.clone()).collect() };
    let mut text = String::new();
    let mut reading = grammar.read(&command, &words);
    if tables.is_empty() && !reading.unread.is_empty() {
        let split = material::text(task, &grammar, &words);
        (reading, text) = (split.reading, split.text);
    }
    let mut form = options(&reading);
    let named = Named {
        price: first(&reading, "pricecolumn").map(|found| found.text("column")),
        quantity: first(&reading, "quantitycolumn").map(|found| found.text("column")),
        ignored: reading.all("ignore").map(|found| found.text("column")).collect(),
    };
    let sold: Vec<Period> = reading.all("sold").filter_map(sale).collect();
    let pairs = sales::of_pairs(&text);
    let read = match (tables.as_slice(), sold.is_empty(), pairs) {
        ([table], true, _) => sales::of_table(table, &named).map(Some),
        ([], false, _) if text.is_empty() => Ok(Some(sold)),
        ([], true, Some(pairs)) if first(&reading, "pairs").is_some() => Ok(Some(pairs)),
        ([], true, Some(_)) => {
            Err("which number of each pair is the price? Say `prices and quantities` for `PRICE: QUANTITY`".into())
        }
        ([], true, None) if text.is_empty() => Ok(None),
        _ => Err("which are the sales? Give one table, or one list of pairs `PRICE: QUANTITY`".into()),
    };
    let unread = form::unread(&reading.unread, SHOWN);
    let question = match read {
        Ok(history) => {
            form.history = history.filter(|sales| !sales.is_empty());
            None
        }
        Err(question) => Some(question),
    };
    let basis = basis(&reading, &mut form).and_then(|()| unanswered(&reading, &form)).err();
    let question = unread.or(question).or_else(|| currencies(&command)).or_else(|| conflict(&reading)).or(basis);
    Ok(Draft { form, question })
}

fn first<'r>(reading: &'r Reading, name: &str) -> Option<&'r Match> {
    reading.found.iter().find(|found| found.clause == name)
}

fn number(reading: &Reading, name: &str, slot: &str) -> Option<f64> {
    first(reading, name).and_then(|found| found.text(slot).parse().ok())
}

fn sale(found: &Match) -> Option<Period> {
    let [price, quantity] = ["p", "q"].map(|slot| found.text(slot).parse().ok());
    Some(Period { price: price?, quantity: quantity?, ..Period::default() })
}

fn options(reading: &Reading) -> Input {
    let has = |name: &str| first(reading, name).is_some();
    Input {
        unit_cost: number(reading, "cost", "n"),
        fixed_cost: number(reading, "fixed", "n"),
        current_price: number(reading, "current", "n"),
        price_min: number(reading, "between", "low").or_else(|| number(reading, "least", "n")),
        price_max: number(reading, "between", "high").or_else(|| number(reading, "most", "n")),
        max_change_percent: number(reading, "maxchange", "n"),
        objective: has("profit").then_some(Objective::Profit).or(has("revenue").then_some(Objective::Revenue)),
        elasticity: number(reading, "elasticity", "n"),
        elasticity_method: has("midpoint").then_some(Formula::Midpoint).or(has("simple").then_some(Formula::Simple)),
        ..Input::default()
    }
}

/// Sets a change or a calculation, if the command has one.
fn basis(reading: &Reading, form: &mut Input) -> Result<(), String> {
    let get = |name: &str, slot: &str| number(reading, name, slot);
    let down = |name: &str| get(name, "n").map(|percent| -percent);
    let margin = get("margin", "n");
    let mut change = Change {
        price: get("pricemove", "a"),
        new_price: get("pricemove", "b"),
        price_percent: get("priceup", "n").or_else(|| down("pricedown")),
        quantity: get("unitsmove", "a").or_else(|| get("quantity", "n")),
        new_quantity: get("unitsmove", "b"),
        quantity_percent: get("unitsup", "n").or_else(|| down("unitsdown")),
        margin_percent: margin,
    };
    let list = Calculation {
        price: get("price", "n"),
        gross_price: get("gross", "n"),
        vat_percent: get("tax", "n"),
        margin_percent: margin,
        markup_percent: get("markup", "n"),
        discount_percent: get("discount", "n"),
        discounted_price: get("discounted", "n"),
        quantity: get("quantity", "n"),
        target_profit: get("target", "n"),
    };
    if change.new_price.or(change.price_percent).is_some() {
        let used = Calculation {
            price: list.price,
            margin_percent: margin,
            quantity: list.quantity,
            ..Calculation::default()
        };
        if change.price.is_some() && list.price.is_some() || list != used {
            return Err(
                "a change of the price and figures such as a discount are two questions; ask one at a time".into()
            );
        }
        change.price = change.price.or(list.price);
        form.change = Some(change);
    } else if change.new_quantity.or(change.quantity_percent).is_some() {
        return Err("by how much does the price change? Say `the price rises from 20 to 22` or `by 10 %`".into());
    } else if form.history.is_some() || form.elasticity.is_some() {
        if list != Calculation::default() {
            return Err("margins, discounts and taxes are no part of an estimate; ask for them by themselves".into());
        }
    } else if list != Calculation::default() {
        form.calculate = Some(list);
        let asked = form.objective.take();
        return if asked == Some(Objective::Revenue) && list.quantity.is_none() {
            Err("revenue of how many units? Say `quantity 100`".into())
        } else {
            Ok(())
        };
    }
    if form.bases() == 0 {
        return Err("which sales? Give a table with the columns `price` and `quantity`, or `at 29 we sold 212, at 39 we sold 188`".into());
    }
    Ok(())
}

/// Returns a question if the answer would not have what the command asks for.
fn unanswered(reading: &Reading, form: &Input) -> Result<(), String> {
    let has = |name: &str| first(reading, name).is_some();
    let asked = reading.all("ask").chain(reading.all("effect"));
    let mut asked: Vec<String> = asked.map(|found| found.text("what")).collect();
    if has("effect") {
        asked = asked.iter().map(|name| format!("{name} change")).collect();
    }
    if has("decide") && form.current_price.is_none() && form.change.is_none() {
        return Err("what is today's price? Say `current price 12`".into());
    }
    if form.change.is_none() && form.calculate.is_none() {
        return match asked.first() {
            Some(name) => {
                Err(format!("the {name} of what? Give the figures it follows from, without sales or an elasticity"))
            }
            None => Ok(()),
        };
    }
    if has("best") || has("decide") {
        return Err("which sales? A best price needs the units sold at two prices, or an elasticity".into());
    }
    let answer = crate::answer(form).map_err(|error| error.message().to_owned())?;
    if has("askelasticity") && answer.elasticity.is_none() {
        return Err("by how much do the units change? An elasticity needs the changes of price and units".into());
    }
    let missing = asked.iter().find(|name| !answer.figures.iter().any(|figure| figure.name.contains(name.as_str())));
    missing.map_or(Ok(()), |name| Err(format!("the {name} does not follow from these figures; which one is missing?")))
}

/// Returns the question about amounts in several currencies.
fn currencies(command: &str) -> Option<String> {
    let mut codes: Vec<&str> = lexer::tokens(command).iter().filter_map(currency).collect();
    codes.sort_unstable();
    codes.dedup();
    (codes.len() > 1).then(|| format!("the amounts are in {}; give them in one currency", codes.join(" and ")))
}

/// Returns the question about clauses that contradict each other.
fn conflict(reading: &Reading) -> Option<String> {
    let single = [
        "elasticity",
        "cost",
        "fixed",
        "current",
        "between",
        "least",
        "most",
        "maxchange",
        "pricecolumn",
        "quantitycolumn",
        "pricemove",
        "priceup",
        "pricedown",
        "unitsmove",
        "unitsup",
        "unitsdown",
        "margin",
        "markup",
        "discount",
        "tax",
        "price",
        "gross",
        "discounted",
        "target",
        "quantity",
    ];
    let twice = single.iter().find_map(|name| reading.one(name).err());
    let either: [&[&str]; 7] = [
        &["profit", "revenue"],
        &["midpoint", "simple"],
        &["between", "least"],
        &["between", "most"],
        &["pricemove", "priceup", "pricedown"],
        &["unitsmove", "unitsup", "unitsdown"],
        &["unitsmove", "quantity"],
    ];
    let mut times: Vec<String> = reading.all("sold").map(|found| found.text("every")).collect();
    times.dedup();
    if times.len() > 1 {
        return Some(
            "the sales are of periods of different length; give all of them for a week, or all for a month".into(),
        );
    }
    let both = either.iter().find(|names| names.iter().filter(|name| first(reading, name).is_some()).count() > 1);
    twice.or_else(|| both.map(|names| format!("`{}` contradict each other; keep one", names.join("` and `"))))
}

#[cfg(test)]
mod tests {
    use agent_common::command;

    use super::*;

    fn read(task: &str) -> Result<Input, String> {
        let draft = draft(task).map_err(|error| error.message().to_owned())?;
        let form = draft.question.map_or(Ok(draft.form), Err)?;
        crate::check(&form).map(|()| form).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn published_examples_are_understood() {
        for example in command::examples(COMMANDS) {
            assert_eq!(read(example).err(), None, "{example}");
        }
    }

    #[test]
    fn clauses_fill_the_form() {
        let cut =
            read("We cut the price by 10 percent and unit sales rose by 25 %, margin 40 %, what happens to profit?");
        let change = cut.unwrap().change.unwrap();
        assert_eq!(
            (change.price_percent, change.quantity_percent, change.margin_percent),
            (Some(-10.0), Some(25.0), Some(40.0))
        );
        let gross = read("net price of a gross price of €1,190 with 19 % VAT").unwrap().calculate.unwrap();
        assert_eq!((gross.gross_price, gross.vat_percent), (Some(1190.0), Some(19.0)));
        let sold =
            read("Compare the two prices: I sell 45 units a day at $10, I sell 52 units a day at $8, it costs me $4")
                .unwrap();
        assert_eq!((sold.history.map(|sales| sales.len()), sold.unit_cost), (Some(2), Some(4.0)));
    }

    #[test]
    fn what_is_not_clear_is_a_question() {
        for (task, expect) in [
            ("best price: at 9 we sold 50 a month, at 12 we sold 8 a week", "different length"),
            ("best price between 10 and 12, at least 9: at 9 we sold 5, at 12 we sold 3", "contradict"),
            ("best price for revenue: at €9 we sold 5, at $12 we sold 3", "currency"),
            ("best price: 9: 5, 12: 3", "which number of each pair"),
            ("what is the best price our competitor set", "does not know"),
            ("best price\nprice,units\n9,5\n10,4,3", "cells"),
            ("what is the best price? Unit cost 60, price 80", "which sales"),
            ("should we raise the price: at 9 we sold 5, at 12 we sold 3", "today's price"),
            ("what is the margin: price 80, 20 % VAT", "margin does not follow"),
            ("what happens to profit if we cut the price by 10 %, margin 40 %", "does not follow"),
            ("unit sales fell by 5 %", "by how much does the price"),
            ("what is the best price? Unit cost 5", "which sales"),
            ("best price: at 9 we sold 5, at 9 we sold 6", "one price"),
        ] {
            let found = read(task).err().unwrap_or_default();
            assert!(found.contains(expect), "{task}: {found}");
        }
    }
}
