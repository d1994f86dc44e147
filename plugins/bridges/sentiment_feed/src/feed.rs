//! The items of a call, checked: from the input, or from a stored file.

use serde::Deserialize;
use tollbridge_sdk::{Call, Error, Stored};

use crate::input::{Full, Input, Item, LONGEST_ID, LONGEST_TEXT, MOST_BYTES, MOST_ITEMS};
use crate::when;

/// A checked item.
#[derive(Debug, Clone)]
pub struct Entry {
    pub text: String,
    pub id: Option<String>,
    /// Unix seconds.
    pub at: Option<f64>,
    pub weight: f64,
}

/// Items and the time from which their age is counted.
#[derive(Debug)]
pub struct Feed {
    pub entries: Vec<Entry>,
    /// Unix seconds; none when no item has a time and none was given.
    pub as_of: Option<f64>,
}

impl Feed {
    /// Reads and checks the items of a call.
    pub fn read(call: &Call, input: &Input) -> Result<Self, Error> {
        let (items, field) = items(call, input)?;
        if items.is_empty() || items.len() > MOST_ITEMS {
            return Err(Error::invalid(field, format!("give 1 to {MOST_ITEMS} items; these are {}", items.len())));
        }
        let mut entries = Vec::with_capacity(items.len());
        let mut bytes = 0usize;
        for (place, item) in items.into_iter().enumerate() {
            let entry = entry(item, field, place)?;
            bytes = bytes.saturating_add(entry.text.len());
            entries.push(entry);
        }
        if bytes > MOST_BYTES {
            return Err(Error::invalid(field, format!("{bytes} bytes of text are more than {MOST_BYTES}; send parts")));
        }
        let as_of = as_of(input, &entries, field)?;
        Ok(Self { entries, as_of })
    }
}

fn items(call: &Call, input: &Input) -> Result<(Vec<Item>, &'static str), Error> {
    match (&input.items, &input.resource_id) {
        (Some(items), None) => Ok((items.clone(), "/items")),
        (None, Some(_)) => Ok((stored_items(call.stored()?)?, "/resource_id")),
        _ => Err(Error::invalid("/items", "give `items` or `resource_id` (a stored file with items), one of them")),
    }
}

/// The items of a stored file.
fn stored_items(stored: &Stored) -> Result<Vec<Item>, Error> {
    #[derive(Deserialize)]
    struct Wrapped {
        items: Vec<Item>,
    }
    let text = stored.text()?.trim_start_matches('\u{feff}').trim();
    let json = stored.content_type.split(';').next().unwrap_or_default().trim().ends_with("json");
    let wrong = |error: serde_json::Error| {
        let message = format!("the stored JSON is not an array of texts or of objects with `text`: {error}");
        Error::invalid("/resource_id", message)
    };
    if text.starts_with('[') && (json || serde_json::from_str::<serde_json::Value>(text).is_ok()) {
        return serde_json::from_str(text).map_err(wrong);
    }
    if json {
        return serde_json::from_str::<Wrapped>(text).map(|wrapped| wrapped.items).map_err(wrong);
    }
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    Ok(lines.take(MOST_ITEMS + 1).map(|line| Item::Text(line.to_owned())).collect())
}

fn entry(item: Item, field: &str, place: usize) -> Result<Entry, Error> {
    // Of a stored file, the place stands in the message: pointers lead into the input only.
    let wrong = |member: &str, message: String| match field {
        "/items" => Error::invalid(format!("/items/{place}{member}"), message),
        _ => Error::invalid(field, format!("item {} of the file: {message}", place + 1)),
    };
    let (item, text_member) = match item {
        Item::Text(text) => (Full { text, ..Full::default() }, ""),
        Item::Full(full) => (full, "/text"),
    };
    if item.text.trim().is_empty() || item.text.len() > LONGEST_TEXT {
        return Err(wrong(text_member, format!("give a text of 1 to {LONGEST_TEXT} bytes that is not blank")));
    }
    if item.id.as_ref().is_some_and(|id| id.len() > LONGEST_ID) {
        return Err(wrong("/id", format!("at most {LONGEST_ID} bytes")));
    }
    let weight = item.weight.unwrap_or(1.0);
    if !(1e-6..=1e6).contains(&weight) {
        return Err(wrong("/weight", "give a number from 0.000001 to 1000000".into()));
    }
    let at = item.ts.as_ref().map(|stamp| when::seconds(stamp, field)).transpose();
    let at = at.map_err(|error| wrong("/ts", error.message().to_owned()))?;
    Ok(Entry { text: item.text, id: item.id, at, weight })
}

fn as_of(input: &Input, entries: &[Entry], field: &str) -> Result<Option<f64>, Error> {
    if input.half_life_hours.is_some_and(|hours| !(0.01..=100_000.0).contains(&hours)) {
        return Err(Error::invalid("/half_life_hours", "give a number of hours from 0.01 to 100000"));
    }
    if input.half_life_hours.is_some()
        && let Some(place) = entries.iter().position(|entry| entry.at.is_none())
    {
        let message = format!("item {} has no `ts`; with `half_life_hours` every item needs one", place + 1);
        return Err(Error::invalid(field, message));
    }
    let newest = entries.iter().filter_map(|entry| entry.at).reduce(f64::max);
    let Some(stamp) = &input.as_of else { return Ok(newest) };
    let given = when::seconds(stamp, "/as_of")?;
    if newest.is_some_and(|newest| newest > given) {
        return Err(Error::invalid("/as_of", "an item is newer than this; leave such items out or give a later time"));
    }
    Ok(Some(given))
}
