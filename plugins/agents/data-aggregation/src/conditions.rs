//! Conditions in a request: cells that it names, comparisons, days.

use std::collections::BTreeMap;

use agent_common::dates::{self, Date};
use agent_common::exact::Exact;
use agent_common::marks::Mark;
use agent_common::tokens::Sort;
use tollbridge_sdk::Error;

use crate::filter::{Bounds, Filter};
use crate::query::{Key, Query};
use crate::reading::{Reader, missing};
use crate::sheet::Kind;
use crate::words;

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

/// Reads all conditions; an error where one speaks of what is not in the table.
pub fn read(reader: &mut Reader<'_>, query: &mut Query) -> Result<(), Error> {
    cells(reader, query);
    days(reader, query)?;
    numbers(reader, query)?;
    emptiness(reader, query);
    Ok(())
}

fn is_negated(reader: &Reader<'_>, at: usize) -> bool {
    let from = at.saturating_sub(4);
    (from..at).rev().take_while(|at| !reader.is(*at, &[".", ";", "?", ","])).any(|at| reader.is(at, words::NOT))
}

fn cells(reader: &mut Reader<'_>, query: &mut Query) {
    let mut wanted: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut denied: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut last_denied = None;
    for at in 0..reader.pieces.len() {
        let Some(Mark::Cell(columns, cell)) = reader.piece(at).map(|piece| piece.mark.clone()) else { continue };
        let near =
            (at.saturating_sub(3)..at).rev().find_map(|at| reader.column(at)).filter(|column| columns.contains(column));
        let Some(column) = near.or_else(|| columns.first().copied()) else { continue };
        let listed =
            at > 1 && reader.is(at - 1, &["and", "or", ",", "und", "oder", "nor"]) && last_denied == Some(column);
        if is_negated(reader, at) || listed {
            denied.entry(column).or_default().push(cell);
            last_denied = Some(column);
        } else {
            wanted.entry(column).or_default().push(cell);
            last_denied = None;
        }
        reader.mark(at, at + 1);
        if near.is_some() {
            let from = (at.saturating_sub(3)..at).rev().find(|at| reader.column(*at) == near).unwrap_or(at);
            reader.mark(from, at);
        }
    }
    for (column, texts) in denied {
        query.filters.push(Filter::Not(column, texts));
    }
    for (column, mut texts) in wanted {
        texts.dedup();
        let together = reader.says_any(&["together", "combined", "zusammen"]);
        if texts.len() > 1 && query.keys.is_empty() && !together {
            query.keys.push(Key { column, unit: None });
        }
        query.filters.push(Filter::Among(column, texts));
    }
}

fn days(reader: &mut Reader<'_>, query: &mut Query) -> Result<(), Error> {
    let column = reader.sheet.of_kind(Kind::Day).first().copied();
    let mut at = 0;
    while at < reader.pieces.len() {
        let Some(piece) = reader.piece(at) else { break };
        if let Sort::Day(day) = piece.token.sort {
            let Some(column) = column else {
                at += 1;
                continue;
            };
            let filter = match next_day(reader, at) {
                Some(other)
                    if (at.saturating_sub(3)..at)
                        .any(|at| reader.is(at, &["between", "from", "zwischen", "von", "entre"])) =>
                {
                    reader.mark(at, at + 3);
                    at += 2;
                    Bounds { low: Some((day, true)), high: Some((other, true)) }
                }
                _ => span(reader, at, day, day),
            };
            reader.mark(at, at + 1);
            query.filters.push(Filter::Day(column, filter));
        } else if let Some(month) = month(reader, at) {
            let year = [at + 1, at + 2].into_iter().find_map(|at| year(reader, at));
            month_filter(reader, query, at, month, year)?;
            reader.mark(at, at + 1);
            if let Some((_, place)) =
                year.zip([at + 1, at + 2].into_iter().find(|at| self::year(reader, *at).is_some()))
            {
                reader.mark(place, place + 1);
            }
        } else if let Some((quarter, column)) = quarter(reader, at).zip(column) {
            let year =
                [at + 1, at + 2].into_iter().find_map(|at| year(reader, at)).or_else(|| only_year(reader, column));
            if let Some((low, high)) = year.and_then(|year| quarter_days(year, quarter)) {
                query.filters.push(Filter::Day(column, Bounds { low: Some((low, true)), high: Some((high, true)) }));
                reader.mark(at, at + 1);
                if let Some(place) = [at + 1, at + 2].into_iter().find(|at| self::year(reader, *at).is_some()) {
                    reader.mark(place, place + 1);
                }
            }
        }
        at += 1;
    }
    Ok(())
}

