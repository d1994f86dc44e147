//! Sales at several prices, compared as they are.

use agent_common::figures::{figure, round};

use crate::input::{Formula, Input, Period};
use crate::output::{Basis, Best, Elasticity, Output, prices};

/// A difference of less than this share is none.
const SAME: f64 = 0.005;

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / f64::from(u32::try_from(values.len().max(1)).unwrap_or(1))
}

/// Returns the units of a period at a price, or those of each who could have bought.
pub fn units(sales: &[Period], price: f64) -> f64 {
    let own: Vec<&Period> = sales.iter().filter(|sale| sale.price == price).collect();
    let sold: Vec<f64> = own.iter().map(|sale| sale.quantity).collect();
    if offered(sales) {
        return sold.iter().sum::<f64>() / own.iter().filter_map(|sale| sale.offered).sum::<f64>();
    }
    mean(&sold)
}

fn offered(sales: &[Period]) -> bool {
    sales.iter().all(|sale| sale.offered.is_some_and(|offered| offered > 0.0))
}

/// Returns all prices by what they brought, the best first.
pub fn ranked(sales: &[Period], input: &Input) -> Vec<Best> {
    let fixed = input.fixed_cost.filter(|_| input.cost().is_some() && !offered(sales)).unwrap_or(0.0);
    let one = |price: f64| {
        let mut own = sales.iter().filter(|sale| sale.price == price);
        let name = own.next().and_then(|sale| sale.name.clone()).filter(|_| own.next().is_none());
        let value = (price - input.cost().unwrap_or(0.0)) * units(sales, price) - fixed;
        Best { name, price, goal: input.goal().to_owned(), value: round(value) }
    };
    let mut all: Vec<Best> = prices(sales).into_iter().map(one).collect();
    all.sort_by(|a, b| b.value.total_cmp(&a.value));
    all
}

/// Returns the elasticity of few sales: by the formula for two prices, by a line through the logarithms for more.
fn elasticity(sales: &[Period], formula: Option<Formula>) -> Option<(f64, &'static str)> {
    let prices = prices(sales);
    let at = |price: f64| units(sales, price);
    if prices.iter().any(|price| at(*price) <= 0.0) {
        return None;
    }
    if let [low, high] = prices.as_slice() {
        let (from, to) =
            if sales.first().is_some_and(|sale| sale.price == *high) { (*high, *low) } else { (*low, *high) };
        let simple = formula == Some(Formula::Simple);
        let estimate = between((from, at(from)), (to, at(to)), simple);
        return Some((estimate, if simple { "simple" } else { "midpoint" }));
    }
    let points: Vec<(f64, f64)> = prices.iter().map(|price| (price.ln(), at(*price).ln())).collect();
    let x = mean(&points.iter().map(|point| point.0).collect::<Vec<_>>());
    let y = mean(&points.iter().map(|point| point.1).collect::<Vec<_>>());
    let cross: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let square: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    (square > 0.0).then(|| (cross / square, "regression"))
}

/// Returns the elasticity between two points of price and units.
pub fn between(from: (f64, f64), to: (f64, f64), simple: bool) -> f64 {
    let share = |from: f64, to: f64| (to - from) / if simple { from } else { f64::midpoint(from, to) };
    share(from.1, to.1) / share(from.0, to.0)
}

/// Returns the answer for few sales.
pub fn answer(sales: &[Period], input: &Input) -> Output {
    let ranked = ranked(sales, input);
    let tie = matches!(ranked.as_slice(), [a, b, ..] if (a.value - b.value).abs() <= SAME * a.value.abs());
    let allowed = |best: &&Best| input.bounded(best.price).1.is_empty();
    let within = ranked.iter().find(allowed);
    let seen = input.current_price.filter(|current| sales.iter().any(|sale| sale.price == *current));
    let (decision, price) = match (seen, within) {
        _ if tie => ("unclear", None),
        (Some(current), Some(best)) if best.price == current => ("keep", Some(best.price)),
        (Some(_), Some(best)) => ("change", Some(best.price)),
        _ => ("unclear", within.map(|best| best.price)),
    };
    let found = elasticity(sales, input.elasticity_method);
    let mut sentences = vec![first_sentence(&ranked, tie, sales)];
    if let Some((estimate, _)) = found {
        sentences.push(format!("When the price rises by 1 %, demand moves by about {} %", figure(estimate)));
    }
    match (decision, price, seen) {
        ("keep", _, Some(current)) => {
            sentences.push(format!("Today's {} is the best of these prices", figure(current)))
        }
        ("change", Some(price), Some(current)) => {
            let way = if price > current { "raise" } else { "lower" };
            sentences.push(format!("So {way} the price from {} to {}", figure(current), figure(price)));
        }
        _ => {}
    }
    Output {
        summary: format!("{}.", sentences.join(". ")),
        decision: decision.to_owned(),
        price,
        current_price: input.current_price,
        elasticity: found.map(|(estimate, _)| Elasticity::point(estimate)),
        best_in_data: ranked.into_iter().next(),
        based_on: Basis::of(sales, input, found.map_or("midpoint", |(_, method)| method)),
        limitations: vec![
            "few sales were compared as they are: season, chance and all else that moved demand is in them, without an interval".to_owned(),
        ],
        ..Output::default()
    }
}

fn first_sentence(ranked: &[Best], tie: bool, sales: &[Period]) -> String {
    let [best, rest @ ..] = ranked else { return "There is nothing to compare".to_owned() };
    if tie {
        return format!("The two best prices brought the same {}: {}", best.goal, figure(best.value));
    }
    let called = |best: &Best| match &best.name {
        Some(name) => format!("{name} ({})", figure(best.price)),
        None => figure(best.price),
    };
    let other = |second: &Best| format!(", against {} at {}", figure(second.value), called(second));
    let each = if offered(sales) { " for each who could have bought" } else { " for each period" };
    let others: String = rest.iter().take(3).map(other).collect();
    format!("In the data {} brought the most {}: {}{each}{others}", called(best), best.goal, figure(best.value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sales(all: &[(f64, f64)]) -> Vec<Period> {
        all.iter().map(|(price, quantity)| Period { price: *price, quantity: *quantity, ..Period::default() }).collect()
    }

    #[test]
    fn the_best_in_the_data() {
        let variants = sales(&[(29.0, 212.0), (39.0, 188.0)]);
        let answered = answer(&variants, &Input::default());
        assert_eq!(answered.best_in_data.map(|best| (best.price, best.value)), Some((39.0, 7332.0)));
        assert_eq!(answered.decision, "unclear");
        let three = sales(&[(12.0, 300.0), (14.0, 290.0), (16.0, 215.0)]);
        let input = Input { unit_cost: Some(6.0), current_price: Some(12.0), ..Input::default() };
        let answered = answer(&three, &input);
        assert_eq!((answered.decision.as_str(), answered.price), ("change", Some(14.0)));
        let held = answer(&three, &Input { price_max: Some(13.0), ..input });
        assert_eq!((held.decision.as_str(), held.price), ("keep", Some(12.0)));
    }

    #[test]
    fn elasticities_of_two_prices() {
        let two = sales(&[(20.0, 600.0), (24.0, 480.0)]);
        assert_eq!(elasticity(&two, None).map(|(estimate, _)| round(estimate)), Some(-1.222_222));
        let fares = sales(&[(2.0, 50_000.0), (2.2, 48_500.0)]);
        assert_eq!(elasticity(&fares, Some(Formula::Simple)).map(|(estimate, _)| round(estimate)), Some(-0.3));
    }
}
