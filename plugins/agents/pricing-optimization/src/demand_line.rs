//! A demand line that is given: `Q = 500 - 4P`.

use agent_common::figures::{figure, round};
use agent_common::patterns;
use tollbridge_sdk::Error;

use crate::confidence::CLEAR;
use crate::output::{Basis, Elasticity, Output};
use crate::terms::Terms;

/// `Q = at_zero - slope * P`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    pub at_zero: f64,
    pub slope: f64,
}

/// The demand line of a task.
pub fn read(task: &str) -> Option<Line> {
    let text = task.to_lowercase().replace(['−', '–'], "-").replace(['*', '·', '×'], " ");
    let number = |text: &str| text.replace(',', "").parse::<f64>().ok();
    let of = |pattern: &str| {
        let groups = patterns::groups(pattern, &text);
        Some((number(groups.get(1)?)?, number(groups.get(2)?)?))
    };
    let amount = r"(\d[\d,]*(?:\.\d+)?)";
    let factor = r"(\d[\d,]*(?:\.\d+)?)";
    if let Some((at_zero, slope)) = of(&format!(r"\bq[d]?(?:\(p\))?\s*=\s*{amount}\s*-\s*{factor}\s*p\b")) {
        return Some(Line { at_zero, slope }).filter(|line| line.slope > 0.0);
    }
    let (highest, step) = of(&format!(r"\bp(?:\(q\))?\s*=\s*{amount}\s*-\s*{factor}\s*q[d]?\b"))?;
    (step > 0.0).then(|| Line { at_zero: highest / step, slope: 1.0 / step })
}

/// The price that a task asks about: `at P = 50`, `at a price of 50`.
fn point(task: &str) -> Option<f64> {
    let lower = task.to_lowercase();
    let groups = patterns::groups(
        r"\b(?:p\s*=\s*|price\s+(?:of|is|=)\s*|at\s+(?:a\s+price\s+of\s+)?)[€$£]?\s*(\d+(?:\.\d+)?)(?:\s*[^\s\d.\-−–]|[.?!]|\s*$)",
        &lower,
    );
    groups.get(1)?.parse().ok()
}

/// The elasticity at a price, and the price with the most revenue or profit.
pub fn answer(line: &Line, task: &str, terms: &Terms) -> Result<Output, Error> {
    let cost = terms.cost.filter(|_| !terms.revenue).unwrap_or(0.0);
    let free = (line.at_zero / line.slope + cost) / 2.0;
    let price = terms.low.map_or(free, |low| free.max(low));
    let price = round(terms.high.map_or(price, |high| price.min(high)));
    let at = point(task).or(terms.current);
    let wants_elasticity = task.to_lowercase().contains("elast");
    if wants_elasticity && at.is_none() {
        let text = "on a straight demand line the elasticity is another at each price; say at which price";
        return Err(Error::invalid("/current_price", text));
    }
    let sold = |price: f64| line.at_zero - line.slope * price;
    let elasticity = at.filter(|at| sold(*at) > 0.0).map(|at| (at, round(-line.slope * at / sold(at))));
    let goal = if cost > 0.0 { "profit" } else { "revenue" };
    let mut summary = String::new();
    if let Some((at, estimate)) = elasticity {
        summary = format!(
            "At {} demand is {}, and it moves by about {} % when the price rises by 1 %. ",
            figure(at),
            figure(sold(at)),
            figure(estimate)
        );
    }
    summary.push_str(&format!("On this line {} brings the most {goal}.", figure(price)));
    let decision = match terms.current {
        Some(current) if (current - price).abs() <= 0.005 * price => "keep",
        Some(_) => "change",
        None => "unclear",
    };
    Ok(Output {
        summary,
        confidence: CLEAR,
        decision: decision.to_owned(),
        price: Some(price),
        current_price: terms.current,
        elasticity: elasticity.map(|(_, estimate)| Elasticity { estimate, low: None, high: None }),
        best_in_data: None,
        bound_by: if price == round(free) {
            Vec::new()
        } else {
            vec![if price > free { "price_min" } else { "price_max" }.to_owned()]
        },
        scenarios: Vec::new(),
        based_on: Basis::of(&[], terms, "given"),
        limitations: vec![
            "the demand line that is given is taken to hold at every price; none of your sales was looked at"
                .to_owned(),
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_and_a_point() {
        let task = "Demand for our parking permits is Q = 500 - 4P. What is the price elasticity at P = 50?";
        let line = read(task).unwrap();
        let found = answer(&line, task, &Terms::default()).unwrap();
        assert_eq!(found.elasticity.map(|one| one.estimate), Some(-0.666_667));
        assert_eq!(found.price, Some(62.5));
        assert_eq!(read("P = 100 - 0.5Q"), Some(Line { at_zero: 200.0, slope: 2.0 }));
        assert!(answer(&line, "Q = 500 - 4P. Elasticity?", &Terms::default()).is_err());
        assert_eq!(read("Q1 = 500 units at P = 4"), None);
    }
}
