//! Single cells, and what breaks a rule in them.

use std::collections::BTreeSet;

use agent_common::columns::{fold, is_typo};
use agent_common::dates::Date;
use agent_common::sheet::{Sheet, is_empty};

use crate::bound::{self, Bound};
use crate::finding::Finding;
use crate::form::Form;

/// A cell of a table.
pub(crate) struct Cell<'s> {
    pub(crate) sheet: &'s Sheet,
    pub(crate) row: usize,
    pub(crate) at: usize,
}

impl<'s> Cell<'s> {
    /// What is wrong with it.
    pub(crate) fn finding(&self, kind: &'static str, message: String, repair: String) -> Finding {
        Finding { rows: vec![self.row + 1], field: self.name().to_owned(), kind, message, repair }
    }

    /// The name of its column.
    pub(crate) fn name(&self) -> &'s str {
        self.sheet.name(self.at)
    }

    /// Its text, unless it is empty.
    pub(crate) fn text(&self) -> Option<&'s str> {
        Some(self.sheet.cell(self.row, self.at)).filter(|cell| !is_empty(cell))
    }

    pub(crate) fn required(&self) -> Option<Finding> {
        self.text().is_none().then(|| {
            let repair = "Ask for the value at its source and fill it in.";
            self.finding("missing", format!("{} has no value", self.name()), repair.into())
        })
    }

    pub(crate) fn one_of(&self, values: &[String]) -> Option<Finding> {
        let own = self.text()?;
        if values.iter().any(|value| fold(value) == fold(own)) {
            return None;
        }
        let near = values.iter().find(|value| is_typo(&fold(value), &fold(own)));
        let repair =
            near.map_or_else(|| format!("Take one of {}.", values.join(", ")), |near| format!("Write \"{near}\"."));
        Some(self.finding("range", format!("\"{own}\" is none of {}", values.join(", ")), repair))
    }

    pub(crate) fn in_range(&self, low: Bound, high: Bound) -> Option<Finding> {
        let own = self.text()?;
        let Some(number) = self.sheet.number(self.row, self.at) else { return Some(self.no_number(own)) };
        let below = low.is_some_and(|(low, within)| number < low || (!within && number == low));
        let above = high.is_some_and(|(high, within)| number > high || (!within && number == high));
        (below || above).then(|| {
            self.finding(
                "range",
                format!("{own} is not {}", bound::text(low, high)),
                "Compare the value with its source; a shifted point or a sign is common.".into(),
            )
        })
    }

    /// A number; a whole one if that is wanted.
    pub(crate) fn numeric(&self, whole: bool) -> Option<Finding> {
        let own = self.text()?;
        match self.sheet.number(self.row, self.at) {
            None => Some(self.no_number(own)),
            Some(number) if whole && !number.is_whole() => {
                Some(self.finding("type", format!("{own} is no whole number"), "Write a whole number.".into()))
            }
            Some(_) => None,
        }
    }

    fn no_number(&self, own: &str) -> Finding {
        self.finding("type", format!("\"{own}\" is no number"), "Write a number in digits.".into())
    }

    pub(crate) fn of_form(&self, form: &Form) -> Option<Finding> {
        let own = self.text()?;
        (!form.fits(own)).then(|| {
            let name = form.name();
            self.finding("format", format!("\"{own}\" is no valid {name}"), format!("Write a valid {name}."))
        })
    }

    pub(crate) fn not_after(&self, day: Date) -> Option<Finding> {
        let own = self.sheet.day(self.row, self.at)?;
        (own > day).then(|| self.wrong_day(format!("{} is after {}", own.iso(), day.iso())))
    }

    pub(crate) fn not_earlier(&self, day: Date) -> Option<Finding> {
        let own = self.sheet.day(self.row, self.at)?;
        (own < day).then(|| self.wrong_day(format!("{} is before {}", own.iso(), day.iso())))
    }

    fn wrong_day(&self, message: String) -> Finding {
        self.finding("range", message, "Correct the date at its source.".into())
    }

    /// A value of another table, by its name.
    pub(crate) fn known(&self, all: &BTreeSet<String>, table: &str) -> Option<Finding> {
        let own = self.text()?;
        (!all.contains(&fold(own))).then(|| {
            self.finding(
                "inconsistent",
                format!("\"{own}\" does not stand in {table}"),
                format!("Add it to {table}, or correct it."),
            )
        })
    }
}
