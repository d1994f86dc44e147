//! The history: from the call or from a stored CSV or JSON file, and checked.
//!
//! Invariant: every period has the same controls, as many as are allowed.

use tollbridge_sdk::{Call, Error, serde_json};

use crate::input::{FEWEST_POINTS, Input, MOST_CONTROLS, MOST_POINTS, Period};

/// Prices whose highest is not this many times the least do not vary enough.
const LEAST_RATIO: f64 = 1.005;
/// Prices and quantities lie between these.
const RANGE: std::ops::RangeInclusive<f64> = 1e-9..=1e12;
/// Largest value of a control, and longest name in bytes.
const LARGEST_CONTROL: f64 = 1e9;
const LONGEST_NAME: usize = 100;

/// Reads and checks the history that the input names.
pub fn read(call: &Call, input: &Input) -> Result<Vec<Period>, Error> {
    let (history, field) = match (&input.history, &input.resource_id) {
        (Some(_), Some(_)) => return Err(Error::invalid("/history", "give `history` or `resource_id`, not both")),
        (Some(history), None) => (history.clone(), "/history"),
        (None, Some(_)) => {
            (stored(call.stored()?.text()?, input.controls.as_deref().unwrap_or_default())?, "/resource_id")
        }
        (None, None) => {
            return Err(Error::invalid("/history", "give `history`, or `resource_id` of a stored CSV or JSON file"));
        }
    };
    if !(FEWEST_POINTS..=MOST_POINTS).contains(&history.len()) {
        let text = format!("{} points; an elasticity needs {FEWEST_POINTS} to {MOST_POINTS}", history.len());
        return Err(Error::invalid(field, text));
    }
    for (place, period) in history.iter().enumerate() {
        for (member, value) in [("price", period.price), ("quantity", period.quantity)] {
            if !RANGE.contains(&value) {
                let text = format!("{member} {value} of point {place}: must be above 0 (at least 1e-9, at most 1e12)");
                let at = if field == "/history" { format!("/history/{place}/{member}") } else { field.to_owned() };
                return Err(Error::invalid(at, text));
            }
        }
    }
    let history = with_controls(history, input.controls.as_deref(), field)?;
    let (low, high) = bounds(&history);
    if high < low * LEAST_RATIO {
        let text =
            format!("prices lie between {low} and {high}: without other prices nothing can be said of their effect");
        return Err(Error::invalid(field, text));
    }
    Ok(history)
}

/// The least and the highest price.
#[must_use]
pub fn bounds(history: &[Period]) -> (f64, f64) {
    history.iter().fold((f64::MAX, 0.0), |(low, high), period| (period.price.min(low), period.price.max(high)))
}

/// The periods with the controls that are wanted, or with all that they have.
fn with_controls(mut history: Vec<Period>, wanted: Option<&[String]>, field: &str) -> Result<Vec<Period>, Error> {
    let names: Vec<String> = history.first().into_iter().flat_map(|period| period.controls.keys().cloned()).collect();
    let at = if wanted.is_some() { "/controls" } else { field };
    let names = wanted.map_or(names, <[String]>::to_vec);
    if names.len() > MOST_CONTROLS || names.iter().any(|name| name.is_empty() || name.len() > LONGEST_NAME) {
        let text = format!("at most {MOST_CONTROLS} controls, with names of 1 to {LONGEST_NAME} bytes");
        return Err(Error::invalid(at, text));
    }
    if names.iter().enumerate().any(|(place, name)| names.iter().take(place).any(|other| other == name)) {
        return Err(Error::invalid(at, "a control is named twice"));
    }
    for (place, period) in history.iter_mut().enumerate() {
        let wrong = |text: String| {
            let pointer = if field == "/history" { format!("/history/{place}/controls") } else { field.to_owned() };
            Error::invalid(pointer, format!("point {place}: {text}"))
        };
        if let Some(name) = names.iter().find(|name| !period.controls.contains_key(*name)) {
            return Err(wrong(format!("has no control `{name}`; give the same in every period")));
        }
        if wanted.is_none() && period.controls.len() > names.len() {
            return Err(wrong("has a control that the first period has not; give the same in every period".into()));
        }
        period.controls.retain(|name, _| names.contains(name));
        if let Some((name, value)) = period.controls.iter().find(|(_, value)| value.abs() > LARGEST_CONTROL) {
            return Err(wrong(format!("control `{name}` is {value}: at most {LARGEST_CONTROL} either side of 0")));
        }
    }
    Ok(history)
}

fn stored(text: &str, controls: &[String]) -> Result<Vec<Period>, Error> {
    let wrong = |text: String| Error::invalid("/resource_id", text);
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.starts_with('[') {
        return serde_json::from_str(text)
            .map_err(|error| wrong(format!("the stored JSON is not an array of {{price, quantity}}: {error}")));
    }
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let header = lines.next().map_or("", |(_, line)| line);
    let separator = if header.contains(';') {
        ';'
    } else if header.contains('\t') {
        '\t'
    } else {
        ','
    };
    let clean = |cell: &str| cell.trim().trim_matches('"').to_lowercase();
    let place = |name: &str| header.split(separator).position(|cell| clean(cell) == name);
    let (Some(price), Some(quantity)) = (place("price"), place("quantity")) else {
        return Err(wrong("the stored CSV needs a header with the columns `price` and `quantity`".into()));
    };
    let mut columns = Vec::new();
    for name in controls.iter().take(MOST_CONTROLS + 1) {
        let missing = || Error::invalid("/controls", format!("the stored CSV has no column `{name}`"));
        columns.push((name, place(&name.to_lowercase()).ok_or_else(missing)?));
    }
    let mut history = Vec::new();
    for (number, line) in lines.take(MOST_POINTS + 1) {
        let value = |place: usize, name: &str| {
            let cell = line.split(separator).nth(place).map(clean).unwrap_or_default();
            cell.parse::<f64>().map_err(|_| wrong(format!("line {}: {name} is not a number", number + 1)))
        };
        let controls = columns.iter().map(|(name, place)| Ok(((*name).clone(), value(*place, name)?)));
        let controls = controls.collect::<Result<_, Error>>()?;
        history.push(Period { price: value(price, "price")?, quantity: value(quantity, "quantity")?, controls });
    }
    Ok(history)
}
