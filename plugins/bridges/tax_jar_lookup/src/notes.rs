//! What an answer does not tell.

use crate::{
    Input,
    place::Place,
    quote::{Day, Quote},
    row::{Agreement, Basis, Kind, Row},
};

/// The limitations of an answer.
pub fn limitations(place: &Place<'_>, quote: &Quote, day: Day<'_>, input: &Input) -> Vec<String> {
    let mut texts = vec![
        "Not tax advice: which rate applies to a sale depends on goods, buyer, seller and place of supply.".to_owned(),
    ];
    about_agreement(&mut texts, place, quote);
    let mut say = |yes: bool, text: &str| {
        if yes {
            texts.push(text.to_owned());
        }
    };
    let is_listed = place.region.is_none();
    say(
        place.code == "US" && (is_listed || quote.local_taxes),
        "Rates of counties, cities and districts, which come on top where `local_taxes` is `vary`, are not in the data, nor are averages of them; exemptions are not modelled.",
    );
    let combined = |basis| basis == Basis::Combined;
    say(
        quote.rows.iter().any(|row| combined(row.basis))
            || (is_listed && place.country.regions.values().any(|region| combined(region.basis))),
        "A rate with the basis `combined` is the state's with the local taxes that are due everywhere in it.",
    );
    say(
        quote.rows.iter().any(|row| row.kind != Kind::Standard),
        "Reduced rates are listed without the goods they are for, and may be of special territories.",
    );
    say(
        place.country.eu == Some(true) && is_listed,
        "Territories with rates of their own (islands, overseas departments) are not told apart, except where `regions` lists them.",
    );
    say(place.code == "XI", "Northern Ireland: for goods under the Windsor Framework; services follow GB.");
    say(day.given.is_some(), "For a given day only the standard rate has a history.");
    say(
        input.amount.is_some() || input.amount_minor.is_some(),
        "The tax is of one amount; invoices that round line by line can differ by a unit.",
    );
    texts
}

fn about_agreement(texts: &mut Vec<String>, place: &Place<'_>, quote: &Quote) {
    let has = |agreement| {
        let is_listed = place.region.is_none();
        quote.rows.iter().any(|row| row.agreement == agreement)
            || (is_listed && place.country.regions.values().any(|region| region.agreement == agreement))
    };
    let mut say = |yes: bool, text: &str| {
        if yes {
            texts.push(text.to_owned());
        }
    };
    say(
        has(Agreement::Disputed),
        "Sources disagree on a rate marked `disputed`: none of the `candidates` is given as the rate; ask the tax authority.",
    );
    say(
        has(Agreement::NoSingleRate),
        "No one rate applies where `no_single_rate` stands: which of the `candidates` does depends on what is sold, or where.",
    );
    say(
        has(Agreement::Expired),
        "What the data have of a rate marked `expired` ends with `valid_until`; whether it was renewed is not known here.",
    );
    let single = |row: &Row| row.kind == Kind::Standard && row.agreement == Agreement::SingleSource;
    say(
        quote.rows.iter().any(single),
        "A rate marked `single_source` was not compared with a second source; `known_since` is how long that source has had it.",
    );
    let differs =
        |row: &Row| row.other_sources.iter().any(|other| Some(&other.rate_percent) != row.rate_percent.as_ref());
    say(
        quote.rows.iter().any(differs),
        "A source under `other_sources` with another rate is older, or is outnumbered by those that have this one.",
    );
}
