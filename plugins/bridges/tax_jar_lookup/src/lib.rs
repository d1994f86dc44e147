//! A bridge that looks up VAT, GST and sales tax rates by country, US state and
//! Canadian province, and works out the tax on an amount.
//!
//! Every rate is from a source that `data/make.py` names, with its day and
//! whether other sources agree; nothing is computed in floating point.

mod amount;
mod answer;
mod book;
mod charge;
mod choose;
mod day;
mod notes;
mod percent;
mod place;
mod quote;
mod row;

use bridge_common::{Report, calendar::date_of_unix_ms};
use schemars::JsonSchema;
use serde::Deserialize;
use tollbridge_sdk::{Call, Error, bridge};

use crate::{
    amount::Amount,
    answer::Answer,
    book::{BOOK, Book},
    charge::Charge,
    place::Place,
    quote::{Day, Quote},
    row::Kind,
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
    /// For an amount: which rate, in percent, as decimal text (`5.5`). Needed where there are several of a kind; where
    /// none can be given as the rate, and in states of the US with local taxes, any rate is taken. Default: the only one
    /// of its kind.
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

/// Answers one call.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    call.without_stored("a place such as GB, US-CA or CA-ON")?;
    let book = Book::open()?;
    let place = place::find(book, input.resource_id.as_deref(), input.country.as_deref(), input.region.as_deref())?;
    let today = date_of_unix_ms(call.now_ms);
    let day = day_of(book, input.date.as_deref(), &today)?;
    let mut quote = Quote::of(book, &place, day)?;
    let computed = compute(book, &place, &input, &quote)?;
    if let Some(kind) = input.rate_type {
        quote.rows.retain(|row| row.kind == kind);
        if quote.rows.is_empty() {
            return Err(choose::without_kind(&place, &input));
        }
    }
    let limitations = notes::limitations(&place, &quote, day, &input);
    let data = answer::sources(book, &place, &quote);
    let answer = Answer::new(book, &place, day, quote, computed)?;
    Ok(Report::new(answer, METHOD, limitations).with_data(data))
}

const METHOD: &str = "Lookup in a table made from the sources under `data`; amounts in whole minor units, halves rounded away from zero.";

/// The day asked for, if it is one that the data can speak of, and today.
fn day_of<'i>(book: &Book, date: Option<&'i str>, today: &'i str) -> Result<Day<'i>, Error> {
    // A clock that is behind the data does not make them unknown.
    let today = if today > book.made { today } else { book.made };
    let Some(text) = date else { return Ok(Day { given: None, today }) };
    let day = day::checked(text).ok_or_else(|| Error::invalid("/date", "give a day as YYYY-MM-DD"))?;
    if day > today {
        return Err(Error::invalid("/date", format!("rates after {today} are not known yet")));
    }
    Ok(Day { given: Some(day), today })
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
    let parts = choose::parts(place, input, quote)?;
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

fn short<'t>(text: &'t str, field: &str) -> Result<&'t str, Error> {
    if text.chars().count() > NUMBER_TEXT_MAX {
        return Err(Error::invalid(field, format!("at most {NUMBER_TEXT_MAX} characters")));
    }
    Ok(text)
}

/// Reads the table of rates.
fn prepare() {
    BOOK.prepare();
}

bridge! { handle: handle, init: prepare, examples: ["../cases/gb.json", "../cases/ca_on_amount.json"] }

#[cfg(test)]
mod tests;
