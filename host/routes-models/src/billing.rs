//! The paying caller of inference requests, and amounts with all their digits.

use tollbridge_access::Principal;
use tollbridge_core::money::Millipence;
use tollbridge_gateway::BilledCaller;
use tollbridge_paywall::call_headers::spend_limit;

/// Returns the caller in the gateway's form.
pub(crate) fn billed_caller(principal: &Principal) -> BilledCaller {
    let (account, key) = (principal.account_id.clone(), principal.key_id.clone());
    BilledCaller { account, key, spend: spend_limit(principal), upto: None }
}

/// Formats pounds with all their digits: `0.00012`.
pub(crate) fn exact(amount: Millipence) -> String {
    let (sign, rest) = (if amount.is_negative() { "-" } else { "" }, amount.get().unsigned_abs());
    format!("{sign}{}.{:05}", rest / 100_000, rest % 100_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pounds_have_all_their_digits() {
        for (millipence, text) in [(0, "0.00000"), (1, "0.00001"), (123_456, "1.23456"), (-5, "-0.00005")] {
            assert_eq!(exact(Millipence::new(millipence)), text);
        }
    }
}
