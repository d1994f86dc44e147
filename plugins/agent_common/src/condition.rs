//! Conditions on the rows of a table: `status = open`, `age between 18 and 99`.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::cells::{self, Cells, Moment};
use crate::columns;
use crate::dates;
use crate::exact::Exact;
use crate::expression::Expression;
use crate::quantity::Style;

/// A condition on a row.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// A column; a formula over columns such as `qty * price`; or `year of`, `quarter of`, `month of`, `week of` or
    /// `weekday of` and a column of dates.
    #[schemars(length(min = 1, max = 200))]
    pub column: String,
    /// The comparison. Case does not matter in texts. A cell without a value meets only `empty`, `!=`, `none_of` and
    /// `not_contains`.
    pub is: Comparison,
    /// The value to compare with.
    #[serde(default)]
    #[schemars(schema_with = "scalar_or_null")]
    pub value: Option<Scalar>,
    /// The values of `one_of` and `none_of`, or the two bounds of `between` and `not_between`, which belong to the range.
    #[schemars(length(min = 1, max = 500))]
    pub values: Option<Vec<Scalar>>,
    /// A column or formula to compare with, in place of `value`.
    #[schemars(length(min = 1, max = 200))]
    pub other: Option<String>,
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::cells::names_only)]
pub enum Comparison {
    /// The same text, number or date.
    #[serde(rename = "=")]
    Equal,
    /// Another one.
    #[serde(rename = "!=")]
    NotEqual,
    /// Less or earlier.
    #[serde(rename = "<")]
    Less,
    /// Not more, not later.
    #[serde(rename = "<=")]
    AtMost,
    /// More or later.
    #[serde(rename = ">")]
    Greater,
    /// Not less, not earlier.
    #[serde(rename = ">=")]
    AtLeast,
    /// Within two bounds.
    Between,
    /// Outside two bounds.
    NotBetween,
    /// One of the values.
    OneOf,
    /// None of the values.
    NoneOf,
    /// The text contains the value.
    Contains,
    /// The text does not contain the value.
    NotContains,
    /// The text starts with the value.
    StartsWith,
    /// The text ends with the value.
    EndsWith,
    /// The cell has no value.
    Empty,
    /// The cell has a value.
    NotEmpty,
}

/// A text or a number. Dates are written as `2024-05-01`, times as `18:30`.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "a text or a number")]
#[schemars(transform = one_type)]
pub enum Scalar {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

/// Makes the schema of a scalar one list of types, which takes fewer steps to check.
fn one_type(schema: &mut Schema) {
    schema.remove("anyOf");
    schema.insert("type".into(), json!(["string", "number"]));
}

fn scalar_or_null(_generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "number", "null"] })
}

impl Scalar {
    /// Returns the value as a text.
    pub fn text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.trim().to_owned(),
        }
    }
}

/// The result of a condition for a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The cell has no value.
    Blank,
    /// The cell cannot be compared: no number, no date.
    Unreadable,
    /// The condition is met.
    Met,
    /// The condition is not met.
    Unmet,
}

impl Comparison {
    /// Returns the comparison that is met when this one is not.
    pub fn negated(self) -> Option<Self> {
        const PAIRS: [(Comparison, Comparison); 8] = [
            (Comparison::Equal, Comparison::NotEqual),
            (Comparison::Less, Comparison::AtLeast),
            (Comparison::AtMost, Comparison::Greater),
            (Comparison::Between, Comparison::NotBetween),
            (Comparison::OneOf, Comparison::NoneOf),
            (Comparison::Contains, Comparison::NotContains),
            (Comparison::Empty, Comparison::NotEmpty),
            (Comparison::NotEmpty, Comparison::Empty),
        ];
        let other = |(a, b): &(Self, Self)| if *a == self { Some(*b) } else { (*b == self).then_some(*a) };
        PAIRS.iter().find_map(other)
    }

    fn is_negative(self) -> bool {
        matches!(self, Self::NotEqual | Self::NoneOf | Self::NotContains)
    }

    /// Returns the comparison in words.
    pub fn words(self) -> String {
        match self {
            Self::NotEqual => "is not".into(),
            Self::NotContains => "does not contain".into(),
            Self::Empty => "is empty".into(),
            Self::NotEmpty => "is not empty".into(),
            _ => json!(self).as_str().unwrap_or_default().replace('_', " "),
        }
    }
}

/// One side of a comparison in one row.
#[derive(Debug, Clone, PartialEq)]
struct Item {
    text: String,
    number: Option<Exact>,
    moment: Option<Moment>,
}

impl Item {
    fn of_scalar(value: &Scalar) -> Self {
        let text = value.text();
        let number = cells::number(&text, Style::Point).map(|(number, _)| number);
        Self { number, moment: cells::moment(&text, None), text }
    }

