//! The `Payment` HTTP authentication scheme (MPP): challenges that a server issues and
//! verifies, credentials that clients send, receipts, and problem details.
//!
//! Invariants:
//! - a challenge's id authenticates all of its terms: a challenge is verified without
//!   being stored, and a modified challenge is rejected as unknown;
//! - a [`Verified`] exists only after the id, realm, expiry and body of a credential's
//!   challenge were checked;
//! - amounts are integers in smallest units, written as strings, never floats;
//! - a credential is secret and never appears in errors or debug output.
//!
//! This crate reads no clock, stores nothing and moves no money; its callers ensure that
//! each challenge is used once.
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
