//! x402 payments in the Model Context Protocol (`transports-v2/mcp.md`).

use serde_json::{Value, json};

use crate::header::{HeaderError, read_value};
use crate::wire::{PaymentPayload, PaymentRequired};

/// Member of `params._meta` that holds a payment.
pub const META_PAYMENT: &str = "x402/payment";
/// Member of `result._meta` that holds the result of settling the payment.
pub const META_RESPONSE: &str = "x402/payment-response";

/// Returns the result of a tool call that requires payment: an error with the offer as
/// `structuredContent`, and also as text for clients that read only text.
pub fn required_result(required: &PaymentRequired) -> Value {
    let offer = serde_json::to_value(required).unwrap_or_default();
    json!({ "isError": true, "content": [{ "type": "text", "text": offer.to_string() }], "structuredContent": offer })
}

/// Returns the payment in the `params` of a tool call; `None` if there is none.
///
/// # Errors
///
/// Fails if a member of the payment is invalid; the error names that member.
pub fn payment_of_params(params: &Value) -> Result<Option<PaymentPayload>, HeaderError> {
    match params.get("_meta").and_then(|meta| meta.get(META_PAYMENT)) {
        Some(payment) => read_value(payment.clone()).map(Some),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::PAYMENT;

    #[test]
    fn a_payment_comes_in_the_meta() {
        let payment: Value = serde_json::from_str(PAYMENT).unwrap();
        let params = json!({ "name": "tool", "_meta": { META_PAYMENT: payment } });
        assert_eq!(payment_of_params(&params).unwrap().unwrap().accepted.scheme, "exact");
        assert_eq!(payment_of_params(&json!({ "name": "tool" })), Ok(None));
        let wrong = json!({ "_meta": { META_PAYMENT: { "x402Version": 1 } } });
        assert!(matches!(payment_of_params(&wrong), Err(HeaderError::Field { field, .. }) if field == "x402Version"));
    }
}
