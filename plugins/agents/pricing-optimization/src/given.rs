//! A given elasticity or demand line, and changes of the price.

use agent_common::figures::{figure, round};
use tollbridge_sdk::Error;

use crate::compared;
use crate::input::{Change, Formula, Input, Line};
use crate::output::{Basis, Elasticity, Figure, Output, decide};

/// Returns the best price for an elasticity that holds everywhere.
pub fn elasticity(estimate: f64, input: &Input) -> Result<Output, Error> {
    let cost = input.cost().filter(|cost| *cost > 0.0);
    // Profit is largest at cost × e / (1 + e); without a cost, revenue rises or falls with the price throughout.
    let (free, why) = match cost {
        Some(cost) if estimate < -1.0 => {
            let why = format!(": {} × {} / ({} + 1)", figure(cost), figure(estimate), figure(estimate));
            (cost * estimate / (1.0 + estimate), why)
        }
        _ if estimate > -1.0 => (f64::MAX, String::new()),
        _ if estimate < -1.0 => (0.0, String::new()),
        _ => {
            return Err(Error::invalid(
                "/elasticity",
                "at an elasticity of -1 every price brings the same revenue; give a unit cost and another elasticity",
            ));
        }
    };
    let (price, bound_by) = input.bounded(free);
    if !(f64::MIN_POSITIVE..f64::MAX).contains(&price) {
        let what = if estimate < -1.0 { "`unit_cost` or `price_min`" } else { "`price_max`" };
        let text =
            format!("with an elasticity of {} no price is the best without a bound; give {what}", figure(estimate));
        return Err(Error::invalid("/price_max", text));
    }
    let price = round(price);
    let (decision, text) = decide(price, input);
    let held = if bound_by.is_empty() { String::new() } else { format!(". It is held by: {}", bound_by.join(", ")) };
    Ok(Output {
        summary: format!("{text}{}{held}.", if bound_by.is_empty() { why } else { String::new() }),
        decision,
        price: Some(price),
        current_price: input.current_price,
        elasticity: Some(Elasticity::point(estimate)),
        bound_by,
        based_on: Basis::of(&[], input, "given"),
        limitations: vec!["the given elasticity is taken to hold at every price; no sales were examined".to_owned()],
        ..Output::default()
    })
}

/// Returns the best price on a straight demand line, and the elasticity at today's price.
pub fn line(line: Line, input: &Input) -> Result<Output, Error> {
    let sold = |price: f64| line.at_zero - line.slope * price;
    let free = f64::midpoint(line.at_zero / line.slope, input.cost().unwrap_or(0.0));
    let (price, bound_by) = input.bounded(free);
    let price = round(price);
    if sold(price) <= 0.0 || input.current_price.is_some_and(|price| sold(price) <= 0.0) {
        return Err(Error::invalid(
            "/demand",
            "no unit is sold at this price on this line; check the line, cost and bounds",
        ));
    }
    let at = input.current_price.unwrap_or(price);
    let estimate = -line.slope * at / sold(at);
    let (decision, text) = decide(price, input);
    let point = format!(
        "At {} demand is {} and moves by about {} % when the price rises by 1 %",
        figure(at),
        figure(sold(at)),
        figure(estimate)
    );
    Ok(Output {
        summary: format!("{text}. {point}."),
        decision,
        price: Some(price),
        current_price: input.current_price,
        elasticity: Some(Elasticity::point(estimate)),
        bound_by,
        figures: vec![Figure::of("units at the price", sold(price))],
        based_on: Basis::of(&[], input, "given"),
        limitations: vec!["the given demand line is taken to hold at every price; no sales were examined".to_owned()],
        ..Output::default()
    })
}

/// Returns what a change of the price does: revenue, profit, and the units that leave profit as it was.
pub fn change(change: &Change, input: &Input) -> Result<Output, Error> {
    let before = change.price.or(input.current_price);
    let relative = before.is_none();
    let price = before.unwrap_or(100.0);
    let after = match (change.new_price, change.price_percent) {
        (Some(after), None) if !relative => after,
        (None, Some(percent)) => price * (1.0 + percent / 100.0),
        _ => {
            return Err(Error::invalid(
                "/change/new_price",
                "give the price before and after, or `price_percent`, once",
            ));
        }
    };
    if price <= 0.0 || after <= 0.0 || price == after {
        return Err(Error::invalid("/change/new_price", "both prices must be above 0 and differ"));
    }
    let cost = match (input.unit_cost, change.margin_percent) {
        (Some(_), Some(_)) => {
            return Err(Error::invalid("/change/margin_percent", "give `unit_cost` or `margin_percent`, not both"));
        }
        (Some(_), None) if relative => {
            return Err(Error::invalid(
                "/change/price",
                "give the price before, or `margin_percent` in place of `unit_cost`",
            ));
        }
        (cost, margin) => cost.or(margin.map(|margin| price * (1.0 - margin / 100.0))),
    };
    let units = change.quantity;
    let sold = match (units, change.new_quantity, change.quantity_percent) {
        (_, None, Some(percent)) => Some(units.unwrap_or(100.0) * (1.0 + percent / 100.0)),
        (Some(_), Some(after), None) => Some(after),
        (_, None, None) => None,
        _ => {
            return Err(Error::invalid(
                "/change/new_quantity",
                "give the units before and after, or `quantity_percent`, once",
            ));
        }
    };
    let known = Known { price, after, cost, units, sold, relative, absolute: !relative && units.is_some() };
    if cost.is_some_and(|cost| after <= cost) {
        return Err(Error::invalid(
            "/change/new_price",
            "the new price does not cover the unit cost, so no volume makes up for it",
        ));
    }
    Ok(known.output(change, input))
}

