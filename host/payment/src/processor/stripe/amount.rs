//! Amounts in Stripe's format: whole pence and a currency.

use tollbridge_core::money::Millipence;

use super::super::error::ProcessorError;
use super::http::unexpected;

/// Formats an amount, which must be positive and in whole pence.
pub(super) fn format_pence(amount: Millipence) -> Result<String, ProcessorError> {
    match (amount.get().rem_euclid(1000), amount.get().div_euclid(1000)) {
        (0, pence) if pence > 0 => Ok(pence.to_string()),
        _ => Err(ProcessorError::Rejected {
            code: "amount".to_owned(),
            message: format!("{amount} is not a whole number of pence"),
        }),
    }
}

/// Parses an amount, which must be in pounds sterling.
pub(super) fn parse_pence(pence: i64, currency: Option<&str>) -> Result<Millipence, ProcessorError> {
    match (currency, Millipence::from_pence(pence)) {
        (Some("gbp"), Some(amount)) => Ok(amount),
        _ => Err(unexpected("an amount that is not in pounds sterling")),
    }
}
