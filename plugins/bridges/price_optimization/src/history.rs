//! The history: from the call or from a stored CSV or JSON file, and checked.

use tollbridge_sdk::{Call, Error, serde_json};

use crate::input::{FEWEST_POINTS, Input, MOST_POINTS, Period};

/// Prices whose highest is not this many times the least do not vary enough.
const LEAST_RATIO: f64 = 1.005;
/// Prices and quantities lie between these.
const RANGE: std::ops::RangeInclusive<f64> = 1e-9..=1e12;

/// Reads and checks the history that the input names.
pub fn read(call: &Call, input: &Input) -> Result<Vec<Period>, Error> {
    let (history, field) = match (&input.history, &input.resource_id) {
        (Some(_), Some(_)) => return Err(Error::invalid("/history", "give `history` or `resource_id`, not both")),
        (Some(history), None) => (history.clone(), "/history"),
        (None, Some(_)) => (stored(call.stored()?.text()?)?, "/resource_id"),
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

fn stored(text: &str) -> Result<Vec<Period>, Error> {
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
    let mut history = Vec::new();
    for (number, line) in lines.take(MOST_POINTS + 1) {
        let value = |place: usize, name: &str| {
            let cell = line.split(separator).nth(place).map(clean).unwrap_or_default();
            cell.parse::<f64>().map_err(|_| wrong(format!("line {}: {name} is not a number", number + 1)))
        };
        history.push(Period { price: value(price, "price")?, quantity: value(quantity, "quantity")? });
    }
    Ok(history)
}
