//! x402 version 2: the protocol messages of a server that sells calls, the checks of a
//! payment proof, and the client of a facilitator, which settles payments.
//!
//! Invariants:
//! - amounts are integers of a token's smallest unit, never floats;
//! - [`Authorized`] exists only after [`check`], and only an [`Authorized`] can be
//!   settled;
//! - an unclear outcome of a settlement is never treated as a refusal.
//!
//! This crate reads no clock and stores nothing: its callers decide whether a nonce was
//! used before and what happens to a call. It never imports the store, the ledger or
//! anything that serves HTTP.
//!
//! Source: `x402-specification-v2.md` and the related `transports-v2`, `schemes` and
//! `extensions`, repository `x402-foundation/x402`.

mod address;
mod amount;
mod authorization;
mod bazaar;
mod bytes32;
mod chain;
mod check;
mod code;
mod eip712;
mod facilitator;
#[cfg(test)]
mod fuzz_tests;
mod header;
mod invalid;
mod mcp;
mod moment;
mod network;
mod offer_receipt;
mod payment_identifier;
mod permit2;
mod price;
mod requirement;
mod scheme;
mod settlement;
mod signature;
mod signed;
#[cfg(feature = "testing")]
mod test_wallet;
#[cfg(test)]
mod testing;
mod text;
mod token;
mod uint256;
mod usdc;
mod wire;

pub use address::{Address, AddressError};
pub use amount::{Amount, AmountError};
pub use authorization::{Authorization, ExactPayload};
pub use bazaar::{Bazaar, BodyType, DiscoveredResource, DiscoveryPage, Pagination};
pub use bytes32::{Bytes32Error, Nonce, TransactionHash};
pub use chain::{ChainReader, OnChain};
pub use check::{Authorized, CLOCK_SLACK_S, SETTLE_MARGIN_S, check};
pub use code::Code;
pub use eip712::{digest, upto_digest};
pub use facilitator::{Deadlines, Facilitator, LookupError, SetUpError, Verified};
pub use header::{
    EXPOSED_HEADERS, HEADER_BYTES_MAX, HeaderError, PAYMENT_REQUIRED, PAYMENT_RESPONSE, PAYMENT_SIGNATURE,
};
pub use invalid::Invalid;
pub use mcp::{META_PAYMENT, META_RESPONSE, payment_of_params, required_result};
pub use network::{ChainId, Network, NetworkError};
pub use offer_receipt::{JwsError, Offer, Receipt, Signed, offers_extension, receipt_extension};
pub use payment_identifier::{PaymentIdentifier, PaymentIdentifierError};
pub use permit2::{PERMIT2, TokenPermissions, UPTO_PROXY, UptoAuthorization, UptoPayload, UptoWitness};
pub use price::{Conversion, PriceError, Rate};
pub use requirement::{Requirement, RequirementError, TIMEOUT_S_MAX, TIMEOUT_S_MIN};
pub use scheme::Scheme;
pub use settlement::{Attempt, Outcome, Settled, UnclearReason};
pub use signature::{Signature, SignatureError};
#[cfg(feature = "testing")]
pub use test_wallet::TestWallet;
pub use token::Token;
pub use uint256::{Uint256, Uint256Error};
pub use wire::{
    PaymentPayload, PaymentRequired, PaymentRequirements, ResourceInfo, SettlementResponse, Supported, SupportedKind,
    V2, VerifyResponse,
};
