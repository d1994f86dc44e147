//! An agent that proposes prices and computes what follows from them.
//!
//! Few sales are compared as they are; the bridge `price_optimization` estimates demand
//! from many. Elasticities, demand lines, changes and margins that are given are
//! computed exactly.

mod arithmetic;
mod commands;
mod compared;
mod estimated;
mod given;
mod input;
mod output;
mod sales;

use agent_common::form;
use agent_common::overlay::overlay;
use tollbridge_sdk::{Call, Error, agent};

use crate::input::{Input, Objective, Period};
use crate::output::{Output, prices};

/// Fewest periods and fewest prices that the bridge estimates from.
const BRIDGE_FEWEST: (usize, usize) = (8, 3);

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let filled = match input {
        Some(input) if task.trim().is_empty() || input.bases() > 0 => form::Filled { form: input, note: None },
        input => {
            let mut draft = commands::draft(task)?;
            if let Some(typed) = &input {
                draft.form = overlay(draft.form, typed);
            }
            form::fill(task, draft, check)?
        }
    };
    let mut output = answer(&filled.form).map_err(|error| error.with_input(&filled.form))?;
    output.limitations.extend(filled.note);
    Ok(output)
}

fn answer(input: &Input) -> Result<Output, Error> {
    check(input)?;
    let Input { history, elasticity, demand, change, calculate, .. } = input;
    if let Some(sales) = history {
        let positive = sales.iter().all(|sale| sale.quantity > 0.0 && sale.offered.is_none());
        let many = sales.len() >= BRIDGE_FEWEST.0 && prices(sales).len() >= BRIDGE_FEWEST.1;
        return if many && positive { estimated::answer(sales, input) } else { Ok(compared::answer(sales, input)) };
    }
    match (elasticity, demand, change, calculate) {
        (Some(elasticity), ..) => given::elasticity(*elasticity, input),
        (_, Some(line), ..) => given::line(*line, input),
        (_, _, Some(change), _) => given::change(change, input),
        (_, _, _, Some(calculate)) => arithmetic::answer(calculate, input),
        _ => Err(missing()),
    }
}

fn missing() -> Error {
    let text = "give the prices and the units sold at each as `history`, or an `elasticity`, a `demand` line, a price `change` or figures to `calculate` with";
    Error::invalid("/history", text)
}

/// Checks what no other part checks.
fn check(input: &Input) -> Result<(), Error> {
    match input.bases() {
        0 => return Err(missing()),
        1 => {}
        _ => {
            let text = "give only one of `history`, `elasticity`, `demand`, `change` and `calculate`";
            return Err(Error::invalid("/history", text));
        }
    }
    if input.price_min.zip(input.price_max).is_some_and(|(low, high)| low > high) {
        return Err(Error::invalid("/price_min", "the least price is above the highest"));
    }
    if input.objective == Some(Objective::Profit) && input.unit_cost.is_none() && input.change.is_none() {
        return Err(Error::invalid("/unit_cost", "profit needs the cost of a unit; give it, or 0"));
    }
    input.history.as_ref().map_or(Ok(()), |sales| check_sales(sales))
}

fn check_sales(sales: &[Period]) -> Result<(), Error> {
    let fine = |sale: &Period| sale.price > 0.0 && sale.price < 1e12 && (0.0..1e12).contains(&sale.quantity);
    if let Some(at) = sales.iter().position(|sale| !fine(sale)) {
        let text = "needs a price above 0 and a quantity of at least 0";
        return Err(Error::invalid(format!("/history/{at}"), text));
    }
    let offered = sales.iter().filter(|sale| sale.offered.is_some_and(|offered| offered > 0.0)).count();
    if offered > 0 && offered < sales.len() {
        return Err(Error::invalid("/history", "give `offered` above 0 for all periods or for none"));
    }
    match prices(sales).as_slice() {
        [] => Err(missing()),
        [price] => {
            let text = format!("all sales were at the one price of {price}; give sales at another price too");
            Err(Error::invalid("/history", text))
        }
        _ => Ok(()),
    }
}

agent! { run: run, examples: ["../cases/known.json"] }
tollbridge_sdk::test_cases!(agent run);
