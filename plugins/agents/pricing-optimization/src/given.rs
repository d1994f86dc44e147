//! A given elasticity or demand line, and changes of the price.

use agent_common::figures::{figure, round};
use tollbridge_sdk::Error;

use crate::compared;
use crate::input::{Change, Formula, Input, Line, Objective};
use crate::output::{Elasticity, Figure, Output, way};

/// Returns the best price for an elasticity that holds everywhere.
pub fn elasticity(estimate: f64, input: &Input) -> Result<Output, Error> {
    if estimate == -1.0 {
        let text =
            "at an elasticity of -1 every price brings the same revenue; give a unit cost and another elasticity";
        return Err(Error::invalid("/elasticity", text));
    }
    let percent = figure(estimate);
    // Profit is largest at cost × e / (1 + e); without a cost, revenue rises or falls with the price throughout.
    let (free, why) = match input.cost().filter(|cost| *cost > 0.0) {
        _ if estimate > -1.0 => (f64::MAX, String::new()),
        Some(cost) => (cost * estimate / (1.0 + estimate), format!(": {} × {percent} / ({percent} + 1)", figure(cost))),
        None => (0.0, String::new()),
    };
    let (price, bound_by) = input.bounded(free);
    if !(f64::MIN_POSITIVE..f64::MAX).contains(&price) {
        let what = if estimate < -1.0 { "`unit_cost` or `price_min`" } else { "`price_max`" };
        let text = format!("with an elasticity of {percent} no price is the best without a bound; give {what}");
        return Err(Error::invalid("/price_max", text));
    }
    let why = if bound_by.is_empty() { why } else { format!(". It is held by: {}", bound_by.join(", ")) };
    Ok(Output {
        bound_by,
        limitations: vec!["the given elasticity is taken to hold at every price; no sales were examined".to_owned()],
        ..proposed(price, estimate, input, &why)
    })
}

/// Returns the best price on a straight demand line, and the elasticity at today's price.
pub fn line(line: Line, input: &Input) -> Result<Output, Error> {
    let sold = |price: f64| line.at_zero - line.slope * price;
    let (price, bound_by) = input.bounded(f64::midpoint(line.at_zero / line.slope, input.cost().unwrap_or(0.0)));
    let price = round(price);
    if sold(price) <= 0.0 || input.current_price.is_some_and(|price| sold(price) <= 0.0) {
        let text = "no unit is sold at this price on this line; check the line, cost and bounds";
        return Err(Error::invalid("/demand", text));
    }
    let at = input.current_price.unwrap_or(price);
    let estimate = -line.slope * at / sold(at);
    let [price_now, units, percent] = [at, sold(at), estimate].map(figure);
    let point =
        format!(". At {price_now} demand is {units} and moves by about {percent} % when the price rises by 1 %");
    Ok(Output {
        bound_by,
        figures: vec![Figure::of("units at the price", sold(price))],
        limitations: vec!["the given demand line is taken to hold at every price; no sales were examined".to_owned()],
        ..proposed(price, estimate, input, &point)
    })
}

/// Returns the answer that a price is the best.
fn proposed(price: f64, estimate: f64, input: &Input, why: &str) -> Output {
    let (price, goal) = (round(price), input.goal());
    let best = figure(price);
    let (decision, text) = match input.current_price {
        Some(current) if (current - price).abs() <= 0.005 * price.abs() => {
            ("keep", format!("Keep the price: today's {} brings the most {goal}", figure(current)))
        }
        Some(current) => {
            let (way, today) = (way(current, price), figure(current));
            ("change", format!("{way} the price: {best} brings the most {goal}, today's is {today}"))
        }
        None => ("unclear", format!("{best} brings the most {goal}")),
    };
    Output {
        decision: decision.to_owned(),
        price: Some(price),
        elasticity: Some(Elasticity::point(estimate)),
        ..Output::of(&[], input, "given", &[format!("{text}{why}")])
    }
}

/// Prices and units before and after a change.
struct Moved {
    price: (f64, f64),
    /// Units before are 100 if they are not known.
    units: (f64, Option<f64>),
    cost: Option<f64>,
}

