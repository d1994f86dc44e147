//! What a request groups by, in which order, and how many it wants.

use agent_common::marks::Mark;
use agent_common::number_words;
use agent_common::tokens::Sort;
use tollbridge_sdk::Error;

use crate::query::{Key, Query, Unit};
use crate::reading::{Reader, no_column};
use crate::sheet::Kind;
use crate::words;

const UNITS: &[(&[&str], Unit)] = &[
    (
        &["year", "years", "yearly", "annual", "annually", "jahr", "jahrlich", "annee", "ano", "anno", "calendar"],
        Unit::Year,
    ),
    (&["quarter", "quarters", "quarterly", "quartal", "trimestre"], Unit::Quarter),
    (&["month", "months", "monthly", "monat", "monate", "monatlich", "mois", "mes", "mese", "maand"], Unit::Month),
    (&["week", "weeks", "weekly", "woche", "wochentlich", "semaine", "semana"], Unit::Week),
    (&["weekday", "weekdays", "wochentag", "wochentage"], Unit::Weekday),
];

/// `top 3`, `highest first`, `sorted by price`.
pub fn order(reader: &mut Reader<'_>, query: &mut Query) {
    for at in 0..reader.pieces.len() {
        let Some(piece) = reader.piece(at).cloned() else { break };
        if piece.mark != Mark::Other {
            continue;
        }
        let (down, up) = (words::DOWN.contains(&piece.text.as_str()), words::UP.contains(&piece.text.as_str()));
        let count = |at: usize| {
            reader
                .piece(at)
                .and_then(|piece| {
                    let digits =
                        piece.token.number().filter(|n| n.is_whole()).and_then(|n| n.text().parse::<usize>().ok());
                    digits.or_else(|| number_words::cardinal(&piece.text).and_then(|n| usize::try_from(n).ok()))
                })
                .filter(|n| (1..=100).contains(n))
        };
        if (piece.is_one(&["top", "bottom", "best", "worst"]) || ((down || up) && count(at + 1).is_some()))
            && let Some(n) = count(at + 1)
        {
            query.top = Some(n);
            query.descending = Some(!piece.is_one(&["bottom", "worst"]) && !up);
            reader.mark(at, at + 2);
            continue;
        }
        if (down || up)
            && at > 0
            && count(at - 1).is_some_and(|n| n > 1)
            && !reader.is_used(at - 1)
            && !reader.is(at - 1, &["one"])
        {
            query.top = count(at - 1);
            query.descending = Some(down && !up);
            reader.mark(at - 1, at + 1);
            continue;
        }
        let adjective =
            usize::from((down || up) && reader.is(at + 1, &["expensive", "costly", "popular", "recent", "important"]));
        if adjective > 0 && reader.is(at + 1, &["expensive", "costly"]) {
            reader.mark(at + 1, at + 2);
        }
        let ends = reader.is(at + 1 + adjective, &["first", "zuerst", "to", "on", "d'abord", "auf"]) && (down || up);
        if ends || piece.is_one(&["descending", "desc", "absteigend", "decreasing", "decroissant", "descendente"]) {
            let spans = usize::from(reader.is(at + 1, &["to"]));
            query.descending = Some(down && !(ends && up));
            reader.mark(at, at + 2 + spans + adjective);
        } else if piece.is_one(&[
            "ascending",
            "asc",
            "aufsteigend",
            "increasing",
            "croissant",
            "alphabetical",
            "alphabetically",
        ]) {
            query.descending = Some(false);
            reader.mark(at, at + 1);
        }
    }
    for at in 0..reader.pieces.len() {
        let sorts =
            reader.is(at, &["sort", "sorted", "order", "ordered", "rank", "ranked", "ranking", "sortiere", "sortiert"]);
        let by = (at + 1..at + 5).find(|at| reader.is(*at, &["by", "nach", "par", "por", "on", "according"]));
        if let Some(by) = by.filter(|_| sorts) {
            if let Some((place, column)) = (by + 1..by + 5).find_map(|at| Some((at, reader.column(at)?))) {
                if !reader.sheet.measures().contains(&column) {
                    reader.mark(place, place + 1);
                }
                query.sort_by = Some(column);
                reader.mark(by, by + 1);
                query.descending = query.descending.or(Some(reader.is(at, &["rank", "ranked", "ranking"])));
                reader.mark(at, at + 1);
            }
        } else if sorts && reader.is(at, &["rank", "ranking", "ranked"]) {
            query.descending = query.descending.or(Some(true));
            reader.mark(at, at + 1);
        }
    }
}

