//! Rules of tables.

mod cell;
mod course;
mod pair;
mod repeats;

use std::collections::BTreeSet;

use agent_common::dates::{self, Date};
use agent_common::exact::Exact;
use agent_common::formula::Formula;
use agent_common::sheet::Sheet;
use cell::Cell;

use crate::bound::{self, Bound};
use crate::finding::Finding;
use crate::form::Form;

/// A part of a day's name that a column repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Weekday,
    Quarter,
    Month,
    Year,
}

impl Part {
    /// What it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Weekday => "weekday",
            Self::Quarter => "quarter",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// The number that a cell tells: `Tuesday`, `Q2`, `May`, `2024`.
    pub(crate) fn read(self, cell: &str) -> Option<u32> {
        let cell = cell.trim();
        let number = |text: &str, most: u32| text.trim().parse::<u32>().ok().filter(|n| (1..=most).contains(n));
        match self {
            Self::Weekday => dates::weekday(cell),
            Self::Quarter => number(cell.trim_start_matches(['Q', 'q']), 4),
            Self::Month => dates::month(&cell.to_lowercase()).or_else(|| number(cell, 12)),
            Self::Year => number(cell, 2200).filter(|year| *year > 1900),
        }
    }

    /// The number of a day.
    pub(crate) fn of(self, day: Date) -> u32 {
        match self {
            Self::Weekday => day.weekday(),
            Self::Quarter => day.month.div_ceil(3),
            Self::Month => day.month,
            Self::Year => u32::try_from(day.year).unwrap_or(0),
        }
    }
}

/// A rule.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Rule {
    /// The column has a value in every row.
    Required(usize),
    /// The columns together are different in every row; all columns where none is named.
    Unique(Vec<usize>),
    /// The cell is one of these.
    OneOf(usize, Vec<String>),
    /// The number is in bounds; each bound in or out.
    Range(usize, Bound, Bound),
    /// A number.
    Numeric(usize),
    /// A whole number.
    Whole(usize),
    /// The column is what the formula gives, to the cent.
    Equals(usize, Formula),
    /// The first column is not before the second.
    NotBefore(usize, usize),
    /// The first number is above the second.
    Above(usize, usize),
    /// The weekday, quarter, month or year is that of the day.
    PartOf(usize, usize, Part),
    /// The values go up from row to row; down if false.
    Rising(usize, bool),
    /// Numbers follow each other without a gap, in bounds where they are known.
    Sequence(usize, Option<(Exact, Exact)>),
    /// The cell has a form.
    Form(usize, Form),
    /// Age in years by a day of birth and a day of reference.
    Age(usize, usize, Date),
    /// Not after a day.
    NotAfter(usize, Date),
    /// Not before a day.
    NotEarlier(usize, Date),
    /// The value stands in another table, by its name.
    Known(usize, BTreeSet<String>, String),
}

impl Rule {
    /// The rule in words.
    pub(crate) fn text(&self, sheet: &Sheet) -> String {
        let name = |at: &usize| sheet.name(*at);
        match self {
            Self::Required(at) => format!("{} has a value", name(at)),
            Self::Unique(columns) if columns.is_empty() => "no row stands twice".into(),
            Self::Unique(columns) => {
                format!("{} is unique", columns.iter().map(name).collect::<Vec<_>>().join(" with "))
            }
            Self::OneOf(at, values) => format!("{} is one of {}", name(at), values.join(", ")),
            Self::Range(at, low, high) => format!("{} {}", name(at), bound::text(*low, *high)),
            Self::Numeric(at) => format!("{} is a number", name(at)),
            Self::Whole(at) => format!("{} is a whole number", name(at)),
            Self::Equals(at, formula) => format!("{} = {}", name(at), formula.text(&sheet.table.columns)),
            Self::NotBefore(late, early) => format!("{} is not before {}", name(late), name(early)),
            Self::Above(high, low) => format!("{} is above {}", name(high), name(low)),
            Self::PartOf(at, day, part) => format!("{} is the {} of {}", name(at), part.name(), name(day)),
            Self::Rising(at, up) => format!("{} goes {}", name(at), if *up { "up" } else { "down" }),
            Self::Sequence(at, _) => format!("{} has no gaps", name(at)),
            Self::Form(at, form) => format!("{} is a valid {}", name(at), form.name()),
            Self::Age(birth, age, day) => format!("{} fits {} on {}", name(age), name(birth), day.iso()),
            Self::NotAfter(at, day) => format!("{} is not after {}", name(at), day.iso()),
            Self::NotEarlier(at, day) => format!("{} is not before {}", name(at), day.iso()),
            Self::Known(at, _, table) => format!("{} stands in {table}", name(at)),
        }
    }

    /// The columns that it is about.
    pub(crate) fn columns(&self) -> Vec<usize> {
        match self {
            Self::Unique(columns) => columns.clone(),
            Self::Required(at) | Self::OneOf(at, _) | Self::Range(at, ..) | Self::Numeric(at) | Self::Whole(at) => {
                vec![*at]
            }
            Self::Rising(at, _) | Self::Sequence(at, _) | Self::Form(at, _) => vec![*at],
            Self::NotAfter(at, _) | Self::NotEarlier(at, _) | Self::Known(at, ..) => vec![*at],
            Self::Equals(at, formula) => formula.columns().into_iter().chain([*at]).collect(),
            Self::NotBefore(a, b) | Self::Above(a, b) | Self::PartOf(a, b, _) | Self::Age(a, b, _) => vec![*a, *b],
        }
    }

    /// All that breaks the rule. Empty cells break `Required` alone.
    pub(crate) fn check(&self, sheet: &Sheet) -> Vec<Finding> {
        match self {
            Self::Unique(columns) => repeats::repeats(sheet, columns),
            Self::Rising(at, up) => course::falls(sheet, *at, *up),
            Self::Sequence(at, range) => course::gaps(sheet, *at, *range),
            _ => (0..sheet.table.rows.len()).filter_map(|row| self.check_row(sheet, row)).collect(),
        }
    }

    fn check_row(&self, sheet: &Sheet, row: usize) -> Option<Finding> {
        let cell = |at: &usize| Cell { sheet, row, at: *at };
        match self {
            Self::Required(at) => cell(at).required(),
            Self::OneOf(at, values) => cell(at).one_of(values),
            Self::Range(at, low, high) => cell(at).in_range(*low, *high),
            Self::Numeric(at) => cell(at).numeric(false),
            Self::Whole(at) => cell(at).numeric(true),
            Self::Equals(at, formula) => pair::equal(sheet, row, *at, formula),
            Self::NotBefore(late, early) => pair::not_before(sheet, row, *late, *early),
            Self::Above(high, low) => pair::above(sheet, row, *high, *low),
            Self::PartOf(at, day, part) => pair::part_of(sheet, row, (*at, *day), *part),
            Self::Form(at, form) => cell(at).of_form(form),
            Self::Age(birth, age, day) => pair::age(sheet, row, (*birth, *age), *day),
            Self::NotAfter(at, day) => cell(at).not_after(*day),
            Self::NotEarlier(at, day) => cell(at).not_earlier(*day),
            Self::Known(at, all, table) => cell(at).known(all, table),
            Self::Unique(_) | Self::Rising(..) | Self::Sequence(..) => None,
        }
    }
}
