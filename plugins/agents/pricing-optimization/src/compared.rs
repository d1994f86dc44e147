//! What was sold at each price, compared as it is.

use agent_common::figures::{figure, round};
use schemars::JsonSchema;
use serde::Serialize;

use crate::sales::Sale;
use crate::terms::Terms;
use crate::{Elasticity, FEW, Output, UNSURE, basis};

/// A difference of less than this share is none.
const SAME: f64 = 0.005;

/// The price that brought most.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Best {
    /// What the task calls it, if it has a name.
    pub name: Option<String>,
    /// The price.
    pub price: f64,
    /// `revenue` or `profit`.
    pub goal: &'static str,
    /// What it brought for each period; for each who could have bought where the task says how many.
    pub value: f64,
}

/// The different prices, in order.
pub fn prices(sales: &[Sale]) -> Vec<f64> {
    let mut prices: Vec<f64> = sales.iter().map(|sale| sale.price).collect();
    prices.sort_by(f64::total_cmp);
    prices.dedup();
    prices
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0_f64), |(sum, count), value| (sum + value, count + 1.0));
    sum / count.max(1.0)
}

/// Units of a period, or of each who could have bought.
fn units(sales: &[Sale], price: f64) -> f64 {
    let own = || sales.iter().filter(|sale| sale.price == price);
    let all_tried = sales.iter().all(|sale| sale.tried.is_some_and(|tried| tried > 0.0));
    if all_tried {
        let (sold, tried) =
            own().fold((0.0, 0.0), |(sold, tried), sale| (sold + sale.quantity, tried + sale.tried.unwrap_or(0.0)));
        return sold / tried;
    }
    mean(own().map(|sale| sale.quantity))
}

fn worth(sales: &[Sale], price: f64, terms: &Terms) -> f64 {
    let cost = terms.cost.filter(|_| !terms.revenue).unwrap_or(0.0);
    (price - cost) * units(sales, price)
}

/// All prices by what they brought, the best first.
fn ranked(sales: &[Sale], terms: &Terms) -> Vec<Best> {
    let goal = if terms.cost.is_some() && !terms.revenue { "profit" } else { "revenue" };
    let name = |price: f64| sales.iter().find(|sale| sale.price == price).and_then(|sale| sale.name.clone());
    let single = |price: f64| sales.iter().filter(|sale| sale.price == price).count() == 1;
    let mut all: Vec<Best> = prices(sales)
        .into_iter()
        .map(|price| Best {
            name: name(price).filter(|_| single(price)),
            price,
            goal,
            value: round(worth(sales, price, terms)),
        })
        .collect();
    all.sort_by(|a, b| b.value.total_cmp(&a.value));
    all
}

/// The best price in the data themselves.
pub fn best(sales: &[Sale], terms: &Terms) -> Option<Best> {
    ranked(sales, terms).into_iter().next()
}

/// The elasticity of few sales: the midpoint formula for two prices, a line through the logarithms for more.
fn elasticity(sales: &[Sale]) -> Option<(f64, &'static str)> {
    let prices = prices(sales);
    let at = |price: f64| units(sales, price);
    if prices.iter().any(|price| at(*price) <= 0.0) {
        return None;
    }
    if let [low, high] = prices.as_slice() {
        let (more, less) = (at(*low), at(*high));
        let demand = (less - more) / ((less + more) / 2.0);
        let price = (high - low) / ((high + low) / 2.0);
        return Some((round(demand / price), "midpoint"));
    }
    let points: Vec<(f64, f64)> = prices.iter().map(|price| (price.ln(), at(*price).ln())).collect();
    let (x, y) = (mean(points.iter().map(|p| p.0)), mean(points.iter().map(|p| p.1)));
    let cross: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let square: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    (square > 0.0).then(|| (round(cross / square), "regression"))
}

