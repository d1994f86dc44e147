//! The name and decimals of a currency; also formats amounts given in its smallest unit.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error, Ready};

/// Code, decimals and name of each currency, separated by tabs.
const DATA: &str = include_str!("../data/currencies.tsv");
/// The day that the data describes.
const AS_OF: &str = "2026-01-01";

/// Parsed once, when the bridge is built; every call starts with the result.
static CURRENCIES: Ready<BTreeMap<&str, Currency>> = Ready::new(|| DATA.lines().filter_map(entry).collect());

struct Currency {
    decimals: usize,
    name: &'static str,
}

/// A currency, and optionally an amount to format.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The ISO 4217 code, for example `GBP`, in upper or lower case.
    #[schemars(length(equal = 3))]
    currency: String,
    /// An amount in the smallest unit: pence, cents, yen.
    minor_units: Option<i64>,
}

/// Data about the currency.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// Its code, in capitals.
    currency: String,
    /// Its English name.
    name: &'static str,
    /// Digits after the decimal point.
    decimals: usize,
    /// The amount with its decimal point; null if none was given.
    amount: Option<String>,
    /// The day that the data describes.
    as_of: &'static str,
}

/// Answers one call; an error costs the caller nothing.
pub fn handle(_call: &Call, input: Input) -> Result<Output, Error> {
    let code = input.currency.to_ascii_uppercase();
    if code.len() != 3 || !code.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Err(Error::invalid("/currency", "must be the three letters of an ISO 4217 code, for example `GBP`"));
    }
    let Some(currency) = CURRENCIES.get(code.as_str()) else {
        return Err(Error::not_found(format!("no currency in use on {AS_OF} has the code {code}")));
    };
    let amount = input.minor_units.map(|units| written(units, currency.decimals));
    Ok(Output { currency: code, name: currency.name, decimals: currency.decimals, amount, as_of: AS_OF })
}

/// Formats an amount: 5 with two decimals is 0.05.
fn written(units: i64, decimals: usize) -> String {
    let sign = if units < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", units.unsigned_abs(), width = decimals + 1);
    match digits.split_at_checked(digits.len() - decimals) {
        Some((whole, parts)) if decimals > 0 => format!("{sign}{whole}.{parts}"),
        _ => format!("{sign}{digits}"),
    }
}

fn entry(line: &'static str) -> Option<(&'static str, Currency)> {
    let mut columns = line.split('\t');
    let (code, decimals, name) = (columns.next()?, columns.next()?, columns.next()?);
    Some((code, Currency { decimals: decimals.parse().ok()?, name }))
}

fn prepare() {
    CURRENCIES.prepare();
}

tollbridge_sdk::bridge! { handle: handle, init: prepare, examples: ["../cases/pounds.json"] }
tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_data_is_read() {
        assert_eq!(CURRENCIES.len(), DATA.lines().count());
    }

    #[test]
    fn amounts_are_exact_at_the_ends_of_their_range() {
        assert_eq!(written(i64::MIN, 2), "-92233720368547758.08");
        assert_eq!(written(i64::MAX, 3), "9223372036854775.807");
    }
}
