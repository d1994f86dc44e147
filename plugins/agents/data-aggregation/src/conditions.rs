//! Conditions in a request: cells that it names, and which figure each belongs to.

mod days;
mod numbers;

use std::collections::BTreeMap;

use agent_common::columns::fold;
use agent_common::dates;
use agent_common::marks::Mark;
use agent_common::tokens::Sort;
use tollbridge_sdk::Error;

use crate::filter::Filter;
use crate::query::{Key, Query};
use crate::reader::Reader;
use crate::words;

/// Reads all conditions; an error where one speaks of what is not in the table.
pub fn read(reader: &mut Reader<'_>, query: &mut Query) -> Result<(), Error> {
    cells(reader, query);
    days::read(reader, query)?;
    weekdays(reader, query);
    numbers::read(reader, query)?;
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
        if reader.is_used(at) {
            continue;
        }
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

/// `on the weekend`, `Saturday and Sunday`, `without Mondays`: days of a column of dates.
fn weekdays(reader: &mut Reader<'_>, query: &mut Query) {
    let days = reader.sheet.of_kind(agent_common::sheet::Kind::Day);
    let Some(column) = days.first().copied() else { return };
    let (mut wanted, mut denied): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    let mut named = false;
    for at in 0..reader.pieces.len() {
        let Some(piece) = reader.piece(at).filter(|piece| piece.is_word() && !reader.is_used(at)) else { continue };
        let text = piece.text.trim_end_matches('s').to_owned();
        let own: Vec<u32> = match text.as_str() {
            "weekend" | "wochenende" | "week-end" => vec![5, 6],
            "workday" | "werktag" => vec![0, 1, 2, 3, 4],
            "weekday" if !reader.is(at.wrapping_sub(1), words::BY) => vec![0, 1, 2, 3, 4],
            word if word.len() > 5 => dates::weekday(word).into_iter().collect(),
            _ => Vec::new(),
        };
        // `the 3rd was a Monday` only explains.
        let explains =
            at > 1 && reader.is(at - 1, &["a", "ein", "un"]) && reader.is(at - 2, &["was", "is", "war", "ist"]);
        if own.is_empty() {
            continue;
        }
        reader.mark(at, at + 1);
        if explains {
            continue;
        }
        let list = if is_negated(reader, at) { &mut denied } else { &mut wanted };
        named |= own.len() == 1;
        list.extend(own);
    }
    wanted.sort_unstable();
    wanted.dedup();
    let together = reader.says_any(&["together", "combined", "zusammen", "weekend", "weekends", "total"]);
    if wanted.len() > 1 && named && !together && query.keys.is_empty() {
        query.keys.push(Key { column, unit: Some(crate::query::Unit::Weekday) });
    }
    if !wanted.is_empty() {
        query.filters.push(Filter::Weekday(column, wanted));
    }
    if !denied.is_empty() {
        let rest = (0..7).filter(|day| !denied.contains(day)).collect();
        query.filters.push(Filter::Weekday(column, rest));
    }
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
    let text = |texts: &[String]| texts.iter().any(|text| fold(text) == piece.text || text == &piece.text);
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
