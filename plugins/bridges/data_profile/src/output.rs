//! The answer. Numbers are rounded to ten significant digits.

use std::collections::BTreeMap;

use bridge_common::Report;
use schemars::JsonSchema;
use serde::Serialize;

use crate::input::Format;

/// The answer of this bridge.
pub type Output = Report<Profile>;

/// The profile of the table.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Profile {
    /// How the text was read; `json` for `rows`.
    pub format: Format,
    /// CSV only: the character between cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub separator: Option<char>,
    /// Rows without the header.
    pub rows: usize,
    /// Each column, in the order of the table.
    pub columns: Vec<Column>,
    /// Rows that another row before them equals in all columns.
    pub duplicate_rows: usize,
    /// The first of them, from 0; at most 20.
    pub duplicate_at: Vec<usize>,
    /// Columns, or pairs of columns, whose values tell all rows apart, without gaps. Pairs only where no column does.
    pub candidate_keys: Vec<Vec<String>>,
    /// The gravest first.
    pub issues: Vec<Issue>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Column {
    /// Its name; for a column without one, `column` and its number from 1.
    pub name: String,
    /// integer, number, boolean, date, datetime, text, mixed, or empty: what at least 95 % of the values are.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// How many values are of each type.
    pub types: BTreeMap<&'static str, usize>,
    /// Rows without a value.
    pub missing: usize,
    /// Share of the rows, 0 to 1.
    pub missing_share: f64,
    /// Different values.
    pub distinct: usize,
    /// The most frequent values; ties in order of the text.
    pub top: Vec<Frequent>,
    /// Columns with numbers: what they are like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numbers: Option<Numbers>,
    /// Columns with texts: what they are like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texts: Option<Texts>,
    /// Dates: first and last, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dates: Option<Dates>,
}

/// A value and how often it is there.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Frequent {
    /// Cut to 60 characters.
    pub value: String,
    /// Rows that have it.
    pub count: usize,
}

/// Numbers of a column; quantiles are linear between neighbours (type 7 of Hyndman and Fan 1996).
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Numbers {
    /// Least value.
    pub least: f64,
    /// A twentieth of the values lies below this.
    pub p05: f64,
    /// A quarter of the values lies below this.
    pub p25: f64,
    /// Half of the values lie below this.
    pub median: f64,
    /// Three quarters of the values lie below this.
    pub p75: f64,
    /// Nineteen twentieths of the values lie below this.
    pub p95: f64,
    /// Greatest value.
    pub most: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation with n - 1; 0 for a single number.
    pub standard_deviation: f64,
    /// Values that are 0.
    pub zeros: usize,
    /// Values below 0.
    pub negative: usize,
    /// Outside p25 - 3 × (p75 - p25) to p75 + 3 × (p75 - p25): Tukey's outer fences.
    pub outliers: usize,
    /// The rows of the farthest, from 0; at most 10.
    pub outliers_at: Vec<usize>,
}

/// Lengths of texts, in characters.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Texts {
    /// Length of the shortest text, in characters.
    pub shortest: usize,
    /// Length of the longest, in characters.
    pub longest: usize,
    /// Mean length, in characters.
    pub mean: f64,
    /// Texts with spaces at their ends.
    pub padded: usize,
    /// The shape that most texts share (9 for digits, A and a for letters, runs cut short), where at least 80 % do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<String>,
}

/// First and last date.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Dates {
    /// The earliest, as written.
    pub first: String,
    /// The latest, as written.
    pub last: String,
    /// iso, day_first, month_first, or ambiguous where all could be either.
    pub order: &'static str,
}

/// Something to look at.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Issue {
    /// high, medium or low.
    pub severity: &'static str,
    /// empty_column, mostly_missing, missing_values, constant, mixed_types, duplicate_rows, outliers, padded_text,
    /// case_variants, ambiguous_dates, duplicate_names, unnamed_column, uneven_rows, numbers_with_leading_zeros,
    /// almost_unique.
    pub kind: &'static str,
    /// The column; none for the table as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// In words.
    pub message: String,
}
