//! `Receipt`: a server's confirmation of a payment.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tollbridge_core::time::rfc3339;

use crate::encoding::{canonical, read};
use crate::name::Method;

/// Header of a paid response, never of an error response; send it with `Cache-Control:
/// private`.
pub const PAYMENT_RECEIPT: &str = "payment-receipt";
/// Maximum size of a receipt that is parsed.
const RECEIPT_BYTES_MAX: usize = 8 << 10;

/// A receipt for a payment that was verified and settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    status: Success,
    /// Payment method.
    pub method: Method,
    /// Time of the payment, RFC 3339.
    pub timestamp: String,
    /// The payment's id in the payment method: the PaymentIntent id for `stripe`, the
    /// transaction hash on chains.
    pub reference: String,
    /// Id of the paid challenge. JSON-RPC requires it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge_id: Option<String>,
    /// The client's reference for the payment, echoed from the credential's payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// Further, method-specific members.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The status of a receipt; only successful payments have receipts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Success {
    Success,
}

/// A text that is not a receipt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a receipt: {0}")]
pub struct ReceiptError(String);

impl Receipt {
    /// Creates a receipt for a payment at `at_s` (Unix time in seconds).
    pub fn new(method: Method, reference: impl Into<String>, challenge_id: &str, at_s: u64) -> Self {
        Self {
            status: Success::Success,
            method,
            timestamp: rfc3339(at_s.saturating_mul(1000)),
            reference: reference.into(),
            challenge_id: Some(challenge_id.to_owned()),
            external_id: None,
            other: Map::new(),
        }
    }

    /// Returns the value of the header `Payment-Receipt`, in ASCII.
    pub fn to_header(&self) -> String {
        canonical(self)
    }

    /// Parses the value of the header `Payment-Receipt`.
    ///
    /// # Errors
    ///
    /// Fails if the value is too long or not a receipt.
    pub fn parse(header: &str) -> Result<Self, ReceiptError> {
        if header.len() > RECEIPT_BYTES_MAX {
            return Err(ReceiptError(format!("it has {} bytes", header.len())));
        }
        read(header.trim()).map_err(|error| ReceiptError(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::base64url;

    #[test]
    fn a_receipt_is_of_a_success() {
        let receipt = Receipt::new(Method::STRIPE, "pi_1", "c", 1_800_000_000);
        assert_eq!(receipt.timestamp, "2027-01-15T08:00:00Z");
        assert_eq!(Receipt::parse(&receipt.to_header()), Ok(receipt));
        // The example of the draft.
        let example = "eyJzdGF0dXMiOiJzdWNjZXNzIiwibWV0aG9kIjoiaW52b2ljZSIsInRpbWVzdGFtcCI6IjIwMjUtMDEtMTVUMTI6MDA6MDBaIiwicmVmZXJlbmNlIjoiaW52XzEyMzQ1In0";
        assert_eq!(Receipt::parse(example).unwrap().reference, "inv_12345");
        let failed = base64url(b"{\"status\":\"failed\",\"method\":\"stripe\",\"timestamp\":\"\",\"reference\":\"\"}");
        assert!(Receipt::parse(&failed).unwrap_err().to_string().contains("status"));
    }
}
