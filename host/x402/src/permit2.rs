//! The data that a payer signs in scheme `upto` with Permit2: the named facilitator may
//! move at most a given amount to one account, once.
//!
//! Source: `specs/schemes/upto/scheme_upto_evm.md` of x402; Permit2 of Uniswap
//! (`permitWitnessTransferFrom`).

use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::amount::Amount;
use crate::uint256::Uint256;

/// Address of the Permit2 contract, which is the same on every chain.
pub const PERMIT2: Address = Address::new([
    0x00, 0x00, 0x00, 0x00, 0x00, 0x22, 0xd4, 0x73, 0x03, 0x0f, 0x11, 0x6d, 0xde, 0xe9, 0xf6, 0xb4, 0x3a, 0xc7, 0x8b,
    0xa3,
]);
/// The only contract that may use `upto` signatures. It accepts calls only from the
/// facilitator named in the signed witness, and moves money only to the payee named
/// there.
pub const UPTO_PROXY: Address = Address::new([
    0x40, 0x20, 0xa4, 0xf3, 0xb7, 0xb9, 0x0c, 0xca, 0x42, 0x3b, 0x9f, 0xab, 0xcc, 0x0c, 0xe5, 0x7c, 0x6c, 0x24, 0x00,
    0x02,
]);

/// The member `payload` of an `upto` payment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UptoPayload {
    /// `0x` and 130 hexadecimal digits: r, s and v.
    pub signature: String,
    /// The signed permit.
    pub permit2_authorization: UptoAuthorization,
}

/// Parameters of `permitWitnessTransferFrom`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UptoAuthorization {
    /// Payer.
    pub from: Address,
    /// The token and the maximum amount.
    pub permitted: TokenPermissions,
    /// The contract that may move the money: [`UPTO_PROXY`].
    pub spender: Address,
    /// Nonce. It can be used only once, and is unique per payer across all tokens.
    pub nonce: Uint256,
    /// End of validity (inclusive), Unix time in seconds.
    pub deadline: Amount,
    /// Conditions that the `spender` contract enforces.
    pub witness: UptoWitness,
}

/// A token and an amount.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenPermissions {
    /// Contract of the token.
    pub token: Address,
    /// Amount in the token's smallest unit.
    pub amount: Amount,
}

/// The payee, the facilitator and the start of validity of a permit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UptoWitness {
    /// Payee.
    pub to: Address,
    /// The only account that may settle the payment.
    pub facilitator: Address,
    /// Start of validity (inclusive), Unix time in seconds.
    pub valid_after: Amount,
}
