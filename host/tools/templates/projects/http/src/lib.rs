//! The exchange rate of two currencies, from the European Central Bank's reference rates at
//! api.frankfurter.dev.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error, http};

/// URL of the latest rates; `allow_hosts` in plugin.toml names the same host.
const LATEST: &str = "https://api.frankfurter.dev/v1/latest";

/// Two currencies.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The currency to convert from, by its ISO 4217 code: `GBP`.
    #[schemars(length(equal = 3))]
    from: String,
    /// The currency to convert to, by its ISO 4217 code: `EUR`.
    #[schemars(length(equal = 3))]
    to: String,
}

/// Their reference rate.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct Output {
    /// The currency to convert from.
    from: String,
    /// The currency to convert to.
    to: String,
    /// Units of `to` for one unit of `from`.
    rate: f64,
    /// The day of the rate, `2026-01-31`; no rates are published for weekends and
    /// holidays.
    date: String,
    /// Source of the rate.
    source: &'static str,
}

/// The used members of the service's response.
#[derive(Deserialize)]
struct Latest {
    date: String,
    rates: BTreeMap<String, f64>,
}

/// Answers one call; an error costs the caller nothing.
pub fn handle(_call: &Call, input: Input) -> Result<Output, Error> {
    let (from, to) = (code("/from", &input.from)?, code("/to", &input.to)?);
    if from == to {
        return Err(Error::invalid("/to", "must be another currency than `from`"));
    }
    let url = format!("{LATEST}?base={from}&symbols={to}");
    // Without the service there is no rate and no charge.
    let away = |error: Error| Error::upstream(format!("the exchange rates cannot be reached: {}", error.message()));
    let response = http::get(&url).map_err(away)?;
    if response.status == 404 {
        return Err(Error::not_found(format!("the European Central Bank has no rate of {from} in {to}")));
    }
    let latest: Latest = response.ok()?.json()?;
    let rate = latest.rates.get(&to).copied().filter(|rate| rate.is_finite() && *rate > 0.0);
    let rate = rate.ok_or_else(|| Error::upstream(format!("the exchange rates lack {to}")))?;
    Ok(Output { from, to, rate, date: latest.date, source: "European Central Bank, by api.frankfurter.dev" })
}

/// Checks for three letters. The code becomes part of a URL, so nothing else is allowed in it.
fn code(field: &str, text: &str) -> Result<String, Error> {
    let code = text.to_ascii_uppercase();
    if code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Ok(code);
    }
    Err(Error::invalid(field, "must be the three letters of an ISO 4217 code, for example `GBP`"))
}

tollbridge_sdk::bridge! { handle: handle }
tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
