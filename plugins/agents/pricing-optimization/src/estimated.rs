//! Many periods: what the bridge `price_optimization` estimates, checked against the sales.

use agent_common::figures::figure;
use agent_common::{Answer, limits};
use serde::Deserialize;
use serde_json::{Value, json};
use tollbridge_sdk::{Error, bridges};

use crate::compared;
use crate::input::{Input, Period};
use crate::output::{Elasticity, Output, Scenario, prices, way};

#[derive(Deserialize)]
struct PriceAdvice {
    decision: String,
    price: Option<f64>,
    current_price: f64,
    elasticity: Elasticity,
    bound_by: Vec<String>,
    scenarios: Vec<Scenario>,
}

/// Removes the members that are null.
fn known(members: Value) -> Value {
    match members {
        Value::Object(members) => members.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        other => other,
    }
}

/// Returns the answer of the bridge.
pub fn answer(sales: &[Period], input: &Input) -> Result<Output, Error> {
    let seen = prices(sales);
    let (low, high) = (seen.first().copied().unwrap_or(0.0), seen.last().copied().unwrap_or(0.0));
    if input.current_price.is_some_and(|price| !(low / 2.0..=high * 2.0).contains(&price)) {
        let text = format!("is far outside the prices of the history ({} to {})", figure(low), figure(high));
        return Err(Error::invalid("/current_price", text));
    }
    let bounds = json!({
        "price_min": input.price_min, "price_max": input.price_max, "max_change_percent": input.max_change_percent
    });
    let history: Vec<Value> =
        sales.iter().map(|sale| json!({ "price": sale.price, "quantity": sale.quantity })).collect();
    let call = json!({
        "history": history,
        "constraints": known(bounds),
        "unit_cost": input.unit_cost,
        "current_price": input.current_price,
        "objective": input.objective,
    });
    let answer: Answer<PriceAdvice> = bridges::call("price_optimization", &known(call))?;
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

/// Settles demand that hardly moves: at every value of the interval a higher price brings more.
fn settle_flat(advice: &mut PriceAdvice, highest: f64, input: &Input) {
    let flat = advice.elasticity.low > Some(-0.7) && advice.elasticity.high < Some(0.5);
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
    let points: Vec<(f64, f64)> = sales.iter().map(|sale| (sale.price, sale.quantity)).collect();
    let logs: Vec<(f64, f64)> = points.iter().map(|(price, units)| (price.ln(), units.ln())).collect();
    let (line, curve) = (compared::fit(&points), compared::fit(&logs));
    let straight = |price: f64| line.0 + line.1 * price;
    let curved = |price: f64| (curve.0 + curve.1 * price.ln()).exp();
    let misses = |model: &dyn Fn(f64) -> f64| -> f64 {
        points.iter().map(|(price, units)| (units - model(*price)).powi(2)).sum()
    };
    let straighter = misses(&straight) < misses(&curved);
    by_data || straighter && less(worth(current, straight(current)), worth(price, straight(price)))
}

fn output(sales: &[Period], input: &Input, advice: PriceAdvice, notes: &[&[String]]) -> Output {
    let best = compared::ranked(sales, input).into_iter().next();
    let (goal, today) = (input.goal(), figure(advice.current_price));
    let mut sentences = vec![match (advice.price, advice.decision.as_str()) {
        (Some(price), "change") => {
            let way = way(advice.current_price, price);
            format!("{way} the price: the most {goal} is expected at {}, against {today} today", figure(price))
        }
        (Some(_), "keep") => format!("Keep the price: the most {goal} is expected at today's {today}"),
        (Some(price), _) => format!(
            "By the estimate {} brings the most {goal}, against {today} today, but the interval holds values for which \
             it does not: test it",
            figure(price)
        ),
        (None, "unclear") => "No price can be proposed: the sales do not follow the estimate".to_owned(),
        _ => "No price can be proposed: demand does not fall with the price in these figures".to_owned(),
    }];
    let Elasticity { estimate, low, high } = &advice.elasticity;
    let [low, high] = [low, high].map(|end| figure(end.unwrap_or_default()));
    let (count, estimate) = (sales.len(), figure(*estimate));
    sentences.push(format!(
        "From {count} periods: when the price rises by 1 %, demand moves by about {estimate} % ({low} to {high})"
    ));
    if let Some(best) = &best {
        let (price, value) = (figure(best.price), figure(best.value));
        sentences.push(format!("In the data themselves {price} brought the most {goal} for each period: {value}"));
    }
    if !advice.bound_by.is_empty() {
        sentences.push(format!("It is held by: {}", advice.bound_by.join(", ")));
    }
    Output {
        decision: advice.decision,
        price: advice.price,
        current_price: Some(advice.current_price),
        elasticity: Some(advice.elasticity),
        best_in_data: best,
        bound_by: advice.bound_by,
        scenarios: advice.scenarios,
        limitations: limits(&[], notes),
        ..Output::of(sales, input, "regression", &sentences)
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
