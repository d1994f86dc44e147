//! What was sold at each price, compared as it is.

use agent_common::figures::{figure, round};

use crate::confidence::{FEW, UNSURE};
use crate::output::{Basis, Best, Elasticity, Output};
use crate::sale::{Sale, prices};
use crate::terms::Terms;

/// A difference of less than this share is none.
const SAME: f64 = 0.005;

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
fn elasticity(sales: &[Sale], simple: bool) -> Option<(f64, &'static str)> {
    let prices = prices(sales);
    let at = |price: f64| units(sales, price);
    if prices.iter().any(|price| at(*price) <= 0.0) {
        return None;
    }
    if let (true, [first, last]) = (simple, sales) {
        let price = last.price / first.price - 1.0;
        return Some((round((at(last.price) / at(first.price) - 1.0) / price), "simple"));
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
    let found = elasticity(sales, terms.simple);
    let method = found.map_or("midpoint", |(_, method)| method);
    let limit = "few sales were compared as they are: season, chance and all else that moved demand is in them, and no interval can be told";
    let told = Told {
        sales,
        best: best.as_ref(),
        second: second.as_ref(),
        tie,
        elasticity: found.map(|(estimate, _)| estimate),
        decision,
        price,
        seen,
    };
    Output {
        summary: told.summary(),
        // Demand that grows with the price is rare: most likely something else moved it, or was read.
        confidence: if tie || found.is_some_and(|(estimate, _)| estimate > 0.3) { UNSURE } else { FEW },
        decision: decision.to_owned(),
        price,
        current_price: terms.current,
        elasticity: found.map(|(estimate, _)| Elasticity { estimate, low: None, high: None }),
        best_in_data: best,
        bound_by: Vec::new(),
        scenarios: Vec::new(),
        based_on: Basis::of(sales, terms, method),
        limitations: vec![limit.to_owned()],
    }
}

/// What there is to tell of a comparison.
struct Told<'t> {
    sales: &'t [Sale],
    best: Option<&'t Best>,
    second: Option<&'t Best>,
    tie: bool,
    elasticity: Option<f64>,
    decision: &'t str,
    price: Option<f64>,
    seen: Option<f64>,
}

impl Told<'_> {
    fn summary(&self) -> String {
        let mut summary = match (self.best, self.tie) {
            (Some(best), false) => {
                let other = self.second.map_or_else(String::new, |second| {
                    format!(", against {} at {}", figure(second.value), called(second))
                });
                let each = if self.sales.iter().all(|sale| sale.tried.is_some()) { " for each who saw it" } else { "" };
                format!(
                    "In the data {} brought the most {}: {}{each}{other}",
                    called(best),
                    best.goal,
                    figure(best.value)
                )
            }
            (Some(best), true) => {
                format!("In the data the two best prices brought the same {}: {}", best.goal, figure(best.value))
            }
            _ => "There is nothing to compare".to_owned(),
        };
        if let Some(estimate) = self.elasticity {
            summary.push_str(&format!(". When the price rises by 1 %, demand moves by about {} %", figure(estimate)));
        }
        match self.decision {
            "keep" => summary.push_str(". So today's price stays the best of those that were tried"),
            "change" => summary.push_str(&format!(
                ". So {} is better than today's {}",
                figure(self.price.unwrap_or_default()),
                figure(self.seen.unwrap_or_default())
            )),
            _ => {}
        }
        summary.push('.');
        summary
    }
}

/// The name and the price, or the price alone.
fn called(best: &Best) -> String {
    match &best.name {
        Some(name) => format!("{name} ({})", figure(best.price)),
        None => figure(best.price),
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
        assert_eq!(elasticity(&sales, false), Some((-1.222_222, "midpoint")));
        let sales = [Sale::of(12.0, 300.0), Sale::of(14.0, 290.0), Sale::of(16.0, 215.0)];
        let terms = Terms { cost: Some(6.0), current: Some(12.0), ..Terms::default() };
        let answered = answer(&sales, &terms);
        assert_eq!((answered.decision.as_str(), answered.price), ("change", Some(14.0)));
    }
}
