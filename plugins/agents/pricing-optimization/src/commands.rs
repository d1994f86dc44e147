//! The closed list of commands in words.

use std::collections::BTreeSet;

use agent_common::command::{Grammar, Reading, Slots};
use agent_common::form::Draft;
use agent_common::lexer::{self, Token};
use agent_common::material::{self, Tables};
use agent_common::slots::{self, Common};
use agent_common::table::Table;
use serde_json::{Value, json};
use tollbridge_sdk::Error;

use crate::input::{Calculation, Input, Objective};
use crate::sales;

/// The published list.
pub(crate) const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`what is the best price? Unit cost 6` with a table of `price` and `quantity`, `at 29 we sold \
    212, at 39 we sold 188`, `we cut the price by 10 %`, `selling price for a margin of 40 % at a unit cost of 12`";

/// Currencies with their signs and words.
const CURRENCIES: [(&str, &str); 5] =
    [("EUR", "€|eur|euro"), ("USD", "$|usd|dollar"), ("GBP", "£|gbp|pound"), ("CHF", "chf"), ("JPY", "¥")];
const TIMES: &str = "a day|per day|a week|per week|a month|per month|a year|per year";
const FIGURES: &str = "profit per unit|discounted price|selling price|gross price|net price|break even|break-even|\
    breakeven|discount|margin|markup|revenue|profit|price|vat";

fn currency(token: &Token) -> Option<&'static str> {
    let word = token.lower.trim_end_matches('s');
    CURRENCIES.iter().find(|(_, names)| names.split('|').any(|name| name == word)).map(|(code, _)| *code)
}

/// The slots: amounts of money, figures, units of time, and the columns of the table.
struct Words {
    columns: Vec<String>,
}

impl Slots for Words {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        let one = |read: Option<(usize, Value)>| read.into_iter().collect();
        let last_word = |phrase: &str| json!(phrase.rsplit(' ').next());
        match kind {
            "time" => one(longest(TIMES, tokens).map(|(length, phrase)| (length, last_word(phrase)))),
            "figure" => one(longest(FIGURES, tokens).map(|(length, phrase)| (length, json!(figure(phrase))))),
            "money" => one(money(tokens)),
            "column" => slots::longest(&self.columns, tokens),
            _ => Common.read(kind, tokens),
        }
    }
}

/// Returns the longest phrase of a list that the tokens begin with, and its length.
fn longest<'p>(phrases: &'p str, tokens: &[Token]) -> Option<(usize, &'p str)> {
    let length = |phrase: &str| {
        let count = phrase.split(' ').count();
        tokens.get(..count)?.iter().map(|token| token.lower.as_str()).eq(phrase.split(' ')).then_some(count)
    };
    phrases.split('|').filter_map(|phrase| Some((length(phrase)?, phrase))).max()
}

/// Returns the part of its name that a figure has in an answer.
fn figure(phrase: &str) -> &str {
    match phrase {
        "selling price" | "net price" => "price",
        "break even" | "breakeven" => "break-even",
        name => name,
    }
}

fn money(tokens: &[Token]) -> Option<(usize, Value)> {
    let sign = usize::from(tokens.first().and_then(currency).is_some());
    let (length, value) = slots::number(tokens.get(sign..)?)?;
    let end = sign + length;
    let percent = tokens.get(end).is_some_and(|token| matches!(token.lower.as_str(), "%" | "percent"));
    let behind = usize::from(sign == 0 && tokens.get(end).and_then(currency).is_some());
    (!percent).then_some((end + behind, json!(value.parse::<f64>().ok()?)))
}

/// Reads a task in words.
///
/// # Errors
/// A table whose rows differ in length.
pub fn draft(task: &str) -> Result<Draft<Input>, Error> {
    let grammar = Grammar::new(COMMANDS);
    let Tables { command, tables } = material::tables(task)?;
    let words = Words { columns: tables.iter().flat_map(|table| table.columns.clone()).collect() };
    let (mut reading, mut text) = (grammar.read(&command, &words), String::new());
    if tables.is_empty() && !reading.unread.is_empty() {
        let split = material::text(task, &grammar, &words);
        (reading, text) = (split.reading, split.text);
    }
    for (_, percent) in
        reading.found.iter_mut().filter(|found| found.clause == "down").flat_map(|found| &mut found.slots)
    {
        *percent = json!(percent.as_f64().map(|percent| -percent));
    }
    let mut draft = reading.draft::<Input>(SHOWN);
    let form = &mut draft.form;
    let read = history(&reading, &tables, &text, form).and_then(|()| one_currency(&command));
    let read = read.and_then(|()| one_basis(form)).and_then(|()| answered(&reading, form));
    draft.question = draft.question.or(read.err());
    Ok(draft)
}

