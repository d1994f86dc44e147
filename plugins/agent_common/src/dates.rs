//! Dates as people write them.

use bridge_common::calendar;

/// The months in English, as they are written out.
pub const MONTH_NAMES: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Names of months with their usual abbreviations: English, German, French, Spanish, Italian, Portuguese, Dutch.
const MONTHS: [&str; 12] = [
    "january jan januar jänner janvier janv enero ene gennaio gen janeiro januari",
    "february feb februar février févr fév febrero febbraio fevereiro februari",
    "march mar märz mär mrz mars marzo março maart mrt",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio mag maio mei",
    "june jun juni juin junio giugno giu junho",
    "july jul juli juillet juil julio luglio lug julho",
    "august aug août agosto ago augustus",
    "september sep sept septembre septiembre settembre set setembro",
    "october oct oktober okt octobre octubre ottobre ott outubro out",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro",
];
/// Names of weekdays from Monday.
const WEEKDAYS: [&str; 7] = [
    "monday mon montag lundi lunes lunedì segunda maandag",
    "tuesday tue tues dienstag mardi martes martedì terça dinsdag",
    "wednesday wed mittwoch mercredi miércoles mercoledì quarta woensdag",
    "thursday thu thur thurs donnerstag jeudi jueves giovedì quinta donderdag",
    "friday fri freitag vendredi viernes venerdì sexta vrijdag",
    "saturday sat samstag sonnabend samedi sábado sabato zaterdag",
    "sunday sun sonntag dimanche domingo domenica zondag",
];

/// A day of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// The year, four digits.
    pub year: i32,
    /// The month, from 1.
    pub month: u32,
    /// The day of the month, from 1.
    pub day: u32,
}

/// Which part of `01/03/2024` is the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// `31/12/2024`
    DayFirst,
    /// `12/31/2024`
    MonthFirst,
}

/// A date in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The day.
    pub date: Date,
    /// Place of its first byte.
    pub start: usize,
    /// Place behind its last byte.
    pub end: usize,
    /// Day and month could be the other way round.
    pub ambiguous: bool,
}

impl Date {
    /// Returns a day that exists.
    pub fn new(year: i32, month: u32, day: u32) -> Option<Self> {
        let fits =
            (1..=9999).contains(&year) && (1..=12).contains(&month) && day >= 1 && day <= month_days(year, month);
        fits.then_some(Self { year, month, day })
    }

    /// Returns `2024-03-01`.
    pub fn iso(self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }

    /// Returns the days since 1970-01-01.
    pub fn days(self) -> i64 {
        calendar::days_from_civil(self.year.into(), self.month.into(), self.day.into())
    }

    /// Returns the day that is so many days after 1970-01-01.
    fn of_days(days: i64) -> Self {
        let (year, month, day) = calendar::civil_from_days(days);
        let small = |value: i64| u32::try_from(value).unwrap_or(1);
        Self { year: i32::try_from(year).unwrap_or(1), month: small(month), day: small(day) }
    }

    /// Returns the day so many days later.
    pub fn plus_days(self, days: i64) -> Self {
        Self::of_days(self.days() + days)
    }

    /// Returns the day so many months later, or the last of a month that is shorter.
    pub fn plus_months(self, months: i32) -> Self {
        let at = self.year * 12 + i32::try_from(self.month).unwrap_or(1) - 1 + months;
        let (year, month) = (at.div_euclid(12), u32::try_from(at.rem_euclid(12)).unwrap_or(0) + 1);
        Self { year, month, day: self.day.min(month_days(year, month)) }
    }

    /// Returns the year and the week of ISO 8601.
    pub fn week(self) -> (i32, u32) {
        let thursday = self.plus_days(3 - i64::from(self.weekday()));
        let first = Self { month: 1, day: 1, ..thursday };
        (thursday.year, u32::try_from((thursday.days() - first.days()) / 7 + 1).unwrap_or(1))
    }

    /// Returns the Monday of a week of ISO 8601.
    pub fn of_week(year: i32, week: u32) -> Option<Self> {
        let fourth = Self::new(year, 1, 4)?;
        Some(fourth.plus_days(i64::from(week) * 7 - 7 - i64::from(fourth.weekday())))
    }

    /// Returns 0 on Monday, 6 on Sunday.
    pub fn weekday(self) -> u32 {
        u32::try_from((self.days() + 3).rem_euclid(7)).unwrap_or(0)
    }
}

/// Returns the number of days of a month.
pub fn month_days(year: i32, month: u32) -> u32 {
    u32::try_from(calendar::month_length(year.into(), month.into())).unwrap_or(31)
}

