//! The answer.

use agent_common::figures::round;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::input::{Input, Period};

/// A price, and what it rests on.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    /// The answer in words.
    pub summary: String,
    /// `change` to `price`, `keep` today's, `test` (better by the estimate, not settled), `none` (demand does not fall with the price), or `unclear`: there is no basis for a decision.
    pub decision: String,
    /// The proposed or computed price; null if there is none.
    pub price: Option<f64>,
    /// Today's price, if it is known.
    pub current_price: Option<f64>,
    /// Percent that demand moves when the price rises by one; null if it cannot be computed.
    pub elasticity: Option<Elasticity>,
    /// The price that brought most for each period in the data; null without data.
    pub best_in_data: Option<Best>,
    /// Bounds that hold the price back.
    pub bound_by: Vec<String>,
    /// What to expect at several prices.
    pub scenarios: Vec<Scenario>,
    /// Computed figures by name: break-even units, margin, prices with and without tax.
    pub figures: Vec<Figure>,
    /// What the answer rests on.
    pub based_on: Basis,
    /// What the answer does not cover.
    pub limitations: Vec<String>,
}

/// What the answer rests on.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Basis {
    /// Periods or variants with a price and a quantity.
    pub sales: usize,
    /// Different prices among them.
    pub different_prices: usize,
    /// Cost of a unit, if it is known.
    pub unit_cost: Option<f64>,
    /// Least price allowed, if it is known.
    pub price_min: Option<f64>,
    /// Highest price allowed, if it is known.
    pub price_max: Option<f64>,
    /// How the answer was computed: `regression`, `midpoint`, `simple` (shares of the first), `given` or `arithmetic`.
    pub method: String,
}

/// An estimate and its 95 % interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Elasticity {
    /// The likeliest value.
    pub estimate: f64,
    /// Low end; null if there are too few periods.
    pub low: Option<f64>,
    /// High end.
    pub high: Option<f64>,
}

/// An estimate and its 95 % interval.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Range {
    /// The likeliest value.
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
    /// Revenue less the cost of the units; null if no cost is known.
    pub profit: Option<f64>,
    /// `best`, `current`, or empty.
    pub mark: String,
    /// Whether no sale had such a price.
    pub extrapolated: bool,
}

/// The price that brought most.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Best {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The price.
    pub price: f64,
    /// `revenue` or `profit`.
    pub goal: String,
    /// What it brought for each period, or for each who could have bought.
    pub value: f64,
}

/// A computed figure.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Figure {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
}

impl Elasticity {
    /// Returns an estimate without an interval.
    pub fn point(estimate: f64) -> Self {
        Self { estimate: round(estimate), low: None, high: None }
    }
}

impl Figure {
    /// Returns a figure. Adding 0 turns a rounded -0 into 0.
    pub fn of(name: &str, value: f64) -> Self {
        Self { name: name.to_owned(), value: round(value) + 0.0 }
    }
}

impl Output {
    /// Returns an answer without a decision.
    pub fn of(sales: &[Period], input: &Input, method: &str, sentences: &[String]) -> Self {
        let based_on = Basis {
            sales: sales.len(),
            different_prices: prices(sales).len(),
            unit_cost: input.unit_cost,
            price_min: input.price_min,
            price_max: input.price_max,
            method: method.to_owned(),
        };
        let summary = format!("{}.", sentences.join(". "));
        let decision = "unclear".to_owned();
        Self { summary, decision, current_price: input.current_price, based_on, ..Self::default() }
    }
}

/// Returns the different prices in order.
pub fn prices(sales: &[Period]) -> Vec<f64> {
    let mut prices: Vec<f64> = sales.iter().map(|sale| sale.price).collect();
    prices.sort_by(f64::total_cmp);
    prices.dedup();
    prices
}

/// Returns the verb for a change of the price.
pub fn way(from: f64, to: f64) -> &'static str {
    if to > from { "Raise" } else { "Lower" }
}
