//! The rates of a place on a day, each with its source and what other sources
//! say, and the tax that applies there as parts.
//!
//! Invariant: a rate is `confirmed` only if another package has the same one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::Error;

use crate::{
    book::{Book, Country, Rate},
    percent::Percent,
    place::Place,
};

/// What kind of rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The rate of everything that has no other.
    Standard,
    /// A lower rate for some goods and services.
    Reduced,
    /// A rate below the usual lowest.
    SuperReduced,
    /// A rate kept from before a harmonisation.
    Parking,
}

/// Does anybody else say the same?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// Another source has the same rate.
    Confirmed,
    /// No other source was there to compare.
    SingleSource,
    /// Another source has another rate, and none the same.
    Disputed,
}

/// A rate that another source has.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Other {
    /// The package.
    pub source: &'static str,
    /// Its rate in percent, decimal text.
    pub rate_percent: String,
}

/// One rate.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Row {
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// `national` or `regional`.
    pub level: &'static str,
    /// VAT, GST, HST, sales tax, …
    pub tax_name: &'static str,
    /// The rate in percent, decimal text, exactly as in the source.
    pub rate_percent: String,
    /// The package it comes from; see `data`.
    pub source: &'static str,
    /// The day the source is of.
    pub as_of: &'static str,
    /// The first day for which the data know this rate; none where the data have no history.
    pub known_since: Option<&'static str>,
    /// Do other sources agree?
    pub agreement: Agreement,
    /// What other sources say.
    pub other_sources: Vec<Other>,
}

/// A tax that applies, with its share of the whole rate.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    pub tax_name: &'static str,
    pub rate: Percent,
}

/// All that is said of a place.
#[derive(Debug)]
pub struct Quote {
    pub tax_name: &'static str,
    pub rows: Vec<Row>,
    /// The taxes that apply together at the standard rate, where a region was named.
    pub parts: Option<Vec<Part>>,
}

impl Quote {
    /// The rates of `place` on `day`; today's if no day is given.
    pub fn of(book: &Book, place: &Place<'_>, day: Option<&str>) -> Result<Self, Error> {
        let national = national(book, place.country, day)?;
        match place.region {
            None => Ok(Self { tax_name: place.country.tax, rows: national, parts: None }),
            Some(_) => regional(book, place, day, national),
        }
    }
}

/// National rates. Other rates than the standard one have no history, so they
/// are given only for days from the source's own day on.
fn national(book: &Book, country: &Country, day: Option<&str>) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for rate in &country.rates {
        let as_of = book.as_of(rate.from);
        let kind = kind(rate.kind)?;
        if kind == Kind::Standard {
            rows.push(standard(country, rate, as_of, day)?);
        } else if day.is_none_or(|day| day >= as_of) {
            rows.push(row(country, rate, kind, as_of, None)?);
        }
    }
    Ok(rows)
}

fn standard(country: &Country, rate: &Rate, as_of: &'static str, day: Option<&str>) -> Result<Row, Error> {
    let mut row = row(
        country,
        rate,
        Kind::Standard,
        as_of,
        Some(country.history.last().map_or(country.since, |(first, _)| first)),
    )?;
    let Some(day) = day else { return Ok(row) };
    known(day, country.since)?;
    let then = country.history.iter().rev().find(|(first, _)| *first <= day);
    if let Some((first, percent)) = then.filter(|(_, percent)| *percent != rate.percent) {
        // Past rates stand in one package only.
        row.rate_percent = exact(percent)?.to_string();
        row.known_since = Some(first);
        row.source = "sales-tax";
        row.agreement = Agreement::SingleSource;
        row.other_sources = Vec::new();
    }
    Ok(row)
}

fn known(day: &str, since: &str) -> Result<(), Error> {
    if day < since {
        return Err(Error::invalid("/date", format!("the rate of this place is known only from {since} on")));
    }
    Ok(())
}

fn row(
    country: &Country,
    rate: &Rate,
    kind: Kind,
    as_of: &'static str,
    since: Option<&'static str>,
) -> Result<Row, Error> {
    let other =
        |(source, percent): (&&'static str, &&'static str)| Other { source, rate_percent: (*percent).to_owned() };
    let agreement = match rate.others.values().any(|percent| *percent == rate.percent) {
        true => Agreement::Confirmed,
        false if rate.others.is_empty() => Agreement::SingleSource,
        false => Agreement::Disputed,
    };
    Ok(Row {
        kind,
        level: "national",
        tax_name: country.tax,
        rate_percent: exact(rate.percent)?.to_string(),
        source: rate.from,
        as_of,
        known_since: since,
        agreement,
        other_sources: rate.others.iter().map(other).collect(),
    })
}

