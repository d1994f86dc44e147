//! Sales at several prices, compared as they are.

use agent_common::figures::{figure, round};

use crate::input::{Formula, Input, Period};
use crate::output::{Best, Elasticity, Output, prices, way};

/// A difference of less than this share is none.
const SAME: f64 = 0.005;

/// Returns the mean units of a period at a price, or the share of those who could have bought.
pub fn units(sales: &[Period], price: f64) -> f64 {
    let own = || sales.iter().filter(|sale| sale.price == price);
    let count = own().map(|sale| sale.offered.filter(|offered| *offered > 0.0).unwrap_or(1.0)).sum::<f64>();
    own().map(|sale| sale.quantity).sum::<f64>() / count
}

fn is_offered(sales: &[Period]) -> bool {
    sales.iter().all(|sale| sale.offered.is_some_and(|offered| offered > 0.0))
}

/// Returns all prices by what they brought, the best first.
pub fn ranked(sales: &[Period], input: &Input) -> Vec<Best> {
    let fixed = input.fixed_cost.filter(|_| input.cost().is_some() && !is_offered(sales)).unwrap_or(0.0);
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
    let mut points: Vec<(f64, f64)> = prices(sales).into_iter().map(|price| (price, units(sales, price))).collect();
    if points.iter().any(|(_, units)| *units <= 0.0) {
        return None;
    }
    if sales.first().map(|sale| sale.price) == points.last().map(|point| point.0) {
        points.reverse();
    }
    if let [from, to] = points.as_slice() {
        let simple = formula == Some(Formula::Simple);
        return Some((between(*from, *to, simple), if simple { "simple" } else { "midpoint" }));
    }
    let logs: Vec<(f64, f64)> = points.iter().map(|(price, units)| (price.ln(), units.ln())).collect();
    Some((fit(&logs).1, "regression"))
}

/// Returns level and slope of the line through points.
pub fn fit(points: &[(f64, f64)]) -> (f64, f64) {
    let count = f64::from(u32::try_from(points.len().max(1)).unwrap_or(1));
    let x = points.iter().map(|point| point.0).sum::<f64>() / count;
    let y = points.iter().map(|point| point.1).sum::<f64>() / count;
    let cross: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let square: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let slope = if square > 0.0 { cross / square } else { 0.0 };
    (y - slope * x, slope)
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
    let price = ranked.iter().map(|best| best.price).find(|price| input.bounded(*price).1.is_empty()).filter(|_| !tie);
    let found = elasticity(sales, input.elasticity_method);
    let mut sentences = vec![comparison(&ranked, tie, is_offered(sales))];
    if let Some((estimate, _)) = found {
        sentences.push(format!("When the price rises by 1 %, demand moves by about {} %", figure(estimate)));
    }
    let seen = input.current_price.filter(|current| sales.iter().any(|sale| sale.price == *current));
    let decision = match seen.zip(price) {
        Some((current, price)) if current == price => {
            sentences.push(format!("Today's {} is the best of these prices", figure(current)));
            "keep"
        }
        Some((current, price)) => {
            let way = way(current, price).to_lowercase();
            sentences.push(format!("So {way} the price from {} to {}", figure(current), figure(price)));
            "change"
        }
        None => "unclear",
    };
    let limit = "few sales were compared as they are: season, chance and all else that moved demand is in \
        them, without an interval";
    Output {
        decision: decision.to_owned(),
        price,
        elasticity: found.map(|(estimate, _)| Elasticity::point(estimate)),
        best_in_data: ranked.into_iter().next(),
        limitations: vec![limit.to_owned()],
        ..Output::of(sales, input, found.map_or("midpoint", |(_, method)| method), &sentences)
    }
}

fn comparison(ranked: &[Best], tie: bool, offered: bool) -> String {
    let [best, rest @ ..] = ranked else { return "There is nothing to compare".to_owned() };
    if tie {
        return format!("The two best prices brought the same {}: {}", best.goal, figure(best.value));
    }
    let called = |best: &Best| match &best.name {
        Some(name) => format!("{name} ({})", figure(best.price)),
        None => figure(best.price),
    };
    let other = |second: &Best| format!(", against {} at {}", figure(second.value), called(second));
    let each = if offered { "for each who could have bought" } else { "for each period" };
    let others: String = rest.iter().take(3).map(other).collect();
    format!("In the data {} brought the most {}: {} {each}{others}", called(best), best.goal, figure(best.value))
}
