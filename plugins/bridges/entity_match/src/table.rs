//! Records from the call or from a stored file: CSV with a header, a JSON array of objects, or JSON lines.
//!
//! Errors in a stored file point at `/resource_id` and name the line or record.

use bridge_common::csv;
use tollbridge_sdk::{Call, Error, serde_json};

use crate::input::{Input, MOST_RECORDS, Record, Scalar};

/// Longest name of a member, and most members, of a record.
const MOST_MEMBERS: usize = 200;

/// The first list and, when there is one, the second.
pub struct Lists {
    pub records: Vec<Record>,
    pub against: Option<Vec<Record>>,
}

impl Lists {
    /// Reads what the input names.
    pub fn read(call: &Call, input: &Input) -> Result<Self, Error> {
        let (records, field) = match (&input.records, &input.resource_id) {
            (Some(_), Some(_)) => {
                return Err(Error::invalid("/records", "give `records` or `resource_id`, not both"));
            }
            (Some(records), None) => (records.clone(), "/records"),
            (None, Some(_)) => (stored(call.stored()?.text()?)?, "/resource_id"),
            (None, None) => {
                let text = "give `records`, or `resource_id` of a stored CSV or JSON file";
                return Err(Error::invalid("/records", text));
            }
        };
        let against = input.against.clone();
        let second = against.as_ref().map_or(0, Vec::len);
        if records.is_empty() || against.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::invalid(
                if records.is_empty() { field } else { "/against" },
                "give at least one record",
            ));
        }
        if records.len() + second > MOST_RECORDS {
            let text = format!("{} records in all are more than {MOST_RECORDS}; send parts", records.len() + second);
            return Err(Error::invalid(field, text));
        }
        for (list, field) in [(Some(&records), field), (against.as_ref(), "/against")] {
            let wide = list.and_then(|list| list.iter().position(|record| record.len() > MOST_MEMBERS));
            if let Some(place) = wide {
                return Err(Error::invalid(field, format!("record {place} has more than {MOST_MEMBERS} members")));
            }
        }
        Ok(Self { records, against })
    }

    /// All records, those of the second list last.
    pub fn all(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().chain(self.against.iter().flatten())
    }
}

fn stored(text: &str) -> Result<Vec<Record>, Error> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let wrong = |text: String| Error::invalid("/resource_id", text);
    if text.starts_with('[') {
        return serde_json::from_str(text)
            .map_err(|error| wrong(format!("the stored JSON is not an array of objects of plain values: {error}")));
    }
    if text.starts_with('{') {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let read = |(place, line): (usize, &str)| {
            serde_json::from_str(line).map_err(|error| wrong(format!("line {}: {error}", place + 1)))
        };
        return lines.take(MOST_RECORDS + 1).map(read).collect();
    }
    from_csv(text)
}

/// Records of CSV text with a header. A quoted cell may hold separators and line ends.
fn from_csv(text: &str) -> Result<Vec<Record>, Error> {
    let rows = csv::rows(text, csv::separator(text), MOST_RECORDS + 1);
    let mut rows = rows.into_iter().filter(|row| row.iter().any(|cell| !cell.trim().is_empty()));
    let header = rows.next().unwrap_or_default();
    if header.len() > MOST_MEMBERS || header.iter().all(|name| name.trim().is_empty()) {
        let text = format!("the stored CSV needs a header with 1 to {MOST_MEMBERS} names");
        return Err(Error::invalid("/resource_id", text));
    }
    let mut records = Vec::new();
    for (place, row) in rows.enumerate() {
        if row.len() > header.len() {
            let text = format!("record {place} of the stored CSV has more cells than the header has names");
            return Err(Error::invalid("/resource_id", text));
        }
        let cells = header.iter().map(|name| name.trim().to_owned()).zip(row.into_iter().map(Scalar::Text));
        records.push(cells.collect());
    }
    Ok(records)
}

/// A value as text; none when it is missing.
#[must_use]
pub fn text_of(record: &Record, name: &str) -> Option<String> {
    let text = match record.get(name)? {
        Scalar::Null => return None,
        Scalar::Bool(value) => value.to_string(),
        Scalar::Number(number) => number.to_string(),
        Scalar::Text(text) => text.trim().to_owned(),
    };
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_each_shape() {
        let csv = "name;city\n\"Bee; Ann\";\"Ab\"\"c\"\n\nDee;\n";
        let records = stored(csv).expect("records");
        assert_eq!(text_of(&records[0], "name").as_deref(), Some("Bee; Ann"));
        assert_eq!(text_of(&records[0], "city").as_deref(), Some("Ab\"c"));
        assert_eq!((records.len(), text_of(&records[1], "city")), (2, None));
        for text in ["[{\"a\": 1}, {\"a\": null}]", "{\"a\": 1}\n{\"a\": null}\n", "a\n1\n", "a,b\n1,\n2,"] {
            assert_eq!(text_of(&stored(text).expect(text)[0], "a").as_deref(), Some("1"), "{text}");
        }
        assert!(stored("a,b\n1,2,3\n").is_err() && stored("").is_err() && stored("[1]").is_err());
    }
}
