//! The data that a payer signs in scheme `exact` with EIP-3009.

use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::amount::Amount;
use crate::bytes32::Nonce;

/// The member `payload` of an `exact` payment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExactPayload {
    /// `0x` and 130 hexadecimal digits: r, s and v. Signatures of contracts are longer,
    /// and only the chain of the contract can check them.
    pub signature: String,
    /// The signed authorization.
    pub authorization: Authorization,
}

/// Parameters of `transferWithAuthorization`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Authorization {
    /// Payer.
    pub from: Address,
    /// Payee.
    pub to: Address,
    /// Amount in the token's smallest unit.
    pub value: Amount,
    /// Start of validity (exclusive), Unix time in seconds.
    pub valid_after: Amount,
    /// End of validity (exclusive), Unix time in seconds.
    pub valid_before: Amount,
    /// Nonce, which makes the authorization single-use.
    pub nonce: Nonce,
}
