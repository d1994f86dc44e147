//! An agent that proposes prices and computes what follows from them.
//!
//! Few sales are compared as they are; the bridge `price_optimization` estimates demand
//! from many. What follows from elasticities, demand lines, changes and margins that are
//! given is computed here.

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
    let text = "give the prices and the units sold at each as `history`, or an `elasticity`, a `demand` line, a \
        price `change` or figures to `calculate` with";
    Error::invalid("/history", text)
}

/// Checks that the input has one basis.
fn check_bases(input: &Input) -> Result<(), Error> {
    let several = "give only one of `history`, `elasticity`, `demand`, `change` and `calculate`";
    match input.bases() {
        0 => Err(missing()),
        1 => Ok(()),
        _ => Err(Error::invalid("/history", several)),
    }
}

/// Checks what no other part checks.
fn check(input: &Input) -> Result<(), Error> {
    check_bases(input)?;
    if input.price_min.zip(input.price_max).is_some_and(|(low, high)| low > high) {
        return Err(Error::invalid("/price_min", "the least price is above the highest"));
    }
    if input.objective == Some(Objective::Profit) && input.unit_cost.is_none() && input.change.is_none() {
        return Err(Error::invalid("/unit_cost", "profit needs the cost of a unit; give it, or 0"));
    }
    let Some(sales) = &input.history else { return Ok(()) };
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

#[cfg(test)]
mod tests {
    use agent_common::command;
    use tollbridge_sdk::testing::Doubles;

    use super::*;

    /// Returns the answer to a task or a typed input as JSON, or the question.
    fn answered(task: &str) -> String {
        let input: Option<Input> = serde_json::from_str(task).ok();
        let text = if input.is_some() { "" } else { task };
        let (answer, _) = Doubles::new().run(|| run(&Call::default(), text, input));
        answer.map_or_else(|error| error.message().to_owned(), |output| serde_json::to_string(&output).unwrap())
    }

    #[test]
    fn published_examples_are_answered() {
        for example in command::examples(commands::COMMANDS) {
            assert!(answered(example).contains("\"decision\""), "{example}");
        }
    }

    /// Each row is a task and parts of its answer or question.
    #[test]
    fn tasks_are_answered_or_refused() {
        let rows: Vec<Vec<String>> = serde_json::from_str(include_str!("../tasks.json")).unwrap();
        for (task, parts) in rows.iter().filter_map(|row| row.split_first()) {
            let answer = answered(task);
            assert!(parts.iter().all(|part| answer.contains(part)), "{task}\n=> {answer}");
        }
    }
}
