//! The answer in words.

use agent_common::figures::{count, figure};

use crate::output::{ForecastPoint, Outlook};

/// Steps that are named one by one.
const NAMED: usize = 12;

/// Returns the answer for all series.
pub fn text(all: &[Outlook]) -> String {
    let named = |one: &Outlook| match &one.based_on.series {
        Some(name) if all.len() > 1 => format!("{name}: {}", of(one)),
        _ => of(one),
    };
    all.iter().map(named).collect::<Vec<_>>().join(" ")
}

fn of(one: &Outlook) -> String {
    let mut sentences = Vec::new();
    if let Some(reached) = &one.reached {
        let place = reached.label.clone().unwrap_or_else(|| format!("step {}", reached.step));
        let (target, value) = (figure(reached.target), figure(reached.value));
        sentences.push(format!("{target} is reached at {place}, where {value} is expected"));
    }
    for total in &one.totals {
        let past = format!(", of which {} is past", figure(total.actual));
        let past = Some(past).filter(|_| total.actual != 0.0).unwrap_or_default();
        let label = if total.label.eq_ignore_ascii_case("all") { "all steps" } else { &total.label };
        sentences.push(format!("The total of {label} is expected at {}{past}", figure(total.value)));
    }
    sentences.push(steps(one));
    sentences.extend(one.based_on.changed.iter().cloned());
    sentences.push(trust(one));
    if !one.unusual.is_empty() {
        sentences.push(format!("The past has {} out of the ordinary", count(one.unusual.len(), "point", "points")));
    }
    format!("{}.", sentences.join(". "))
}

fn steps(one: &Outlook) -> String {
    let name = |point: &ForecastPoint| match (&point.label, point.step) {
        (Some(label), _) => label.clone(),
        (None, 1) => "The next value".to_owned(),
        (None, step) => format!("step {step}"),
    };
    let step = |(at, point): (usize, &ForecastPoint)| {
        let verb = if at == 0 { " is expected" } else { "" };
        let (value, low, high) = (figure(point.value), figure(point.low), figure(point.high));
        format!("{}{verb} at {value} ({low} to {high})", name(point))
    };
    let mut parts: Vec<String> = one.forecast.iter().take(NAMED).enumerate().map(step).collect();
    if let Some(last) = one.forecast.last().filter(|_| one.forecast.len() > NAMED) {
        parts.push(format!("and so on to {} at {}", name(last), figure(last.value)));
    }
    let way = match one.direction.as_str() {
        "up" => "goes up",
        "down" => "goes down",
        _ => "stays about level",
    };
    let from = one.based_on.labels.last().map_or_else(|| "the last value".to_owned(), |label| format!("{label},"));
    format!("{}; it {way} from {from} {}", parts.join(", "), figure(one.last_value))
}

fn trust(one: &Outlook) -> String {
    let values = count(one.based_on.values.len(), "value", "values");
    let of = one.based_on.series.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
    let season = Some(format!(" with a cycle of {} points", one.period)).filter(|_| one.period > 1).unwrap_or_default();
    let test = one.backtest_mase.map_or("could not be tested on the past".to_owned(), |mase| {
        let care = if mase < 1.0 { "" } else { ": treat it with care" };
        format!("erred {} times as much as the simplest forecast on the past{care}", figure(mase))
    });
    format!(
        "It rests on {values}{of} and the method {}{season}, which {test}; the ranges should hold the true value 19 \
         times in 20",
        one.method
    )
}