/// A change that was checked; units are 100 where they are not known.
struct Known {
    price: f64,
    after: f64,
    cost: Option<f64>,
    units: Option<f64>,
    sold: Option<f64>,
    /// Only shares of the price are known.
    relative: bool,
    absolute: bool,
}

impl Known {
    fn output(&self, change: &Change, input: &Input) -> Output {
        let mut figures = vec![Figure::of("price change in percent", 100.0 * (self.after / self.price - 1.0))];
        let cost = self.cost.unwrap_or(0.0);
        let even = (self.price - cost) / (self.after - cost);
        let kept = if self.cost.is_some() { "profit" } else { "revenue" };
        figures.push(Figure::of("break-even volume change in percent", 100.0 * (even - 1.0)));
        if let Some(units) = self.units {
            figures.push(Figure::of("break-even units", units * even));
        }
        let base = self.units.unwrap_or(100.0);
        let mut decision = "unclear";
        let mut sentences =
            vec![format!("For the same {kept}, the units must change by {} %", figure(100.0 * (even - 1.0)))];
        let mut estimate = None;
        if let Some(sold) = self.sold {
            figures.push(Figure::of("volume change in percent", 100.0 * (sold / base - 1.0)));
            let (now, then) = ((self.price, base), (self.after, sold));
            let simple = !self.absolute || input.elasticity_method == Some(Formula::Simple);
            let simple = simple && input.elasticity_method != Some(Formula::Midpoint);
            estimate = Some(compared::between(now, then, simple));
            let fixed = input.fixed_cost.filter(|_| self.absolute).unwrap_or(0.0);
            let mut worth = |name: &str, cost: f64, fixed: f64| {
                let of = |(price, units): (f64, f64)| (price - cost) * units - fixed;
                let share = 100.0 * ((then.0 - cost) * then.1 / ((now.0 - cost) * now.1) - 1.0);
                if self.absolute {
                    figures.push(Figure::of(&format!("{name} before"), of(now)));
                    figures.push(Figure::of(&format!("{name} after"), of(then)));
                    sentences.push(format!("The {name} goes from {} to {}", figure(of(now)), figure(of(then))));
                } else {
                    let contribution = if name == "profit" { "profit before fixed cost" } else { name };
                    sentences.push(format!("The {contribution} changes by {} %", figure(share)));
                }
                figures.push(Figure::of(&format!("{name} change before fixed cost in percent"), share));
                share
            };
            let mut share = worth("revenue", 0.0, 0.0);
            if let Some(cost) = self.cost {
                let profit = worth("profit", cost, fixed);
                share = if input.objective == Some(crate::input::Objective::Revenue) { share } else { profit };
            }
            decision = match (self.relative, share > 0.0) {
                (true, _) => "unclear",
                (false, true) => "change",
                (false, false) => "keep",
            };
        }
        let method = if estimate.is_none() {
            "arithmetic"
        } else if self.absolute && input.elasticity_method != Some(Formula::Simple) {
            "midpoint"
        } else {
            "simple"
        };
        let current = change.price.or(input.current_price);
        Output {
            summary: format!("{}.", sentences.join(". ")),
            decision: decision.to_owned(),
            price: current
                .map(|price| round(if decision == "change" { self.after } else { price }))
                .filter(|_| decision != "unclear"),
            current_price: current,
            elasticity: estimate.map(Elasticity::point),
            figures,
            based_on: Basis::of(&[], input, method),
            limitations: vec!["the change of the units is the caller's; nothing else is taken to move".to_owned()],
            ..Output::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(output: &Output, name: &str) -> Option<f64> {
        output.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value)
    }

    #[test]
    fn given_elasticities_and_lines() {
        let input = Input {
            unit_cost: Some(9.0),
            current_price: Some(12.0),
            price_min: Some(10.0),
            price_max: Some(20.0),
            ..Input::default()
        };
        let found = elasticity(-2.5, &input).unwrap();
        assert_eq!((found.price, found.decision.as_str()), (Some(15.0), "change"));
        assert!(elasticity(-0.5, &Input::default()).is_err() && elasticity(-1.0, &input).is_err());
        let at = Input { current_price: Some(50.0), ..Input::default() };
        let found = line(Line { at_zero: 500.0, slope: 4.0 }, &at).unwrap();
        assert_eq!((found.price, found.elasticity.map(|one| one.estimate)), (Some(62.5), Some(-0.666_667)));
    }

    #[test]
    fn changes_of_the_price() {
        let cut = Change { price_percent: Some(-10.0), margin_percent: Some(40.0), ..Change::default() };
        let found = change(&cut, &Input::default()).unwrap();
        assert_eq!(value(&found, "break-even volume change in percent"), Some(33.333_333));
        let raise = Change {
            price: Some(20.0),
            new_price: Some(22.0),
            quantity: Some(100.0),
            quantity_percent: Some(-5.0),
            ..Change::default()
        };
        let found =
            change(&raise, &Input { unit_cost: Some(12.0), fixed_cost: Some(300.0), ..Input::default() }).unwrap();
        assert_eq!((value(&found, "profit before"), value(&found, "profit after")), (Some(500.0), Some(650.0)));
        assert_eq!((value(&found, "break-even units"), found.decision.as_str()), (Some(80.0), "change"));
        let moved = Change { price_percent: Some(12.0), quantity_percent: Some(-5.0), ..Change::default() };
        let found = change(&moved, &Input::default()).unwrap();
        assert_eq!(found.elasticity.map(|one| one.estimate), Some(-0.416_667));
        for bad in [Change::default(), Change { price: Some(5.0), new_price: Some(5.0), ..Change::default() }] {
            assert!(change(&bad, &Input::default()).is_err());
        }
    }
}
