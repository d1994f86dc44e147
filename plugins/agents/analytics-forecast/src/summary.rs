//! The answer in words.

use agent_common::figures::{count, figure};

use crate::output::{ForecastPoint, Outlook};

/// Steps that are named one by one.
const NAMED: usize = 12;

fn name(point: &ForecastPoint) -> String {
    match (&point.label, point.step) {
        (Some(label), _) => label.clone(),
        (None, 1) => "The next value".to_owned(),
        (None, step) => format!("step {step}"),
    }
}

/// Returns the answer for all series.
pub fn text(all: &[Outlook]) -> String {
    let prefix = |one: &Outlook| match &one.based_on.series {
        Some(name) if all.len() > 1 => format!("{name}: "),
        _ => String::new(),
    };
    all.iter().map(|one| format!("{}{}", prefix(one), of(one))).collect::<Vec<_>>().join(" ")
}

fn of(one: &Outlook) -> String {
    let mut sentences = Vec::new();
    if let Some(reached) = &one.reached {
        let place = reached.label.clone().unwrap_or_else(|| format!("step {}", reached.step));
        let value = figure(reached.value);
        sentences.push(format!("{} is reached at {place}, where {value} is expected", figure(reached.target)));
    }
    for total in &one.totals {
        let past =
            if total.actual == 0.0 { String::new() } else { format!(", of which {} is past", figure(total.actual)) };
        let label = if total.label.eq_ignore_ascii_case("all") { "all steps" } else { total.label.as_str() };
        sentences.push(format!("The total of {label} is expected at {}{past}", figure(total.value)));
    }
    sentences.push(direct(one));
    sentences.extend(one.based_on.changed.iter().cloned());
    sentences.push(trust(one));
    if !one.unusual.is_empty() {
        sentences.push(format!("The past has {} out of the ordinary", count(one.unusual.len(), "point", "points")));
    }
    format!("{}.", sentences.join(". "))
}

fn direct(one: &Outlook) -> String {
    let mut parts: Vec<String> = Vec::new();
    for point in one.forecast.iter().take(NAMED) {
        let range = format!("{} ({} to {})", figure(point.value), figure(point.low), figure(point.high));
        let verb = if parts.is_empty() { " is expected" } else { "" };
        parts.push(format!("{}{verb} at {range}", name(point)));
    }
    if let Some(last) = one.forecast.last().filter(|_| one.forecast.len() > NAMED) {
        parts.push(format!("and so on to {} at {}", name(last), figure(last.value)));
    }
    let way = match one.direction.as_str() {
        "up" => "it goes up",
        "down" => "it goes down",
        _ => "it stays about level",
    };
    let from = one.based_on.labels.last().map_or_else(|| "the last value".to_owned(), |label| format!("{label},"));
    format!("{}; {way} from {from} {}", parts.join(", "), figure(one.last_value))
}

fn trust(one: &Outlook) -> String {
    let season = match one.period {
        1 => String::new(),
        period => format!(" with a cycle of {period} points"),
    };
    let of = one.based_on.series.as_ref().map_or_else(String::new, |name| format!(" of {name}"));
    let test = match one.backtest_mase {
        Some(mase) => {
            let care = if mase < 1.0 { "" } else { ": treat it with care" };
            format!(", which erred {} times as much as the simplest forecast on the past{care}", figure(mase))
        }
        None => ", which could not be tested on the past".to_owned(),
    };
    let values = count(one.based_on.values.len(), "value", "values");
    format!(
        "It rests on {values}{of} and the method {}{season}{test}; the ranges should hold the true value 19 times in 20",
        one.method
    )
}
