//! A bridge that looks up VAT, GST and sales tax rates by country, US state and
//! Canadian province, and works out the tax on an amount.
//!
//! Every rate is from a package that `data/make.py` names, with its day and
//! whether other packages agree; nothing is computed in floating point.

mod amount;
mod book;
mod charge;
mod day;
mod percent;
mod place;
mod quote;

use bridge_common::{Report, Source, calendar::date_of_unix_ms};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error, bridge};

use crate::{
    amount::Amount,
    book::{BOOK, Book},
    charge::Charge,
    percent::Percent,
    place::Place,
    quote::{Agreement, Kind, Part, Quote, Row},
};

/// The longest text of a number or day in an input.
const NUMBER_TEXT_MAX: usize = 40;

/// A place, and what to work out there.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::AnyOf("country | resource_id"))]
pub struct Input {
    /// The place as one text, in any case: a country's ISO 3166 code or English name (`GB`, `GBR`, `United Kingdom`; also `UK`, `EL`, and `XI` for goods in Northern Ireland), or country and region (`US-CA`, `CA-ON`). Alone it lists all rates of that place. Not the id of a stored resource.
    pub resource_id: Option<String>,
    /// The country, as `resource_id` takes it. Give this or `resource_id`.
    pub country: Option<String>,
    /// State, province or territory, code or English name: of the US and Canada, and Ceuta (CE), Melilla (ML), Las
    /// Palmas (GC) and Tenerife (TF) in Spain. Default: the country as a whole.
    pub region: Option<String>,
    /// Only rates of this kind; for an amount, the kind to use (`standard` unless given).
    pub rate_type: Option<Kind>,
    /// For an amount: which rate, in percent, as decimal text (`5.5`). Needed where there are several of a kind, or
    /// where sources disagree; then any rate is taken. Default: the only one of its kind.
    pub rate_percent: Option<String>,
    /// An amount in the country's currency as decimal text (`19.99`): the tax on it is worked out. Default: no tax is
    /// worked out.
    pub amount: Option<String>,
    /// The same in minor units (1999 pence). Give one of the two. Default: no tax is worked out.
    pub amount_minor: Option<i64>,
    /// The amount includes the tax. False unless given.
    pub inclusive: Option<bool>,
    /// The day (`YYYY-MM-DD`) to which the standard rate applies; the newest data unless given. History reaches back only as far as the data know it, and other kinds of rate have none.
    pub date: Option<String>,
}

/// The answer of this bridge.
pub type Output = Report<Answer>;

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
    /// All taxes of country and region together at the standard rate, where a region was named.
    pub combined: Option<Combined>,
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
    pub parts: Vec<CombinedPart>,
}

/// One of the taxes that apply together.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CombinedPart {
    /// VAT, GST, HST, …
    pub tax_name: &'static str,
    /// Its rate in percent.
    pub rate_percent: String,
}

/// A region and its combined rate.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RegionRate {
    /// Its code.
    pub region: &'static str,
    /// Its name.
    pub name: &'static str,
    /// All taxes of country and region together, in percent.
    pub combined_rate_percent: String,
    /// Does another source disagree?
    pub agreement: Agreement,
}

/// Answers one call.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    call.without_stored("a place such as GB, US-CA or CA-ON")?;
    let book = Book::open()?;
    let place = place::find(book, input.resource_id.as_deref(), input.country.as_deref(), input.region.as_deref())?;
    let day = day_of(call, book, input.date.as_deref())?;
    let mut quote = Quote::of(book, &place, day)?;
    let computed = compute(book, &place, &input, &quote)?;
    if let Some(kind) = input.rate_type {
        quote.rows.retain(|row| row.kind == kind);
        if quote.rows.is_empty() {
            return Err(without_kind(&place, &input));
        }
    }
    let limitations = limitations(&place, &quote, day, &input);
    let data = sources(book, &quote);
    let answer = answer(book, &place, day, quote, computed)?;
    Ok(Report::new(answer, METHOD, limitations).with_data(data))
}

const METHOD: &str = "Lookup in a table made from the packages under `data`; amounts in whole minor units, halves rounded away from zero.";

/// The day asked for, if it is one that the data can speak of.
fn day_of<'i>(call: &Call, book: &Book, date: Option<&'i str>) -> Result<Option<&'i str>, Error> {
    let Some(text) = date else { return Ok(None) };
    let day = day::checked(text).ok_or_else(|| Error::invalid("/date", "give a day as YYYY-MM-DD"))?;
    let today = date_of_unix_ms(call.now_ms);
    let latest = if today.as_str() > book.made { today.as_str() } else { book.made };
    if day > latest {
        return Err(Error::invalid("/date", format!("rates after {latest} are not known yet")));
    }
    Ok(Some(day))
}

