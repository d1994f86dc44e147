//! Price optimization: elasticity from history, the best price within constraints, and what other prices would bring.
//!
//! Invariants: the same history gives the same answer; every number in the answer is finite; no price outside the
//! constraints is recommended; no input panics.

mod basis;
mod demand;
mod history;
mod input;
mod output;
mod search;

use bridge_common::Report;
use tollbridge_sdk::{Call, Error, bridge};

pub use input::Input;
pub use output::Output;

use crate::demand::{Demand, Effect, Model};
use crate::input::{MOST_SCENARIOS, Objective, Period, SEASONS};
use crate::output::{Advice, Control, Interval, MethodUsed, Scenario};
use crate::search::{Allowed, Market};

/// Periods that must be left over for the errors.
const FEWEST_FREE: usize = 4;

/// Finds the price that the input asks for.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    check(&input)?;
    let history = history::read(call, &input)?;
    let confidence = input.confidence.unwrap_or(0.95);
    let model = model(&input, &history)?;
    let demand = Demand::fit(&history, &model, confidence).ok_or_else(|| flat(&model))?;
    let today = input.current_price.or(history.last().map(|period| period.price)).unwrap_or(1.0);
    let (seen_low, seen_high) = history::bounds(&history);
    if !(seen_low / 2.0..=seen_high * 2.0).contains(&today) {
        let text = format!("far outside the prices of the history ({seen_low} to {seen_high}): too far to tell");
        return Err(Error::invalid("/current_price", text));
    }
    let cost = input.unit_cost.unwrap_or(0.0);
    let usual = if input.unit_cost.is_some() { Objective::Profit } else { Objective::Revenue };
    let objective = input.objective.unwrap_or(usual);
    let capacity = input.constraints.capacity.unwrap_or(f64::MAX);
    let market = Market { demand: &demand, cost, objective, today, capacity };
    let allowed = search::allowed(&input, &history, &market)?;
    let nothing = || {
        let text = format!(
            "no price is left: at least {} ({}), at most {} ({}), in steps of {}",
            tidy(allowed.low),
            allowed.low_by,
            tidy(allowed.high),
            allowed.high_by,
            allowed.step
        );
        Error::invalid("/constraints", text)
    };
    let best = search::best(&market, &allowed).ok_or_else(nothing)?;
    let price = (demand.elasticity < 0.0).then_some(best);
    let result = advise(&market, &allowed, &history, price, input.scenarios.unwrap_or(9));
    let other_model = Model { trend: !model.trend, ..model.clone() };
    let other = Demand::fit(&history, &other_model, confidence).map(|demand| tidy(demand.elasticity));
    let limitations = limitations(&result, &demand, other, &model);
    let method = MethodUsed {
        name: name(&model),
        objective,
        confidence,
        points: history.len(),
        different_prices: different(&history),
        standard_error: tidy(demand.standard_error),
        r_squared: tidy(demand.r_squared),
        durbin_watson: tidy(demand.durbin_watson),
        trend: model.trend,
        season: input.season,
        controls: demand.effects.iter().map(control).collect(),
        elasticity_other_trend: other,
    };
    Ok(Report::new(result, method, limitations))
}

/// What is taken out besides the price; an error where the history is too short for it.
fn model(input: &Input, history: &[Period]) -> Result<Model, Error> {
    let season = input.season.map(|season| season as usize);
    if let Some(season) = season.filter(|season| history.len() < 2 * season) {
        let text = format!("{} periods are fewer than two cycles of {season}", history.len());
        return Err(Error::invalid("/season", text));
    }
    let controls = history.first().map(|period| period.controls.keys().cloned().collect()).unwrap_or_default();
    let model = Model { trend: input.trend, season, controls };
    let fewest = model.parameters() + 1 + FEWEST_FREE;
    if history.len() < fewest {
        let field = if input.resource_id.is_some() { "/resource_id" } else { "/history" };
        let text = format!("{} periods are too few for all that is taken out; give at least {fewest}", history.len());
        return Err(Error::invalid(field, text));
    }
    Ok(model)
}

fn flat(model: &Model) -> Error {
    let (field, what) = match model {
        Model { controls, .. } if !controls.is_empty() => {
            ("/controls", "the controls (with trend and season, if asked for)")
        }
        Model { season: Some(_), .. } => ("/season", "the seasons (with the trend, if asked for)"),
        _ => ("/trend", "a trend"),
    };
    Error::invalid(field, format!("prices only follow {what} themselves: their effect cannot be told from it"))
}

