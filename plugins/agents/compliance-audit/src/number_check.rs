//! Tax numbers and bank accounts checked by the bridges.

use agent_common::Answer;
use serde::Deserialize;
use serde_json::{Value, json};
use tollbridge_sdk::bridges;

/// What a bridge says of a number.
#[derive(Debug, Deserialize)]
pub struct Checked {
    /// Whether its form and check digits are right.
    pub valid: bool,
    #[serde(default)]
    faults: Vec<Value>,
}

impl Checked {
    /// What is wrong, in words.
    pub fn faults(&self) -> Vec<String> {
        self.faults.iter().map(|fault| fault.as_str().map_or_else(|| fault.to_string(), str::to_owned)).collect()
    }
}

/// Checks a tax number.
pub fn tax(number: &str) -> Result<Checked, bridges::Error> {
    Ok(bridges::call::<Answer<Checked>>("vat_number_check", &json!({ "vat_number": number }))?.result)
}

/// Checks a bank account.
pub fn account(number: &str) -> Result<Checked, bridges::Error> {
    Ok(bridges::call::<Answer<Checked>>("iban_validation", &json!({ "iban": number }))?.result)
}