/// The answer for few sales.
pub fn answer(sales: &[Sale], terms: &Terms) -> Output {
    let ranked = ranked(sales, terms);
    let allowed = |best: &&Best| {
        terms.low.is_none_or(|low| best.price >= low) && terms.high.is_none_or(|high| best.price <= high)
    };
    let best = ranked.first().cloned();
    let within = ranked.iter().find(allowed).cloned();
    let second = ranked.get(1).cloned();
    let tie =
        best.as_ref().zip(second.as_ref()).is_some_and(|(a, b)| (a.value - b.value).abs() <= SAME * a.value.abs());
    let seen = terms.current.filter(|current| sales.iter().any(|sale| sale.price == *current));
    let (decision, price) = match (seen, &within) {
        _ if tie => ("unclear", None),
        (Some(current), Some(best)) if best.price == current => ("keep", Some(best.price)),
        (Some(_), Some(best)) => ("change", Some(best.price)),
        _ => ("unclear", within.as_ref().map(|best| best.price)),
    };
    let found = elasticity(sales);
    let mut summary = match (&best, tie) {
        (Some(best), false) => {
            let name = best
                .name
                .as_ref()
                .map_or_else(|| figure(best.price), |name| format!("{name} ({})", figure(best.price)));
            let other = second.as_ref().map_or_else(String::new, |second| {
                let name = second
                    .name
                    .as_ref()
                    .map_or_else(|| figure(second.price), |name| format!("{name} ({})", figure(second.price)));
                format!(", against {} at {name}", figure(second.value))
            });
            let each = if sales.iter().all(|sale| sale.tried.is_some()) { " for each who saw it" } else { "" };
            format!("In the data {name} brought the most {}: {}{each}{other}", best.goal, figure(best.value))
        }
        (Some(best), true) => {
            format!("In the data the two best prices brought the same {}: {}", best.goal, figure(best.value))
        }
        _ => "There is nothing to compare".to_owned(),
    };
    if let Some((estimate, _)) = found {
        summary.push_str(&format!(". When the price rises by 1 %, demand moves by about {} %", figure(estimate)));
    }
    match decision {
        "keep" => summary.push_str(". So today's price stays the best of those that were tried"),
        "change" => summary.push_str(&format!(
            ". So {} is better than today's {}",
            figure(price.unwrap_or_default()),
            figure(seen.unwrap_or_default())
        )),
        _ => {}
    }
    summary.push('.');
    let method = found.map_or("midpoint", |(_, method)| method);
    let limit = "few sales were compared as they are: season, chance and all else that moved demand is in them, and no interval can be told";
    Output {
        summary,
        confidence: if tie { UNSURE } else { FEW },
        decision: decision.to_owned(),
        price,
        current_price: terms.current,
        elasticity: found.map(|(estimate, _)| Elasticity { estimate, low: None, high: None }),
        best_in_data: best,
        bound_by: Vec::new(),
        scenarios: Vec::new(),
        based_on: basis(sales, terms, method),
        limitations: vec![limit.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, price: f64, quantity: f64) -> Sale {
        Sale { name: Some(name.to_owned()), ..Sale::of(price, quantity) }
    }

    #[test]
    fn the_best_in_the_data() {
        let sales = [named("A", 29.0, 212.0), named("B", 39.0, 188.0)];
        let answered = answer(&sales, &Terms::default());
        assert_eq!(answered.best_in_data.map(|best| (best.name, best.value)), Some((Some("B".to_owned()), 7332.0)));
        assert_eq!(answered.decision, "unclear");
        let sales = [Sale::of(20.0, 600.0), Sale::of(24.0, 480.0)];
        assert_eq!(elasticity(&sales), Some((-1.222_222, "midpoint")));
        let sales = [Sale::of(12.0, 300.0), Sale::of(14.0, 290.0), Sale::of(16.0, 215.0)];
        let terms = Terms { cost: Some(6.0), current: Some(12.0), ..Terms::default() };
        let answered = answer(&sales, &terms);
        assert_eq!((answered.decision.as_str(), answered.price), ("change", Some(14.0)));
    }
}