/// What stands behind `by`, `per`, `for each`; `monthly` and `yearly`.
pub fn keys(reader: &mut Reader<'_>, query: &mut Query) -> Result<(), Error> {
    for at in 0..reader.pieces.len() {
        if reader.is_used(at) {
            continue;
        }
        let adverb = ["yearly", "annual", "annually", "quarterly", "monthly", "weekly", "jahrlich", "monatlich"];
        if reader.is(at, &adverb) {
            if let Some(key) = unit(reader, at) {
                push(query, key);
                reader.mark(at, at + 1);
            }
            continue;
        }
        let cent = reader.is(at + 1, &["cent"]);
        let sorting = at > 0
            && reader.is(
                at - 1,
                &[
                    "sorted",
                    "sort",
                    "ordered",
                    "ranked",
                    "multiplied",
                    "divided",
                    "followed",
                    "going",
                    "paid",
                    "made",
                    "sold",
                    "done",
                    "written",
                    "placed",
                    "driven",
                ],
            );
        if !reader.is(at, words::BY) || cent || sorting || reader.is(at, &["group", "grouped"]) {
            continue;
        }
        behind(reader, query, at)?;
    }
    Ok(())
}

fn push(query: &mut Query, key: Key) {
    if !query.keys.contains(&key) {
        query.keys.push(key);
    }
}

/// The keys behind a word such as `by`.
fn behind(reader: &mut Reader<'_>, query: &mut Query, by: usize) -> Result<(), Error> {
    let mut at = by + 1;
    let strict = reader.is(by, &["by", "per", "je", "pro", "nach", "par"]);
    while reader.is(
        at,
        &[
            "the",
            "`",
            "\"",
            "'",
            "“",
            "«",
            "der",
            "die",
            "das",
            "each",
            "every",
            "of",
            "different",
            "single",
            "calendar",
            "le",
            "la",
            "jeden",
            "jede",
            "individual",
            "day",
            "our",
            "by",
        ],
    ) && (reader.column(at).is_none())
        && !(reader.is(at, &["day"]) && reader.sheet.of_kind(Kind::Day).len() == 1)
    {
        at += 1;
    }
    loop {
        let ranked = query.top.is_some()
            || query.sort_by.is_some()
            || query.descending.is_some()
            || reader.says_any(&["rank", "ranking", "top"]);
        if let Some(column) = reader.column(at) {
            let measure = reader.sheet.measures().contains(&column);
            let unique = reader.sheet.is_unique(column);
            if measure && (ranked || unique) {
                if ranked {
                    query.sort_by = Some(column);
                }
                return Ok(());
            }
            // `month` where there is a column of days and none of months.
            let own = reader.piece(at).map(|piece| piece.text.clone()).unwrap_or_default();
            let calendar = unit_of(&own).filter(|_| reader.sheet.kind(column) == Kind::Day);
            push(query, Key { column, unit: calendar });
            reader.mark(by, at + 1);
        } else if let Some(key) = unit(reader, at) {
            push(query, key);
            reader.mark(by, at + 1);
        } else if reader.is(at, &["day", "date", "tag"]) && reader.sheet.of_kind(Kind::Day).len() == 1 {
            let column = reader.sheet.of_kind(Kind::Day).first().copied().unwrap_or(0);
            push(query, Key { column, unit: None });
            reader.mark(by, at + 1);
        } else if strict && reader.is_unknown(at) && query.keys.is_empty() {
            let quarter = reader.piece(at).map(|piece| piece.text.clone()).unwrap_or_default();
            if reader.sheet.table.headless && reader.sheet.table.columns.len() == 2 {
                push(query, Key { column: 0, unit: None });
                reader.mark(by, at + 1);
                return Ok(());
            }
            return Err(no_column(reader.sheet, &quarter));
        } else {
            return Ok(());
        }
        let joined = reader.is(at + 1, &["and", "und", "et", ",", "y", "e", "&", "+", "/", "x"]);
        let more = joined
            && (reader.column(at + 2).is_some_and(|column| !reader.sheet.measures().contains(&column))
                || unit(reader, at + 2).is_some());
        if !more {
            return Ok(());
        }
        at += 2;
    }
}

/// Whether a word names a span of the calendar.
pub fn is_unit(word: &str) -> bool {
    unit_of(word).is_some()
}

fn unit_of(word: &str) -> Option<Unit> {
    UNITS.iter().find(|(words, _)| words.contains(&word)).map(|(_, unit)| *unit)
}

/// A span of the calendar that a column of days can be grouped by.
fn unit(reader: &Reader<'_>, at: usize) -> Option<Key> {
    let piece = reader.piece(at)?;
    if piece.mark != Mark::Other || piece.token.sort != Sort::Word {
        return None;
    }
    let unit = unit_of(&piece.text)?;
    let day = reader.sheet.of_kind(Kind::Day).first().copied()?;
    Some(Key { column: day, unit: Some(unit) })
}