fn name(model: &Model) -> String {
    let parts = [
        (model.trend, " + trend × period"),
        (model.season.is_some(), " + level of the season"),
        (!model.controls.is_empty(), " + effects × controls"),
    ];
    let parts: String = parts.into_iter().filter(|(is_there, _)| *is_there).map(|(_, part)| part).collect();
    format!("log units = constant{parts} + elasticity × log price, by ordinary least squares")
}

fn control(effect: &Effect) -> Control {
    let percent = |slope: f64| 100.0 * slope.exp_m1();
    let over = |(slope, reach): (f64, f64)| interval(percent(slope), percent(slope - reach), percent(slope + reach));
    Control { name: effect.name.clone(), units_percent: effect.slope.map(over) }
}

fn check(input: &Input) -> Result<(), Error> {
    if input.unit_cost.is_some_and(|cost| !(0.0..=1e12).contains(&cost)) {
        return Err(Error::invalid("/unit_cost", "must lie between 0 and 1e12"));
    }
    if input.objective == Some(Objective::Profit) && input.unit_cost.is_none() {
        return Err(Error::invalid("/unit_cost", "is needed to tell profits"));
    }
    if input.current_price.is_some_and(|price| !(1e-9..=1e12).contains(&price)) {
        return Err(Error::invalid("/current_price", "must be above 0"));
    }
    if input.constraints.capacity.is_some_and(|capacity| !(capacity > 0.0 && capacity.is_finite())) {
        return Err(Error::invalid("/constraints/capacity", "must be above 0"));
    }
    if input.confidence.is_some_and(|confidence| !(0.5..=0.999).contains(&confidence)) {
        return Err(Error::invalid("/confidence", "must lie between 0.5 and 0.999"));
    }
    if input.season.is_some_and(|season| !SEASONS.contains(&season)) {
        return Err(Error::invalid("/season", "must lie between 2 and 53"));
    }
    if input.scenarios.is_some_and(|rows| !(2..=MOST_SCENARIOS).contains(&rows)) {
        return Err(Error::invalid("/scenarios", format!("must lie between 2 and {MOST_SCENARIOS}")));
    }
    Ok(())
}

/// Elasticities at the estimate and at both ends of the interval.
fn elasticities(demand: &Demand) -> [f64; 3] {
    [demand.elasticity, demand.elasticity - demand.reach, demand.elasticity + demand.reach]
}

fn advise(market: &Market<'_>, allowed: &Allowed, history: &[Period], price: Option<f64>, rows: u32) -> Advice {
    let demand = market.demand;
    let uplift = price.and_then(|price| {
        let one = |elasticity: f64| {
            let before = market.value(elasticity, market.today);
            (before > 0.0).then(|| 100.0 * (market.value(elasticity, price) / before - 1.0))
        };
        let [Some(estimate), Some(low), Some(high)] = elasticities(demand).map(one) else { return None };
        Some(interval(estimate, low, high))
    });
    let decision = match (price, uplift) {
        (None, _) => "none",
        (Some(price), _) if (price - market.today).abs() <= allowed.step / 2.0 => "keep",
        (_, Some(uplift)) if uplift.low > 0.0 && demand.elasticity + demand.reach < 0.0 => "change",
        _ => "test",
    };
    Advice {
        decision,
        price: price.map(tidy),
        current_price: tidy(market.today),
        elasticity: interval(demand.elasticity, demand.elasticity - demand.reach, demand.elasticity + demand.reach),
        uplift_percent: uplift,
        bound_by: price.map_or(Vec::new(), |price| bound_by(market, allowed, price)),
        scenarios: scenarios(market, allowed, history, price, rows),
    }
}

