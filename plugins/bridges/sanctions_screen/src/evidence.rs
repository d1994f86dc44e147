//! Dates of birth and countries as evidence for or against a match of names.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{fold, score};

/// What another fact says about a match of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// Both have it, and it agrees.
    Agrees,
    /// Both have it, and it is near: the same year, or one year apart.
    Near,
    /// Both have it, and it differs.
    Differs,
    /// One of them does not have it.
    Unknown,
}

/// A day as year, month and day, 0 where not known.
type Day = (u32, u32, u32);

/// Reads a day or year as lists write them.
pub fn day(text: &str) -> Option<Day> {
    let parts: Vec<&str> = text.split(['-', '/', ' ', '.']).filter(|part| !part.is_empty()).collect();
    let number = |part: &str| part.parse::<u32>().ok();
    let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let month = |part: &str| {
        let short = part.to_lowercase();
        let named = months.iter().zip(1u32..).find(|(name, _)| short.starts_with(**name)).map(|(_, number)| number);
        named.or_else(|| number(part).filter(|month| *month <= 12))
    };
    let fits = |year: &u32| (1850..=2100).contains(year);
    match parts.as_slice() {
        [year] => number(year).filter(fits).map(|year| (year, 0, 0)),
        [m, year] => number(year).filter(fits).map(|year| (year, month(m).unwrap_or(0), 0)),
        [first, m, last] => {
            let (year, day) = if first.len() == 4 { (first, last) } else { (last, first) };
            let year = number(year).filter(fits)?;
            Some((year, month(m).unwrap_or(0), number(day).filter(|day| *day <= 31).unwrap_or(0)))
        }
        _ => None,
    }
}

/// A day asked about against those of an entry.
pub fn births(asked: Option<Day>, listed: &[String]) -> Evidence {
    let Some((year, month, date)) = asked else { return Evidence::Unknown };
    let known: Vec<Day> = listed.iter().filter_map(|text| day(text)).collect();
    let part = |a: u32, b: u32| a == 0 || b == 0 || a == b;
    if known.is_empty() {
        Evidence::Unknown
    } else if known.iter().any(|(y, m, d)| *y == year && part(*m, month) && part(*d, date)) {
        Evidence::Agrees
    } else if known.iter().any(|(y, _, _)| y.abs_diff(year) <= 1) {
        Evidence::Near
    } else {
        Evidence::Differs
    }
}

/// Countries asked about against those of an entry, as written without accents.
pub fn countries(asked: &[String], listed: &[String]) -> Evidence {
    if asked.is_empty() || listed.is_empty() {
        return Evidence::Unknown;
    }
    let plain = |text: &String| score::joined(&fold::words(text));
    let listed: Vec<String> = listed.iter().map(plain).collect();
    if asked.iter().map(plain).any(|country| listed.contains(&country)) { Evidence::Agrees } else { Evidence::Differs }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days() {
        for (text, expect) in [
            ("28/04/1937", Some((1937, 4, 28))),
            ("28 Apr 1937", Some((1937, 4, 28))),
            ("1937-04-28", Some((1937, 4, 28))),
            ("dd/mm/1954", Some((1954, 0, 0))),
            ("1937", Some((1937, 0, 0))),
            ("unknown", None),
        ] {
            assert_eq!(day(text), expect, "{text}");
        }
        let list = ["28 Apr 1937".to_owned()];
        assert_eq!(births(Some((1937, 0, 0)), &list), Evidence::Agrees);
        assert_eq!(births(Some((1938, 1, 1)), &list), Evidence::Near);
        assert_eq!(births(Some((1960, 1, 1)), &list), Evidence::Differs);
        assert_eq!(births(None, &list), Evidence::Unknown);
    }
}
