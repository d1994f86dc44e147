//! What the bridge `price_optimization` makes of many periods.

use agent_common::{Answer, limits};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tollbridge_sdk::{Error, bridges};

use crate::confidence::{CLEAR, UNSURE};
use crate::input::{Input, Period};
use crate::output::{Basis, Elasticity, Output, Range, Scenario};
use crate::sale::{Sale, prices};
use crate::terms::Terms;
use crate::{compared, summary};

#[derive(Deserialize)]
struct PriceAdvice {
    decision: String,
    price: Option<f64>,
    current_price: f64,
    elasticity: Range,
    bound_by: Vec<String>,
    scenarios: Vec<Scenario>,
}

/// Demand that hardly moves is settled too: at every value of the interval a higher price brings more.
fn settle_flat(advice: &mut PriceAdvice, seen: &[f64], terms: &Terms) {
    let flat = advice.elasticity.low > -0.7 && advice.elasticity.high < 0.5;
    if !flat || !["test", "none"].contains(&advice.decision.as_str()) {
        return;
    }
    let Some(highest) = seen.last() else { return };
    let price = terms.high.map_or(*highest, |high| high.min(*highest));
    advice.decision = if price <= advice.current_price * 1.000_001 { "keep" } else { "change" }.to_owned();
    advice.price = Some(price.max(advice.current_price));
}

/// The answer of the bridge.
pub fn answer(text: &str, sales: &[Sale], terms: &Terms, input: &Input, typed: bool) -> Result<Output, Error> {
    let history: Vec<Period> = sales.iter().map(|sale| Period { price: sale.price, quantity: sale.quantity }).collect();
    let mut bounds = Map::new();
    let named = [("price_min", terms.low), ("price_max", terms.high), ("max_change_percent", input.max_change_percent)];
    for (name, value) in named {
        if let Some(value) = value {
            bounds.insert(name.to_owned(), json!(value));
        }
    }
    let mut asked = json!({ "history": history, "constraints": Value::Object(bounds) });
    let seen = prices(sales);
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
    let mut advice = answer.result;
    settle_flat(&mut advice, &seen, terms);
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
        based_on: Basis::of(sales, terms, "regression"),
        limitations: limits(&[], &[&answer.limitations]),
    })
}
