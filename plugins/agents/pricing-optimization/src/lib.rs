//! An agent that says what sales tell about a price.
//!
//! With eight periods or more the bridge `price_optimization` estimates and
//! decides; with fewer this agent compares what was seen, and works out what
//! follows from an elasticity that is given. It says what was best in the data.

mod amounts;
mod compared;
mod given;
mod sales;
mod summary;
mod terms;

use agent_common::request::Request;
use agent_common::{Answer, figures, limits, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::compared::Best;
use crate::sales::Sale;
use crate::terms::Terms;

/// Fewest periods that the bridge works on.
const BRIDGE_FEWEST: usize = 8;
/// Confidence of an estimate from enough periods that is settled, and of sums of what was sold.
const CLEAR: f64 = 0.9;
/// Confidence of a comparison of few periods.
const FEW: f64 = 0.8;
/// Confidence where the estimate is not settled.
const UNSURE: f64 = 0.65;

/// What was sold, and the bounds.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Periods of equal length in order of time, 8 to 5,000. The task's own sales unless given; there two prices suffice for a comparison.
    #[schemars(length(min = 8, max = 5_000))]
    history: Option<Vec<Period>>,
    /// Cost of one more unit. Default: the cost that the task names; without one revenue is made large instead of profit.
    #[schemars(range(min = 0.0))]
    unit_cost: Option<f64>,
    /// Today's price. Default: the one that the task names, else the last of the history.
    #[schemars(range(min = 1e-9))]
    current_price: Option<f64>,
    /// Least price. Default: the one that the task names, else the least of the history.
    price_min: Option<f64>,
    /// Highest price. Default: the one that the task names, else the highest of the history.
    price_max: Option<f64>,
    /// Farthest from today's price, in percent of it.
    #[schemars(range(min = 0.0, max = 100.0))]
    max_change_percent: Option<f64>,
}

/// A period.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
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
    /// The direct answer in words.
    summary: String,
    /// How likely the answer is right, 0 to 1; of answers that say 0.8 or more at least four in five were right on the frozen tasks.
    confidence: f64,
    /// `change` to `price`, `keep` today's, `test` (better by the estimate, not settled), `none` (demand does not fall with the price), or `unclear`: there is no basis for more than `best_in_data`.
    decision: String,
    /// The proposed price; null where the data do not carry one.
    price: Option<f64>,
    /// Today's price: the one that is given, else the last of the history; null where nothing tells.
    current_price: Option<f64>,
    /// How many percent the demand moves when the price moves by one; null where it cannot be told.
    elasticity: Option<Elasticity>,
    /// The price that brought most for each period in the data themselves; null without data.
    best_in_data: Option<Best>,
    /// Bounds that hold the price back.
    bound_by: Vec<String>,
    /// What to expect at several prices.
    scenarios: Vec<Scenario>,
    /// What was read from the task.
    based_on: Basis,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

/// What the answer rests on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Basis {
    /// Periods or variants with a price and a quantity.
    sales: usize,
    /// Different prices among them.
    different_prices: usize,
    /// Cost of a unit, if one is known.
    unit_cost: Option<f64>,
    /// Least price allowed, if one is named.
    price_min: Option<f64>,
    /// Highest price allowed, if one is named.
    price_max: Option<f64>,
    /// How the elasticity was found: `regression`, `midpoint`, or `given`.
    method: &'static str,
}

/// An estimate and its 95 % interval.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Elasticity {
    /// The likeliest.
    estimate: f64,
    /// Low end; null where there are too few periods to tell.
    low: Option<f64>,
    /// High end.
    high: Option<f64>,
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
    let typed = input.history.is_some();
    let sales = match &input.history {
        Some(history) => history.iter().map(|one| Sale::of(one.price, one.quantity)).collect(),
        None => {
            given::check(text)?;
            sales::read(text, &Request::read(text))
        }
    };
    let mut terms = terms::read(&without_rows(text), amounts::style(text));
    terms.cost = input.unit_cost.or(terms.cost);
    terms.low = input.price_min.or(terms.low);
    terms.high = input.price_max.or(terms.high);
    terms.current = input.current_price.or(terms.current);
    if terms.low.zip(terms.high).is_some_and(|(low, high)| low > high) {
        return Err(Error::invalid("/price_min", "the least price is above the highest; give bounds that leave room"));
    }
    if sales.len() < 2 {
        return given::answer(text, &terms).ok_or_else(|| missing(text))?;
    }
    let prices = compared::prices(&sales);
    if prices.len() < 2 {
        let only = figures::figure(sales.first().map_or(0.0, |sale| sale.price));
        let text = format!("all sales were at the one price of {only}; give sales at one other price at least");
        return Err(Error::invalid("/history", text));
    }
    let positive = sales.iter().all(|sale| sale.quantity > 0.0);
    let one_kind = sales.iter().all(|sale| sale.tried.is_none());
    if sales.len() < BRIDGE_FEWEST || prices.len() < 3 || !positive || !one_kind {
        return Ok(compared::answer(&sales, &terms));
    }
    of_bridge(text, &sales, &terms, &input, typed)
}

