//! Sealed records and their proofs: the grant `ledger`.
//!
//! A plugin sees public facts (that a record exists, and its proof), and the bodies of records to
//! which the calling account is a party. A body names accounts, so a plugin with this grant can
//! identify the caller.

mod read;
pub(crate) mod record;

pub use read::{proof, record, verify};
pub use record::{Entry, Proven, Verdict};
