//! What the agent answers.

use agent_common::model::Answered;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::sale::{Sale, prices};
use crate::terms::Terms;

/// A price, and what it rests on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The direct answer in words.
    pub summary: String,
    /// How likely the answer is right, 0 to 1; of answers that say 0.8 or more at least four in five were right on the frozen tasks.
    pub confidence: f64,
    /// `change` to `price`, `keep` today's, `test` (better by the estimate, not settled), `none` (demand does not fall with the price), or `unclear`: there is no basis for more than `best_in_data`.
    pub decision: String,
    /// The proposed price; null where the data do not carry one.
    pub price: Option<f64>,
    /// Today's price: the one that is given, else the last of the history; null where nothing tells.
    pub current_price: Option<f64>,
    /// How many percent the demand moves when the price moves by one; null where it cannot be told.
    pub elasticity: Option<Elasticity>,
    /// The price that brought most for each period in the data themselves; null without data.
    pub best_in_data: Option<Best>,
    /// Bounds that hold the price back.
    pub bound_by: Vec<String>,
    /// What to expect at several prices.
    pub scenarios: Vec<Scenario>,
    /// What was read from the task.
    pub based_on: Basis,
    /// What the answer does not tell.
    pub limitations: Vec<String>,
}

impl Answered for Output {
    fn confidence(&mut self) -> &mut f64 {
        &mut self.confidence
    }

    fn limitations(&mut self) -> &mut Vec<String> {
        &mut self.limitations
    }
}

/// What the answer rests on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Basis {
    /// Periods or variants with a price and a quantity.
    pub sales: usize,
    /// Different prices among them.
    pub different_prices: usize,
    /// Cost of a unit, if one is known.
    pub unit_cost: Option<f64>,
    /// Least price allowed, if one is named.
    pub price_min: Option<f64>,
    /// Highest price allowed, if one is named.
    pub price_max: Option<f64>,
    /// How the elasticity was found: `regression`, `midpoint`, `simple` (shares of what was before), or `given`.
    pub method: &'static str,
}

/// An estimate and its 95 % interval.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Elasticity {
    /// The likeliest.
    pub estimate: f64,
    /// Low end; null where there are too few periods to tell.
    pub low: Option<f64>,
    /// High end.
    pub high: Option<f64>,
}

/// An estimate and its 95 % interval.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Range {
    /// The likeliest.
    pub estimate: f64,
    /// Low end.
    pub low: f64,
    /// High end.
    pub high: f64,
}

/// What to expect at a price.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Scenario {
    /// The price.
    pub price: f64,
    /// Units in a period.
    pub quantity: Range,
    /// Price times units.
    pub revenue: f64,
    /// Less the cost of the units; null where no cost is known.
    pub profit: Option<f64>,
    /// `best`, `current`, or empty.
    pub mark: String,
    /// Whether nobody was ever asked such a price.
    pub extrapolated: bool,
}

/// The price that brought most.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Best {
    /// What the task calls it, if it has a name.
    pub name: Option<String>,
    /// The price.
    pub price: f64,
    /// `revenue` or `profit`.
    pub goal: &'static str,
    /// What it brought for each period; for each who could have bought where the task says how many.
    pub value: f64,
}

impl Basis {
    /// What was read from the task.
    pub fn of(sales: &[Sale], terms: &Terms, method: &'static str) -> Self {
        Self {
            sales: sales.len(),
            different_prices: prices(sales).len(),
            unit_cost: terms.cost,
            price_min: terms.low,
            price_max: terms.high,
            method,
        }
    }
}
