//! Numbers that rows are compared with.

use std::collections::BTreeMap;

use agent_common::exact::Exact;
use agent_common::marks::Mark;
use agent_common::sheet::Kind;
use agent_common::tokens::Sort;
use tollbridge_sdk::Error;

use super::days::{year, year_filter};
use crate::filter::{Bounds, Filter};
use crate::query::{Key, Query};
use crate::reader::Reader;
use crate::refusal::missing;

const OVER: &[&str] = &[
    "over",
    "above",
    "more",
    "greater",
    ">",
    "exceeding",
    "exceed",
    "exceeds",
    "uber",
    "mehr",
    "larger",
    "higher",
    "older",
    "bigger",
    "longer",
    "after",
    "since",
    "from",
    "ab",
    "seit",
    "nach",
    "plus",
    "later",
];

const UNDER: &[&str] = &[
    "under", "below", "less", "<", "fewer", "unter", "weniger", "smaller", "lower", "younger", "shorter", "before",
    "until", "bis", "vor", "moins", "cheaper", "earlier", "till",
];

/// Reads comparisons, years and numbers that cells have.
pub fn read(reader: &mut Reader<'_>, query: &mut Query) -> Result<(), Error> {
    let mut equal: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for at in 0..reader.pieces.len() {
        let Some(number) =
            reader.piece(at).filter(|piece| piece.mark == Mark::Other).and_then(|piece| piece.token.number())
        else {
            continue;
        };
        if reader.is_used(at) {
            continue;
        }
        if let Some(year) = year(reader, at)
            && let Some(filter) = year_filter(reader, at, year)
        {
            query.filters.push(filter);
            reader.mark(at, at + 1);
            continue;
        }
        if let Some(filter) = comparison(reader, at, number) {
            query.filters.push(filter);
            continue;
        }
        let holds = |column: usize| {
            (0..reader.sheet.table.rows.len()).any(|row| reader.sheet.number(row, column) == Some(number))
        };
        let near = (at.saturating_sub(3)..at).rev().find_map(|at| reader.column(at)).filter(|column| holds(*column));
        let all: Vec<usize> = reader.sheet.of_kind(Kind::Number).into_iter().filter(|column| holds(*column)).collect();
        let labels: Vec<usize> = all.iter().copied().filter(|column| reader.sheet.is_label(*column)).collect();
        let column = near.or(match (labels.as_slice(), all.as_slice()) {
            ([one], _) | ([], [one]) => Some(*one),
            _ => None,
        });
        let small = number.is_whole() && number < Exact::whole(32) && near.is_none();
        let counts = reader.piece(at + 1).is_some_and(|piece| piece.token.sort == Sort::Word);
        match column {
            Some(column) if !(small && counts) => {
                let text = (0..reader.sheet.table.rows.len())
                    .find(|row| reader.sheet.number(*row, column) == Some(number))
                    .map(|row| reader.sheet.cell(row, column).to_owned());
                equal.entry(column).or_default().extend(text);
                reader.mark(at, at + 1);
                if let Some(place) = (at.saturating_sub(3)..at).rev().find(|at| reader.column(*at) == Some(column)) {
                    reader.mark(place, at);
                }
            }
            _ if small || reader.is(at + 1, &["decimal", "decimals", "places", "digits"]) => {}
            _ => {
                let text = reader.piece(at).map(|piece| piece.text.clone()).unwrap_or_default();
                return Err(missing(format!(
                    "no row of the table has {text}: say what it stands for, or add those rows"
                )));
            }
        }
    }
    for (column, mut texts) in equal {
        texts.dedup();
        if texts.len() > 1 && query.keys.is_empty() {
            query.keys.push(Key { column, unit: None });
        }
        query.filters.push(Filter::Among(column, texts));
    }
    Ok(())
}

/// `over 100`, `at least 5`, `between 3 and 8`, `>= 2`.
fn comparison(reader: &mut Reader<'_>, at: usize, number: Exact) -> Option<Filter> {
    let back = |n: usize, texts: &[&str]| at.checked_sub(n).is_some_and(|at| reader.is(at, texts));
    let second = reader
        .is(at + 1, &["and", "to", "und", "-", "–", "bis", "et"])
        .then(|| reader.piece(at + 2)?.token.number())
        .flatten();
    let between = back(1, &["between", "zwischen", "entre"]) || (back(1, &["from", "von"]) && second.is_some());
    let (bounds, from, to) = if let Some(high) = second.filter(|_| between) {
        (Bounds { low: Some((number, true)), high: Some((high, true)) }, at.saturating_sub(1), at + 3)
    } else if back(1, &["least", "mindestens", "minimum", ">=", "≥"])
        || reader.is(at + 1, &["+"])
        || (reader.is(at + 1, &["or", "and"]) && reader.is(at + 2, &["more", "above", "over", "older", "higher"]))
    {
        (Bounds { low: Some((number, true)), high: None }, at.saturating_sub(2), at + 3)
    } else if back(1, &["most", "hochstens", "maximum", "<=", "≤"])
        || (reader.is(at + 1, &["or", "and"]) && reader.is(at + 2, &["less", "below", "under", "fewer", "lower"]))
        || (back(1, &["to"]) && back(2, &["up"]))
    {
        (Bounds { low: None, high: Some((number, true)) }, at.saturating_sub(2), at + 3)
    } else if (back(1, OVER) || (back(1, &["than", "als", "que", "de"]) && back(2, OVER)))
        && !back(1, &["from", "ab", "plus"])
    {
        (Bounds { low: Some((number, false)), high: None }, at.saturating_sub(2), at + 1)
    } else if back(1, UNDER) || (back(1, &["than", "als", "que", "de"]) && back(2, UNDER)) {
        (Bounds { low: None, high: Some((number, false)) }, at.saturating_sub(2), at + 1)
    } else if back(1, &["=", "equals", "exactly", "equal", "=="]) {
        (Bounds::exactly(number), at.saturating_sub(1), at + 1)
    } else {
        return None;
    };
    let numeric = |column: &usize| reader.sheet.kind(*column) == Kind::Number;
    let before = (at.saturating_sub(7)..at).rev().find_map(|at| reader.column(at).filter(numeric));
    let after = (at + 1..at + 4).find_map(|at| reader.column(at).filter(numeric));
    let only = match reader.sheet.measures().as_slice() {
        [one] => Some(*one),
        _ => None,
    };
    // `orders over 100 euros`: a number of an order is not compared.
    let measured = |column: usize| reader.sheet.measures().contains(&column);
    let amount = reader.is(at + 1, &["euro", "euros", "eur", "usd", "gbp", "dollars", "pounds", "€", "$", "£"]);
    let open =
        before.filter(|column| measured(*column) || !amount).or(after.filter(|column| measured(*column) || !amount));
    let column = open.or(only).or(before).or(after)?;
    let clear = (from..to)
        .filter(|at| !reader.is(*at, &["and", "or", ","]) && reader.column(*at).is_none())
        .collect::<Vec<_>>();
    for place in clear {
        let keeps = place > at
            && second.is_none()
            && !reader.is(
                place,
                &["more", "above", "over", "older", "higher", "less", "below", "under", "fewer", "lower", "+"],
            );
        if !keeps {
            reader.mark(place, place + 1);
        }
    }
    Some(Filter::Number(column, bounds))
}