fn next_day(reader: &Reader<'_>, at: usize) -> Option<Date> {
    let joined = reader.is(at + 1, &["and", "to", "until", "-", "–", "bis", "und", "till", "through", "et"]);
    match reader.piece(at + 2)?.token.sort {
        Sort::Day(day) if joined => Some(day),
        _ => None,
    }
}

fn month(reader: &Reader<'_>, at: usize) -> Option<u32> {
    let piece = reader.piece(at)?;
    let whole = piece.is_word() && !reader.is_used(at) && piece.text.len() > 3;
    let said = piece.text == "may" && reader.is(at.wrapping_sub(1), &["in", "of", "for", "during", "since", "until"]);
    (whole || said).then(|| dates::month(&piece.text)).flatten()
}

fn quarter(reader: &Reader<'_>, at: usize) -> Option<u32> {
    let piece = reader.piece(at).filter(|piece| piece.mark == Mark::Other)?;
    let digit = piece.text.strip_prefix('q')?;
    digit.parse().ok().filter(|quarter| (1..=4).contains(quarter))
}

fn quarter_days(year: i32, quarter: u32) -> Option<(Date, Date)> {
    let first = Date::new(year, quarter * 3 - 2, 1)?;
    Some((first, first.plus_months(3).plus_days(-1)))
}

fn only_year(reader: &Reader<'_>, column: usize) -> Option<i32> {
    let mut years: Vec<i32> =
        (0..reader.sheet.table.rows.len()).filter_map(|row| Some(reader.sheet.day(row, column)?.year)).collect();
    years.sort_unstable();
    years.dedup();
    if let [one] = years.as_slice() { Some(*one) } else { None }
}

fn year(reader: &Reader<'_>, at: usize) -> Option<i32> {
    let piece = reader.piece(at).filter(|_| !reader.is_used(at))?;
    let digits = (piece.text.len() == 4).then(|| piece.text.parse::<i32>().ok()).flatten()?;
    (1900..=2100).contains(&digits).then_some(digits)
}

fn month_filter(reader: &Reader<'_>, query: &mut Query, at: usize, month: u32, year: Option<i32>) -> Result<(), Error> {
    if let Some(column) = reader.sheet.of_kind(Kind::Day).first().copied() {
        let filter = match year.and_then(|year| Date::new(year, month, 1)) {
            Some(first) => Filter::Day(column, span(reader, at, first, first.plus_months(1).plus_days(-1))),
            None => Filter::Month(column, month),
        };
        query.filters.push(filter);
        return Ok(());
    }
    let sheet = reader.sheet;
    for column in sheet.of_kind(Kind::Text) {
        let cells = sheet.table.cells(column);
        let first = |cell: &str| cell.split([' ', '-', '/']).next().and_then(|word| dates::month(&word.to_lowercase()));
        if cells.iter().all(|cell| first(cell).is_some()) {
            let own: Vec<String> =
                cells.iter().filter(|cell| first(cell) == Some(month)).map(|cell| (*cell).to_owned()).collect();
            if own.is_empty() {
                let word = reader.piece(at).map(|piece| piece.text.clone()).unwrap_or_default();
                return Err(missing(format!(
                    "the table has no rows of {word} to work with: add them, or ask about what is in {}",
                    sheet.name(column)
                )));
            }
            query.filters.push(Filter::Among(column, own));
            return Ok(());
        }
    }
    Err(missing("the table has no column of dates for the month that is asked for: add it".into()))
}

/// `since`, `before`, `after`: bounds around a span of days.
fn span(reader: &Reader<'_>, at: usize, first: Date, last: Date) -> Bounds<Date> {
    let before = |texts: &[&str]| (at.saturating_sub(2)..at).any(|at| reader.is(at, texts));
    if before(&["after", "nach", "later"]) {
        Bounds { low: Some((last, false)), high: None }
    } else if before(&["since", "from", "seit", "ab", "depuis", "starting"]) {
        Bounds { low: Some((first, true)), high: None }
    } else if before(&["before", "vor", "earlier", "avant"]) {
        Bounds { low: None, high: Some((first, false)) }
    } else if before(&["until", "till", "bis", "through", "by", "jusqu'au"]) {
        Bounds { low: None, high: Some((last, true)) }
    } else {
        Bounds { low: Some((first, true)), high: Some((last, true)) }
    }
}

