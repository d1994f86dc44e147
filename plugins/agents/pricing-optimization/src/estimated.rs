//! Many periods: what the bridge `price_optimization` estimates, checked against the sales.

use agent_common::figures::figure;
use agent_common::{Answer, limits};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tollbridge_sdk::{Error, bridges};

use crate::compared;
use crate::input::{Input, Period};
use crate::output::{Basis, Elasticity, Output, Range, Scenario, prices};

#[derive(Deserialize)]
struct PriceAdvice {
    decision: String,
    price: Option<f64>,
    current_price: f64,
    elasticity: Range,
    bound_by: Vec<String>,
    scenarios: Vec<Scenario>,
}

/// Returns the answer of the bridge.
pub fn answer(sales: &[Period], input: &Input) -> Result<Output, Error> {
    let seen = prices(sales);
    let (low, high) = (seen.first().copied().unwrap_or(0.0), seen.last().copied().unwrap_or(0.0));
    if input.current_price.is_some_and(|price| !(low / 2.0..=high * 2.0).contains(&price)) {
        let text = format!("is far outside the prices of the history ({} to {})", figure(low), figure(high));
        return Err(Error::invalid("/current_price", text));
    }
    let history: Vec<Value> =
        sales.iter().map(|sale| json!({ "price": sale.price, "quantity": sale.quantity })).collect();
    let mut bounds = Map::new();
    let named = [
        ("price_min", input.price_min),
        ("price_max", input.price_max),
        ("max_change_percent", input.max_change_percent),
    ];
    bounds.extend(named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value?)))));
    let mut call = json!({ "history": history, "constraints": Value::Object(bounds) });
    let extra = [
        ("unit_cost", input.unit_cost.map(|cost| json!(cost))),
        ("current_price", input.current_price.map(|price| json!(price))),
        ("objective", input.objective.map(|objective| json!(objective))),
    ];
    if let Some(call) = call.as_object_mut() {
        call.extend(extra.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    }
    let answer: Answer<PriceAdvice> = bridges::call("price_optimization", &call)?;
    let mut advice = answer.result;
    settle_flat(&mut advice, high, input);
    let mut doubt = Vec::new();
    let price = advice.price.filter(|_| advice.decision != "keep");
    if price.is_some_and(|price| earns_less(sales, input, advice.current_price, price)) {
        (advice.decision, advice.price) = ("unclear".to_owned(), None);
        advice.bound_by.clear();
        doubt.push("the sales themselves contradict the estimate: between these prices they brought less".to_owned());
    }
    Ok(output(sales, input, advice, &[&doubt, &answer.limitations]))
}

/// Demand that hardly moves is settled: at every value of the interval a higher price brings more.
fn settle_flat(advice: &mut PriceAdvice, highest: f64, input: &Input) {
    let flat = advice.elasticity.low > -0.7 && advice.elasticity.high < 0.5;
    if !flat || !["test", "none"].contains(&advice.decision.as_str()) {
        return;
    }
    let most = input.max_change_percent.map_or(highest, |most| advice.current_price * (1.0 + most / 100.0));
    let price = input.price_max.map_or(highest, |high| high.min(highest)).min(most);
    advice.decision = if price <= advice.current_price * 1.000_001 { "keep" } else { "change" }.to_owned();
    advice.price = Some(price.max(advice.current_price));
}

