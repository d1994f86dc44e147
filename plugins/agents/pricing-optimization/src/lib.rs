//! An agent that says what sales tell about a price.
//!
//! With eight periods or more the bridge `price_optimization` estimates and
//! decides; with fewer this agent compares what was seen, and works out what
//! follows from an elasticity that is given. It says what was best in the data.

mod amounts;
mod asked;
mod cleaned;
mod compared;
mod confidence;
mod demand_line;
mod estimated;
mod forms;
mod given;
mod input;
mod output;
mod percents;
mod role_words;
mod roles;
mod sale;
mod sale_words;
mod sales;
mod scheduled;
mod summary;
mod terms;
mod told;

use agent_common::request::Request;
use agent_common::{figures, model, words};
use tollbridge_sdk::{Call, Error, agent};

use crate::input::Input;
use crate::output::Output;
use crate::sale::Sale;

/// Fewest periods that the bridge works on.
const BRIDGE_FEWEST: usize = 8;

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words::of(task, input.as_ref());
    let input = input.unwrap_or_default();
    if input.history.is_some() {
        return answer(text, &input);
    }
    // What no sales tell is not asked in other words.
    let cleaned = cleaned::of(text);
    given::check(&cleaned)?;
    asked::check_scope(&without_rows(&cleaned))?;
    model::reread(text, forms::FORMS, |text| answer(text, &input))
}

fn answer(task: &str, input: &Input) -> Result<Output, Error> {
    let cleaned = cleaned::of(task);
    let text = cleaned.as_str();
    let typed = input.history.is_some();
    let told::Reading { sales, current: told_now, odd } = match &input.history {
        Some(history) => {
            let sales = history.iter().map(|one| Sale::of(one.price, one.quantity)).collect();
            told::Reading { sales, ..told::Reading::default() }
        }
        None => {
            given::check(text)?;
            asked::check_scope(&without_rows(text))?;
            sales::read(text, &Request::read(text))
        }
    };
    let mut terms = terms::read(&without_rows(text), amounts::style(text));
    terms.cost = input.unit_cost.or(terms.cost);
    terms.low = input.price_min.or(terms.low);
    terms.high = input.price_max.or(terms.high);
    let beside = without_rows(text);
    let told_now = current(told_now, &terms, &beside, &sales);
    terms.current = input.current_price.or(told_now);
    // `ora costa 12 euro` says the price, not the cost.
    terms.cost = terms.cost.filter(|cost| input.unit_cost.is_some() || !sales.iter().any(|sale| sale.price == *cost));
    terms.simple = terms::simple(text);
    // `rises from 2 to 2.20` tells of sales, and of no bounds.
    if !typed && [terms.low, terms.high].into_iter().flatten().any(|bound| !asked::is_price(bound, &sales)) {
        (terms.low, terms.high) = (input.price_min, input.price_max);
    }
    let ends = (sales.first().map(|sale| sale.price), sales.last().map(|sale| sale.price));
    if sales.len() == 2 && (terms.low, terms.high) == ends {
        (terms.low, terms.high) = (input.price_min, input.price_max);
    }
    if terms.low.zip(terms.high).is_some_and(|(low, high)| low > high) {
        return Err(Error::invalid("/price_min", "the least price is above the highest; give bounds that leave room"));
    }
    if odd && sales.len() < BRIDGE_FEWEST {
        let text = "a price or a number of units sold stands there without its partner; give both for each, one `price: quantity` a line";
        return Err(Error::invalid("/history", text));
    }
    if sales.len() < 2 {
        let moved = percents::read(text, amounts::style(text));
        if let Some(line) = demand_line::read(text) {
            return demand_line::answer(&line, text, &terms);
        }
        return moved
            .map(|(price, sold)| Ok(given::moved(price, sold, &terms)))
            .or_else(|| given::answer(text, &terms))
            .ok_or_else(|| missing(text))?;
    }
    let prices = sale::prices(&sales);
    if prices.len() < 2 {
        let only = figures::figure(sales.first().map_or(0.0, |sale| sale.price));
        let text = format!("all sales were at the one price of {only}; give sales at one other price at least");
        return Err(Error::invalid("/history", text));
    }
    if !typed && terms.cost.is_none() {
        asked::check_cost(&beside, &sales, &terms)?;
    }
    let positive = sales.iter().all(|sale| sale.quantity > 0.0);
    let one_kind = sales.iter().all(|sale| sale.tried.is_none());
    if sales.len() < BRIDGE_FEWEST || prices.len() < 3 || !positive || !one_kind {
        return Ok(compared::answer(&sales, &terms));
    }
    estimated::answer(text, &sales, &terms, input, typed)
}

/// Today's price: told with its sales, in a word for today, or in a plain statement beside the sales.
fn current(told_now: Option<f64>, terms: &terms::Terms, beside: &str, sales: &[Sale]) -> Option<f64> {
    let plausible = |price: &f64| asked::is_price(*price, sales);
    told_now
        .or_else(|| terms.current.filter(plausible))
        .or_else(|| told::current(beside).filter(plausible))
        .or_else(|| told::named_again(beside, sales).filter(|_| sales.len() < BRIDGE_FEWEST))
}

/// Lines of numbers alone are data; what is said stands in the others.
fn without_rows(text: &str) -> String {
    let is_row = |line: &&str| {
        let letters = line.chars().filter(|c| c.is_alphabetic()).count();
        let numbers = agent_common::quantity::scan(line).len();
        (numbers > 1 && letters < 12 && !line.contains('?')) || line.trim_start().starts_with(['|', '{'])
    };
    text.lines()
        .filter(|line| !is_row(line))
        .map(|line| line.trim_start_matches(['>', ' ']))
        .collect::<Vec<_>>()
        .join("\n")
}

fn missing(text: &str) -> Error {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let message = if has(&["attach", "enclosed", "spreadsheet", "in the file"]) {
        "no file came with the task; paste the sales history with price and units sold"
    } else if has(&["competitor", "rival"]) {
        "what others will charge cannot be known from your data; give your own prices and units sold"
    } else {
        "the price and the units sold belong together: give units sold at two prices at least, one `price: quantity` a line"
    };
    Error::invalid("/history", message)
}

agent! { run: run, examples: ["../cases/known.json"] }
tollbridge_sdk::test_cases!(agent run);
