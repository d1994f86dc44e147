//! What a value is: an integer, a number, a truth value, a date, a time, or text.

use crate::table::Cell;

/// Types in the order of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Integer,
    Number,
    Boolean,
    Date,
    Datetime,
    Text,
}

/// Which order of day and month a date allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Iso,
    DayFirst,
    MonthFirst,
    Either,
}

impl Kind {
    /// Its name in the answer.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::Datetime => "datetime",
            Self::Text => "text",
        }
    }

    /// The type of a cell; none when it is missing.
    #[must_use]
    pub fn of(cell: &Cell) -> Option<Self> {
        match cell {
            Cell::Missing => None,
            Cell::Quoted(text) => Some(date(text).map_or(Self::Text, |date| date.kind)),
            Cell::Plain(text) => Some(plain(text.trim())),
        }
    }
}

fn plain(text: &str) -> Kind {
    if ["true", "false", "yes", "no"].iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return Kind::Boolean;
    }
    if leading_zero(text) {
        return Kind::Text;
    }
    if number(text).is_some() {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        return if digits.bytes().all(|byte| byte.is_ascii_digit()) { Kind::Integer } else { Kind::Number };
    }
    date(text).map_or(Kind::Text, |date| date.kind)
}

/// Digits that begin with a zero are a code, not a number.
#[must_use]
pub fn leading_zero(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A finite number in the usual form (`1234.5`, `-1e3`); words such as `inf` are none.
#[must_use]
pub fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let begins = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    text.parse::<f64>().ok().filter(|number| begins && number.is_finite())
}

/// A date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Date {
    pub kind: Kind,
    pub order: Order,
    /// Year, month, day; day first where both orders fit. Then seconds of the day.
    pub sort: (u32, u32, u32, u32),
}

/// `2026-01-31`, `31/01/2026`, `1.31.2026`, each with a time after a space or `T`.
#[must_use]
pub fn date(text: &str) -> Option<Date> {
    let text = text.trim();
    if text.len() > 40 || !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (day, clock) = match text.split_once(['T', ' ']) {
        Some((day, clock)) => (day, Some(clock)),
        None => (text, None),
    };
    let seconds = match clock {
        Some(clock) => Some(seconds(clock)?),
        None => None,
    };
    let mark = day.chars().find(|c| !c.is_ascii_digit())?;
    let mut parts = day.split(mark);
    let (a, b, c) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || !"-/.".contains(mark) {
        return None;
    }
    let value = |part: &str| part.parse::<u32>().ok().filter(|_| part.len() <= 4);
    let (x, y, z) = (value(a)?, value(b)?, value(c)?);
    let (order, date) = if a.len() == 4 {
        (Order::Iso, (x, y, z))
    } else if c.len() == 4 {
        match (fits(z, y, x), fits(z, x, y)) {
            (true, true) if x != y => (Order::Either, (z, y, x)),
            (true, _) => (Order::DayFirst, (z, y, x)),
            (_, true) => (Order::MonthFirst, (z, x, y)),
            _ => return None,
        }
    } else {
        return None;
    };
    let kind = if seconds.is_some() { Kind::Datetime } else { Kind::Date };
    let (year, month, of_month) = date;
    fits(year, month, of_month).then_some(Date { kind, order, sort: (year, month, of_month, seconds.unwrap_or(0)) })
}

fn fits(year: u32, month: u32, day: u32) -> bool {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let length = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => 31,
    };
    (1..=9_999).contains(&year) && (1..=12).contains(&month) && (1..=length).contains(&day)
}

/// Seconds of `08:00`, `08:00:30.5`, with or without zone.
fn seconds(clock: &str) -> Option<u32> {
    let bare = clock.split(['Z', '+', '-', ' ', '.']).next()?;
    let mut parts = bare.split(':').map(|part| part.parse::<u32>().ok().filter(|_| part.len() == 2));
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next().unwrap_or(Some(0))?);
    (hour < 25 && minute < 60 && second < 61).then_some(hour * 3_600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types() {
        for (text, expect) in [
            ("12", Kind::Integer),
            ("-7", Kind::Integer),
            ("1.5", Kind::Number),
            ("1e3", Kind::Number),
            ("007", Kind::Text),
            ("inf", Kind::Text),
            ("NaN", Kind::Text),
            ("True", Kind::Boolean),
            ("2026-02-28", Kind::Date),
            ("2026-02-29", Kind::Text),
            ("31/12/2026", Kind::Date),
            ("12/31/2026", Kind::Date),
            ("13/13/2026", Kind::Text),
            ("2026-01-01T08:00:00Z", Kind::Datetime),
            ("2026-01-01 08:00", Kind::Datetime),
            ("1.2.3", Kind::Text),
            ("10.0.0.1", Kind::Text),
            ("hello", Kind::Text),
            ("0", Kind::Integer),
        ] {
            assert_eq!(plain(text), expect, "{text}");
        }
        assert_eq!(date("03/04/2026").map(|date| date.order), Some(Order::Either));
        assert_eq!(date("13/04/2026").map(|date| date.order), Some(Order::DayFirst));
    }
}