/// Lines of numbers alone are data; what is said stands in the others.
fn without_rows(text: &str) -> String {
    let is_row = |line: &&str| {
        let letters = line.chars().filter(|c| c.is_alphabetic()).count();
        let numbers = agent_common::quantity::scan(line).len();
        (numbers > 1 && letters < 12 && !line.contains('?')) || line.trim_start().starts_with(['|', '{'])
    };
    text.lines()
        .filter(|line| !is_row(line))
        .map(|line| line.trim_start_matches(['>', ' ']))
        .collect::<Vec<_>>()
        .join("\n")
}

fn missing(text: &str) -> Error {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let message = if has(&["attach", "enclosed", "spreadsheet", "in the file"]) {
        "no file came with the task; paste the sales history with price and units sold"
    } else if has(&["competitor", "rival"]) {
        "what others will charge cannot be known from your data; give your own prices and units sold"
    } else {
        "the price and the units sold belong together: give units sold at two prices at least, one `price: quantity` a line"
    };
    Error::invalid("/history", message)
}

fn of_bridge(text: &str, sales: &[Sale], terms: &Terms, input: &Input, typed: bool) -> Result<Output, Error> {
    let history: Vec<Period> = sales.iter().map(|sale| Period { price: sale.price, quantity: sale.quantity }).collect();
    let mut bounds = Map::new();
    let named = [("price_min", terms.low), ("price_max", terms.high), ("max_change_percent", input.max_change_percent)];
    for (name, value) in named {
        if let Some(value) = value {
            bounds.insert(name.to_owned(), json!(value));
        }
    }
    let mut asked = json!({ "history": history, "constraints": Value::Object(bounds) });
    let seen = compared::prices(sales);
    // A price far from all that was seen says nothing to the model.
    let near = |price: &f64| seen.iter().any(|one| *price >= one / 2.0 && *price <= one * 2.0);
    let extra = [
        ("unit_cost", terms.cost.map(|cost| json!(cost))),
        ("current_price", terms.current.filter(near).map(|price| json!(price))),
        ("objective", (terms.revenue && terms.cost.is_some() && !typed).then(|| json!("revenue"))),
    ];
    if let Some(asked) = asked.as_object_mut() {
        asked.extend(extra.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    }
    let answer: Answer<PriceAdvice> = bridges::call("price_optimization", &asked)?;
    let advice = answer.result;
    let confidence = match advice.decision.as_str() {
        "change" | "keep" => CLEAR,
        _ => UNSURE,
    };
    let best = compared::best(sales, terms);
    let summary = summary::of_estimate(&summary::Estimate {
        asked: text,
        decision: &advice.decision,
        price: advice.price,
        current: advice.current_price,
        elasticity: &advice.elasticity,
        bound_by: &advice.bound_by,
        periods: sales.len(),
        cost: terms.cost,
        best: best.as_ref(),
        candidate: terms.candidate,
    });
    Ok(Output {
        summary,
        confidence,
        price: advice.price.or(Some(advice.current_price).filter(|_| typed)),
        decision: advice.decision,
        current_price: Some(advice.current_price),
        elasticity: Some(Elasticity {
            estimate: advice.elasticity.estimate,
            low: Some(advice.elasticity.low),
            high: Some(advice.elasticity.high),
        }),
        best_in_data: best,
        bound_by: advice.bound_by,
        scenarios: advice.scenarios,
        based_on: basis(sales, terms, "regression"),
        limitations: limits(&[], &[&answer.limitations]),
    })
}

fn basis(sales: &[Sale], terms: &Terms, method: &'static str) -> Basis {
    Basis {
        sales: sales.len(),
        different_prices: compared::prices(sales).len(),
        unit_cost: terms.cost,
        price_min: terms.low,
        price_max: terms.high,
        method,
    }
}

agent! { run: run, examples: ["../cases/known.json"] }
tollbridge_sdk::test_cases!(agent run);
