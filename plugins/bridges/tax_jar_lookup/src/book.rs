//! The table of rates: what `data/make.py` wrote, as typed values.
//!
//! Invariant: what is returned borrows from the committed file; nothing is
//! added to it here.

use std::collections::BTreeMap;

use serde::Deserialize;
use tollbridge_sdk::{Error, Ready};

use crate::row::{Agreement, Basis};

/// The committed table.
const RATES: &str = include_str!("../data/rates.json");

/// The table, read.
pub static BOOK: Ready<Result<Book, Error>> =
    Ready::new(|| serde_json::from_str(RATES).map_err(|error| Error::internal(format!("data/rates.json: {error}"))));

/// All that is known.
#[derive(Debug, Deserialize)]
pub struct Book {
    /// The day the table was made.
    pub made: &'static str,
    /// The packages, repositories and pages it was made from.
    pub packages: Vec<Package>,
    /// Countries with rates, by ISO 3166-1 alpha-2 code, and XI and XK.
    pub countries: BTreeMap<&'static str, Country>,
    /// Decimals of each currency.
    pub currencies: BTreeMap<&'static str, usize>,
    /// Countries without rates: alpha-3 code and name.
    pub others: BTreeMap<&'static str, (&'static str, &'static str)>,
}

/// Where facts come from: a package, a public repository or a page.
#[derive(Debug, Deserialize)]
pub struct Package {
    pub name: &'static str,
    pub version: &'static str,
    pub licence: &'static str,
    pub source: &'static str,
    /// The day its rates are of; none for packages without rates.
    pub as_of: Option<&'static str>,
}

/// One country.
#[derive(Debug, Deserialize)]
pub struct Country {
    pub name: &'static str,
    /// Other names.
    pub names: Vec<&'static str>,
    /// ISO 3166-1 alpha-3 code.
    pub a3: Option<&'static str>,
    pub currency: &'static str,
    /// Kind of tax in English.
    pub tax: &'static str,
    /// Its name in the country.
    pub local_tax: Option<&'static str>,
    /// Member of the European Union, where the source says so.
    pub eu: Option<bool>,
    pub rates: Vec<Rate>,
    /// Levies with the standard rate's base that always come with it: name, percent.
    #[serde(default)]
    pub levies: Vec<(&'static str, &'static str)>,
    /// What is to be known of the standard rate.
    pub note: Option<&'static str>,
    /// The first day for which the standard rate is known.
    pub since: &'static str,
    /// Changes of the standard rate, oldest first: first day, rate in percent.
    pub history: Vec<(&'static str, &'static str)>,
    #[serde(default)]
    pub regions: BTreeMap<&'static str, Region>,
}

/// What another source says: its name, the day of its rate, the rate in percent.
pub type Said = (&'static str, Option<&'static str>, &'static str);

/// A rate that comes into question: percent, source, day, for what.
pub type Possible = (&'static str, &'static str, Option<&'static str>, &'static str);

/// One national rate.
#[derive(Debug, Deserialize)]
pub struct Rate {
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub percent: &'static str,
    /// The source that it comes from.
    pub from: &'static str,
    /// What other sources say.
    pub others: Vec<Said>,
    /// What `data/make.py` made of them.
    pub agreement: Agreement,
    /// Rates that come into question, where there is no one rate.
    #[serde(default)]
    pub candidates: Vec<Possible>,
    /// The last day for which the rate is fixed.
    pub until: Option<&'static str>,
    /// The rate after that, in percent.
    pub then: Option<&'static str>,
}

/// A region with a tax of its own.
#[derive(Debug, Deserialize)]
pub struct Region {
    pub name: &'static str,
    /// Its kind; none where the region has no tax of its own.
    pub tax: Option<&'static str>,
    /// What comes on top of the national standard rate; negative where the
    /// region is exempt from it wholly or in part.
    pub percent: &'static str,
    /// What the rate includes.
    pub basis: Basis,
    /// The taxes in a combined rate: name, percent.
    #[serde(default)]
    pub made_of: Vec<(&'static str, &'static str)>,
    /// Local taxes come on top, and differ from place to place.
    pub local: bool,
    /// The source that it comes from.
    pub from: &'static str,
    /// What other sources say.
    pub others: Vec<Said>,
    /// What `data/make.py` made of them.
    pub agreement: Agreement,
    /// Rates that come into question, where there is no one rate.
    #[serde(default)]
    pub candidates: Vec<Possible>,
    /// The last day for which the rate is fixed.
    pub until: Option<&'static str>,
    /// The rate after that, in percent.
    pub then: Option<&'static str>,
    /// What is to be known of it.
    pub note: Option<&'static str>,
    /// The first day for which it is known.
    pub since: &'static str,
}

impl Book {
    /// The table.
    pub fn open() -> Result<&'static Self, Error> {
        BOOK.as_ref().map_err(Clone::clone)
    }

    /// The newest package of this name, which is the one that rates come from.
    pub fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().filter(|package| package.name == name).max_by_key(|package| package.as_of)
    }

    /// The day that a package's rates are of.
    pub fn as_of(&self, name: &str) -> &'static str {
        self.package(name).and_then(|package| package.as_of).unwrap_or(self.made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{day, percent::Percent};

    #[test]
    fn every_entry_is_sound() {
        let book = Book::open().unwrap();
        assert!(book.countries.len() >= 120 && book.others.len() >= 100);
        for (code, country) in &book.countries {
            assert!(book.currencies.contains_key(country.currency), "{code} {}", country.currency);
            assert!(!country.name.is_empty() && day::checked(country.since).is_some(), "{code}");
            assert!(country.history.is_sorted(), "{code}");
            for (first, rate) in &country.history {
                assert!(day::checked(first).is_some() && Percent::parse(rate).is_some(), "{code} {first} {rate}");
            }
            for rate in &country.rates {
                assert!(Percent::parse(rate.percent).is_some_and(|rate| !rate.is_negative()), "{code}");
                assert!(book.package(rate.from).is_some_and(|package| package.as_of.is_some()), "{code}");
                let sources = rate.others.iter().map(|(source, ..)| *source);
                for source in sources.chain(rate.candidates.iter().map(|(_, source, ..)| *source)) {
                    assert!(book.package(source).is_some(), "{code} {source}");
                }
                let same = rate.others.iter().filter(|(_, _, percent)| *percent == rate.percent).count();
                assert_eq!(rate.agreement == Agreement::Confirmed, same > 0 && rate.candidates.is_empty(), "{code}");
            }
            for (part, region) in &country.regions {
                let national =
                    country.rates.first().map_or(Percent::ZERO, |rate| Percent::parse(rate.percent).unwrap());
                let whole = national.plus(Percent::parse(region.percent).unwrap());
                assert!(whole.is_some_and(|rate| !rate.is_negative()), "{code}-{part}");
                let made_of = region.made_of.iter().map(|(_, rate)| Percent::parse(rate).unwrap());
                let sum = made_of.fold(Percent::ZERO, |sum, rate| sum.plus(rate).unwrap());
                let is_combined = region.basis == Basis::Combined;
                assert_eq!(sum.to_string(), if is_combined { region.percent } else { "0" }, "{code}-{part}");
            }
        }
    }

    #[test]
    fn newest_package_is_the_source() {
        let book = Book::open().unwrap();
        let versions = book.packages.iter().filter(|package| package.name == "sales-tax").count();
        assert!(versions > 1);
        assert!(
            book.packages
                .iter()
                .all(|package| package.name != "sales-tax" || package.as_of <= Some(book.as_of("sales-tax")))
        );
    }
}
