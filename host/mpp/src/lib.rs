//! The `Payment` HTTP authentication scheme (MPP): challenges that a server issues and
//! verifies, credentials that clients send, receipts, and problem details.
//!
//! Invariants:
//! - all terms of a challenge are in its id: nothing is stored to verify it, and a
//!   changed challenge is unknown;
//! - [`Verified`] exists only after a credential's challenge was checked: id, realm,
//!   time and body;
//! - amounts are integers of smallest units, as strings, never floats;
//! - a credential is secret and never appears in errors or debug output.
//!
//! This crate reads no clock and stores nothing: its callers ensure that a challenge is
//! used once. It moves no money.
//!
//! Source: `draft-httpauth-payment-00` and the related drafts of intents, methods and
//! transports, repository `tempoxyz/mpp-specs`.

mod accept_payment;
mod auth_params;
mod body_digest;
mod challenge;
mod charge;
mod credential;
mod encoding;
#[cfg(test)]
mod fuzz_tests;
mod json_rpc;
mod name;
mod problem;
mod receipt;
mod signer;
#[cfg(test)]
mod vector_tests;

pub use accept_payment::{ACCEPT_PAYMENT, AcceptPayment};
pub use body_digest::{body_digest, is_digest_of};
pub use challenge::{CHALLENGE_BYTES_MAX, Challenge, ChallengeError, WWW_AUTHENTICATE};
pub use charge::{
    EvmCharge, EvmDetails, EvmPayload, StripeCharge, StripeDetails, StripePayload, TempoCharge, TempoDetails,
    TempoPayload, Units, evm_nonce,
};
pub use credential::{CREDENTIAL_BYTES_MAX, Credential, CredentialError, CredentialHeader};
pub use json_rpc::{
    CODE_INTERNAL, CODE_MALFORMED, CODE_REQUIRED, CODE_VERIFICATION_FAILED, META_CREDENTIAL, META_RECEIPT,
    credential_of_message, required_error, verification_failed_error,
};
pub use name::{Intent, Method, NameError};
pub use problem::{Problem, ProblemType};
pub use receipt::{PAYMENT_RECEIPT, Receipt, ReceiptError};
pub use signer::{ChallengeSigner, RealmError, Rejection, Terms, Verified};
