//! The typed input.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// One basis (`history`, `elasticity`, `demand`, `change` or `calculate`), with costs and bounds.
#[skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Periods or variants with a price and the units sold, in order of time, 2 to 5,000. From 8 periods with 3 prices on, demand is estimated; fewer are compared as they are.
    #[schemars(length(min = 2, max = 5_000))]
    pub history: Option<Vec<Period>>,
    /// Cost of one more unit. Without it, revenue counts instead of profit.
    #[schemars(range(min = 0.0, max = 1e12))]
    pub unit_cost: Option<f64>,
    /// Cost of a period that does not depend on the units sold.
    #[schemars(range(min = 0.0, max = 1e15))]
    pub fixed_cost: Option<f64>,
    /// Today's price. Default: the last of 8 or more periods, otherwise unknown.
    #[schemars(range(min = 1e-9, max = 1e12))]
    pub current_price: Option<f64>,
    /// Least price. Default: the least of the history.
    #[schemars(range(min = 0.0, max = 1e12))]
    pub price_min: Option<f64>,
    /// Highest price. Default: the highest of the history.
    #[schemars(range(min = 0.0, max = 1e12))]
    pub price_max: Option<f64>,
    /// Farthest from today's price, in percent of it.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub max_change_percent: Option<f64>,
    /// What to make large. Default: profit with a `unit_cost`, otherwise revenue.
    pub objective: Option<Objective>,
    /// Elasticity of demand in place of a history: percent that demand moves when the price rises by 1 %, mostly negative.
    #[schemars(range(min = -100.0, max = 100.0))]
    pub elasticity: Option<f64>,
    /// How the elasticity between two prices is computed: `midpoint` (default), or `simple`: shares of the first one.
    pub elasticity_method: Option<Formula>,
    /// A straight demand line in place of a history.
    pub demand: Option<Line>,
    /// A change of the price whose effect is wanted.
    pub change: Option<Change>,
    /// Exact arithmetic of margin, markup, discount, tax and break-even; `unit_cost` and `fixed_cost` are used.
    pub calculate: Option<Calculation>,
}

/// A period or a variant.
#[skip_serializing_none]
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
    pub name: Option<String>,
    /// How many could have bought (visitors, trials), if that differs between the prices.
    #[schemars(range(min = 0.0, max = 1e12))]
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
#[skip_serializing_none]
#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Price before. Default: `current_price`.
    pub price: Option<f64>,
    /// Price after.
    pub new_price: Option<f64>,
    /// Change of the price in percent, in place of `new_price`; negative for a cut.
    pub price_percent: Option<f64>,
    /// Units before.
    pub quantity: Option<f64>,
    /// Units after.
    pub new_quantity: Option<f64>,
    /// Change of the units in percent, in place of `new_quantity`.
    pub quantity_percent: Option<f64>,
    /// Contribution margin before, in percent of the price, in place of `unit_cost`.
    pub margin_percent: Option<f64>,
}

/// Known figures; all that follow from them are computed.
#[skip_serializing_none]
#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Calculation {
    /// Selling price without tax, before a discount.
    pub price: Option<f64>,
    /// Selling price with tax, before a discount; needs `vat_percent`, or `price` to compute it.
    pub gross_price: Option<f64>,
    /// Value added or sales tax in percent of the price without it.
    pub vat_percent: Option<f64>,
    /// Profit in percent of the price without tax.
    pub margin_percent: Option<f64>,
    /// Profit in percent of the unit cost.
    pub markup_percent: Option<f64>,
    /// Discount in percent of the price.
    pub discount_percent: Option<f64>,
    /// Price without tax after the discount, in place of `discount_percent`.
    pub discounted_price: Option<f64>,
    /// Units sold, for revenue and profit.
    pub quantity: Option<f64>,
    /// Profit of a period after `fixed_cost` that the units must bring.
    pub target_profit: Option<f64>,
}

impl Input {
    /// Returns how many bases the input has.
    pub fn bases(&self) -> usize {
        let Self { history, elasticity, demand, change, calculate, .. } = self;
        let given = [history.is_some(), elasticity.is_some(), demand.is_some(), change.is_some(), calculate.is_some()];
        given.into_iter().filter(|given| *given).count()
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
        let reach = |sign: f64| {
            self.current_price.zip(self.max_change_percent).map(|(price, most)| price * (1.0 + sign * (most / 100.0)))
        };
        let bounds = [
            ("max_change", reach(-1.0), reach(1.0)),
            ("price_min", self.price_min, None),
            ("price_max", None, self.price_max),
        ];
        let (mut held, mut by) = (price, Vec::new());
        for (name, low, high) in bounds {
            let moved = held.min(high.unwrap_or(f64::MAX)).max(low.unwrap_or(0.0));
            if moved != held {
                by = vec![name.to_owned()];
            }
            held = moved;
        }
        (held, by)
    }
}