/// Returns the number of a month by its name or a usual abbreviation.
pub fn month(name: &str) -> Option<u32> {
    by_name(&MONTHS, name)
}

/// Returns the number of a weekday by its name, 0 for Monday.
pub fn weekday(name: &str) -> Option<u32> {
    by_name(&WEEKDAYS, name).map(|n| n - 1)
}

fn by_name(lists: &[&str], name: &str) -> Option<u32> {
    let lower = name.trim().trim_end_matches('.').to_lowercase();
    let at = lists.iter().position(|names| names.split(' ').any(|name| name == lower))?;
    u32::try_from(at + 1).ok()
}

/// Returns whether the day or the month comes first in a column, if one of its cells shows it.
pub fn order(cells: &[&str]) -> Option<Order> {
    let shown = cells.iter().find_map(|cell| {
        let parts: Vec<u32> = cell.trim().split(['/', '.', '-']).filter_map(|part| part.trim().parse().ok()).collect();
        match parts.as_slice() {
            [first, second, third] if *third > 31 || cell.trim().len() <= 8 => match (first, second) {
                (13..=31, 1..=12) => Some(Order::DayFirst),
                (1..=12, 13..=31) => Some(Order::MonthFirst),
                _ => None,
            },
            _ => None,
        }
    });
    shown.or_else(|| cells.iter().any(|cell| cell.matches('.').count() == 2).then_some(Order::DayFirst))
}

/// Reads a cell that is one date, with or without a weekday and a time. `order` decides `01/03/2024`; without it such
/// a date is none, unless only one order is possible or it is written with points.
pub fn read(cell: &str, order: Option<Order>) -> Option<Date> {
    let cell = cell.trim();
    let mut found = scan(cell, order);
    let one = if found.len() == 1 { found.pop()? } else { return None };
    let before = cell.get(..one.start)?.trim().trim_end_matches([',', '.']);
    let after = cell.get(one.end..)?.trim();
    let time = after.strip_prefix('T').unwrap_or(after);
    let timed = time.is_empty() || (time.contains(':') && time.starts_with(|c: char| c.is_ascii_digit()));
    ((before.is_empty() || weekday(before).is_some()) && timed && !(one.ambiguous && order.is_none()))
        .then_some(one.date)
}

/// Returns all dates of a text, in order; `order` decides `01/03/2024`, which is otherwise day first.
pub fn scan(text: &str, order: Option<Order>) -> Vec<Found> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let rest = tokens.get(at..).unwrap_or_default();
        if let Some((one, used)) = numeric(text, rest, order).or_else(|| named(text, rest)) {
            found.push(one);
            at += used;
        } else {
            at += 1;
        }
    }
    found
}

/// A run of letters or digits.
#[derive(Debug, Clone, Copy)]
struct Token<'t> {
    text: &'t str,
    start: usize,
}

impl Token<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }

    fn number(&self) -> Option<u32> {
        self.text.parse().ok().filter(|_| self.text.len() <= 4)
    }
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut start: Option<(usize, bool)> = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let kind = (c.is_alphanumeric()).then(|| c.is_ascii_digit());
        if let Some((from, _)) = start.filter(|(_, digit)| kind != Some(*digit)) {
            tokens.push(Token { text: text.get(from..at).unwrap_or_default(), start: from });
            start = None;
        }
        if let (None, Some(digit)) = (start, kind) {
            start = Some((at, digit));
        }
    }
    tokens
}

fn between<'t>(text: &'t str, left: &Token<'_>, right: &Token<'_>) -> &'t str {
    text.get(left.end()..right.start).unwrap_or_default()
}

fn full_year(token: &Token<'_>) -> Option<i32> {
    let year = i32::try_from(token.number()?).ok()?;
    match token.text.len() {
        4 => Some(year),
        2 => Some(if year < 70 { 2000 + year } else { 1900 + year }),
        _ => None,
    }
}