/// Checks a change of the price.
fn moved(change: &Change, input: &Input) -> Result<Moved, Error> {
    let invalid = |member: &str, text: &str| Err(Error::invalid(format!("/change/{member}"), text));
    let before = change.price.or(input.current_price);
    let price = before.unwrap_or(100.0);
    let after = match (change.new_price, change.price_percent) {
        (Some(after), None) if before.is_some() => after,
        (None, Some(percent)) => price * (1.0 + percent / 100.0),
        _ => {
            let text = "by how much does the price change? Give the price before and after, or `price_percent`, once";
            return invalid("new_price", text);
        }
    };
    if price <= 0.0 || after <= 0.0 || price == after {
        return invalid("new_price", "both prices must be above 0 and differ");
    }
    let cost = match (input.unit_cost, change.margin_percent) {
        (Some(_), Some(_)) => return invalid("margin_percent", "give `unit_cost` or `margin_percent`, not both"),
        (Some(_), None) if before.is_none() => {
            return invalid("price", "give the price before, or `margin_percent` in place of `unit_cost`");
        }
        (cost, margin) => cost.or(margin.map(|margin| price * (1.0 - margin / 100.0))),
    };
    if cost.is_some_and(|cost| after <= cost) {
        let text = "the new price does not cover the unit cost, so no volume makes up for it";
        return invalid("new_price", text);
    }
    let units = change.quantity.unwrap_or(100.0);
    let sold = match (change.quantity, change.new_quantity, change.quantity_percent) {
        (_, None, percent) => percent.map(|percent| units * (1.0 + percent / 100.0)),
        (Some(_), Some(after), None) => Some(after),
        _ => return invalid("new_quantity", "give the units before and after, or `quantity_percent`, once"),
    };
    Ok(Moved { price: (price, after), units: (units, sold), cost })
}

/// Returns what a change of the price does: revenue, profit, and the units that leave profit as it was.
pub fn change(change: &Change, input: &Input) -> Result<Output, Error> {
    let Moved { price: (price, after), units: (units, sold), cost } = moved(change, input)?;
    let current = change.price.or(input.current_price);
    let is_absolute = current.is_some() && change.quantity.is_some();
    let even = (price - cost.unwrap_or(0.0)) / (after - cost.unwrap_or(0.0));
    let mut figures = vec![
        Figure::of("price change in percent", 100.0 * (after / price - 1.0)),
        Figure::of("break-even volume change in percent", 100.0 * (even - 1.0)),
    ];
    if let Some(units) = change.quantity {
        figures.push(Figure::of("break-even units", units * even));
    }
    let (kept, percent) = (if cost.is_some() { "profit" } else { "revenue" }, figure(100.0 * (even - 1.0)));
    let mut sentences = vec![format!("For the same {kept}, the units must change by {percent} %")];
    let simple = input.elasticity_method.unwrap_or(if is_absolute { Formula::Midpoint } else { Formula::Simple });
    let simple = simple == Formula::Simple;
    let mut gain = None;
    if let Some(sold) = sold {
        figures.push(Figure::of("volume change in percent", 100.0 * (sold / units - 1.0)));
        let fixed = input.fixed_cost.unwrap_or(0.0);
        for (name, cost, fixed) in [("revenue", Some(0.0), 0.0), ("profit", cost, fixed)] {
            let Some(cost) = cost else { continue };
            let (before, now) = ((price - cost) * units, (after - cost) * sold);
            let share = 100.0 * (now / before - 1.0);
            if is_absolute {
                let (before, now) = (before - fixed, now - fixed);
                figures
                    .extend([Figure::of(&format!("{name} before"), before), Figure::of(&format!("{name} after"), now)]);
                sentences.push(format!("The {name} goes from {} to {}", figure(before), figure(now)));
            } else {
                let note = if name == "profit" { " before fixed cost" } else { "" };
                sentences.push(format!("The {name}{note} changes by {} %", figure(share)));
            }
            figures.push(Figure::of(&format!("{name} change before fixed cost in percent"), share));
            gain = gain.filter(|_| input.objective == Some(Objective::Revenue)).or(Some(share));
        }
    }
    let decision = match gain.filter(|_| current.is_some()) {
        Some(gain) if gain > 0.0 => ("change", Some(after)),
        Some(_) => ("keep", current),
        None => ("unclear", None),
    };
    let method = match sold {
        Some(_) if simple => "simple",
        Some(_) => "midpoint",
        None => "arithmetic",
    };
    Ok(Output {
        decision: decision.0.to_owned(),
        price: decision.1.map(round),
        current_price: current,
        elasticity: sold.map(|sold| Elasticity::point(compared::between((price, units), (after, sold), simple))),
        figures,
        limitations: vec!["the change of the units is the caller's; nothing else is taken to move".to_owned()],
        ..Output::of(&[], input, method, &sentences)
    })
}
