//! What a caller may send.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fewest and most points of history.
pub const FEWEST_POINTS: usize = 8;
pub const MOST_POINTS: usize = 5_000;
/// Most rows of the table of scenarios.
pub const MOST_SCENARIOS: u32 = 50;

/// What was sold at which prices, and what a new price must keep to. One product, one currency.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Periods of equal length in order of time, 8 to 5,000, each with its price and the units sold.
    #[schemars(length(min = 8, max = 5_000))]
    pub history: Option<Vec<Period>>,
    /// Id of a stored resource (`res_…`): CSV with columns `price` and `quantity`, or a JSON array of the shape of
    /// `history`. This bridge has no other natural key; alone, it means: best revenue between the prices seen.
    pub resource_id: Option<String>,
    /// Cost of one more unit, from 0. Default: 0.
    #[schemars(range(min = 0.0))]
    pub unit_cost: Option<f64>,
    /// What to make large. Default: profit where `unit_cost` is given, else revenue.
    pub objective: Option<Objective>,
    /// Today's price. Default: the last of the history.
    #[schemars(range(min = 0.0))]
    pub current_price: Option<f64>,
    /// What the new price must keep to.
    #[serde(default)]
    pub constraints: Constraints,
    /// A steady growth or fall of demand over time is taken out first. Default: false; the answer tells the elasticity
    /// both ways.
    #[serde(default)]
    pub trend: bool,
    /// Confidence of intervals, 0.5 to 0.999. Default: 0.95.
    #[schemars(range(min = 0.5, max = 0.999))]
    pub confidence: Option<f64>,
    /// Rows of the table besides the current and the best price, 2 to 50. Default: 9.
    #[schemars(range(min = 2, max = 50))]
    pub scenarios: Option<u32>,
}

/// A period of history.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Period {
    /// Price of a unit, above 0.
    pub price: f64,
    /// Units sold, above 0 (a logarithm is taken: leave out periods without sales, or add them to their neighbours).
    pub quantity: f64,
}

/// What to make large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Objective {
    /// Price less unit cost, times units.
    Profit,
    /// Price times units.
    Revenue,
}

/// What the new price must keep to.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Constraints {
    /// Least price. Default: the least of the history; below half of that is refused.
    pub price_min: Option<f64>,
    /// Highest price. Default: the highest of the history; above twice that is refused.
    pub price_max: Option<f64>,
    /// Farthest from today's price, in percent of it, 0 to 100.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub max_change_percent: Option<f64>,
    /// Least margin: price less unit cost in percent of the price, 0 to 99.
    #[schemars(range(min = 0.0, max = 99.0))]
    pub min_margin_percent: Option<f64>,
    /// Most units that can be sold in a period.
    pub capacity: Option<f64>,
    /// Least units expected in a period.
    pub min_quantity: Option<f64>,
    /// Prices are multiples of this. Default: 0.01.
    pub price_step: Option<f64>,
}
