//! What a payer signs in scheme `exact` with EIP-3009.

use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::amount::Amount;
use crate::bytes32::Nonce;

/// The member `payload` of a payment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExactPayload {
    /// `0x` and 130 hexadecimal digits: r, s and v. Contracts that sign have more,
    /// which only their chain can check.
    pub signature: String,
    /// What was signed.
    pub authorization: Authorization,
}

/// Parameters of `transferWithAuthorization`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Authorization {
    /// Whose money.
    pub from: Address,
    /// Who gets it.
    pub to: Address,
    /// How much, in the token's smallest unit.
    pub value: Amount,
    /// Unix time in seconds; valid after it.
    pub valid_after: Amount,
    /// Unix time in seconds; valid before it.
    pub valid_before: Amount,
    /// Carried out once.
    pub nonce: Nonce,
}
