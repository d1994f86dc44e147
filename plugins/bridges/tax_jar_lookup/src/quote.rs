//! The rates of a place on a day, and the taxes that apply there as parts.
//!
//! Invariant: what has no rate (disputed, several, or past its last day) has no parts either.

use tollbridge_sdk::Error;

use crate::{
    book::{Book, Country, Rate},
    percent::Percent,
    place::Place,
    row::{Agreement, Kind, Row, exact},
};

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
    /// The taxes that apply together at the standard rate, where a region was named or levies come with the tax.
    pub parts: Option<Vec<Part>>,
    /// Local taxes come on top, and differ from place to place.
    pub local_taxes: bool,
}

/// The day that is asked for, and today.
#[derive(Debug, Clone, Copy)]
pub struct Day<'d> {
    pub given: Option<&'d str>,
    pub today: &'d str,
}

impl Quote {
    /// The rates of `place` on a day; the newest if no day is given.
    pub fn of(book: &Book, place: &Place<'_>, day: Day<'_>) -> Result<Self, Error> {
        let rows = national(book, place.country, day)?;
        match place.region {
            None => {
                let parts = with_levies(place.country, &rows)?;
                Ok(Self { tax_name: place.country.tax, rows, parts, local_taxes: false })
            }
            Some(_) => regional(book, place, day, rows),
        }
    }
}

/// National rates. Other rates than the standard one have no history, so they
/// are given only for days from the source's own day on.
fn national(book: &Book, country: &Country, day: Day<'_>) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for rate in &country.rates {
        let as_of = book.as_of(rate.from);
        let kind = kind(rate.kind)?;
        if kind == Kind::Standard {
            rows.push(standard(country, rate, as_of, day)?);
        } else if day.given.is_none_or(|day| day >= as_of) {
            rows.push(Row::national(country, rate, kind, as_of)?);
        }
    }
    Ok(rows)
}

fn standard(country: &Country, rate: &Rate, as_of: &'static str, day: Day<'_>) -> Result<Row, Error> {
    let mut row = Row::national(country, rate, Kind::Standard, as_of)?;
    row.known_since = Some(country.history.last().map_or(country.since, |(first, _)| first));
    let Some(asked) = day.given else {
        row.expire(day.today);
        return Ok(row);
    };
    known(asked, country.since)?;
    let then = country.history.iter().rev().find(|(first, _)| *first <= asked);
    match then.filter(|(_, percent)| *percent != rate.percent && row.rate_percent.is_some()) {
        Some((first, percent)) => {
            row.rate_percent = Some(exact(percent)?.to_string());
            row.known_since = Some(first);
            (row.valid_until, row.then_percent) = (None, None);
            // Past rates stand in one source only: that of the present one, or the one package that has a history.
            if row.source == "eu-vat-rates-data" {
                row.source = "sales-tax";
            }
            row.agreement = Agreement::SingleSource;
            row.other_sources = Vec::new();
        }
        None => row.expire(asked),
    }
    Ok(row)
}

fn known(day: &str, since: &str) -> Result<(), Error> {
    if day < since {
        return Err(Error::invalid("/date", format!("the rate of this place is known only from {since} on")));
    }
    Ok(())
}

/// The tax and the levies that come with it, where there are any.
fn with_levies(country: &Country, rows: &[Row]) -> Result<Option<Vec<Part>>, Error> {
    let standard = rows.iter().find(|row| row.kind == Kind::Standard).and_then(|row| row.rate_percent.as_deref());
    let Some(rate) = standard.filter(|_| !country.levies.is_empty()) else { return Ok(None) };
    let mut parts = vec![Part { tax_name: country.tax, rate: exact(rate)? }];
    for (tax_name, rate) in &country.levies {
        parts.push(Part { tax_name, rate: exact(rate)? });
    }
    Ok(Some(parts))
}

