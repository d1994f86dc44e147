//! The `Payment` HTTP authentication scheme (MPP): challenges that a server makes
//! and knows again, credentials that clients send, receipts, and what is wrong
//! with a payment.
//!
//! Invariants:
//! - a challenge is its id: nothing is kept to know it again, and a changed one is
//!   unknown;
//! - [`Verified`] exists only after a credential's challenge was checked: id,
//!   realm, time and body;
//! - amounts are whole numbers of smallest units, as texts, never floats;
//! - a credential is a secret: it is in no error and no debug output.
//!
//! Reads no clock and keeps nothing: that a challenge is used once, its users see
//! to. Moves no money.
//!
//! Source: `draft-httpauth-payment-00` and beside it the drafts of intents,
//! methods and transports, repository `tempoxyz/mpp-specs`.

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
