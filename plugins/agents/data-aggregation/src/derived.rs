//! Measures that columns make together: revenue is price times quantity.

use agent_common::columns::{self, name_words};
use agent_common::formula::{Formula, Step};
use agent_common::sheet::{Kind, Sheet};
use tollbridge_sdk::Error;

use crate::reader::Reader;
use crate::refusal::missing;

const REVENUE: &[&str] = &[
    "revenue",
    "revenues",
    "umsatz",
    "umsatze",
    "gesamtumsatz",
    "turnover",
    "sales",
    "takings",
    "earnings",
    "bill",
    "invoice",
    "ingresos",
    "fatturato",
    "faturamento",
    "omzet",
    "spend",
    "worth",
    "gesamtwert",
    "warenwert",
];
const PROFIT: &[&str] =
    &["profit", "profits", "gewinn", "benefice", "beneficio", "winst", "utile", "lucro", "earnings"];

/// The words before a formula are its name: `scrap rate = scrap / pieces`, `balance (debit minus credit)`.
pub fn use_name(reader: &mut Reader<'_>, from: usize) {
    let mut at = from;
    while let Some(before) = at.checked_sub(1) {
        if reader.is(before, &[".", "?", "!", ";", ","]) || from - before > 8 {
            break;
        }
        at = before;
    }
    let signed = (at..from).any(|at| reader.is(at, &["=", "(", ":", "as", "is", "means", "i"]));
    if signed {
        for place in at..from {
            if reader.is_unknown(place) {
                // `cost per employee = …` is a name as a whole.
                let by = usize::from(place > 0 && reader.is(place - 1, &["per", "pro", "je"]));
                reader.mark(place - by, place + 1);
            }
        }
    }
}

/// A measure that the request names and no column has.
pub fn find(reader: &mut Reader<'_>) -> Result<(), Error> {
    for at in 0..reader.pieces.len() {
        let Some(piece) = reader.piece(at) else { break };
        if !piece.is_word() {
            continue;
        }
        let word = piece.text.clone();
        let sheet = reader.sheet;
        if REVENUE.contains(&word.as_str())
            || (word == "value" && reader.is(at.wrapping_sub(1), &["total", "stock", "inventory"]))
        {
            if let Some(formula) = revenue(sheet) {
                reader.formula = Some((formula, at, at + 1));
                let from = if word == "value" { at.saturating_sub(1) } else { at };
                reader.mark(from, at + 1);
                return Ok(());
            }
            if REVENUE.iter().take(6).any(|one| *one == word) && !sheet.table.headless && one_amount(sheet).is_none() {
                return Err(missing(format!(
                    "for \"{word}\" the table needs an amount, or a price and a quantity; it has {}",
                    sheet.table.columns.join(", ")
                )));
            }
            if let Some(column) = one_amount(sheet).filter(|_| REVENUE.iter().take(6).any(|one| *one == word)) {
                reader.formula = Some((Formula::Column(column), at, at + 1));
                reader.mark(at, at + 1);
                return Ok(());
            }
        }
        if PROFIT.contains(&word.as_str()) {
            let formula = profit(sheet).ok_or_else(|| {
                missing(format!(
                    "for the profit the table needs what was spent: add a column of costs beside {}",
                    sheet.table.columns.join(", ")
                ))
            })?;
            reader.formula = Some((formula, at, at + 1));
            reader.mark(at, at + 1);
            return Ok(());
        }
    }
    Ok(())
}

/// `weighted average price by quantity`: the first column named, weighted by the other.
pub fn weighted(reader: &mut Reader<'_>) {
    let Some(at) =
        (0..reader.pieces.len()).find(|at| reader.is(*at, &["weighted", "gewichtet", "gewichtete", "gewichteter"]))
    else {
        return;
    };
    let named = (0..reader.pieces.len())
        .filter_map(|at| reader.column(at))
        .filter(|column| reader.sheet.measures().contains(column));
    let mut columns: Vec<usize> = Vec::new();
    for column in named.chain(reader.sheet.measures()) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    let [value, weight] = columns.as_slice() else { return };
    let formula =
        Formula::Both(Box::new(both(*value, Step::Times, *weight)), Step::Over, Box::new(Formula::Column(*weight)));
    reader.formula = Some((formula, at, at + 1));
    for place in 0..reader.pieces.len() {
        if reader.column(place).is_some_and(|column| column == *value || column == *weight)
            || reader.is(place, &["weights", "weight", "weighting"])
        {
            reader.mark(place, place + 1);
        }
    }
    reader.mark(at, at + 1);
}

/// The column of a concept, if it is the only one of numbers.
fn of_concept(sheet: &Sheet, word: &str) -> Option<usize> {
    let concept = columns::concept(word);
    let fits = |at: &usize| {
        name_words(sheet.name(*at))
            .iter()
            .any(|own| own == word || (concept.is_some() && columns::concept(own) == concept))
    };
    let found: Vec<usize> = sheet.of_kind(Kind::Number).into_iter().filter(fits).collect();
    let [one] = found.as_slice() else { return None };
    Some(*one)
}

fn revenue(sheet: &Sheet) -> Option<Formula> {
    let (price, quantity) = (
        of_concept(sheet, "price").or_else(|| of_concept(sheet, "cost"))?,
        of_concept(sheet, "quantity").or_else(|| of_concept(sheet, "hours"))?,
    );
    (price != quantity).then(|| both(quantity, Step::Times, price))
}

fn both(a: usize, step: Step, b: usize) -> Formula {
    Formula::Both(Box::new(Formula::Column(a)), step, Box::new(Formula::Column(b)))
}

/// The only column of money.
fn one_amount(sheet: &Sheet) -> Option<usize> {
    of_concept(sheet, "revenue").or_else(|| of_concept(sheet, "amount"))
}

fn profit(sheet: &Sheet) -> Option<Formula> {
    let cost = of_concept(sheet, "cost")?;
    if let Some(revenue) = of_concept(sheet, "revenue") {
        return Some(both(revenue, Step::Minus, cost));
    }
    let (price, quantity) =
        (of_concept(sheet, "price").or_else(|| of_concept(sheet, "cost"))?, of_concept(sheet, "quantity"));
    let unit = both(price, Step::Minus, cost);
    Some(match quantity {
        Some(quantity) => Formula::Both(Box::new(unit), Step::Times, Box::new(Formula::Column(quantity))),
        None => unit,
    })
}