fn bound_by(market: &Market<'_>, allowed: &Allowed, price: f64) -> Vec<&'static str> {
    let mut bounds = Vec::new();
    if price - allowed.low < allowed.step {
        bounds.push(allowed.low_by);
    }
    if allowed.high - price < allowed.step {
        bounds.push(allowed.high_by);
    }
    // Where the capacity begins to bind, one step less sells no more.
    if market.demand.units(price - allowed.step) >= market.capacity && price > allowed.step {
        bounds.push("capacity");
    }
    bounds
}

fn scenarios(
    market: &Market<'_>,
    allowed: &Allowed,
    history: &[Period],
    best: Option<f64>,
    rows: u32,
) -> Vec<Scenario> {
    let span = allowed.high - allowed.low;
    let even = (0..rows).map(|row| {
        let price = allowed.low + span * f64::from(row) / f64::from(rows.max(2) - 1);
        let rounded = (price / allowed.step).round() * allowed.step;
        (rounded.clamp(allowed.low, allowed.high), "")
    });
    let mut prices: Vec<(f64, &'static str)> = even.collect();
    prices.push((market.today, "current"));
    prices.extend(best.map(|price| (price, "best")));
    // Marked rows stay where prices are equal.
    prices.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.len().cmp(&a.1.len())));
    prices.dedup_by(|next, kept| (next.0 - kept.0).abs() < 1e-9 * kept.0.abs() && next.1.is_empty());
    let (seen_low, seen_high) = history::bounds(history);
    let row = |(price, mark): (f64, &'static str)| {
        let [units, a, b] = elasticities(market.demand).map(|elasticity| market.units(elasticity, price));
        Scenario {
            price: tidy(price),
            quantity: interval(units, a, b),
            revenue: tidy(price * units),
            profit: tidy((price - market.cost) * units),
            mark,
            extrapolated: price < seen_low * (1.0 - 1e-9) || price > seen_high * (1.0 + 1e-9),
        }
    };
    prices.into_iter().map(row).collect()
}

fn different(history: &[Period]) -> usize {
    let mut prices: Vec<u64> = history.iter().map(|period| period.price.to_bits()).collect();
    prices.sort_unstable();
    prices.dedup();
    prices.len()
}

fn limitations(result: &Advice, demand: &Demand, other: Option<f64>, model: &Model) -> Vec<String> {
    let confounders = if model.season.is_some() || !model.controls.is_empty() {
        "nothing but the price and what was taken out (see `method.name`) explains units here: whatever else moved together with the price"
    } else {
        "nothing but the price (and a trend, if asked for) explains units here: what moved together with the price (promotions, seasons, competitors, demand itself; see `season` and `controls`)"
    };
    let mut notes = vec![
        format!(
            "{confounders} counts as its effect, and neither the interval nor the decision shows that; only a test with prices set at random tells"
        ),
        "one elasticity for all prices and times; competitors, other products and stock are not modelled".to_owned(),
    ];
    let mut note = |applies: bool, text: &str| {
        if applies {
            notes.push(text.to_owned());
        }
    };
    note(result.decision == "none", "units do not fall with the price in this history: something else moves them");
    note(
        result.elasticity.low < 0.0 && result.elasticity.high >= 0.0,
        "the confidence interval holds 0: prices may have no effect at all",
    );
    note(
        result.elasticity.estimate < 0.0 && result.elasticity.estimate > -1.0,
        "demand is inelastic, so the model would raise the price without end: the answer is the upper bound",
    );
    note(
        !(1.2..=2.8).contains(&demand.durbin_watson),
        "errors of neighbouring periods go together: the confidence interval is too narrow",
    );
    note(
        other.is_some_and(|other| (other - demand.elasticity).abs() > demand.reach),
        if model.trend {
            "the elasticity is quite another one with the trend left in"
        } else {
            "the elasticity is quite another one with a trend taken out: see `trend`"
        },
    );
    note(
        result.scenarios.iter().any(|row| row.mark == "best" && row.extrapolated),
        "the best price lies outside the prices seen, where the model is not known to hold",
    );
    note(
        model.season.is_some() || !model.controls.is_empty(),
        "units of the scenarios are those of the last period's season and controls",
    );
    note(
        result.scenarios.iter().any(|row| row.mark == "current" && row.extrapolated),
        "today's price lies outside the prices seen, so the uplift is extrapolated",
    );
    note(demand.r_squared < 0.2, "prices explain little of what was sold");
    notes
}

fn interval(estimate: f64, a: f64, b: f64) -> Interval {
    Interval { estimate: tidy(estimate), low: tidy(a.min(b).min(estimate)), high: tidy(a.max(b).max(estimate)) }
}

/// Eight significant digits, and the largest number instead of infinity.
fn tidy(value: f64) -> f64 {
    bridge_common::number::significant(value, 8)
}

bridge! { handle: handle, examples: ["../cases/known_elasticity.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