/// National standard rate and regional rate together. A harmonised tax (HST)
/// is one tax; an exemption leaves one tax, the region's; others stay apart.
fn regional(book: &Book, place: &Place<'_>, day: Day<'_>, mut rows: Vec<Row>) -> Result<Quote, Error> {
    let Some((_, region)) = place.region else { return Err(Error::internal("no region")) };
    if let Some(day) = day.given {
        known(day, region.since)?;
    }
    rows.retain(|row| row.kind == Kind::Standard);
    let base = rows.first().and_then(|row| row.rate_percent.as_deref()).map(exact).transpose()?;
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
    let mut row = Row::regional(region, own_name, rate, book.as_of(region.from));
    row.expire(day.given.unwrap_or(day.today));
    let tax_name = parts.last().map_or(place.country.tax, |part| part.tax_name);
    let tax_name = if parts.len() > 1 { "GST and provincial tax" } else { tax_name };
    let parts = row.rate_percent.is_some().then_some(parts);
    rows.push(row);
    Ok(Quote { tax_name, rows, parts, local_taxes: region.local })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place;

    const TODAY: &str = "2026-11-25";

    /// The national standard rate of a place on a day, or the rates that come into question.
    fn check(key: &str, day: Option<&str>, expect: Result<&str, &str>) {
        let book = Book::open().unwrap();
        let place = place::find(book, Some(key), None, None).unwrap();
        let said = |row: &Row| {
            let candidates = row.candidates.iter().map(|candidate| candidate.rate_percent.as_str()).collect::<Vec<_>>();
            row.rate_percent.clone().unwrap_or_else(|| format!("? {}", candidates.join(" ")))
        };
        let got = Quote::of(book, &place, Day { given: day, today: TODAY }).map(|quote| match quote.parts {
            None => quote
                .rows
                .last()
                .filter(|_| place.region.is_some())
                .or(quote.rows.first())
                .map(said)
                .unwrap_or_default(),
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
        // public collection of tax regimes; the others stand in data/pages.json.
        check("DE", Some("2020-07-01"), Ok("16"));
        check("DE", Some("2020-12-31"), Ok("16"));
        check("DE", Some("2021-01-01"), Ok("19"));
        check("DE", Some("2020-06-30"), Err("only from 2020-07-01"));
        check("SG", Some("2023-06-01"), Ok("8"));
        check("SG", Some("2024-01-01"), Ok("9"));
        check("RO", Some("2025-08-01"), Ok("21"));
        check("CA-NS", Some("2025-03-31"), Err("only from 2025-04-01"));
        check("CA-NS", None, Ok("HST 14"));
        check("RU", None, Ok("22"));
        check("RU", Some("2025-12-31"), Ok("20"));
        check("RU", Some("2026-01-01"), Ok("22"));
        check("KZ", Some("2025-12-31"), Ok("12"));
        check("KZ", None, Ok("16"));
        check("ZW", Some("2025-12-31"), Ok("15"));
        check("ZW", None, Ok("15.5"));
    }

    #[test]
    fn a_decree_is_known_until_it_ends() {
        check("TH", Some("2024-09-30"), Err("only from 2024-10-01"));
        check("TH", Some("2024-10-01"), Ok("7"));
        check("TH", Some("2026-09-30"), Ok("7"));
        check("TH", Some("2026-10-01"), Ok("? 7 10"));
        check("TH", None, Ok("? 7 10"));
    }

    #[test]
    fn pages_overrule_what_is_out_of_date() {
        for (key, rate) in [("LK", "18"), ("EC", "15"), ("BH", "10"), ("BS", "10"), ("AW", "7"), ("LI", "8.1")] {
            check(key, None, Ok(rate));
        }
        check("GH", None, Ok("VAT 15 + NHIL 2.5 + GETFund levy 2.5"));
    }

    #[test]
    fn no_rate_is_given_as_the_rate_where_there_are_several() {
        for (key, rates) in [
            ("ID", "? 11 12"),
            ("ER", "? 5 10 12"),
            ("VN", "? 8 10"),
            ("MY", "? 10 8"),
            ("PK", "? 18 15 16"),
            ("BR", "? 17 9.25"),
            ("BO", "? 14.94 13"),
            ("KW", "? 5 0"),
            ("QA", "? 5 0"),
            ("SR", "? 15 10"),
            ("US-DC", "? 6 7 7"),
        ] {
            check(key, None, Ok(rates));
        }
    }

    #[test]
    fn states_have_their_own_rate() {
        // Both public tables of data/checked.json, one of which was compared with the states' authorities.
        for (state, rate) in [
            ("AR", "6.5"),
            ("AZ", "5.6"),
            ("CA", "7.25"),
            ("CT", "6.35"),
            ("LA", "5"),
            ("ME", "5.5"),
            ("NC", "4.75"),
            ("NJ", "6.625"),
            ("NM", "4.875"),
            ("OH", "5.75"),
            ("SD", "4.2"),
            ("UT", "6.1"),
            ("VA", "5.3"),
            ("TX", "6.25"),
            ("NY", "4"),
            ("OR", "0"),
        ] {
            check(&format!("US-{state}"), None, Ok(&format!("sales tax {rate}")));
        }
    }

    #[test]
    fn regions_combine() {
        check("CA-ON", None, Ok("HST 13"));
        check("CA-QC", None, Ok("GST 5 + QST 9.975"));
        check("CA-AB", None, Ok("GST 5"));
        check("ES-TF", None, Ok("IGIC 7"));
        check("ES-CE", None, Ok("VAT 0"));
    }

    #[test]
    fn every_place_has_a_quote() {
        let book = Book::open().unwrap();
        for (code, country) in &book.countries {
            for key in country.regions.keys().map(|part| format!("{code}-{part}")).chain([(*code).to_owned()]) {
                let place = place::find(book, Some(&key), None, None).unwrap();
                for given in [None, Some(book.made)] {
                    let quote = Quote::of(book, &place, Day { given, today: TODAY }).unwrap();
                    for row in &quote.rows {
                        let has_none =
                            matches!(row.agreement, Agreement::Disputed | Agreement::NoSingleRate | Agreement::Expired);
                        assert_eq!(row.rate_percent.is_none(), has_none, "{key}");
                        assert_eq!(row.candidates.len() > 1, has_none, "{key}");
                    }
                }
            }
        }
    }
}
