//! What a payer signs in scheme `upto` with Permit2: that the facilitator that is
//! named may move no more than so much to one account, once.
//!
//! Source: `specs/schemes/upto/scheme_upto_evm.md` of x402; Permit2 of Uniswap
//! (`permitWitnessTransferFrom`).

use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::amount::Amount;
use crate::uint256::Uint256;

/// Permit2, which has this address on every chain.
pub const PERMIT2: Address = Address::new([
    0x00, 0x00, 0x00, 0x00, 0x00, 0x22, 0xd4, 0x73, 0x03, 0x0f, 0x11, 0x6d, 0xde, 0xe9, 0xf6, 0xb4, 0x3a, 0xc7, 0x8b,
    0xa3,
]);
/// The contract that alone may use what is signed for `upto`: it lets none but the
/// facilitator of the witness move anything, and to none but its payee.
pub const UPTO_PROXY: Address = Address::new([
    0x40, 0x20, 0xa4, 0xf3, 0xb7, 0xb9, 0x0c, 0xca, 0x42, 0x3b, 0x9f, 0xab, 0xcc, 0x0c, 0xe5, 0x7c, 0x6c, 0x24, 0x00,
    0x02,
]);

/// The member `payload` of a payment by `upto`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UptoPayload {
    /// `0x` and 130 hexadecimal digits: r, s and v.
    pub signature: String,
    /// What was signed.
    pub permit2_authorization: UptoAuthorization,
}

/// Parameters of `permitWitnessTransferFrom`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UptoAuthorization {
    /// Whose money.
    pub from: Address,
    /// How much at most.
    pub permitted: TokenPermissions,
    /// The contract that may move it, [`UPTO_PROXY`].
    pub spender: Address,
    /// Carried out once; unique per payer, whatever the token.
    pub nonce: Uint256,
    /// Unix time in seconds; valid until then, inclusively.
    pub deadline: Amount,
    /// What that contract holds itself to.
    pub witness: UptoWitness,
}

/// How much of which token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenPermissions {
    /// Its contract.
    pub token: Address,
    /// In its smallest unit.
    pub amount: Amount,
}

/// To whom and by whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UptoWitness {
    /// Who gets it.
    pub to: Address,
    /// Who alone may have it moved.
    pub facilitator: Address,
    /// Unix time in seconds; valid from then on.
    pub valid_after: Amount,
}
