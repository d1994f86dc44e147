//! An agent that proposes a price from what was sold at which price.
//!
//! The bridge `price_optimization` estimates and decides; this agent reads the
//! history out of a table or pairs, and says what the figures mean.

use agent_common::{Answer, figures, limits, numbers, table::Table, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

/// What was sold, and the bounds.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Periods of equal length in order of time, 8 to 5,000. The task's own table with columns price and quantity unless given.
    #[schemars(length(min = 8, max = 5_000))]
    history: Option<Vec<Period>>,
    /// Cost of one more unit. Default: the number after "cost" in the task; without one revenue is made large instead of profit.
    #[schemars(range(min = 0.0))]
    unit_cost: Option<f64>,
    /// Least price. Default: the number after "minimum" in the task, else the least of the history.
    price_min: Option<f64>,
    /// Highest price. Default: the number after "maximum" in the task, else the highest of the history.
    price_max: Option<f64>,
    /// Farthest from today's price, in percent of it.
    #[schemars(range(min = 0.0, max = 100.0))]
    max_change_percent: Option<f64>,
}

/// A period.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Period {
    /// Price of a unit, above 0.
    price: f64,
    /// Units sold, above 0.
    quantity: f64,
}

/// A price, and what it rests on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    summary: String,
    /// `change` or `keep`, as far as the data allow.
    decision: String,
    /// The proposed price.
    price: f64,
    /// Today's price: the last of the history.
    current_price: f64,
    /// How many percent the demand moves when the price moves by one.
    elasticity: Range,
    /// Bounds that hold the price back.
    bound_by: Vec<String>,
    /// What to expect at several prices.
    scenarios: Vec<Scenario>,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

/// An estimate and its 95 % interval.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Range {
    /// The likeliest.
    estimate: f64,
    /// Low end.
    low: f64,
    /// High end.
    high: f64,
}

/// What to expect at a price.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Scenario {
    /// The price.
    price: f64,
    /// Units in a period.
    quantity: Range,
    /// Price times units.
    revenue: f64,
    /// Less the cost of the units; null where no cost is known.
    profit: Option<f64>,
    /// `best`, `current`, or empty.
    mark: String,
    /// Whether nobody was ever asked such a price.
    extrapolated: bool,
}

#[derive(Deserialize)]
struct PriceAdvice {
    decision: String,
    price: Option<f64>,
    current_price: f64,
    elasticity: Range,
    bound_by: Vec<String>,
    scenarios: Vec<Scenario>,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words::of(task, input.as_ref());
    let input = input.unwrap_or_default();
    let history = input.history.map_or_else(|| history(text), Ok)?;
    let words_after = |names: &[&str]| numbers::after(text, names);
    let cost = input.unit_cost.or_else(|| words_after(&["cost", "costs"]));
    let mut bounds = Map::new();
    for (name, value) in [
        ("price_min", input.price_min.or_else(|| words_after(&["minimum", "least"]))),
        ("price_max", input.price_max.or_else(|| words_after(&["maximum", "most"]))),
        ("max_change_percent", input.max_change_percent),
    ] {
        if let Some(value) = value {
            bounds.insert(name.to_owned(), json!(value));
        }
    }
    let mut asked = json!({ "history": history, "constraints": Value::Object(bounds) });
    if let (Some(cost), Some(asked)) = (cost, asked.as_object_mut()) {
        asked.insert("unit_cost".into(), json!(cost));
    }
    let answer: Answer<PriceAdvice> = bridges::call("price_optimization", &asked)?;
    let advice = answer.result;
    Ok(Output {
        summary: summary(&advice, history.len(), cost),
        price: advice.price.unwrap_or(advice.current_price),
        decision: advice.decision,
        current_price: advice.current_price,
        elasticity: advice.elasticity,
        bound_by: advice.bound_by,
        scenarios: advice.scenarios,
        limitations: limits(&[], &[&answer.limitations]),
    })
}

/// Prices and quantities of a table in the text, else of pairs `price: quantity`, one a line.
fn history(text: &str) -> Result<Vec<Period>, Error> {
    let table = Table::read(text).and_then(|table| {
        let prices = table.numbers(table.column_like(&["price"])?)?;
        let units = table.numbers(table.column_like(&["quantity", "units", "sold", "sales", "qty", "demand"])?)?;
        Some(prices.into_iter().zip(units).map(|(price, quantity)| Period { price, quantity }).collect::<Vec<_>>())
    });
    let pair = |line: &str| {
        let (price, quantity) = line.split_once([':', ',', ';', '\t']).or_else(|| line.trim().split_once(' '))?;
        Some(Period { price: numbers::number(price.trim())?, quantity: numbers::number(quantity.trim())? })
    };
    let periods = table.unwrap_or_else(|| text.lines().filter_map(pair).collect());
    if periods.len() < 8 {
        let periods = figures::count(periods.len(), "period", "periods");
        let fix =
            "give at least 8 with price and quantity, as `history` or as a table with the columns price and quantity";
        return Err(Error::invalid("/history", format!("{periods} found; {fix}")));
    }
    Ok(periods)
}

fn summary(found: &PriceAdvice, periods: usize, cost: Option<f64>) -> String {
    let range = &found.elasticity;
    let mut text = format!(
        "From {periods} periods: when the price rises by 1 %, demand moves by about {} % ({} to {}). ",
        figures::figure(range.estimate),
        figures::figure(range.low),
        figures::figure(range.high)
    );
    let goal = if cost.is_some() { "profit" } else { "revenue" };
    match found.price {
        Some(price) if found.decision == "change" => text.push_str(&format!(
            "The price with the most {goal} is {}, against {} today.",
            figures::figure(price),
            figures::figure(found.current_price)
        )),
        _ => text.push_str(&format!(
            "The figures do not show a price that is clearly better than {} (decision: {}).",
            figures::figure(found.current_price),
            found.decision
        )),
    }
    if !found.bound_by.is_empty() {
        text.push_str(&format!(" It is held by: {}.", found.bound_by.join(", ")));
    }
    if range.low < -1.0 && range.high > -1.0 {
        text.push_str(" Whether a rise brings in more or less is not settled: the interval has -1 in it.");
    }
    text
}

agent! { run: run, examples: ["../cases/known.json"] }
tollbridge_sdk::test_cases!(agent run);
