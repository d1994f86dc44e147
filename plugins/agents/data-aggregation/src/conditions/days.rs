//! Days, months, quarters and years that a request names.

use agent_common::dates::{self, Date};
use agent_common::exact::Exact;
use agent_common::marks::Mark;
use agent_common::sheet::Kind;
use agent_common::tokens::Sort;
use tollbridge_sdk::Error;

use crate::filter::{Bounds, Filter};
use crate::query::Query;
use crate::reader::Reader;
use crate::refusal::missing;

/// Reads the days, months and quarters that rows are narrowed to.
pub fn read(reader: &mut Reader<'_>, query: &mut Query) -> Result<(), Error> {
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

/// The year that stands there.
pub fn year(reader: &Reader<'_>, at: usize) -> Option<i32> {
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

/// Rows of a year, where a column tells years.
pub fn year_filter(reader: &Reader<'_>, at: usize, year: i32) -> Option<Filter> {
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
