//! The typed input.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One basis (`history`, `elasticity`, `demand`, `change` or `calculate`), with costs and bounds.
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Periods or variants with a price and the units sold, in order of time, 2 to 5,000. From 8 periods with 3 prices on, demand is estimated; fewer are compared as they are.
    #[schemars(length(min = 2, max = 5_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<Vec<Period>>,
    /// Cost of one more unit. Without it, revenue counts instead of profit.
    #[schemars(range(min = 0.0, max = 1e12))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit_cost: Option<f64>,
    /// Cost of a period that does not depend on the units sold.
    #[schemars(range(min = 0.0, max = 1e15))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed_cost: Option<f64>,
    /// Today's price. Default: the last of 8 or more periods, otherwise unknown.
    #[schemars(range(min = 1e-9, max = 1e12))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_price: Option<f64>,
    /// Least price. Default: the least of the history.
    #[schemars(range(min = 0.0, max = 1e12))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_min: Option<f64>,
    /// Highest price. Default: the highest of the history.
    #[schemars(range(min = 0.0, max = 1e12))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_max: Option<f64>,
    /// Farthest from today's price, in percent of it.
    #[schemars(range(min = 0.0, max = 100.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_change_percent: Option<f64>,
    /// What to make large. Default: profit with a `unit_cost`, otherwise revenue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objective: Option<Objective>,
    /// Elasticity of demand in place of a history: percent that demand moves when the price rises by 1 %, mostly negative.
    #[schemars(range(min = -100.0, max = 100.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elasticity: Option<f64>,
    /// How the elasticity between two prices is computed: `midpoint` (default), or `simple`: shares of the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elasticity_method: Option<Formula>,
    /// A straight demand line in place of a history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub demand: Option<Line>,
    /// A change of the price whose effect is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
    /// Exact arithmetic of margin, markup, discount, tax and break-even; `unit_cost` and `fixed_cost` are used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calculate: Option<Calculation>,
}

/// A period or a variant.
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Period {
    /// Price of a unit, above 0.
    #[schemars(range(min = 1e-9, max = 1e12))]
    pub price: f64,
    /// Units sold.
    #[schemars(range(min = 0.0, max = 1e12))]
    pub quantity: f64,
    /// A name for the variant.
    #[schemars(length(max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How many could have bought (visitors, trials), if that differs between the prices.
    #[schemars(range(min = 0.0, max = 1e12))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered: Option<f64>,
}

/// What to make large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Objective {
    Profit,
    Revenue,
}

/// How an elasticity between two prices is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Formula {
    Midpoint,
    Simple,
}

/// Units sold = `at_zero` - `slope` × price.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Units at a price of 0.
    #[schemars(range(min = 1e-9, max = 1e15))]
    pub at_zero: f64,
    /// Units lost for each 1 of the price.
    #[schemars(range(min = 1e-9, max = 1e15))]
    pub slope: f64,
}

/// A change of the price, in prices or in percent, and of the units, if it is known.
#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Price before. Default: `current_price`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    /// Price after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_price: Option<f64>,
    /// Change of the price in percent, in place of `new_price`; negative for a cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_percent: Option<f64>,
    /// Units before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<f64>,
    /// Units after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_quantity: Option<f64>,
    /// Change of the units in percent, in place of `new_quantity`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity_percent: Option<f64>,
    /// Contribution margin before, in percent of the price, in place of `unit_cost`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin_percent: Option<f64>,
}

/// Known figures; all that follow from them are computed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Calculation {
    /// Selling price without tax, before a discount.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    /// Selling price with tax, before a discount; needs `vat_percent`, or `price` to compute it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gross_price: Option<f64>,
    /// Value added or sales tax in percent of the price without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vat_percent: Option<f64>,
    /// Profit in percent of the price without tax.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin_percent: Option<f64>,
    /// Profit in percent of the unit cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markup_percent: Option<f64>,
    /// Discount in percent of the price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discount_percent: Option<f64>,
    /// Price without tax after the discount, in place of `discount_percent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discounted_price: Option<f64>,
    /// Units sold, for revenue and profit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<f64>,
    /// Profit of a period after `fixed_cost` that the units must bring.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_profit: Option<f64>,
}

impl Input {
    /// Returns how many bases the input has.
    pub fn bases(&self) -> usize {
        let Self { history, elasticity, demand, change, calculate, .. } = self;
        [history.is_some(), elasticity.is_some(), demand.is_some(), change.is_some(), calculate.is_some()]
            .into_iter()
            .filter(|given| *given)
            .count()
    }

    /// Returns the unit cost, if profit counts.
    pub fn cost(&self) -> Option<f64> {
        self.unit_cost.filter(|_| self.objective != Some(Objective::Revenue))
    }

    /// Returns what counts, in words.
    pub fn goal(&self) -> &'static str {
        if self.cost().is_some() { "profit" } else { "revenue" }
    }

    /// Returns a price inside the bounds, and the bound that moved it.
    pub fn bounded(&self, price: f64) -> (f64, Vec<String>) {
        let near = self.current_price.zip(self.max_change_percent).map(|(price, most)| (price, most / 100.0));
        let bounds = [
            (
                near.map(|(price, most)| price * (1.0 - most)),
                near.map(|(price, most)| price * (1.0 + most)),
                "max_change",
            ),
            (self.price_min, None, "price_min"),
            (None, self.price_max, "price_max"),
        ];
        let (mut held, mut by) = (price, Vec::new());
        for (low, high, name) in bounds {
            let moved = high.map_or(held, |high| held.min(high));
            let moved = low.map_or(moved, |low| moved.max(low));
            if moved != held {
                by = vec![name.to_owned()];
            }
            held = moved;
        }
        (held, by)
    }
}
