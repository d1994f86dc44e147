//! What a caller may send.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fewest and most points of history.
pub const FEWEST_POINTS: usize = 8;
pub const MOST_POINTS: usize = 5_000;
/// Most rows of the table of scenarios.
pub const MOST_SCENARIOS: u32 = 50;
/// Most controls.
pub const MOST_CONTROLS: usize = 10;
/// Places that a cycle of seasons may have.
pub const SEASONS: std::ops::RangeInclusive<u32> = 2..=53;

/// What was sold at which prices, and what a new price must keep to. One product, one currency.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("history | resource_id"))]
pub struct Input {
    /// Periods of equal length in order of time, 8 to 5,000, each with its price and the units sold. Trend, season and
    /// controls need more of them: five and one for each that is taken out. Give this or `resource_id`.
    #[schemars(length(min = 8, max = 5_000))]
    pub history: Option<Vec<Period>>,
    /// Id of a stored resource (`res_…`): CSV with columns `price`, `quantity` and any `controls`, or a JSON array of the
    /// shape of `history`. This bridge has no other natural key; alone, it means: best revenue between the prices seen.
    pub resource_id: Option<String>,
    /// Cost of one more unit, 0 to 1e12, in the currency of the prices. Default: 0.
    #[schemars(range(min = 0.0, max = 1e12))]
    pub unit_cost: Option<f64>,
    /// What to make large. Default: profit where `unit_cost` is given, else revenue.
    pub objective: Option<Objective>,
    /// Today's price, above 0 and no farther from the prices of the history than half and twice. Default: the last of
    /// the history.
    #[schemars(range(min = 1e-9, max = 1e12))]
    pub current_price: Option<f64>,
    /// What the new price must keep to. Default: the prices seen.
    #[serde(default)]
    pub constraints: Constraints,
    /// A steady growth or fall of demand over time is taken out first. Default: false; the answer tells the elasticity
    /// both ways.
    #[serde(default)]
    pub trend: bool,
    /// Periods in one cycle of the seasons, 2 to 53 (12 for months, 7 for days): each place in the cycle gets a level of
    /// its own, which is taken out first. At least two cycles must be given. Default: no seasons.
    #[schemars(range(min = 2, max = 53))]
    pub season: Option<u32>,
    /// Names of controls whose effect is taken out first, at most ten: promotions, a rival's price, the weather. Default:
    /// all that the periods of `history` have; none of a CSV file, whose columns they are.
    #[schemars(length(max = 10))]
    pub controls: Option<Vec<String>>,
    /// Prices beyond those of the history may be recommended, from half of the least to twice the highest, if
    /// `constraints` allows them: the model is not known to hold there. Default: false.
    #[serde(default)]
    pub extrapolate: bool,
    /// Confidence of intervals, 0.5 to 0.999. Default: 0.95.
    #[schemars(range(min = 0.5, max = 0.999))]
    pub confidence: Option<f64>,
    /// Rows of the table besides the current and the best price, 2 to 50. Default: 9.
    #[schemars(range(min = 2, max = 50))]
    pub scenarios: Option<u32>,
}

/// A period of history.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Period {
    /// Price of a unit, 1e-9 to 1e12.
    #[schemars(range(min = 1e-9, max = 1e12))]
    pub price: f64,
    /// Units sold, 1e-9 to 1e12 (a logarithm is taken: leave out periods without sales, or add them to their neighbours).
    #[schemars(range(min = 1e-9, max = 1e12))]
    pub quantity: f64,
    /// What else moved demand in this period, by name: 1 or 0 for a promotion, or any number that works on log units (a
    /// rival's price as its logarithm). The same names in every period, at most ten. Default: nothing.
    #[serde(default)]
    #[schemars(extend("maxProperties" = 10))]
    pub controls: BTreeMap<String, f64>,
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
    /// Least price, from 0. Default: the least of the history; lower ones count only with `extrapolate`.
    #[schemars(range(min = 0.0, max = 1e12))]
    pub price_min: Option<f64>,
    /// Highest price, above 0. Default: the highest of the history; higher ones count only with `extrapolate`.
    #[schemars(range(min = 0.0, max = 1e12))]
    pub price_max: Option<f64>,
    /// Farthest from today's price, in percent of it, 0 to 100. Default: no bound.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub max_change_percent: Option<f64>,
    /// Least margin: price less unit cost in percent of the price, 0 to 99. Default: no bound.
    #[schemars(range(min = 0.0, max = 99.0))]
    pub min_margin_percent: Option<f64>,
    /// Most units that can be sold in a period, above 0. Default: no bound.
    #[schemars(range(min = 0.0))]
    pub capacity: Option<f64>,
    /// Least units expected in a period, above 0. Default: no bound.
    #[schemars(range(min = 0.0))]
    pub min_quantity: Option<f64>,
    /// Prices are multiples of this, 1e-9 to 1e9. Default: 0.01, or a hundredth of the least price seen where that is
    /// less.
    #[schemars(range(min = 1e-9, max = 1e9))]
    pub price_step: Option<f64>,
}
