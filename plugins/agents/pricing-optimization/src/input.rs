//! What the agent takes beside the task.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was sold, and the bounds.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Periods of equal length in order of time, 8 to 5,000. The task's own sales unless given; there two prices suffice for a comparison.
    #[schemars(length(min = 8, max = 5_000))]
    pub history: Option<Vec<Period>>,
    /// Cost of one more unit. Default: the cost that the task names; without one revenue is made large instead of profit.
    #[schemars(range(min = 0.0))]
    pub unit_cost: Option<f64>,
    /// Today's price. Default: the one that the task names, else the last of the history.
    #[schemars(range(min = 1e-9))]
    pub current_price: Option<f64>,
    /// Least price. Default: the one that the task names, else the least of the history.
    pub price_min: Option<f64>,
    /// Highest price. Default: the one that the task names, else the highest of the history.
    pub price_max: Option<f64>,
    /// Farthest from today's price, in percent of it.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub max_change_percent: Option<f64>,
}

/// A period.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Period {
    /// Price of a unit, above 0.
    pub price: f64,
    /// Units sold, above 0.
    pub quantity: f64,
}
