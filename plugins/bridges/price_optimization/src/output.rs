//! The answer. All numbers in it are finite and rounded to eight significant digits.

use bridge_common::Report;
use schemars::JsonSchema;
use serde::Serialize;

use crate::input::Objective;

/// The answer of this bridge.
pub type Output = Report<Advice, MethodUsed>;

/// The recommended price, and what it would bring.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Advice {
    /// change: better over the whole confidence interval of the elasticity, if the model holds. test: better by the
    /// estimate, but the interval holds values for which it is worse. keep: today's price is the best. none: demand does
    /// not fall with the price in this history, so no price can be recommended.
    pub decision: &'static str,
    /// The best price within the constraints; null when the decision is none.
    pub price: Option<f64>,
    /// Today's price.
    pub current_price: f64,
    /// Percent by which units fall when the price rises by one percent, as a negative number.
    pub elasticity: Interval,
    /// Percent by which the objective would grow at the best price, by the estimate and over the interval; null when
    /// the decision is none, or when today's objective is not above 0.
    pub uplift_percent: Option<Interval>,
    /// What keeps the price from going further: history (no lower or higher price was seen), price_min, price_max,
    /// max_change, min_margin, capacity, min_quantity.
    pub bound_by: Vec<&'static str>,
    /// Prices from the least to the highest allowed, with today's and the best.
    pub scenarios: Vec<Scenario>,
}

/// An estimate with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Interval {
    /// The estimate.
    pub estimate: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// What one price would bring in a period.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Scenario {
    /// Price of a unit.
    pub price: f64,
    /// Units, by the estimate and over the interval of the elasticity, starting from today's price.
    pub quantity: Interval,
    /// Price times units, by the estimate.
    pub revenue: f64,
    /// Price less unit cost, times units, by the estimate; with no `unit_cost` the same as revenue.
    pub profit: f64,
    /// current, best, or empty.
    pub mark: &'static str,
    /// The price lies outside the history.
    pub extrapolated: bool,
}

/// The model and how well it fits.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MethodUsed {
    /// The model, in words.
    pub name: String,
    /// What was made large.
    pub objective: Objective,
    /// Confidence of the intervals, 0.5 to 0.999.
    pub confidence: f64,
    /// Periods of the history.
    pub points: usize,
    /// Different prices among them.
    pub different_prices: usize,
    /// Standard error of the elasticity.
    pub standard_error: f64,
    /// Share of the variation of log units that the model explains, 0 to 1.
    pub r_squared: f64,
    /// Durbin and Watson statistic of the errors, 0 to 4: near 2 when errors of neighbouring periods do not go together.
    pub durbin_watson: f64,
    /// Whether a steady growth or fall was taken out.
    pub trend: bool,
    /// Periods in the cycle whose levels were taken out; left out without seasons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub season: Option<u32>,
    /// The controls, each with what it does to units; left out when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub controls: Vec<Control>,
    /// The elasticity with the trend the other way (taken out when `trend` is false, left in when true); null when it
    /// cannot be told.
    pub elasticity_other_trend: Option<f64>,
}

/// A control and its effect.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Control {
    /// Its name.
    pub name: String,
    /// Percent by which units change when it grows by 1 and all else stays; null when it cannot be told from the rest.
    pub units_percent: Option<Interval>,
}