fn numbers(reader: &mut Reader<'_>, query: &mut Query) -> Result<(), Error> {
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

fn year_filter(reader: &Reader<'_>, at: usize, year: i32) -> Option<Filter> {
    let sheet = reader.sheet;
    if let Some(column) = sheet.of_kind(Kind::Day).first().copied() {
        let (first, last) = (Date::new(year, 1, 1)?, Date::new(year, 12, 31)?);
        let some = (0..sheet.table.rows.len()).any(|row| sheet.day(row, column).is_some_and(|day| day.year == year));
        return some.then(|| Filter::Day(column, span(reader, at, first, last)));
    }
    let column = sheet.of_kind(Kind::Number).into_iter().find(|column| {
        sheet.is_label(*column)
            && (0..sheet.table.rows.len()).any(|row| sheet.number(row, *column) == Some(Exact::whole(i64::from(year))))
    })?;
    let number = Exact::whole(i64::from(year));
    let days = span(reader, at, Date::new(year, 1, 1)?, Date::new(year, 12, 31)?);
    let bound = |side: Option<(Date, bool)>| side.map(|(_, within)| (number, within));
    Some(Filter::Number(column, Bounds { low: bound(days.low), high: bound(days.high) }))
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
    let column = before.or(after).or(only)?;
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

/// `with an e-mail`, `where city is missing`.
fn emptiness(reader: &mut Reader<'_>, query: &mut Query) {
    for at in 0..reader.pieces.len() {
        if !reader.is(at, &["missing", "empty", "blank"]) || reader.is_used(at) || reader.is(at + 1, &["=", ")"]) {
            continue;
        }
        let near = (at.saturating_sub(3)..at).rev().chain(at + 1..at + 4).find_map(|at| reader.column(at));
        if let Some(column) = near.filter(|_| !reader.is(at + 1, &["="])) {
            let filter = if is_negated(reader, at) { Filter::Full(column) } else { Filter::Empty(column) };
            query.filters.push(filter);
            reader.mark(at, at + 1);
        }
    }
}

/// Conditions that stand in the last clause with a figure of its own belong to that figure alone.
pub fn place(reader: &Reader<'_>, query: &mut Query) {
    let Some(comma) = (0..reader.pieces.len()).rev().find(|at| reader.is(*at, &[","])) else { return };
    let formula_there = reader.formula.as_ref().is_some_and(|(_, start, _)| *start > comma);
    let own_column = |at: usize| {
        reader.column(at).is_some_and(|column| reader.sheet.measures().contains(&column))
            || (formula_there && reader.formula.as_ref().is_some_and(|(_, start, _)| *start == at))
    };
    let own = (comma + 1..reader.pieces.len()).any(own_column);
    let earlier = (0..comma).any(own_column);
    if query.asks.len() < 2 || !own || !earlier || !query.keys.is_empty() {
        return;
    }
    let there = |filter: &Filter| {
        (0..reader.pieces.len()).filter(|at| is_of(reader, *at, filter)).all(|at| at > comma)
            && (comma + 1..reader.pieces.len()).any(|at| is_of(reader, at, filter))
    };
    let (local, rest): (Vec<Filter>, Vec<Filter>) = query.filters.drain(..).partition(there);
    query.filters = rest;
    if let Some(last) = query.asks.last_mut() {
        last.filters.extend(local);
    }
}

fn is_of(reader: &Reader<'_>, at: usize, filter: &Filter) -> bool {
    let Some(piece) = reader.piece(at) else { return false };
    let text = |texts: &[String]| {
        texts.iter().any(|text| agent_common::columns::fold(text) == piece.text || text == &piece.text)
    };
    match (filter, &piece.mark) {
        (Filter::Among(_, texts) | Filter::Not(_, texts), Mark::Cell(_, cell)) => texts.contains(cell),
        (Filter::Among(_, texts) | Filter::Not(_, texts), Mark::Other) => text(texts),
        (Filter::Day(..), _) => matches!(piece.token.sort, Sort::Day(_)) || year_like(&piece.text),
        (Filter::Number(..), Mark::Other) => piece.token.number().is_some(),
        (Filter::Month(..), Mark::Other) => dates::month(&piece.text).is_some(),
        _ => false,
    }
}

fn year_like(text: &str) -> bool {
    text.len() == 4 && text.parse::<u32>().is_ok_and(|year| (1900..=2100).contains(&year))
}