/// Adds the sales of the material.
fn history(reading: &Reading, tables: &[Table], text: &str, form: &mut Input) -> Result<(), String> {
    let named = |(what, column): &(String, Value)| (what.clone(), column.as_str().unwrap_or_default().to_owned());
    let named: Vec<(String, String)> = reading.all("column").flat_map(|found| found.slots.iter().map(named)).collect();
    form.history = match (tables, form.history.take(), sales::of_pairs(text)) {
        ([table], None, _) => Some(sales::of_table(table, &named)?),
        ([], sold, _) if text.is_empty() => sold,
        ([], None, Some(pairs)) if reading.all("pairs").next().is_some() => Some(pairs),
        ([], None, Some(_)) => {
            return Err(
                "which number of each pair is the price? Say `prices and quantities` for `PRICE: QUANTITY`".into()
            );
        }
        _ => return Err("which are the sales? Give one table, or one list of pairs `PRICE: QUANTITY`".into()),
    };
    let times: BTreeSet<String> = reading.all("sold").map(|found| found.text("every")).collect();
    if times.len() > 1 {
        return Err(
            "the sales are of periods of different length; give all of them for a week, or all for a month".into()
        );
    }
    Ok(())
}

fn one_currency(command: &str) -> Result<(), String> {
    let codes: BTreeSet<&str> = lexer::tokens(command).iter().filter_map(currency).collect();
    let codes: Vec<&str> = codes.into_iter().collect();
    match codes.len() {
        0 | 1 => Ok(()),
        _ => Err(format!("the amounts are in {}; give them in one currency", codes.join(" and "))),
    }
}

/// Moves the figures that a change of the price needs to the change.
fn one_basis(form: &mut Input) -> Result<(), String> {
    if form.bases() == 0 {
        let text = "which sales? Give a table with the columns `price` and `quantity`, or `at 29 we sold 212, at 39 \
            we sold 188`";
        return Err(text.into());
    }
    if let Some(change) = &mut form.change {
        let figures = form.calculate.take().unwrap_or_default();
        let Calculation { price, quantity, margin_percent, .. } = figures;
        let used = Calculation { price, quantity, margin_percent, ..Calculation::default() };
        if figures != used || change.price.and(price).is_some() || change.quantity.and(quantity).is_some() {
            return Err("a change of the price and other figures are two questions; ask one at a time".into());
        }
        change.price = change.price.or(price);
        change.quantity = change.quantity.or(quantity);
        change.margin_percent = margin_percent;
    }
    crate::check_bases(form).map_err(|error| error.message().to_owned())
}

/// Returns a question if the answer would not have what the command asks for.
fn answered(reading: &Reading, form: &mut Input) -> Result<(), String> {
    let has = |name: &str| reading.all(name).next().is_some();
    let effects = reading.all("effect").map(|found| format!("{} change", found.text("what")));
    let mut wanted: Vec<String> = reading.all("ask").map(|found| found.text("what")).chain(effects).collect();
    if form.calculate.is_some() && form.objective.take() == Some(Objective::Revenue) {
        wanted.push("revenue".to_owned());
    }
    if has("decide") && form.current_price.is_none() && form.change.is_none() {
        return Err("what is today's price? Say `current price 12`".into());
    }
    if form.change.is_none() && form.calculate.is_none() {
        return wanted.first().map_or(Ok(()), |name| {
            Err(format!("the {name} of what? Give the figures it follows from, without sales or an elasticity"))
        });
    }
    if has("best") || has("decide") {
        return Err("which sales? A best price needs the units sold at two prices, or an elasticity".into());
    }
    let answer = crate::answer(form).map_err(|error| error.message().to_owned())?;
    if has("askelasticity") && answer.elasticity.is_none() {
        return Err("by how much do the units change? An elasticity needs the changes of price and units".into());
    }
    let missing = wanted.iter().find(|name| !answer.figures.iter().any(|figure| figure.name.contains(name.as_str())));
    missing.map_or(Ok(()), |name| Err(format!("the {name} does not follow from these figures; which one is missing?")))
}