    fn is_blank(&self) -> bool {
        cells::is_blank(&self.text)
    }

    /// Compares as numbers or as dates; a time counts only if both have one.
    fn order(&self, other: &Self) -> Option<std::cmp::Ordering> {
        if let (Some(a), Some(b)) = (self.number, other.number) {
            return Some(a.cmp(&b));
        }
        let (mut a, mut b) = (self.moment?, other.moment?);
        if a.date.is_some() != b.date.is_some() {
            return None;
        }
        if a.time.is_none() || b.time.is_none() {
            (a.time, b.time) = (None, None);
        }
        Some(a.cmp(&b))
    }

    fn equals(&self, other: &Self) -> bool {
        match self.order(other) {
            Some(order) => order.is_eq(),
            None => columns::fold(self.text.trim()) == columns::fold(other.text.trim()),
        }
    }
}

impl Condition {
    /// Returns a condition without a right side.
    pub(crate) fn new(column: &str, is: Comparison) -> Self {
        Self { column: column.to_owned(), is, value: None, values: None, other: None }
    }

    /// Returns the verdict on each row of a table.
    ///
    /// # Errors
    /// A column that does not exist, cells that can mean two things, missing values.
    pub fn verdicts(&self, cells: &Cells<'_>) -> Result<Vec<Verdict>, String> {
        let left = items(&self.column, cells)?;
        let values: Vec<Item> = self.value.iter().chain(self.values.iter().flatten()).map(Item::of_scalar).collect();
        let wanted = match self.is {
            Comparison::Empty | Comparison::NotEmpty => 0..=0,
            Comparison::Between | Comparison::NotBetween => 2..=2,
            Comparison::OneOf | Comparison::NoneOf => 1..=500,
            _ => 1..=1,
        };
        let right = self.other.as_ref().map(|other| items(other, cells)).transpose()?;
        let counted =
            if right.is_some() { wanted == (1..=1) && values.is_empty() } else { wanted.contains(&values.len()) };
        if !counted {
            return Err(format!("the condition on `{}` has too few or too many values", self.column));
        }
        let verdict = |(at, item): (usize, &Item)| match &right {
            Some(right) => {
                right.get(at).map_or(Verdict::Blank, |other| self.verdict(item, std::slice::from_ref(other)))
            }
            None => self.verdict(item, &values),
        };
        Ok(left.iter().enumerate().map(verdict).collect())
    }

    fn verdict(&self, item: &Item, values: &[Item]) -> Verdict {
        let met = |met: bool| if met { Verdict::Met } else { Verdict::Unmet };
        let text = |item: &Item| columns::fold(item.text.trim());
        if matches!(self.is, Comparison::Empty | Comparison::NotEmpty) {
            return met(item.is_blank() == (self.is == Comparison::Empty));
        }
        if item.is_blank() || values.iter().any(Item::is_blank) {
            return if self.is.is_negative() { Verdict::Met } else { Verdict::Blank };
        }
        let any = |test: &dyn Fn(&Item) -> bool| values.iter().any(test);
        let orders: Option<Vec<_>> = values.iter().map(|value| item.order(value)).collect();
        match (self.is, orders.as_deref()) {
            (Comparison::Equal | Comparison::OneOf, _) => met(any(&|value| item.equals(value))),
            (Comparison::NotEqual | Comparison::NoneOf, _) => met(!any(&|value| item.equals(value))),
            (Comparison::Contains, _) => met(any(&|value| text(item).contains(&text(value)))),
            (Comparison::NotContains, _) => met(!any(&|value| text(item).contains(&text(value)))),
            (Comparison::StartsWith, _) => met(any(&|value| text(item).starts_with(&text(value)))),
            (Comparison::EndsWith, _) => met(any(&|value| text(item).ends_with(&text(value)))),
            (Comparison::Less, Some([order])) => met(order.is_lt()),
            (Comparison::AtMost, Some([order])) => met(order.is_le()),
            (Comparison::Greater, Some([order])) => met(order.is_gt()),
            (Comparison::AtLeast, Some([order])) => met(order.is_ge()),
            (Comparison::Between, Some([low, high])) => met(low.is_ge() && high.is_le()),
            (Comparison::NotBetween, Some([low, high])) => met(low.is_lt() || high.is_gt()),
            _ => Verdict::Unreadable,
        }
    }

    /// Returns the condition as a text.
    pub fn text(&self) -> String {
        let values: Vec<String> = self.value.iter().chain(self.values.iter().flatten()).map(Scalar::text).collect();
        let between = matches!(self.is, Comparison::Between | Comparison::NotBetween);
        let right = self.other.clone().unwrap_or_else(|| values.join(if between { " and " } else { ", " }));
        format!("{} {} {right}", self.column, self.is.words()).trim_end().to_owned()
    }
}

