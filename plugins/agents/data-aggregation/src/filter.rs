//! Which rows a request speaks of.

use agent_common::columns::fold;
use agent_common::dates::Date;
use agent_common::exact::Exact;
use agent_common::sheet::{Sheet, is_empty};

/// A condition of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// The cell is one of these texts.
    Among(usize, Vec<String>),
    /// The cell is none of these.
    Not(usize, Vec<String>),
    /// The number is in bounds.
    Number(usize, Bounds<Exact>),
    /// The day is in bounds.
    Day(usize, Bounds<Date>),
    /// The day is in a month of any year.
    Month(usize, u32),
    /// The day is one of these weekdays, Monday is 0.
    Weekday(usize, Vec<u32>),
    /// The cell is not empty.
    Full(usize),
    /// The cell is empty.
    Empty(usize),
}

/// Two ends, each in or out.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds<T> {
    pub low: Option<(T, bool)>,
    pub high: Option<(T, bool)>,
}

impl<T: PartialOrd + Copy> Bounds<T> {
    pub fn exactly(value: T) -> Self {
        Self { low: Some((value, true)), high: Some((value, true)) }
    }

    fn holds(&self, value: T) -> bool {
        self.low.is_none_or(|(low, within)| value > low || (within && value == low))
            && self.high.is_none_or(|(high, within)| value < high || (within && value == high))
    }
}

impl Filter {
    pub fn column(&self) -> usize {
        match self {
            Self::Among(at, _) | Self::Not(at, _) | Self::Number(at, _) | Self::Day(at, _) | Self::Month(at, _) => *at,
            Self::Full(at) | Self::Empty(at) | Self::Weekday(at, _) => *at,
        }
    }

    pub fn holds(&self, sheet: &Sheet, row: usize) -> bool {
        match self {
            Self::Among(at, texts) => texts.iter().any(|text| fold(text) == fold(sheet.cell(row, *at))),
            Self::Not(at, texts) => !texts.iter().any(|text| fold(text) == fold(sheet.cell(row, *at))),
            Self::Number(at, bounds) => sheet.number(row, *at).is_some_and(|number| bounds.holds(number)),
            Self::Day(at, bounds) => sheet.day(row, *at).is_some_and(|day| bounds.holds(day)),
            Self::Month(at, month) => sheet.day(row, *at).is_some_and(|day| day.month == *month),
            Self::Weekday(at, days) => sheet.day(row, *at).is_some_and(|day| days.contains(&day.weekday())),
            Self::Full(at) => !is_empty(sheet.cell(row, *at)),
            Self::Empty(at) => is_empty(sheet.cell(row, *at)),
        }
    }

    /// In words, with the name of the column.
    pub fn text(&self, sheet: &Sheet) -> String {
        let name = sheet.name(self.column());
        let bounds = |low: Option<(String, bool)>, high: Option<(String, bool)>| match (low, high) {
            (Some((low, _)), Some((high, _))) if low == high => format!("{name} = {low}"),
            (Some((low, _)), Some((high, _))) => format!("{name} from {low} to {high}"),
            (Some((low, within)), None) => format!("{name} {} {low}", if within { "≥" } else { ">" }),
            (None, Some((high, within))) => format!("{name} {} {high}", if within { "≤" } else { "<" }),
            (None, None) => name.to_owned(),
        };
        match self {
            Self::Among(_, texts) => format!("{name} = {}", texts.join(" or ")),
            Self::Not(_, texts) => format!("{name} ≠ {}", texts.join(", ")),
            Self::Number(_, own) => bounds(own.low.map(|(n, w)| (n.text(), w)), own.high.map(|(n, w)| (n.text(), w))),
            Self::Day(_, own) => bounds(own.low.map(|(d, w)| (d.iso(), w)), own.high.map(|(d, w)| (d.iso(), w))),
            Self::Month(_, month) => format!("{name} in month {month}"),
            Self::Weekday(_, days) => {
                const NAMES: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
                let own: Vec<&str> =
                    days.iter().filter_map(|day| NAMES.get(usize::try_from(*day).ok()?)).copied().collect();
                format!("{name} on {}", own.join(" or "))
            }
            Self::Full(_) => format!("{name} is given"),
            Self::Empty(_) => format!("{name} is empty"),
        }
    }
}
