//! The structures of countries: what `data/make.py` wrote, read line by line.
//!
//! Invariant: what is returned borrows from the committed file; a line that does not read is left out, and a test
//! reads them all.

use std::ops::Range;

use bridge_common::{Source, source};
use tollbridge_sdk::Error;

/// The committed table.
const STRUCTURES: &str = include_str!("../data/structures.txt");
/// Where it comes from.
const SOURCES: &str = include_str!("../data/sources.json");

/// The IBAN of one country.
#[derive(Debug)]
pub struct Country {
    pub code: &'static str,
    /// Structure of the BBAN, for example `4!a14!n`.
    pub structure: &'static str,
    /// In the SWIFT IBAN registry.
    pub registered: bool,
    /// In the SEPA schemes, where the source says so.
    pub sepa: Option<bool>,
    pub parts: Vec<Part>,
}

/// A field of the BBAN.
#[derive(Debug)]
pub struct Part {
    pub name: &'static str,
    /// Characters of the BBAN, from 0.
    pub range: Range<usize>,
    /// The field is the registry's own.
    pub registry: bool,
}

impl Country {
    /// The country with this code, in capitals.
    pub fn find(code: &str) -> Option<Self> {
        STRUCTURES.lines().filter(|line| line.starts_with(code)).find_map(Self::read).filter(|found| found.code == code)
    }

    fn read(line: &'static str) -> Option<Self> {
        let mut cells = line.split('\t');
        let (code, structure) = (cells.next()?, cells.next()?);
        let registered = cells.next()? == "registered";
        let sepa = match cells.next()? {
            "sepa" => Some(true),
            "-" => Some(false),
            _ => None,
        };
        let parts = cells.next()?.split(' ').filter(|text| !text.is_empty()).map(part).collect::<Option<_>>()?;
        Some(Self { code, structure, registered, sepa, parts })
    }

    /// Length of the BBAN.
    pub fn length(&self) -> usize {
        runs(self.structure).map(|(count, _)| count).sum()
    }

    /// What stands at a place of the BBAN: `n` digits, `a` letters, `c` both.
    pub fn kind_at(&self, place: usize) -> Option<char> {
        let mut end = 0usize;
        runs(self.structure).find_map(|(count, kind)| {
            end = end.saturating_add(count);
            (place < end).then_some(kind)
        })
    }
}

/// `4!a14!n` as (4, a), (14, n).
fn runs(structure: &'static str) -> impl Iterator<Item = (usize, char)> {
    let mut rest = structure;
    std::iter::from_fn(move || {
        let (count, after) = rest.split_once('!')?;
        let kind = after.chars().next()?;
        rest = after.get(1..)?;
        Some((count.parse().ok()?, kind))
    })
}

/// `bank_code=0-4`, with a star where the field is not the registry's.
fn part(text: &'static str) -> Option<Part> {
    let (text, registry) = text.strip_suffix('*').map_or((text, true), |text| (text, false));
    let (name, range) = text.split_once('=')?;
    let (start, end) = range.split_once('-')?;
    Some(Part { name, range: start.parse().ok()?..end.parse().ok()?, registry })
}

/// The sources of the table.
pub fn sources() -> Result<Vec<Source>, Error> {
    source::listed(SOURCES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_reads() {
        let mut registered = 0;
        for line in STRUCTURES.lines() {
            let code = &line[..2];
            let country = Country::find(code).unwrap();
            assert!((11..=30).contains(&country.length()), "{line}");
            assert_eq!(runs(country.structure).map(|(n, k)| format!("{n}!{k}")).collect::<String>(), country.structure);
            assert!(
                country
                    .parts
                    .iter()
                    .all(|part| part.range.start < part.range.end && part.range.end <= country.length())
            );
            registered += usize::from(country.registered);
        }
        assert_eq!(registered, 104);
        assert_eq!(sources().unwrap().len(), 2);
        assert!(Country::find("XX").is_none() && Country::find("G").is_none() && Country::find("").is_none());
    }
}
