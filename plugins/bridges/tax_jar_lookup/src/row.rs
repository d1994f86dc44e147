//! One rate as the answer says it: what kind of rate it is, where it comes from, and whether other sources agree.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::Error;

use crate::{
    book::{Country, Possible, Rate, Region, Said},
    percent::Percent,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// At least one other source has the same rate, and fewer have another.
    Confirmed,
    /// No other source was there to compare.
    SingleSource,
    /// At least as many sources have another rate: there is no `rate_percent`, only `candidates`.
    Disputed,
    /// Which rate applies depends on what is sold, or where: there is no `rate_percent`, only `candidates`.
    NoSingleRate,
    /// The rate was fixed until a day that has passed (`valid_until`): there is no `rate_percent`, only `candidates`.
    Expired,
}

/// What a rate includes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The rate of the country.
    National,
    /// The rate of the state, province or territory alone, without the country's and without local taxes.
    State,
    /// The rate of the state and the local taxes that are due everywhere in it; `made_of` names them.
    Combined,
}

/// A rate that another source has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Other {
    /// The source; see `data`.
    pub source: &'static str,
    /// The day that its rate is of; none where the source does not say.
    pub as_of: Option<&'static str>,
    /// Its rate in percent, decimal text.
    pub rate_percent: String,
}

/// A rate that may be the right one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Candidate {
    /// In percent, decimal text.
    pub rate_percent: String,
    /// Who has it; see `data`.
    pub source: &'static str,
    /// The day that it is of; none where the source does not say.
    pub as_of: Option<&'static str>,
    /// For what, or from when; none where the source does not say.
    pub applies_to: Option<&'static str>,
}

/// One tax and its rate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NamedRate {
    /// VAT, GST, HST, …
    pub tax_name: &'static str,
    /// Its rate in percent.
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
    /// What it includes.
    pub basis: Basis,
    /// VAT, GST, HST, sales tax, …
    pub tax_name: &'static str,
    /// The rate in percent, decimal text, exactly as in the source; none where no one rate can be given (`agreement`
    /// says why, `candidates` says which come into question).
    pub rate_percent: Option<String>,
    /// The taxes in a combined rate; else none.
    pub made_of: Vec<NamedRate>,
    /// The source that it comes from; see `data`.
    pub source: &'static str,
    /// The day the source is of.
    pub as_of: &'static str,
    /// The first day for which the data know this rate; none where the data have no history.
    pub known_since: Option<&'static str>,
    /// The last day for which the rate is fixed, where it is to change or a decree ends.
    pub valid_until: Option<&'static str>,
    /// The rate from the day after that, in percent, unless it is put off again.
    pub then_percent: Option<&'static str>,
    /// Do other sources agree?
    pub agreement: Agreement,
    /// The rates that come into question, where `rate_percent` is none.
    pub candidates: Vec<Candidate>,
    /// What other sources say, where `rate_percent` is given.
    pub other_sources: Vec<Other>,
    /// What else is to be known of this rate.
    pub note: Option<&'static str>,
}

impl Row {
    /// A national rate.
    pub fn national(country: &Country, rate: &Rate, kind: Kind, as_of: &'static str) -> Result<Self, Error> {
        let candidates = candidates(&rate.candidates);
        Ok(Self {
            kind,
            level: "national",
            basis: Basis::National,
            tax_name: country.tax,
            rate_percent: candidates.is_empty().then(|| exact(rate.percent)).transpose()?.map(|rate| rate.to_string()),
            made_of: Vec::new(),
            source: rate.from,
            as_of,
            known_since: None,
            valid_until: rate.until,
            then_percent: rate.then,
            agreement: rate.agreement,
            candidates,
            other_sources: others(&rate.others),
            note: country.note.filter(|_| kind == Kind::Standard),
        })
    }

    /// A region's rate, which is `percent` where the region's own and the country's are one.
    pub fn regional(region: &Region, tax_name: &'static str, percent: Percent, as_of: &'static str) -> Self {
        let candidates = candidates(&region.candidates);
        let named =
            |(tax_name, rate): &(&'static str, &'static str)| NamedRate { tax_name, rate_percent: (*rate).into() };
        Self {
            kind: Kind::Standard,
            level: "regional",
            basis: region.basis,
            tax_name,
            rate_percent: candidates.is_empty().then(|| percent.to_string()),
            made_of: region.made_of.iter().map(named).collect(),
            source: region.from,
            as_of,
            known_since: Some(region.since),
            valid_until: region.until,
            then_percent: region.then,
            agreement: region.agreement,
            candidates,
            other_sources: others(&region.others),
            note: region.note,
        }
    }

    /// Takes the rate away where the day until which it is fixed has passed, and leaves it as a candidate.
    pub fn expire(&mut self, day: &str) {
        let Some((until, then)) = self.valid_until.zip(self.then_percent).filter(|(until, _)| day > *until) else {
            return;
        };
        let Some(rate_percent) = self.rate_percent.take() else { return };
        let candidate = |rate_percent, applies_to| Candidate {
            rate_percent,
            source: self.source,
            as_of: Some(self.as_of),
            applies_to: Some(applies_to),
        };
        self.candidates = vec![
            candidate(rate_percent, "if what ended on `valid_until` was renewed"),
            candidate(then.to_owned(), "if it was not"),
        ];
        self.agreement = Agreement::Expired;
        self.valid_until = Some(until);
    }
}

fn others(said: &[Said]) -> Vec<Other> {
    said.iter().map(|(source, as_of, rate)| Other { source, as_of: *as_of, rate_percent: (*rate).into() }).collect()
}

fn candidates(found: &[Possible]) -> Vec<Candidate> {
    let candidate = |(rate, source, as_of, applies_to): &Possible| Candidate {
        rate_percent: (*rate).to_owned(),
        source,
        as_of: *as_of,
        applies_to: Some(*applies_to).filter(|text| !text.is_empty()),
    };
    found.iter().map(candidate).collect()
}

/// A rate of the committed table.
pub fn exact(text: &str) -> Result<Percent, Error> {
    Percent::parse(text).ok_or_else(|| Error::internal(format!("data/rates.json has a rate {text:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Book;

    #[test]
    fn a_rate_ends_with_its_day() {
        let book = Book::open().unwrap();
        let thailand = &book.countries["TH"];
        let row = || Row::national(thailand, &thailand.rates[0], Kind::Standard, "2025-10-22").unwrap();
        let mut last_day = row();
        last_day.expire("2026-09-30");
        assert_eq!((last_day.rate_percent.as_deref(), last_day.candidates.len()), (Some("7"), 0));
        let mut after = row();
        after.expire("2026-10-01");
        let rates: Vec<_> = after.candidates.iter().map(|candidate| candidate.rate_percent.as_str()).collect();
        assert_eq!((after.rate_percent, after.agreement, rates), (None, Agreement::Expired, vec!["7", "10"]));
    }
}
