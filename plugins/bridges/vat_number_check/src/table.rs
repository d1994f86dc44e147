//! The formats of countries: what `data/make.py` wrote, read line by line.

use bridge_common::{Source, source};
use regex_lite::Regex;
use tollbridge_sdk::Error;

const FORMATS: &str = include_str!("../data/formats.txt");
const SOURCES: &str = include_str!("../data/sources.json");

/// The VAT number of one country.
#[derive(Debug, Clone, Copy)]
pub struct Country {
    /// ISO 3166-1 alpha-2 code; XI for Northern Ireland, XK for Kosovo.
    pub code: &'static str,
    pub name: &'static str,
    pub eu: bool,
    /// In words.
    pub format: &'static str,
    /// As a regular expression.
    pub pattern: &'static str,
}

/// The sources of the table.
pub fn sources() -> Result<Vec<Source>, Error> {
    source::listed(SOURCES)
}

impl Country {
    /// All countries.
    pub fn all() -> impl Iterator<Item = Self> {
        FORMATS.lines().filter_map(|line| {
            let mut cells = line.split('\t');
            let mut cell = || cells.next();
            Some(Self { code: cell()?, name: cell()?, eu: cell()? == "eu", format: cell()?, pattern: cell()? })
        })
    }

    /// The country with this code: ISO 3166-1 alpha-2, or EL and UK.
    pub fn find(code: &str) -> Option<Self> {
        let code = match code {
            "EL" => "GR",
            "UK" => "GB",
            other => other,
        };
        Self::all().find(|country| country.code == code)
    }

    /// The letters that a written number begins with.
    pub fn prefix(self) -> &'static str {
        match self.code {
            "GR" => "EL",
            "MC" => "FR",
            "CH" => "CHE",
            other => other,
        }
    }

    /// Does the source's pattern include the prefix?
    pub fn prefix_in_pattern(self) -> bool {
        self.pattern.strip_prefix('^').is_some_and(|rest| rest.starts_with(self.prefix()))
    }

    /// Does a number, without white space and in capitals, have the format?
    pub fn fits(self, number: &str) -> Result<bool, Error> {
        let pattern = Regex::new(self.pattern).map_err(|error| Error::internal(format!("{}: {error}", self.code)))?;
        Ok(pattern.is_match(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_reads() {
        assert_eq!(Country::all().count(), FORMATS.lines().count());
        assert_eq!(Country::all().filter(|country| country.eu).count(), 27);
        for country in Country::all() {
            assert!(!country.fits("?").unwrap(), "{}", country.code);
            assert!(country.code.len() == 2 && !country.name.is_empty() && !country.format.is_empty());
        }
        assert_eq!(sources().unwrap().len(), 1);
    }
}
