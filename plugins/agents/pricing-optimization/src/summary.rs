//! The answer in words.

use agent_common::answer_format::AnswerFormat;
use agent_common::figures::figure;

use crate::output::{Best, Range};

/// What there is to tell of an estimate.
pub struct Estimate<'t> {
    pub asked: &'t str,
    pub decision: &'t str,
    pub price: Option<f64>,
    pub current: f64,
    pub elasticity: &'t Range,
    pub bound_by: &'t [String],
    pub periods: usize,
    pub cost: Option<f64>,
    pub best: Option<&'t Best>,
    pub candidate: Option<f64>,
}

/// The answer of an estimate.
pub fn of_estimate(told: &Estimate<'_>) -> String {
    let range = told.elasticity;
    let format = AnswerFormat::read(told.asked);
    if format.json {
        return serde_json::json!({
            "decision": told.decision, "price": told.price, "current_price": told.current, "elasticity": range.estimate
        })
        .to_string();
    }
    let goal = if told.cost.is_some() { "profit" } else { "revenue" };
    let mut sentences = Vec::new();
    sentences.push(match (told.price, told.decision) {
        (Some(price), "change") => {
            let way = if price > told.current { "Raise" } else { "Lower" };
            format!("{way} the price: the most {goal} is expected at {}, against {} today", figure(price), figure(told.current))
        }
        (Some(_), "keep") => format!("Keep the price: the most {goal} is expected at today's {}", figure(told.current)),
        (Some(price), _) => format!(
            "By the estimate {} brings the most {goal}, against {} today, but the interval holds values for which it does not: test it",
            figure(price),
            figure(told.current)
        ),
        _ => "No price can be proposed: demand does not fall with the price in these figures".to_owned(),
    });
    sentences.push(format!(
        "From {} periods: when the price rises by 1 %, demand moves by about {} % ({} to {})",
        told.periods,
        figure(range.estimate),
        figure(range.low),
        figure(range.high)
    ));
    if let Some(candidate) = told.candidate.filter(|candidate| *candidate > 0.0 && *candidate != told.current) {
        let change = (candidate / told.current).powf(1.0 + range.estimate) - 1.0;
        let way = if change > 0.0 { "grow" } else { "fall" };
        sentences.push(format!(
            "At {} revenue would {way} by about {} %",
            figure(candidate),
            figure(change.abs() * 100.0)
        ));
    }
    if let Some(best) = told.best {
        let each = figure(best.value);
        sentences.push(format!(
            "In the data themselves {} brought the most {} for each period: {each}",
            figure(best.price),
            best.goal
        ));
    }
    if !told.bound_by.is_empty() {
        sentences.push(format!("It is held by: {}", told.bound_by.join(", ")));
    }
    if let Some(most) = format.sentences_max {
        sentences.truncate((most as usize).max(1));
    }
    format!("{}.", sentences.join(". "))
}
