//! The names of countries by code, from a table that the host loads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error, tables::Table};

/// Maximum number of codes in one call.
const CODES_MAX: usize = 250;

/// Country codes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ISO 3166-1 codes of two letters, in upper or lower case: `GB`.
    #[schemars(length(min = 1, max = 250))]
    codes: Vec<String>,
}

/// The countries, and the source of their names.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// One country for each code, in the order of the codes.
    countries: Vec<Country>,
    /// Number of unknown codes.
    unknown: usize,
    /// The table behind the answer.
    data: Data,
}

/// A country.
#[derive(Serialize, JsonSchema)]
pub struct Country {
    /// Its code, in capitals.
    code: String,
    /// The usual English name of the country; null if the code is unknown.
    name: Option<String>,
}

/// The source of an answer, for citations.
#[derive(Serialize, JsonSchema)]
pub struct Data {
    /// The version of the table.
    version: String,
    /// The day whose state the table describes.
    as_of: String,
    /// Its licence.
    licence: String,
    /// Source of the data.
    source: String,
}

/// Answers one call; an error costs the caller nothing.
pub fn handle(_call: &Call, input: Input) -> Result<Output, Error> {
    if input.codes.is_empty() || input.codes.len() > CODES_MAX {
        return Err(Error::invalid("/codes", format!("give 1 to {CODES_MAX} codes")));
    }
    let codes = input.codes.iter().enumerate().map(|(at, code)| checked(at, code)).collect::<Result<Vec<_>, _>>()?;
    // On a server without the table, fails with 503 E027; the call is not charged.
    let table = Table::open("countries")?;
    let names = table.get_many(&codes)?;
    let unknown = names.iter().filter(|name| name.is_none()).count();
    let info = table.info();
    Ok(Output {
        countries: codes.into_iter().zip(names).map(|(code, name)| Country { code, name }).collect(),
        unknown,
        data: Data { version: info.version, as_of: info.as_of, licence: info.licence, source: info.source },
    })
}

/// Returns a code in capitals, as the table has it. `at` is the position of the code in
/// the input, for the error.
fn checked(at: usize, code: &str) -> Result<String, Error> {
    let code = code.to_ascii_uppercase();
    if code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Ok(code);
    }
    Err(Error::invalid(format!("/codes/{at}"), "must be the two letters of an ISO 3166-1 code, for example `GB`"))
}

tollbridge_sdk::bridge! { handle: handle, examples: ["../cases/two_countries.json"] }
tollbridge_sdk::test_cases!(handle);