/// Reads `2024-03-01`, `01/03/2024`, `1.3.24`.
fn numeric(text: &str, tokens: &[Token<'_>], order: Option<Order>) -> Option<(Found, usize)> {
    let [a, b, c, ..] = tokens else { return None };
    let sign = between(text, a, b);
    let next = between(text, b, c);
    if sign.trim() != next.trim() || !matches!(sign.trim(), "-" | "/" | "." | "‑") {
        return None;
    }
    let whole = text.get(..a.start)?.chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '.' && c != '-');
    let (x, y) = (a.number()?, b.number()?);
    let made = |date: Option<Date>, ambiguous| {
        date.filter(|_| whole).map(|date| (Found { date, start: a.start, end: c.end(), ambiguous }, 3))
    };
    if a.text.len() == 4 {
        return made(Date::new(i32::try_from(x).ok()?, y, c.number()?), false);
    }
    let year = full_year(c)?;
    let day_first = Date::new(year, y, x);
    let month_first = Date::new(year, x, y);
    match (day_first, month_first, order) {
        (Some(day), Some(month), _) if day == month => made(Some(day), false),
        (Some(_), Some(month), Some(Order::MonthFirst)) => made(Some(month), true),
        (Some(day), Some(_), _) => made(Some(day), sign.trim() != "."),
        (Some(day), None, _) => made(Some(day), false),
        (None, other, _) => made(other, false),
    }
}

/// Reads `1 March 2024`, `March 1st, 2024`, `1er mars 2024`.
fn named(text: &str, tokens: &[Token<'_>]) -> Option<(Found, usize)> {
    let at = tokens.iter().take(4).position(|token| month(token.text).is_some())?;
    let name = tokens.get(at)?;
    let month = month(name.text)?;
    let close = |left: &Token<'_>, right: &Token<'_>| {
        let part = between(text, left, right);
        part.len() <= 3 && part.chars().all(|c| " .,-/".contains(c))
    };
    let is_link = |token: &Token<'_>| {
        matches!(token.text.to_lowercase().as_str(), "st" | "nd" | "rd" | "th" | "er" | "of" | "de" | "del" | "den")
    };
    let chain = |range: std::ops::Range<usize>| {
        let part = tokens.get(range).unwrap_or_default();
        part.iter().zip(part.iter().skip(1)).all(|(left, right)| close(left, right))
    };
    let number = |at: usize| tokens.get(at).and_then(Token::number).filter(|day| (1..=31).contains(day));
    let year_in = |mut places: std::ops::Range<usize>| {
        let at = places.find(|at| tokens.get(*at).is_some_and(|token| !is_link(token)))?;
        Some((at, tokens.get(at)?))
    };
    // `March 1st, 2024` needs four digits of a year, `1 March 24` does not.
    let (day, year) = if at == 0 {
        (number(1)?, year_in(2..4).filter(|(_, year)| year.text.len() == 4))
    } else {
        (
            number(0).filter(|_| tokens.get(1..at).is_some_and(|links| links.iter().all(is_link)))?,
            year_in(at + 1..at + 3),
        )
    };
    let (last, year) = year?;
    let date = Date::new(full_year(year)?, month, day).filter(|_| chain(0..last + 1))?;
    Some((Found { date, start: tokens.first()?.start, end: year.end(), ambiguous: false }, last + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    #[test]
    fn dates_of_all_kinds() {
        for (text, iso) in rows::<(String, Option<String>)>(include_str!("../cases/dates.json")) {
            assert_eq!(read(&text, None).map(Date::iso), iso, "{text}");
        }
        let read = |order: Order| read("01/03/2024", Some(order)).map(Date::iso);
        assert_eq!(read(Order::DayFirst).as_deref(), Some("2024-03-01"));
        assert_eq!(read(Order::MonthFirst).as_deref(), Some("2024-01-03"));
    }

    #[test]
    fn columns_show_their_order() {
        assert_eq!(order(&["01/03/2024", "25/03/2024"]), Some(Order::DayFirst));
        assert_eq!(order(&["01/03/2024", "03/25/2024"]), Some(Order::MonthFirst));
        assert_eq!((order(&["01/03/2024"]), order(&["01.03.2024"])), (None, Some(Order::DayFirst)));
    }

    #[test]
    fn days_of_texts_and_of_the_calendar() {
        let text = "From 1 May 2025 to 12 June 2025, see 2025-07-01.";
        let found: Vec<String> = scan(text, None).iter().map(|found| found.date.iso()).collect();
        assert_eq!(found, ["2025-05-01", "2025-06-12", "2025-07-01"]);
        let day = Date::new(2024, 2, 29).unwrap();
        assert_eq!(
            (day.weekday(), day.plus_days(1).iso(), day.plus_months(12).iso()),
            (3, "2024-03-01".into(), "2025-02-28".into())
        );
        assert_eq!((Date::of_days(day.days()), Date::of_week(2025, 1).map(Date::week)), (day, Some((2025, 1))));
        assert_eq!((month("Sept."), month("août"), weekday("Thurs"), weekday("x")), (Some(9), Some(8), Some(3), None));
    }
}
