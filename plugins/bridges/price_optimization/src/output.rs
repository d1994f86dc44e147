//! The answer. All numbers in it are finite and rounded to eight significant digits.

use bridge_common::Source;
use schemars::JsonSchema;
use serde::Serialize;

use crate::input::Objective;

/// A price, and what it rests on.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Output {
    pub result: Advice,
    pub method: Used,
    /// Always empty: no data set stands behind this answer, only the caller's history.
    pub data: Vec<Source>,
    /// What to bear in mind.
    pub limitations: Vec<String>,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Advice {
    /// change: better over the whole confidence interval of the elasticity, if the model holds. test: better by the
    /// estimate, but the interval holds values for which it is worse. keep: today's price is the best. none: demand does
    /// not fall with the price in this history, so no price can be recommended.
    pub decision: &'static str,
    /// The best price within the constraints; null when the decision is none.
    pub price: Option<f64>,
    pub current_price: f64,
    /// Percent by which units fall when the price rises by one percent, as a negative number.
    pub elasticity: Interval,
    /// Percent by which the objective would grow at the best price, by the estimate and over the interval; null when
    /// the decision is none, or when today's objective is not above 0.
    pub uplift_percent: Option<Interval>,
    /// What keeps the price from going further: price_min, price_max, max_change, min_margin, capacity, min_quantity.
    pub bound_by: Vec<&'static str>,
    /// Prices from the least to the highest allowed, with today's and the best.
    pub scenarios: Vec<Scenario>,
}

/// An estimate with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Interval {
    pub estimate: f64,
    pub low: f64,
    pub high: f64,
}

/// What one price would bring in a period.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Scenario {
    pub price: f64,
    /// Units, by the estimate and over the interval of the elasticity, starting from today's price.
    pub quantity: Interval,
    pub revenue: f64,
    pub profit: f64,
    /// current, best, or empty.
    pub mark: &'static str,
    /// The price lies outside the history.
    pub extrapolated: bool,
}

/// The model and how well it fits.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Used {
    pub name: &'static str,
    pub objective: Objective,
    pub confidence: f64,
    pub points: usize,
    pub different_prices: usize,
    pub standard_error: f64,
    /// Share of the variation of log units that log prices (and trend) explain.
    pub r_squared: f64,
    /// Near 2 when errors of neighbouring periods do not go together.
    pub durbin_watson: f64,
    pub trend: bool,
    /// The elasticity with the trend the other way (taken out when `trend` is false, left in when true); null when it
    /// cannot be told.
    pub elasticity_other_trend: Option<f64>,
}
