//! The best price: every multiple of the price step that the constraints allow is tried (or, where there are very many,
//! evenly spaced ones), so no assumption about the shape of the objective is needed.

use tollbridge_sdk::Error;

use crate::demand::Demand;
use crate::history::bounds;
use crate::input::{Input, Objective, Period};

/// Most prices that are tried.
const MOST_TRIED: f64 = 20_000.0;

/// What the search works with.
pub struct Market<'a> {
    pub demand: &'a Demand,
    pub cost: f64,
    pub objective: Objective,
    pub today: f64,
    pub capacity: f64,
}

/// The prices that are allowed, and what sets their ends.
#[derive(Debug, Clone, Copy)]
pub struct Allowed {
    pub low: f64,
    pub high: f64,
    pub low_by: &'static str,
    pub high_by: &'static str,
    pub step: f64,
}

impl Market<'_> {
    /// Units that can be sold at a price under an elasticity.
    #[must_use]
    pub fn units(&self, elasticity: f64, price: f64) -> f64 {
        self.demand.units_with(elasticity, price, self.today).min(self.capacity)
    }

    /// The objective at a price under an elasticity.
    #[must_use]
    pub fn value(&self, elasticity: f64, price: f64) -> f64 {
        let margin = if self.objective == Objective::Profit { price - self.cost } else { price };
        margin * self.units(elasticity, price)
    }
}

/// Ends of the allowed prices.
pub fn allowed(input: &Input, history: &[Period], market: &Market<'_>) -> Result<Allowed, Error> {
    let constraints = &input.constraints;
    let (seen_low, seen_high) = bounds(history);
    let step = constraints.price_step.unwrap_or(0.01_f64.min(seen_low / 100.0));
    let wrong = |member: &str, text: String| Err(Error::invalid(format!("/constraints/{member}"), text));
    if !(1e-9..=1e9).contains(&step) {
        return wrong("price_step", "must lie between 1e-9 and 1e9".into());
    }
    let mut allowed = Allowed { low: seen_low, high: seen_high, low_by: "history", high_by: "history", step };
    if let Some(low) = constraints.price_min {
        if !(0.0..=1e12).contains(&low) {
            return wrong("price_min", "must lie between 0 and 1e12".into());
        }
        if input.extrapolate && low < seen_low / 2.0 {
            let text = format!("below half of the least price of the history ({seen_low}): too far to tell");
            return wrong("price_min", text);
        }
        if input.extrapolate || low >= seen_low {
            (allowed.low, allowed.low_by) = (low, "price_min");
        }
    }
    if let Some(high) = constraints.price_max {
        if !(high > 0.0 && high <= 1e12) {
            return wrong("price_max", "must lie above 0, up to 1e12".into());
        }
        if input.extrapolate && high > seen_high * 2.0 {
            let text = format!("above twice the highest price of the history ({seen_high}): too far to tell");
            return wrong("price_max", text);
        }
        if input.extrapolate || high <= seen_high {
            (allowed.high, allowed.high_by) = (high, "price_max");
        }
    }
    if let Some(percent) = constraints.max_change_percent {
        if !(0.0..=100.0).contains(&percent) {
            return wrong("max_change_percent", "must lie between 0 and 100".into());
        }
        let (low, high) = (market.today * (1.0 - percent / 100.0), market.today * (1.0 + percent / 100.0));
        if low > allowed.low {
            (allowed.low, allowed.low_by) = (low, "max_change");
        }
        if high < allowed.high {
            (allowed.high, allowed.high_by) = (high, "max_change");
        }
    }
    if let Some(percent) = constraints.min_margin_percent {
        if !(0.0..=99.0).contains(&percent) {
            return wrong("min_margin_percent", "must lie between 0 and 99".into());
        }
        let low = market.cost / (1.0 - percent / 100.0);
        if low > allowed.low {
            (allowed.low, allowed.low_by) = (low, "min_margin");
        }
    }
    if let Some(least) = constraints.min_quantity {
        if !(least > 0.0 && least.is_finite()) {
            return wrong("min_quantity", "must be above 0".into());
        }
        let elasticity = market.demand.elasticity;
        if elasticity < 0.0 {
            let high = market.today * ((least / market.demand.units(market.today)).ln() / elasticity).exp();
            if high < allowed.high {
                (allowed.high, allowed.high_by) = (high, "min_quantity");
            }
        }
    }
    Ok(allowed)
}

/// The best allowed price under the estimated elasticity; none when no multiple of the step is allowed.
#[must_use]
pub fn best(market: &Market<'_>, allowed: &Allowed) -> Option<f64> {
    let slack = 1e-9 * allowed.high.abs();
    let first = ((allowed.low - slack) / allowed.step).ceil();
    let last = ((allowed.high + slack) / allowed.step).floor();
    if first > last || !first.is_finite() || !last.is_finite() {
        return None;
    }
    let stride = ((last - first) / MOST_TRIED).ceil().max(1.0);
    let count = ((last - first) / stride).floor() as u32;
    let elasticity = market.demand.elasticity;
    let price = |n: u32| (first + stride * f64::from(n)) * allowed.step;
    let coarse = (0..=count).map(price).chain([last * allowed.step]);
    let value = |price: &f64| market.value(elasticity, *price);
    let rough =
        coarse.filter(|price| *price > 0.0).max_by(|a, b| value(a).total_cmp(&value(b)).then(b.total_cmp(a)))?;
    // Around the best of the coarse ones all multiples are tried.
    let center = (rough / allowed.step).round();
    let fine = (0..=(2.0 * stride.min(MOST_TRIED)) as u32).map(|n| center - stride + f64::from(n));
    let near = fine.filter(|n| *n >= first && *n <= last).map(|n| n * allowed.step).filter(|price| *price > 0.0);
    near.chain([rough]).max_by(|a, b| value(a).total_cmp(&value(b)).then(b.total_cmp(a)))
}