/// National standard rate and regional rate together. A harmonised tax (HST)
/// is one tax; an exemption leaves one tax, the region's; others stay apart.
fn regional(book: &Book, place: &Place<'_>, day: Option<&str>, mut rows: Vec<Row>) -> Result<Quote, Error> {
    let Some((_, region)) = place.region else { return Err(Error::internal("no region")) };
    if let Some(day) = day {
        known(day, region.since)?;
    }
    rows.retain(|row| row.kind == Kind::Standard);
    let base = rows.first().map(|row| exact(&row.rate_percent)).transpose()?;
    let regional_rate = exact(region.percent)?;
    let sum = base.unwrap_or(Percent::ZERO).plus(regional_rate).filter(|sum| !sum.is_negative());
    let sum = sum.ok_or_else(|| Error::internal("a combined rate out of range"))?;
    let own_name = region.tax.unwrap_or(place.country.tax);
    let one = |tax_name, rate| vec![Part { tax_name, rate }];
    let (rate, parts) = match base {
        None => (regional_rate, one(own_name, regional_rate)),
        Some(_) if regional_rate.is_negative() => {
            rows.clear();
            (sum, one(own_name, sum))
        }
        Some(base) if region.tax.is_none() => (regional_rate, one(place.country.tax, base)),
        Some(_) if own_name == "HST" => (regional_rate, one(own_name, sum)),
        Some(base) => {
            let national = Part { tax_name: place.country.tax, rate: base };
            (regional_rate, vec![national, Part { tax_name: own_name, rate: regional_rate }])
        }
    };
    rows.push(Row {
        kind: Kind::Standard,
        level: "regional",
        tax_name: own_name,
        rate_percent: rate.to_string(),
        source: "sales-tax",
        as_of: book.as_of("sales-tax"),
        known_since: Some(region.since),
        agreement: if region.disputed { Agreement::Disputed } else { Agreement::SingleSource },
        other_sources: Vec::new(),
    });
    let tax_name = parts.last().map_or(place.country.tax, |part| part.tax_name);
    Ok(Quote { tax_name: if parts.len() > 1 { "GST and provincial tax" } else { tax_name }, rows, parts: Some(parts) })
}

fn kind(text: &str) -> Result<Kind, Error> {
    match text {
        "standard" => Ok(Kind::Standard),
        "reduced" => Ok(Kind::Reduced),
        "super_reduced" => Ok(Kind::SuperReduced),
        "parking" => Ok(Kind::Parking),
        other => Err(Error::internal(format!("data/rates.json has a rate of kind {other:?}"))),
    }
}

/// A rate of the committed table.
pub fn exact(text: &str) -> Result<Percent, Error> {
    Percent::parse(text).ok_or_else(|| Error::internal(format!("data/rates.json has a rate {text:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place;

    /// The national standard rate of a place on a day.
    fn check(key: &str, day: Option<&str>, expect: Result<&str, &str>) {
        let book = Book::open().unwrap();
        let place = place::find(book, Some(key), None, None).unwrap();
        let got = Quote::of(book, &place, day).map(|quote| match quote.parts {
            None => quote.rows.first().map(|row| row.rate_percent.clone()).unwrap_or_default(),
            Some(parts) => {
                parts.iter().map(|part| format!("{} {}", part.tax_name, part.rate)).collect::<Vec<_>>().join(" + ")
            }
        });
        match expect {
            Ok(rate) => assert_eq!(got.as_deref(), Ok(rate), "{key} {day:?}"),
            Err(part) => assert!(got.as_ref().is_err_and(|error| error.to_string().contains(part)), "{key} {got:?}"),
        }
    }

    #[test]
    fn history_day_by_day() {
        // Changes as sales-tax dates them; Germany's of 2020/21 and Singapore's of 2023/24 were compared with a second
        // public collection of tax regimes.
        check("DE", Some("2020-07-01"), Ok("16"));
        check("DE", Some("2020-12-31"), Ok("16"));
        check("DE", Some("2021-01-01"), Ok("19"));
        check("DE", Some("2020-06-30"), Err("only from 2020-07-01"));
        check("SG", Some("2023-06-01"), Ok("8"));
        check("SG", Some("2024-01-01"), Ok("9"));
        check("RO", Some("2025-08-01"), Ok("21"));
        check("CA-NS", Some("2025-03-31"), Err("only from 2025-04-01"));
        check("CA-NS", None, Ok("HST 14"));
    }

    #[test]
    fn regions_combine() {
        check("CA-ON", None, Ok("HST 13"));
        check("CA-QC", None, Ok("GST 5 + QST 9.975"));
        check("CA-AB", None, Ok("GST 5"));
        check("US-TX", None, Ok("sales tax 6.25"));
        check("US-OR", None, Ok("sales tax 0"));
        check("ES-TF", None, Ok("IGIC 7"));
        check("ES-CE", None, Ok("VAT 0"));
    }

    #[test]
    fn every_place_has_a_quote() {
        let book = Book::open().unwrap();
        for (code, country) in &book.countries {
            for key in country.regions.keys().map(|part| format!("{code}-{part}")).chain([(*code).to_owned()]) {
                let place = place::find(book, Some(&key), None, None).unwrap();
                for day in [None, Some(book.made)] {
                    Quote::of(book, &place, day).unwrap();
                }
            }
        }
    }
}
