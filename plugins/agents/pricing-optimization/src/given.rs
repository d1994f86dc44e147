//! What follows from an elasticity or a demand line that is given, and tasks that no sales can answer.

use agent_common::figures::{figure, round};
use tollbridge_sdk::Error;

use crate::confidence::CLEAR;
use crate::output::{Basis, Elasticity, Output};
use crate::terms::Terms;

/// An error where the task asks for what sales do not tell.
pub fn check(task: &str) -> Result<(), Error> {
    let lower = task.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&[
        "competitor set",
        "competitor charge",
        "competitors charge",
        "competitor's price",
        "competitor will",
        "rival will",
        "rival set",
        "competitors will",
        "others will charge",
    ]) && has(&["will", "next"])
    {
        let text = "what others will charge cannot be known from your data; give your own prices and units sold";
        return Err(Error::invalid("/history", text));
    }
    let evidence = has(&[
        "agency says",
        "slide",
        "blog says",
        "article says",
        "study says",
        "expert says",
        "they say",
        "industry average",
    ]);
    if evidence && has(&["which", "what", "best", "should"]) && agent_common::quantity::scan(task).len() < 8 {
        let text = "what others report says nothing about your own demand; give your own prices and the units or bookings sold at each";
        return Err(Error::invalid("/history", text));
    }
    Ok(())
}

/// What a change of the price and one of what was sold say, both as shares of 1.
pub fn moved(price: f64, sold: f64, terms: &Terms) -> Output {
    let estimate = round(sold / price);
    let percent = |share: f64| figure(round(share * 100.0));
    let revenue = (1.0 + price) * (1.0 + sold) - 1.0;
    let way = if revenue > 0.0 { "more" } else { "less" };
    Output {
        summary: format!(
            "The price moved by {} % and what was sold by {} %: when the price rises by 1 %, demand moves by about {} %. Revenue was {} % {way} after it.",
            percent(price),
            percent(sold),
            figure(estimate),
            percent(revenue.abs())
        ),
        confidence: CLEAR,
        decision: "unclear".to_owned(),
        price: None,
        current_price: terms.current,
        elasticity: Some(Elasticity { estimate, low: None, high: None }),
        best_in_data: None,
        bound_by: Vec::new(),
        scenarios: Vec::new(),
        based_on: Basis::of(&[], terms, "simple"),
        limitations: vec![
            "two changes in percent were divided: season, chance and all else that moved demand is in them".to_owned(),
        ],
    }
}

/// The best price for a given elasticity and cost; an error that says what is missing, none where no elasticity is given.
pub fn answer(_task: &str, terms: &Terms) -> Option<Result<Output, Error>> {
    let elasticity = terms.elasticity?;
    let bound = |price: f64| {
        let price = terms.low.map_or(price, |low| price.max(low));
        terms.high.map_or(price, |high| price.min(high))
    };
    let cost = terms.cost.filter(|cost| *cost > 0.0 && !terms.revenue);
    // Profit: price times e / (1 + e) over cost; without a cost, revenue falls or rises with the price throughout.
    let (price, bound_by) = match cost {
        Some(cost) if elasticity < -1.0 => {
            let free = cost * elasticity / (1.0 + elasticity);
            let held = bound(free);
            (
                Some(held),
                if held > free {
                    "price_min"
                } else if held < free {
                    "price_max"
                } else {
                    ""
                },
            )
        }
        _ if elasticity > -1.0 => (terms.high, "price_max"),
        _ if elasticity < -1.0 => (terms.low, "price_min"),
        _ => (None, ""),
    };
    let Some(price) = price.map(round) else {
        let what =
            if elasticity < -1.0 { "the unit cost or the least price allowed" } else { "the highest price allowed" };
        let text =
            format!("with an elasticity of {} no price is the best without a bound; give {what}", figure(elasticity));
        return Some(Err(Error::invalid("/price_max", text)));
    };
    let goal = if cost.is_some() { "profit" } else { "revenue" };
    let decision = match terms.current {
        Some(current) if (current - price).abs() <= 0.005 * price => "keep",
        Some(_) => "change",
        None => "unclear",
    };
    let against = terms.current.map_or_else(String::new, |current| format!(", against {} today", figure(current)));
    let why = match cost {
        Some(cost) if elasticity < -1.0 => {
            format!(": cost {} times {} / ({} + 1)", figure(cost), figure(elasticity), figure(elasticity))
        }
        _ => String::new(),
    };
    let held = if bound_by.is_empty() { String::new() } else { format!(" It is held by: {bound_by}.") };
    Some(Ok(Output {
        summary: format!("The price with the most {goal} is {}{against}{why}.{held}", figure(price)),
        confidence: CLEAR,
        decision: decision.to_owned(),
        price: Some(price),
        current_price: terms.current,
        elasticity: Some(Elasticity { estimate: elasticity, low: None, high: None }),
        best_in_data: None,
        bound_by: if bound_by.is_empty() { Vec::new() } else { vec![bound_by.to_owned()] },
        scenarios: Vec::new(),
        based_on: Basis::of(&[], terms, "given"),
        limitations: vec![
            "the elasticity that is given is taken to hold at every price; none of your sales was looked at".to_owned(),
        ],
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_elasticity_alone() {
        let terms = Terms {
            elasticity: Some(-2.5),
            cost: Some(9.0),
            current: Some(12.0),
            low: Some(10.0),
            high: Some(20.0),
            ..Terms::default()
        };
        let found = answer("", &terms).unwrap().unwrap();
        assert_eq!((found.price, found.decision.as_str()), (Some(15.0), "change"));
        let low = Terms { elasticity: Some(-0.5), ..Terms::default() };
        assert!(answer("", &low).unwrap().is_err() && answer("", &Terms::default()).is_none());
    }
}
