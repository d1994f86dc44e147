//! The answer: the rates of a place, what applies together, its regions, and the sources.

use bridge_common::Source;
use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_sdk::Error;

use crate::{
    book::{Book, Region},
    charge::Charge,
    percent::Percent,
    place::Place,
    quote::{Day, Part, Quote},
    row::{Agreement, Basis, NamedRate, Row},
};

/// The rates of the place.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// ISO 3166-1 alpha-2 code, or XI, XK.
    pub country: &'static str,
    /// Its English name.
    pub country_name: &'static str,
    /// Code of the region, if one was named.
    pub region: Option<&'static str>,
    /// Its name.
    pub region_name: Option<&'static str>,
    /// Kind of tax in English: VAT, GST, HST, sales tax, …
    pub tax_name: &'static str,
    /// Its name in the country, where the source has it.
    pub local_tax_name: Option<&'static str>,
    /// Currency, ISO 4217.
    pub currency: &'static str,
    /// Member of the European Union, where the source says so.
    pub eu_member: Option<bool>,
    /// The rates.
    pub rates: Vec<Row>,
    /// All taxes of country and region together at the standard rate, where a region was named or levies come with the
    /// tax; none where no rate can be given.
    pub combined: Option<Combined>,
    /// Of a state of the US: whether counties, cities or districts add taxes of their own, which are not in the data.
    pub local_taxes: Option<LocalTaxes>,
    /// Regions with rates of their own, where none was named.
    pub regions: Vec<RegionRate>,
    /// The tax on the amount, if one was given.
    pub computed: Option<Charge>,
}

/// Taxes that apply together.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Combined {
    /// Their rates added up, in percent.
    pub rate_percent: String,
    /// Each.
    pub parts: Vec<NamedRate>,
    /// False where local taxes come on top that are not in the data.
    pub complete: bool,
}

/// Taxes of counties, cities and districts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LocalTaxes {
    /// None on ordinary sales: the rate is the same in the whole state.
    None,
    /// On top, different from place to place.
    Vary,
}

/// A region and its rate.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RegionRate {
    /// Its code.
    pub region: &'static str,
    /// Its name.
    pub name: &'static str,
    /// All taxes of country and region together, in percent; without local taxes that differ within the region. None
    /// where no rate can be given.
    pub rate_percent: Option<String>,
    /// What the region's own rate includes.
    pub basis: Basis,
    /// Of a state of the US: whether local taxes come on top.
    pub local_taxes: Option<LocalTaxes>,
    /// Do other sources agree?
    pub agreement: Agreement,
}

impl Answer {
    /// The answer for a place.
    pub fn new(
        book: &Book,
        place: &Place<'_>,
        day: Day<'_>,
        quote: Quote,
        computed: Option<Charge>,
    ) -> Result<Self, Error> {
        let complete = !quote.local_taxes;
        let combined = quote.parts.as_deref().map(|parts| {
            let part = |part: &Part| NamedRate { tax_name: part.tax_name, rate_percent: part.rate.to_string() };
            Combined { rate_percent: sum(parts).to_string(), parts: parts.iter().map(part).collect(), complete }
        });
        let is_whole = place.region.is_none() && day.given.is_none();
        let regions = if is_whole { regions(book, place, day)? } else { Vec::new() };
        Ok(Self {
            country: place.code,
            country_name: place.country.name,
            region: place.region.map(|(part, _)| part),
            region_name: place.region.map(|(_, region)| region.name),
            tax_name: quote.tax_name,
            local_tax_name: place.country.local_tax,
            currency: place.country.currency,
            eu_member: place.country.eu,
            rates: quote.rows,
            combined,
            local_taxes: place.region.and_then(|(_, region)| local_taxes(place, region)),
            regions,
            computed,
        })
    }
}

fn local_taxes(place: &Place<'_>, region: &Region) -> Option<LocalTaxes> {
    (place.code == "US").then_some(if region.local { LocalTaxes::Vary } else { LocalTaxes::None })
}

fn sum(parts: &[Part]) -> Percent {
    parts.iter().try_fold(Percent::ZERO, |sum, part| sum.plus(part.rate)).unwrap_or(Percent::ZERO)
}

fn regions(book: &Book, place: &Place<'_>, day: Day<'_>) -> Result<Vec<RegionRate>, Error> {
    let mut regions = Vec::new();
    for (part, region) in &place.country.regions {
        let quote = Quote::of(book, &Place { region: Some((part, region)), ..*place }, day)?;
        regions.push(RegionRate {
            region: part,
            name: region.name,
            rate_percent: quote.parts.as_deref().map(|parts| sum(parts).to_string()),
            basis: region.basis,
            local_taxes: local_taxes(place, region),
            agreement: quote.rows.last().map_or(region.agreement, |row| row.agreement),
        });
    }
    Ok(regions)
}

/// The sources that stand behind the rates, and those they were compared with.
pub fn sources(book: &Book, place: &Place<'_>, quote: &Quote) -> Vec<Source<&'static str>> {
    let mut names: Vec<&str> = Vec::new();
    for row in &quote.rows {
        names.push(row.source);
        names.extend(row.other_sources.iter().map(|other| other.source));
        names.extend(row.candidates.iter().map(|candidate| candidate.source));
    }
    if place.region.is_none() {
        for region in place.country.regions.values() {
            names.push(region.from);
            names.extend(region.others.iter().map(|(source, ..)| *source));
        }
    }
    names.sort_unstable();
    names.dedup();
    let source = |name: &str| {
        let package = book.package(name)?;
        Some(Source {
            name: package.name,
            version: package.version,
            as_of: package.as_of.unwrap_or(book.made),
            licence: package.licence,
            source: package.source,
        })
    };
    names.into_iter().filter_map(source).collect()
}