fn compute(book: &Book, place: &Place<'_>, input: &Input, quote: &Quote) -> Result<Option<Charge>, Error> {
    let Some((amount, field)) = amount_of(book, place, input)? else {
        let unused = [("rate_percent", input.rate_percent.is_some()), ("inclusive", input.inclusive.is_some())];
        return match unused.iter().find(|(_, given)| *given) {
            Some((name, _)) => {
                Err(Error::invalid(*name, "this goes with an amount; give `amount` or `amount_minor` too"))
            }
            None => Ok(None),
        };
    };
    let parts = parts_of(place, input, quote)?;
    let charge = charge::charge(amount, input.inclusive.unwrap_or(false), &parts);
    charge.map(Some).ok_or_else(|| Error::invalid(field, amount::too_large()))
}

fn amount_of(book: &Book, place: &Place<'_>, input: &Input) -> Result<Option<(Amount, &'static str)>, Error> {
    let currency = place.country.currency;
    let digits = book.currencies.get(currency).copied();
    let digits = digits.ok_or_else(|| Error::internal(format!("data/rates.json has no decimals of {currency}")))?;
    match (&input.amount, input.amount_minor) {
        (None, None) => Ok(None),
        (Some(_), Some(_)) => Err(Error::invalid("/amount_minor", "give `amount` or `amount_minor`, not both")),
        (Some(text), None) => {
            let text = short(text, "/amount")?;
            Amount::parse(text, digits)
                .map(|amount| Some((amount, "/amount")))
                .map_err(|why| Error::invalid("/amount", why))
        }
        (None, Some(minor)) => {
            let amount = Amount::new(minor.into(), digits);
            amount
                .map(|amount| Some((amount, "/amount_minor")))
                .ok_or_else(|| Error::invalid("/amount_minor", amount::too_large()))
        }
    }
}

/// The taxes to work out: those of the region, or the one national rate that is meant.
fn parts_of(place: &Place<'_>, input: &Input, quote: &Quote) -> Result<Vec<Part>, Error> {
    let kind = input.rate_type.unwrap_or(Kind::Standard);
    let wanted = input.rate_percent.as_deref().map(percent_of).transpose()?;
    let rows: Vec<&Row> = quote.rows.iter().filter(|row| row.kind == kind).collect();
    if rows.is_empty() {
        return Err(without_kind(place, input));
    }
    if rows.iter().any(|row| row.agreement == Agreement::Disputed) {
        let rate = wanted.ok_or_else(|| disputed(&rows))?;
        return Ok(vec![Part { tax_name: quote.tax_name, rate }]);
    }
    if let Some(parts) = &quote.parts {
        return match wanted {
            None => Ok(parts.clone()),
            Some(_) => Err(Error::invalid("/rate_percent", "the rate of this region is known; leave it out")),
        };
    }
    let mut rates = Vec::new();
    for row in &rows {
        rates.push(quote::exact(&row.rate_percent)?);
    }
    rates.retain(|rate| wanted.is_none_or(|wanted| wanted == *rate));
    match rates.as_slice() {
        [rate] => Ok(vec![Part { tax_name: quote.tax_name, rate: *rate }]),
        _ => Err(choose(&rows, wanted)),
    }
}

fn percent_of(text: &str) -> Result<Percent, Error> {
    let rate = Percent::parse(short(text, "/rate_percent")?).filter(|rate| !rate.is_negative());
    rate.ok_or_else(|| {
        Error::invalid("/rate_percent", "give percent as decimal text from \"0\" to \"100\", at most six decimals")
    })
}

fn short<'t>(text: &'t str, field: &str) -> Result<&'t str, Error> {
    if text.chars().count() > NUMBER_TEXT_MAX {
        return Err(Error::invalid(field, format!("at most {NUMBER_TEXT_MAX} characters")));
    }
    Ok(text)
}

fn choose(rows: &[&Row], wanted: Option<Percent>) -> Error {
    let known = rows.iter().map(|row| row.rate_percent.as_str()).collect::<Vec<_>>().join(", ");
    let what = if wanted.is_some() { "no such rate of this kind" } else { "several rates of this kind" };
    Error::invalid("/rate_percent", format!("{what} here: {known}; name one of them"))
}

fn disputed(rows: &[&Row]) -> Error {
    let mut rates = Vec::new();
    for row in rows {
        rates.push(format!("{} by {}", row.rate_percent, row.source));
        rates.extend(row.other_sources.iter().map(|other| format!("{} by {}", other.rate_percent, other.source)));
    }
    let rates = rates.join(", ");
    let message = format!(
        "sources disagree on this rate ({rates}, or another); name the rate to use, so that no wrong tax is worked out"
    );
    Error::invalid("/rate_percent", message)
}

