//! The order that a request wants, and how many of the first.

use agent_common::marks::{Mark, Piece};
use agent_common::number_words;

use crate::query::Query;
use crate::reader::Reader;
use crate::words;

/// Words between the direction and what it orders: `most expensive first`.
const ADJECTIVES: &[&str] = &["expensive", "costly", "popular", "recent", "important"];
const DESCENDING: &[&str] = &["descending", "desc", "absteigend", "decreasing", "decroissant", "descendente"];
const ASCENDING: &[&str] =
    &["ascending", "asc", "aufsteigend", "increasing", "croissant", "alphabetical", "alphabetically"];
const SORTING: &[&str] = &["sort", "sorted", "order", "ordered", "rank", "ranked", "ranking", "sortiere", "sortiert"];
const RANKING: &[&str] = &["rank", "ranked", "ranking"];

/// The ends that a word speaks of.
#[derive(Debug, Clone, Copy)]
struct Ends {
    down: bool,
    up: bool,
}

impl Ends {
    fn of(piece: &Piece) -> Self {
        let text = piece.text.as_str();
        let down = words::DOWN.contains(&text) || words::MAX.contains(&text);
        let up = words::UP.contains(&text) || words::MIN.contains(&text);
        Self { down: down && !words::UP.contains(&text), up: up && !words::DOWN.contains(&text) }
    }

    fn any(self) -> bool {
        self.down || self.up
    }
}

/// `top 3`, `highest first`, `sorted by price`.
pub fn order(reader: &mut Reader<'_>, query: &mut Query) {
    for at in 0..reader.pieces.len() {
        let Some(piece) = reader.piece(at).filter(|piece| piece.mark == Mark::Other).cloned() else { continue };
        let ends = Ends::of(&piece);
        if !top(reader, query, at, &piece, ends) {
            direction(reader, query, at, &piece, ends);
        }
    }
    for at in 0..reader.pieces.len() {
        sorting(reader, query, at);
    }
}

/// A number of rows, from 1 to 100, in digits or as a word.
fn how_many(reader: &Reader<'_>, at: usize) -> Option<usize> {
    let piece = reader.piece(at)?;
    let digits = piece.token.number().filter(|n| n.is_whole()).and_then(|n| n.text().parse::<usize>().ok());
    digits
        .or_else(|| number_words::cardinal(&piece.text).and_then(|n| usize::try_from(n).ok()))
        .filter(|n| (1..=100).contains(n))
}

/// `top 3`, `three highest`: whether it stands there.
fn top(reader: &mut Reader<'_>, query: &mut Query, at: usize, piece: &Piece, ends: Ends) -> bool {
    let behind = how_many(reader, at + 1);
    if let Some(count) = behind.filter(|_| ends.any() || piece.is_one(&["top", "bottom", "best", "worst"])) {
        query.top = Some(count);
        query.descending = Some(!piece.is_one(&["bottom", "worst"]) && !ends.up);
        reader.mark(at, at + 2);
        return true;
    }
    let Some(before) = at.checked_sub(1).filter(|_| ends.any()) else { return false };
    let count = how_many(reader, before).filter(|count| *count > 1);
    if count.is_none() || reader.is_used(before) || reader.is(before, &["one"]) {
        return false;
    }
    query.top = count;
    query.descending = Some(ends.down && !ends.up);
    reader.mark(before, at + 1);
    true
}

/// `highest first`, `descending`, `alphabetical`.
fn direction(reader: &mut Reader<'_>, query: &mut Query, at: usize, piece: &Piece, ends: Ends) {
    let adjective = usize::from(ends.any() && reader.is(at + 1, ADJECTIVES));
    if adjective > 0 && reader.is(at + 1, &["expensive", "costly"]) {
        reader.mark(at + 1, at + 2);
    }
    let place = at + 1 + adjective;
    let on_top = reader.is(place, &["on", "at", "ganz"])
        && (place + 1..place + 3).any(|at| reader.is(at, &["top", "oben", "start", "beginning"]));
    let first = (on_top || reader.is(place, &["first", "zuerst", "to", "on", "d'abord", "auf"])) && ends.any();
    if first || piece.is_one(DESCENDING) {
        // `from the biggest to the smallest`
        let to = reader.is(at + 1, &["to", "zum", "bis", "au"]);
        let other = (at + 2..at + 4).find(|at| reader.piece(*at).is_some_and(|piece| Ends::of(piece).any()));
        let spans = if to { other.map_or(1, |other| other - at - 1) } else { 0 };
        query.descending = Some(ends.down && !(first && ends.up));
        reader.mark(at, at + 2 + spans + adjective + usize::from(on_top));
    } else if piece.is_one(ASCENDING) {
        query.descending = Some(false);
        reader.mark(at, at + 1);
    }
}

/// `sorted by price`, `ranked`.
fn sorting(reader: &mut Reader<'_>, query: &mut Query, at: usize) {
    if !reader.is(at, SORTING) {
        return;
    }
    let ranks = reader.is(at, RANKING);
    let by = (at + 1..at + 5).find(|at| reader.is(*at, &["by", "nach", "par", "por", "on", "according"]));
    if let Some(by) = by {
        if let Some((place, column)) = (by + 1..by + 5).find_map(|at| Some((at, reader.column(at)?))) {
            if !reader.sheet.measures().contains(&column) {
                reader.mark(place, place + 1);
            }
            query.sort_by = Some(column);
            reader.mark(by, by + 1);
            query.descending = query.descending.or(Some(ranks));
            reader.mark(at, at + 1);
        }
    } else if ranks {
        query.descending = query.descending.or(Some(true));
        reader.mark(at, at + 1);
    }
}
