//! What a request asks of a table.

use agent_common::exact::Exact;
use agent_common::formula::Formula;

use crate::filter::Filter;

/// A figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Op {
    Sum,
    Mean,
    Median,
    Min,
    Max,
    Count,
    Distinct,
    Share,
}

impl Op {
    /// How a figure is named before what it is of.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum of",
            Self::Mean => "average",
            Self::Median => "median",
            Self::Min => "lowest",
            Self::Max => "highest",
            Self::Count => "count of",
            Self::Distinct => "different",
            Self::Share => "share of",
        }
    }
}

/// A span of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    Year,
    Quarter,
    Month,
    Week,
    Weekday,
}

/// What rows are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    pub column: usize,
    pub unit: Option<Unit>,
}

/// What a figure is of.
#[derive(Debug, Clone, PartialEq)]
pub enum Measure {
    /// Rows.
    Rows,
    /// A value of each row.
    Of(Formula),
}

/// One figure that is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    pub op: Op,
    pub measure: Measure,
    /// Conditions of this figure alone.
    pub filters: Vec<Filter>,
    pub name: String,
    /// Times a hundred.
    pub percent: bool,
}

/// A rate on top of a sum, in percent.
#[derive(Debug, Clone, PartialEq)]
pub struct Surcharge {
    pub rate: Exact,
    pub name: String,
}

/// All that is wanted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    pub asks: Vec<Ask>,
    pub keys: Vec<Key>,
    pub filters: Vec<Filter>,
    /// The greatest first.
    pub descending: Option<bool>,
    /// The column that rows are sorted by, where no figure is asked.
    pub sort_by: Option<usize>,
    pub top: Option<usize>,
    /// The group or row with the extreme is wanted: true for the greatest.
    pub which: Option<bool>,
    /// Rows are wanted, no figures.
    pub listing: bool,
    /// How far the highest is from the lowest.
    pub spread: bool,
    /// A rate on top of the sums.
    pub surcharge: Option<Surcharge>,
    /// A condition was not understood.
    pub lost: bool,
    /// Words that were not understood.
    pub unknown: Vec<String>,
    /// The measure was taken because there is no other.
    pub assumed: bool,
}