/// A part of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// `2024`
    Year,
    /// `2024-Q2`
    Quarter,
    /// `2024-05`
    Month,
    /// `2024-W05`, the week of ISO 8601.
    Week,
    /// `Monday`
    Weekday,
}

/// The names of the parts of a date.
pub const PARTS: [(&str, Part); 5] = [
    ("year", Part::Year),
    ("quarter", Part::Quarter),
    ("month", Part::Month),
    ("week", Part::Week),
    ("weekday", Part::Weekday),
];

impl Part {
    /// Returns the part of a day as a text.
    pub fn of(self, day: dates::Date) -> String {
        const NAMES: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
        match self {
            Self::Year => day.year.to_string(),
            Self::Quarter => format!("{}-Q{}", day.year, day.month.div_ceil(3)),
            Self::Month => format!("{}-{:02}", day.year, day.month),
            Self::Week => {
                let (year, week) = day.week();
                format!("{year}-W{week:02}")
            }
            Self::Weekday => NAMES.get(day.weekday() as usize).copied().unwrap_or_default().to_owned(),
        }
    }
}

/// Returns the texts of a key: the cells of a column, or `month of` a column of dates.
///
/// # Errors
/// A column that does not exist or has no dates.
pub fn key(text: &str, cells: &Cells<'_>) -> Result<Vec<String>, String> {
    let table = cells.table;
    if let Some(at) = table.column(text) {
        return Ok(table.cells(at).into_iter().map(str::to_owned).collect());
    }
    let part = text.split_once(" of ").and_then(|(part, column)| {
        let part = PARTS.iter().find(|(name, _)| name.eq_ignore_ascii_case(part.trim()))?.1;
        Some((part, table.column(column)?))
    });
    let (part, at) = part.ok_or_else(|| unknown(text, cells))?;
    let of = |moment: Option<Moment>| moment.and_then(|moment| moment.date).map(|day| part.of(day)).unwrap_or_default();
    Ok(cells.moments(at)?.into_iter().map(of).collect())
}

/// Returns the message about a column that does not exist.
pub fn unknown(name: &str, cells: &Cells<'_>) -> String {
    format!("there is no column `{name}`; the columns are {}", cells.table.columns.join(", "))
}

fn items(text: &str, cells: &Cells<'_>) -> Result<Vec<Item>, String> {
    let table = cells.table;
    if let Some(at) = table.column(text) {
        let (style, order) = (cells.style(at)?, cells.order(at)?);
        let item = |cell: &str| {
            let number = cells::number(cell, style).map(|(number, _)| number);
            Item { text: cell.to_owned(), number, moment: cells::moment(cell, order) }
        };
        return Ok(table.cells(at).into_iter().map(item).collect());
    }
    if let Ok(texts) = key(text, cells) {
        let item = |text: String| Item { number: Exact::read(&text), moment: None, text };
        return Ok(texts.into_iter().map(item).collect());
    }
    let values = formula(&Expression::parse(text, &table.columns)?, cells)?;
    let item =
        |value: Option<Exact>| Item { text: value.map_or(String::new(), Exact::text), number: value, moment: None };
    Ok(values.into_iter().map(item).collect())
}

/// Returns the value of a formula in each row; none if a cell has no value.
///
/// # Errors
/// A column that has no numbers, or percentages, whose products can mean two things.
pub fn formula(formula: &Expression, cells: &Cells<'_>) -> Result<Vec<Option<Exact>>, String> {
    let mut columns = Vec::new();
    for name in formula.columns() {
        let at = cells.table.column(name).ok_or_else(|| unknown(name, cells))?;
        if cells.is_percent(at) && !matches!(formula, Expression::Column(_)) {
            return Err(format!(
                "the column `{name}` has percentages; a formula needs them as plain numbers such as 0.12"
            ));
        }
        columns.push((name.to_owned(), cells.numbers(at)?));
    }
    let value = |row: usize| {
        let cell = |name: &str| {
            columns.iter().find(|(column, _)| column == name).and_then(|(_, cells)| cells.get(row).copied().flatten())
        };
        formula.value(&cell)
    };
    Ok((0..cells.table.rows.len()).map(value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::Notation;
    use crate::rows;

    #[test]
    fn conditions_on_rows() {
        let data = "status;amount;start;end\nopen;12.50;2024-01-31;2024-02-01\nClosed;3;2024-02-05 08:00;2024-02-01\n\
            ;;2024-12-30;";
        let table = cells::table(data).unwrap();
        let cells = Cells::new(&table, Notation::default());
        for (condition, expect) in rows::<(Condition, String)>(include_str!("../cases/condition.json")) {
            let shown = condition.verdicts(&cells).map_or("error".into(), |all| {
                all.iter().map(|one| format!("{one:?}").to_lowercase()).collect::<Vec<_>>().join(" ")
            });
            assert_eq!(shown, expect, "{condition:?}");
        }
    }
}