/// Returns whether a price earned less than today's: between the means of the neighbouring
/// prices, or on a straight line, if that fits the sales better than the bridge's curve.
fn earns_less(sales: &[Period], input: &Input, current: f64, price: f64) -> bool {
    let worth = |price: f64, units: f64| (price - input.cost().unwrap_or(0.0)) * units;
    let seen = prices(sales);
    let observed = |price: f64| {
        let after = seen.iter().copied().find(|one| *one >= price)?;
        let before = seen.iter().copied().rfind(|one| *one <= price)?;
        let share = if after > before { (price - before) / (after - before) } else { 0.0 };
        let (a, b) = (compared::units(sales, before), compared::units(sales, after));
        Some(worth(price, a + (b - a) * share))
    };
    let less = |from: f64, to: f64| to < from - 0.005 * from.abs();
    let by_data = observed(current).zip(observed(price)).is_some_and(|(from, to)| less(from, to));
    let points = |log: bool| -> Vec<(f64, f64)> {
        let scaled = |value: f64| if log { value.ln() } else { value };
        sales.iter().map(|sale| (scaled(sale.price), scaled(sale.quantity))).collect()
    };
    let (line, curve) = (fit(&points(false)), fit(&points(true)));
    let straight = |price: f64| line.0 + line.1 * price;
    let curved = |price: f64| (curve.0 + curve.1 * price.ln()).exp();
    let misses = |model: &dyn Fn(f64) -> f64| -> f64 {
        sales.iter().map(|sale| (sale.quantity - model(sale.price)).powi(2)).sum()
    };
    let straighter = misses(&straight) < misses(&curved);
    by_data || straighter && less(worth(current, straight(current)), worth(price, straight(price)))
}

/// Returns level and slope of the line through points.
fn fit(points: &[(f64, f64)]) -> (f64, f64) {
    let count = f64::from(u32::try_from(points.len().max(1)).unwrap_or(1));
    let x = points.iter().map(|point| point.0).sum::<f64>() / count;
    let y = points.iter().map(|point| point.1).sum::<f64>() / count;
    let cross: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let square: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let slope = if square > 0.0 { cross / square } else { 0.0 };
    (y - slope * x, slope)
}

fn output(sales: &[Period], input: &Input, advice: PriceAdvice, notes: &[&[String]]) -> Output {
    let best = compared::ranked(sales, input).into_iter().next();
    let range = &advice.elasticity;
    let (goal, current) = (input.goal(), figure(advice.current_price));
    let mut sentences = vec![match (advice.price, advice.decision.as_str()) {
        (Some(price), "change") => {
            let way = if price > advice.current_price { "Raise" } else { "Lower" };
            format!("{way} the price: the most {goal} is expected at {}, against {current} today", figure(price))
        }
        (Some(_), "keep") => format!("Keep the price: the most {goal} is expected at today's {current}"),
        (Some(price), _) => format!(
            "By the estimate {} brings the most {goal}, against {current} today, but the interval holds values for which it does not: test it",
            figure(price)
        ),
        (None, "unclear") => "No price can be proposed: the sales do not follow the estimate".to_owned(),
        _ => "No price can be proposed: demand does not fall with the price in these figures".to_owned(),
    }];
    sentences.push(format!(
        "From {} periods: when the price rises by 1 %, demand moves by about {} % ({} to {})",
        sales.len(),
        figure(range.estimate),
        figure(range.low),
        figure(range.high)
    ));
    if let Some(best) = &best {
        let text = format!(
            "In the data themselves {} brought the most {} for each period: {}",
            figure(best.price),
            best.goal,
            figure(best.value)
        );
        sentences.push(text);
    }
    if !advice.bound_by.is_empty() {
        sentences.push(format!("It is held by: {}", advice.bound_by.join(", ")));
    }
    Output {
        summary: format!("{}.", sentences.join(". ")),
        decision: advice.decision,
        price: advice.price,
        current_price: Some(advice.current_price),
        elasticity: Some(Elasticity { estimate: range.estimate, low: Some(range.low), high: Some(range.high) }),
        best_in_data: best,
        bound_by: advice.bound_by,
        scenarios: advice.scenarios,
        figures: Vec::new(),
        based_on: Basis::of(sales, input, "regression"),
        limitations: limits(&[], notes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_that_earned_less_is_doubted() {
        // Units are 100 - 8 × price: the most revenue is at 6.25.
        let line: Vec<Period> = (4..=11)
            .map(|price| Period { price: f64::from(price), quantity: f64::from(100 - 8 * price), ..Period::default() })
            .collect();
        assert!(earns_less(&line, &Input::default(), 6.0, 4.0) && earns_less(&line, &Input::default(), 6.0, 9.0));
        assert!(!earns_less(&line, &Input::default(), 10.0, 6.0));
        let costly = Input { unit_cost: Some(6.0), ..Input::default() };
        assert!(!earns_less(&line, &costly, 6.0, 9.0));
    }
}
