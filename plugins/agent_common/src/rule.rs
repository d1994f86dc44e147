//! Rules of tables, as callers give them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, PARTS};
use crate::formats::Format;

/// Names of columns.
pub type Names = Vec<String>;

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The row, from 1; none if the column as a whole is meant.
    pub row: Option<usize>,
    /// The column or columns, or `row` for a whole row.
    pub field: String,
    /// `missing`, `duplicate`, `type`, `format`, `range` or `inconsistent`.
    pub kind: &'static str,
    /// The message to the caller.
    pub message: String,
}

/// A rule. Cells without a value break only `required` and conditions on them.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "check", rename_all = "snake_case", deny_unknown_fields)]
pub enum Rule {
    /// Cells of the columns (default: all) have a value.
    Required {
        /// The columns.
        columns: Option<Names>,
    },
    /// No two rows have the same values in these columns together; without columns, no two rows are equal.
    Unique {
        /// The columns.
        columns: Option<Names>,
        /// Whether `A` and `a` are the same. Default: no.
        ignore_case: Option<bool>,
    },
    /// Cells are of a type.
    Type {
        /// The columns.
        columns: Names,
        /// The type.
        #[serde(rename = "type")]
        kind: Type,
    },
    /// Cells have a format.
    Format {
        /// The columns.
        columns: Names,
        /// The format.
        format: Format,
        /// Code of the country of postcodes, such as `DE`.
        country: Option<String>,
    },
    /// Dates or times are written like a pattern such as `YYYY-MM-DD` or `HH:mm`, and exist.
    Dates {
        /// The columns.
        columns: Names,
        /// The pattern.
        pattern: String,
    },
    /// Cells match a regular expression as a whole.
    Pattern {
        /// The columns.
        columns: Names,
        /// The regular expression.
        regex: String,
    },
    /// Cells have so many characters.
    Length {
        /// The columns.
        columns: Names,
        /// The fewest characters.
        min: Option<u32>,
        /// The most characters.
        max: Option<u32>,
    },
    /// Every row meets a condition: a range, a list of allowed values, a comparison with another column. With `when`, only
    /// the rows that meet all of those.
    Condition {
        /// The condition.
        that: Condition,
        /// Conditions on the rows that it holds for.
        when: Option<Vec<Condition>>,
    },
    /// A column has the value of a formula such as `qty * price`.
    Formula {
        /// The column.
        column: String,
        /// The formula.
        equals: String,
        /// Allowed difference. Default: half of the last decimal of these columns.
        tolerance: Option<f64>,
    },
    /// Numbers or dates go up from row to row, or down.
    Ascending {
        /// The column.
        column: String,
        /// Whether they go down. Default: no.
        #[serde(default)]
        descending: bool,
        /// Whether equal neighbours are wrong. Default: no.
        #[serde(default)]
        strict: bool,
    },
    /// Whole numbers have no gaps and no repeats, from the first to the last or the given bounds.
    Consecutive {
        /// The column.
        column: String,
        /// The first number.
        from: Option<i64>,
        /// The last number.
        to: Option<i64>,
    },
    /// The sum of a column.
    Total {
        /// The column.
        column: String,
        /// The sum.
        equals: f64,
        /// Allowed difference. Default: 0.
        tolerance: Option<f64>,
    },
    /// A column has the year, quarter, month or weekday of a date in another column.
    DatePart {
        /// The column.
        column: String,
        /// The part of the date.
        part: DatePart,
        /// The column of dates.
        of: String,
    },
    /// An age in years fits the date of birth on a day (`2025-01-01`).
    Age {
        /// The column.
        column: String,
        /// The column of dates of birth.
        born: String,
        /// The day of the age.
        on: String,
    },
}

/// A type of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::cells::names_only)]
pub enum Type {
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// A date, with or without a time.
    Date,
    /// A time of day.
    Time,
    /// `yes`, `no`, `true`, `false`, `0`, `1`.
    Boolean,
}

/// A part of a date that a column repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::cells::names_only)]
pub enum DatePart {
    /// `2024`
    Year,
    /// `Q2` or `2`
    Quarter,
    /// `May` or `5`
    Month,
    /// `Monday`
    Weekday,
}

impl Type {
    /// Returns the name of the type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Integer => "a whole number",
            Self::Date => "a date",
            Self::Time => "a time",
            Self::Boolean => "yes or no",
        }
    }
}

/// Returns a rule in words.
pub fn text(rule: &Rule) -> String {
    let all = |names: &Names| names.join(", ");
    match rule {
        Rule::Required { columns } => {
            format!("{} must have a value", columns.as_ref().map_or("all columns".into(), all))
        }
        Rule::Unique { columns: Some(names), .. } => format!("{} must be unique", all(names)),
        Rule::Unique { columns: None, .. } => "no two rows are equal".into(),
        Rule::Type { columns, kind } => format!("{} must be {}", all(columns), kind.name()),
        Rule::Format { columns, format, .. } => format!("{} must be a valid {}", all(columns), format.name()),
        Rule::Dates { columns, pattern } => format!("{} must be written as {pattern}", all(columns)),
        Rule::Pattern { columns, regex } => format!("{} must match {regex}", all(columns)),
        Rule::Length { columns, min, max } => {
            let bound = |name: &str, bound: &Option<u32>| bound.map_or(String::new(), |n| format!(" {name} {n}"));
            format!("{} must have{}{} characters", all(columns), bound("at least", min), bound("at most", max))
        }
        Rule::Condition { that, when } => {
            let when: Vec<String> = when.iter().flatten().map(Condition::text).collect();
            if when.is_empty() { that.text() } else { format!("if {}, then {}", when.join(" and "), that.text()) }
        }
        Rule::Formula { column, equals, .. } => format!("{column} = {equals}"),
        Rule::Ascending { column, descending, .. } => {
            format!("{column} goes {}", if *descending { "down" } else { "up" })
        }
        Rule::Consecutive { column, .. } => format!("{column} has no gaps"),
        Rule::Total { column, equals, .. } => format!("the sum of {column} is {equals}"),
        Rule::DatePart { column, part, of } => {
            let name = PARTS.iter().find(|(name, _)| name.eq_ignore_ascii_case(&format!("{part:?}")));
            format!("{column} is the {} of {of}", name.map_or("part", |(name, _)| *name))
        }
        Rule::Age { column, born, on } => format!("{column} fits {born} on {on}"),
    }
}