fn without_kind(place: &Place<'_>, input: &Input) -> Error {
    let kind = serde_json::to_string(&input.rate_type.unwrap_or(Kind::Standard)).unwrap_or_default();
    let day = input.date.as_ref().map_or(String::new(), |day| format!(" on {day}"));
    let message = match place.region {
        Some((part, _)) => format!("no rate of kind {kind} for {}-{part}{day} in the data", place.code),
        None if place.country.rates.is_empty() => {
            let message = format!("{} has no national rate; name a region, for example {}-TX", place.code, place.code);
            return Error::invalid("/region", message);
        }
        None => format!("no rate of kind {kind} for {}{day} in the data", place.code),
    };
    Error::not_found(message)
}

fn answer(
    book: &Book,
    place: &Place<'_>,
    day: Option<&str>,
    quote: Quote,
    computed: Option<Charge>,
) -> Result<Answer, Error> {
    let combined = quote.parts.map(|parts| {
        let sum = parts.iter().try_fold(Percent::ZERO, |sum, part| sum.plus(part.rate));
        let part = |part: &Part| CombinedPart { tax_name: part.tax_name, rate_percent: part.rate.to_string() };
        Combined { rate_percent: sum.unwrap_or(Percent::ZERO).to_string(), parts: parts.iter().map(part).collect() }
    });
    let regions = if place.region.is_none() && day.is_none() { regions(book, place)? } else { Vec::new() };
    Ok(Answer {
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
        regions,
        computed,
    })
}

fn regions(book: &Book, place: &Place<'_>) -> Result<Vec<RegionRate>, Error> {
    let mut regions = Vec::new();
    for (part, region) in &place.country.regions {
        let quote = Quote::of(book, &Place { region: Some((part, region)), ..*place }, None)?;
        let rates = quote.parts.unwrap_or_default();
        let sum = rates.iter().try_fold(Percent::ZERO, |sum, part| sum.plus(part.rate)).unwrap_or(Percent::ZERO);
        let agreement = if region.disputed { Agreement::Disputed } else { Agreement::SingleSource };
        regions.push(RegionRate { region: part, name: region.name, combined_rate_percent: sum.to_string(), agreement });
    }
    Ok(regions)
}

/// The packages that stand behind the rates, and those they were compared with.
fn sources(book: &Book, quote: &Quote) -> Vec<Source<&'static str>> {
    let mut names: Vec<&str> = Vec::new();
    for row in &quote.rows {
        names.push(row.source);
        names.extend(row.other_sources.iter().map(|other| other.source));
    }
    if quote.rows.is_empty() {
        names.push("sales-tax");
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

fn limitations(place: &Place<'_>, quote: &Quote, day: Option<&str>, input: &Input) -> Vec<String> {
    let mut texts = vec![
        "Not tax advice: which rate applies to a sale depends on goods, buyer, seller and place of supply.".to_owned(),
    ];
    let mut say = |yes: bool, text: &str| {
        if yes {
            texts.push(text.to_owned());
        }
    };
    say(
        place.code == "US",
        "State level only: county, city and district taxes come on top; exemptions are not modelled.",
    );
    let listed = || place.region.is_none() && place.country.regions.values().any(|region| region.disputed);
    say(
        listed() || quote.rows.iter().any(|row| row.agreement == Agreement::Disputed),
        "Sources disagree on a rate marked `disputed`: check it before you use it.",
    );
    say(
        quote.rows.iter().any(|row| row.kind == Kind::Standard && row.agreement == Agreement::SingleSource),
        "A rate marked `single_source` was not compared with a second source; `known_since` is how long that source has had it.",
    );
    say(
        quote.rows.iter().any(|row| row.kind != Kind::Standard),
        "Reduced rates are listed without the goods they are for, and may be of special territories.",
    );
    say(
        place.country.eu == Some(true) && place.region.is_none(),
        "Territories with rates of their own (islands, overseas departments) are not told apart, except where `regions` lists them.",
    );
    say(place.code == "XI", "Northern Ireland: for goods under the Windsor Framework; services follow GB.");
    say(
        place.region.is_some_and(|(_, region)| region.tax.is_none()),
        "No rate for this region in the source, which means that it has no tax of its own; not compared with a second source.",
    );
    say(day.is_some(), "For a given day only the standard rate has a history.");
    say(
        input.amount.is_some() || input.amount_minor.is_some(),
        "The tax is of one amount; invoices that round line by line can differ by a unit.",
    );
    texts
}

/// Reads the table of rates.
fn prepare() {
    BOOK.prepare();
}

bridge! { handle: handle, init: prepare, examples: ["../cases/gb.json", "../cases/ca_on_amount.json"] }

#[cfg(test)]
mod tests;
