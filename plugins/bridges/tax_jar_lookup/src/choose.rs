//! Which rate to work out a tax with: the one that is known, or the one that the caller names.
//!
//! Invariant: where more than one rate may be meant, or not all of it is known, the caller names it.

use tollbridge_sdk::Error;

use crate::{
    Input,
    percent::Percent,
    place::Place,
    quote::{Part, Quote},
    row::{Agreement, Candidate, Kind, Row, exact},
    short,
};

/// The taxes to work out: those of the place, or the one rate that is meant.
pub fn parts(place: &Place<'_>, input: &Input, quote: &Quote) -> Result<Vec<Part>, Error> {
    let kind = input.rate_type.unwrap_or(Kind::Standard);
    let wanted = input.rate_percent.as_deref().map(percent_of).transpose()?;
    let rows: Vec<&Row> = quote.rows.iter().filter(|row| row.kind == kind).collect();
    if rows.is_empty() {
        return Err(without_kind(place, input));
    }
    let one = |rate| Ok(vec![Part { tax_name: quote.tax_name, rate }]);
    if let Some(row) = rows.iter().find(|row| row.rate_percent.is_none()) {
        return one(wanted.ok_or_else(|| unknown(place, row))?);
    }
    if quote.local_taxes {
        return one(wanted.ok_or_else(|| local(place, &rows))?);
    }
    if let Some(parts) = quote.parts.as_ref().filter(|_| kind == Kind::Standard) {
        return match wanted {
            None => Ok(parts.clone()),
            Some(_) => Err(Error::invalid("/rate_percent", "the rate of this place is known; leave it out")),
        };
    }
    let mut rates = Vec::new();
    for row in &rows {
        rates.push(exact(row.rate_percent.as_deref().unwrap_or_default())?);
    }
    rates.retain(|rate| wanted.is_none_or(|wanted| wanted == *rate));
    match rates.as_slice() {
        [rate] => one(*rate),
        _ => Err(several(&rows, wanted)),
    }
}

fn percent_of(text: &str) -> Result<Percent, Error> {
    let rate = Percent::parse(short(text, "/rate_percent")?).filter(|rate| !rate.is_negative());
    rate.ok_or_else(|| {
        Error::invalid("/rate_percent", "give percent as decimal text from \"0\" to \"100\", at most six decimals")
    })
}

fn several(rows: &[&Row], wanted: Option<Percent>) -> Error {
    let known = rows.iter().filter_map(|row| row.rate_percent.as_deref()).collect::<Vec<_>>().join(", ");
    let what = if wanted.is_some() { "no such rate of this kind" } else { "several rates of this kind" };
    Error::invalid("/rate_percent", format!("{what} here: {known}; name one of them"))
}

/// No rate can be given: says why, and which come into question.
fn unknown(place: &Place<'_>, row: &Row) -> Error {
    let candidate = |candidate: &Candidate| {
        let what = candidate.applies_to.map_or(String::new(), |what| format!(", {what}"));
        format!("{} ({}{what})", candidate.rate_percent, candidate.source)
    };
    let rates = row.candidates.iter().map(candidate).collect::<Vec<_>>().join("; ");
    let why = match row.agreement {
        Agreement::NoSingleRate => "no one rate applies here".to_owned(),
        Agreement::Expired => {
            format!("the rate of {} was fixed until {} only", place.code, row.valid_until.unwrap_or("an earlier day"))
        }
        _ => "sources disagree on this rate".to_owned(),
    };
    let message = format!("{why}: {rates}; name the rate to use, so that no wrong tax is worked out");
    Error::invalid("/rate_percent", message)
}

/// The state's rate is not all: says so.
fn local(place: &Place<'_>, rows: &[&Row]) -> Error {
    let state = rows.last().and_then(|row| row.rate_percent.as_deref()).unwrap_or("0");
    let name = place.region.map_or(place.country.name, |(_, region)| region.name);
    let message = format!(
        "counties, cities or districts of {name} add taxes of their own to its {state} %, and theirs are not in the data; \
         name the whole rate of the address, or {state} for the tax of the state alone"
    );
    Error::invalid("/rate_percent", message)
}

/// The place has no rate of this kind.
pub fn without_kind(place: &Place<'_>, input: &Input) -> Error {
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
